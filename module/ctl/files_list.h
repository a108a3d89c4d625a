/* SPDX-License-Identifier: GPL-2.0-only */
/* What /dev/kutrace/tracepoints says and does. Called by files.c. Process context, may sleep. */
#ifndef KU_FILES_LIST_H
#define KU_FILES_LIST_H

#include <linux/types.h>

struct ku_session;

/* The text; the caller frees it with vfree(). NULL: no memory. */
char *ku_files_list(struct ku_session *session, size_t *len);
/* Switches kinds and typed tracepoints whose name matches; 0, -ENOENT or as set_kinds. */
int ku_files_switch(struct ku_session *session, const char *pattern, bool on);

#endif
