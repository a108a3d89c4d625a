// SPDX-License-Identifier: BSD-3-Clause
/* Labels of marks, names of trace files, the time of day, pauses. Must not need the module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/c_locale.h"
#include "libkutrace.h"

static const char base40_digits[41] = "\0abcdefghijklmnopqrstuvwxyz0123456789-./";

#define BASE40_CHARS	6
#define BASE40_DOT	38	/* digit for characters that have none */

static unsigned int base40_digit(char c)
{
	const char *at;

	if (c >= 'A' && c <= 'Z')
		c = (char)(c - 'A' + 'a');
	at = memchr(base40_digits + 1, c, 39);
	return at ? (unsigned int)(at - base40_digits) : BASE40_DOT;
}

uint64_t kutrace_char_to_base40(const char *label)
{
	uint64_t value = 0, place = 1;
	int i;

	for (i = 0; label && i < BASE40_CHARS && label[i]; i++) {
		value += base40_digit(label[i]) * place;
		place *= 40;
	}
	return value;
}

const char *kutrace_base40_to_char(uint64_t base40, char *str)
{
	int i;

	for (i = 0; i < BASE40_CHARS && base40 % 40; i++) {
		str[i] = base40_digits[base40 % 40];
		base40 /= 40;
	}
	str[i] = '\0';
	return str;
}

/* --- file names, clocks ------------------------------------------------------------ */

const char *kutrace_make_trace_file_name(const char *name, char *str)
{
	struct utsname uts;
	char when[32];
	struct tm tm;
	time_t now = time(NULL);
	char *p;

	if (!name || !*name)
		name = "kutrace";
	if (!localtime_r(&now, &tm) ||
	    !strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm))
		strcpy(when, "00000000_000000");
	if (uname(&uts) < 0 || !uts.nodename[0])
		strcpy(uts.nodename, "localhost");
	for (p = uts.nodename; *p; p++)
		if (!ku_is_letter(*p) && !ku_is_digit(*p) && *p != '-' && *p != '.')
			*p = '_';
	/* only the given name can be too long: 360 + 19 + 64 + 32 < 512 */
	snprintf(str, KUTRACE_FILE_NAME_BYTES, "%.360s_%s_%.64s_%ld.trace", name, when,
		 uts.nodename, (long)getpid());
	return str;
}

int64_t kutrace_get_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void kutrace_msleep(int msec)
{
	struct timespec rest = {.tv_sec = msec / 1000, .tv_nsec = msec % 1000 * 1000000L};

	while (msec > 0 && nanosleep(&rest, &rest) < 0 && errno == EINTR)
		;
}

const char *kutrace_library_version(void)
{
	return KUTRACE_VERSION;
}
