// SPDX-License-Identifier: BSD-3-Clause
/*
 * The format of CTF traces (export/ctf_format.h): classes of events, metadata, packets. The class
 * of an event:
 *
 *	2087 getpid		becomes  syscall_entry_getpid
 *	1516 local_timer	becomes  x86_irq_vectors_local_timer_entry
 *	 522 mark_a=getpid	becomes  kutrace_mark_a
 */
#include "export/ctf_format.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/entry.h"
#include "common/event_name.h"
#include "export/bytes.h"

#define PAUSES_BYTES	4096	/* maximum size of the pauses in one entry of the environment */

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

/*
 * Returns LTTng's name of an x86 vector, or NULL. Also compares the event's name, because other
 * architectures have other numbers.
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
		return NULL;	/* another architecture uses this number */
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
	const char *direction = back ? "exit" : "entry", *vector;
	char prefix[40];

	if (call == KUTRACE_CALL_BH) {
		snprintf(name, KP_CTF_NAME_MAX, "irq_softirq_%s", direction);
		return KP_CTF_SOFTIRQ;
	}
	if (call == KUTRACE_CALL_SCHED) {
		snprintf(name, KP_CTF_NAME_MAX, "kutrace_sched_%s", direction);
		return back ? KP_CTF_RETURN : KP_CTF_CALL;
	}
	if (call >= KUTRACE_CALL_SYSCALL64) {
		snprintf(prefix, sizeof(prefix), "%ssyscall_%s_",
			 call >= KUTRACE_CALL_SYSCALL32 ? "compat_" : "", direction);
		name_of(event, prefix, name);
		return back ? KP_CTF_RETURN : KP_CTF_CALL;
	}
	if (call < KUTRACE_CALL_IRQ) {
		snprintf(prefix, sizeof(prefix), "kutrace_trap_%s_", direction);
		name_of(event, prefix, name);
		return back ? KP_CTF_TRAP_RETURN : KP_CTF_TRAP_CALL;
	}
	vector = vector_of(event);
	if (vector) {
		snprintf(name, KP_CTF_NAME_MAX, "x86_irq_vectors_%s_%s", vector, direction);
		return KP_CTF_VECTOR;
	}
	snprintf(name, KP_CTF_NAME_MAX, "irq_handler_%s", direction);
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

	if (event->event >= KUTRACE_CALL_TRAP)
		return call_class(event, name);
	if (event->event == KUTRACE_USERPID) {
		snprintf(name, KP_CTF_NAME_MAX, "%s", event->dur ? "kutrace_runs" : "sched_switch");
		return event->dur ? KP_CTF_RUNS : KP_CTF_SWITCH;
	}
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
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

/*
 * ---- metadata ----
 *
 * Text from the trace is not trusted, so it is written as ASCII without quotes and control
 * characters.
 */

const char *kp_ctf_counter(const struct kp_raw *raw)
{
	switch (raw->flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) {
	case KUTRACE_FLAG_IPC:
		return "_ipc";
	case KUTRACE_FLAG_LLC:
		return "_llc";
	case KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC:
		return "_ipc_llc";
	default:
		return NULL;
	}
}

static void put_env(FILE *out, const char *key, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "\t%s = \"", key);
	for (; *text; text++)
		putc(*text < ' ' || *text > '~' || strchr("\"\\", *text) ? '?' : *text, out);
	fputs("\";\n", out);
}

static void put_fact(FILE *out, const char *text, unsigned int *number)
{
	char key[32];

	if (!*text)
		return;
	snprintf(key, sizeof(key), "kutrace_%u", (*number)++);
	put_env(out, key, text);
}

/*
 * Writes all facts of the trace in order: kutrace_0 = "backend=tracepoint"; ... Pauses share an
 * entry, with spaces between them, because libbabeltrace2 needs quadratic time for the entries.
 */
