/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace's blocks read, decoded and brought into one order in a thread of its own, ahead of who takes the
 * entries. Called by transform/trace.c; apart from rawtrace/events.c, so that filters that
 * have one thread need no library of threads.
 */
#ifndef KP_RAW_READAHEAD_H
#define KP_RAW_READAHEAD_H

#include "rawtrace/blocks.h"

/*
 * Calls take, in this thread, for each entry of the trace in time order: the same ones
 * as kp_raw_heap_run() with all blocks. raw->places is gone then. 0; -1 with raw->message; or
 * what take returned, if not 0.
 */
int kp_raw_read_ahead(struct kp_raw *raw, kp_raw_take *take, void *self);

#endif
