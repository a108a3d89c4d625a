/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kutrace_crash tells of sessions, see report.c.
 */
#ifndef KU_CRASH_REPORT_H
#define KU_CRASH_REPORT_H

#include "common/report.h"
#include "crash/session.h"
#include "libkutrace.h"

/* A session in a list: as text, on standard output; the first line has what columns mean. */
void kc_print_columns(void);
void kc_print_session(const struct kc_session *session);
/* An object of a list or of nothing; written: NULL, or what its trace has. */
void kc_report_session(struct ku_report *r, const struct kc_session *session,
		       const struct kutrace_dump_result *written);
/* After the trace was written, on stderr: what it has, and what it has not. */
void kc_say_written(const struct kc_session *session, const struct kutrace_dump_result *written);
void kc_say_damage(const struct kc_session *session);

#endif
