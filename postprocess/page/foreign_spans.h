/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RPCs and disk blocks (page/foreign.h) as spans, so that our page can show them. It must
 * never invent a time: what a row does not say is left out, and counted.
 *
 * An RPC is a process: its number is the place of its row; it waits for the network while its
 * request (t1 to t2) and its response (t3 to t4) are under way, and runs while the server
 * works (t2 to t3), on a lane that no other has at that time. One whose times
 * are not all there has a mark. Blocks of a disk that follow each other are one transfer, with a mark for each.
 *
 * The header gets a key "foreign" : {"rows": "RPCs", "lanes": 2, "left_out": 0}, for a disk
 * also "block_bytes". Called by makeself.
 */
#ifndef KP_FOREIGN_SPANS_H
#define KP_FOREIGN_SPANS_H

#include "page/foreign.h"

/* Reads in and writes span JSON to out. An exit status; what is wrong is told on stderr. */
int kp_foreign_spans(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out);

#endif
