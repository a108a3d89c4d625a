// SPDX-License-Identifier: BSD-3-Clause
/*
 * Messages and progress of kutrace_crash. Must not write to standard output, which may be the
 * trace.
 */
#include "crash/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BEGINS_S	2

static const char *doing;
static time_t begun, shown;

static void say(const char *fmt, va_list args)
{
	kc_progress_end();
	fputs(KC_TOOL ": ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void kc_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void kc_usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	fputs("try '" KC_TOOL " --help'\n", stderr);
	exit(KC_USAGE);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

void kc_progress_is(const char *what)
{
	kc_progress_end();
	doing = what;
	if (!begun)
		begun = seconds();
}

void kc_progress(uint64_t done, uint64_t total)
{
	time_t now;

	if (!total || !isatty(STDERR_FILENO))
		return;
	now = seconds();
	if (now - begun <= BEGINS_S || now == shown)
		return;
	shown = now;
	fprintf(stderr, "\r" KC_TOOL ": %s: %3u%%\033[K", doing,
		(unsigned int)((unsigned __int128)done * 100 / total));
}

void kc_progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = 0;
}

const char *kc_shown(const char *text, char *str, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++)
		str[i] = text[i];
	str[i] = '\0';
	/* other characters could control the terminal */
	for (i = 0; str[i]; i++)
		if ((unsigned char)str[i] < 0x20 || (unsigned char)str[i] > 0x7E)
			str[i] = '?';
	return str;
}
