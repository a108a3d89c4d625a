/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The auxiliary buffer: names of tasks and interrupts, kept apart from the
 * blocks so that wrapping never evicts one.
 */
#ifndef KU_AUX_H
#define KU_AUX_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

int ku_aux_init(void);
void ku_aux_exit(void);
void ku_aux_reset(void);
void ku_aux_add(u16 base, u32 number, const char *name, size_t len, u64 counts);
void ku_aux_bounds(u64 *first, u64 *last, u64 *lost);
void ku_aux_keep(void);
int ku_aux_each(int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
struct page;
struct page *ku_aux_page(u64 offset);

#endif
