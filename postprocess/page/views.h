/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views and notes from a file of their own, as our page saves them and the original's exports
 * them, put behind the events in place of those of the trace. Must never write any other key.
 * Called by makeself.
 */
#ifndef KP_PAGE_VIEWS_H
#define KP_PAGE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/header.h"

struct kp_views {
	struct kp_header keys;
	struct kp_span_sink to;
	bool given;
	char error[600];	/* one line, without the tool's name; "" without one */
};

/* Reads the file at path: 0, or -1 with the error set. To be freed in either case. */
int kp_views_read(struct kp_views *views, const char *path);
void kp_views_free(struct kp_views *views);

/* A sink that passes all on to sink, and these views behind the events. */
struct kp_span_sink kp_views_sink(struct kp_views *views, const struct kp_span_sink *sink);

#endif
