/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports on the sessions of a dump. */
#ifndef KU_CRASH_REPORT_H
#define KU_CRASH_REPORT_H

#include "common/report.h"
#include "crash/session.h"
#include "libkutrace.h"

/* Print the column titles, and a session as a line of the list, on standard output. */
void kc_print_columns(void);
void kc_print_session(const struct kc_session *session);
/* Adds a session as an object. @written: result of writing its trace, or NULL. */
void kc_report_session(struct ku_report *r, const struct kc_session *session,
		       const struct kutrace_dump_result *written);
/* Report on stderr the properties of the written trace, and its damage. */
void kc_say_written(const struct kc_session *session, const struct kutrace_dump_result *written);
void kc_say_damage(const struct kc_session *session);

#endif
