/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the files of a folder (export/folder.h) into a growing collection:
 *
 *	DIR/TABLE/date=2026-11-20/host=guest/TRACE_ID.parquet
 *
 * Query engines read such collections. A trace that is added again replaces itself. A file must not
 * get its name before all files are complete.
 */
#ifndef KP_EXPORT_PARTITION_H
#define KP_EXPORT_PARTITION_H

#include "export/folder.h"

struct kp_partition {
	const char *dir;	/* is made if it does not exist; folders in it get its mode */
	int64_t start_s;	/* since 1970; gives the date in UTC */
	const char *host;	/* any bytes; "": unknown */
	const char *id;
};

/*
 * Opens a hidden folder in the collection for the files. Returns 0, or -1 and sets the folder's
 * message.
 */
int kp_partition_open(struct kp_folder *folder, const struct kp_partition *partition);

/*
 * Moves the files TABLE.parquet to their places. The first file comes last: it shows that a trace
 * is complete. Returns 0, or -1 and sets the folder's message.
 */
int kp_partition_commit(struct kp_folder *folder, const struct kp_partition *partition);

#endif
