/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts a page back to its spans: the counterpart of page/page.h. Must hold only the names and a
 * list of the data elements, not the spans. Must not call end() for an incomplete page.
 */
#ifndef KP_UNPAGE_H
#define KP_UNPAGE_H

#include <stdint.h>
#include <stdio.h>

#include "model/span.h"
#include "page/foreign.h"
#include "spanjson/reader.h"

struct kp_unpage {
	/* for the caller, valid during and after kp_unpage_read() */
	char message[600];	/* one line, without the tool's name */
	bool original;		/* a page of the original's: reader has its details */
	FILE *foreign_out;	/* output for rows that are not spans; NULL: such rows are an
				 * error */
	int foreign_status;	/* exit status of copying them */
	struct kp_foreign foreign;
	struct kp_json_reader reader;
	int start_width;	/* of the start field in the source JSON */
	uint64_t rows;
	uint64_t out_of_order_rows;	/* rows that start before the previous row */
};

/*
 * Reads the page @in from its current position, and passes its header and rows to @sink. Copies
 * input that cannot be read twice to a temporary file.
 *
 * The caller sets foreign_out. If rows were copied there, foreign.kind has their kind, and @sink
 * got nothing.
 *
 * A page of ours preserves the order of rows in each track, but not the order between tracks. Rows
 * are passed in the order of LC_ALL=C sort, which all filters expect.
 */
enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink);

#endif
