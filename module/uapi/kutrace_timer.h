/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* The four words of the event KUTRACE_TIMER. */
#ifndef KUTRACE_TIMER_H
#define KUTRACE_TIMER_H

/*
 * The callback of a timer wakes a thread. The wakeup is the CPU's next event of this thread. The
 * argument in the first word is the pid of the thread. The next words are:
 *
 *   63                                              0
 *   +-----------------------------------------------+
 *   | late                                          |
 *   +-----------------------------------------------+
 *
 *   63                                              0
 *   +-----------------------------------------------+
 *   | slack                                         |
 *   +-----------------------------------------------+
 *
 *   63                    32 31                     0
 *   +-----------------------+-----------------------+
 *   | kind                  | callback              |
 *   +-----------------------+-----------------------+
 *
 * Late: time from the earliest expiry of the timer to this event, in nanoseconds; 0 if the clock
 * was set back meanwhile.
 * Slack: time from the earliest to the latest expiry, in nanoseconds. Between the two, the kernel
 * waits for an interrupt that occurs anyway.
 * Kind: enum kutrace_timer_kind. In WHEEL, late and slack are multiples of the kernel's tick,
 * except for the part of late that is in the callback.
 * Callback: time from the beginning of the callback to this event, in nanoseconds; 0xFFFFFFFF:
 * this time or more.
 */
#define KUTRACE_TIMER_WORDS		4
#define KUTRACE_TIMER_KIND_SHIFT	32
#define KUTRACE_TIMER_CALLBACK_MAX	0xFFFFFFFFU

enum kutrace_timer_kind {
	KUTRACE_TIMER_HRTIMER,	/* by a clock */
	KUTRACE_TIMER_WHEEL,	/* by the kernel's tick */
	KUTRACE_TIMER_KINDS
};

/* Names of the kinds in traces and programs, by number. */
#define KUTRACE_TIMER_KIND_LABELS	{ "hrtimer", "wheel" }

#endif
