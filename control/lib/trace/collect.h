/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of a trace, see collect.c.
 */
#ifndef KU_LIB_TRACE_COLLECT_H
#define KU_LIB_TRACE_COLLECT_H

#include "lib/trace/recording.h"

int ku_dump_collect_names(struct ku_dump *d);

#endif
