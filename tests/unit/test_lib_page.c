// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control record, and two features of run: the next command that it suggests, and --open. Test
 * programs replace rawtohtml and the browser. tests/viewer tests the real programs.
 */
#include "lib_tool.h"

static char *path_before;

static void script(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(name, 0755), 0);
}

static int fresh_page(void **state)
{
	char path[4200];

	if (!path_before)
		path_before = strdup(getenv("PATH"));
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("BROWSER");
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	snprintf(path, sizeof(path), "%s:%s", dir, path_before);
	setenv("PATH", path, 1);
	return fresh(state);
}

/* Calls: run A B [C] -- /bin/true */
static int run_true(const char *a, const char *b, const char *c)
{
	char *argv[] = {"run", (char *)(uintptr_t)a, (char *)(uintptr_t)b, (char *)(uintptr_t)c,
			"--", "/bin/true", NULL};

	assert_int_equal(chmod(dir, 0755), 0);
	if (!c)
		memmove(argv + 3, argv + 4, 3 * sizeof(*argv));
	return call(cmd_run, c ? 6 : 5, argv, "");
}

/* Returns the text in err after the line that names the written file. */
static const char *behind(void)
{
	const char *line = strchr(err, '\n');

	assert_non_null(line);
	return line + 1;
}

/* Returns whether the search printed @text before the next command. */
static bool searched(const char *text)
{
	char want[300];

	snprintf(want, sizeof(want), "%s\nnext: rawtohtml r.trace -o r.html\n", text);
	return !strcmp(behind(), want);
}

/* Waits until the browser, which is no child of the test, has written a text. */
static void said_by_browser(char *text, size_t size)
{
	int tries;

	for (tries = 0; access("said", F_OK) && tries < 10000; tries++)
		usleep(1000);
	slurp("said", text, size);
}

static void the_next_command_is_named(void **state)
{
	static const struct {
		const char *file, *line;
	} known[] = {
		{"r.trace", "next: rawtohtml r.trace -o r.html\n"},
		{"r", "next: rawtohtml r -o r.html\n"},
		{".trace", "next: rawtohtml .trace -o .trace.html\n"},
		{"a b.trace", "next: rawtohtml 'a b.trace' -o 'a b.html'\n"},
		{"$x'y.trace", "next: rawtohtml '$x'\\''y.trace' -o '$x'\\''y.html'\n"},
		{"-o.trace", "next: rawtohtml ./'-o.trace' -o ./'-o.html'\n"},
		{"tab\there", "next: rawtohtml 'tab?here' -o 'tab?here.html'\n"},
		{"\303\244.trace", "next: rawtohtml '\303\244.trace' -o '\303\244.html'\n"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(run_true("-o", known[i].file, NULL), 0);
		assert_string_equal(behind(), known[i].line);
	}
}

static void no_next_command_is_printed_on_request(void **state)
{
	(void)state;
	assert_int_equal(run_true("--no-next", "-o", "r.trace"), 0);
	assert_string_equal(behind(), "");
}

static void without_a_new_file_no_next_command_is_printed(void **state)
{
	char *argv[] = {"run", "-o", "r.trace", "--", "no-such-program", NULL};

	(void)state;
	assert_int_equal(run_true("-o", "/dev/null", NULL), 0);
	assert_string_equal(behind(), "");
	/* run fails, and r.trace is an older recording */
	assert_int_equal(run_true("-o", "r.trace", NULL), 0);
	assert_int_equal(call(cmd_run, 5, argv, ""), 127);
	assert_null(strstr(err, "next:"));
}

static void the_trace_is_searched_for_findings(void **state)
{
	char text[200];

	(void)state;
	script("spantowhy", "printf '%s|' \"$@\" >called; echo 1. a fault; echo a message >&2; cat");
	assert_int_equal(run_true("-o", "r.trace", NULL), 0);
	slurp("called", text, sizeof(text));
	assert_string_equal(text, "--worst|3|--no-pager|--|r.trace|");
	assert_true(searched("1. a fault"));
	assert_string_equal(out, "");
	assert_int_equal(run_true("--no-findings", "-o", "r.trace"), 0);
	assert_string_equal(behind(), "next: rawtohtml r.trace -o r.html\n");
	assert_int_equal(run_true("-o", "/dev/null", NULL), 0);
	assert_string_equal(behind(), "");
}

static void a_failed_search_does_not_change_the_status(void **state)
{
	char *argv[] = {"run", "-o", "r.trace", "--", "/bin/sh", "-c", "exit 7", NULL};

	(void)state;
	script("spantowhy", "exit 1");
	assert_int_equal(call(cmd_run, 7, argv, ""), 7);
	assert_true(searched("kutrace_control: run: the search for known faults is incomplete: spantowhy has failed (1)"));
	script("spantowhy", "kill -INT $PPID; kill -INT $$");
	assert_int_equal(call(cmd_run, 7, argv, ""), 7);
	assert_true(searched("kutrace_control: run: the search for known faults is incomplete: spantowhy has failed (130)"));
}

/* A trace of more than 32 MB, about five million spans, is not searched. */
static void a_large_trace_is_not_searched(void **state)
{
	struct cmd_user user = {0};
	int fd;

	(void)state;
	script("spantowhy", "echo searched >&2; echo searched");
	fd = open("large.trace", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, (32 << 20) + 1), 0);
	close(fd);
	fd = dup(STDERR_FILENO);
	assert_non_null(freopen("err", "w", stderr));
	cmd_print_findings("run", "large.trace", &user);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	close(fd);
	slurp("err", err, sizeof(err));
	starts_with(err, "kutrace_control: run: the trace was not searched for known faults, because it has more than 32 MB; try ");
}

