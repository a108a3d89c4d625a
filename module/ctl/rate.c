// SPDX-License-Identifier: GPL-2.0-only
/* Limits the marks of users who may only mark: see rate.h. */
#include <linux/preempt.h>

#include "ctl/rate.h"
#include "record/all.h"
#include "users/user.h"

bool ku_rate_allows(struct ku_user *user, u32 kind)
{
	if (user && ku_user_rate(user))
		return true;
	preempt_disable();
	ku_sessions_rate_lost(kind);
	preempt_enable();
	return false;
}
