/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The version-3 raw trace, see compose.c.
 */
#ifndef KU_LIB_TRACE_COMPOSE_H
#define KU_LIB_TRACE_COMPOSE_H

#include "lib/trace/recording.h"

/* All names, in one block or more, to d->file. */
int ku_dump_write_names(struct ku_dump *d);
/* Asks the progress function of the options, for ku_file_create(). */
struct ku_patience ku_dump_patience(struct ku_dump *d);
/* Those of d->late only, in blocks with that header. */
int ku_dump_write_late_names(struct ku_dump *d, const struct ku_header *header);
/*
 * The data blocks, from the mapping where they are not copied. -EAGAIN: one has
 * been overwritten while it was written (d->live only); *failed_seq is its.
 */
int ku_dump_write_data(struct ku_dump *d, uint64_t *failed_seq);

#endif
