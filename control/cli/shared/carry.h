/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace on its way to a receiver that says what it has kept, see carry.c.
 */
#ifndef KU_CLI_SHARED_CARRY_H
#define KU_CLI_SHARED_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/shared/link.h"

struct cmd_carrier;

enum cmd_arrival { CMD_ON_ITS_WAY, CMD_ARRIVED, CMD_GIVEN_UP };

/* The next trace; *fd is where its bytes are to be written. NULL: no memory, no thread. */
struct cmd_carrier *cmd_carry_begin(const struct cmd_route *route, int *fd);
/* The trace has that many bytes, and no more come: closes fd. */
void cmd_carry_end(struct cmd_carrier *c, uint64_t total);
enum cmd_arrival cmd_carry_state(const struct cmd_carrier *c);
/* How many bytes are safe. */
uint64_t cmd_carry_kept(const struct cmd_carrier *c);
/* Stops it, whatever its state, and frees. */
void cmd_carry_free(struct cmd_carrier *c);

#endif
