/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the blocks of a stream go, see output.c.
 */
#ifndef KU_CLI_SHARED_OUTPUT_H
#define KU_CLI_SHARED_OUTPUT_H

#include <stdint.h>

#include "cli/shared/carried.h"
#include "cli/shared/rotation.h"

struct cmd_output {
	const char *file;
	struct cmd_rotation rotation;
	unsigned int number;	/* of the file, when rotating */
	int fd;			/* -1: none yet */
	int previous;		/* the file before, until it is complete; or -1 */
	int error;		/* of opening, completing or ending it, -errno */
	struct cmd_carried *carried;	/* to a receiver; NULL: not */
	int64_t begun_ms;	/* by cmd_now_ms() */
	uint64_t bytes;		/* of it, as far as it has whole blocks */
	/* when rotating: the name that it has, and the one that it gets when it is whole */
	char name[4200], whole[4100];
	char previous_name[4200], previous_whole[4100];
};

/* The functions of struct kutrace_stream_options; arg is the output. */
int cmd_output_next(void *arg, uint64_t bytes, int *fd);
void cmd_output_complete(void *arg, const uint64_t words[2]);
void cmd_output_sent(void *arg, uint64_t number, uint64_t bytes);
/* No more comes: a file is on the disk, and gets its name. 0 or a negative errno; so again. */
int cmd_output_end(struct cmd_output *output);

#endif
