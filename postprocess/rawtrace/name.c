// SPDX-License-Identifier: BSD-3-Clause
/* Composes names of events: "/getpid", "BH:timer", "runnable.48", "mark_a=fault". Must be fast. */
#include "rawtrace/name.h"

#include <stdio.h>

#include "base/number.h"
#include "common/disk_text.h"
#include "common/timer_text.h"
#include "common/entry.h"
#include "common/event_name.h"
#include "kutrace_quota.h"

#define KP_POINT_IDS	65536

/*
 * Discards the parsed definition of a tracepoint if the changed name is a part of that definition.
 */
static void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number)
{
	uint32_t id = number & (KP_POINT_IDS - 1);

	if (base != KUTRACE_NAME_EVENTDEF || number < KP_POINT_IDS || !points->defs)
		return;
	free(points->defs[id]);
	points->defs[id] = NULL;
}

/* Joins the parts of definition @id in @text. Returns the length. */
static size_t kp_join_parts(const struct kp_names *names, uint32_t id, char *text, size_t room)
{
	size_t used = 0;

	for (uint32_t part = 0; part < KUTRACE_POINT_PIECES; part++) {
		const struct kp_name *name = kp_names_get(names, KUTRACE_NAME_EVENTDEF,
							  KUTRACE_POINT_NUMBER(id, part));

		if (!name || used + name->len > room)
			break;
		memcpy(text + used, name->text, name->len);
		used += name->len;
		if (name->len < KUTRACE_NAME_MAX_BYTES)
			break;	/* the last part */
	}
	return used;
}

/* Returns the definition of @id from @names, or NULL if there is none. */
static const struct ku_tpoint_def *kp_points_get(struct kp_points *points,
						 const struct kp_names *names, uint32_t id)
{
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES];
	struct ku_tpoint_def *def;
	size_t len;

	id &= KP_POINT_IDS - 1;
	if (points->defs && points->defs[id])
		return points->defs[id];
	len = kp_join_parts(names, id, text, sizeof(text));
	if (!len)
		return NULL;
	if (!points->defs)
		points->defs = calloc(KP_POINT_IDS, sizeof(struct ku_tpoint_def *));
	def = points->defs ? malloc(sizeof(*def)) : NULL;
	if (!def || ku_tpoint_parse(def, text, len)) {
		free(def);
		return NULL;
	}
	points->defs[id] = def;
	return def;
}

static void kp_points_free(struct kp_points *points)
{
	for (uint32_t id = 0; points->defs && id < KP_POINT_IDS; id++)
		free(points->defs[id]);
	free(points->defs);
	points->defs = NULL;
}

static const char kp_idle[] = "-idle-";

void kp_fix_namedef(struct kp_namedef *def)
{
	uint32_t words;

	if (KU_NAME_BASE(def->event) == KUTRACE_NAME_PID && !def->number) {
		def->name = kp_idle;
		def->name_len = sizeof(kp_idle) - 1;
	}
	words = 1 + ((uint32_t)def->name_len + 7) / 8;
	def->event = KU_NAME_BASE(def->event) | words << KUTRACE_NAME_LEN_SHIFT;
}

int kp_event_names_set(struct kp_event_names *names, uint32_t event,
		       uint32_t number, const char *text, size_t len)
{
	uint32_t base = KU_NAME_BASE(event);

	if (base == KUTRACE_NAME_TRAPNAME || base == KUTRACE_NAME_IRQNAME ||
	    base == KUTRACE_NAME_SYS64NAME || base == KUTRACE_NAME_SYS32NAME)
		memset(names->len, 0, sizeof(names->len));
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
	const struct ku_tpoint_def *def = kp_points_get(&names->points, &names->names, event->arg0);

	event->name = names->point;
	if (def) {
		event->name_len = ku_tpoint_render(def, words, count, names->point,
						  sizeof(names->point));
		return;
	}
	names->points.unknown++;
	event->name_len = ku_tpoint_render_unknown(event->arg0, words, count, names->point,
						  sizeof(names->point));
}

void kp_event_names_disk(struct kp_event_names *names, struct kp_event *event,
			 const uint64_t words[2])
{
	const struct kp_name *name = kp_names_get(&names->names, KUTRACE_NAME_DISKNAME, event->arg0);
	struct ku_disk disk = ku_disk_decode(words);
	char text[KU_DISK_TEXT_MAX];

	ku_disk_set_device(&disk, event->arg0, name ? name->text : NULL);
	ku_disk_put(&disk, text);
	event->name = names->point;
	event->name_len = (size_t)snprintf(names->point, sizeof(names->point), "%s=%s #%" PRIu32,
					   ku_point_label(event->event), text, disk.number);
}

