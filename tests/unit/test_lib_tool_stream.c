// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control stream on the fake module: where it writes, the properties of its files,
 * and how it ends.
 */
#include <sys/ioctl.h>
#include <time.h>

#include "cli/base/base.h"
#include "cli/shared/sending.h"
#include "lib_tool.h"
#include "in_child.h"

#define START	0x123456ULL

/* --- simulated date and disk ---------------------------------------------------- */

static int64_t jump_s;		/* seconds added to the date at each reading of the clock */
static int64_t jumped_s;
static const char *the_trace;	/* name of a trace that must be on the disk before its state */
static ino_t synced[8];		/* inodes of the files that were synced */
static size_t nsynced;
static bool name_synced;	/* the folder was synced after the trace got its name */
static int sync_error;

time_t __real_time(time_t *now);
time_t __wrap_time(time_t *now);
int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

time_t __wrap_time(time_t *now)
{
	time_t seconds = __real_time(NULL) + (time_t)(jumped_s += jump_s);

	if (now)
		*now = seconds;
	return seconds;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
	int ret = __real_clock_gettime(id, now);

	if (id == CLOCK_REALTIME)
		now->tv_sec += jumped_s += jump_s;
	return ret;
}

int __wrap_fsync(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	if (S_ISDIR(st.st_mode))
		name_synced |= the_trace && !access(the_trace, F_OK);
	else if (nsynced < sizeof(synced) / sizeof(synced[0]))
		synced[nsynced++] = st.st_ino;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

/* Fails if a state file gets its name before the blocks that it mentions are on the disk. */
int __wrap_rename(const char *from, const char *to)
{
	bool whole = false;
	struct stat st;
	size_t i;

	if (!strcmp(to, "state") && the_trace) {
		for (i = 0; i < nsynced; i++)
			whole |= !stat(the_trace, &st) && st.st_ino == synced[i];
		if (!whole || !name_synced) {
			errno = EDOM;
			return -1;
		}
	}
	return __real_rename(from, to);
}

static int recorded(void **state)
{
	uint32_t i;

	fresh(state);
	jump_s = 0;
	the_trace = NULL;
	sync_error = 0;
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
	/* an existing file keeps its mode */
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

static off_t file_bytes(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_size;
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

/* Another name (hard link) of the old file shows that the file is replaced, not overwritten. */
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
	/* the state does not exist yet */
	assert_int_equal(unlink("state"), 0);
	assert_int_equal(stream("-o", "s.trace", "--state", "name"), 0);
	assert_int_equal(readlink("name", link_target, sizeof(link_target)), 5);
	slurp("state", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 1193046 5\n");
}

static void a_state_is_read_as_it_was_written(void **state)
{
	static const struct kutrace_stream_state states[] = {
		{ .start_counts = 5, .next = 17 },
		{ .start_counts = 5, .next = 17, .waiting = 2, .number = { 3, 4 } },
		{ .start_counts = 5, .next = 17, .first_taken = 99, .first_left = 7 },
		{ .start_counts = 5, .next = 17, .waiting = 1, .number = { 3 }, .first_taken = 99 },
	};
	struct kutrace_stream_state read;
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		write_text("state", "");
		assert_int_equal(cmd_write_state("state", &states[i]), 0);
		assert_int_equal(cmd_read_state("state", &read), 0);
		assert_memory_equal(&read, &states[i], sizeof(read));
	}
	slurp("state", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 5 17 3 first 99 0\n");
}

static void a_file_that_is_no_state_is_not_changed(void **state)
{
	static const char *const texts[] = {
		"kutrace-stream 1193046", "kutrace-stream 1193046 3 x", "precious\n",
		"kutrace-stream 1193046 3 2\nand more\n", "kutrace-stream 1193046 3 2 first 7\n",
		"kutrace-stream 1193046 3 first 7 1 8\n", "kutrace-stream 1193046 3 first 7 x\n",
	};
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_text("state", texts[i]);
		assert_int_equal(stream("-o", "s.trace", "--state", "state"), 1);
		starts_with(err, "kutrace_control: stream: --state: state: is not a state "
				 "file: remove it, or name another file\n");
		slurp("state", text, sizeof(text));
		assert_string_equal(text, texts[i]);
		assert_int_equal(access("s.trace", F_OK), -1);
	}
	/* an empty file, as mktemp makes it */
	write_text("state", "");
	assert_int_equal(stream("-o", "s.trace", "--state", "state"), 0);
	slurp("state", text, sizeof(text));
	assert_string_equal(text, "kutrace-stream 1193046 5\n");
	/* the next stream continues at this state, and no block is new */
	assert_int_equal(stream("-o", "t.trace", "--state", "state"), 0);
	starts_with(err, "kutrace_control: stream: 0 blocks, ");
}

/* If the state were first, a power cut could leave a state whose blocks the trace lacks. */
static void the_trace_is_on_the_disk_before_its_state(void **state)
{
	(void)state;
	the_trace = "s.trace";
	assert_int_equal(stream("-o", the_trace, "--state", "state"), 0);
	assert_int_equal(unlink("state"), 0);
	the_trace = "r.trace.0001";
	assert_int_equal(call(cmd_stream, 7, (char *[]){"stream", "-o", "r.trace", "--rotate", "1", "--state",
							"state", NULL}, ""), 0);
	assert_int_equal(unlink("state"), 0);
	/* if the trace cannot be synced, no state is written */
	sync_error = EIO;
	assert_int_equal(stream("-o", "t.trace", "--state", "state"), 1);
	starts_with(err, "kutrace_control: stream: 4 blocks, 320 KB, 0 blocks lost\n"
			 "kutrace_control: stream: t.trace: ");
	assert_int_equal(access("state", F_OK), -1);
}

/* Checks that the state file cannot be the trace, which the state would overwrite. */
static void the_state_is_not_the_trace(void **state)
{
	(void)state;
	assert_int_equal(stream("-o", "x", "--state", "x"), 2);
	assert_int_equal(access("x", F_OK), -1);
	write_text("old", "kutrace-stream 5 17 3 4\n");
	assert_int_equal(link("old", "x"), 0);
	assert_int_equal(stream("-o", "x", "--state", "old"), 2);
	starts_with(err, "kutrace_control: stream: --state: old: is also the file of -o: name another\n");
	assert_int_equal(stream("-o", "y", "--state", "./y"), 1);
	assert_non_null(strstr(err, "\nkutrace_control: stream: --state: ./y: is also the file of -o: name another\n"));
	assert_true(file_bytes("y") == 5 * 65536);
}

static void setting_the_date_does_not_rotate_a_file(void **state)
{
	struct cmd_output o = {.file = "r.trace", .rotation = {.seconds = 3600}, .fd = -1,
			       .previous = -1};
	int fd;

	(void)state;
	jump_s = 7200;
	assert_int_equal(cmd_output_next(&o, 0, &fd), 1);
	cmd_output_sent(&o, 1, 65536);
	assert_int_equal(cmd_output_next(&o, 65536, &fd), 0);
	assert_int_equal(cmd_output_end(&o), 0);
	assert_int_equal(access("r.trace.0001", F_OK), 0);
	assert_int_equal(access("r.trace.0002.part", F_OK), -1);
}

/* Sends a stream that is ended by a signal, while no receiver has stored anything. */
static int given_up(void)
{
	struct cmd_send_queue queue = {.receiver = {.through = "false", .patience_s = 1}};
	struct kutrace_stream_state left = {0};
	int fd;

	if (!freopen("err", "w", stderr))
		return 2;
	cmd_catch_signals();
	if (cmd_queue_output(&queue, 0, &fd) != 1 || write(fd, "x", 1) != 1)
		return 3;
	cmd_queue_sent(&queue, 7, 1);
	raise(SIGINT);
	return cmd_queue_end(&queue, &left) == CMD_FAILED && left.waiting == 1 &&
	       left.number[0] == 7 ? 0 : 4;
}

static void patience_ends_though_the_date_is_set_back(void **state)
{
	(void)state;
	jump_s = -10;
	assert_int_equal(in_child(given_up), 0);
}

/*
 * Returns the exit status of a stream to a pipe without a reader. When the pipe is full, closes it
 * if @unread, otherwise sends a signal.
 */
static int stream_to_full_pipe(int pipe_bytes, bool unread)
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
		alarm(60);	/* ends the process if it hangs */
		if (dup2(ends[1], STDOUT_FILENO) < 0 || !freopen("err", "w", stderr))
			_exit(200);
		close(ends[0]);
		close(ends[1]);
		signal(SIGPIPE, SIG_DFL);
		cmd_ignore_signals();
		status = cmd_stream(1, argv);
		fflush(NULL);
		_exit(status);
	}
	while (bytes < pipe_bytes && !waitpid(pid, &status, WNOHANG)) {
		assert_int_equal(ioctl(ends[0], FIONREAD, &bytes), 0);
		kutrace_msleep(1);
	}
	assert_int_equal(bytes, pipe_bytes);
	if (!unread)
		kill(pid, SIGINT);
	else
		close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!unread)
		close(ends[0]);
	close(ends[1]);
	assert_true(WIFEXITED(status));
	slurp("err", err, sizeof(err));
	return WEXITSTATUS(status);
}

