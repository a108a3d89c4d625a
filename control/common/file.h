/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a file that gets its name only when it is complete. Until then it is a hidden part,
 * ".NAME.PID-N.part" in the same folder, and an existing file NAME stays as it is.
 *
 * Functions return 0 or a negative errno.
 */
#ifndef KU_COMMON_FILE_H
#define KU_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct ku_part {
	int fd;			/* descriptor for writing; -1 after the caller has closed it */
	char *target;		/* final name; NULL: there is no part */
	char *name;		/* name of the part; NULL: no part, or renamed already */
};

/*
 * Creates a part for @target, without following a symbolic link. The umask applies to @mode. Use
 * 0600 for a raw trace, which shows what all users did, and before ku_part_keep_mode().
 */
int ku_part_open(struct ku_part *part, const char *target, mode_t mode);
/*
 * Gives the new file the mode and, if permitted, the owner of the file that it replaces. If the
 * group cannot be set, the group's permissions are removed from the mode.
 */
int ku_part_keep_mode(int fd, const struct stat *before);
/* Gives the complete, closed part its final name. After an error the part still exists. */
int ku_part_rename(struct ku_part *part);
/* Closes the part, removes it if it has not been renamed, and frees the struct's memory. */
void ku_part_abandon(struct ku_part *part);

/*
 * The output file of a program: a part that gets its final name when everything is written. A device
 * or pipe is written directly, without a part. Symbolic links are followed. ku_part_abandon()
 * discards the output.
 *
 * Opens the output. The umask sets the mode of a new file. A replaced file keeps its mode, and its
 * owner where permitted. Returns 0 or -errno.
 */
int ku_output_open(struct ku_part *output, const char *path);
/*
 * Returns the name of the file that open() would create for @path, after following dangling links.
 * The caller frees it. Returns NULL with errno set after an error.
 */
char *ku_output_target(const char *path);
/*
 * Gives the part file its final name. The file must be complete and closed. Returns 0 or -errno.
 * After an error the part is removed and the previous file remains, unless only the sync of the
 * folder failed.
 */
int ku_output_commit(struct ku_part *output);

/* Reads the first line, without its newline. Returns false if no line could be read. */
bool ku_read_line(const char *name, char *line, size_t size);
/* Calls fsync(). Returns 0 also if the file system does not support it. */
int ku_sync_file(int fd);
/*
 * Syncs the folder of @target. Without this, a crash can lose the new name. Returns 0 also if the
 * folder cannot be opened for lack of read permission.
 */
int ku_sync_folder(const char *target);

#endif
