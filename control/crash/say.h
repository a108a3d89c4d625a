/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kutrace_crash says on stderr, see say.c.
 */
#ifndef KU_CRASH_SAY_H
#define KU_CRASH_SAY_H

#include <stddef.h>
#include <stdint.h>

#define KC_TOOL "kutrace_crash"

enum kc_exit {
	KC_OK = 0,
	KC_FAILED = 1,
	KC_USAGE = 2,
	KC_INTERRUPTED = 3,
};

/* "kutrace_crash: message", a line. */
void kc_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, the line on --help, and the end. */
_Noreturn void kc_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Progress, only where stderr is a terminal, and only from the third second on. done and total in
 * the same unit.
 */
void kc_progress_is(const char *what);
void kc_progress(uint64_t done, uint64_t total);
void kc_progress_end(void);
/* Text out of a dump, so that it can be printed; cut at size. Returns str. */
const char *kc_shown(const char *text, char *str, size_t size);

#endif
