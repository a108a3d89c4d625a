/* SPDX-License-Identifier: BSD-3-Clause */
/* The traces of a stream that are sent to a receiver. */
#ifndef KU_CLI_SHARED_CARRIED_H
#define KU_CLI_SHARED_CARRIED_H

#include "cli/shared/carry.h"
#include "cli/shared/rotation.h"
#include "libkutrace.h"

#define CMD_CARRIED_BLOCKS	512

struct cmd_carried {
	struct cmd_route route;
	struct cmd_rotation rotation;
	struct cmd_carrier *now;	/* the present trace; NULL: none yet */
	struct cmd_carrier *before;	/* the previous trace, until it has arrived; or NULL */
	uint64_t now_bytes;		/* bytes of the complete blocks of now */
	int64_t now_begun_ms;	/* start of now, by cmd_now_ms() */
	/* blocks that are not acknowledged, each with its trace */
	struct cmd_unkept {
		const struct cmd_carrier *in;
		uint64_t number, end;
	} unkept[CMD_CARRIED_BLOCKS];
	size_t nunkept;
	uint64_t not_noted;		/* more such blocks, for which there was no room */
};

/* The functions output() and sent() of struct kutrace_stream_options. */
int cmd_carried_output(struct cmd_carried *c, uint64_t bytes, int *fd);
void cmd_carried_sent(struct cmd_carried *c, uint64_t number, uint64_t bytes);
/*
 * Waits until everything has arrived; after an interrupt, at most for the route's patience. Puts
 * blocks that have not arrived into @state. Returns CMD_OK, or CMD_FAILED after a message.
 */
int cmd_carried_end(struct cmd_carried *c, struct kutrace_stream_state *state);

#endif
