// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the options before the command of kutrace_control on the fake module, through main().
 * -force must never end or empty a session in which the command does not record.
 */
#include "lib_tool.h"

int control_main(int argc, char **argv);
#define main control_main
#define command main_command	/* lib_tool.h has another command() */
#define prompt main_prompt
#include "cli/main.c"
#undef main
#undef command
#undef prompt

#define ARGUMENTS_MAX	8

/* Calls main() with the words of @line. Returns its exit status. */
static int tool(const char *line, const char *input)
{
	char text[200], *argv[ARGUMENTS_MAX + 2] = {CMD_TOOL}, *word;
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok(text, " "); word && argc <= ARGUMENTS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	return call(control_main, argc, argv, input);
}

/* Makes another user record in both sessions. The main session has two blocks. */
static int two_record(void **state)
{
	fresh(state);
	fake_with_sessions();
	if (tool("session create foo", "") || tool("--session foo go", "") || tool("go", "")) {
		print_error("%s", err);
		return -1;
	}
	fill(0, 1, 0x123456);
	fill(1, 0, 0x123457);
	fake->session[1].info.used_blocks = 5;
	return 0;
}

static void assert_main_untouched(void)
{
	assert_int_equal(fake->info.recording, 1);
	assert_int_equal(fake->info.used_blocks, 2);
}

static void assert_foo_untouched(void)
{
	assert_int_equal(fake->session[1].info.recording, 1);
	assert_int_equal(fake->session[1].info.used_blocks, 5);
}

static void force_applies_to_the_session(void **state)
{
	static const char *const lines[] = {
		"-force --session foo go", "--session foo -force go", "--force --session=foo go",
		"-force --session foo start --wrap", "-force start --session foo",
		"--session foo -force -- 1",
		"--session foo go -force", "--session foo gowrap --force", "--session foo 1 -force",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(two_record(state), 0);
		assert_int_equal(tool(lines[i], ""), 0);
		assert_string_equal(err, "");
		assert_main_untouched();
		assert_int_equal(fake->session[1].info.recording, 1);
		assert_int_equal(fake->session[1].info.used_blocks, 0);
	}
}

static void force_of_the_main_session(void **state)
{
	static const char *const lines[] = {"-force go", "-force gowrap", "-force on", "-force 1",
					    "go -force", "on -force",
					    "-force run -o x.trace -- true"};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(two_record(state), 0);
		assert_int_equal(tool(lines[i], ""), 0);
		assert_int_equal(fake->info.used_blocks, 0);
		assert_int_equal(fake->info.recording, strncmp(lines[i], "-force run", 10) != 0);
		assert_foo_untouched();
	}
}

/*
 * Checks that -force on the command line applies to the first command of the prompt only, as in
 * KUtrace 3 (Sites).
 */
static void force_at_the_prompt(void **state)
{
	assert_int_equal(two_record(state), 0);
	assert_int_equal(tool("-force", "test\n"), 0);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(fake->info.used_blocks, 0);
	assert_foo_untouched();
	assert_int_equal(tool("--session foo -force", "go\ngo\n"), 0);
	assert_int_equal(fake->session[1].info.used_blocks, 0);
	assert_int_equal(fake->session[1].info.recording, 1);
}

/* Checks that "go -force" in a line of the prompt applies to that line only. */
static void force_of_a_line(void **state)
{
	assert_int_equal(two_record(state), 0);
	assert_int_equal(tool("", "go -force\nquit\n"), 0);
	assert_string_equal(err, "");
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(fake->info.used_blocks, 0);
	assert_foo_untouched();

	assert_int_equal(two_record(state), 0);
	assert_int_equal(tool("", "go x -force\nstat -force\ngo\n"), 2);
	assert_main_untouched();
}

/*
 * Checks that -force before a wrong command, or before a command that begins no recording, ends and
 * empties no recording.
 */
static void force_before_a_command_that_does_not_record(void **state)
{
	static const struct {
		const char *line;
		int status;
	} lines[] = {
		{"-force nonsense", 2}, {"-force decode x.trace", 2}, {"-force help", 0},
		{"-force --version", 0}, {"-force --help", 0}, {"-force --wat go", 2},
		{"-force --session nothere stat", 1}, {"-force=1 go", 2}, {"--force=1 go", 2},
		{"-force go x", 2}, {"go x -force", 2}, {"stop -force", 2}, {"stat --force", 2},
		{"-force start --rap", 2}, {"-force run", 125}, {"-force run --help", 0},
		{"-force start --trigger wat", 2},
		{"-force stat", 0}, {"-force status", 0}, {"-force session list", 0},
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(two_record(state), 0);
		if (tool(lines[i].line, "") != lines[i].status)
			fail_msg("%s: %s", lines[i].line, err);
		assert_main_untouched();
		assert_foo_untouched();
	}
}

/* Tests the commands of KUtrace 3 (Sites) for each choice of counters. */
static void go_with_cache_misses(void **state)
{
	static const struct {
		const char *line;
		uint32_t flags;
	} lines[] = {
		{"gollc", KUTRACE_RESET_LLC}, {"gollcwrap", KUTRACE_RESET_LLC | KUTRACE_RESET_WRAP},
		{"goipcllc", KUTRACE_RESET_IPC | KUTRACE_RESET_LLC},
		{"goipcllcwrap", KUTRACE_RESET_IPC | KUTRACE_RESET_LLC | KUTRACE_RESET_WRAP},
	};
	char input[40];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fresh(state);
		assert_int_equal(tool(lines[i].line, ""), 0);
		assert_int_equal(fake->info.flags, lines[i].flags);
		assert_int_equal(fake->info.recording, 1);
		snprintf(input, sizeof(input), "%s -force\nquit\n", lines[i].line);
		assert_int_equal(tool("", input), 0);
		assert_string_equal(err, "");
		assert_int_equal(tool(lines[i].line, ""), 0);
		assert_int_equal(tool(lines[i].line, ""), 1);
	}
}

/* Checks that without a module, commands that do not record still work. */
static void force_without_a_module(void **state)
{
	(void)state;
	fake->ioctl_error = ENODEV;
	assert_int_equal(tool("-force help", ""), 0);
	assert_int_equal(tool("-force --version", ""), 0);
	assert_string_equal(out, CMD_TOOL " " KUTRACE_VERSION "\n");
	assert_int_equal(tool("-force nonsense", ""), 2);
	starts_with(err, "kutrace_control: nonsense: no such command\n");
	assert_int_equal(tool("-force go", ""), 1);
	fake->ioctl_error = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(force_applies_to_the_session, fresh),
		cmocka_unit_test_setup(force_of_the_main_session, fresh),
		cmocka_unit_test_setup(force_at_the_prompt, fresh),
		cmocka_unit_test_setup(force_of_a_line, fresh),
		cmocka_unit_test_setup(go_with_cache_misses, fresh),
		cmocka_unit_test_setup(force_before_a_command_that_does_not_record, fresh),
		cmocka_unit_test_setup(force_without_a_module, fresh),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
