/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data of the original's pages that are not of CPUs: RPCs of client and server (show_rpc),
 * the blocks that a disk read or wrote (show_disk), and profiles that its spantoprof made.
 * It is JSON like that of spans, with other rows. No filter of spans can look into it, but
 * it passes through them row by row, as it does through the original's:
 *
 *   "events" : [ [ 27.325849, 27.326151, 27.326200, 27.326363, "client", "server", 0.0, 0.0,
 *	696771657, 0, "RespRcv ", "ping", "Success ", 0, "......"], [999.0, ...] ]}
 *   "points" : [ [0.000213, 0], [0.000218, 1], [999.000000, 0] ]}
 *   "events" : [ [0.00000000, 0.00178700, 65536, -1, -1, 2087, 0, 0, 4, "getpid"], [999.0, ...] ]}
 */
#ifndef KP_FOREIGN_H
#define KP_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum kp_foreign_kind { KP_FOREIGN_NONE, KP_FOREIGN_RPC, KP_FOREIGN_DISK, KP_FOREIGN_PROFILE };

/*
 * What in, of which nothing has been read, has rows of; NONE: of spans, or it is broken.
 * Returns a stream that gives all of in, which may be in itself; NULL without memory.
 */
FILE *kp_foreign_look(FILE *in, enum kp_foreign_kind *kind);

/* "RPCs", "disk blocks", "a profile" */
const char *kp_foreign_what(enum kp_foreign_kind kind);

/* A row as it stands in the text, and when it begins and ends, 10 ns units. */
struct kp_foreign_row {
	const char *text;
	size_t len;
	int64_t first, last;
};

/* True if some of the row's time is in [start .. stop], 10 ns units. */
static inline bool kp_foreign_overlaps(const struct kp_foreign_row *row, int64_t start, int64_t stop)
{
	return row->last >= start && row->first <= stop;
}

struct kp_foreign {
	enum kp_foreign_kind kind;
	/* Is the row to be kept? NULL: all are. The trailer always is. */
	bool (*keep)(void *self, const struct kp_foreign_row *row);
	void *self;
	uint64_t rows, kept;	/* for the caller, without the trailer */
	/* where they begin, and the bracket behind them, in an output that knows its place */
	long rows_at, rows_end;
};

/*
 * Copies in, called shown in messages, to out: one row a line, all else as it stands.
 * An exit status; what is wrong with in is told on standard error.
 */
int kp_foreign_copy(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out);

#endif