static void a_generated_file_name_is_printed(void **state)
{
	char *argv[] = {"run", "--", "/bin/true", NULL};

	(void)state;
	assert_int_equal(call(cmd_run, 3, argv, ""), 0);
	starts_with(err, "kutrace_2");
	starts_with(behind(), "next: rawtohtml kutrace_2");
}

static void open_makes_the_page_and_shows_it(void **state)
{
	char text[2000], want[300];

	(void)state;
	script("rawtohtml", "printf '%s|' \"$@\" >called; echo page >\"$4\"");
	script("browser", "printf '%s|' \"$@\" >.said; cat \"$1\" >>.said; mv .said said");
	setenv("BROWSER", "browser", 1);
	assert_int_equal(run_true("--open", "-o", "r.trace"), 0);
	slurp("called", text, sizeof(text));
	assert_string_equal(text, "--title|true|-o|r.html|--|r.trace|");
	assert_string_equal(behind(), "r.html: opened by browser\n");
	said_by_browser(text, sizeof(text));
	snprintf(want, sizeof(want), "%s/r.html|page\n", dir);
	assert_string_equal(text, want);
}

static void without_a_display_the_page_is_named(void **state)
{
	(void)state;
	script("rawtohtml", "echo page >\"$4\"");
	script("xdg-open", "echo opened >said");
	assert_int_equal(run_true("--open", "-o", "r.trace"), 0);
	starts_with(behind(), "r.html: open it in a browser");
	assert_int_equal(access("said", F_OK), -1);
}

