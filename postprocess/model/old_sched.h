/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes the scheduler by its number in KUtrace 3 until 2023. It was then the last 64-bit
 * system call (0x9FF, return 0xBFF), with the name -sched-; today it is the last 32-bit one. The
 * file version does not distinguish the two.
 *
 * The caller must check that the trace can be so old: it has no facts (META), and no event has
 * today's number of the scheduler.
 */
#ifndef KP_OLD_SCHED_H
#define KP_OLD_SCHED_H

#include <stdbool.h>
#include <string.h>

#include "kutrace_events.h"
#include "model/event.h"
#include "model/span.h"

#define KP_CALL_OLD_SCHED	(KUTRACE_CALL_SYSCALL64 + KUTRACE_COUNT_SYSCALL64 - 1)

/* Returns whether the event is the call or return of system call 511 with the name -sched-. */
static inline bool kp_is_old_sched(const struct kp_event *event)
{
	const bool back = event->event & KUTRACE_RETURN_BIT;

	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       event->name_len == 7U + back && (!back || event->name[0] == '/') &&
	       !memcmp(event->name + back, "-sched-", 7);
}

/* Returns whether the row is such a call; its name may end with a ?. */
static inline bool kp_is_old_sched_span(const struct kp_span *span)
{
	return (span->event & ~(int64_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       span->name_len >= 7 && !memcmp(span->name, "-sched-", 7);
}

/* Returns whether the event is the call or return of the scheduler by its number of today. */
static inline bool kp_is_sched(const struct kp_event *event)
{
	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KUTRACE_CALL_SCHED;
}

#endif
