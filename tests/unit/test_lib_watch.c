// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control watch on the fake module: which files it writes and removes, and what
 * remains if it is killed.
 */
#include <time.h>

#include "lib_tool.h"

#define OLD "rec-20260101-000000.0007.trace"
#define OLDER "rec-20251231-235959.0009.trace"

static int fresh_with_sessions(void **state)
{
	fresh(state);
	fake_with_sessions();
	return 0;
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

/* Returns the first file in the test's directory whose name ends with @end, or NULL. */
static const char *file_with(const char *end)
{
	static char name[256];
	DIR *d = opendir(".");
	struct dirent *entry;
	const char *found = NULL;

	while (!found && (entry = readdir(d))) {
		size_t length = strlen(entry->d_name), wanted = strlen(end);

		if (length < wanted || strcmp(entry->d_name + length - wanted, end))
			continue;
		snprintf(name, sizeof(name), "%s", entry->d_name);
		found = name;
	}
	closedir(d);
	return found;
}

/* Makes a trace of one megabyte, written @ago_s seconds before the recording began. */
static void make_file(const char *name, long ago_s)
{
	struct timespec when[2] = {0};
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	when[0].tv_sec = 1700000000 - ago_s;	/* 1700000000 is the start time in lib_fake.h */
	when[1] = when[0];
	assert_int_equal(futimens(fd, when), 0);
	close(fd);
}

static const char *until;	/* the watch ends when a file with this ending exists, or when err
				 * contains this text */

static bool has_come(void)
{
	char said[4000];

	slurp("err", said, sizeof(said));
	/* watch prints this message when it has begun to catch signals */
	return strstr(said, "session rec") && (file_with(until) || strstr(said, until));
}

/* Runs watch. A child process sends it SIGTERM when the awaited file or text has come. */
static int watching(int argc, char **argv)
{
	pid_t watch = getpid(), killer = fork();
	int status;

	assert_true(killer >= 0);
	if (!killer) {
		while (!has_come() && getppid() == watch)
			usleep(10000);
		kill(watch, SIGTERM);
		_exit(0);
	}
	setvbuf(stderr, NULL, _IONBF, 0);	/* unbuffered, as stderr is unless it is a file */
	assert_int_equal(cmd_set_session("rec"), 0);
	status = cmd_do_argv(argc, argv);
	cmd_close_session();
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	return status;
}

static int watch(const char *line, const char *end)
{
	char copy[400], *argv[20] = {NULL}, *word;
	int argc = 0;

	until = end;
	snprintf(copy, sizeof(copy), "watch %s", line);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return call(watching, argc, argv, "");
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("'%s' is not in '%s'\n", part, text);
	assert_non_null(strstr(text, part));
}

static void each_firing_gives_a_trace(void **state)
{
	char next[400];

	(void)state;
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", ".0001.trace"), 0);
	contains(err, "records in session rec; traces into ., 1024 MB of them\n");
	contains(err, "kutrace_control: fired: syscall>5ms: futex took 7ms, culprit.1234 on CPU 2\n");
	snprintf(next, sizeof(next), "next: rawtohtml ./%s -o ./", file_with(".0001.trace"));
	contains(err, next);
	contains(err, "interrupted; session rec continues to record\n");
	assert_string_equal(out, "");
	/* another watch continues the session, and does not write the same firing again */
	assert_int_equal(watch("--trigger syscall>5ms --size 1", "watching that recording"), 0);
	assert_null(strstr(err, "fired"));
	fake->fire_after = 2;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", ".0002.trace"), 0);
	contains(err, "session rec is already recording: watching that recording\n");
	assert_non_null(file_with(".0001.trace"));
	/*
	 * a trigger that fired while no watch ran is written by the next watch, even if it is not
	 * the first firing
	 */
	assert_int_equal(unlink(file_with(".0002.trace")), 0);
	assert_int_equal(watch("--size 1", ".0002.trace"), 0);
}

/* Checks that after -force, watch ends the existing recording and begins a new one. */
static void force_continues_no_old_recording(void **state)
{
	(void)state;
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", ".0001.trace"), 0);
	cmd_force(true);
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", ".0001.trace"), 0);
	contains(err, "records in session rec; traces into ., 1024 MB of them\n");
	assert_null(strstr(err, "watching that recording"));
	/* -force is still set in this process, because each watch ran in a child */
	assert_int_equal(cmd_apply_force(), 0);
}

static void script(const char *text)
{
	FILE *f = fopen("spantowhy", "w");
	char path[4200];

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod("spantowhy", 0755), 0);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", dir);
	setenv("PATH", path, 1);
}

