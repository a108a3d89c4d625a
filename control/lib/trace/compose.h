/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the version-3 raw trace. */
#ifndef KU_LIB_TRACE_COMPOSE_H
#define KU_LIB_TRACE_COMPOSE_H

#include "lib/trace/recording.h"

/* Writes all names, in one block or more, to d->file. */
int ku_dump_write_names(struct ku_dump *d);
/* Returns a function that calls the progress function of the options, for ku_file_create(). */
struct ku_patience ku_dump_patience(struct ku_dump *d);
/* Writes the names in d->late, in blocks with this header. */
int ku_dump_write_late_names(struct ku_dump *d, const struct ku_header *header);
/*
 * Writes the data blocks, from the mapping if they are not copied. Returns -EAGAIN if a block has
 * been overwritten while it was written (d->live only); *@failed_seq is its number.
 */
int ku_dump_write_data(struct ku_dump *d, uint64_t *failed_seq);

#endif
