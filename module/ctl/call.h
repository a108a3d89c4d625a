/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the commands of KUTRACE_IOC_CONTROL, for a caller with the right to give them. Process
 * context, may sleep. ~0 = refused.
 */
#ifndef KU_CALL_H
#define KU_CALL_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_session;

u64 ku_call(struct ku_session *session, u64 command, u64 arg);
/*
 * Whether who may control, but not this session, may say it: it asks, or puts in what concerns
 * the caller, as a mark does.
 */
bool ku_call_is_open(u64 command);
/* KUTRACE_CMD_RESET, and why not: as ku_session_reset(). */
int ku_call_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/* Makes KUTRACE_CMD_ON of the main session fail until a reset of that session succeeds. */
void ku_call_refuse_on(void);
/* KUTRACE_CMD_ON, and why not: as ku_session_on(), or -EINVAL behind a reset that was refused. */
int ku_call_on(struct ku_session *session);
int ku_call_info(struct ku_session *session, struct kutrace_info __user *user,
		 u64 *taken_blocks);

#endif
