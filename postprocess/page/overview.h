/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a large page until its spans are decoded. Called by page.c.
 */
#ifndef KP_PAGE_OVERVIEW_H
#define KP_PAGE_OVERVIEW_H

#include <stdio.h>

#include "model/span.h"
#include "page/pack.h"

#define KP_OVERVIEW_CPUS 65536	/* KP_JSON_CPU_MAX + 1 */

struct kp_overview;

/* NULL: no memory. */
struct kp_overview *kp_overview_open(void);
void kp_overview_close(struct kp_overview *o);

/* Every span, in order. 0 or -ENOMEM. */
int kp_overview_span(struct kp_overview *o, const struct kp_span *span);

/*
 * Writes the element, or nothing when the trace is too small or not in order.
 * 0 or a negative errno.
 */
int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out);

/*
 * How many bytes are to be kept free for it in front of the data, by what has come so far;
 * 0: it is not known yet whether there will be one.
 */
size_t kp_overview_room(const struct kp_overview *o);

/*
 * The element as exactly so many bytes, which the caller frees: as coarse as it has to be,
 * and with nothing in it when there is none, or o is NULL. 0 or a negative errno.
 */
int kp_overview_fill(struct kp_overview *o, size_t room, char **filled);

#endif
