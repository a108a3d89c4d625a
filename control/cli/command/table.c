// SPDX-License-Identifier: BSD-3-Clause
/*
 * Table of all commands, and the functions of the commands that the KUtrace User Guide describes
 * (go, stop and similar). Must not end a recording unless the command requests it. A command must
 * not run without the session that it applies to.
 */
#include "cli/command/commands.h"

#include <time.h>

#include "cli/base/base.h"
#include "cli/shared/traces.h"

/* An entry of the table. Its functions get the entry, run_arg() also the argument or NULL. */
struct command {
	const char *name;
	int (*run)(const struct command *self);
	int (*run_arg)(const struct command *self, const char *arg);
	int (*go)(const char *process_name);
	bool ipc, llc, wrap;	/* options of an old go command */
	int (*simple)(void);
	const char *argument;	/* description of the argument; NULL: none */
	int (*argv)(int argc, char **argv);	/* set for commands with several arguments */
	bool any_session;	/* the command needs no selected session */
	bool no_prompt;		/* not available at the prompt */
};

static bool at_prompt;

void cmd_begin_prompt(void)
{
	at_prompt = true;
}

/* Start time of the recording that was started, or turned on again, at this prompt; 0: none. */
static uint64_t started_here;

static void set_started_here(void)
{
	struct kutrace_info info;

	if (!kutrace_get_info(&info))
		started_here = info.start.counts;
}

/*
 * Start time of the recording that was turned off at this prompt. A later stop then prints no
 * message about the end.
 */
static uint64_t turned_off;

static int run_simple(const struct command *self)
{
	struct kutrace_info info;
	int ret = self->simple == kutrace_do_on ? cmd_apply_force() : 0;

	ret = ret ?: self->simple();
	if (!ret && self->simple == kutrace_do_off && !kutrace_get_info(&info))
		turned_off = info.start.counts;
	if (!ret && self->simple == kutrace_do_on)
		set_started_here();
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_go(const struct command *self)
{
	struct cmd_record record = {.ipc = self->ipc, .llc = self->llc, .wrap = self->wrap};
	const char *failed;
	bool created;
	int ret = cmd_use_or_create(self->name, NULL, &created);

	if (ret)
		return ret;
	ret = cmd_record_begin(&record, self->go, &failed);
	if (ret < 0)
		return cmd_error(self->name, ret);
	set_started_here();
	cmd_record_unbind(created);
	return CMD_OK;
}

/* Reports that the written recording had ended before the stop command. */
static void print_already_ended(const struct kutrace_info *info)
{
	time_t end = (time_t)(info->stop.real_ns / 1000000000);
	char text[40], starter[20];
	struct tm tm;

	if (!localtime_r(&end, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text, "?");
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": stop: no recording was on: this is the recording that "
		"ended at %s, started by %s (pid %u)\n", text,
		info->start_comm[0] ? cmd_printable(info->start_comm, starter, sizeof(starter)) : "?",
		info->start_pid);
}

static int run_stop(const struct command *self, const char *arg)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	ret = ret ?: kutrace_do_off();
	ret = ret ?: kutrace_do_flush();
	if (ret == -ENODATA && info.start.counts)
		return cmd_fail("%s: nothing has been recorded: the last start was refused; "
				"\"dump FILE\" writes the previous recording", self->name);
	if (ret < 0)
		return cmd_error(self->name, ret);
	ret = cmd_write_trace(self->name, arg, false, kutrace_dump);
	if (!ret && !info.recording && info.start.counts != turned_off)
		print_already_ended(&info);
	return ret;
}

static int run_dump(const struct command *self, const char *arg)
{
	return cmd_write_trace(self->name, arg, false, kutrace_dump);
}

