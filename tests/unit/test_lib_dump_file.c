// SPDX-License-Identifier: BSD-3-Clause
/* Tests where libkutrace writes a dump, and that no file remains of a failed dump. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "common/file.h"
#include "lib_recording.h"
#include "in_child.h"

/* --- faults in the file system ------------------------------------------------ */

/* number of writes before ENOSPC, the last of half its bytes; -1: no error */
static int writes_left = -1;
static int fsync_error;
static int folder_error;	/* error of fsync() of the folder */
static int folders_synced;	/* number of syncs after the file got its name */
static mode_t mode_seen;	/* permission bits that the file had while it was written */

ssize_t __real_writev(int fd, const struct iovec *iov, int count);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int count);
int __real_fsync(int fd);
int __wrap_fsync(int fd);

ssize_t __wrap_writev(int fd, const struct iovec *iov, int count)
{
	struct iovec half = iov[0];
	struct stat st;

	if (!fstat(fd, &st))
		mode_seen |= st.st_mode & 07777;
	if (writes_left < 0)
		return __real_writev(fd, iov, count);
	if (!writes_left) {
		errno = ENOSPC;
		return -1;
	}
	if (--writes_left)
		return __real_writev(fd, iov, count);
	half.iov_len = (half.iov_len + 1) / 2;
	return __real_writev(fd, &half, 1);
}

int __wrap_fsync(int fd)
{
	struct stat st, ours;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		if (!stat(dir, &ours) && ours.st_ino == st.st_ino && !access(path, F_OK))
			folders_synced++;
		errno = folder_error;
		return folder_error ? -1 : 0;
	}
	if (!fsync_error)
		return __real_fsync(fd);
	errno = fsync_error;
	return -1;
}

static int whole(void **state)
{
	writes_left = -1;
	fsync_error = 0;
	folder_error = 0;
	folders_synced = 0;
	mode_seen = 0;
	return fresh(state);
}

/* --- files after a failure ------------------------------------------------------ */

static void expect_failure(const char *name, int error)
{
	assert_int_equal(kutrace_dump(name, NULL, NULL), error);
	fake_assert_no_leak();
}

static void files_that_cannot_be_made(void **state)
{
	char name[400];

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	snprintf(name, sizeof(name), "%s/no/such", dir);
	expect_failure(name, -ENOENT);
	expect_failure(dir, -EISDIR);
	snprintf(name, sizeof(name), "%s/", path);
	expect_failure(name, -EISDIR);
	snprintf(name, sizeof(name), "%s/%0300d", dir, 1);
	expect_failure(name, -ENAMETOOLONG);
	if (geteuid()) {
		chmod(dir, 0500);
		expect_failure(path, -EACCES);
		chmod(dir, 0700);
	}
	assert_int_equal(files_in_dir(), 0);
}

static int asked;

static int cancel_at_three(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	(void)arg;
	assert_true(done_bytes <= total_bytes);
	return ++asked == 3;
}

static int dump_canceled(void)
{
	struct kutrace_dump_options options = {.progress = cancel_at_three};

	return kutrace_dump(path, &options, NULL) == -ECANCELED && asked == 3 ? 0 : 1;
}

/*
 * Tests a pipe without a reader, and a reader that stops reading: the library calls the caller's
 * function, which decides whether to continue.
 */
static void a_stalled_reader_does_not_hold_us_for_ever(void **state)
{
	int fd;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	add_block(1, 2, 1, START + 1, 4711, "starter");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(in_child(dump_canceled), 0);	/* no reader has opened the pipe */
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(in_child(dump_canceled), 0);	/* a reader has opened the pipe and does not
							 * read */
	close(fd);
	assert_int_equal(files_in_dir(), 1);
}

/* Reads the pipe until it is closed. Returns the number of bytes. */
static size_t drain(const char *pipe_name)
{
	FILE *f = fopen(pipe_name, "r");
	size_t bytes = 0;

	while (f && fgetc(f) != EOF)
		bytes++;
	if (f)
		fclose(f);
	return bytes;
}

static void devices_and_pipes_are_written_not_replaced(void **state)
{
	const char *full;
	struct stat st;
	int status;
	pid_t pid;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	full = fake_full_device(path);
	if (full) {
		expect_failure(full, -ENOSPC);
		assert_int_equal(stat(full, &st), 0);
		assert_true(S_ISCHR(st.st_mode));
		unlink(path);
	} else {
		print_message("no device nodes can be made here: only the pipe is tested\n");
	}
	assert_int_equal(mkfifo(path, 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(drain(path) == 2 * 65536 ? 0 : 1);
	assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(files_in_dir(), 1);
}

/*
 * Tests output like /dev/stdout in a pipe of the shell: the flags of the program's own descriptor
 * must not change.
 */
static void a_pipe_that_is_open_is_written_to(void **state)
{
	char name[40], bytes[4096];
	int ends[2], status;
	size_t got = 0;
	ssize_t n;
	pid_t pid;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[1]);
		while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
			got += (size_t)n;
		_exit(got == 2 * 65536 ? 0 : 1);
	}
	close(ends[0]);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(kutrace_dump(name, NULL, NULL), 0);
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(files_in_dir(), 0);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
	struct kutrace_dump_result result;
	char text[10] = "";
	struct trace t;
	uint32_t i;
	FILE *f;

	(void)state;
	for (i = 0; i < 100; i++)
		add_block(i, i + 1, 1, START + i, 4711, "starter");
	for (i = 0; i < 5; i++) {	/* the first block, and each part of the data */
		writes_left = (int)i;
		expect_failure(path, -ENOSPC);
		assert_int_equal(files_in_dir(), 0);
	}
	writes_left = -1;
	fsync_error = EDQUOT;
	expect_failure(path, -EDQUOT);
	assert_int_equal(files_in_dir(), 0);
	fsync_error = 0;

	f = fopen(path, "w");
	fputs("old", f);
	fclose(f);
	writes_left = 2;
	expect_failure(path, -ENOSPC);
	assert_int_equal(files_in_dir(), 1);
	f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "old");
	writes_left = -1;
	dump_and_read(&t, &result);
	trace_free(&t);
}

