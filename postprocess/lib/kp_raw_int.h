/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the kp_raw*.c files and nobody else: see kp_raw.h, kp_raw_follow.h. */
#ifndef KP_RAW_INT_H
#define KP_RAW_INT_H

#include "kp_raw.h"

/* Puts a line into raw->message. -1. */
int kp_raw_fail(struct kp_raw *raw, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What indexing carries from block to block. */
struct kp_raw_indexer {
	struct kp_raw_entry *entries;	/* of one block */
	struct kp_raw_timer timers[256];
};

int kp_raw_indexer_open(struct kp_raw *raw, struct kp_raw_indexer *indexer);
void kp_raw_indexer_close(struct kp_raw_indexer *indexer);

/* How long the block with this head is, IPC bytes included. */
size_t kp_raw_block_bytes(const struct kp_raw_words *words);

/*
 * Indexes a block, the trace's first one when number is 0: clock, header, entries,
 * names (added to raw->names). What is found goes to *block and *place. 0, or -1
 * with message.
 */
int kp_raw_index_add(struct kp_raw *raw, struct kp_raw_indexer *indexer, uint64_t number,
		     uint64_t offset, const struct kp_raw_words *words,
		     struct kp_raw_block *block, struct kp_raw_place *place);

/* The header of the block at place, all but last. 0, or -1 with message. */
int kp_raw_read_header(struct kp_raw *raw, const struct kp_raw_place *place,
		       struct kp_raw_block *block);

/* --- from entries to the sink (kp_raw_events.c) ------------------------------ */

struct kp_raw_out;

/* NULL with raw->message without memory. summary may be NULL. */
struct kp_raw_out *kp_raw_out_new(struct kp_raw *raw, const struct kp_event_sink *sink,
				  bool verbose, struct kp_raw_summary *summary);
void kp_raw_out_free(struct kp_raw_out *out);

/*
 * When the trace is followed, in this order: what stands in front of everything
 * (done, or NULL, is called when the block at that offset is out);
 * what is to be said of each block as it comes, with its names at time -1
 * (raw->names, which are forgotten then); entries whose count is below until; a
 * block came that begins before what was handed out; the end. 0; -1 with message;
 * or what the sink returned.
 */
int kp_raw_out_begin(struct kp_raw_out *out, void (*done)(void *self, uint64_t offset),
		     void *self);
int kp_raw_out_add(struct kp_raw_out *out, const struct kp_raw_block *block,
		   const struct kp_raw_place *place);
int kp_raw_out_until(struct kp_raw_out *out, uint64_t until);
void kp_raw_out_step_back(struct kp_raw_out *out);
int kp_raw_out_end(struct kp_raw_out *out);

#endif
