// SPDX-License-Identifier: BSD-3-Clause
/*
 * Composes the names of the event text: "getpid", "/getpid", "BH:timer",
 * "work.51", "runnable.48", "mark_a=fault". Called for every event by the raw
 * reader, so what can be kept is kept.
 */
#include <stdio.h>
#include <string.h>

#include "kp_digits.h"
#include "kp_raw_name.h"

static const char kp_idle[] = "-idle-";

void kp_fix_namedef(struct kp_namedef *def)
{
	uint32_t words;

	if (KP_NAME_BASE(def->event) == KUTRACE_NAME_PID && !def->number) {
		def->name = kp_idle;
		def->name_len = sizeof(kp_idle) - 1;
	}
	words = 1 + ((uint32_t)def->name_len + 7) / 8;
	def->event = KP_NAME_BASE(def->event) | words << KUTRACE_NAME_LEN_SHIFT;
}

int kp_event_names_set(struct kp_event_names *names, uint32_t event,
		       uint32_t number, const char *text, size_t len)
{
	uint32_t base = KP_NAME_BASE(event);

	switch (base) {
	case KUTRACE_NAME_TRAPNAME:
	case KUTRACE_NAME_IRQNAME:
	case KUTRACE_NAME_SYS64NAME:
	case KUTRACE_NAME_SYS32NAME:
		memset(names->len, 0, sizeof(names->len));
		break;
	default:
		break;
	}
	kp_points_changed(&names->points, base, number);
	return kp_names_set(&names->names, base, number, text, len);
}

void kp_event_names_free(struct kp_event_names *names)
{
	kp_names_free(&names->names);
	kp_points_free(&names->points);
}

void kp_event_names_point(struct kp_event_names *names, struct kp_event *event,
			  const uint64_t *words, size_t count)
{
	const struct kp_point_def *def = kp_points_get(&names->points, &names->names,
						       event->arg0);

	event->name = names->point;
	if (def) {
		event->name_len = kp_point_render(def, words, count, names->point,
						  sizeof(names->point));
		return;
	}
	names->points.unknown++;
	event->name_len = kp_point_render_unknown(event->arg0, words, count, names->point,
						  sizeof(names->point));
}

size_t kp_base40(uint32_t arg, char *out)
{
	static const char digits[] = " abcdefghijklmnopqrstuvwxyz0123456789-./";
	size_t len = 0;

	while (arg && len < 7) {
		out[len++] = digits[arg % 40];
		arg /= 40;
	}
	out[len] = 0;
	return len;
}

static const struct kp_name *kp_get(const struct kp_event_names *names,
				    uint32_t base, uint32_t number)
{
	return kp_names_get(&names->names, base, number);
}

/* The name of call (return bit clear) to out, or what kind and number it is. */
static void kp_call_name(const struct kp_event_names *names, uint32_t call, char *out,
			 size_t room)
{
	const struct kp_name *name = NULL;
	const char *text = NULL, *kind = "syscall";
	uint32_t number = call & 0x1FF;

	if (call == KUTRACE_CALL_SCHED) {
		text = "-sched-";
	} else if (call == KUTRACE_CALL_SYSOTHER) {
		text = "syscall_other";
	} else if (call >= KUTRACE_CALL_SYSCALL32) {
		name = kp_get(names, KUTRACE_NAME_SYS32NAME, number);
		kind = "syscall32";
		if (!name)
			name = kp_get(names, KUTRACE_NAME_SYS64NAME,
				      number + KUTRACE_COUNT_SYSCALL64);
	} else if (call >= KUTRACE_CALL_SYSCALL64) {
		name = kp_get(names, KUTRACE_NAME_SYS64NAME, number);
	} else if (call >= KUTRACE_CALL_IRQ) {
		number &= 0xFF;
		name = kp_get(names, KUTRACE_NAME_IRQNAME, number);
		text = kp_default_vector(number);
		kind = "irq";
	} else {
		number &= 0xFF;
		name = kp_get(names, KUTRACE_NAME_TRAPNAME, number);
		text = kp_default_trap(number);
		kind = "trap";
	}
	if (name && name->len)
		text = name->text;
	if (text)
		snprintf(out, room, "%s", text);
	else
		snprintf(out, room, "%s#%u", kind, number);
}

/* text, and behind it separator and more, to scratch, cut to its room. */
static size_t kp_joined(struct kp_event_names *names, const char *text, size_t len,
			char separator, const char *more, size_t more_len)
{
	const size_t room = KP_EVENT_NAME_MAX - 1;
	char *p = names->scratch;

	if (len > room)
		len = room;
	memcpy(p, text, len);
	if (len == room)
		return len;
	p[len++] = separator;
	if (more_len > room - len)
		more_len = room - len;
	memcpy(p + len, more, more_len);
	return len + more_len;
}

/* "text.number" to scratch, or with another separator; many an event needs it. */
static size_t kp_numbered(struct kp_event_names *names, const char *text, char separator,
			  uint32_t number)
{
	char digits[16 + KP_PUT_SLACK];
	const char *end = kp_put_unsigned(digits, number);

	return kp_joined(names, text, strlen(text), separator, digits,
			 (size_t)(end - digits));
}