void kp_event_names_timer(struct kp_event_names *names, struct kp_event *event, const uint64_t words[3])
{
	const struct ku_timer timer = ku_timer_decode(words);
	char text[KU_TIMER_TEXT_MAX];

	ku_timer_put(&timer, text);
	event->name = names->point;
	event->name_len = (size_t)snprintf(names->point, sizeof(names->point), "%s=%s",
					   ku_point_label(event->event), text);
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

/* Writes the name of @call (without the return bit), or its kind and number, to @out. */
static void kp_call_text(const struct kp_event_names *names, uint32_t call, char *out,
			 size_t room)
{
	const struct ku_call_name where = ku_call_name(call);
	const struct kp_name *name = NULL;

	if (where.base)
		name = kp_names_get(&names->names, where.base, where.number);
	if (!name && where.other_base)
		name = kp_names_get(&names->names, where.other_base, where.other_number);
	if (name && name->len)
		snprintf(out, room, "%s", name->text);
	else if (where.label)
		snprintf(out, room, "%s", where.label);
	else
		snprintf(out, room, "%s#%u", where.kind, where.number);
}

/*
 * Joins @text, @separator and @more in scratch, truncated to the size of scratch. Returns the
 * length.
 */
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

/* Writes "text.number" to scratch, with @separator in place of the dot. */
static size_t kp_numbered(struct kp_event_names *names, const char *text, char separator,
			  uint32_t number)
{
	char digits[16 + KP_PUT_SLACK];
	const char *end = kp_put_unsigned(digits, number);

	return kp_joined(names, text, strlen(text), separator, digits, (size_t)(end - digits));
}

static void kp_fill_call(struct kp_event_names *names, struct kp_event *event)
{
	uint32_t slot = event->event - KUTRACE_CALL_TRAP;

	if (event->event == KUTRACE_CALL_BH) {
		const char *text = ku_softirq_label(event->arg0);

		event->name = names->scratch;
		event->name_len = text ? kp_joined(names, "BH", 2, ':', text, strlen(text)) :
					 kp_numbered(names, "BH", ':', event->arg0);
		return;
	}
	if (!names->len[slot]) {
		bool back = event->event & KUTRACE_RETURN_BIT;
		char *text = names->text[slot];

		text[0] = '/';
		kp_call_text(names, event->event & ~(uint32_t)KUTRACE_RETURN_BIT,
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

/* Writes "name.number" to scratch. */
static size_t kp_dotted(struct kp_event_names *names, uint32_t base, uint32_t number,
			const char *otherwise)
{
	const struct kp_name *name = kp_names_get(&names->names, base, number);

	return kp_numbered(names, name && name->len ? name->text : otherwise, '.', number);
}

/* Writes "label=name" or only the label to scratch. */
static size_t kp_labelled(struct kp_event_names *names, uint32_t base,
			  uint32_t number, const char *label)
{
	const struct kp_name *name = kp_names_get(&names->names, base, number);

	if (!name || !name->len)
		return kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX, "%s", label));
	return kp_joined(names, label, strlen(label), '=', name->text, strlen(name->text));
}

/* Returns the label of a point event. A frequency event has the label of a frequency span. */
static const char *kp_point_label(uint32_t event)
{
	if (event == KUTRACE_PSTATE || event == KUTRACE_PSTATE2)
		return "-freq-";
	return ku_point_label(event);
}

/* Names a point event without a label by its definition in the trace, or by its number. */
static void kp_fill_unknown(struct kp_event_names *names, struct kp_event *event)
{
	const struct kp_name *name = kp_names_get(&names->names, KUTRACE_NAME_EVENTDEF, event->event);

	/* the definition is the name of a tracepoint, a space, and the meaning of the argument */
	if (name && name->len)
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX, "%.*s",
						  (int)strcspn(name->text, " "), name->text));
	else
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX,
						  "event_%03x", event->event));
}

void kp_event_names_fill(struct kp_event_names *names, struct kp_event *event)
{
	const char *label;
	uint16_t base;
	char mark[8];

	if (event->name)
		return;
	if (event->event >= KUTRACE_CALL_TRAP) {
		kp_fill_call(names, event);
		return;
	}
	event->name = names->scratch;
	if (event->event == KUTRACE_USERPID && event->pid) {
		event->name_len = kp_dotted(names, KUTRACE_NAME_PID, event->pid, "pid");
		return;
	}
	if (event->event == KUTRACE_USERPID) {
		event->name = "-idle-.0";
		event->name_len = 8;
		return;
	}
	label = kp_point_label(event->event);
	base = ku_point_arg_base(event->event);
	if (!label) {
		kp_fill_unknown(names, event);
	} else if (base == KUTRACE_NAME_PID) {
		event->name_len = kp_numbered(names, label, '.', event->arg0);
	} else if (base == KUTRACE_NAME_METHOD) {
		event->name_len = kp_dotted(names, base, event->arg0 & 0xFFFF, label);
	} else if (base == KUTRACE_NAME_CGROUP) {
		event->name_len = kp_labelled(names, base, event->arg0 & KUTRACE_QUOTA_CGROUP, label);
	} else if (base) {
		event->name_len = kp_labelled(names, base, event->arg0, label);
	} else if (ku_event_is_mark_text(event->event)) {
		kp_base40(event->arg0, mark);
		event->name_len = kp_cut(snprintf(names->scratch, KP_EVENT_NAME_MAX,
						  "%s=%s", label, mark));
	} else {
		event->name = label;
		event->name_len = strlen(label);
	}
}
