/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A folder of files as an output: as a folder that gets its name when all of it is written, or
 * as one archive (tar) on a stream. Never leaves a folder that looks whole and is not. Called by
 * exporters whose format is several files.
 */
#ifndef KP_EXPORT_FOLDER_H
#define KP_EXPORT_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KP_FOLDER_NAME_MAX	32	/* characters of a file's name */

struct kp_folder_file {
	char name[KP_FOLDER_NAME_MAX];
	int fd;			/* for reading and writing */
};

struct kp_folder {
	char *path, *part;	/* NULL: an archive */
	struct kp_folder_file *files;
	size_t count, room;
	char message[512];	/* one line, after a failure */
};

/*
 * Returns the folder that -o names. Returns NULL for an archive, whose file it opens: without -o, and where -o
 * names a file *.tar, a pipe or a device.
 */
const char *kp_folder_wanted(void);

/*
 * path NULL: an archive, whose files wait in nameless temporary ones. Else a folder beside path
 * that only its owner can read. 0, or -1 with message; kp_folder_close() either way.
 */
int kp_folder_open(struct kp_folder *folder, const char *path);

/* A new file. Its descriptor, which stays the folder's; or -1 with message. */
int kp_folder_add(struct kp_folder *folder, const char *name);

/* Appends to a file of the folder. 0, or -1 with message. */
int kp_folder_write(struct kp_folder *folder, int fd, const void *data, size_t bytes);

/* Writes the archive to out; for a folder, nothing. 0, or -1: message, or out has an error. */
int kp_folder_archive(struct kp_folder *folder, FILE *out);

/* Its files are on the disk. 0, or -1 with message. */
int kp_folder_sync(struct kp_folder *folder);

/* The folder, which is on the disk, gets its name. 0, or -1 with message. For an archive, nothing. */
int kp_folder_commit(struct kp_folder *folder);

/* Removes what has not got its name. */
void kp_folder_close(struct kp_folder *folder);

#endif
