/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the auxiliary buffer of names. Called by record/ and ctl/. Process context, may sleep. */
#ifndef KU_NAMES_READ_H
#define KU_NAMES_READ_H

#include "names/aux.h"

struct page;

/* Recording begins: what was named before is kept for ku_aux_each(). Nobody may be adding. */
void ku_aux_keep(struct ku_aux *aux);
/* Empties it, for a recording of that shift. Nobody may be adding. */
void ku_aux_reset(struct ku_aux *aux, u32 shift);
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
void ku_aux_copy(struct ku_aux *aux, char *to, u64 *first, u64 *last, u64 *lost);
/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset);

#endif
