/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of a session of a dump, see trace.c.
 */
#ifndef KU_CRASH_TRACE_H
#define KU_CRASH_TRACE_H

#include "crash/session.h"
#include "libkutrace.h"

/*
 * Writes the trace of a loaded session to the file of that name, which is there when it is whole;
 * NULL: to standard output. 0 or a negative errno. progress, as of a dump, may be NULL.
 */
int kc_trace_write(struct kc_session *session, const char *path,
		   int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes),
		   struct kutrace_dump_result *result);

#endif
