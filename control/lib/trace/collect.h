/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of a trace. */
#ifndef KU_LIB_TRACE_COLLECT_H
#define KU_LIB_TRACE_COLLECT_H

#include "lib/trace/recording.h"

int ku_dump_collect_names(struct ku_dump *d);

/*
 * Collects all parts of a trace of a recording that has ended: its properties, its blocks in
 * order, its names, and the size. Returns 0 or -errno.
 */
int ku_dump_collect(struct ku_dump *d);

#endif
