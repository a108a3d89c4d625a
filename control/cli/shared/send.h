/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotation of a stream's traces, and the queue of traces that are sent to a receiver. */
#ifndef KU_CLI_SHARED_SEND_H
#define KU_CLI_SHARED_SEND_H

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

#define CMD_QUEUE_BLOCKS	512

struct cmd_send_queue {
	struct cmd_receiver receiver;
	struct cmd_rotation rotation;
	struct cmd_sender *current;	/* the present trace; NULL: none yet */
	struct cmd_sender *previous;	/* the previous trace, until it has arrived; or NULL */
	uint64_t current_bytes;		/* bytes of the complete blocks of now */
	int64_t current_begun_ms;	/* start of now, by cmd_now_ms() */
	/* blocks that are not acknowledged, each with its trace */
	struct cmd_unacked {
		const struct cmd_sender *in;
		uint64_t number, end;
	} unacked[CMD_QUEUE_BLOCKS];
	size_t nunacked;
	uint64_t unlisted;		/* more such blocks, for which there was no room */
};

/* The functions output() and sent() of struct kutrace_stream_options. */
int cmd_queue_output(struct cmd_send_queue *c, uint64_t bytes, int *fd);
void cmd_queue_sent(struct cmd_send_queue *c, uint64_t number, uint64_t bytes);
/*
 * Waits until everything has arrived; after an interrupt, at most for the route's patience. Puts
 * blocks that have not arrived into @state. Returns CMD_OK, or CMD_FAILED after a message.
 */
int cmd_queue_end(struct cmd_send_queue *c, struct kutrace_stream_state *state);

/* --- the protocol ------------------------------------------------------------------ */

/*
 * The protocol between `stream --through` and `receive`, over any connection in both directions:
 * ssh, socat, stunnel, a socket.
 *
 *	sender						receiver
 *	kutrace-stream 1 NAME KEPT\n			kept KEPT\n
 *	BYTES\n, and BYTES bytes of the trace		kept N\n	N bytes are on the disk
 *	...
 *	end TOTAL\n					whole TOTAL\n	the file has its name
 *
 * KEPT is the offset that the sender has seen acknowledged. A new connection continues there,
 * because the sender still has all later bytes. So every sender writes the same byte at the same
 * offset. If the receiver does not yet know that a connection is dead, two receivers may write
 * the same trace without harm.
 *
 * "gone N": the receiver has only N of the KEPT bytes. Any other line is an error text. TOTAL may
 * be less than the number of sent bytes: the receiver then drops the bytes after it.
 */
#define CMD_PROTOCOL_HELLO		"kutrace-stream 1 "
#define CMD_PROTOCOL_LINE		400	/* maximum bytes of a line */
/* maximum length of a trace's name: letters, digits, . _ - */
#define CMD_PROTOCOL_NAME		160
#define CMD_PROTOCOL_FRAME	65536	/* maximum bytes of the trace after one line */

#endif
