// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests limits of users who may only mark, for tests/guest/test_users.sh: each user has separate
 * limits, and gets the resources back when the file is closed. Run it as root. Prints a line for
 * each result.
 *
 *	users definitions	limits of typed tracepoints
 *	users bytes		limits of the bytes of tracepoints
 *	users uses		limits of the definitions that open files use
 *	users ids		the distance of the ids of two new tracepoints. Between them are 255
 *				others, 1,000 definitions of a known text, and 50 that are refused
 *	users keep TEXT		defines and records that tracepoint, and closes the file
 *	users more COUNT	defines COUNT other tracepoints as the same user
 *	users collide UID	prints another user id with the same hash of six bits
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"

#define FIRST 2000		/* user id of the first user here */

struct helper {
	pid_t pid;
	FILE *to, *from;
};

static unsigned char bytes[5000];

static int device(void)
{
	int fd = open(KUTRACE_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		perror(KUTRACE_DEVICE);
	return fd;
}

/* Returns the id of the definition, or -errno. */
static int define(int fd, const char *text)
{
	struct kutrace_point_def def = {.length = sizeof(def)};

	snprintf(def.text, sizeof(def.text), "%s", text);
	return ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def) ? -errno : (int)def.id;
}

/* Returns the number of accepted definitions, and the error of the next: "256 ENOSPC". */
static const char *define_all(int fd, const char *name, int from, int count)
{
	static char answer[60];
	char text[60];
	int i, ret = 0;

	for (i = 0; i < count && ret >= 0; i++) {
		snprintf(text, sizeof(text), "%s_%d|", name, from + i);
		ret = define(fd, text);
	}
	snprintf(answer, sizeof(answer), "%d %s", ret < 0 ? i - 1 : i,
		 ret < 0 ? strerrorname_np(-ret) : "ok");
	return answer;
}

static const char *follow_all(int fd, const char *text)
{
	struct kutrace_point_byte byte = {.length = sizeof(byte)};
	static char answer[60];
	size_t i;
	int error = 0;

	byte.id = (uint32_t)define(fd, text);
	for (i = 0; i < sizeof(bytes) && !error; i++) {
		byte.address = (uintptr_t)&bytes[i];
		error = ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte) ? errno : 0;
	}
	snprintf(answer, sizeof(answer), "%zu %s", error ? i - 1 : i,
		 error ? strerrorname_np(error) : "ok");
	return answer;
}

static void become(unsigned int uid)
{
	if (setgid(uid) || setuid(uid)) {
		perror("users: setuid");
		exit(1);
	}
}

/* Starts a process of that user with the device open. It executes commands until end(). */
static struct helper begin(unsigned int uid)
{
	int down[2], up[2];
	struct helper h = {0};
	char line[100], name[50];

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		exit(1);
	fflush(stdout);
	h.pid = fork();
	if (!h.pid) {
		FILE *in = fdopen(down[0], "r");
		int fd, from, count;

		/* Close the pipes of other helpers: open copies would hide that a pipe was closed. */
		for (fd = 3; fd < 200; fd++)
			if (fd != down[0] && fd != up[1])
				close(fd);
		become(uid);
		fd = device();
		while (fgets(line, sizeof(line), in)) {
			if (sscanf(line, "define %49s %d %d", name, &from, &count) == 3)
				dprintf(up[1], "%s\n", define_all(fd, name, from, count));
			else if (sscanf(line, "follow %49s", name) == 1)
				dprintf(up[1], "%s\n", follow_all(fd, name));
		}
		_exit(0);
	}
	close(down[0]);
	close(up[1]);
	h.to = fdopen(down[1], "w");
	h.from = fdopen(up[0], "r");
	setvbuf(h.to, NULL, _IOLBF, 0);
	return h;
}

static void ask(struct helper *h, const char *who, const char *command)
{
	char line[100];

	fprintf(h->to, "%s\n", command);
	if (!fgets(line, sizeof(line), h->from))
		strcpy(line, "no answer\n");
	if (who)
		printf("%s %s: %s", who, command, line);
}

static void end(struct helper *h)
{
	fclose(h->to);
	fclose(h->from);
	waitpid(h->pid, NULL, 0);
}

