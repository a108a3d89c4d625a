// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control: starts, stops and writes recordings, at a prompt or by one command. This file
 * parses the arguments of the tool itself. Must not exit with 0 if some output could not be
 * printed.
 */
#include <signal.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"
#include "common/die.h"
#include "common/std_fds.h"

/* Executes a command with at most one argument and without options of its own. */
static int simple(int argc, char **argv)
{
	struct cmd_options o = {.what = argv[0], .in_order = true};
	const char *argument;

	if (argc == 2 && cmd_takes_force(argv[0], argv[1]))
		return cmd_do(argv[0], argv[1]);
	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (argc - optind > 1)
		return cmd_usage_error("%s: too many arguments", argv[0]);
	argument = optind < argc ? argv[optind] : NULL;
	if (!strcmp(argv[0], "help")) {
		if (argument && !cmd_is_command(argument))
			return cmd_no_command(argument);
		cmd_help(argument);
		return CMD_OK;
	}
	return cmd_do(argv[0], argument);
}

static int command(int argc, char **argv)
{
	int ret = cmd_do_argv(argc, argv);

	if (ret >= 0)
		return ret;
	if (!cmd_is_command(argv[0]))
		return cmd_no_command(argv[0]);
	return simple(argc, argv);
}

/* Returns whether the command is run, which needs statuses that its program does not use. */
static bool is_run(const char *name)
{
	return name && !strcmp(name, "run");
}

/* Returns the next option of the tool itself. KUtrace 3 (Sites) writes -force for --force. */
static int next_option(struct cmd_options *o, int argc, char **argv)
{
	static char force[] = "--force";
	const int at = o->begun ? optind : 1;

	if (at < argc && !strcmp(argv[at], "-force"))
		argv[at] = force;
	return cmd_next_option(o, argc, argv);
}

/* Reads commands. After -force, first ends the session's recording. */
static int prompt(bool force)
{
	int status = force ? cmd_use_session("-force") : CMD_OK;
	int ret = status == CMD_OK ? cmd_apply_force() : 0;

	if (ret)
		status = cmd_error("-force", ret);
	return status == CMD_OK ? cmd_prompt() : status;
}

/* Executes the command. Sets *@failed to the exit status to use if only the output failed. */
static int dispatch(int argc, char **argv, int *failed)
{
	enum { SESSION = 256, FORCE };
	static const struct cmd_option list[] = {
		{.name = "session", .id = SESSION, .wants = "a name"},
		{.name = "force", .id = FORCE}, {0},
	};
	struct cmd_options o = {.list = list, .in_order = true};
	bool force = false;
	int option, first;

	while ((option = next_option(&o, argc, argv)) >= 0)
		if (option == FORCE)
			force = true;
		else if (cmd_set_session(optarg))
			return is_run(argv[optind]) ? CMD_RUN_FAILED : CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	first = optind;
	if (is_run(argv[first]))
		*failed = CMD_RUN_FAILED;
	if (force)
		cmd_force(true);
	return first < argc ? command(argc - first, argv + first) : prompt(force);
}

int main(int argc, char **argv)
{
	int status, failed = CMD_FAILED;

	ku_take_std_fds();
	cmd_ignore_signals();
	cmd_take_typed_command();
	status = dispatch(argc, argv, &failed);
	cmd_close_session();
	if (status == CMD_QUIT)
		status = CMD_OK;
	if (status > CMD_SIGNAL) {
		fflush(stdout);
		ku_die_of(status - CMD_SIGNAL);
	}
	if (fflush(stdout) || ferror(stdout) || fclose(stdout)) {
		if (status == CMD_OK && cmd_stdout_unread())
			ku_die_of(SIGPIPE);
		fprintf(stderr, CMD_TOOL ": standard output: %s: the output is incomplete\n",
			strerror(errno));
		if (status == CMD_OK)
			status = failed;
	}
	return status;
}
