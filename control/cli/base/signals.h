/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that cancel a write, and the clock for waiting: it does not change with the date. */
#ifndef KU_CLI_BASE_SIGNALS_H
#define KU_CLI_BASE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Returns milliseconds since some time before the program began. */
static inline int64_t cmd_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * From cmd_catch_signals() on, SIGINT, SIGTERM, SIGHUP and SIGQUIT set a flag, which
 * cmd_interrupted() returns. A dump then ends and removes its part of a file. Calls may be
 * nested: inner calls keep the flag, and each needs its release.
 */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);
/* Waits for that time. Returns false if such a signal has come meanwhile. */
bool cmd_pause(uint32_t seconds);

#endif
