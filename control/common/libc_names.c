// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names of errors and signals. glibc also has texts of errors that are never translated, and names
 * of signals. Other C libraries, such as musl, do not; for these libraries the signals are listed
 * here.
 */
#include "common/libc_names.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

static const char *const errors[] = {
	[0] = "0",
#include "kutrace_errors.inc"
};

const char *ku_error_name(int error)
{
	return error >= 0 && (size_t)error < sizeof(errors) / sizeof(errors[0]) ? errors[error]
										 : NULL;
}

#ifdef __GLIBC__

const char *ku_error_text(int error)
{
	return strerrordesc_np(error);
}

const char *ku_signal_name(int signal_number)
{
	return sigabbrev_np(signal_number);
}

#else

static const char *const signals[] = {
	[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE",
	[SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
	[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",
	[SIGSTOP] = "STOP", [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",
	[SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM",
	[SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGPOLL] = "POLL", [SIGPWR] = "PWR", [SIGSYS] = "SYS",
};

const char *ku_error_text(int error)
{
	return ku_error_name(error) ? strerror(error) : NULL;
}

const char *ku_signal_name(int signal_number)
{
	return signal_number > 0 &&
	       (size_t)signal_number < sizeof(signals) / sizeof(signals[0]) ? signals[signal_number]
									     : NULL;
}

#endif
