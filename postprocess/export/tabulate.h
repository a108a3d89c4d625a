/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans as rows of tables (export/schema.def): a kp_span_sink that takes them in time order, as
 * the reconstruction of a raw trace makes them. What is one call is said by report/calls, as for
 * spantoprof. Called by rawtosqlite and rawtoparquet.
 *
 * Rows of a table come roughly in order of time. Memory is that of the threads seen.
 */
#ifndef KP_EXPORT_TABULATE_H
#define KP_EXPORT_TABULATE_H

#include "export/tab_options.h"
#include "model/span.h"

struct kp_tabulate;

/* about, raw and tasks must stay until the end. NULL without memory. */
struct kp_tabulate *kp_tabulate_new(const struct kp_tabulate_options *options);

/*
 * The names of spans must stay valid until the end. Functions return 0, or -1: the sink of rows
 * said so, or there is no memory.
 */
struct kp_span_sink kp_tabulate_sink(struct kp_tabulate *tab);

/* Rows that there are of all tables. */
uint64_t kp_tabulate_rows(const struct kp_tabulate *tab);
void kp_tabulate_free(struct kp_tabulate *tab);

#endif
