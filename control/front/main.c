// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace: starts kutrace_control or a filter for each command. Must not read or write a trace itself.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "common/std_fds.h"
#include "front/front.h"

/* Proposes commands for a file that was named in place of a command. Returns CMD_USAGE. */
static int propose_for_file(const char *file, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return cmd_usage_error("%s: a folder, not a command; try \"kutrace page FILE\" with a trace in it", file);
	if (front_ends_with(file, ".html"))
		return cmd_usage_error("%s: a page, not a command; open it in a browser, or try \"kutrace why %s\"", file, file);
	if (front_ends_with(file, ".json"))
		return cmd_usage_error("%s: a file, not a command; try \"kutrace top %s\"", file, file);
	if (!access(file, X_OK))
		return cmd_usage_error("%s: a program, not a command; try \"kutrace run -- %s%s\"", file,
				       strchr(file, '/') ? "" : "./", file);
	return cmd_usage_error("%s: a file, not a command; try \"kutrace page %s\" or \"kutrace why %s\"", file, file, file);
}

/* Proposes commands for a word that is no command. Returns CMD_USAGE. */
static int propose(const char *word)
{
	const struct front_command *command = front_commands;
	char path[4200];
	struct stat st;

	if (cmd_is_known_elsewhere(word))
		return cmd_no_command(word);
	for (; command->name; command++)
		if (command->program && !command->first && !strcmp(command->program, word))
			return cmd_usage_error("%s: no such command; \"kutrace %s\" runs this program", word,
					       command->name);
	if (!strcmp(word, CMD_TOOL))
		return cmd_usage_error("%s: a program, not a command; type \"%s\" alone", word, word);
	if (!stat(word, &st))
		return propose_for_file(word, &st);
	if (strpbrk(word, "./"))
		return cmd_usage_error("%s: no such file, and no such command", word);
	if (*word && cmd_find_in_path(word, path, sizeof(path)))
		return cmd_usage_error("%s: no such command; to record the program %s, try \"kutrace run -- %s\"", word,
				       word, word);
	return cmd_no_command(word);
}

static int dispatch(int argc, char **argv)
{
	struct cmd_options o = {.list = (const struct cmd_option[]){{0}}, .in_order = true};

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (optind == argc) {
		front_print_help(NULL);
		return CMD_USAGE;
	}
	argc -= optind;
	argv += optind;
	return front_find(argv[0]) ? front_do(argc, argv) : propose(argv[0]);
}

int main(int argc, char **argv)
{
	int status;

	ku_take_std_fds();
	cmd_set_tool("kutrace", front_print_help);
	status = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout) || fclose(stdout))
		return cmd_fail("standard output: %s: the output is incomplete", strerror(errno));
	return status;
}
