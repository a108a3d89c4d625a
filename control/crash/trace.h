/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace of a session in a dump. */
#ifndef KU_CRASH_TRACE_H
#define KU_CRASH_TRACE_H

#include "crash/session.h"
#include "libkutrace.h"

/*
 * Writes the trace of a loaded session to the file @path, which gets its name when it is
 * complete; NULL: to standard output. Returns 0 or a negative errno. @progress, as for a dump,
 * may be NULL.
 */
int kc_trace_write(struct kc_session *session, const char *path,
		   int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes),
		   struct kutrace_dump_result *result);

#endif
