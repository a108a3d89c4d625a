/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of a page's tracks, brought into one order. Called by page/unpage.c.
 */
#ifndef KP_PAGE_TRACKS_H
#define KP_PAGE_TRACKS_H

#include "page/elements.h"

struct kp_track_counts {
	uint64_t rows;
	uint64_t out_of_order;	/* they start before the row in front of them */
};

/* Feeds sink's span() all rows of what was listed. Adds to counts. */
enum kp_json_result kp_tracks_give(struct kp_elements *st, const struct kp_span_sink *sink,
				   struct kp_track_counts *counts);

#endif
