/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a trace to a receiver that acknowledges the bytes on its disk. */
#ifndef KU_CLI_SHARED_CARRY_H
#define KU_CLI_SHARED_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/shared/link.h"

struct cmd_carrier;

enum cmd_arrival { CMD_ON_ITS_WAY, CMD_ARRIVED, CMD_GIVEN_UP };

/*
 * Begins the next trace. *@fd is the descriptor for its bytes. Returns NULL if there is no memory
 * or no thread.
 */
struct cmd_carrier *cmd_carry_begin(const struct cmd_route *route, int *fd);
/* Ends the trace, which has @total bytes, and closes its descriptor. */
void cmd_carry_end(struct cmd_carrier *c, uint64_t total);
enum cmd_arrival cmd_carry_state(const struct cmd_carrier *c);
/* Returns the number of acknowledged bytes. */
uint64_t cmd_carry_kept(const struct cmd_carrier *c);
/* Stops sending in any state, and frees @c. */
void cmd_carry_free(struct cmd_carrier *c);

#endif