static void each_trace_is_searched_for_findings(void **state)
{
	char text[2000], mode[8];
	const char *found;
	struct stat st;

	(void)state;
	script("printf '%s|' \"$@\" >called; cut -d' ' -f18,19,41 /proc/self/stat >priority; cat /proc/self/oom_score_adj >>priority\n"
	       "echo \"$TMPDIR\" >>priority; printf 'known faults of all threads, the most expensive first:\\n1. 7 ms, from 1 to 2 s:\\n"
	       "   t5 waited for t6.\\n   Try: x.\\n2. 5 ms, from 3 to 4 s:\\n   t7 slept.\\n   Try: y.\\nnot searched: 1 lost event\\n' >\"$4\"");
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", "lost event"), 0);
	found = file_with(".0001.findings.txt");
	assert_non_null(found);
	assert_int_equal(stat(found, &st), 0);
	snprintf(mode, sizeof(mode), "%o", st.st_mode & 0777);
	assert_string_equal(mode, "600");
	slurp("called", text, sizeof(text));
	starts_with(text, "--worst|3|-o|./rec-");
	contains(text, ".0001.findings.txt|--|./rec-");
	contains(text, ".0001.trace|");
	slurp("priority", text, sizeof(text));
	assert_string_equal(text, "39 19 5\n1000\n.\n");
	contains(err, ".0001.trace: known fault 1. 7 ms, from 1 to 2 s: t5 waited for t6.\n");
	contains(err, ".0001.trace: known fault 2. 5 ms, from 3 to 4 s: t7 slept.\n");
	contains(err, ".0001.trace: not searched: 1 lost event\n");
	assert_null(strstr(err, "Try"));
	assert_null(strstr(err, "the most expensive first"));
	fake->fire_after = 1;
	assert_int_equal(watch("--size 1 --findings 0", ".0002.trace"), 0);
	assert_null(file_with(".0002.findings.txt"));
	script("echo no known fault was found in any thread >\"$4\"");
	fake->fire_after = 1;
	assert_int_equal(watch("--size 1", "no known fault"), 0);
	contains(err, ".0003.trace: no known fault was found in any thread\n");
}

static void a_search_does_not_disturb_the_watch(void **state)
{
	(void)state;
	script("echo >begun; trap 'echo >ended; exit' TERM; while :; do sleep 0.05; done");
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", "begun"), 0);
	/* the end of watch ended the search */
	assert_non_null(file_with("ended"));
	script("exit 3");
	fake->fire_after = 1;
	assert_int_equal(watch("--size 1", "has failed (3)"), 0);
	contains(err, ".0002.trace was not searched for known faults: spantowhy has failed (3)\n");
}

/* Checks that the end of watch also ends the programs that the search has started. */
static void the_end_of_watch_ends_all_of_a_search(void **state)
{
	char text[100];

	(void)state;
	script("sleep 300 & echo $! >.part; mv .part child; wait");
	fake->fire_after = 3;
	assert_int_equal(watch("--trigger syscall>5ms --size 1", "child"), 0);
	slurp("child", text, sizeof(text));
	snprintf(text + strcspn(text, "\n"), 2, " ");
	for (int tries = 0; tries < 200; tries++) {
		char path[120], line[200] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%.*s/stat", (int)strcspn(text, " "), text);
		f = fopen(path, "r");
		if (!f || !fgets(line, sizeof(line), f) || strstr(line, ") Z")) {
			if (f)
				fclose(f);
			return;
		}
		fclose(f);
		usleep(10000);
	}
	fail_msg("process %s still runs", text);
}

/* Begins two searches of r.trace, and ends the first one. */
static int search_twice(int argc, char **argv)
{
	struct cmd_search search = {0};

	(void)argc;
	(void)argv;
	cmd_search_begin("watch", &search, "r.trace", ".", 1);
	cmd_search_begin("watch", &search, "r.trace", ".", 1);
	cmd_search_end(&search);
	return 0;
}

static void one_trace_at_a_time_is_searched(void **state)
{
	(void)state;
	script("sleep 100");
	make_file("r.trace", 0);
	assert_int_equal(call(search_twice, 0, NULL, ""), 0);
	assert_string_equal(err, "kutrace_control: watch: r.trace is not searched for known faults: the previous search has not ended\n");
}

