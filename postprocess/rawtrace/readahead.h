/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads, decodes and merges a trace's blocks in a thread, ahead of the consumer. It is separate
 * from rawtrace/events.c, so that filters with a single thread need no thread library.
 */
#ifndef KP_RAW_READAHEAD_H
#define KP_RAW_READAHEAD_H

#include "rawtrace/blocks.h"

/*
 * Calls @take in this thread for each entry in order of time, as kp_raw_heap_run() with all blocks.
 * Takes over raw->places, which is NULL then. Returns 0; -1 with raw->message; or the nonzero value
 * of @take.
 */
int kp_raw_read_ahead(struct kp_raw *raw, kp_raw_take *take, void *self);

#endif
