// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control stream on a module made of memory: where it writes, what the files are
 * like, how it ends.
 */
#include <sys/ioctl.h>

#include "lib_tool.h"

#define START	0x123456ULL

static int recorded(void **state)
{
	uint32_t i;

	fresh(state);
	fake->info.start.counts = START;
	fake->info.start.real_ns = 1700000000ULL * 1000000000;
	fake->info.stop.counts = START + 1000000;
	fake->info.stop.real_ns = fake->info.start.real_ns + 32000000;
	for (i = 0; i < 4; i++)
		fill(i, i % 2, START + i);
	return 0;
}

static int stream(const char *first, const char *second, const char *third,
		  const char *fourth)
{
	char *argv[] = {"stream", (char *)(uintptr_t)first, (char *)(uintptr_t)second,
			(char *)(uintptr_t)third, (char *)(uintptr_t)fourth, NULL};
	int argc = 1;

	while (argv[argc])
		argc++;
	return call(cmd_stream, argc, argv, "");
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

static void files_are_for_their_owner_only(void **state)
{
	mode_t before = umask(022);
	FILE *f;

	(void)state;
	assert_int_equal(stream("-o", "s.trace", "--state", "state"), 0);
	assert_int_equal(mode_of("s.trace"), 0600);
	assert_int_equal(mode_of("state"), 0600);
	assert_int_equal(stream("-o", "r.trace", "--rotate", "1"), 0);
	assert_int_equal(mode_of("r.trace.0001"), 0600);
	/* what is there keeps its mode */
	f = fopen("t.trace", "w");
	fputs("old", f);
	fclose(f);
	assert_int_equal(chmod("t.trace", 0640), 0);
	assert_int_equal(chmod("state", 0644), 0);
	assert_int_equal(stream("-o", "t.trace", NULL, NULL), 0);
	assert_int_equal(mode_of("t.trace"), 0640);
	assert_int_equal(stream("-o", "u.trace", "--state", "state"), 0);
	assert_int_equal(mode_of("state"), 0644);
	umask(before);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool parts_are_left(void)
{
	DIR *d = opendir(".");
	struct dirent *entry;
	bool found = false;

	assert_non_null(d);
	while ((entry = readdir(d)))
		found |= strstr(entry->d_name, ".part") != NULL;
	closedir(d);
	return found;
}

/* Another name of the old file: it is not written to. */
static void the_state_is_replaced_not_written_into(void **state)
{
	char text[200], link_target[100];

	(void)state;
	write_text("state", "kutrace-stream 5 17 3 4\n");
	assert_int_equal(link("state", "old"), 0);
	assert_int_equal(symlink("state", "name"), 0);
	assert_int_equal(stream("-o", "s.trace", "--state", "name"), 0);
	assert_false(parts_are_left());
	slurp("old", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 5 17 3 4\n");
	slurp("state", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 1193046 5\n");
	assert_int_equal(readlink("name", link_target, sizeof(link_target)), 5);
}

static void a_state_that_is_none_is_left_alone(void **state)
{
	static const char *const texts[] = {
		"kutrace-stream 1193046", "kutrace-stream 1193046 3 x", "precious\n",
		"kutrace-stream 1193046 3 2\nand more\n",
	};
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_text("state", texts[i]);
		assert_int_equal(stream("-o", "s.trace", "--state", "state"), 1);
		starts_with(err, "kutrace_control: stream: --state: state: says nothing about "
				 "what was sent: remove it, or name another file\n");
		slurp("state", text, sizeof(text));
		assert_string_equal(text, texts[i]);
		assert_int_equal(access("s.trace", F_OK), -1);
	}
	/* made by mktemp, say */
	write_text("state", "");
	assert_int_equal(stream("-o", "s.trace", "--state", "state"), 0);
	slurp("state", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 1193046 5\n");
	/* and it goes on from there: nothing is new */
	assert_int_equal(stream("-o", "t.trace", "--state", "state"), 0);
	starts_with(err, "kutrace_control: stream: 0 blocks, ");
}

/* Exit status of a stream to a pipe that nobody reads; signals when that is full. */
static int stream_to_full_pipe(int pipe_bytes)
{
	char *argv[] = {"stream", NULL};
	int ends[2], status, bytes = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, pipe_bytes), pipe_bytes);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);	/* ends it, should it hang */
		if (dup2(ends[1], STDOUT_FILENO) < 0 || !freopen("err", "w", stderr))
			_exit(200);
		close(ends[0]);
		close(ends[1]);
		status = cmd_stream(1, argv);
		fflush(NULL);
		_exit(status);
	}
	while (bytes < pipe_bytes && !waitpid(pid, &status, WNOHANG)) {
		assert_int_equal(ioctl(ends[0], FIONREAD, &bytes), 0);
		kutrace_msleep(1);
	}
	assert_int_equal(bytes, pipe_bytes);
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	close(ends[1]);
	assert_true(WIFEXITED(status));
	slurp("err", err, sizeof(err));
	return WEXITSTATUS(status);
}

static void interrupted_it_ends_though_nobody_reads(void **state)
{
	(void)state;
	/* between two blocks: all that was begun is whole */
	assert_int_equal(stream_to_full_pipe(65536), 0);
	starts_with(err, "kutrace_control: stream: 0 blocks, 64 KB, ");
	/* in the middle of one */
	assert_int_equal(stream_to_full_pipe(32768), 1);
	assert_non_null(strstr(err, "\nkutrace_control: stream: standard output: ended in the "
			       "middle of a block, as its reader stalled: "));
}

/* 0: four blocks and one of names come out of the pipe until it is closed. */
static int read_trace(const char *pipe_name)
{
	static char bytes[1 << 20];
	FILE *f = fopen(pipe_name, "r");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;

	if (f)
		fclose(f);
	return n == 5 * 65536 ? 0 : 1;
}

static void a_pipe_is_as_good_as_a_file(void **state)
{
	char *argv[] = {"stream", "-o", "pipe", NULL};
	int status, looked;
	pid_t pid;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		kutrace_msleep(100);	/* mostly, nobody reads at first */
		_exit(read_trace("pipe"));
	}
	assert_int_equal(stream("-o", "pipe", NULL, NULL), 0);
	starts_with(err, "kutrace_control: stream: 4 blocks, 320 KB, 0 blocks lost\n");
	assert_null(strchr(err, '\n')[1] ? err : NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* and without a reader a signal ends it */
	looked = fake->info_calls;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		if (!freopen("err", "w", stderr))
			_exit(200);
		_exit(cmd_stream(3, argv));
	}
	while (waitpid(pid, &status, WNOHANG) != pid) {
		/* it is about to open the pipe, and catches signals since before */
		if (fake->info_calls > looked)
			kill(pid, SIGINT);
		kutrace_msleep(5);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files_are_for_their_owner_only, recorded),
		cmocka_unit_test_setup(the_state_is_replaced_not_written_into, recorded),
		cmocka_unit_test_setup(a_state_that_is_none_is_left_alone, recorded),
		cmocka_unit_test_setup(a_pipe_is_as_good_as_a_file, recorded),
		cmocka_unit_test_setup(interrupted_it_ends_though_nobody_reads, recorded),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
