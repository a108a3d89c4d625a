/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of traces with a size limit. */
#ifndef KU_CLI_SHARED_FOLDER_H
#define KU_CLI_SHARED_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmd_folder {
	const char *path;
	/* name of the session; its traces are NAME-DATE-TIME.NUMBER.trace */
	const char *name;
	uint64_t keep_bytes;	/* limit for all these traces together */
};

/* Checks that the folder can be written to. Returns CMD_OK, or CMD_FAILED after a message. */
int cmd_folder_check(const char *what, const struct cmd_folder *folder);
/* Returns the highest number of the traces written since that time; 0: none. */
uint32_t cmd_folder_last(const struct cmd_folder *folder, int64_t since_ns);
/*
 * Makes room for a trace of up to @bytes: removes the oldest traces, with a message for each,
 * until the limit holds with these bytes. Returns 0, or -ENOSPC if the disk has no room.
 */
int cmd_folder_make_room(const char *what, const struct cmd_folder *folder, uint64_t bytes);
/* Makes the name of the next trace, including the folder. */
void cmd_folder_name(const struct cmd_folder *folder, uint32_t number, char *name, size_t size);

#endif
