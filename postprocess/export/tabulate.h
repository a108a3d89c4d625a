/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts spans to rows of tables (export/schema.def): a kp_span_sink that takes them in time
 * order, as the reconstruction of a raw trace makes them. report/calls.h decides which spans are
 * one call.
 *
 * Rows of a table come roughly in time order. Memory grows with the number of threads.
 */
#ifndef KP_EXPORT_TABULATE_H
#define KP_EXPORT_TABULATE_H

#include "export/tab_options.h"
#include "model/span.h"

struct kp_tabulate;

/* The members about, raw and tasks must stay valid until the end. Returns NULL without memory. */
struct kp_tabulate *kp_tabulate_new(const struct kp_tabulate_options *options);

/*
 * Returns the sink. Names of spans must stay valid until the end. Its functions return 0, or -1 if
 * the sink of rows failed or there is no memory.
 */
struct kp_span_sink kp_tabulate_sink(struct kp_tabulate *tab);

/* Returns the number of rows of all tables. */
uint64_t kp_tabulate_rows(const struct kp_tabulate *tab);
void kp_tabulate_free(struct kp_tabulate *tab);

#endif
