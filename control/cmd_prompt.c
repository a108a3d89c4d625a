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
#include <unistd.h>

#include "cmd.h"
#include "kutrace_events.h"

#define LINE_BYTES	4200	/* a command and a path */

/* --- dump and what it says ---------------------------------------------------- */

static const char *const lost_texts[] = {
	[KUTRACE_LOST_FULL] = "the buffer was full",
	[KUTRACE_LOST_NESTED] = "an NMI hit a block switch",
	[KUTRACE_LOST_NOBLOCK] = "all blocks were in use",
	[KUTRACE_LOST_NAMES] = "names: the name buffer was full",
	[KUTRACE_LOST_PROBE] = "no return probe was free",
};

/* Progress from the second percent on, on a terminal only; cancels on a signal. */
static int show_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	bool *shown = arg;

	if (cmd_interrupted())
		return 1;
	if (total_bytes >= 64 << 20 && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r%3u%% of %llu MB",
			(unsigned int)(done_bytes * 100 / total_bytes),
			(unsigned long long)(total_bytes >> 20));
		*shown = true;
	}
	return 0;
}

static void describe(FILE *out, const char *fname, const struct kutrace_dump_result *r)
{
	size_t i;

	fprintf(out, "%s: %llu.%03llu s in %llu blocks of 64 KB%s, %llu names, %llu KB\n",
		fname, (unsigned long long)(r->duration_ns / 1000000000),
		(unsigned long long)(r->duration_ns / 1000000 % 1000),
		(unsigned long long)r->data_blocks,
		r->wrapped ? " (the last part: older ones were overwritten)" : "",
		(unsigned long long)r->names, (unsigned long long)(r->bytes / 1024));
	for (i = 0; i < sizeof(lost_texts) / sizeof(lost_texts[0]); i++)
		if (r->lost[i])
			fprintf(out, "lost: %llu (%s)\n", (unsigned long long)r->lost[i],
				lost_texts[i]);
	if (r->bad_names)
		fprintf(out, "lost: %llu (names that could not be read)\n",
			(unsigned long long)r->bad_names);
	if (r->bad_blocks)
		fprintf(out, "lost: %llu blocks (header not valid)\n",
			(unsigned long long)r->bad_blocks);
	if (r->overwritten_blocks)
		fprintf(out, "overwritten while it was written, and left out: %llu blocks\n",
			(unsigned long long)r->overwritten_blocks);
	if (r->lost[KUTRACE_LOST_FULL])
		fprintf(out, "the end is missing: load the module with more memory, "
			"or use gowrap to keep the last part\n");
}

static int write_trace(const char *what, const char *fname, bool to_stderr,
		       int (*write)(const char *, const struct kutrace_dump_options *,
				    struct kutrace_dump_result *))
{
	char name[KUTRACE_FILE_NAME_BYTES];
	struct kutrace_dump_result result;
	bool shown = false;
	struct kutrace_dump_options options = {
		.tool = CMD_TOOL " " KUTRACE_VERSION,
		.progress = show_progress,
		.progress_arg = &shown,
	};
	int ret;

	cmd_catch_signals();
	if (!fname)
		fname = kutrace_make_trace_file_name("kutrace", name);
	ret = write(fname, &options, &result);
	cmd_release_signals();
	if (shown)
		fputs("\r                        \r", stderr);
	if (ret)
		return cmd_dump_error(what, fname, ret);
	describe(to_stderr ? stderr : stdout, fname, &result);
	return CMD_OK;
}

int cmd_write_trace(const char *what, const char *fname, bool to_stderr)
{
	return write_trace(what, fname, to_stderr, kutrace_dump);
}

