/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits the rate of marks of users who may only mark. Counts refused marks as lost. */
#ifndef KU_RATE_H
#define KU_RATE_H

#include <linux/types.h>

struct ku_user;

/* Returns true if the user's next mark may be recorded. Otherwise counts a lost event of @kind. */
bool ku_rate_allows(struct ku_user *user, u32 kind);

#endif
