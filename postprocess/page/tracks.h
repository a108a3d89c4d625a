/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the rows of a page's tracks into one order.
 */
#ifndef KP_PAGE_TRACKS_H
#define KP_PAGE_TRACKS_H

#include "page/elements.h"

struct kp_track_counts {
	uint64_t rows;
	uint64_t out_of_order;	/* rows that start before the previous row */
};

/* Passes all rows of the listed elements to @sink's span(). Adds to @counts. */
enum kp_json_result kp_tracks_give(struct kp_elements *st, const struct kp_span_sink *sink,
				   struct kp_track_counts *counts);

#endif
