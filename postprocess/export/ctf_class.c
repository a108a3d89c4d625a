// SPDX-License-Identifier: BSD-3-Clause
/*
 * Determines the class of an event (export/ctf_class.h):
 *
 *	2087 getpid		becomes  syscall_entry_getpid
 *	1516 local_timer	becomes  x86_irq_vectors_local_timer_entry
 *	 522 mark_a=getpid	becomes  kutrace_mark_a
 */
#include "export/ctf_class.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/event_name.h"
#include "kutrace_events.h"

/* Like LTTng, adds _ before each field name; readers remove it. */
static const struct kp_ctf_field fields[KP_CTF_LAYOUTS][KP_CTF_FIELDS + 1] = {
	[KP_CTF_SWITCH] = {
		{ KP_CTF_NAME16, "_prev_comm" }, { KP_CTF_I32, "_prev_tid" },
		{ KP_CTF_I32, "_prev_prio" }, { KP_CTF_I64, "_prev_state" },
		{ KP_CTF_NAME16, "_next_comm" }, { KP_CTF_I32, "_next_tid" },
		{ KP_CTF_I32, "_next_prio" },
	},
	[KP_CTF_WAKING] = {
		{ KP_CTF_NAME16, "_comm" }, { KP_CTF_I32, "_tid" }, { KP_CTF_I32, "_prio" },
		{ KP_CTF_I32, "_target_cpu" },
	},
	[KP_CTF_EXIT] = {
		{ KP_CTF_NAME16, "_comm" }, { KP_CTF_I32, "_tid" }, { KP_CTF_I32, "_prio" },
	},
	[KP_CTF_FORK] = {
		{ KP_CTF_NAME16, "_parent_comm" }, { KP_CTF_I32, "_parent_tid" },
		{ KP_CTF_I32, "_parent_pid" }, { KP_CTF_NAME16, "_child_comm" },
		{ KP_CTF_I32, "_child_tid" }, { KP_CTF_I32, "_child_pid" },
	},
	[KP_CTF_STATE] = {
		{ KP_CTF_I32, "_tid" }, { KP_CTF_I32, "_pid" }, { KP_CTF_I32, "_ppid" },
		{ KP_CTF_NAME16, "_name" }, { KP_CTF_I32, "_type" }, { KP_CTF_I32, "_mode" },
		{ KP_CTF_I32, "_submode" }, { KP_CTF_I32, "_status" }, { KP_CTF_U32, "_cpu" },
	},
	[KP_CTF_RENAME] = {
		{ KP_CTF_I32, "_tid" }, { KP_CTF_NAME16, "_oldcomm" }, { KP_CTF_NAME16, "_newcomm" },
	},
	[KP_CTF_RUNS] = { { KP_CTF_NAME16, "_comm" }, { KP_CTF_I32, "_tid" } },
	[KP_CTF_CALL] = { { KP_CTF_U16, "_arg0" } },
	[KP_CTF_RETURN] = { { KP_CTF_I64, "_ret" } },
	[KP_CTF_TRAP_CALL] = { { KP_CTF_U8, "_trap" }, { KP_CTF_U16, "_arg0" } },
	[KP_CTF_TRAP_RETURN] = { { KP_CTF_U8, "_trap" }, { KP_CTF_I64, "_ret" } },
	[KP_CTF_VECTOR] = { { KP_CTF_I32, "_vector" } },
	[KP_CTF_IRQ_CALL] = {
		{ KP_CTF_I32, "_irq" }, { KP_CTF_STRING, "_name" }, { KP_CTF_U8, "_number" },
	},
	[KP_CTF_IRQ_RETURN] = {
		{ KP_CTF_I32, "_irq" }, { KP_CTF_I32, "_ret" }, { KP_CTF_U8, "_number" },
	},
	[KP_CTF_SOFTIRQ] = { { KP_CTF_U32, "_vec" } },
	[KP_CTF_CPU_IDLE] = { { KP_CTF_U32, "_state" }, { KP_CTF_U32, "_cpu_id" } },
	[KP_CTF_FREQUENCY] = {
		{ KP_CTF_U32, "_state" }, { KP_CTF_U32, "_cpu_id" }, { KP_CTF_U8, "_sampled" },
	},
	[KP_CTF_POINT] = { { KP_CTF_U32, "_arg" }, { KP_CTF_STRING, "_name" } },
};

const struct kp_ctf_field *kp_ctf_fields(enum kp_ctf_layout layout)
{
	return fields[layout];
}

/*
 * Returns LTTng's name of an x86 vector, or NULL. Compares the name too, as other architectures
 * have other numbers.
 */
