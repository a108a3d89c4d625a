/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The auxiliary buffer: names of tasks and interrupts, kept apart from the
 * blocks so that wrapping never evicts one.
 */
#ifndef KU_AUX_H
#define KU_AUX_H

#include "ku_env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

struct page;

/* One session's. Offsets run on for ever; where an entry is, is offset modulo the size. */
struct ku_aux {
	ku_spinlock lock;
	char *buffer;
	u64 first, last;	/* the oldest entry, the next */
	u64 lost;		/* pushed out */
	char *kept;		/* copy of what lay at [kept_first, kept_last) */
	u64 kept_first, kept_last;
};

/* An entry and its name, NUL-padded. */
struct ku_aux_full {
	struct kutrace_aux_entry entry;
	char name[KUTRACE_NAME_MAX_BYTES];
};

/* ---- adding, and what is in it (ku_aux.c) ---- */

void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts);
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost);
/* So many bytes at that offset, over the buffer's end to its start if need be. */
void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes);
/* Bytes of an entry with its name; 0: it is none, and where the next begins is unknown. */
u32 ku_aux_length(const struct kutrace_aux_entry *entry);

/* ---- its memory, and reading while nothing is recorded (ku_names.c) ---- */

int ku_aux_init(struct ku_aux *aux);
void ku_aux_exit(struct ku_aux *aux);
void ku_aux_reset(struct ku_aux *aux);
void ku_aux_keep(struct ku_aux *aux);
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
struct page *ku_aux_page(struct ku_aux *aux, u64 offset);

#endif
