/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of the original's: the span JSON as it is, inside a JavaScript string (page/page.h).
 * It must never hold spans. Called by page.c.
 */
#ifndef KP_PAGE_ORIGINAL_H
#define KP_PAGE_ORIGINAL_H

#include <stdio.h>

#include "model/span.h"
#include "page/foreign.h"
#include "page/out.h"

struct kp_original;

/*
 * What goes wrong is in out, which outlives it. start_width as in struct kp_page_options.
 * NULL: no memory.
 */
struct kp_original *kp_original_open(struct kp_page_out *out, const int *start_width);
struct kp_span_sink kp_original_sink(struct kp_original *page);

/* In place of the sink; as kp_page_foreign(). */
int kp_original_foreign(struct kp_original *page, struct kp_foreign *foreign, FILE *in,
			const char *shown);

/* NULL: nothing to do. */
void kp_original_close(struct kp_original *page);

#endif
