/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes the commands of KUTRACE_IOC_CONTROL. The caller has checked the right to give them.
 *
 * Process context, may sleep. ~0 means refused.
 */
#ifndef KU_CALL_H
#define KU_CALL_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_session;

u64 ku_call(struct ku_session *session, u64 command, u64 arg);
/*
 * Returns true if @command needs no ownership of the session, only the right to control: a query,
 * or an insert, such as a mark, that concerns the caller.
 */
bool ku_call_is_open(u64 command);
/* Executes KUTRACE_CMD_RESET. Returns the result of ku_session_reset(). */
int ku_call_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/* Makes KUTRACE_CMD_ON of the main session fail until a reset of that session succeeds. */
void ku_call_refuse_on(void);
/*
 * Executes KUTRACE_CMD_ON. Returns the result of ku_session_on(), or -EINVAL after a refused reset.
 */
int ku_call_on(struct ku_session *session);
int ku_call_info(struct ku_session *session, struct kutrace_info __user *user,
		 u64 *taken_blocks);

#endif
