/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The auxiliary buffer: names of tasks and interrupts, kept apart from the
 * blocks so that wrapping never evicts one.
 */
#ifndef KU_AUX_H
#define KU_AUX_H

#include <linux/spinlock_types.h>
#include <linux/types.h>
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

struct page;

/* One session's. Offsets run on for ever; where an entry is, is offset modulo the size. */
struct ku_aux {
	raw_spinlock_t lock;
	char *buffer;
	u64 first, last;	/* the oldest entry, the next */
	u64 lost;		/* pushed out */
	char *kept;		/* copy of what lay at [kept_first, kept_last) */
	u64 kept_first, kept_last;
};

int ku_aux_init(struct ku_aux *aux);
void ku_aux_exit(struct ku_aux *aux);
void ku_aux_reset(struct ku_aux *aux);
void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts);
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost);
void ku_aux_keep(struct ku_aux *aux);
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
struct page *ku_aux_page(struct ku_aux *aux, u64 offset);

#endif
