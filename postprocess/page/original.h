/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a page from the original's template: the span JSON inside a JavaScript string
 * (page/page.h). Must not hold spans.
 */
#ifndef KP_PAGE_ORIGINAL_H
#define KP_PAGE_ORIGINAL_H

#include <stdio.h>

#include "model/span.h"
#include "page/foreign.h"
#include "page/out.h"

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
