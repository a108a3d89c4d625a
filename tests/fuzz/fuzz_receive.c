// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for `kutrace_control receive`, whose input can come from any program that can connect.
 * The receiver writes only into its folder, never acknowledges more bytes than the file has, and
 * gives a trace its name only if it is complete. The first byte of the input selects the files that
 * are already in the folder. The receiver gets the other bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Name of the existing files, and their size. */
#define BEFORE		"n"
#define BEFORE_BYTES	100

static char folder[] = "/tmp/fuzz_receive.XXXXXX";
static int in = -1, out = -1, dir = -1;

static void check(int holds, const char *what)
{
	if (holds)
		return;
	dprintf(STDERR_FILENO, "does not hold: %s\n", what);
	abort();
}

static void remove_folder(void)
{
	rmdir(folder);
}

static void begin(void)
{
	check(mkdtemp(folder) != NULL, "a folder");
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	in = memfd_create("in", MFD_CLOEXEC);
	out = memfd_create("out", MFD_CLOEXEC);
	check(dir >= 0 && in >= 0 && out >= 0, "files");
	check(dup2(in, STDIN_FILENO) == STDIN_FILENO && dup2(out, STDOUT_FILENO) == STDOUT_FILENO,
	      "standard input and output");
	atexit(remove_folder);
}

static void put_before(const char *name)
{
	static const char zeros[BEFORE_BYTES];
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, zeros, sizeof(zeros)) == sizeof(zeros), "a file of before");
	close(fd);
}

static void lay_out(const uint8_t *data, size_t size)
{
	if (data[0] & 1)
		put_before(BEFORE ".part");
	if (data[0] & 2)
		put_before(BEFORE ".trace");
	check(!ftruncate(in, 0) && !ftruncate(out, 0), "empty files");
	check(pwrite(in, data + 1, size - 1, 0) == (ssize_t)(size - 1), "the input");
	check(!lseek(in, 0, SEEK_SET) && !lseek(out, 0, SEEK_SET), "their beginnings");
}

static int has_end(const char *name, const char *end)
{
	size_t length = strlen(name);

	return length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

/* Finds the largest size of each kind of file, or -1 if there is none. Empties the folder. */
static void take_files(off_t *part, off_t *trace)
{
	DIR *list = opendir(folder);
	struct dirent *entry;
	struct stat st;

	*part = *trace = -1;
	check(list != NULL, "the folder");
	while ((entry = readdir(list))) {
		off_t *largest = has_end(entry->d_name, ".trace") ? trace : part;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		check(largest == trace || has_end(entry->d_name, ".part"), "a file's name");
		check(entry->d_name[0] != '.' && entry->d_name[0] != '-', "a file's name begins");
		check(!fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode), "a file");
		if (st.st_size > *largest)
			*largest = st.st_size;
		unlinkat(dir, entry->d_name, 0);
	}
	closedir(list);
}

/* Finds the last reply of each kind, or -1 if there is none. Checks that every line is complete. */
static void take_replies(long long *kept, long long *whole)
{
	static char text[1 << 16];
	ssize_t n = pread(out, text, sizeof(text) - 1, 0);
	char *line, *end;

	check(n >= 0 && (!n || text[n - 1] == '\n'), "what it says ends with a line");
	text[n] = '\0';
	*kept = *whole = -1;
	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		sscanf(line, "kept %lld", kept);
		sscanf(line, "whole %lld", whole);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	char *argv[] = { (char *)"receive", folder, NULL };
	FILE *said = stderr;
	off_t part, trace;
	long long kept, whole;
	int status;

	if (in < 0)
		begin();
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!size)
		return 0;
	lay_out(data, size);
	optind = 0;
	stderr = nowhere;	/* because each input causes a message */
	status = cmd_receive(2, argv);
	stderr = said;
	take_files(&part, &trace);
	take_replies(&kept, &whole);
	check(status >= 0 && status < 4, "an exit status that there is");
	if (whole > 0)
		check(trace == whole, "a whole trace has as many bytes as was said");
	else if (whole < 0)
		check(kept <= part, "as much is there as was said to be kept");
	check(whole >= 0 || trace < 0 || data[0] & 2, "what is not whole has no name as if it were");
	return 0;
}
