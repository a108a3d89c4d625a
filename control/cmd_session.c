// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control session create, list, destroy, and which session the other commands
 * are about. Must never let a command act on another session than the one named.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const char *session;		/* as --session says; NULL: the main one */
static struct kutrace_handle *handle;	/* of it, once it is used */

int cmd_set_session(const char *name)
{
	if (!*name || strlen(name) >= 32) {
		cmd_usage_error("--session: %s: wants a name of up to 31 characters", name);
		return -1;
	}
	cmd_leave_session();
	session = strcmp(name, KUTRACE_SESSION_MAIN) ? name : NULL;
	return 0;
}

void cmd_leave_session(void)
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

/* The one that is open, unless it has been destroyed meanwhile; else opens it. */
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
		return 0;
	ret = kutrace_session_open(session, &handle);
	if (!ret)
		kutrace_session_use(handle);
	return ret;
}

static int say_error(const char *what, const char *name, int error)
{
	char text[100];

	snprintf(text, sizeof(text), "%s: session %s", what, name);
	switch (error) {
	case -EINVAL:
		return cmd_fail("%s: not possible: up to 31 of a-z A-Z 0-9 . _ - as a name, and "
				"--size in MB", text);
	case -EPERM:
		return cmd_fail("%s: no permission: run as root, or as who made it, or join "
				"group tracing", text);
	case -ENOSPC:
		return cmd_fail("%s: there are %d sessions already: destroy one", text,
				KUTRACE_SESSIONS);
	case -EDQUOT:
		return cmd_fail("%s: " CMD_TOO_LARGE, text);
	case -ENOMEM:
		return cmd_fail("%s: no memory for its buffer, on this machine or in this memory "
				"cgroup: take a smaller --size", text);
	case -EINTR:
		return cmd_fail("%s: interrupted: there is none", text);
	default:
		return cmd_error(text, error);
	}
}

int cmd_use_session(const char *what)
{
	int ret = open_session();

	return ret ? say_error(what, session, ret) : CMD_OK;
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

/* It is there already: is it as large as is wanted? */
static int check_size(const char *what, uint32_t mb)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);
	uint64_t have = (uint64_t)info.nblocks * KUTRACE_BLOCK_BYTES >> 20;

	if (ret)
		return cmd_error(what, ret);
	if (!mb || have == mb)
		return CMD_OK;
	if (!session)
		return cmd_fail("%s: --size %u: the main session has %llu MB since the module "
				"was loaded: take another one, with --session NAME", what, mb,
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
	return ret ? say_error(what, session, ret) : CMD_OK;
}

/* --- the command ------------------------------------------------------------------ */

static int create(int argc, char **argv)
{
	struct kutrace_session_options options = {.keep = 1};
	struct kutrace_handle *new;
	const char *name = NULL;
	bool wrap = false;
	int i, ret;

	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--wrap")) {
			wrap = true;
		} else if (!strcmp(argv[i], "--size") && i + 1 < argc) {
			if (!cmd_number(argv[++i], 1, 65536, &options.mb))
				return cmd_usage_error("session create: --size: %s: wants "
						       "megabytes, 1 to 65536", argv[i]);
		} else if (argv[i][0] == '-') {
			return cmd_usage_error("session create: %s: no such option, or wants a "
					       "value", argv[i]);
		} else if (name) {
			return cmd_usage_error("session create: %s: one name, please", argv[i]);
		} else {
			name = argv[i];
		}
	}
	if (!name)
		return cmd_usage_error("session create: wants a name");
	ret = kutrace_session_create(name, &options, &new);
	if (ret)
		return say_error("session create", name, ret);
	kutrace_session_use(new);
	ret = wrap ? kutrace_do_reset(KUTRACE_GO_WRAP) : 0;
	kutrace_session_use(NULL);
	kutrace_session_close(new);
	return ret ? say_error("session create", name, ret) : CMD_OK;
}

static void print_session(const struct kutrace_session *s)
{
	char owner[20];

	printf("%-16s %-9s %5u MB %3llu %% used%s, of %s (uid %u, pid %u), ", s->name,
	       s->recording ? "recording" : "off", s->mb,
	       s->nblocks ? s->used_blocks * 100ULL / s->nblocks : 0ULL,
	       s->wrap ? ", wrap" : "", s->owner_comm[0] ? cmd_shown(s->owner_comm, owner, sizeof(owner)) : "?",
	       s->owner_uid,
	       s->owner_pid);
	cmd_print_kinds_short(s->kinds);
	putchar('\n');
}

static void print_session_json(const struct kutrace_session *s, bool first)
{
	fputs(first ? "[\n{\"name\": " : ",\n{\"name\": ", stdout);
	cmd_print_json_string(s->name);
	printf(", \"id\": %u, \"mb\": %u, \"recording\": %s, \"wrap\": %s, \"keep\": %s, "
	       "\"blocks\": %u, \"used_blocks\": %u, \"owner_uid\": %u, \"owner_pid\": %u, "
	       "\"owner_comm\": ", s->id, s->mb, s->recording ? "true" : "false",
	       s->wrap ? "true" : "false", s->flags & KUTRACE_SESSION_KEEP ? "true" : "false",
	       s->nblocks, s->used_blocks, s->owner_uid, s->owner_pid);
	cmd_print_json_string(s->owner_comm);
	fputs(", \"kinds\": [", stdout);
	cmd_print_kinds(s->kinds, "\"", ", ");
	fputs("]}", stdout);
}

static int list(int argc, char **argv)
{
	bool json = argc == 3 && !strcmp(argv[2], "--json"), first = true;
	struct kutrace_session s;
	uint32_t id = 0;
	int ret;

	if (argc > 2 && !json)
		return cmd_usage_error("session list: %s: takes --json or nothing", argv[2]);
	while (!(ret = kutrace_session_next(id, &s))) {
		if (json)
			print_session_json(&s, first);
		else
			print_session(&s);
		first = false;
		id = s.id + 1;
	}
	if (ret != -ESRCH)
		return cmd_error("session list", ret);
	if (json)
		puts("\n]");
	return CMD_OK;
}

static int destroy(int argc, char **argv)
{
	int ret;

	if (argc != 3)
		return cmd_usage_error("session destroy: wants one name");
	if (!strcmp(argv[2], KUTRACE_SESSION_MAIN))
		return cmd_fail("session destroy: the main session is there as long as the "
				"module: unload that");
	ret = kutrace_session_destroy(argv[2]);
	return ret ? say_error("session destroy", argv[2], ret) : CMD_OK;
}

int cmd_session_command(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "create"))
		return create(argc, argv);
	if (argc >= 2 && !strcmp(argv[1], "list"))
		return list(argc, argv);
	if (argc >= 2 && !strcmp(argv[1], "destroy"))
		return destroy(argc, argv);
	return cmd_usage_error("session: wants create NAME, list or destroy NAME");
}
