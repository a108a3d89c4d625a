// SPDX-License-Identifier: BSD-3-Clause
/*
 * A connection to a receiver: by TCP, or by a command such as ssh whose standard input and output
 * lead there. Must not leave a started command running.
 */
#include "cli/shared/link.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/shared/address.h"
#include "libkutrace.h"

#define LOOK_MS		20
#define END_LOOKS	100	/* attempts to see whether the command has ended */

/* Runs in the child: only system calls, because other threads may hold locks. */
static void run_command(const char *command, int fd)
{
	const struct sigaction normal = {.sa_handler = SIG_DFL};

	/* this program ignores these signals, and the command would inherit that */
	sigaction(SIGPIPE, &normal, NULL);
	sigaction(SIGXFSZ, &normal, NULL);
	/* ^C is for this program only: data on the way should still arrive */
	setpgid(0, 0);
	if (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int start_command(struct cmd_link *link, const char *command)
{
	int ends[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	link->pid = fork();
	if (!link->pid)
		run_command(command, ends[1]);
	ret = link->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (ret) {
		link->pid = 0;
		close(ends[0]);
		return ret;
	}
	/* parent and child both call this, as either may be first */
	setpgid(link->pid, link->pid);
	link->fd = ends[0];
	return 0;
}

int cmd_link_open(struct cmd_link *link, const struct cmd_route *route)
{
	*link = (struct cmd_link){.fd = -1};
	if (route->through)
		return start_command(link, route->through);
	link->fd = cmd_connect(route->connect, route->patience_s);
	return link->fd < 0 ? link->fd : 0;
}

static bool has_ended(pid_t pid, int looks)
{
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (!looks--)
			return false;
		kutrace_msleep(LOOK_MS);
	}
	return true;
}

void cmd_link_close(struct cmd_link *link, bool polite)
{
	if (link->fd >= 0)
		close(link->fd);
	if (link->pid && !has_ended(link->pid, polite ? END_LOOKS : 0)) {
		kill(-link->pid, SIGTERM);
		if (!has_ended(link->pid, END_LOOKS)) {
			kill(-link->pid, SIGKILL);
			waitpid(link->pid, NULL, 0);
		}
	}
	*link = (struct cmd_link){.fd = -1};
}
