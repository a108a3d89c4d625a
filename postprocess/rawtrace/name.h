/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event is called in the event text: from the trace's own names, from
 * the event table where the trace is silent. Used by the raw reader only.
 */
#ifndef KP_RAW_NAME_H
#define KP_RAW_NAME_H

#include "model/event.h"
#include "model/names.h"
#include "rawtrace/tpoint.h"

#define KP_EVENT_NAME_MAX	96	/* bytes; a raw name has 56 at most */

struct kp_event_names {
	struct kp_names names;
	/* calls and returns as composed; length 0 = not composed yet */
	char text[4096 - KUTRACE_CALL_TRAP][KP_EVENT_NAME_MAX];
	uint8_t len[4096 - KUTRACE_CALL_TRAP];
	char scratch[KP_EVENT_NAME_MAX];
	struct kp_points points;
	char point[KU_TPOINT_TEXT_MAX];
};

/* Names as in kp_names_set(); event is that of the entry, length digit included. */
int kp_event_names_set(struct kp_event_names *names, uint32_t event,
		       uint32_t number, const char *text, size_t len);

/* Fills event->name unless it has one; valid until the next call. */
void kp_event_names_fill(struct kp_event_names *names, struct kp_event *event);

/* The same for a typed tracepoint, whose id is event->arg0, from its payload. */
void kp_event_names_point(struct kp_event_names *names, struct kp_event *event,
			  const uint64_t *words, size_t count);

void kp_event_names_free(struct kp_event_names *names);

/*
 * pid 0 is called -idle-, whatever it calls itself; and the length digit says how
 * many words the name needs, not how many it had.
 */
void kp_fix_namedef(struct kp_namedef *def);

/* base-40 text of a mark to out[8], NUL-terminated; returns its length. */
size_t kp_base40(uint32_t arg, char *out);

#endif
