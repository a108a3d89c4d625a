/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of kutrace_crash on stderr. */
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

/* Prints "kutrace_crash: message" as a line. */
void kc_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a message and a hint at --help, and exits. */
_Noreturn void kc_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Progress. It appears only on a terminal, and from the third second on. @done and @total have
 * the same unit.
 */
void kc_progress_is(const char *what);
void kc_progress(uint64_t done, uint64_t total);
void kc_progress_end(void);
/* Copies a text of the dump in printable form, cut at @size. Returns @str. */
const char *kc_shown(const char *text, char *str, size_t size);

#endif
