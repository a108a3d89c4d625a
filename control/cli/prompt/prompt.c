// SPDX-License-Identifier: BSD-3-Clause
/*
 * The prompt, which reads commands from standard input. Must not end a recording unless a command
 * requests it: at the end of the input it goes on, quit ends it.
 */
#include "cli/prompt/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/command/commands.h"
#include "libkutrace.h"

#define LINE_BYTES	4200	/* a command and a path */
#define WORDS_MAX	40

/* Removes blanks at both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Executes a command with several arguments, none of which contains blanks. */
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
	char *name = trim(line), *arg, end;
	bool words;

	if (!*name)
		return cmd_do("stat", NULL);
	arg = name + strcspn(name, " \t");
	end = *arg;
	*arg = '\0';
	if (cmd_not_at_prompt(name))
		return cmd_usage_error("%s: not at the prompt: \"" CMD_TOOL " %s ...\"", name,
				       name);
	words = cmd_takes_words(name, end && arg[1 + strspn(arg + 1, " \t")] == '-');
	*arg = end;
	if (words)
		return do_words(name);
	if (*arg) {
		*arg++ = '\0';
		arg = trim(arg);
	}
	return cmd_do(name, *arg ? arg : NULL);
}

/*
 * Reads a line of standard input. Returns false at its end. Sets *@too_long for a line that does
 * not fit, and skips its rest.
 */
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

	cmd_begin_prompt();
	for (;;) {
		if (tty && !edit)
			fputs("> ", stdout);
		fflush(stdout);
		if (edit ? !cmd_edit_line("> ", line, sizeof(line), cmd_command_name)
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
		cmd_print_still_recording();
	return tty ? CMD_OK : status;
}
