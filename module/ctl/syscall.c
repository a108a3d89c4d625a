// SPDX-License-Identifier: GPL-2.0-only
/* The control system call: see syscall.h. */
#include <linux/percpu.h>

#include "core/kinds.h"
#include "core/ring.h"
#include "ctl/access.h"
#include "ctl/call.h"
#include "ctl/insert.h"
#include "ctl/rate.h"
#include "ctl/syscall.h"
#include "record/resident.h"
#include "session/table.h"
#include "users/user.h"

static u64 ku_syscall_mark(u64 arg)
{
	struct ku_user *user = ku_user_get_current();
	u64 result = ~0ULL;

	if (ku_rate_allows(user, ku_kind_of(arg)))
		result = ku_call_insert1(arg, KU_USER_CATEGORIES);
	ku_user_put(user);
	return result;
}

/*
 * The control system call of a patched kernel. It is about the main session. There is no file, so
 * the caller's capabilities alone decide: a user number would let a container's root in. Others
 * may ask, and mark where everyone may mark.
 */
u64 ku_syscall(u64 command, u64 arg)
{
	u64 result = ~0ULL;

	if (!ku_sessions_ready())
		goto out;
	if (ku_access_caller_capable() && !ku_access_locked_down())
		result = ku_call_original(command, arg);
	else if (command == KUTRACE_CMD_TEST || command == KUTRACE_CMD_VERSION)
		result = ku_call(ku_session_main(), command, arg);
	else if (command == KUTRACE_CMD_INSERT1 && ku_access_all_mark())
		result = ku_syscall_mark(arg);
out:
	/*
	 * The call itself is not recorded, so its return must not be merged into the
	 * system call before it: also while the module goes, which ends recording later.
	 */
	this_cpu_write(ku_cpu.call, 0);
	return result;
}
