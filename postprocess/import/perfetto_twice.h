/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the events that several data sources of a Perfetto trace recorded. Of the events with the same
 * time and CPU, the caller must pass all of one stream before those of the next.
 */
#ifndef KP_IMPORT_PERFETTO_TWICE_H
#define KP_IMPORT_PERFETTO_TWICE_H

#include <stdbool.h>

#include "base/memory.h"
#include "import/perfetto_bundle.h"

/* A group of equal events at the current time and CPU. */
struct kp_pf_same {
	size_t at, len;		/* the compared text, in texts */
	uint32_t before;	/* index + 1 of another group with the same hash, or 0 */
	uint32_t most;		/* the largest number of these events in one stream */
	uint32_t count;		/* the number of these events in stream */
	const void *stream;	/* the last stream with such an event */
};

/* Starts zeroed. */
struct kp_pf_twice {
	int64_t time_ns;
	uint32_t cpu;
	struct kp_map by_hash;	/* hash of a text to the index in list, + 1 */
	KP_VECTOR(struct kp_pf_same) list;
	KP_VECTOR(char) texts;
};

/*
 * Takes the next event of @stream. @own_ns: its recorded time, which is before @time_ns if the event is late.
 * Returns 1 if an earlier stream has at least as many equal events as @stream so far, so this one is a
 * duplicate; otherwise 0, or -1 without memory.
 */
int kp_pf_twice_event(struct kp_pf_twice *twice, int64_t time_ns, int64_t own_ns, uint32_t cpu, const void *stream,
		      const struct kp_pf_event *event);
void kp_pf_twice_free(struct kp_pf_twice *twice);

#endif