/* Checks that the folder is synced: otherwise a power cut could remove the name again. */
static void the_name_is_brought_to_the_disk(void **state)
{
	char start[300];

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
	assert_int_equal(folders_synced, 1);
	fake->info.recording = 1;
	assert_int_equal(kutrace_snapshot(path, NULL, NULL), 0);
	assert_int_equal(folders_synced, 2);
	fake->info.recording = 0;
	assert_non_null(getcwd(start, sizeof(start)));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(kutrace_dump("out.trace", NULL, NULL), 0);
	unlink("out.trace");
	assert_int_equal(kutrace_dump("out.trace", NULL, NULL), 0);
	assert_int_equal(chdir(start), 0);
	assert_int_equal(folders_synced, 4);
	/* a file system that cannot sync folders is no failure; a broken disk is a failure */
	folder_error = EINVAL;
	assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
	folder_error = EIO;
	expect_failure(path, -EIO);
	assert_int_equal(files_in_dir(), 1);
}

/*
 * Checks that a folder without read permission is no failure: it cannot be opened, so it cannot be
 * synced. Any other error is reported, because a power cut may remove the new name.
 */
static void a_folder_that_cannot_be_opened(void **state)
{
	const bool root = !geteuid();
	struct rlimit limit, before;
	char name[400];
	int unreadable, full;

	(void)state;
	assert_int_equal(chmod(dir, 0300), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	unreadable = ku_sync_folder(path);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(unreadable, 0);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	full = ku_sync_folder(path);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(full, -EMFILE);

	snprintf(name, sizeof(name), "%s/no/such", dir);
	assert_int_equal(ku_sync_folder(name), -ENOENT);
}

static void short_writes_are_continued(void **state)
{
	struct rlimit limit, before;
	sigset_t pending, mask;
	uint32_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		add_block(i, i + 1, 1, START + i, 4711, "starter");
	/*
	 * The limit permits only a part of the file. At the limit, the kernel sends SIGXFSZ, which
	 * would end the process. The library must prevent this.
	 */
	signal(SIGXFSZ, SIG_DFL);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 1000000;
	setrlimit(RLIMIT_FSIZE, &limit);
	expect_failure(path, -EFBIG);
	assert_int_equal(sigpending(&pending), 0);
	assert_false(sigismember(&pending, SIGXFSZ));
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
	assert_false(sigismember(&mask, SIGXFSZ));
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(files_in_dir(), 0);
}

static mode_t mode_of(const char *name, struct stat *st)
{
	assert_int_equal(stat(name, st), 0);
	return st->st_mode & 07777;
}

/*
 * Checks that only its owner can read a new file, because a trace shows the activity of all users.
 */
static void new_files_are_for_their_owner_only(void **state)
{
	static const mode_t masks[] = {0, 022, 077};
	struct stat st;
	mode_t before;
	size_t i;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	for (i = 0; i < 3; i++) {
		before = umask(masks[i]);
		assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
		umask(before);
		assert_int_equal(mode_of(path, &st), 0600);
		assert_int_equal(mode_seen, 0600);
		unlink(path);
		fake->info.recording = 1;
		assert_int_equal(kutrace_snapshot(path, NULL, NULL), 0);
		fake->info.recording = 0;
		assert_int_equal(mode_of(path, &st), 0600);
		unlink(path);
	}
}

static void files_that_are_there_keep_mode_and_owner(void **state)
{
	static const mode_t modes[] = {0600, 0644, 0640, 0660, 0400, 0666};
	struct stat st;
	size_t i;
	FILE *f;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		f = fopen(path, "w");
		fclose(f);
		assert_int_equal(chmod(path, modes[i]), 0);
		if (!geteuid())
			assert_int_equal(chown(path, 12345, 54321), 0);
		mode_seen = 0;
		assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
		assert_int_equal(mode_of(path, &st), modes[i]);
		assert_int_equal(mode_seen, 0600);
		assert_int_equal(st.st_size, 2 * 65536);
		if (!geteuid()) {
			assert_int_equal(st.st_uid, 12345);
			assert_int_equal(st.st_gid, 54321);
		}
		unlink(path);
	}
	/* the new file does not get a set-user-id bit */
	f = fopen(path, "w");
	fclose(f);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(kutrace_dump(path, NULL, NULL), 0);
	assert_int_equal(mode_of(path, &st), 0755);
}

