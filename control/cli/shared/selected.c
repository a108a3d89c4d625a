// SPDX-License-Identifier: BSD-3-Clause
/* The session that commands apply to. A command must not act on any other session. */
#include "cli/shared/traces.h"

#include "cli/base/base.h"

/* name of the session from --session; NULL: the main session */
static const char *session;
static bool main_named;	/* --session named the main session: do not use the user's own one */
static struct kutrace_handle *handle;	/* handle of the session; NULL until the session is used */
static bool forced;	/* -force was given, and no recording has been ended because of it yet */

int cmd_set_session(const char *name)
{
	if (!*name || strlen(name) >= 32)
		return cmd_usage_error("--session: %s: needs a name of up to 31 characters", name);
	cmd_close_session();
	main_named = !strcmp(name, KUTRACE_SESSION_MAIN);
	session = main_named ? NULL : name;
	cmd_message_session(session);
	return CMD_OK;
}

void cmd_close_session(void)
{
	kutrace_session_close(handle);
	handle = NULL;
}

const char *cmd_session(void)
{
	return session;
}

struct kutrace_handle *cmd_handle(void)
{
	return handle;
}

/*
 * Returns -EPERM if this user may not use the main session: without a handle, the library would
 * use the user's own session. Returns 0 also for a module without sessions.
 */
static int may_use_main(void)
{
	struct kutrace_handle *opened;
	int ret = kutrace_session_open(KUTRACE_SESSION_MAIN, &opened);

	kutrace_session_close(opened);
	return ret == -EPERM ? ret : 0;
}

static const char *session_name(void)
{
	return session ? session : KUTRACE_SESSION_MAIN;
}

/* Uses the open session, unless it has been destroyed meanwhile. Otherwise opens it. */
static int open_session(void)
{
	struct kutrace_info info;
	int ret;

	if (handle) {
		kutrace_session_use(handle);
		if (kutrace_get_info(&info) != -ESRCH)
			return 0;
		kutrace_session_close(handle);
		handle = NULL;
	}
	kutrace_session_use(NULL);
	if (!session)
		return main_named ? may_use_main() : 0;
	ret = kutrace_session_open(session, &handle);
	if (!ret)
		kutrace_session_use(handle);
	return ret;
}

void cmd_force(bool force)
{
	forced = force;
}

int cmd_apply_force(void)
{
	int ret;

	if (!forced)
		return 0;
	forced = false;
	ret = kutrace_do_off();
	return ret < 0 ? ret : kutrace_do_reset(0);
}

int cmd_session_error(const char *what, const char *name, int error)
{
	char text[100];

	snprintf(text, sizeof(text), "%s: session %s", what, name);
	switch (error) {
	case -EINVAL:
		return cmd_fail("%s: bad name: use up to 31 letters (a-z, A-Z), digits, \".\", "
				"\"_\" and \"-\"", text);
	case -EPERM:
		if (!strncmp(name, "uid-", 4))
			return cmd_fail("%s: no permission: run as root, or as the user who "
					"created it; a name uid-NUMBER is reserved for that user", text);
		return cmd_fail("%s: no permission: run as root, or as the user who created it; "
				"to record as yourself, have root put you into group tracing", text);
	case -ENOSPC:
		return cmd_fail("%s: there are %d sessions already: destroy one", text,
				KUTRACE_SESSIONS);
	case -EDQUOT:
		return cmd_fail("%s: " CMD_TOO_LARGE, text);
	case -ENOMEM:
		return cmd_fail("%s: no memory for its buffer, on this machine or in this memory "
				"cgroup: take a smaller --size", text);
	case -EINTR:
		return cmd_fail("%s: interrupted: not created", text);
	default:
		return cmd_error(text, error);
	}
}

int cmd_use_session(const char *what)
{
	int ret = open_session();

	return ret ? cmd_session_error(what, session_name(), ret) : CMD_OK;
}

int cmd_create_session(const char *name, const struct kutrace_session_options *options)
{
	int ret;

	kutrace_session_close(handle);
	ret = kutrace_session_create(name, options, &handle);
	if (!ret)
		kutrace_session_use(handle);
	return ret;
}

/* Checks that an existing session has the requested size. */
static int check_size(const char *what, uint32_t mb)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);
	uint64_t have = (uint64_t)info.nblocks * KUTRACE_BLOCK_BYTES >> 20;

	if (ret)
		return cmd_error(what, ret);
	if (!mb || have == mb)
		return CMD_OK;
	if (!session && strcmp(info.name, KUTRACE_SESSION_MAIN))
		return cmd_fail("%s: --size %u: your session %s has %llu MB: use another one, "
				"with --session NAME", what, mb, info.name,
				(unsigned long long)have);
	if (!session)
		return cmd_fail("%s: --size %u: the main session has %llu MB since the module "
				"was loaded: use another one, with --session NAME", what, mb,
				(unsigned long long)have);
	return cmd_fail("%s: --size %u: session %s has %llu MB: \"" CMD_TOOL " session destroy "
			"%s\" first", what, mb, session, (unsigned long long)have, session);
}

int cmd_use_or_create(const char *what, const struct kutrace_session_options *options,
		      bool *created)
{
	int ret = open_session();

	*created = false;
	if (!ret)
		return options && options->mb ? check_size(what, options->mb) : CMD_OK;
	if (ret == -ESRCH) {
		ret = cmd_create_session(session, options);
		*created = !ret;
	}
	return ret ? cmd_session_error(what, session_name(), ret) : CMD_OK;
}
