/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the events that more than one data source of a Perfetto trace recorded. The caller must
 * pass the events of one time and CPU stream by stream.
 */
#ifndef KP_IMPORT_PERFETTO_TWICE_H
#define KP_IMPORT_PERFETTO_TWICE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vector.h"
#include "import/perfetto_bundle.h"

/* Equal events at the current time and CPU. */
struct kp_pf_same {
	size_t at, len;		/* its text in texts */
	uint32_t before;	/* another item with the same hash: its place + 1, or 0 */
	uint32_t most;		/* the largest number of these events in one stream */
	uint32_t count;		/* the number of these events in stream */
	const void *stream;	/* the last stream with such an event */
};

/* All zero to begin with. */
struct kp_pf_twice {
	int64_t time_ns;
	uint32_t cpu;
	struct kp_map by_hash;	/* to the place in list, + 1 */
	KP_VECTOR(struct kp_pf_same) list;
	KP_VECTOR(char) texts;
};

/*
 * Takes the next event of stream. @own_ns: its own time, which is before @time_ns if it is late. Returns 1
 * if an earlier stream has the same event as often as this stream so far, 0 if not, and -1 without memory.
 */
int kp_pf_twice_event(struct kp_pf_twice *twice, int64_t time_ns, int64_t own_ns, uint32_t cpu, const void *stream,
		      const struct kp_pf_event *event);
void kp_pf_twice_free(struct kp_pf_twice *twice);

#endif