static int run_reset(const struct command *self, const char *arg)
{
	int ret;

	if (arg && strcmp(arg, "wrap") && strcmp(arg, "ipc"))
		return cmd_usage_error("reset: %s: takes wrap, ipc or nothing", arg);
	ret = kutrace_do_reset(!arg ? 0 : !strcmp(arg, "wrap") ? KUTRACE_GO_WRAP
							       : KUTRACE_GO_IPC);
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int init(void)
{
	return kutrace_do_init(CMD_TOOL);
}

static int run_stat(const struct command *self)
{
	struct kutrace_info info;
	uint64_t lost = 0;
	int ret = kutrace_get_info(&info);

	if (ret < 0)
		return cmd_error(self->name, ret);
	for (size_t i = 0; i < KUTRACE_LOST_CAUSES; i++)
		lost += info.lost[i];
	printf("%s, %u of %u blocks used (%llu of %llu KB)%s, %llu lost\n",
	       info.recording ? "recording" : "off", info.used_blocks, info.nblocks,
	       (unsigned long long)info.used_blocks * KUTRACE_BLOCK_BYTES / 1024,
	       (unsigned long long)info.nblocks * KUTRACE_BLOCK_BYTES / 1024,
	       info.wrapped ? ", wrapped" : "", (unsigned long long)lost);
	return CMD_OK;
}

static int run_test(const struct command *self)
{
	int ret = kutrace_do_test();

	if (ret < 0)
		return cmd_error(self->name, ret);
	printf("module version %llu, %s\n", (unsigned long long)kutrace_version_module(),
	       ret ? "recording" : "not recording");
	return CMD_OK;
}

void cmd_print_still_recording(void)
{
	fprintf(stderr, CMD_TOOL ": still recording: \"" CMD_TOOL "%s%s stop\" ends and "
		"writes it\n", cmd_session() ? " --session " : "",
		cmd_session() ? cmd_session() : "");
}

/* At a prompt, quit ends only a recording started there. From the shell, it ends any recording. */
static int run_quit(const struct command *self)
{
	struct kutrace_info info;
	int ret;

	(void)self;
	if (at_prompt && !kutrace_get_info(&info) && info.recording &&
	    info.start.counts != started_here) {
		cmd_print_still_recording();
		return CMD_QUIT;
	}
	ret = kutrace_do_quit();
	/* without a module, or without permission, there is nothing to end */
	if (ret < 0 && ret != -ENODEV && ret != -EPERM)
		cmd_error(self->name, ret);
	return CMD_QUIT;
}

static int run_help(const struct command *self)
{
	(void)self;
	puts("go gowrap goipc goipcwrap stop [FILE] start [--wrap] snapshot [FILE] wait\n"
	     "reset [wrap|ipc] init on off flush dump [FILE] stat (or Enter) status test quit\n"
	     "mask filter tracepoints tracepoint show session\n"
	     "more: man kutrace_control, or kutrace_control --help");
	return CMD_OK;
}

#define OLD_GO(word, ...) \
	{word, .run = run_go, .go = kutrace_go, .any_session = true, .llc = true, __VA_ARGS__}

static const struct command commands[] = {
	{.name = "go", .run = run_go, .go = kutrace_go, .any_session = true},
	{.name = "goipc", .run = run_go, .go = kutrace_goipc, .any_session = true},
	{.name = "gowrap", .run = run_go, .go = kutrace_gowrap, .any_session = true},
	{.name = "goipcwrap", .run = run_go, .go = kutrace_goipcwrap, .any_session = true},
	{.name = "start", .argv = cmd_start, .any_session = true},
	{.name = "stop", .run_arg = run_stop, .argument = "a file name"},
	{.name = "dump", .run_arg = run_dump, .argument = "a file name"},
	{.name = "snapshot", .argv = cmd_snapshot, .any_session = true},
	{.name = "reset", .run_arg = run_reset, .argument = "wrap"},
	{.name = "init", .run = run_simple, .simple = init},
	{.name = "on", .run = run_simple, .simple = kutrace_do_on},
	{.name = "off", .run = run_simple, .simple = kutrace_do_off},
	{.name = "flush", .run = run_simple, .simple = kutrace_do_flush},
	{.name = "stat", .run = run_stat},
	{.name = "status", .argv = cmd_status},
	{.name = "doctor", .argv = cmd_doctor, .any_session = true},
	{.name = "selftest", .argv = cmd_selftest, .any_session = true, .no_prompt = true},
	{.name = "mask", .argv = cmd_mask},
	{.name = "filter", .argv = cmd_filter},
	{.name = "tracepoints", .argv = cmd_tracepoints},
	{.name = "tracepoint", .argv = cmd_tracepoint},
	{.name = "show", .argv = cmd_show},
	{.name = "wait", .argv = cmd_wait, .any_session = true},
	{.name = "watch", .argv = cmd_watch, .any_session = true, .no_prompt = true},
	{.name = "session", .argv = cmd_session_command, .any_session = true},
	{.name = "run", .argv = cmd_run, .any_session = true, .no_prompt = true},
	{.name = "record", .argv = cmd_record, .any_session = true, .no_prompt = true},
	{.name = "stream", .argv = cmd_stream, .no_prompt = true},
	{.name = "receive", .argv = cmd_receive, .any_session = true, .no_prompt = true},
	{.name = "test", .run = run_test},
	{.name = "quit", .run = run_quit},
	{.name = "exit", .run = run_quit},
	{.name = "help", .run = run_help, .any_session = true},
	/* forms of "start --llc" in KUtrace 3 (Sites); help and completion leave them out */
	OLD_GO("gollc"),
	OLD_GO("gollcwrap", .wrap = true),
	OLD_GO("goipcllc", .ipc = true),
	OLD_GO("goipcllcwrap", .ipc = true, .wrap = true),
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	static const struct {
		const char *alias, *name;
	} aliases[] = {
		{"0", "off"}, {"1", "on"}, {"gowrapipc", "goipcwrap"},	/* KUtrace 3 (Sites) */
	};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].alias, name))
			name = aliases[i].name;
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

