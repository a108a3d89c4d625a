// SPDX-License-Identifier: BSD-3-Clause
/*
 * Signals cancel a write, so that no part of a file remains. Must not catch a signal that was
 * ignored when the program began.
 */
#include "cli/base/base.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "common/die.h"

#define POLL_MS	200	/* interval for checking for signals */

static volatile sig_atomic_t interrupted;	/* number of the caught signal, or 0 */
static bool pipe_ignored;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))
_Static_assert(SIGNALS == CMD_FORWARDED, "the same signals are forwarded");
static struct sigaction before[SIGNALS];
/* nesting depth of the calls: only the first call catches, only the last call releases */
static unsigned int caught;

static void on_signal(int signal_number)
{
	interrupted = signal_number;
}

void cmd_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	if (caught++)
		return;
	interrupted = 0;
	for (i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void cmd_release_signals(void)
{
	size_t i;

	if (--caught)
		return;
	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

bool cmd_interrupted(void)
{
	return interrupted;
}

int cmd_signal_status(int status)
{
	return interrupted ? CMD_SIGNAL + interrupted : status;
}

void cmd_ignore_signals(void)
{
	pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	signal(SIGXFSZ, SIG_IGN);
}

bool cmd_stdout_unread(void)
{
	return !pipe_ignored && ku_reader_gone(STDOUT_FILENO);
}

bool cmd_pause(uint32_t seconds)
{
	int64_t end_ms = cmd_now_ms() + seconds * 1000LL, left_ms;

	while ((left_ms = end_ms - cmd_now_ms()) > 0) {
		if (interrupted)
			return false;
		usleep((useconds_t)(left_ms < POLL_MS ? left_ms : POLL_MS) * 1000);
	}
	return true;
}

static volatile sig_atomic_t forward_pid;

static void forward_signal(int signal_number)
{
	int saved = errno;

	if (forward_pid > 0)
		kill(forward_pid, signal_number);
	errno = saved;
}

void cmd_forward_to(pid_t pid)
{
	forward_pid = pid;
}

void cmd_begin_forwarding(struct sigaction saved[CMD_FORWARDED])
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const struct sigaction forward = {.sa_handler = forward_signal, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < SIGNALS; i++) {
		const bool terminal = signals[i] == SIGINT || signals[i] == SIGQUIT;

		sigaction(signals[i], terminal ? &ignore : &forward, &saved[i]);
	}
}

void cmd_end_forwarding(const struct sigaction saved[CMD_FORWARDED])
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &saved[i], NULL);
}
