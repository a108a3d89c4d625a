// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opens sockets by HOST:PORT. Opens connections to a receiver by TCP, or by a command such as ssh
 * that connects its standard input and output to the receiver. Must not listen to other machines
 * unless the user requests it. Must not leave a started command running.
 *
 * A statically linked program, as for a rescue system, accepts only numeric addresses. The C
 * library needs files for looking names up, and such a system lacks them.
 */
#include "cli/shared/sending.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/base.h"

/* weak: NULL in a static program */
#pragma weak getaddrinfo
#pragma weak freeaddrinfo

#define HOST_BYTES	200

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/*
 * Splits HOST:PORT, [IPv6]:PORT or PORT. PORT alone means this machine only, because the sent
 * trace shows what all users did. @host has HOST_BYTES. Returns false if @where has none of these
 * forms.
 */
static bool split(const char *where, char *host, uint32_t *port)
{
	const char *colon = strrchr(where, ':');
	size_t length = colon ? (size_t)(colon - where) : 0;

	if (length >= HOST_BYTES || !cmd_number(colon ? colon + 1 : where, 1, 65535, port))
		return false;
	if (length > 2 && where[0] == '[' && colon[-1] == ']') {
		where++;
		length -= 2;
	}
	memcpy(host, where, length);
	host[length] = '\0';
	if (!length || !strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	return true;
}

/* Converts a numeric address. Returns its length; 0: @host is not an address. */
static socklen_t parse(const char *host, uint32_t port, union address *address)
{
	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		address->v4.sin_port = htons((uint16_t)port);
		return sizeof(address->v4);
	}
	if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) != 1)
		return 0;
	address->v6.sin6_family = AF_INET6;
	address->v6.sin6_port = htons((uint16_t)port);
	return sizeof(address->v6);
}

/* Returns a connected or listening socket, or -errno. @seconds: time limit; 0: the system's. */
static int open_socket(const struct sockaddr *address, socklen_t length, bool listening,
		       unsigned int seconds)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, ret;
	const struct timeval patience = {.tv_sec = seconds};

	if (fd < 0)
		return -errno;
	if (seconds)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (listening) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		ret = bind(fd, address, length);
		ret = ret ?: listen(fd, 1);
	} else {
		ret = connect(fd, address, length);
	}
	if (!ret)
		return fd;
	ret = errno == EINPROGRESS ? -ETIMEDOUT : -errno;
	close(fd);
	return ret;
}

/* Returns a socket for the first address of @host that works, or -errno of the last attempt. */
static int open_by_name(const char *host, uint32_t port, bool listening,
			unsigned int seconds)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all, *one;
	char service[12];
	int fd = -ENXIO;

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(host, service, &hints, &all))
		return -ENXIO;
	for (one = all; one && fd < 0; one = one->ai_next)
		fd = open_socket(one->ai_addr, one->ai_addrlen, listening, seconds);
	freeaddrinfo(all);
	return fd;
}

/*
 * Returns a connected or listening socket, or -errno: -EINVAL for an invalid address, -ENXIO for an
 * unknown host, -ENOSYS if this program is static and cannot look a name up. @seconds: limit for
 * connecting and for each write; 0: the system's.
 */
static int open_at(const char *where, bool listening, unsigned int seconds)
{
	union address address;
	char host[HOST_BYTES];
	socklen_t length;
	uint32_t port;

	if (!split(where, host, &port))
		return -EINVAL;
	length = parse(host, port, &address);
	if (length)
		return open_socket(&address.any, length, listening, seconds);
	return getaddrinfo ? open_by_name(host, port, listening, seconds) : -ENOSYS;
}

bool cmd_is_address(const char *where)
{
	char host[HOST_BYTES];
	uint32_t port;

	return split(where, host, &port);
}

int cmd_socket(const char *what, const char *where, bool listening, int *status)
{
	int fd = open_at(where, listening, 0);

	if (fd >= 0)
		return fd;
	if (!cmd_is_address(where))
		*status = cmd_usage_error("%s: %s: needs " CMD_ADDRESS, what, where);
	else if (fd == -ENOSYS)
		*status = cmd_usage_error("%s: %s: this program is static and cannot look names up: "
					  "needs ADDRESS:PORT in numbers", what, where);
	else if (fd == -ENXIO)
		*status = cmd_fail("%s: %s: no such host: give its address in numbers, or see getent "
				   "hosts", what, where);
	else
		*status = cmd_dump_error(what, where, fd);
	return -1;
}

#define POLL_MS		20
#define END_POLLS	100	/* attempts to see whether the command has ended */

/* Runs in the child: only system calls, because other threads may hold locks. */
static void run_command(const char *command, int fd)
{
	const struct sigaction normal = {.sa_handler = SIG_DFL};

	/* this program ignores these signals, and the command would inherit this setting */
	sigaction(SIGPIPE, &normal, NULL);
	sigaction(SIGXFSZ, &normal, NULL);
	/* ^C is for this program only: data on the way should still arrive */
	setpgid(0, 0);
	if (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int start_command(struct cmd_connection *connection, const char *command)
{
	int ends[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	connection->pid = fork();
	if (!connection->pid)
		run_command(command, ends[1]);
	ret = connection->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (ret) {
		connection->pid = 0;
		close(ends[0]);
		return ret;
	}
	/* parent and child both call this function, because either may run first */
	setpgid(connection->pid, connection->pid);
	connection->fd = ends[0];
	return 0;
}

int cmd_connection_open(struct cmd_connection *connection, const struct cmd_receiver *receiver)
{
	*connection = (struct cmd_connection){.fd = -1};
	if (receiver->through)
		return start_command(connection, receiver->through);
	connection->fd = open_at(receiver->connect, false, receiver->patience_s);
	if (connection->fd == -ENOSYS)
		connection->fd = -ENXIO;
	return connection->fd < 0 ? connection->fd : 0;
}

static bool has_ended(pid_t pid, int polls)
{
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (!polls--)
			return false;
		kutrace_msleep(POLL_MS);
	}
	return true;
}

void cmd_connection_close(struct cmd_connection *connection, bool polite)
{
	if (connection->fd >= 0)
		close(connection->fd);
	if (connection->pid && !has_ended(connection->pid, polite ? END_POLLS : 0)) {
		kill(-connection->pid, SIGTERM);
		if (!has_ended(connection->pid, END_POLLS)) {
			kill(-connection->pid, SIGKILL);
			waitpid(connection->pid, NULL, 0);
		}
	}
	*connection = (struct cmd_connection){.fd = -1};
}
