/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traces of a stream that are carried to a receiver, see carried.c.
 */
#ifndef KU_CLI_SHARED_CARRIED_H
#define KU_CLI_SHARED_CARRIED_H

#include "cli/shared/carry.h"
#include "cli/shared/rotation.h"
#include "libkutrace.h"

#define CMD_CARRIED_BLOCKS	512

struct cmd_carried {
	struct cmd_route route;
	struct cmd_rotation rotation;
	struct cmd_carrier *now;	/* what is written to, NULL: none yet */
	struct cmd_carrier *before;	/* the trace before, until it has arrived; or NULL */
	uint64_t now_bytes;		/* of it, as far as it has whole blocks */
	int64_t now_begun_ms;	/* by cmd_now_ms() */
	/* blocks that are not known to be kept, each with the trace that it is in */
	struct cmd_unkept {
		const struct cmd_carrier *in;
		uint64_t number, end;
	} unkept[CMD_CARRIED_BLOCKS];
	size_t nunkept;
	uint64_t not_noted;		/* of which there was no room for the number */
};

/* As output() and sent() of struct kutrace_stream_options. */
int cmd_carried_output(struct cmd_carried *c, uint64_t bytes, int *fd);
void cmd_carried_sent(struct cmd_carried *c, uint64_t number, uint64_t bytes);
/*
 * Waits until all has arrived, once interrupted no longer than the route's patience, and puts
 * blocks that have not into state. CMD_OK, or CMD_FAILED after a message.
 */
int cmd_carried_end(struct cmd_carried *c, struct kutrace_stream_state *state);

#endif
