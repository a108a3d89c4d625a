/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A folder of traces that stays within a limit, see folder.c.
 */
#ifndef KU_CLI_SHARED_FOLDER_H
#define KU_CLI_SHARED_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmd_folder {
	const char *path;
	const char *name;	/* of the session: its traces are NAME-DATE-TIME.NUMBER.trace */
	uint64_t keep_bytes;	/* of these traces together */
};

/* Can be written to. CMD_OK, or CMD_FAILED after a message. */
int cmd_folder_check(const char *what, const struct cmd_folder *folder);
/* The highest number of the traces that were written after that time; 0: there is none. */
uint32_t cmd_folder_last(const struct cmd_folder *folder, int64_t since_ns);
/*
 * Room for a trace that has up to so many bytes: removes the oldest ones, which is said, until
 * these bytes are within the limit, too. 0, or -ENOSPC: the disk has no room for it.
 */
int cmd_folder_make_room(const char *what, const struct cmd_folder *folder, uint64_t bytes);
/* The name of the next trace, with its folder. */
void cmd_folder_name(const struct cmd_folder *folder, uint32_t number, char *name, size_t size);

#endif
