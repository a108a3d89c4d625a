/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much time has passed, by the clock that nobody sets: a time-out is so long, whatever the
 * date becomes meanwhile. Included by what waits, or does something every so often.
 */
#ifndef KU_CLI_BASE_CLOCK_H
#define KU_CLI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Since some moment before the program began. */
static inline int64_t cmd_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

#endif
