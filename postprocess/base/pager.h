/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a pager that shows standard output: $KUTRACE_PAGER, $PAGER, or "less -FRX". The process
 * must not end before the pager, because the shell and the pager would then both read from the
 * terminal.
 */
#ifndef KP_BASE_PAGER_H
#define KP_BASE_PAGER_H

#include <stdbool.h>

/*
 * Starts the pager and connects standard output to it. Returns false, and changes nothing, if there
 * is no such program, or if the pager is empty or "cat".
 */
bool kp_pager_start(void);

/* Returns whether a pager runs. Can be called by a signal handler. */
bool kp_pager_runs(void);

/* Waits until the pager has ended, if one was started. Standard output must be closed. */
void kp_pager_wait(void);

#endif
