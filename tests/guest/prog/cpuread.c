// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a file of /dev/kutrace while a recording fills it, for test_ttrace.sh.
 *
 *	cpuread FILE OUT	polls and reads blocks into OUT until the recording has
 *		ended and everything is read. Prints the numbers of blocks, of reads that found
 *		nothing, and of overruns.
 *	cpuread FILE COMMAND OUT -	writes COMMAND, then reads to the end of file
 *	cpuread try FILE COMMAND	prints the result of writing COMMAND
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[65536];

static void put(int out, ssize_t bytes)
{
	if (write(out, block, (size_t)bytes) != bytes) {
		perror("write");
		exit(1);
	}
}

static int follow(int in, int out)
{
	int blocks = 0, nothing = 0, overruns = 0;
	struct pollfd pollfd = {.fd = in, .events = POLLIN};

	while (poll(&pollfd, 1, 60000) > 0) {
		ssize_t got;

		if (!(pollfd.revents & POLLIN))
			break;
		got = read(in, block, sizeof(block));
		if (got < 0 && errno == EOVERFLOW) {
			overruns++;
			continue;
		}
		if (got < 0) {
			perror("read");
			return 1;
		}
		if (!got) {
			nothing++;
			continue;
		}
		blocks++;
		put(out, got);
	}
	printf("blocks %d nothing %d overruns %d %s\n", blocks, nothing, overruns,
	       pollfd.revents & POLLHUP ? "hup" : "timeout");
	return 0;
}

int main(int argc, char **argv)
{
	int in, out;
	ssize_t got;

	if (argc == 4 && !strcmp(argv[1], "try")) {
		in = open(argv[2], O_RDWR);
		got = in < 0 ? -1 : write(in, argv[3], strlen(argv[3]));
		printf("%s\n", got < 0 ? strerrorname_np(errno) :
			       got == (ssize_t)strlen(argv[3]) ? "ok" : "short");
		return 0;
	}
	if (argc < 3)
		return 2;
	in = open(argv[1], argc == 5 ? O_RDWR : O_RDONLY);
	out = open(argv[argc == 5 ? 3 : 2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (in < 0 || out < 0) {
		perror(argv[1]);
		return 1;
	}
	if (argc < 5)
		return follow(in, out);
	if (write(in, argv[2], strlen(argv[2])) < 0) {
		perror(argv[2]);
		return 1;
	}
	while ((got = read(in, block, sizeof(block))) > 0)
		put(out, got);
	return got < 0;
}
