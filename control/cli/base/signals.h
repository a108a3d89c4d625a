/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that cancel what is being written, see signals.c.
 */
#ifndef KU_CLI_BASE_SIGNALS_H
#define KU_CLI_BASE_SIGNALS_H

#include <stdbool.h>

/*
 * SIGINT, SIGTERM, SIGHUP cancel a dump instead of leaving part of a file. Who catches them while
 * they are caught is told of those that came before, too, and releases them as often.
 */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);

#endif