static void put_facts(FILE *out, const struct kp_raw *raw)
{
	char pauses[PAUSES_BYTES] = "";
	unsigned int number = 0;
	size_t i, used = 0;

	for (i = 0; i < raw->name_count; i++) {
		const char *text = raw->names[i].text;
		const bool is_pause = !strncmp(text, KUTRACE_META_PAUSE, strlen(KUTRACE_META_PAUSE));

		if (KU_NAME_BASE(raw->names[i].event) != KUTRACE_NAME_META)
			continue;
		if (!is_pause || used + sizeof(raw->names[i].text) >= sizeof(pauses)) {
			put_fact(out, pauses, &number);
			pauses[0] = 0;
			used = 0;
		}
		if (is_pause)
			used += (size_t)sprintf(pauses + used, "%s%s", used ? " " : "", text);
		else
			put_fact(out, text, &number);
	}
	put_fact(out, pauses, &number);
}

/* Writes the number and the full name of each call. Class names have only letters, digits and _. */
static void put_calls(FILE *out, const char *const *names)
{
	char key[32];

	for (unsigned int event = 0; event < KP_CTF_CALLS; event++) {
		if (!names[event])
			continue;
		snprintf(key, sizeof(key), "kutrace_event_%03x", event);
		put_env(out, key, names[event]);
	}
}

static void put_environment(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
			    const char *const *names)
{
	const size_t release = strcspn(about->kernel, " ");
	char text[64];

	fputs("env {\n", out);
	put_env(out, "hostname", about->host);
	fputs("\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n", out);
	snprintf(text, sizeof(text), "%.*s", (int)release, about->kernel);
	put_env(out, "kernel_release", text);
	put_env(out, "kernel_version", about->kernel + release + (about->kernel[release] == ' '));
	/* readers decide by these values which events to expect */
	fputs("\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = 13;\n"
	      "\ttracer_patchlevel = 0;\n", out);
	put_env(out, "architecture", about->arch);
	put_env(out, "boot_id", about->boot_id);
	put_env(out, "cpu_model", about->cpu_model);
	fprintf(out, "\tkutrace_lost = %" PRIu64 ";\n\tkutrace_damaged = %" PRIu64 ";\n"
		"\tkutrace_stale_dropped = %" PRIu64 ";\n\tkutrace_wrapped = %d;\n", raw->lost,
		raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times,
		raw->dropped_first_block, raw->wrapped);
	put_facts(out, raw);
	put_calls(out, names);
	fputs("};\n\n", out);
}

static void put_class(FILE *out, const struct kp_ctf_class *class, size_t id)
{
	static const char *const types[] = {
		[KP_CTF_U8] = "uint8_t", [KP_CTF_U16] = "uint16_t", [KP_CTF_U32] = "uint32_t",
		[KP_CTF_I32] = "int32_t", [KP_CTF_I64] = "int64_t", [KP_CTF_NAME16] = "char_t",
		[KP_CTF_STRING] = "string",
	};
	const struct kp_ctf_field *field = fields[class->layout];

	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n"
		"\tfields := struct {\n", class->name, id);
	for (; field->type != KP_CTF_END; field++)
		fprintf(out, "\t\t%s %s%s;\n", types[field->type], field->name,
			field->type == KP_CTF_NAME16 ? "[16]" : "");
	fputs("\t};\n};\n\n", out);
}

void kp_ctf_metadata(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
		     const char *const *names, const struct kp_ctf_class *classes, size_t count)
{
	const char *counter = kp_ctf_counter(raw);

	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	      "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	      "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	      "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n\n",
	      out);
	fprintf(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n"
		"\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n"
		"\t\tuint64_t stream_instance_id;\n\t};\n};\n\n", about->trace_id);
	put_environment(out, raw, about, names);
	fprintf(out, "clock {\n\tname = \"monotonic\";\n"
		"\tdescription = \"UTC, from the start minute of the trace\";\n"
		"\tfreq = 1000000000;\n\toffset_s = %" PRId64 ";\n\toffset = 0;\n};\n\n",
		about->start_s);
	fputs("typealias integer {\n\tsize = 64; align = 8; signed = false;\n"
	      "\tmap = clock.monotonic.value;\n} := kutrace_time_t;\n\n"
	      "stream {\n\tid = 0;\n\tevent.header := struct {\n\t\tuint16_t id;\n"
	      "\t\tkutrace_time_t timestamp;\n\t};\n"
	      "\tpacket.context := struct {\n\t\tkutrace_time_t timestamp_begin;\n"
	      "\t\tkutrace_time_t timestamp_end;\n\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t};\n"
	      "\tevent.context := struct {\n\t\tint32_t _tid;\n", out);
	if (counter)
		fprintf(out, "\t\tuint8_t %s;\n", counter);
	fputs("\t};\n};\n\n", out);
	for (size_t i = 0; i < count; i++)
		put_class(out, &classes[i], i);
}

