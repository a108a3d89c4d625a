// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how output reaches the disk: a folder, the files of a collection, and the file of -o. The
 * files and the folders with their names must be synced in the right order, and a failure must be
 * reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output.h"
#include "export/folder.h"

static char top[] = "/tmp/test_folder.XXXXXX";
static char seen[4096];		/* log of the system calls in order, one per line */
static const char *bad;		/* name of a folder whose sync fails */

/* --- watching the system calls ---------------------------------------------------- */

/* Returns the path within the test's folder. A temporary name loses its numbers. */
static const char *within(const char *path)
{
	static char text[400];
	char *number;

	assert_int_equal(strncmp(path, top, strlen(top)), 0);
	snprintf(text, sizeof(text), "%s", path[strlen(top)] ? path + strlen(top) + 1 : ".");
	number = strstr(text, ".part");
	if (number) {
		char *end = number;

		while (number > text && number[-1] != '.')
			number--;
		memmove(number, end + 1, strlen(end + 1) + 1);
	}
	return text;
}

static void saw(const char *what, const char *path)
{
	size_t used = strlen(seen);

	snprintf(seen + used, sizeof(seen) - used, "%s %s\n", what, within(path));
}

int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_fsync(int fd)
{
	char link[60], path[400];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	assert_int_equal(fstat(fd, &st), 0);
	/* ignore the test's own parent folder */
	if (strncmp(path, top, strlen(top)))
		return 0;
	saw(S_ISDIR(st.st_mode) ? "folder" : "file", path);
	if (!bad || !S_ISDIR(st.st_mode) || strcmp(bad, within(path)))
		return 0;
	errno = EIO;
	return -1;
}

int __wrap_rename(const char *from, const char *to)
{
	saw("name", to);
	return __real_rename(from, to);
}

static const char *path_of(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static int begin(void **state)
{
	(void)state;
	seen[0] = '\0';
	bad = NULL;
	return 0;
}

/* --- a folder as output ------------------------------------------------------------- */

static void put(struct kp_folder *folder, const char *name)
{
	int fd = kp_folder_add(folder, name);

	assert_true(fd >= 0);
	assert_int_equal(kp_folder_write(folder, fd, name, strlen(name)), 0);
}

static void fill(struct kp_folder *folder, const char *path)
{
	assert_int_equal(kp_folder_open(folder, path), 0);
	put(folder, "a");
	put(folder, "b");
}

static void a_folder_gets_its_name_when_it_is_complete(void **state)
{
	struct kp_folder folder;

	(void)state;
	fill(&folder, path_of("x"));
	assert_int_equal(kp_folder_commit(&folder), 0);
	kp_folder_close(&folder);
	assert_string_equal(seen, "file .x.part/a\nfile .x.part/b\nfolder .x.part\nname x\nfolder .\n");
	assert_int_equal(access(path_of("x/b"), F_OK), 0);
}

static void a_folder_that_cannot_be_synced_is_reported(void **state)
{
	struct kp_folder folder;

	(void)state;
	bad = ".y.part";
	fill(&folder, path_of("y"));
	assert_int_equal(kp_folder_commit(&folder), -1);
	assert_non_null(strstr(folder.message, "/y: Input/output error"));
	kp_folder_close(&folder);
	assert_int_equal(access(path_of("y"), F_OK), -1);
	bad = ".";
	fill(&folder, path_of("y"));
	assert_int_equal(kp_folder_commit(&folder), -1);
	assert_non_null(strstr(folder.message, "/y: Input/output error"));
	kp_folder_close(&folder);
}

/*
 * A killed program left its temporary folder, and the new program has the same pid, as always in a
 * container.
 */
static void an_old_temporary_folder_does_no_harm(void **state)
{
	struct kp_folder first, second;

	(void)state;
	fill(&first, path_of("z"));
	fill(&second, path_of("z"));
	assert_int_equal(kp_folder_commit(&second), 0);
	kp_folder_close(&second);
	kp_folder_close(&first);
	assert_int_equal(access(path_of("z/b"), F_OK), 0);
}

/* --- a collection -------------------------------------------------------------------- */

static int add_trace(const char *host, struct kp_folder *folder)
{
	char dir[400];
	const struct kp_partition partition = { .dir = dir, .start_s = 86400, .host = host, .id = "id" };
	int ret;

	snprintf(dir, sizeof(dir), "%s", path_of("all"));
	assert_int_equal(kp_partition_open(folder, &partition), 0);
	put(folder, "trace.parquet");
	put(folder, "call.parquet");
	ret = kp_folder_commit(folder);
	kp_folder_close(folder);
	return ret;
}

static void each_file_of_a_collection_gets_its_name_when_it_is_there(void **state)
{
	struct kp_folder folder;

	(void)state;
	assert_int_equal(add_trace("one", &folder), 0);
	assert_string_equal(seen,
		"folder .\n"
		"file all/..id.part/trace.parquet\nfile all/..id.part/call.parquet\n"
		"folder all\nfolder all/call\nfolder all/call/date=1970-01-02\n"
		"name all/call/date=1970-01-02/host=one/id.parquet\n"
		"folder all/call/date=1970-01-02/host=one\n"
		"folder all\nfolder all/trace\nfolder all/trace/date=1970-01-02\n"
		"name all/trace/date=1970-01-02/host=one/id.parquet\n"
		"folder all/trace/date=1970-01-02/host=one\n");
	/* the trace on disk stays unchanged */
	seen[0] = '\0';
	assert_int_equal(add_trace("two", &folder), 0);
	assert_string_equal(seen,
		"file all/..id.part/trace.parquet\nfile all/..id.part/call.parquet\n"
		"folder all/call/date=1970-01-02\n"
		"name all/call/date=1970-01-02/host=two/id.parquet\n"
		"folder all/call/date=1970-01-02/host=two\n"
		"folder all/trace/date=1970-01-02\n"
		"name all/trace/date=1970-01-02/host=two/id.parquet\n"
		"folder all/trace/date=1970-01-02/host=two\n");
}

static void a_trace_gets_no_name_before_its_files(void **state)
{
	struct kp_folder folder;

	(void)state;
	bad = "all/call/date=1970-01-02/host=three";
	assert_int_equal(add_trace("three", &folder), -1);
	assert_non_null(strstr(folder.message, "Input/output error"));
	assert_int_equal(access(path_of("all/trace/date=1970-01-02/host=three"), F_OK), -1);
}

/* --- the file of -o -------------------------------------------------------------------- */

static void the_name_of_a_file_is_brought_to_the_disk(void **state)
{
	struct ku_part output;

	(void)state;
	assert_int_equal(ku_output_open(&output, path_of("o")), 0);
	assert_int_equal(ku_output_commit(&output), 0);
	assert_string_equal(seen, "name o\nfolder .\n");
	bad = ".";
	assert_int_equal(ku_output_open(&output, path_of("o")), 0);
	assert_int_equal(ku_output_commit(&output), -EIO);
}

/* --- setting up and removing the folder ------------------------------------------------ */

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int forget(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static int remove_top(void **state)
{
	(void)state;
	return nftw(top, forget, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_folder_gets_its_name_when_it_is_complete, begin),
		cmocka_unit_test_setup(a_folder_that_cannot_be_synced_is_reported, begin),
		cmocka_unit_test_setup(an_old_temporary_folder_does_no_harm, begin),
		cmocka_unit_test_setup(each_file_of_a_collection_gets_its_name_when_it_is_there, begin),
		cmocka_unit_test_setup(a_trace_gets_no_name_before_its_files, begin),
		cmocka_unit_test_setup(the_name_of_a_file_is_brought_to_the_disk, begin),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
