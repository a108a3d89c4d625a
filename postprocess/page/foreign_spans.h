/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts RPCs and disk blocks (page/foreign.h) to spans for our page. Must not invent a time.
 *
 * Each RPC becomes a process. Its pid is the number of its row. The process waits for the network
 * during the request (t1 to t2) and the response (t3 to t4). It runs from t2 to t3 on a lane that
 * no other RPC uses at that time. An interval is omitted if one of its times is missing or if it
 * ends before it begins; left_out counts the second case. An RPC without t2 to t3 or without t4
 * gets a mark.
 *
 * Consecutive blocks of a disk become one transfer, with a mark for each block. left_out also
 * counts the blocks that are omitted because their number or their time is impossible.
 *
 * The header gets a key "foreign" : {"rows": "RPCs", "lanes": 2, "left_out": 0}, and for a disk
 * also "block_bytes".
 */
#ifndef KP_FOREIGN_SPANS_H
#define KP_FOREIGN_SPANS_H

#include "page/foreign.h"

/*
 * Reads @in and writes span JSON to @out. Returns an exit status. Reports errors on standard error.
 */
int kp_foreign_spans(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out);

#endif