bool cmd_is_command(const char *name)
{
	return find(name) != NULL;
}

const char *cmd_command_name(size_t number)
{
	/* only the old commands, at the end of the table, have llc */
	return number < COMMANDS && !commands[number].llc ? commands[number].name : NULL;
}

/* Selects the session, unless the command selects it itself, as go, start, run and wait do. */
static int use_session(const struct command *command)
{
	return command->any_session ? CMD_OK : cmd_use_session(command->name);
}

int cmd_do_argv(int argc, char **argv)
{
	const struct command *command = find(argv[0]);
	int ret;

	if (!command || !command->argv)
		return -1;
	ret = use_session(command);
	ret = ret ?: command->argv(argc, argv);
	if (!ret && command->argv == cmd_start)
		set_started_here();
	return ret;
}

bool cmd_takes_force(const char *name, const char *arg)
{
	const struct command *command = find(name);

	return command && (command->go || command->simple == kutrace_do_on) &&
	       (!strcmp(arg, "-force") || !strcmp(arg, "--force"));
}

int cmd_do(const char *name, const char *arg)
{
	const struct command *command = find(name);
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)arg, NULL};
	int ret;

	if (!command)
		return cmd_no_command(name);
	if (command->argv)
		return cmd_do_argv(arg ? 2 : 1, argv);
	if (arg && cmd_takes_force(name, arg)) {
		/* for this command only: end the session's recording and empty its buffer */
		cmd_force(true);
		ret = cmd_do(name, NULL);
		cmd_force(false);
		return ret;
	}
	if (arg && !command->argument)
		return cmd_usage_error("%s: takes no argument", name);
	ret = use_session(command);
	if (ret)
		return command->run == run_quit ? CMD_QUIT : ret;
	return command->run ? command->run(command) : command->run_arg(command, arg);
}

bool cmd_not_at_prompt(const char *name)
{
	const struct command *command = find(name);

	return command && command->no_prompt;
}

bool cmd_takes_words(const char *name, bool option)
{
	const struct command *command = find(name);

	/* a file name may contain blanks */
	return command && command->argv && (command->argv != cmd_snapshot || option);
}
