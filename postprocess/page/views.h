/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views and notes from a file of their own, as our page saves them or the original's page exports
 * them. They are added after the events and replace those of the trace. Must not add any other key.
 */
#ifndef KP_PAGE_VIEWS_H
#define KP_PAGE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/span.h"

struct kp_views {
	struct kp_header keys;
	struct kp_span_sink to;
	bool given;
	char error[600];	/* one line, without the tool's name; "": no error */
};

/*
 * Reads the file at @path. Returns 0, or -1 and sets the error. Call kp_views_free() in both cases.
 */
int kp_views_read(struct kp_views *views, const char *path);
void kp_views_free(struct kp_views *views);

/* Returns a sink that passes everything on to @sink, and adds these views after the events. */
struct kp_span_sink kp_views_sink(struct kp_views *views, const struct kp_span_sink *sink);

#endif
