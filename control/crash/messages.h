/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of kutrace_crash on stderr, and reports on the sessions of a dump. */
#ifndef KU_CRASH_MESSAGES_H
#define KU_CRASH_MESSAGES_H

#include "common/report.h"
#include "crash/session.h"

#define KC_TOOL "kutrace_crash"

enum kc_exit {
	KC_OK = 0,
	KC_FAILED = 1,
	KC_USAGE = 2,
	KC_INTERRUPTED = 3,
};

/* Prints "kutrace_crash: message" as a line. */
void kc_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a message and a hint at --help, and exits. */
_Noreturn void kc_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Progress. It appears only on a terminal, and from the third second on. @done and @total have
 * the same unit.
 */
void kc_progress_begin(const char *what);
void kc_progress(uint64_t done, uint64_t total);
void kc_progress_end(void);

/* Print the column titles, and a session as a line of the list, on standard output. */
void kc_print_columns(void);
void kc_print_session(const struct kc_session *session);
/* Adds a session as an object. @written: result of writing its trace, or NULL. */
void kc_report_session(struct ku_report *r, const struct kc_session *session,
		       const struct kutrace_dump_result *written);
/* Report on stderr the properties of the written trace, and its damage. */
void kc_print_written(const struct kc_session *session, const struct kutrace_dump_result *written);
void kc_print_damage(const struct kc_session *session);

#endif
