// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control: the commands of the User Guide, by name, and the prompt that
 * reads them. Must never end a recording that it was not told to end: leaving at
 * the end of the input keeps it running, quit ends it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

#define LINE_BYTES	4200	/* a command and a path */
#define WORDS_MAX	40

/* --- commands ----------------------------------------------------------------- */

struct command {
	const char *name;
	int (*run)(const struct command *self, const char *arg);
	int (*go)(const char *process_name);
	int (*simple)(void);
	const char *argument;	/* what it takes; NULL: nothing */
	int (*argv)(int argc, char **argv);	/* or it takes several */
	bool any_session;	/* it does not matter which is used */
	bool no_prompt;		/* only by itself */
};

static bool at_prompt;

/* Start of the recording that was begun, or turned on again, at this prompt; 0: none. */
static uint64_t begun_here;

static void note_begun(void)
{
	struct kutrace_info info;

	if (!kutrace_get_info(&info))
		begun_here = info.start.counts;
}

/* Start of a recording that was turned off here: who types stop then knows which it is. */
static uint64_t turned_off;

static int run_simple(const struct command *self, const char *arg)
{
	struct kutrace_info info;
	int ret = self->simple();

	(void)arg;
	if (!ret && self->simple == kutrace_do_off && !kutrace_get_info(&info))
		turned_off = info.start.counts;
	if (!ret && self->simple == kutrace_do_on)
		note_begun();
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_go(const struct command *self, const char *arg)
{
	struct cmd_record record = {0};
	const char *failed;
	bool created;
	int ret = cmd_use_or_create(self->name, NULL, &created);

	(void)arg;
	if (ret)
		return ret;
	ret = cmd_record_begin(&record, self->go, &failed);
	if (ret < 0)
		return cmd_error(self->name, ret);
	note_begun();
	cmd_record_leave(created);
	return CMD_OK;
}

/* What is written is not what is just being recorded: says what it is. */
static void say_it_had_ended(const struct kutrace_info *info)
{
	time_t end = (time_t)(info->stop.real_ns / 1000000000);
	char text[40], starter[20];
	struct tm tm;

	if (!localtime_r(&end, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text, "?");
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": stop: nothing was recording: this is what was recorded "
		"until %s, started by %s (pid %u)\n", text,
		info->start_comm[0] ? cmd_shown(info->start_comm, starter, sizeof(starter)) : "?",
		info->start_pid);
}

static int run_stop(const struct command *self, const char *arg)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	if (!ret)
		ret = kutrace_do_off();
	if (!ret)
		ret = kutrace_do_flush();
	if (ret == -ENODATA && info.start.counts)
		return cmd_fail("%s: nothing has been recorded, as that was refused: \"dump "
				"FILE\" writes the recording before", self->name);
	if (ret < 0)
		return cmd_error(self->name, ret);
	ret = cmd_write_trace(self->name, arg, false);
	if (!ret && !info.recording && info.start.counts != turned_off)
		say_it_had_ended(&info);
	return ret;
}

static int run_dump(const struct command *self, const char *arg)
{
	return cmd_write_trace(self->name, arg, false);
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

static int run_init(const struct command *self, const char *arg)
{
	int ret = kutrace_do_init(CMD_TOOL);

	(void)arg;
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_stat(const struct command *self, const char *arg)
{
	struct kutrace_info info;
	uint64_t lost = 0;
	size_t i;
	int ret = kutrace_get_info(&info);

	(void)arg;
	if (ret < 0)
		return cmd_error(self->name, ret);
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		lost += info.lost[i];
	printf("%s, %u of %u blocks used (%llu of %llu KB)%s, %llu lost\n",
	       info.recording ? "recording" : "off", info.used_blocks, info.nblocks,
	       (unsigned long long)info.used_blocks * KUTRACE_BLOCK_BYTES / 1024,
	       (unsigned long long)info.nblocks * KUTRACE_BLOCK_BYTES / 1024,
	       info.wrapped ? ", wrapped" : "", (unsigned long long)lost);
	return CMD_OK;
}

static int run_test(const struct command *self, const char *arg)
{
	int ret = kutrace_do_test();

	(void)arg;
	if (ret < 0)
		return cmd_error(self->name, ret);
	printf("module version %llu, %s\n", (unsigned long long)kutrace_version_module(),
	       ret ? "recording" : "not recording");
	return CMD_OK;
}

static void say_still_recording(void)
{
	fprintf(stderr, CMD_TOOL ": still recording: \"" CMD_TOOL "%s%s stop\" ends and "
		"writes it\n", cmd_session() ? " --session " : "",
		cmd_session() ? cmd_session() : "");
}

/* Whoever leaves a prompt ends what was begun there; by itself it is about any. */
static int run_quit(const struct command *self, const char *arg)
{
	struct kutrace_info info;
	int ret;

	(void)self;
	(void)arg;
	if (at_prompt && !kutrace_get_info(&info) && info.recording &&
	    info.start.counts != begun_here) {
		say_still_recording();
		return CMD_QUIT;
	}
	ret = kutrace_do_quit();
	/* without a module, or the right to turn it off, there is nothing to end */
	if (ret < 0 && ret != -ENODEV && ret != -EPERM)
		cmd_error(self->name, ret);
	return CMD_QUIT;
}

static int run_help(const struct command *self, const char *arg)
{
	(void)self;
	(void)arg;
	puts("go gowrap goipc goipcwrap stop [FILE] start [--wrap] snapshot [FILE] wait\n"
	     "reset [wrap|ipc] init on off flush dump [FILE] stat (or Enter) status test quit\n"
	     "mask filter tracepoints tracepoint show session\n"
	     "more: man kutrace_control, or kutrace_control --help");
	return CMD_OK;
}

static const struct command commands[] = {
	{.name = "go", .run = run_go, .go = kutrace_go, .any_session = true},
	{.name = "goipc", .run = run_go, .go = kutrace_goipc, .any_session = true},
	{.name = "gowrap", .run = run_go, .go = kutrace_gowrap, .any_session = true},
	{.name = "goipcwrap", .run = run_go, .go = kutrace_goipcwrap, .any_session = true},
	{.name = "start", .argv = cmd_start, .any_session = true},
	{.name = "stop", .run = run_stop, .argument = "a file name"},
	{.name = "dump", .run = run_dump, .argument = "a file name"},
	{.name = "snapshot", .argv = cmd_snapshot},
	{.name = "reset", .run = run_reset, .argument = "wrap"},
	{.name = "init", .run = run_init},
	{.name = "on", .run = run_simple, .simple = kutrace_do_on},
	{.name = "off", .run = run_simple, .simple = kutrace_do_off},
	{.name = "flush", .run = run_simple, .simple = kutrace_do_flush},
	{.name = "stat", .run = run_stat},
	{.name = "status", .argv = cmd_status},
	{.name = "mask", .argv = cmd_mask},
	{.name = "filter", .argv = cmd_filter},
	{.name = "tracepoints", .argv = cmd_tracepoints},
	{.name = "tracepoint", .argv = cmd_tracepoint},
	{.name = "show", .argv = cmd_show},
	{.name = "wait", .argv = cmd_wait},
	{.name = "session", .argv = cmd_session_command, .any_session = true},
	{.name = "run", .argv = cmd_run, .any_session = true, .no_prompt = true},
	{.name = "stream", .argv = cmd_stream, .no_prompt = true},
	{.name = "test", .run = run_test},
	{.name = "quit", .run = run_quit},
	{.name = "exit", .run = run_quit},
	{.name = "help", .run = run_help, .any_session = true},
};

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
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
	return number < sizeof(commands) / sizeof(commands[0]) ? commands[number].name : NULL;
}

/* go, start and run find their own; an unknown session is no reason not to leave. */
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
	if (!ret)
		ret = command->argv(argc, argv);
	if (!ret && command->argv == cmd_start)
		note_begun();
	return ret;
}

