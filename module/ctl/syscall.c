// SPDX-License-Identifier: GPL-2.0-only
/* The control system call of a patched kernel, for programs with the library of KUtrace 3. */
#include <linux/capability.h>
#include <linux/kutrace_control.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "core/kinds.h"
#include "core/ring.h"
#include "ctl/ctl.h"
#include "ctl/syscall.h"
#include "point/point.h"
#include "record/internal.h"
#include "record/record.h"
#include "session/sessions.h"
#include "uapi/kutrace_call.h"
#include "users/user.h"

/* The call has no file, so the caller's credentials decide. */
static bool ku_syscall_capable(void)
{
	return capable(CAP_SYS_ADMIN) || capable(CAP_PERFMON);
}

/*
 * Executes a command as programs of KUtrace 3 expect it. RESET and FLUSH also stop recording. The
 * library of KUtrace 3 assumes a fixed unit of time, and does not check whether RESET was refused.
 * So if RESET is refused, empties the buffer and makes ON fail. Otherwise the library would read
 * the previous recording as the new one.
 */
static u64 ku_syscall_command(u64 command, u64 arg)
{
	struct ku_session *session = ku_session_main();
	int err;

	if (command != KUTRACE_CMD_RESET && command != KUTRACE_CMD_FLUSH)
		return ku_call(session, command, arg);
	ku_session_off(session);
	ku_point_bytes_flush();
	if (command == KUTRACE_CMD_FLUSH)
		return ku_call(session, command, arg);
	err = ku_call_reset(session, arg, KUTRACE_CALL_CLOCK_SHIFT);
	if (err && !ku_call_reset(session, 0, KUTRACE_CALL_CLOCK_SHIFT)) {
		ku_call_refuse_on();
		pr_info_ratelimited("kutrace: %s: cannot reset the recording with flags %#llx: error %d; not recording\n",
				    current->comm, arg, -err);
	}
	return err ? ~0ULL : 0;
}

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
 * Handler of the control system call, which acts on the main session. There is no open file, so
 * only the caller's capabilities decide: a check of the user id would also admit the root user of a
 * container. Other callers may execute TEST and VERSION, and may mark if everyone may mark.
 */
static u64 ku_syscall(u64 command, u64 arg)
{
	u64 result = ~0ULL;

	if (!ku_sessions_ready())
		goto out;
	if (ku_syscall_capable() && !ku_access_locked_down())
		result = ku_syscall_command(command, arg);
	else if (command == KUTRACE_CMD_TEST || command == KUTRACE_CMD_VERSION)
		result = ku_call(ku_session_main(), command, arg);
	else if (command == KUTRACE_CMD_INSERT1 && ku_access_all_mark())
		result = ku_syscall_mark(arg);
out:
	/*
	 * The control call is not recorded, so its return must not be merged into an earlier system
	 * call. This also holds while the module is being unloaded, because recording ends after
	 * this handler is unregistered.
	 */
	this_cpu_write(ku_cpu.at.call, 0);
	return result;
}

void ku_syscall_allow(bool allow)
{
	kutrace_set_control(allow ? ku_syscall : NULL);
}
