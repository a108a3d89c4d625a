/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a stream begins another trace, see output.c. Included by what begins them.
 */
#ifndef KU_CLI_SHARED_ROTATION_H
#define KU_CLI_SHARED_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

/* Zero: never. */
struct cmd_rotation {
	uint64_t bytes;
	uint32_t seconds;
};

/* "64" (megabytes), "30s", "5m", "1h"; false: none of these. */
bool cmd_parse_rotation(struct cmd_rotation *r, const char *text);
bool cmd_rotates(const struct cmd_rotation *r);
/* A trace of that many bytes, begun at that time of cmd_now_ms(), is long enough. */
bool cmd_rotation_due(const struct cmd_rotation *r, uint64_t bytes, int64_t begun_ms);

#endif