int cmd_do(const char *name, const char *arg)
{
	const struct command *command = find(name);
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)arg, NULL};
	int ret;

	if (!command)
		return cmd_usage_error("%s: no such command", name);
	if (command->argv)
		return cmd_do_argv(arg ? 2 : 1, argv);
	if (arg && !command->argument)
		return cmd_usage_error("%s: takes no argument", name);
	ret = use_session(command);
	if (ret)
		return command->run == run_quit ? CMD_QUIT : ret;
	return command->run(command, arg);
}

/* --- prompt ------------------------------------------------------------------- */

/* Takes blanks off both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* A command that takes several arguments, none of which has blanks in it. */
static int do_words(char *line)
{
	char *argv[WORDS_MAX + 1];
	int argc = 0;

	for (line = strtok(line, " \t"); line; line = strtok(NULL, " \t")) {
		if (argc == WORDS_MAX)
			return cmd_usage_error("%s: too many arguments", argv[0]);
		argv[argc++] = line;
	}
	argv[argc] = NULL;
	return cmd_do_argv(argc, argv);
}

static int do_line(char *line)
{
	const struct command *command;
	char *name = trim(line), *arg, end;

	if (!*name)
		return cmd_do("stat", NULL);
	arg = name + strcspn(name, " \t");
	end = *arg;
	*arg = '\0';
	command = find(name);
	*arg = end;
	if (command && command->no_prompt)
		return cmd_usage_error("%s: not at the prompt: \"" CMD_TOOL " %s ...\"",
				       command->name, command->name);
	/* a file name may have blanks in it */
	if (command && command->argv &&
	    (command->argv != cmd_snapshot || arg[strspn(arg, " \t")] == '-'))
		return do_words(name);
	if (*arg) {
		*arg++ = '\0';
		arg = trim(arg);
	}
	return cmd_do(name, *arg ? arg : NULL);
}

/* A line of stdin; false at its end. Too long a line is said to be so. */
static bool read_line(char *line, size_t size, bool *too_long)
{
	int c;

	*too_long = false;
	if (!fgets(line, (int)size, stdin))
		return false;
	if (strchr(line, '\n') || strlen(line) + 1 < size)
		return true;
	*too_long = true;
	while ((c = getchar()) != EOF && c != '\n')
		;
	return true;
}

int cmd_prompt(void)
{
	bool tty = isatty(STDIN_FILENO), edit = cmd_can_edit(), too_long = false;
	char line[LINE_BYTES];
	int status = CMD_OK, ret;

	at_prompt = true;
	for (;;) {
		if (tty && !edit)
			fputs("> ", stdout);
		fflush(stdout);
		if (edit ? !cmd_edit_line("> ", line, sizeof(line))
			 : !read_line(line, sizeof(line), &too_long))
			break;
		ret = too_long ? cmd_usage_error("line too long") : do_line(line);
		if (ret == CMD_QUIT)
			return tty ? CMD_OK : status;
		if (ret > status)
			status = ret;
	}
	if (tty)
		putchar('\n');
	if (ferror(stdin)) {
		fprintf(stderr, CMD_TOOL ": standard input: %s\n", strerror(errno));
		return CMD_FAILED;
	}
	if (kutrace_test())
		say_still_recording();
	return tty ? CMD_OK : status;
}
