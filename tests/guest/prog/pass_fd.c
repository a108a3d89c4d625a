// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opens a file of the module as one user. A process of another user then operates on the file.
 * Prints a line "ATTEMPT RESULT" for each attempt: "ok" or the name of an error. For
 * test_owners.sh.
 *
 *	pass_fd write NODE SESSION VICTIM	VICTIM's stderr is NODE; VICTIM prints argv[0] there
 *	pass_fd attach SESSION VICTIM		VICTIM's stdin is the control device
 *	pass_fd given SESSION UID		opens the control device, then becomes UID
 *
 * VICTIM is a copy of this program with the set-user-ID bit. Its argv[0] is "session NAME", which
 * it writes to stderr, as getopt() of any program does; or "attach NAME", for attempts on stdin.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"

static void say(const char *name, int failed)
{
	printf("%s %s\n", name, failed ? strerrorname_np(errno) : "ok");
	fflush(stdout);
}

static void try_sessions(int fd, const char *name)
{
	struct kutrace_session theirs = {.length = sizeof(theirs)};
	struct kutrace_session named = {.length = sizeof(named), .mb = 1, .name = "uid-1234"};
	struct kutrace_session mine = {.length = sizeof(mine), .mb = 1};

	snprintf(theirs.name, sizeof(theirs.name), "%s", name);
	say("destroy-main", ioctl(fd, KUTRACE_IOC_SESSION_DESTROY,
				  &(struct kutrace_session){.length = sizeof(theirs),
							    .name = "main"}));
	say("create-named", ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &named));
	if (ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &mine))
		say("create", 1);
	else
		printf("owner %u\n", mine.owner_uid);
	say("attach", ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &theirs));
	fflush(stdout);
}

/* Runs as the set-user-ID program. */
static int victim(const char *name)
{
	if (strncmp(name, "attach ", 7)) {
		fprintf(stderr, "%s", name);
		return 0;
	}
	try_sessions(0, name + 7);
	return 0;
}

/* Runs @path with the argv[0] "@verb @session", and with @fd as its descriptor number @as. */
static void call(const char *path, const char *verb, const char *session, int fd, int as)
{
	char name[64];
	int status;
	pid_t pid;

	snprintf(name, sizeof(name), "%s %s%s", verb, session, as == 2 ? "\n" : "");
	pid = fork();
	if (!pid) {
		dup2(fd, as);
		execl(path, name, (char *)NULL);
		_exit(99);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		printf("victim %x\n", status);
}

static int by_write(const char *node, const char *session, const char *path)
{
	char text[64], data[4096];
	int fd = open(node, O_RDWR | O_NONBLOCK);

	if (fd < 0) {
		perror(node);
		return 1;
	}
	snprintf(text, sizeof(text), "session %s\n", session);
	say("direct", write(fd, text, strlen(text)) < 0);
	call(path, "session", session, fd, 2);
	say("read", read(fd, data, sizeof(data)) < 0);
	say("mask", write(fd, "clrbits 0x7fffffffffffffff\n", 27) < 0);
	return 0;
}

static int by_ioctl(const char *session, const char *path)
{
	int fd = open(KUTRACE_DEVICE, O_RDWR);
	void *at;

	if (fd < 0) {
		perror(KUTRACE_DEVICE);
		return 1;
	}
	call(path, "attach", session, fd, 0);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)KUTRACE_MMAP_AUX);
	say("map", at == MAP_FAILED);
	return 0;
}

static int given(const char *session, unsigned int uid)
{
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	if (fd < 0 || setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid)) {
		perror("pass_fd");
		return 1;
	}
	try_sessions(fd, session);
	return 0;
}

int main(int argc, char **argv)
{
	if (strchr(argv[0], ' '))
		return victim(argv[0]);
	if (argc == 5 && !strcmp(argv[1], "write"))
		return by_write(argv[2], argv[3], argv[4]);
	if (argc == 4 && !strcmp(argv[1], "attach"))
		return by_ioctl(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "given"))
		return given(argv[2], (unsigned int)atoi(argv[3]));
	fputs("usage: pass_fd {write NODE SESSION VICTIM | attach SESSION VICTIM | given SESSION UID}\n",
	      stderr);
	return 2;
}
