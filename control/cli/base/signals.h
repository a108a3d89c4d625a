/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that cancel a write. */
#ifndef KU_CLI_BASE_SIGNALS_H
#define KU_CLI_BASE_SIGNALS_H

#include <stdbool.h>

/*
 * From cmd_catch_signals() on, SIGINT, SIGTERM, SIGHUP and SIGQUIT set a flag, which
 * cmd_interrupted() returns. A dump then ends and removes its part of a file. Calls may be
 * nested: inner calls keep the flag, and each needs its release.
 */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);

#endif
