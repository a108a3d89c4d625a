/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides when a stream begins another trace. */
#ifndef KU_CLI_SHARED_ROTATION_H
#define KU_CLI_SHARED_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

/* Limits of a trace; zero: no limit. */
struct cmd_rotation {
	uint64_t bytes;
	uint32_t seconds;
};

/* Parses "64" (megabytes), "30s", "5m" or "1h". Returns false for anything else. */
bool cmd_parse_rotation(struct cmd_rotation *r, const char *text);
bool cmd_rotates(const struct cmd_rotation *r);
/* Returns whether a trace of @bytes that began at @begun_ms (cmd_now_ms()) has reached a limit. */
bool cmd_rotation_due(const struct cmd_rotation *r, uint64_t bytes, int64_t begun_ms);

#endif
