/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses a back end when the module is loaded. */
#ifndef KU_FIND_H
#define KU_FIND_H

struct ku_hooks;

/*
 * Returns the back end with the name @backend, or the best one if @backend is NULL or empty.
 * Returns NULL and logs the reason if this kernel does not have it.
 */
const struct ku_hooks *ku_find_hooks(const char *backend);

#endif