static void a_link_stays_a_link(void **state)
{
	char name[sizeof(path) + 8];
	struct stat st;
	FILE *f;

	(void)state;
	snprintf(name, sizeof(name), "%s.link", path);
	f = fopen(path, "w");
	fclose(f);
	assert_int_equal(symlink(path, name), 0);
	assert_int_equal(kutrace_dump(name, NULL, NULL), 0);
	assert_int_equal(lstat(name, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 65536);
	/* the file that the link names does not exist yet */
	unlink(path);
	assert_int_equal(kutrace_dump(name, NULL, NULL), 0);
	assert_int_equal(lstat(name, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 65536);
	unlink(name);
}

static void faults_of_the_module_leave_nothing(void **state)
{
	int i, ret = -1;

	(void)state;
	for (i = 1; ret; i++) {
		fresh(NULL);
		add_block(0, 1, 1, START, 4711, "starter");
		add_block(1, 2, 1, START + 1, 4711, "starter");
		add_aux(KUTRACE_NAME_PID, 1, START, 1, "name");
		fake->map_error_at = i;
		ret = kutrace_dump(path, NULL, NULL);
		fake->map_error_at = 0;
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_int_equal(files_in_dir(), 0);
		}
		fake_assert_no_leak();
	}
	/* meta page, whole buffer, two headers, names, two blocks */
	assert_int_equal(i - 2, 7);
	for (i = 1; i <= 3; i++) {
		fresh(NULL);
		add_aux(KUTRACE_NAME_PID, 1, START, 1, "name");
		fake->change_at = i;
		/* a change after the first reading is detected at the end */
		expect_failure(path, i == 1 ? 0 : -ESTALE);
		assert_int_equal(files_in_dir(), i == 1);
	}
}

static int calls;
static uint64_t last_done, last_total;

static int cancel_at_two(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	assert_ptr_equal(arg, &calls);
	assert_true(done_bytes > last_done);
	last_done = done_bytes;
	last_total = total_bytes;
	return ++calls == 2;
}

static void a_dump_can_be_canceled(void **state)
{
	struct kutrace_dump_options options = {
		.tool = "test 1", .progress = cancel_at_two, .progress_arg = &calls,
	};
	struct trace t;
	uint32_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		add_block(i, i + 1, 1, START + i, 4711, "starter");
	calls = 0;
	last_done = 0;
	assert_int_equal(kutrace_dump(path, &options, NULL), -ECANCELED);
	assert_int_equal(files_in_dir(), 0);
	assert_int_equal(last_total, 101 * 65536);
	fake_assert_no_leak();
	calls = 2;	/* the file is not replaced again */
	last_done = 0;
	assert_int_equal(kutrace_dump(path, &options, NULL), 0);
	assert_int_equal(last_done, last_total);
	assert_true(trace_read(&t, path, 1));
	assert_true(trace_has_meta(&t, "tool=test 1"));
	trace_free(&t);
}

static void stop_generates_a_file_name(void **state)
{
	char start[300], name[sizeof(dir) + 300];
	struct dirent *entry;
	DIR *d;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	fake->info.recording = 1;
	assert_non_null(getcwd(start, sizeof(start)));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(kutrace_stop(NULL), 0);
	assert_int_equal(files_in_dir(), 1);
	assert_int_equal(chdir(start), 0);
	d = opendir(dir);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		assert_memory_equal(entry->d_name, "kutrace_2", 9);
		snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
		assert_int_equal(unlink(name), 0);
	}
	closedir(d);
	assert_int_equal(files_in_dir(), 0);
	assert_int_equal(fake->command[0], KUTRACE_CMD_OFF);
	assert_int_equal(fake->command[1], KUTRACE_CMD_FLUSH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files_that_cannot_be_made, whole),
		cmocka_unit_test_setup(devices_and_pipes_are_written_not_replaced, whole),
		cmocka_unit_test_setup(a_pipe_that_is_open_is_written_to, whole),
		cmocka_unit_test_setup(a_stalled_reader_does_not_hold_us_for_ever, whole),
		cmocka_unit_test_setup(a_full_disk_leaves_the_old_file, whole),
		cmocka_unit_test_setup(the_name_is_brought_to_the_disk, whole),
		cmocka_unit_test_setup(a_folder_that_cannot_be_opened, whole),
		cmocka_unit_test_setup(short_writes_are_continued, whole),
		cmocka_unit_test_setup(new_files_are_for_their_owner_only, whole),
		cmocka_unit_test_setup(files_that_are_there_keep_mode_and_owner, whole),
		cmocka_unit_test_setup(a_link_stays_a_link, whole),
		cmocka_unit_test_setup(faults_of_the_module_leave_nothing, whole),
		cmocka_unit_test_setup(a_dump_can_be_canceled, whole),
		cmocka_unit_test_setup(stop_generates_a_file_name, whole),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
