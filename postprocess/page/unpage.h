/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page back to the spans it was made of: the counterpart of page/page.h, called
 * by unmakeself. It must never hold the spans of a page (only its names and a
 * list of its data elements), and never call end() for a page that is not whole.
 * Called by unmakeself.
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
	bool original;		/* a page of the original's: reader says more */
	FILE *foreign_out;	/* where rows that are no spans go; NULL: nowhere, an error */
	int foreign_status;	/* exit status of that */
	struct kp_foreign foreign;
	struct kp_json_reader reader;
	int start_width;	/* of the start field in the JSON that the page was made of */
	uint64_t rows;
	uint64_t out_of_order_rows;	/* their place among other tracks' rows is lost */
};

/*
 * foreign_out is set by the caller; if rows went there, foreign.kind says of what, and
 * the sink got nothing. Feeds sink the header and the rows of the page in (read from where it stands;
 * what cannot be read twice is copied to a temporary file). A page of ours keeps
 * each track's rows in their order, but not how the tracks interleave: rows come
 * in the order of LC_ALL=C sort, as every filter wants them.
 */
enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink);

#endif
