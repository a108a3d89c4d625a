/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the findings of a trace while its rows go into a page, and gives them to the page. The page
 * always has the findings of its own rows, or the reason why it has none. Must not hold the rows of
 * a trace that has more than KP_PAGED_MOST.
 */
#ifndef KP_REPORT_FINDINGS_PAGED_H
#define KP_REPORT_FINDINGS_PAGED_H

#include "page/page.h"

/*
 * Maximum number of rows for which a page has findings. A row needs about 50 bytes, as in the
 * browser. On a machine with little memory, or with a limit (ulimit -v), the rows get at most a
 * quarter of it. Tests use a smaller number (KP_SMALL_LOADS, transform/sort.h).
 */
#ifdef KP_SMALL_LOADS
#define KP_PAGED_MOST		2000u
#else
#define KP_PAGED_MOST		5000000u
#endif

struct kp_paged;

/*
 * Returns a sink that passes a trace to @page. @wanted: find the findings. A page of the original's
 * template has none. Returns NULL without memory.
 */
struct kp_paged *kp_paged_open(struct kp_page *page, bool wanted);
/* Announces that @rows rows will come: too many are not held until the last one is known. */
void kp_paged_expect(struct kp_paged *paged, uint64_t rows);
struct kp_span_sink kp_paged_sink(struct kp_paged *paged);
/* Must be called before kp_page_close(). @paged may be NULL. */
void kp_paged_close(struct kp_paged *paged);

#endif
