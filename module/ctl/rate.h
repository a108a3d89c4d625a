/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often a user who may only mark can mark; more is lost, and counted. Called by device.c and
 * syscall.c for each mark of such a user.
 */
#ifndef KU_RATE_H
#define KU_RATE_H

#include <linux/types.h>

struct ku_user;

/* Whether that user's next mark is recorded; if not, one of that kind is counted as lost. */
bool ku_rate_allows(struct ku_user *user, u32 kind);

#endif