static void an_interrupted_stream_ends_without_a_reader(void **state)
{
	(void)state;
	/* the stream ends between two blocks: every written block is complete */
	assert_int_equal(stream_to_full_pipe(65536, false), 0);
	starts_with(err, "kutrace_control: stream: 0 blocks, 64 KB, ");
	/* the stream ends in the middle of a block */
	assert_int_equal(stream_to_full_pipe(32768, false), 1);
	assert_non_null(strstr(err, "\nkutrace_control: stream: standard output: ended in the "
			       "middle of a block, because its reader stalled: "));
}

static void an_unread_stream_ends_without_a_message(void **state)
{
	(void)state;
	assert_int_equal(stream_to_full_pipe(65536, true), (CMD_SIGNAL + SIGPIPE) & 0xFF);
	assert_string_equal(err, "");
}

/* Returns 0 if the pipe delivers four blocks and a block of names before it is closed. */
static int read_trace(const char *pipe_name)
{
	static char bytes[1 << 20];
	FILE *f = fopen(pipe_name, "r");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;

	if (f)
		fclose(f);
	return n == 5 * 65536 ? 0 : 1;
}

static void on_late_signal(int signal_number)
{
	(void)signal_number;
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
		kutrace_msleep(100);	/* usually, the stream opens the pipe first */
		_exit(read_trace("pipe"));
	}
	assert_int_equal(stream("-o", "pipe", NULL, NULL), 0);
	starts_with(err, "kutrace_control: stream: 4 blocks, 320 KB, 0 blocks lost\n");
	assert_null(strchr(err, '\n')[1] ? err : NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* without a reader, a signal ends the stream */
	looked = fake->info_calls;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		/* a SIGINT may arrive after the command, which no longer catches it */
		signal(SIGINT, on_late_signal);
		if (!freopen("err", "w", stderr))
			_exit(200);
		_exit(cmd_stream(3, argv));
	}
	while (waitpid(pid, &status, WNOHANG) != pid) {
		/* the command is about to open the pipe, and already catches signals */
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
		cmocka_unit_test_setup(a_state_is_read_as_it_was_written, recorded),
		cmocka_unit_test_setup(a_file_that_is_no_state_is_not_changed, recorded),
		cmocka_unit_test_setup(the_trace_is_on_the_disk_before_its_state, recorded),
		cmocka_unit_test_setup(the_state_is_not_the_trace, recorded),
		cmocka_unit_test_setup(setting_the_date_does_not_rotate_a_file, recorded),
		cmocka_unit_test_setup(patience_ends_though_the_date_is_set_back, recorded),
		cmocka_unit_test_setup(a_pipe_is_as_good_as_a_file, recorded),
		cmocka_unit_test_setup(an_interrupted_stream_ends_without_a_reader, recorded),
		cmocka_unit_test_setup(an_unread_stream_ends_without_a_message, recorded),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
