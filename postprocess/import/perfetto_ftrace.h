/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Perfetto's messages of Linux's tracepoints, by their numbers, to import/linux.h. Used by
 * import/perfetto_import.c.
 */
#ifndef KP_IMPORT_PERFETTO_FTRACE_H
#define KP_IMPORT_PERFETTO_FTRACE_H

#include "import/linux.h"
#include "import/perfetto_bundle.h"

struct kp_pf_ftrace {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	enum kp_calls_of calls;		/* whose numbers system calls have */
};

/* event, at that time and CPU. 0, or what kp_feed_event() returns; damaged fields are none. */
int kp_pf_ftrace_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		       const struct kp_pf_event *event);

#endif
