/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotation of a stream's traces, and the queue of traces that are sent to a receiver. */
#ifndef KU_CLI_SHARED_SEND_H
#define KU_CLI_SHARED_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/shared/transport.h"
#include "libkutrace.h"

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
