/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of the original's pages that are not spans of CPUs: RPCs of client and server (show_rpc),
 * blocks that a disk read or wrote (show_disk), and profiles of the original's spantoprof.
 *
 * The filters copy such rows and interpret only their times. The JSON differs from span JSON only
 * in its rows:
 *
 *   "events" : [ [ 27.325849, 27.326151, 27.326200, 27.326363, "client", "server", 0.0, 0.0,
 *	696771657, 0, "RespRcv ", "ping", "Success ", 0, "......"], [999.0, ...] ]}
 *   "points" : [ [0.000213, 0], [0.000218, 1], [999.000000, 0] ]}
 *   "events" : [ [0.00000000, 0.00178700, 65536, -1, -1, 2087, 0, 0, 4, "getpid"], [999.0, ...] ]}
 */
#ifndef KP_PAGE_FOREIGN_H
#define KP_PAGE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum kp_foreign_kind { KP_FOREIGN_NONE, KP_FOREIGN_RPC, KP_FOREIGN_DISK, KP_FOREIGN_PROFILE };

/*
 * Determines the kind of the rows in @in, from which nothing was read yet. *@kind is
 * KP_FOREIGN_NONE for spans and for unreadable input. Returns a stream with all content of @in,
 * possibly @in itself, or NULL without memory.
 */
FILE *kp_foreign_detect(FILE *in, enum kp_foreign_kind *kind);

/* Returns "RPCs", "disk blocks" or "a profile". */
const char *kp_foreign_what(enum kp_foreign_kind kind);

/* A row's text, and its first and last time in units of 10 ns. */
struct kp_foreign_row {
	const char *text;
	size_t len;
	int64_t first, last;
};

/* Returns whether the row overlaps [@start, @stop], in units of 10 ns. */
static inline bool kp_foreign_overlaps(const struct kp_foreign_row *row, int64_t start, int64_t stop)
{
	return row->last >= start && row->first <= stop;
}

struct kp_foreign {
	enum kp_foreign_kind kind;
	/* Returns whether to copy the row. NULL: copy all rows. The trailer is always copied. */
	bool (*keep)(void *self, const struct kp_foreign_row *row);
	void *self;
	/* numbers of rows that were read and copied, without the trailer */
	uint64_t rows, copied;
	/* output offsets of the rows and of the bracket after them; need an output with ftell() */
	long rows_at, rows_end;
};

/*
 * Copies @in to @out with one row per line; does not change other text. Reports errors on standard
 * error, and calls the input @shown in them. Returns an exit status.
 */
int kp_foreign_copy(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out);

/*
 * Converts RPCs or disk blocks to spans for our page: reads @in and writes span JSON to @out. Must
 * not invent times. Reports errors on standard error. Returns an exit status.
 *
 * Each RPC becomes a process, whose pid is the number of its row. The process waits for the network
 * during the request (t1 to t2) and the response (t3 to t4). It runs from t2 to t3 on a lane that
 * no other RPC uses at that time. An interval is omitted if one of its times is missing, or if it
 * ends before it begins; left_out counts only intervals that end before they begin. An RPC without
 * t2 to t3 or without t4 gets a mark.
 *
 * Consecutive blocks of a disk become one transfer, with a mark for each block. A block is omitted
 * if its number is negative, or its time is before the previous block; left_out counts these
 * blocks.
 *
 * The header gets a key "foreign" : {"rows": "RPCs", "lanes": 2, "left_out": 0}, and for a disk
 * also "block_bytes".
 */
int kp_foreign_spans(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out);

#endif
