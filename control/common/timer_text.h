/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of timers that wake threads. In event text:
 *
 *   hrtimer late 52100 slack 50000 callback 200
 *
 * In the names of rows, the parts of the time from which the timer was due until the wakeup:
 *
 *   hrtimer slack 50000 interrupt 1600 before 300 wakeup 200
 *
 * All times in nanoseconds. If the interrupt is unknown, the text of a row has no "interrupt", and
 * "before" includes this part. Must not allocate.
 */
#ifndef KU_COMMON_TIMER_TEXT_H
#define KU_COMMON_TIMER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_timer.h"

#define KU_TIMER_TEXT_MAX	128	/* size of a text, with the NUL */

/* An event, see kutrace_timer.h. */
struct ku_timer {
	uint32_t kind;		/* enum kutrace_timer_kind */
	uint64_t late_ns, slack_ns, callback_ns;
};

/* The parts of the lateness of a wakeup, in the order of time. */
struct ku_timer_parts {
	uint32_t kind;		/* enum kutrace_timer_kind */
	uint64_t slack_ns;	/* delay that the program or the kernel permitted */
	int64_t interrupt_ns;	/* then until the interrupt began; -1: unknown */
	uint64_t before_ns;	/* then until the callback began */
	uint64_t wakeup_ns;	/* then until the callback woke the thread */
};

/* Reads the three words after the first word of an event. */
struct ku_timer ku_timer_decode(const uint64_t words[3]);
/* Write a text. Return its length. */
size_t ku_timer_put(const struct ku_timer *timer, char text[KU_TIMER_TEXT_MAX]);
size_t ku_timer_put_parts(const struct ku_timer_parts *parts, char text[KU_TIMER_TEXT_MAX]);
/* Read a text. Return false if the text is no such text, or a sum of its times is too large. */
bool ku_timer_parse(struct ku_timer *timer, const char *text, size_t len);
bool ku_timer_parse_parts(struct ku_timer_parts *parts, const char *text, size_t len);
/* Returns the time from which the timer was due until the wakeup. */
int64_t ku_timer_late_ns(const struct ku_timer_parts *parts);
/* Returns the name of a kind. */
const char *ku_timer_kind_label(uint32_t kind);

#endif
