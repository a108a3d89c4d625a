/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output of a page: the stream, the template around the data, and the first error. Also pages
 * from the original's template: the span JSON inside a JavaScript string. Must not hold spans.
 */
#ifndef KP_PAGE_OUT_H
#define KP_PAGE_OUT_H

#include <stddef.h>
#include <stdio.h>

#include "model/span.h"
#include "page/foreign.h"
#include "page/template.h"

struct kp_page_out {
	FILE *file;
	struct kp_template template;
	char error[512];		/* one line; "": no error */
};

/* These set the error, unless there is one already. They return @code, a negative errno. */
int kp_page_fail(struct kp_page_out *out, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int kp_page_fail_errno(struct kp_page_out *out, int code);

/* These return 0 or a negative errno, and set the error as above. */
int kp_page_write(struct kp_page_out *out, const char *text, size_t len);

/* Writes JSON text inside a script element, with each '<' as \u003c: '<' occurs only in strings. */
int kp_page_write_json(struct kp_page_out *out, const char *text);

/* Writes the template's text before the data, then @open. */
int kp_page_write_before(struct kp_page_out *out, const char *open, size_t len);

/* Checks @rc, the result of a printf to the stream. The caller has set errno to 0 before. */
int kp_page_printed(struct kp_page_out *out, int rc);

/* ---- pages from the original's template ---- */

struct kp_original;

/*
 * @out gets the errors and must outlive the result. @start_width: see struct kp_page_options.
 * Returns NULL without memory.
 */
struct kp_original *kp_original_open(struct kp_page_out *out, const int *start_width);
struct kp_span_sink kp_original_sink(struct kp_original *page);

/* Replaces the sink; see kp_page_foreign(). */
int kp_original_foreign(struct kp_original *page, struct kp_foreign *foreign, FILE *in,
			const char *shown);

/* Does nothing if @page is NULL. */
void kp_original_close(struct kp_original *page);

#endif