int cmd_snapshot(int argc, char **argv)
{
	const char *fname = NULL;
	int i = 1;

	if (i < argc && (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output")))
		if (++i == argc || !*argv[i])
			return cmd_usage_error("snapshot: -o: wants a file name");
	if (i < argc)
		fname = argv[i++];
	if (i < argc)
		return cmd_usage_error("snapshot: %s: one file name, please", argv[i]);
	if (fname && fname[0] == '-')
		return cmd_usage_error("snapshot: %s: no such option", fname);
	/* what is written to standard output must not be talked into */
	return write_trace("snapshot", fname, fname && !strcmp(fname, "/dev/stdout"),
			   kutrace_snapshot);
}

/* --- commands ----------------------------------------------------------------- */

struct command {
	const char *name;
	int (*run)(const struct command *self, const char *arg);
	int (*go)(const char *process_name);
	int (*simple)(void);
	const char *argument;	/* what it takes; NULL: nothing */
};

static int run_simple(const struct command *self, const char *arg)
{
	int ret = self->simple();

	(void)arg;
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_go(const struct command *self, const char *arg)
{
	int ret = self->go(CMD_TOOL);

	(void)arg;
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_stop(const struct command *self, const char *arg)
{
	int ret = kutrace_do_off();

	if (!ret)
		ret = kutrace_do_flush();
	if (ret < 0)
		return cmd_error(self->name, ret);
	return cmd_write_trace(self->name, arg, false);
}

static int run_snapshot(const struct command *self, const char *arg)
{
	char *argv[] = {(char *)(uintptr_t)self->name, (char *)(uintptr_t)"-o",
			(char *)(uintptr_t)arg, NULL};

	return cmd_snapshot(arg ? 3 : 1, argv);
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

static int run_start(const struct command *self, const char *arg)
{
	bool wrap = arg && (!strcmp(arg, "--wrap") || !strcmp(arg, "wrap"));
	int ret;

	if (arg && !wrap)
		return cmd_usage_error("start: %s: takes --wrap or nothing", arg);
	ret = wrap ? kutrace_gowrap(CMD_TOOL) : kutrace_go(CMD_TOOL);
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

static int run_status(const struct command *self, const char *arg)
{
	char *argv[] = {(char *)(uintptr_t)self->name, (char *)(uintptr_t)arg, NULL};

	return cmd_status(arg ? 2 : 1, argv);
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

static int run_quit(const struct command *self, const char *arg)
{
	int ret = kutrace_do_quit();

	(void)self;
	(void)arg;
	/* without a module, or the right to turn it off, there is nothing to end */
	if (ret < 0 && ret != -ENODEV && ret != -EPERM)
		cmd_error(self->name, ret);
	return CMD_QUIT;
}

static int run_help(const struct command *self, const char *arg)
{
	(void)self;
	(void)arg;
	puts("go gowrap goipc goipcwrap stop [FILE] start [--wrap] snapshot [FILE]\n"
	     "reset [wrap] init on off flush dump [FILE] stat (or Enter) status test quit\n"
	     "more: man kutrace_control, or kutrace_control --help");
	return CMD_OK;
}

static const struct command commands[] = {
	{.name = "go", .run = run_go, .go = kutrace_go},
	{.name = "goipc", .run = run_go, .go = kutrace_goipc},
	{.name = "gowrap", .run = run_go, .go = kutrace_gowrap},
	{.name = "goipcwrap", .run = run_go, .go = kutrace_goipcwrap},
	{.name = "start", .run = run_start, .argument = "--wrap"},
	{.name = "stop", .run = run_stop, .argument = "a file name"},
	{.name = "dump", .run = run_dump, .argument = "a file name"},
	{.name = "snapshot", .run = run_snapshot, .argument = "a file name"},
	{.name = "reset", .run = run_reset, .argument = "wrap"},
	{.name = "init", .run = run_init},
	{.name = "on", .run = run_simple, .simple = kutrace_do_on},
	{.name = "off", .run = run_simple, .simple = kutrace_do_off},
	{.name = "flush", .run = run_simple, .simple = kutrace_do_flush},
	{.name = "stat", .run = run_stat},
	{.name = "status", .run = run_status, .argument = "--json"},
	{.name = "test", .run = run_test},
	{.name = "quit", .run = run_quit},
	{.name = "exit", .run = run_quit},
	{.name = "help", .run = run_help},
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

int cmd_do(const char *name, const char *arg)
{
	const struct command *command = find(name);

	if (!command)
		return cmd_usage_error("%s: no such command", name);
	if (arg && !command->argument)
		return cmd_usage_error("%s: takes no argument", name);
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

static int do_line(char *line)
{
	char *name = trim(line), *arg;

	if (!*name)
		return cmd_do("stat", NULL);
	arg = name + strcspn(name, " \t");
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
		fputs(CMD_TOOL ": still recording: \"kutrace_control stop\" ends and writes it\n",
		      stderr);
	return tty ? CMD_OK : status;
}
