/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of a trace, see collect.c.
 */
#ifndef KU_LIB_TRACE_COLLECT_H
#define KU_LIB_TRACE_COLLECT_H

#include "lib/trace/recording.h"

int ku_dump_collect_names(struct ku_dump *d);

/*
 * All that a trace of a recording that has ended is made of: what is said of it, its blocks in
 * their order, its names, and how many bytes that will be. Returns 0 or -errno.
 */
int ku_dump_collect(struct ku_dump *d);

#endif
