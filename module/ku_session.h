/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: reset, on, off, what is known about it. Everything here is
 * process context and may sleep, unless it says otherwise.
 */
#ifndef KU_SESSION_H
#define KU_SESSION_H

#include <linux/types.h>
#include <linux/mm_types.h>
#include "uapi/kutrace_abi.h"

int ku_session_init(unsigned int mb, const char *backend);
void ku_session_exit(void);

/*
 * 0 or -errno: -EBUSY while recording, -EOPNOTSUPP for unknown flags. The counts
 * of the recording are those of the counter, shifted; 0: as the machine wants it.
 */
int ku_session_reset(u64 flags, unsigned int clock_shift);
/* 0 also when already on; -errno from attaching the hooks. */
int ku_session_on(void);
void ku_session_off(void);
/* Between init and exit; before that nothing else here may be called. Any context. */
bool ku_session_ready(void);
bool ku_session_recording(void);
u64 ku_session_used_blocks(void);
bool ku_session_wrapped(void);
void ku_session_info(struct kutrace_info *info);

/* A point (low 44 bits of its entry), a name: also while recording is off. */
void ku_session_insert(u64 entry);
void ku_session_insert_name(u16 base, u32 number, const char *name, size_t len);

/*
 * To read blocks and names: between hold (0, or -EBUSY while recording) and release
 * nothing is recorded, named or reset. changes() says whether what is there is what
 * was there before; close_blocks() ends the blocks that inserting has left open.
 */
int ku_session_hold(void);
void ku_session_release(void);
u64 ku_session_changes(void);
void ku_session_close_blocks(void);
void ku_session_info_held(struct kutrace_info *info);

/* Any context. */
u64 ku_ns_to_counts(u64 ns);

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_session_meta_page(u64 offset);
struct page *ku_session_block_page(u64 offset);
u64 ku_session_meta_bytes(void);
u64 ku_session_block_bytes(void);

#endif
