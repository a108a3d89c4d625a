/* SPDX-License-Identifier: GPL-2.0-only */
/* The back ends. */
#ifndef KU_BACKENDS_H
#define KU_BACKENDS_H

struct ku_hooks;

/*
 * Returns the back end with the name @backend, or the best one if @backend is NULL or empty.
 * Returns NULL and logs the reason if this kernel does not have it.
 */
const struct ku_hooks *ku_find_hooks(const char *backend);

/* Back ends for kernels with the hooks of <linux/kutrace.h>, and for stock kernels. */
extern const struct ku_hooks ku_hooks_static, ku_hooks_tp;

#endif