/* Calls: record -o r.trace [OPTION VALUE] */
static int record(const char *option, const char *value)
{
	char *argv[] = {"record", "-o", "r.trace", (char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL};

	return call(cmd_record, option ? 5 : 3, argv, "");
}

static void record_writes_the_trace_after_its_time(void **state)
{
	(void)state;
	assert_int_equal(record("--for", "1"), 0);
	starts_with(err, "kutrace_control: record: recording; ^C or \"kill ");
	starts_with(behind(), "r.trace: ");
	assert_non_null(strstr(err, "\nnext: rawtohtml r.trace -o r.html\n"));
	assert_int_equal(access("r.trace", F_OK), 0);
	assert_false(fake->info.recording);
}

/* Sends this process a signal when it records. */
static int record_until_signal(int argc, char **argv)
{
	const pid_t own = getpid();

	if (!fork()) {
		while (!fake->info.recording)
			usleep(1000);
		usleep(100000);
		kill(own, SIGINT);
		_exit(0);
	}
	return cmd_record(argc, argv);
}

static void record_writes_the_trace_at_a_signal(void **state)
{
	char *argv[] = {"record", "-o", "r.trace", NULL};

	(void)state;
	assert_int_equal(call(record_until_signal, 3, argv, ""), 0);
	assert_int_equal(access("r.trace", F_OK), 0);
	assert_false(fake->info.recording);
}

static void record_refuses_wrong_arguments(void **state)
{
	char *argv[] = {"record", "ls", NULL};

	(void)state;
	assert_int_equal(call(cmd_record, 2, argv, ""), 2);
	starts_with(err, "kutrace_control: record: ls: takes no program; try \"kutrace_control run -- ls\"\n");
	assert_int_equal(record("--for", "0"), 2);
	starts_with(err, "kutrace_control: record: --for: 0: needs seconds, 1 to ");
	assert_int_equal(record("--for", "5s"), 2);
	assert_false(fake->info.recording);
}

static void failures_are_reported_and_the_trace_stays(void **state)
{
	(void)state;
	script("rawtohtml", "exit 3");
	assert_int_equal(run_true("--open", "-o", "r.trace"), 125);
	starts_with(behind(), "kutrace_control: run: --open: rawtohtml has failed (3): the trace is ");
	assert_int_equal(access("r.trace", F_OK), 0);
	script("rawtohtml", "echo page >\"$4\"");
	setenv("BROWSER", "/no/such/browser", 1);
	assert_int_equal(run_true("--open", "-o", "r.trace"), 125);
	assert_non_null(strstr(err, "/no/such/browser: No such file or directory: the page is r.html"));
	assert_int_equal(run_true("--open", "-o", "/dev/null"), 125);
	assert_non_null(strstr(err, "cannot make a page: /dev/null is not a regular file"));
}

/* Checks that under sudo, no program runs as root. */
static void all_run_as_the_program_does(void **state)
{
	char text[200];

	(void)state;
	if (geteuid())
		skip();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	assert_int_equal(mkdir("sub", 0777), 0);
	assert_int_equal(chmod("sub", 0777), 0);
	script("rawtohtml", "id -u >sub/maker; echo page >\"$4\"");
	script("spantowhy", "id -u >sub/searcher");
	script("browser", "id -u >sub/.said; echo \"${XDG_RUNTIME_DIR-none}\" >>sub/.said;"
	       "mv sub/.said sub/said");
	setenv("BROWSER", "browser", 1);
	setenv("XDG_RUNTIME_DIR", "/", 1);	/* root's folder */
	assert_int_equal(run_true("--open", "-o", "sub/r.trace"), 0);
	slurp("sub/maker", text, sizeof(text));
	assert_string_equal(text, "65534\n");
	slurp("sub/searcher", text, sizeof(text));
	assert_string_equal(text, "65534\n");
	assert_int_equal(chdir("sub"), 0);
	said_by_browser(text, sizeof(text));
	assert_int_equal(chdir(dir), 0);
	assert_string_equal(text, "65534\nnone\n");
	unsetenv("XDG_RUNTIME_DIR");
	assert_int_equal(system("rm -r sub"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_next_command_is_named, fresh_page),
		cmocka_unit_test_setup(no_next_command_is_printed_on_request, fresh_page),
		cmocka_unit_test_setup(without_a_new_file_no_next_command_is_printed, fresh_page),
		cmocka_unit_test_setup(the_trace_is_searched_for_findings, fresh_page),
		cmocka_unit_test_setup(a_failed_search_does_not_change_the_status, fresh_page),
		cmocka_unit_test_setup(a_large_trace_is_not_searched, fresh_page),
		cmocka_unit_test_setup(a_generated_file_name_is_printed, fresh_page),
		cmocka_unit_test_setup(open_makes_the_page_and_shows_it, fresh_page),
		cmocka_unit_test_setup(without_a_display_the_page_is_named, fresh_page),
		cmocka_unit_test_setup(record_writes_the_trace_after_its_time, fresh_page),
		cmocka_unit_test_setup(record_writes_the_trace_at_a_signal, fresh_page),
		cmocka_unit_test_setup(record_refuses_wrong_arguments, fresh_page),
		cmocka_unit_test_setup(failures_are_reported_and_the_trace_stays, fresh_page),
		cmocka_unit_test_setup(all_run_as_the_program_does, fresh_page),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
