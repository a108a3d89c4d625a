// SPDX-License-Identifier: BSD-3-Clause
/*
 * Formats and parses in the C locale. Must not change the program's locale: only this thread's
 * locale changes, during a call.
 */
#include "common/c_locale.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the C locale. In glibc it is static: nothing is allocated or freed. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int ku_print(char *str, size_t size, const char *fmt, ...)
{
	locale_t before = uselocale(c_locale());
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(str, size, fmt, args);
	va_end(args);
	uselocale(before);
	return ret;
}

double ku_parse_double(const char *text, char **end)
{
	return strtod_l(text, end, c_locale());
}

bool ku_same_letters(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (ku_lower(a[i]) != ku_lower(b[i]))
			return false;
		if (!a[i])
			break;
	}
	return true;
}

static const char *const errors[] = {
	[0] = "0",
#include "kutrace_errors.inc"
};

const char *ku_error_name(int error)
{
	return error >= 0 && (size_t)error < sizeof(errors) / sizeof(errors[0]) ? errors[error]
										 : NULL;
}

/* Only glibc has functions for untranslated error texts and for signal names; musl has neither. */
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
