/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several files as one output: a folder, which gets its name when all files are written, or one
 * archive (tar) on a stream. Must not leave an incomplete folder under the final name.
 */
#ifndef KP_EXPORT_FOLDER_H
#define KP_EXPORT_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KP_FOLDER_NAME_MAX	32	/* size of a file's name */

struct kp_folder_file {
	char name[KP_FOLDER_NAME_MAX];
	int fd;			/* descriptor for reading and writing */
};

struct kp_partition {
	/*
	 * folder of the collection, which is made if it is missing; new folders get its permissions
	 */
	const char *dir;
	/* start of the trace in seconds since 1970, for date=... in UTC */
	int64_t start_s;
	const char *host;	/* host name, any bytes; "": unknown */
	const char *id;
};

struct kp_folder {
	/* set by kp_partition_open(); dir is NULL if the folder is no collection */
	struct kp_partition partition;
	char *path, *part;	/* final and temporary path of the folder; NULL: an archive */
	struct kp_folder_file *files;
	size_t count, room;
	char message[512];	/* one line after a failure */
};

/*
 * Returns the folder that -o names. If the output is an archive, opens the output and returns NULL.
 * The output is an archive without -o, or if -o names a file *.tar, a pipe, a device or the file
 * that is standard output.
 */
const char *kp_folder_chosen(void);

/*
 * Opens a temporary folder beside @path. The umask sets its mode. If @path is NULL, opens an
 * archive, whose files are temporary files without a name. Returns 0, or -1 and sets the message;
 * call kp_folder_close() in both cases.
 */
int kp_folder_open(struct kp_folder *folder, const char *path);

/* Adds a file. Returns its descriptor, which the folder closes, or -1 and sets the message. */
int kp_folder_add(struct kp_folder *folder, const char *name);

/* Appends to a file of the folder. Returns 0, or -1 and sets the message. */
int kp_folder_write(struct kp_folder *folder, int fd, const void *data, size_t bytes);

/*
 * Writes an archive to @out; does nothing for a folder. Returns 0, or -1: the message is set, or
 * @out has an error.
 */
int kp_folder_archive(struct kp_folder *folder, FILE *out);

/*
 * Syncs the files and gives the folder its final name. For a collection, moves the files
 * TABLE.parquet into it. Does nothing for an archive. Returns 0, or -1 and sets the message.
 */
int kp_folder_commit(struct kp_folder *folder);

/*
 * Commits the folder, unless kp_finish() will report that the output is incomplete. Returns
 * @status, or KP_BAD after reporting a failure.
 */
int kp_folder_end(struct kp_folder *folder, int status);

/* Frees the folder, and removes its files if it was not committed. */
void kp_folder_close(struct kp_folder *folder);

/*
 * ---- partitions ----
 *
 * Puts the files of a folder into a growing collection:
 *
 *	DIR/TABLE/date=2026-11-20/host=guest/TRACE_ID.parquet
 *
 * Query engines read such collections. If a trace is added again, its new files replace its old
 * ones. No file gets its final name before all files are complete.
 */

/* Opens a hidden folder in the collection. Returns 0, or -1 and sets the message. */
int kp_partition_open(struct kp_folder *folder, const struct kp_partition *partition);

#endif
