/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of a stream, and the file with its progress. */
#ifndef KU_CLI_SHARED_OUTPUT_H
#define KU_CLI_SHARED_OUTPUT_H

#include "cli/shared/send.h"

struct cmd_output {
	const char *file;
	struct cmd_rotation rotation;
	unsigned int number;	/* number of the file, when rotating */
	int fd;			/* -1: none yet */
	int previous;		/* the previous file, until it is complete; or -1 */
	int error;		/* -errno of opening, completing or ending a file */
	struct cmd_send_queue *queue;	/* traces sent to a receiver; NULL: no receiver */
	int64_t begun_ms;	/* start of the file, by cmd_now_ms() */
	uint64_t bytes;		/* bytes of the complete blocks in the file */
	/* when rotating: the present name, and the final one */
	char name[4200], final_name[4100];
	char previous_name[4200], previous_final[4100];
};

/* The functions of struct kutrace_stream_options. @arg is the output. */
int cmd_output_next(void *arg, uint64_t bytes, int *fd);
void cmd_output_complete(void *arg, const uint64_t words[2]);
void cmd_output_sent(void *arg, uint64_t number, uint64_t bytes);
/*
 * Ends the output: syncs the file and gives it its name. Returns 0 or a negative errno. Further
 * calls return the same.
 */
int cmd_output_end(struct cmd_output *output);

/*
 * Reads the state. A missing or empty file is an empty state. Returns -EILSEQ if the file is
 * something else.
 */
int cmd_read_state(const char *name, struct kutrace_stream_state *state);
/* Replaces the file completely, or leaves it as it was. */
int cmd_write_state(const char *name, const struct kutrace_stream_state *state);

#endif
