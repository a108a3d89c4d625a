/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The overview of a large page: a coarse picture that the browser draws until the spans are
 * decoded.
 */
#ifndef KP_PAGE_OVERVIEW_H
#define KP_PAGE_OVERVIEW_H

#include <stdio.h>

#include "model/span.h"
#include "page/pack.h"

#define KP_OVERVIEW_CPUS 65536	/* KP_JSON_CPU_MAX + 1 */

struct kp_overview;

/* Returns NULL without memory. */
struct kp_overview *kp_overview_open(void);
void kp_overview_close(struct kp_overview *o);

/* Adds a span. Takes all spans, in order. Returns 0 or -ENOMEM. */
int kp_overview_span(struct kp_overview *o, const struct kp_span *span);

/*
 * Writes the element of the overview. Writes nothing if there are too few spans, or if a span
 * begins before the first one. Returns 0 or a negative errno.
 */
int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out);

/*
 * Returns the number of bytes to reserve for the overview before the data, from the spans so far.
 * Returns 0 if there are too few spans yet, or if there will be no overview.
 */
size_t kp_overview_room(const struct kp_overview *o);

/*
 * Sets *@filled to the element, padded to @room bytes; the caller frees it. Makes the overview
 * coarser until it fits. The element is empty if there is no overview or @o is NULL. Returns 0 or a
 * negative errno.
 */
int kp_overview_fill(struct kp_overview *o, size_t room, char **filled);

#endif
