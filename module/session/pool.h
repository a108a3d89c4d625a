/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a session, its pages for mapping, and its anchor. Process context, may sleep. */
#ifndef KU_POOL_H
#define KU_POOL_H

#include "session/state.h"

struct page;

/* MiB that all sessions may have together; 0: half of the machine's memory. */
extern unsigned int ku_pool_limit_mb;
/*
 * Returns 0; -EDQUOT, if all sessions together would exceed the limit; -ENOMEM; or -EINTR, if the
 * caller is being killed. The log has the first two errors.
 */
int ku_pool_alloc(struct ku_session *session, unsigned int mb);
void ku_pool_free(struct ku_session *session);
/*
 * Assigns each online CPU its share of the blocks, and each offline CPU the share of an online CPU.
 * Returns the number of shares, or -ENOBUFS if a share would be too small. Recording must be off.
 * The caller then resets the ring and calls ku_ring_split().
 */
int ku_pool_share(struct ku_session *session);
/* Allocates the counter bits, if not allocated yet, without a lock. Errors: see ku_pool_alloc(). */
int ku_pool_alloc_bytes(struct ku_session *session);
/* Return the page at byte @offset, for mapping; NULL beyond the end. */
struct page *ku_pool_meta_page(struct ku_session *session, u64 offset);
struct page *ku_pool_block_page(struct ku_session *session, u64 offset);
struct page *ku_pool_bytes_page(struct ku_session *session, u64 offset);
u64 ku_pool_meta_bytes(struct ku_session *session);
u64 ku_pool_block_bytes(struct ku_session *session);
/* Returns 0 if there are no counter bits. */
u64 ku_pool_bytes_size(struct ku_session *session);

/* ---- anchor.c ---- */

/*
 * Called after ku_pool_alloc(). If there is no memory, the session has no anchor, and the log
 * reports this.
 */
void ku_anchor_new(struct ku_session *session);
/*
 * Lists the memory of the counter bits, once it is allocated. If there is no memory for the list, a
 * crash dump does not show the counter bits. The session's content_lock is held. ku_session_lock is
 * not held, because the list may be long.
 */
void ku_anchor_new_bytes(struct ku_session *session);
/* Called before ku_pool_free(), so that a search does not find freed memory. */
void ku_anchor_free(struct ku_session *session);
/* Saves the changed state of the session; ku_session_lock held. */
void ku_anchor_update(struct ku_session *session, const struct kutrace_info *info);

#endif
