/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes Perfetto's messages of Linux's tracepoints to import/linux.h.
 */
#ifndef KP_IMPORT_PERFETTO_FTRACE_H
#define KP_IMPORT_PERFETTO_FTRACE_H

#include "import/linux.h"
#include "import/perfetto_bundle.h"

struct kp_pf_ftrace {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	enum kp_calls_of calls;		/* table of the numbers of system calls */
};

/* Passes @event on. Damaged fields are ignored. Returns what kp_feed_event() does. */
int kp_pf_ftrace_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		       const struct kp_pf_event *event);

#endif
