/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the back ends is used. Called by main.c at load. */
#ifndef KU_FIND_H
#define KU_FIND_H

struct ku_hooks;

/*
 * The back end by that name, or the best the kernel has; NULL if it has it not, with the
 * reason in the log.
 */
const struct ku_hooks *ku_find_hooks(const char *backend);

#endif
