/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of events in event text, from the names in the trace, or from the event table if the trace
 * has no name.
 */
#ifndef KP_RAWTRACE_NAME_H
#define KP_RAWTRACE_NAME_H

#include "common/tpoint_text.h"
#include "model/names.h"

/* Definitions of typed tracepoints. Each is parsed when it is first needed. All zeros: empty. */
struct kp_points {
	struct ku_tpoint_def **defs;	/* definitions by id; NULL: not parsed yet, or changed */
	uint64_t unknown;		/* number of events without a definition */
};

/* maximum length in bytes; a name in a raw trace has at most 56 bytes */
#define KP_EVENT_NAME_MAX	96

struct kp_event_names {
	struct kp_names names;
	/* cached names of calls and returns; length 0 = not composed yet */
	char text[4096 - KUTRACE_CALL_TRAP][KP_EVENT_NAME_MAX];
	uint8_t len[4096 - KUTRACE_CALL_TRAP];
	char scratch[KP_EVENT_NAME_MAX];
	struct kp_points points;
	char point[KU_TPOINT_TEXT_MAX];
};

/* Sets a name, see kp_names_set(). @event is the entry's number, with its length digit. */
int kp_event_names_set(struct kp_event_names *names, uint32_t event,
		       uint32_t number, const char *text, size_t len);

/* Sets event->name unless it is set already. The name is valid until the next call. */
void kp_event_names_fill(struct kp_event_names *names, struct kp_event *event);

/* Sets the name of a typed tracepoint with id event->arg0 from its payload. */
void kp_event_names_point(struct kp_event_names *names, struct kp_event *event,
			  const uint64_t *words, size_t count);

/* Sets the name of an event about a request of disk event->arg0 from its two words. */
void kp_event_names_disk(struct kp_event_names *names, struct kp_event *event,
			 const uint64_t words[2]);

/* Sets the name of the event of a timer from its three words. */
void kp_event_names_timer(struct kp_event_names *names, struct kp_event *event, const uint64_t words[3]);

void kp_event_names_free(struct kp_event_names *names);

/* Sets the name of pid 0 to -idle-, and the length digit to the words that the name needs. */
void kp_fix_namedef(struct kp_namedef *def);

/* Writes the base-40 text of a mark to out[8], with a NUL. Returns its length. */
size_t kp_base40(uint32_t arg, char *out);

#endif
