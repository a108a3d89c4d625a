// SPDX-License-Identifier: BSD-3-Clause
/*
 * Labels of marks, names of trace files, the time of day, pauses, and the texts of the library's
 * errors, each with cause and remedy. Must not need the module.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/c_locale.h"
#include "common/file.h"
#include "libkutrace.h"

static const char base40_digits[41] = "\0abcdefghijklmnopqrstuvwxyz0123456789-./";

#define BASE40_CHARS	6
#define BASE40_DOT	38	/* base-40 digit for characters that have no digit */

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

	for (int i = 0; label && i < BASE40_CHARS && label[i]; i++) {
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

const char *kutrace_make_trace_file_name(const char *name, char *str)
{
	struct utsname uts;
	char when[32];
	struct tm tm;
	time_t now = time(NULL);

	if (!name || !*name)
		name = "kutrace";
	if (!localtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm))
		strcpy(when, "00000000_000000");
	if (uname(&uts) < 0 || !uts.nodename[0])
		strcpy(uts.nodename, "localhost");
	for (char *p = uts.nodename; *p; p++)
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

static const struct {
	int error, other;	/* other: another errno with the same meaning, or 0 */
	const char *text;
} texts[] = {
	{ENODEV, 0,
	 "module not loaded: run \"sudo modprobe kutrace\" or \"sudo make load\"; if that fails, "
	 "\"kutrace_control doctor\" names the cause"},
	{EPERM, 0,
	 "no permission: run as root, or have root put you into group tracing "
	 "(usermod -aG), and log in again"},
	{EPROTO, 0,
	 "the loaded module has another version: "
	 "unload it and load the one that came with this program"},
	{ENOSYS, 0,
	 "this kernel is not supported: the module found nothing to attach to, "
	 "see dmesg"},
	{EBUSY, 0, "a recording is running: stop it first"},
	{ENODATA, 0, "nothing has been recorded: start a recording first"},
	{EOPNOTSUPP, 0,
	 "no hardware counters are available (most virtual machines have "
	 "none): see dmesg, or record without them"},
	{ENOTCONN, 0,
	 "needs " KUTRACE_DEVICE ", which is missing or may not be opened: "
	 "fix that, or use only go, stop and dump"},
	{EBADMSG, 0, "the module's data contradict each other: unload and load it again, see dmesg"},
	{ESTALE, 0, "another program changed the recording meanwhile: stop it, dump again"},
	{ETIME, 0,
	 "the kernel calls this machine's time counter unstable: see dmesg; boot with tsc=reliable "
	 "if you trust the counter"},
	{EPIPE, ECONNRESET, "the reader has gone: start it again, then this program"},
	{ECONNREFUSED, 0, "no program listens there: start the reader first"},
	{EAGAIN, 0,
	 "overwritten faster than it can be written: load the module with more "
	 "memory (mb=), or write to a faster disk"},
	{ESRCH, 0, "no such session: \"kutrace_control session list\" lists the sessions"},
	{EEXIST, 0, "a session with that name exists: use another name, or destroy it"},
	{E2BIG, 0,
	 "this program needs a newer libkutrace: install the version that it "
	 "was built with"},
	{ECANCELED, 0, "canceled, no file written: the recording is kept, so it can be written again"},
	{EINVAL, 0,
	 "an argument is unknown or out of range, or the recording must be reset first: "
	 "check the arguments, then try kutrace_control reset"},
	{ENOSPC, EDQUOT,
	 "no space left on the disk, no file written: the recording is kept; "
	 "free some space or use another file"},
	{EFBIG, 0,
	 "file too large, no file written: the recording is kept; "
	 "raise the limit (ulimit -f) or use another file"},
	{EACCES, 0, "no permission for the file or its directory: use another file"},
	{EROFS, 0, "read-only file system: use another file"},
	{ENOENT, ENOTDIR, "no such directory: make it, or use another file"},
	{EISDIR, 0, "is a directory: give a file name"},
	{ENOBUFS, 0,
	 "the buffer has fewer than two blocks of 64 KB for each CPU: record in a session of a "
	 "larger size (--size), or without --per-cpu"},
	{ENOMEM, 0, "out of memory: free some and try again"},
};

/* Returns whether this kernel is too old for the module. Copies its release to @release. */
static bool kernel_too_old(char *release, size_t size)
{
	struct utsname uts;
	unsigned int major, minor;

	if (uname(&uts) < 0 || sscanf(uts.release, "%u.%u", &major, &minor) != 2)
		return false;
	snprintf(release, size, "%s", uts.release);
	return major < 6 || (major == 6 && minor < 1);
}

/* Returns whether the module is loaded, but there is no device file, as in a container. */
static bool device_alone_is_missing(void)
{
	return !access("/sys/module/kutrace", F_OK) && access(KUTRACE_DEVICE, F_OK);
}

/* Returns whether kernel lockdown prevents all recording; false also without securityfs. */
static bool locked_down(void)
{
	char line[100];

	return ku_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	       strstr(line, "[confidentiality]");
}

static const char *text_of(int error)
{
	const char *text = ku_error_text(error);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (error && (texts[i].error == error || texts[i].other == error))
			return texts[i].text;
	return text ? text : "unknown error";
}

const char *kutrace_explain(int error, char *str, size_t size)
{
	char release[80] = "";

	if (error < 0)
		error = -error;
	if (error == ENODEV && kernel_too_old(release, sizeof(release)))
		snprintf(str, size, "kernel %s is not supported: boot Linux 6.1 or later", release);
	else if (error == ENODEV && device_alone_is_missing())
		snprintf(str, size, "the module is loaded, but " KUTRACE_DEVICE " is missing: "
			 "start a container with this device");
	else if (error == EPERM && locked_down())
		snprintf(str, size, "the kernel is locked down, so no user may record, not even root: "
			 "boot without lockdown=confidentiality");
	else
		snprintf(str, size, "%s", text_of(error));
	return str;
}