static const char *vector_of(const struct kp_event *event)
{
	static const struct {
		uint32_t number;
		const char *name;
	} vectors[] = {
		{ 236, "local_timer" }, { 240, "spurious_apic" }, { 244, "deferred_error_apic" },
		{ 246, "irq_work" }, { 247, "x86_platform_ipi" }, { 249, "threshold_apic" },
		{ 250, "thermal_apic" }, { 251, "call_function_single" },
		{ 252, "call_function" }, { 253, "reschedule" }, { 254, "error_apic" },
	};
	const char *label = ku_vector_label(event->event & 0xFF), *text = event->name;
	size_t len = event->name_len, i;

	if (event->event & KUTRACE_RETURN_BIT && len && *text == '/')
		text++, len--;
	if (!label || strlen(label) != len || memcmp(label, text, len))
		return NULL;	/* a number of another architecture */
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (vectors[i].number == (event->event & 0xFF))
			return vectors[i].name;
	return NULL;
}

/* Writes @prefix and the event's name, with _ for each character that is not a letter or digit. */
static void name_of(const struct kp_event *event, const char *prefix, char *name)
{
	size_t used = (size_t)snprintf(name, KP_CTF_NAME_MAX, "%s", prefix), i;
	bool back = event->event >= KUTRACE_CALL_TRAP && event->event & KUTRACE_RETURN_BIT;

	for (i = back && event->name_len && event->name[0] == '/';
	     i < event->name_len && used < KP_CTF_NAME_MAX - 1; i++) {
		char c = event->name[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9');

		name[used++] = plain ? c : '_';
	}
	name[used] = '\0';
}

static enum kp_ctf_layout call_class(const struct kp_event *event, char *name)
{
	const uint32_t call = event->event & ~(uint32_t)KUTRACE_RETURN_BIT;
	const bool back = call != event->event;
	const char *way = back ? "exit" : "entry", *vector;
	char prefix[40];

	if (call == KUTRACE_CALL_BH) {
		snprintf(name, KP_CTF_NAME_MAX, "irq_softirq_%s", way);
		return KP_CTF_SOFTIRQ;
	}
	if (call == KUTRACE_CALL_SCHED) {
		snprintf(name, KP_CTF_NAME_MAX, "kutrace_sched_%s", way);
		return back ? KP_CTF_RETURN : KP_CTF_CALL;
	}
	if (call >= KUTRACE_CALL_SYSCALL64) {
		snprintf(prefix, sizeof(prefix), "%ssyscall_%s_",
			 call >= KUTRACE_CALL_SYSCALL32 ? "compat_" : "", way);
		name_of(event, prefix, name);
		return back ? KP_CTF_RETURN : KP_CTF_CALL;
	}
	if (call < KUTRACE_CALL_IRQ) {
		snprintf(prefix, sizeof(prefix), "kutrace_trap_%s_", way);
		name_of(event, prefix, name);
		return back ? KP_CTF_TRAP_RETURN : KP_CTF_TRAP_CALL;
	}
	vector = vector_of(event);
	if (vector) {
		snprintf(name, KP_CTF_NAME_MAX, "x86_irq_vectors_%s_%s", vector, way);
		return KP_CTF_VECTOR;
	}
	snprintf(name, KP_CTF_NAME_MAX, "irq_handler_%s", way);
	return back ? KP_CTF_IRQ_RETURN : KP_CTF_IRQ_CALL;
}

enum kp_ctf_layout kp_ctf_class(const struct kp_event *event, char *name)
{
	static const struct {
		uint32_t event;
		enum kp_ctf_layout layout;
		const char *name;
	} points[] = {
		{ KUTRACE_RUNNABLE, KP_CTF_WAKING, "sched_waking" },
		{ KUTRACE_TASKEXIT, KP_CTF_EXIT, "sched_process_exit" },
		{ KUTRACE_MWAIT, KP_CTF_CPU_IDLE, "power_cpu_idle" },
		{ KUTRACE_PSTATE, KP_CTF_FREQUENCY, "power_cpu_frequency" },
		{ KUTRACE_PSTATE2, KP_CTF_FREQUENCY, "power_cpu_frequency" },
		{ KUTRACE_NAME_TPOINT, KP_CTF_POINT, "kutrace_point" },
	};
	const char *label;
	size_t i;

	if (event->event >= KUTRACE_CALL_TRAP)
		return call_class(event, name);
	if (event->event == KUTRACE_USERPID) {
		snprintf(name, KP_CTF_NAME_MAX, "%s", event->dur ? "kutrace_runs" : "sched_switch");
		return event->dur ? KP_CTF_RUNS : KP_CTF_SWITCH;
	}
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (points[i].event != event->event)
			continue;
		snprintf(name, KP_CTF_NAME_MAX, "%s", points[i].name);
		return points[i].layout;
	}
	label = ku_point_label(event->event);
	if (label)
		snprintf(name, KP_CTF_NAME_MAX, "kutrace_%s", label);
	else
		snprintf(name, KP_CTF_NAME_MAX, "kutrace_event_%03x", event->event);
	return KP_CTF_POINT;
}
