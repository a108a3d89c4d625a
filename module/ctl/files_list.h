/* SPDX-License-Identifier: GPL-2.0-only */
/* Content and commands of /dev/kutrace/tracepoints. Process context, may sleep. */
#ifndef KU_FILES_LIST_H
#define KU_FILES_LIST_H

#include <linux/types.h>

struct ku_session;

/* Returns the content, which the caller frees with vfree(), or NULL: out of memory, or killed. */
char *ku_files_list(struct ku_session *session, size_t *len);
/*
 * Switches the kinds and the typed tracepoints whose names match @pattern. Returns 0, -ENOENT, or
 * an error of ku_session_set_kinds().
 */
int ku_files_switch(struct ku_session *session, const char *pattern, bool on);

#endif
