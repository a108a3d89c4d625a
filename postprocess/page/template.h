/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a page other than spans: its template, split into the text before and after the data;
 * views and notes from a separate file; the output.
 */
#ifndef KP_PAGE_TEMPLATE_H
#define KP_PAGE_TEMPLATE_H

#include "model/span.h"
#include "page/foreign.h"

enum kp_template_kind { KP_TEMPLATE_OURS, KP_TEMPLATE_ORIGINAL };

struct kp_template {
	enum kp_template_kind kind;
	char *text;
	size_t len;
	/* parts before the data, and the part after it */
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
 * Views and notes from a separate file, which our page saves or the original's page exports. They
 * are added after the events, and replace the trace's views and notes. The file must have no other
 * keys.
 */
struct kp_views {
	struct kp_header keys;
	struct kp_span_sink to;
	bool given;
	char error[600];	/* one line without the tool's name; "": no error */
};

/* Reads the views at @path. Returns 0, or -1 and sets error. Call kp_views_free() in both cases. */
int kp_views_read(struct kp_views *views, const char *path);
void kp_views_free(struct kp_views *views);

/* Returns a sink that passes a trace on to @sink, and adds @views after the events. */
struct kp_span_sink kp_views_sink(struct kp_views *views, const struct kp_span_sink *sink);

/* ---- out.c: the output of a page: the stream, the template, the first error ---- */

struct kp_page_out {
	FILE *file;
	struct kp_template template;
	char error[512];		/* one line of text; "": no error */
	/* negative errno of the first error, after which nothing is written; 0: none */
	int code;
};

/* The next two functions return @code, a negative errno, and set the error if none is set. */
int kp_page_fail(struct kp_page_out *out, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kp_page_fail_errno(struct kp_page_out *out, int code);

/* The next three functions return 0, or set the error and return a negative errno. */
int kp_page_write(struct kp_page_out *out, const char *text, size_t len);

/* Writes JSON text into a script element. Writes each '<' as \u003c; '<' occurs only in strings. */
int kp_page_write_json(struct kp_page_out *out, const char *text);

/* Writes the template's text before the data, then @open. */
int kp_page_write_before(struct kp_page_out *out, const char *open, size_t len);

/* Pages from the original's template: the span JSON is in a JavaScript string. */

struct kp_original;

/*
 * Returns a writer for a page from the original's template. @out stores the errors, and must
 * outlive the result. @start_width: as in struct kp_page_options. Returns NULL without memory.
 */
struct kp_original *kp_original_open(struct kp_page_out *out, const int *start_width);
struct kp_span_sink kp_original_sink(struct kp_original *page);

/* Writes rows that are not spans, instead of using the sink (kp_page_foreign()). */
int kp_original_foreign(struct kp_original *page, struct kp_foreign *foreign, FILE *in,
			const char *shown);

/* Frees @page, which may be NULL. */
void kp_original_close(struct kp_original *page);

#endif