static int definitions(void)
{
	struct helper a = begin(FIRST), b = begin(FIRST + 1), c;
	char command[60];
	int i;

	ask(&a, "a", "define a 0 1200");
	ask(&b, "b", "define b 0 1200");
	ask(&b, "b", "define b 0 10");
	/* Two users define the same tracepoints, and one of them closes its file. */
	ask(&b, "b", "define a 0 10");
	end(&a);
	a = begin(FIRST);
	ask(&a, "again a", "define c 0 1200");
	end(&a);
	end(&b);
	/* Define more than the limit in total, but close each file before the next. */
	for (i = 0; i < 20; i++) {
		a = begin(FIRST);
		snprintf(command, sizeof(command), "define x%d 0 256", i);
		ask(&a, i == 19 ? "20th a" : NULL, command);
		end(&a);
	}
	c = begin(FIRST + 2);
	ask(&c, "c", "define c 0 256");
	end(&c);
	return 0;
}

/* Starts four users with four processes each, and a fifth user. */
static int follow(void)
{
	struct helper all[17], later;
	int i;

	for (i = 0; i < 17; i++) {
		all[i] = begin(FIRST + (unsigned int)i / 4);
		ask(&all[i], "user", "follow u|");
		if (i == 3) {
			later = begin(FIRST);
			ask(&later, "his fifth", "follow u|");
			end(&later);
		}
	}
	for (i = 0; i < 17; i++)
		end(&all[i]);
	later = begin(FIRST + 4);
	ask(&later, "later", "follow u|");
	end(&later);
	return 0;
}

/* Seventeen files of a user use the same 256 definitions, and a file of another user. */
static int uses(void)
{
	struct helper all[17], other = begin(FIRST + 1);
	int i;

	for (i = 0; i < 17; i++) {
		all[i] = begin(FIRST);
		ask(&all[i], i == 0 || i >= 15 ? "file" : NULL, "define d 0 256");
	}
	ask(&all[0], "again", "define d 0 256");
	ask(&other, "other", "define d 0 256");
	end(&all[0]);
	ask(&all[16], "later", "define d 0 256");
	for (i = 1; i < 17; i++)
		end(&all[i]);
	end(&other);
	return 0;
}

static int ids(void)
{
	int fd, i, from, to;

	become(FIRST);
	fd = device();
	from = define(fd, "first|");
	for (i = 0; i < 1000; i++)
		if (define(fd, "first|") != from)
			return 1;
	define_all(fd, "full", 0, 255);
	for (i = 0; i < 50; i++)
		if (define(fd, "beyond|") != -ENOSPC)
			return 1;
	close(fd);
	to = define(device(), "last|");
	printf("%d\n", to - from);
	return 0;
}

static int keep(const char *text)
{
	struct kutrace_point_entry entry = {0};
	int fd;

	become(FIRST);
	fd = device();
	entry.id = (uint32_t)define(fd, text);
	return ioctl(fd, KUTRACE_IOC_POINT, &entry) ? 1 : 0;
}

static int more(int count)
{
	int fd;

	become(FIRST);
	fd = device();
	printf("%s\n", define_all(fd, "more", 0, count));
	return 0;
}

static unsigned int place(uint32_t uid)
{
	return uid * 0x61C88647U >> (32 - 6);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	uint32_t uid, other = 3000;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "definitions"))
		return definitions();
	if (!strcmp(what, "bytes"))
		return follow();
	if (!strcmp(what, "uses"))
		return uses();
	if (!strcmp(what, "ids"))
		return ids();
	if (!strcmp(what, "keep") && argc == 3)
		return keep(argv[2]);
	if (!strcmp(what, "more") && argc == 3)
		return more(atoi(argv[2]));
	if (!strcmp(what, "collide") && argc == 3) {
		uid = (uint32_t)strtoul(argv[2], NULL, 10);
		while (place(other) != place(uid))
			other++;
		printf("%u\n", other);
		return 0;
	}
	fputs("usage: users definitions|bytes|uses|ids|keep TEXT|more COUNT|collide UID\n", stderr);
	return 2;
}
