/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler as the original numbered it until 2023: as the last of the 64-bit system
 * calls, 9FF and BFF, by its name, not as the last of the 32-bit ones. The version of the
 * file is the same. Whether system call 511 is the scheduler is for the caller to say: not in
 * traces that say something of themselves (META), nor in those in which the scheduler has the
 * number of today. Used by what looks at event numbers of old traces.
 */
#ifndef KP_OLD_SCHED_H
#define KP_OLD_SCHED_H

#include <stdbool.h>
#include <string.h>

#include "kutrace_events.h"
#include "model/event.h"
#include "model/span.h"

#define KP_CALL_OLD_SCHED	(KUTRACE_CALL_SYSCALL64 + KUTRACE_COUNT_SYSCALL64 - 1)

/* Is event the call or return of system call 511, and is that called -sched-? */
static inline bool kp_is_old_sched(const struct kp_event *event)
{
	const bool back = event->event & KUTRACE_RETURN_BIT;

	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       event->name_len == 7U + back && (!back || event->name[0] == '/') &&
	       !memcmp(event->name + back, "-sched-", 7);
}

/* The same of a row, whose name may have a ? behind it. */
static inline bool kp_is_old_sched_span(const struct kp_span *span)
{
	return (span->event & ~(int64_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       span->name_len >= 7 && !memcmp(span->name, "-sched-", 7);
}

/* Is event the call or return of the scheduler by the number of today? */
static inline bool kp_is_sched(const struct kp_event *event)
{
	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KUTRACE_CALL_SCHED;
}

#endif
