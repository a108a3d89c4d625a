// SPDX-License-Identifier: GPL-2.0-only
/* Executes the commands of KUTRACE_IOC_CONTROL. The caller has checked its rights. */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ctl/ctl.h"
#include "point/point.h"
#include "record/record.h"
#include "session/sessions.h"

/*
 * True if the last reset was refused. Then ON fails, because the recording would not have the
 * requested options.
 */
static bool ku_call_no_on;

/* Checks those reserved fields that lie within the caller's struct of @length bytes. */
static int ku_info_check(const struct kutrace_info __user *user, u32 length)
{
	u64 reserved[ARRAY_SIZE(user->reserved)] = { };
	size_t has = 0;

	if (length > offsetof(struct kutrace_info, reserved))
		has = min(length - offsetof(struct kutrace_info, reserved), sizeof(reserved));
	if (copy_from_user(reserved, user->reserved, has))
		return -EFAULT;
	return memchr_inv(reserved, 0, sizeof(reserved)) ? -EINVAL : 0;
}

/* Copies at most user->length bytes: the caller's struct may be shorter or longer than @info. */
int ku_call_info(struct ku_session *session, struct kutrace_info __user *user,
		 u64 *taken_blocks)
{
	struct kutrace_info info;
	u32 length;
	int err;

	if (get_user(length, &user->length))
		return -EFAULT;
	if (length < offsetofend(struct kutrace_info, abi_version))
		return -EINVAL;
	err = ku_info_check(user, length);
	if (err)
		return err;
	ku_session_info(session, &info);
	*taken_blocks = info.taken_blocks;
	if (length > sizeof(info))
		length = sizeof(info);
	return copy_to_user(user, &info, length) ? -EFAULT : 0;
}

bool ku_call_is_open(u64 command)
{
	switch (command) {
	case KUTRACE_CMD_STAT:
	case KUTRACE_CMD_INSERT1:
	case KUTRACE_CMD_INSERTN:
	case KUTRACE_CMD_TEST:
	case KUTRACE_CMD_VERSION:
	case KUTRACE_CMD_INFO:
		return true;
	default:
		return false;
	}
}

int ku_call_reset(struct ku_session *session, u64 flags, unsigned int clock_shift)
{
	int err = ku_session_reset(session, flags, clock_shift);

	if (!err && session == ku_session_main())
		WRITE_ONCE(ku_call_no_on, false);
	return err;
}

void ku_call_refuse_on(void)
{
	WRITE_ONCE(ku_call_no_on, true);
}

int ku_call_on(struct ku_session *session)
{
	bool refused = session == ku_session_main() && READ_ONCE(ku_call_no_on);
	int err = refused ? -EINVAL : ku_session_on(session);

	/* Programs must see the change before this call returns. */
	if (!err)
		ku_point_bytes_flush();
	return err;
}

u64 ku_call(struct ku_session *session, u64 command, u64 arg)
{
	u64 taken_blocks;

	switch (command) {
	case KUTRACE_CMD_OFF:
		ku_session_off(session);
		ku_point_bytes_flush();
		return 0;
	case KUTRACE_CMD_ON:
		return ku_call_on(session) ? KU_REFUSED : 1;
	case KUTRACE_CMD_FLUSH:
		return ku_call_flush(session);
	case KUTRACE_CMD_RESET:
		return ku_call_reset(session, arg, 0) ? KU_REFUSED : 0;
	case KUTRACE_CMD_STAT:
		return ku_session_used_blocks(session);
	case KUTRACE_CMD_GETCOUNT:
		return ku_call_count(session);
	case KUTRACE_CMD_GETWORD:
		return ku_call_word(session, arg);
	case KUTRACE_CMD_INSERT1:
		return ku_call_insert1(arg, KUTRACE_MASK_ALL);
	case ~(u64)KUTRACE_CMD_INSERT1:
		return ku_call_insert1_off(session, arg);
	case KUTRACE_CMD_INSERTN:
		return ku_call_insertn(session, arg, false);
	case ~(u64)KUTRACE_CMD_INSERTN:
		return ku_call_insertn(session, arg, true);
	case KUTRACE_CMD_GETIPCWORD:
		return ku_call_ipc_word(session, arg);
	case KUTRACE_CMD_TEST:
		return ku_session_is_on(session);
	case KUTRACE_CMD_VERSION:
		return KUTRACE_MODULE_VERSION;
	case KUTRACE_CMD_SET4KB:
		return ku_call_set(session, arg);
	case KUTRACE_CMD_GET4KB:
		return ku_call_get(session, arg);
	case KUTRACE_CMD_GETIPC4KB:
		return ku_call_get_ipc(session, arg);
	case KUTRACE_CMD_INFO:
		return ku_call_info(session, u64_to_user_ptr(arg), &taken_blocks) ? KU_REFUSED : 0;
	default:
		return KU_REFUSED;
	}
}
