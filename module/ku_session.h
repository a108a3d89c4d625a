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

/* 0 or -errno: -EBUSY while recording, -EOPNOTSUPP for unknown flags. */
int ku_session_reset(u64 flags);
/* 0 also when already on; -errno from attaching the hooks. */
int ku_session_on(void);
void ku_session_off(void);
bool ku_session_recording(void);
u64 ku_session_used_blocks(void);
bool ku_session_wrapped(void);
void ku_session_info(struct kutrace_info *info);

/* Any context. */
u64 ku_ns_to_counts(u64 ns);

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_session_meta_page(u64 offset);
struct page *ku_session_block_page(u64 offset);
u64 ku_session_meta_bytes(void);
u64 ku_session_block_bytes(void);

#endif