static void kp_fill_call(struct kp_event_names *names, struct kp_event *event)
{
	uint32_t slot = event->event - KUTRACE_CALL_TRAP;

	if (event->event == KUTRACE_CALL_BH) {
		const char *text = kp_default_softirq(event->arg0);

		event->name = names->scratch;
		event->name_len = text ? kp_joined(names, "BH", 2, ':', text, strlen(text)) :
					 kp_numbered(names, "BH", ':', event->arg0);
		return;
	}
	if (!names->len[slot]) {
		bool back = event->event & KUTRACE_RETURN_BIT;
		char *text = names->text[slot];

		text[0] = '/';
		kp_call_name(names, event->event & ~(uint32_t)KUTRACE_RETURN_BIT,
			     text + back, (size_t)KP_EVENT_NAME_MAX - back);
		names->len[slot] = (uint8_t)strlen(text);
	}
	event->name = names->text[slot];
	event->name_len = names->len[slot];
}

static size_t kp_cut(int len)
{
	return len < KP_EVENT_NAME_MAX ? (size_t)len : KP_EVENT_NAME_MAX - 1;
}

/* "name.number" to scratch. */
static size_t kp_dotted(struct kp_event_names *names, uint32_t base, uint32_t number,
			const char *otherwise)
{
	const struct kp_name *name = kp_get(names, base, number);

	return kp_numbered(names, name && name->len ? name->text : otherwise, '.',
			   number);
}

/* "label=name" to scratch, or the label alone. */
static size_t kp_labelled(struct kp_event_names *names, uint32_t base,
			  uint32_t number, const char *label)
{
	const struct kp_name *name = kp_get(names, base, number);

	if (!name || !name->len)
		return kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX, "%s", label));
	return kp_joined(names, label, strlen(label), '=', name->text, strlen(name->text));
}

void kp_event_names_fill(struct kp_event_names *names, struct kp_event *event)
{
	const struct kp_name *name;
	const char *label;
	char mark[8];

	if (event->name)
		return;
	if (event->event >= KUTRACE_CALL_TRAP) {
		kp_fill_call(names, event);
		return;
	}
	event->name = names->scratch;
	label = kp_default_point(event->event);
	switch (event->event) {
	case KUTRACE_USERPID:
		if (event->pid) {
			event->name_len = kp_dotted(names, KUTRACE_NAME_PID, event->pid,
						    "pid");
			return;
		}
		event->name = "-idle-.0";
		event->name_len = 8;
		return;
	case KUTRACE_RUNNABLE:
	case KUTRACE_TASKEXIT:
		event->name_len = kp_numbered(names, label, '.', event->arg0);
		return;
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
	case KUTRACE_RPCIDMID:
	case KUTRACE_RPCIDRXMSG:
	case KUTRACE_RPCIDTXMSG:
		event->name_len = kp_dotted(names, KUTRACE_NAME_METHOD,
					    event->arg0 & 0xFFFF, label);
		return;
	case KUTRACE_MARKA:
	case KUTRACE_MARKB:
	case KUTRACE_MARKC:
		kp_base40(event->arg0, mark);
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX,
						  "%s=%s", label, mark));
		return;
	case KUTRACE_LOCKNOACQ:
	case KUTRACE_LOCKACQ:
	case KUTRACE_LOCKWAKEUP:
		event->name_len = kp_labelled(names, KUTRACE_NAME_LOCKNAME, event->arg0,
					      label);
		return;
	case KUTRACE_ENQUEUE:
	case KUTRACE_DEQUEUE:
		event->name_len = kp_labelled(names, KUTRACE_NAME_QUEUENAME, event->arg0,
					      label);
		return;
	case KUTRACE_RESOURCE:
		event->name_len = kp_labelled(names, KUTRACE_NAME_RESNAME, event->arg0,
					      label);
		return;
	default:
		break;
	}
	if (label) {
		event->name = label;
		event->name_len = strlen(label);
	} else if ((name = kp_get(names, KUTRACE_NAME_EVENTDEF, event->event)) && name->len) {
		/* a tracepoint's name, and behind a blank what its argument is */
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX, "%.*s",
						  (int)strcspn(name->text, " "), name->text));
	} else {
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX,
						  "event_%03x", event->event));
	}
}

enum kp_raw_summary_kind kp_summary_kind(uint32_t event)
{
	if (event == KUTRACE_CALL_SCHED || event == KUTRACE_RET_SCHED ||
	    event == KUTRACE_USERPID)
		return KP_SUM_SCHED;
	if (event >= KUTRACE_CALL_SYSCALL64)
		return KP_SUM_SYSCALL;
	if (event >= KUTRACE_CALL_TRAP)
		return event & 0x100 ? KP_SUM_IRQ : KP_SUM_TRAP;
	switch (event) {
	case KUTRACE_RUNNABLE:
	case KUTRACE_IPI:
		return KP_SUM_WAKEUP;
	case KUTRACE_MARKA:
	case KUTRACE_MARKB:
	case KUTRACE_MARKC:
	case KUTRACE_MARKD:
		return KP_SUM_MARK;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
		return KP_SUM_PC;
	default:
		return KP_SUM_OTHER;
	}
}
