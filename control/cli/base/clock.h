/* SPDX-License-Identifier: BSD-3-Clause */
/* Elapsed time, by a clock that does not change when the date is set. */
#ifndef KU_CLI_BASE_CLOCK_H
#define KU_CLI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns milliseconds since some time before the program began. */
static inline int64_t cmd_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

#endif
