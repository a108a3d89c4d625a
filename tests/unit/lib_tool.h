/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the commands of kutrace_control on the fake module as a user would. Each command runs in
 * a child process, with its standard streams in files, in a directory of its own. One file of
 * each test program includes it.
 */
#ifndef LIB_TOOL_H
#define LIB_TOOL_H

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"
#include "lib_fake.h"
#include "lib_trace.h"

static char dir[] = "/tmp/test_tool.XXXXXX";
static char out[4000], err[4000];

static bool have_dir;

/* Removes the files of the test's directory, and no other file. */
static void empty_dir(void)
{
	DIR *d = have_dir ? opendir(dir) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}

static inline int fresh(void **state)
{
	(void)state;
	fake_reset();
	memset(fake->block, 0, sizeof(fake->block[0]) * 2);
	empty_dir();
	return 0;
}

static inline void fill(uint32_t index, uint32_t cpu, uint64_t counts)
{
	fake->table[index].seq = index + 1;
	fake->table[index].cpu = cpu;
	fake->table[index].state = KUTRACE_BLOCK_DONE;
	fake->block[index][0] = (uint64_t)cpu << 56 | counts;
	fake->info.used_blocks++;
	fake->info.taken_blocks++;
}

static void slurp(const char *name, char *text, size_t size)
{
	FILE *f = fopen(name, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

/*
 * Calls @what in a child process with @input on stdin. Stores the child's output in out and err.
 * Returns its status.
 */
static int call(int (*what)(int, char **), int argc, char **argv, const char *input)
{
	int status;
	pid_t pid;
	FILE *f = fopen("in", "w");

	fputs(input, f);
	fclose(f);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!freopen("in", "r", stdin) || !freopen("out", "w", stdout) ||
		    !freopen("err", "w", stderr))
			_exit(200);
		status = what(argc, argv);
		fflush(NULL);
		_exit(status == CMD_QUIT ? 0 : status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	slurp("out", out, sizeof(out));
	slurp("err", err, sizeof(err));
	fake_assert_no_leak();
	return WEXITSTATUS(status);
}

static int prompt(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return cmd_prompt();
}

static inline int typed(const char *input)
{
	return call(prompt, 0, NULL, input);
}

static int one(int argc, char **argv)
{
	return cmd_do(argv[0], argc > 1 ? argv[1] : NULL);
}

static inline int command(const char *name, const char *arg)
{
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)arg, NULL};

	return call(one, arg ? 2 : 1, argv, "");
}

static inline void starts_with(const char *text, const char *begin)
{
	if (strncmp(text, begin, strlen(begin)))
		print_error("'%s' does not begin with '%s'\n", text, begin);
	assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
}

static int make_dir(void **state)
{
	(void)state;
	have_dir = mkdtemp(dir) && !chdir(dir);
	return !have_dir;
}

static int remove_dir(void **state)
{
	(void)state;
	empty_dir();
	return chdir("/") || rmdir(dir);
}

#endif
