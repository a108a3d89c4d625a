/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the back ends is used. Called by main.c at load. */
#ifndef KU_FIND_H
#define KU_FIND_H

#include <linux/types.h>

struct ku_hooks;

/*
 * The back end by that name, or the best the kernel has; NULL if it has it not, with the
 * reason in the log. @control: does the control system call, where the back end has one.
 */
const struct ku_hooks *ku_find_hooks(const char *backend,
				     u64 (*control)(u64 command, u64 arg));

#endif