/*
 * ---- packets of a stream ----
 *
 * Offsets in bytes, sizes in bits:
 *
 *	 0  magic 32			32  begin, end 64 each (ns since the start minute)
 *	 4  uuid of the trace 128	48  content size, packet size 64 each, in bits
 *	20  stream class 32: 0		64  number of the packet 64
 *	24  number of the stream 64	72  events discarded so far 64
 *	84  events			80  CPU 32
 */

#define HEADER_BYTES	84u

int kp_ctf_stream_open(struct kp_ctf_stream *stream, struct kp_folder *folder, const char *name,
		       uint32_t cpu, uint64_t instance, const uint8_t *uuid)
{
	memset(stream, 0, sizeof(*stream));
	stream->cpu = cpu;
	stream->instance = instance;
	stream->uuid = uuid;
	stream->packet = malloc(KP_CTF_PACKET_BYTES);
	if (!stream->packet) {
		snprintf(folder->message, sizeof(folder->message), "no memory");
		return -1;
	}
	stream->fd = kp_folder_add(folder, name);
	return stream->fd < 0 ? -1 : 0;
}

int kp_ctf_stream_flush(struct kp_ctf_stream *stream, struct kp_folder *folder)
{
	const uint64_t bits = stream->used * 8ull;
	uint8_t *p = stream->packet;
	const uint32_t bytes = stream->used;

	if (!bytes)
		return 0;
	p = kp_put_le32(p, KP_CTF_MAGIC);
	memcpy(p, stream->uuid, 16);
	p = kp_put_le32(p + 16, 0);
	p = kp_put_le64(p, stream->instance);
	p = kp_put_le64(p, (uint64_t)stream->begin_ns);
	p = kp_put_le64(p, (uint64_t)stream->end_ns);
	p = kp_put_le64(p, bits);
	p = kp_put_le64(p, bits);
	p = kp_put_le64(p, stream->packets++);
	p = kp_put_le64(p, stream->discarded);
	kp_put_le32(p, stream->cpu);
	stream->used = 0;
	stream->written += bytes;
	return kp_folder_write(folder, stream->fd, stream->packet, bytes);
}

uint8_t *kp_ctf_stream_event(struct kp_ctf_stream *stream, struct kp_folder *folder,
			     int64_t time_ns)
{
	if (stream->used + KP_CTF_EVENT_MAX > KP_CTF_PACKET_BYTES &&
	    kp_ctf_stream_flush(stream, folder))
		return NULL;
	if (!stream->used) {
		stream->used = HEADER_BYTES;
		stream->begin_ns = time_ns;
	}
	stream->end_ns = time_ns;
	return stream->packet + stream->used;
}

int kp_ctf_stream_patch(struct kp_ctf_stream *stream, uint64_t at, uint8_t byte)
{
	ssize_t done;

	if (at >= stream->written) {
		stream->packet[at - stream->written] = byte;
		return 0;
	}
	do {
		done = pwrite(stream->fd, &byte, 1, (off_t)at);
	} while (done < 0 && errno == EINTR);
	return done == 1 ? 0 : -1;
}

int kp_ctf_stream_empty(struct kp_ctf_stream *stream, struct kp_folder *folder, int64_t begin_ns,
			int64_t end_ns)
{
	stream->used = HEADER_BYTES;
	stream->begin_ns = begin_ns;
	stream->end_ns = end_ns;
	return kp_ctf_stream_flush(stream, folder);
}
