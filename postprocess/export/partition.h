/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a folder (export/folder.h) as one part of a collection that grows:
 *
 *	DIR/TABLE/date=2026-11-20/host=guest/TRACE_ID.parquet
 *
 * as engines for many files read it. The same trace twice is there once. Nothing of a trace that did
 * not become whole gets a name there. Called by rawtoparquet.
 */
#ifndef KP_EXPORT_PARTITION_H
#define KP_EXPORT_PARTITION_H

#include "export/folder.h"

struct kp_partition {
	const char *dir;	/* made if it is not there; what is made inside has its mode */
	int64_t start_s;	/* since 1970: the date, UTC */
	const char *host;	/* any bytes; "": unknown */
	const char *id;
};

/* The folder to fill, with no name to be found by. 0, or -1 with the folder's message. */
int kp_partition_open(struct kp_folder *folder, const struct kp_partition *partition);

/*
 * Its files, called TABLE.parquet, get their places, in their order but the first, which comes
 * last: by that one it is seen that a trace is there. 0, or -1 with the folder's message.
 */
int kp_partition_commit(struct kp_folder *folder, const struct kp_partition *partition);

#endif