/* A trace of 1 MB needs 48 MB and nine times 1 MB. */
static void a_search_needs_memory(void **state)
{
	static const char before[] = "kutrace_control: watch: r.trace is not searched for known faults: this needs 57 MB of memory, and 56 MB are free, ";
	FILE *f;

	(void)state;
	script("sleep 100");
	make_file("r.trace", 0);
	cmd_meminfo = "meminfo";
	f = fopen("meminfo", "w");
	fprintf(f, "MemTotal: 999999 kB\nMemAvailable: %d kB\n", 57 * 1024 - 1);
	fclose(f);
	assert_int_equal(call(search_twice, 0, NULL, ""), 0);
	starts_with(err, before);
	assert_null(strstr(err, "previous"));
	f = fopen("meminfo", "w");
	fprintf(f, "MemTotal: 999999 kB\nMemAvailable: %d kB\n", 57 * 1024);
	fclose(f);
	assert_int_equal(call(search_twice, 0, NULL, ""), 0);
	contains(err, "the previous search has not ended");
	cmd_meminfo = "/proc/meminfo";
}

static void a_large_trace_is_not_searched(void **state)
{
	(void)state;
	script("echo >begun");
	make_file("r.trace", 0);
	assert_int_equal(truncate("r.trace", (1 << 20) + 1), 0);
	assert_int_equal(call(search_twice, 0, NULL, ""), 0);
	starts_with(err, "kutrace_control: watch: r.trace is not searched for known faults: it has more than 1 MB (--findings)\n");
	assert_null(file_with("begun"));
}

static void the_oldest_files_are_removed(void **state)
{
	(void)state;
	make_file(OLD, 100);
	make_file(OLDER, 200);
	make_file("rec-20251231-235959.0009.findings.txt", 300);
	make_file("rec-20260101-000000.0007.findings.txt", 300);
	make_file("rec-20260101-000000.trace", 300);
	make_file("other-20260101-000000.0004.trace", 300);
	make_file("rec-20260101-000000.0001.trace.txt", 300);
	fake->fire_after = 1;
	assert_int_equal(watch("--trigger syscall>5ms --size 1 --keep 5 --into .", ".0001.trace"), 0);
	assert_false(is_there(OLDER));
	contains(err, "/" OLDER " removed: more than 5 MB (--keep)\n");
	assert_false(is_there("rec-20251231-235959.0009.findings.txt"));
	assert_true(is_there(OLD));
	assert_true(is_there("rec-20260101-000000.0007.findings.txt"));
	fake->fire_after = 1;
	/* one more trace and a lower limit */
	assert_int_equal(watch("--size 1 --keep 4", ".0002.trace"), 0);
	assert_false(is_there(OLD));
	assert_true(is_there("rec-20260101-000000.trace"));
	assert_true(is_there("other-20260101-000000.0004.trace"));
	assert_true(is_there("rec-20260101-000000.0001.trace.txt"));
}

static void invalid_options_are_refused(void **state)
{
	(void)state;
	assert_int_equal(watch("--keep 1 --size 1", "--keep"), 1);
	contains(err, "watch: --keep 1: a trace of this session can have ");
	assert_int_equal(fake->session[1].used, 0);
	assert_int_equal(watch("--into nowhere", "nowhere"), 1);
	contains(err, "watch: nowhere: no such directory: make it, or name another with --into\n");
	assert_int_equal(watch("--keep x", "x"), 2);
	assert_int_equal(watch("--pause -1", "x"), 2);
	assert_int_equal(watch("--findings x", "x"), 2);
	assert_int_equal(watch("file", "file"), 2);
	assert_int_equal(watch("--after 5", "x"), 2);
}

static int without_session(int argc, char **argv)
{
	return cmd_do_argv(argc, argv);
}

static void watch_needs_a_session(void **state)
{
	char word[] = "watch", *argv[] = {word, NULL};

	(void)state;
	assert_int_equal(call(without_session, 1, argv, ""), 2);
	contains(err, "watch: needs its own session: --session NAME watch\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_firing_gives_a_trace, fresh_with_sessions),
		cmocka_unit_test_setup(each_trace_is_searched_for_findings, fresh_with_sessions),
		cmocka_unit_test_setup(a_search_does_not_disturb_the_watch, fresh_with_sessions),
		cmocka_unit_test_setup(the_end_of_watch_ends_all_of_a_search, fresh_with_sessions),
		cmocka_unit_test_setup(one_trace_at_a_time_is_searched, fresh_with_sessions),
		cmocka_unit_test_setup(a_search_needs_memory, fresh_with_sessions),
		cmocka_unit_test_setup(a_large_trace_is_not_searched, fresh_with_sessions),
		cmocka_unit_test_setup(force_continues_no_old_recording, fresh_with_sessions),
		cmocka_unit_test_setup(the_oldest_files_are_removed, fresh_with_sessions),
		cmocka_unit_test_setup(invalid_options_are_refused, fresh_with_sessions),
		cmocka_unit_test_setup(watch_needs_a_session, fresh_with_sessions),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
