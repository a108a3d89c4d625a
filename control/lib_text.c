// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: labels, file names, errors in words, clocks. Nothing in here needs
 * the module, but for the shift of its clock. Called by programs and by the
 * rest of the library.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "ku_lib.h"

static const char base40_digits[41] = "\0abcdefghijklmnopqrstuvwxyz0123456789-./";

#define BASE40_CHARS	6
#define BASE40_DOT	38	/* for characters that have no digit */

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

/* --- without a locale ------------------------------------------------------------- */

/* That of the C library itself: there always, and nothing is allocated for it. */
static locale_t no_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int ku_print(char *str, size_t size, const char *fmt, ...)
{
	locale_t before = uselocale(no_locale());
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
	return strtod_l(text, end, no_locale());
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
	return small(c) >= 'a' && small(c) <= 'z';
}

bool ku_same_letters(const char *a, const char *b, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (small(a[i]) != small(b[i]))
			return false;
		if (!a[i])
			break;
	}
	return true;
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
		if (!is_letter(*p) && !ku_is_digit(*p) && *p != '-' && *p != '.')
			*p = '_';
	/* nothing but the name given can be too long: 360 + 19 + 64 + 32 < 512 */
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

static uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
	return value;
#elif defined(__riscv)
	uint64_t value;

	__asm__ volatile("rdtime %0" : "=r"(value));
	return value;
#else
#error "which counter does the module use here?"
#endif
}

int64_t kutrace_readtime(void)
{
	struct kutrace_info info;

	if (ku_clock_shift() < 0 && kutrace_get_info(&info) < 0)
		return (int64_t)counter();
	return (int64_t)(counter() >> ku_clock_shift());
}

/* Stock kernels older than this are not supported by the module. */
static bool kernel_too_old(char *release, size_t size)
{
	struct utsname uts;
	unsigned int major, minor;

	if (uname(&uts) < 0 || sscanf(uts.release, "%u.%u", &major, &minor) != 2)
		return false;
	snprintf(release, size, "%s", uts.release);
	return major < 6 || (major == 6 && minor < 1);
}

const char *kutrace_explain(int error, char *str, size_t size)
{
	const char *text = NULL;
	char release[80] = "";

	switch (error < 0 ? -error : error) {
	case ENODEV:
		if (kernel_too_old(release, sizeof(release))) {
			snprintf(str, size, "kernel %s is not supported: "
				 "boot Linux 6.1 or later", release);
			return str;
		}
		text = "module not loaded: run \"sudo modprobe kutrace\" or \"sudo make load\"";
		break;
	case EPERM:
		text = "no permission: run as root or join group tracing";
		break;
	case EPROTO:
		text = "the loaded module is of another version: "
		       "unload it and load the one that came with this program";
		break;
	case ENOSYS:
		text = "this kernel is not supported: the module found nothing to attach to, "
		       "see dmesg";
		break;
	case EBUSY:
		text = "a recording is running: stop it first";
		break;
	case ENODATA:
		text = "nothing has been recorded: go first";
		break;
	case EOPNOTSUPP:
		text = "this machine's counters cannot be had (most virtual machines have "
		       "none): see dmesg, or record without";
		break;
	case ENOTCONN:
		text = "needs " KUTRACE_DEVICE ", which is not there or may not be opened: "
		       "make that possible, or do with go, stop and dump";
		break;
	case EBADMSG:
		text = "the module contradicts itself: unload and load it again, see dmesg";
		break;
	case ESTALE:
		text = "the recording was changed by somebody meanwhile: stop it, dump again";
		break;
	case EPIPE:
	case ECONNRESET:
		text = "the reader has gone: start it again, then this";
		break;
	case ECONNREFUSED:
		text = "nobody listens there: start the reader first";
		break;
	case EAGAIN:
		text = "overwritten faster than it can be written: load the module with more "
		       "memory (mb=), or write to a faster disk";
		break;
	case ESRCH:
		text = "no such session: \"kutrace_control session list\" shows those there are";
		break;
	case EEXIST:
		text = "there is a session of that name: take another, or destroy it";
		break;
	case E2BIG:
		text = "this program asks for what its libkutrace does not know: install the "
		       "library that it was made for";
		break;
	case ECANCELED:
		text = "canceled, no file written: the recording is kept, dump again";
		break;
	case EINVAL:
		text = "refused by the module: reset first, see status";
		break;
	case ENOSPC:
	case EDQUOT:
		text = "no space left on the disk, no file written: the recording is kept, "
		       "free some space or dump to another place";
		break;
	case EFBIG:
		text = "file too large, no file written: the recording is kept, "
		       "raise the limit (ulimit -f) or dump to another place";
		break;
	case EACCES:
		text = "no permission for the file or its directory: dump to another place";
		break;
	case EROFS:
		text = "read-only file system: dump to another place";
		break;
	case ENOENT:
	case ENOTDIR:
		text = "no such directory: make it, or dump to another place";
		break;
	case EISDIR:
		text = "is a directory: give a file name";
		break;
	case ENOMEM:
		text = "out of memory: free some and try again";
		break;
	default:
		break;
	}
	if (text)
		snprintf(str, size, "%s", text);
	else
		snprintf(str, size, "%s", strerrordesc_np(error < 0 ? -error : error)
			 ? strerrordesc_np(error < 0 ? -error : error) : "unknown error");
	return str;
}

const char *kutrace_library_version(void)
{
	return KUTRACE_VERSION;
}
