/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a name table. Process context, may sleep. */
#ifndef KU_NAMES_READ_H
#define KU_NAMES_READ_H

#include "names/aux.h"

struct page;

/* Copies the names so far for ku_aux_each(), when a recording begins. Nothing may add names. */
void ku_aux_keep(struct ku_aux *aux);
/* Empties the table, for a recording with clock shift @shift. Nothing may add names. */
void ku_aux_reset(struct ku_aux *aux, u32 shift);
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
void ku_aux_copy(struct ku_aux *aux, char *to, u64 *first, u64 *last, u64 *lost);
/* Returns the page at byte @offset, for mapping; NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset);

#endif
