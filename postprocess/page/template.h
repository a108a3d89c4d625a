/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a page is made of besides spans: its template, split into the text before and after the
 * data, and views and notes from a file of their own.
 */
#ifndef KP_PAGE_TEMPLATE_H
#define KP_PAGE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/span.h"

enum kp_template_kind { KP_TEMPLATE_OURS, KP_TEMPLATE_ORIGINAL };

struct kp_template {
	enum kp_template_kind kind;
	char *text;
	size_t len;
	/* the parts to write before the data, and the part after them */
	struct kp_template_part {
		const char *data;
		size_t len;
	} before[5], after;
	char *d3;		/* text of the d3 file, escaped for a script element */
	size_t d3_len;
};

/* Reads and splits the template. On failure, returns false and sets the error. */
bool kp_template_open(struct kp_template *t, const char *path, const char *d3_path,
		      char *error, size_t error_size);
void kp_template_close(struct kp_template *t);

/*
 * Views and notes from a file of their own, as our page saves them or the original's page exports
 * them. They are added after the events and replace those of the trace. No other key is added.
 */
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
