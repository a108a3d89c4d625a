// SPDX-License-Identifier: BSD-3-Clause
/*
 * All commands by name, and their functions. A command must not run without the session that it
 * applies to.
 */
#include "cli/command/table.h"

#include <string.h>

#include "cli/base/message.h"
#include "cli/command/commands.h"
#include "cli/command/guide.h"
#include "cli/shared/session.h"
#include "libkutrace.h"

static const struct cmd_command commands[] = {
	{.name = "go", .run = cmd_run_go, .go = kutrace_go, .any_session = true},
	{.name = "goipc", .run = cmd_run_go, .go = kutrace_goipc, .any_session = true},
	{.name = "gowrap", .run = cmd_run_go, .go = kutrace_gowrap, .any_session = true},
	{.name = "goipcwrap", .run = cmd_run_go, .go = kutrace_goipcwrap, .any_session = true},
	{.name = "start", .argv = cmd_start, .any_session = true},
	{.name = "stop", .run = cmd_run_stop, .argument = "a file name"},
	{.name = "dump", .run = cmd_run_dump, .argument = "a file name"},
	{.name = "snapshot", .argv = cmd_snapshot},
	{.name = "reset", .run = cmd_run_reset, .argument = "wrap"},
	{.name = "init", .run = cmd_run_init},
	{.name = "on", .run = cmd_run_simple, .simple = kutrace_do_on},
	{.name = "off", .run = cmd_run_simple, .simple = kutrace_do_off},
	{.name = "flush", .run = cmd_run_simple, .simple = kutrace_do_flush},
	{.name = "stat", .run = cmd_run_stat},
	{.name = "status", .argv = cmd_status},
	{.name = "doctor", .argv = cmd_doctor, .any_session = true},
	{.name = "mask", .argv = cmd_mask},
	{.name = "filter", .argv = cmd_filter},
	{.name = "tracepoints", .argv = cmd_tracepoints},
	{.name = "tracepoint", .argv = cmd_tracepoint},
	{.name = "show", .argv = cmd_show},
	{.name = "wait", .argv = cmd_wait, .any_session = true},
	{.name = "watch", .argv = cmd_watch, .any_session = true, .no_prompt = true},
	{.name = "session", .argv = cmd_session_command, .any_session = true},
	{.name = "run", .argv = cmd_run, .any_session = true, .no_prompt = true},
	{.name = "stream", .argv = cmd_stream, .no_prompt = true},
	{.name = "receive", .argv = cmd_receive, .any_session = true, .no_prompt = true},
	{.name = "test", .run = cmd_run_test},
	{.name = "quit", .run = cmd_run_quit},
	{.name = "exit", .run = cmd_run_quit},
	{.name = "help", .run = cmd_run_help, .any_session = true},
};

#define OLD_GO(word, what, wraps) { \
	word, .run = cmd_run_go, .go = kutrace_go, .counted = (what), .wrap = (wraps), \
	.any_session = true, \
}

/* KUtrace 3 (Sites) has these forms of "start --llc". Help and completion leave them out. */
static const struct cmd_command old_commands[] = {
	OLD_GO("gollc", KUTRACE_GO_LLC, false),
	OLD_GO("gollcwrap", KUTRACE_GO_LLC, true),
	OLD_GO("goipcllc", KUTRACE_GO_IPC | KUTRACE_GO_LLC, false),
	OLD_GO("goipcllcwrap", KUTRACE_GO_IPC | KUTRACE_GO_LLC, true),
};

static const struct cmd_command *find(const char *name)
{
	size_t i;

	if (!strcmp(name, "gowrapipc"))	/* name in KUtrace 3 (Sites) */
		name = "goipcwrap";
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	for (i = 0; i < sizeof(old_commands) / sizeof(old_commands[0]); i++)
		if (!strcmp(old_commands[i].name, name))
			return &old_commands[i];
	return NULL;
}

bool cmd_is_command(const char *name)
{
	return find(name) != NULL;
}

const char *cmd_command_name(size_t number)
{
	return number < sizeof(commands) / sizeof(commands[0]) ? commands[number].name : NULL;
}

/* Selects the session. go, start, run and wait select their own. */
static int use_session(const struct cmd_command *command)
{
	return command->any_session ? CMD_OK : cmd_use_session(command->name);
}

int cmd_do_argv(int argc, char **argv)
{
	const struct cmd_command *command = find(argv[0]);
	int ret;

	if (!command || !command->argv)
		return -1;
	ret = use_session(command);
	if (!ret)
		ret = command->argv(argc, argv);
	if (!ret && command->argv == cmd_start)
		cmd_note_begun();
	return ret;
}

bool cmd_takes_force(const char *name, const char *arg)
{
	const struct cmd_command *command = find(name);

	return command && (command->go || command->simple == kutrace_do_on) &&
	       (!strcmp(arg, "-force") || !strcmp(arg, "--force"));
}

/* Ends and empties what the session has, if that is recording. Only for this command. */
static int do_forced(const char *name)
{
	int ret;

	cmd_force(true);
	ret = cmd_do(name, NULL);
	cmd_force(false);
	return ret;
}

int cmd_do(const char *name, const char *arg)
{
	const struct cmd_command *command = find(name);
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)arg, NULL};
	int ret;

	if (!command)
		return cmd_usage_error("%s: no such command", name);
	if (command->argv)
		return cmd_do_argv(arg ? 2 : 1, argv);
	if (arg && cmd_takes_force(name, arg))
		return do_forced(name);
	if (arg && !command->argument)
		return cmd_usage_error("%s: takes no argument", name);
	ret = use_session(command);
	if (ret)
		return command->run == cmd_run_quit ? CMD_QUIT : ret;
	return command->run(command, arg);
}


bool cmd_not_at_prompt(const char *name)
{
	const struct cmd_command *command = find(name);

	return command && command->no_prompt;
}

bool cmd_takes_words(const char *name, bool option)
{
	const struct cmd_command *command = find(name);

	/* a file name may contain blanks */
	return command && command->argv && (command->argv != cmd_snapshot || option);
}
