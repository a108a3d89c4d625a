/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of a stream, and the sending of its traces to a receiver. */
#ifndef KU_CLI_SHARED_SENDING_H
#define KU_CLI_SHARED_SENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "libkutrace.h"

/* --- sockets and connections --------------------------------------------------- */

#define CMD_ADDRESS "HOST:PORT, with a port from 1 to 65535"

/*
 * Returns a socket that is connected to @where (HOST:PORT) or listens there. After an error prints
 * a message, sets *@status to the exit status, and returns -1.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);
/* Returns whether the text has the form HOST:PORT. */
bool cmd_is_address(const char *where);

/* A receiver. Exactly one of connect and through is set. */
struct cmd_receiver {
	const char *connect;	/* HOST:PORT of the receiver */
	const char *through;	/* a shell command that connects its standard input and output */
	/* number of seconds without an answer after which the connection counts as broken */
	unsigned int patience_s;
};

struct cmd_connection {
	int fd;			/* descriptor for both directions; -1: none */
	pid_t pid;		/* process id of the command; 0: none */
};

/* Opens a connection to the receiver. Returns 0 or a negative errno (-ENXIO: unknown host). */
int cmd_connection_open(struct cmd_connection *connection, const struct cmd_receiver *receiver);
/* Closes the connection. @polite: all bytes have been sent; gives a started command time to end. */
void cmd_connection_close(struct cmd_connection *connection, bool polite);

/* --- rotation and the queue of traces ------------------------------------------ */

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
	uint64_t current_bytes;		/* bytes of the complete blocks in current */
	int64_t current_begun_ms;	/* start of current, by cmd_now_ms() */
	/* blocks that are not acknowledged, each with its trace */
	struct cmd_unacked {
		const struct cmd_sender *in;
		uint64_t number, end;
	} unacked[CMD_QUEUE_BLOCKS];
	size_t nunacked;
	/* number of unacknowledged blocks for which there was no room in the list */
	uint64_t unlisted;
};

/* The functions output() and sent() of struct kutrace_stream_options. */
int cmd_queue_output(struct cmd_send_queue *c, uint64_t bytes, int *fd);
void cmd_queue_sent(struct cmd_send_queue *c, uint64_t number, uint64_t bytes);
/*
 * Waits until the receiver has everything. After an interrupt, waits at most patience_s. Puts
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
 * offset. If the receiver has not yet noticed that a connection is dead, two receivers may write
 * the same trace without harm.
 *
 * The receiver answers "gone N" if it has only N of the KEPT bytes. Any other line is an error
 * text. If TOTAL is less than the number of sent bytes, the receiver drops the bytes after it.
 */
#define CMD_PROTOCOL_HELLO		"kutrace-stream 1 "
#define CMD_PROTOCOL_LINE		400	/* maximum bytes of a line */
/* maximum length of a trace's name: letters, digits, . _ - */
#define CMD_PROTOCOL_NAME		160
#define CMD_PROTOCOL_FRAME	65536	/* maximum bytes of the trace after one line */

/* --- the output ---------------------------------------------------------------- */

struct cmd_output {
	const char *file;
	struct cmd_rotation rotation;
	unsigned int number;	/* number of the current file, when rotating */
	int fd;			/* descriptor of the current file; -1: none yet */
	/* descriptor of the previous file, until that file is complete; -1: none */
	int previous;
	int error;		/* -errno of opening, completing or ending a file */
	struct cmd_send_queue *queue;	/* traces sent to a receiver; NULL: no receiver */
	int64_t begun_ms;	/* start of the file, by cmd_now_ms() */
	uint64_t bytes;		/* bytes of the complete blocks in the file */
	/* present name and final name of the file, when rotating */
	char name[4200], final_name[4100];
	char previous_name[4200], previous_final[4100];
};

/* The functions of struct kutrace_stream_options. @arg is the output. */
int cmd_output_next(void *arg, uint64_t bytes, int *fd);
void cmd_output_complete(void *arg, const uint64_t words[2]);
void cmd_output_sent(void *arg, uint64_t number, uint64_t bytes);
/*
 * Ends the output: syncs the file and gives it its name. Returns 0 or a negative errno. Another
 * call returns the same value.
 */
int cmd_output_end(struct cmd_output *output);

/*
 * Reads the state file. A missing or empty file is an empty state. Returns -EILSEQ if the file has
 * another content.
 */
int cmd_read_state(const char *name, struct kutrace_stream_state *state);
/* Replaces the state file completely. After an error, the file is unchanged. */
int cmd_write_state(const char *name, const struct kutrace_stream_state *state);

#endif
