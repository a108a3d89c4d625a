// SPDX-License-Identifier: BSD-3-Clause
/* See base/text.h. Must not print control characters; escaped text must be valid UTF-8. */
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "common/report.h"

const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT])
{
	uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
	const char *sign = units < 0 ? "-" : "";

	if (size < 100)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 " ns", sign, size * 10);
	else if (size < 100000)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%02" PRIu64 " us", sign, size / 100,
			 size % 100);
	else if (size + 50 < 100000000)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%03" PRIu64 " ms", sign,
			 (size + 50) / 100000, (size + 50) % 100000 / 100);
	else
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%03" PRIu64 " s", sign,
			 (size + 50000) / 100000000, (size + 50000) % 100000000 / 100000);
	return text;
}

const char *kp_time_short(int64_t units, char text[KP_TIME_TEXT])
{
	size_t digits, unit;

	kp_time_text(units, text);
	digits = strcspn(text, "0123456789");
	digits += strspn(text + digits, "0123456789.");
	unit = digits;
	while (strchr(text, '.') && digits - (text[0] == '-') > 5 && text[digits - 1] != '.')
		digits--;
	if (text[digits - 1] == '.')
		digits--;
	memmove(text + digits, text + unit, strlen(text + unit) + 1);
	return text;
}

int kp_message(char *text, size_t room, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, room, fmt, ap);
	va_end(ap);
	return -1;
}

void kp_print_plain(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		putc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
}

size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced)
{
	/* copy the plain beginning fast, escape the rest byte by byte */
	size_t plain = kp_put_plain(out, text, len, '"');

	if (plain == len)
		return len;
	return plain + ku_json_escape(text + plain, len - plain, out + plain, replaced);
}

char *kp_json_quote(const char *text, size_t len)
{
	char *out = kp_allocated(malloc(6 * len + 3));
	uint64_t replaced = 0;
	size_t n;

	if (!out)
		return NULL;
	out[0] = '"';
	n = kp_json_escape(text, len, out + 1, &replaced);
	out[n + 1] = '"';
	out[n + 2] = '\0';
	return out;
}

/* Bytes by which a format is recognized. The member at is their offset in the file. */
static const struct {
	size_t at;
	const char *bytes;
	size_t len;
	enum kp_format format;
	const char *what;
} beginnings[] = {
#define AT(at, bytes) at, bytes, sizeof(bytes) - 1
	{ AT(0, "\xFD" "7zXZ"), KP_FORMAT_XZ, "packed by xz; try xz -dc" },
	{ AT(0, "\x1F\x8B"), KP_FORMAT_GZIP, "packed by gzip; try gzip -dc" },
	{ AT(0, "\x28\xB5\x2F\xFD"), KP_FORMAT_ZSTD, "packed by zstd; try zstd -dc" },
	{ AT(0, "BZh"), KP_FORMAT_OTHER, "packed by bzip2; try bzip2 -dc" },
	{ AT(0, "PK\3\4"), KP_FORMAT_OTHER, "a zip archive; try unzip" },
	{ AT(0, "\x17\x08\x44tracing"), KP_FORMAT_OTHER,
	  "trace.dat of trace-cmd; try to convert it to CTF 1.8, and ctftoevent" },
	{ AT(0, "PERFILE2"), KP_FORMAT_OTHER, "perf.data of perf; try perf data convert --to-ctf, and ctftoevent" },
	{ AT(0, "2ELIFREP"), KP_FORMAT_OTHER,
	  "perf.data of perf, of a big-endian machine; try perf data convert --to-ctf, and ctftoevent" },
	{ AT(0, "\x7F" "ELF"), KP_FORMAT_OTHER, "a program or a dump of memory (ELF); try kutrace_crash" },
	{ AT(0, "KDUMP   "), KP_FORMAT_OTHER, "a dump of memory (kdump); try kutrace_crash" },
	{ AT(0, "SQLite format 3"), KP_FORMAT_OTHER, "an SQLite database; try sqlite3" },
	{ AT(0, "PAR1"), KP_FORMAT_OTHER, "a Parquet file; try duckdb" },
	{ AT(0, "/* CTF 1"), KP_FORMAT_OTHER, "the metadata of a CTF trace; try ctftoevent with its folder" },
	{ AT(0, "\xC1\x1F\xFC\xC1"), KP_FORMAT_OTHER, "a stream of a CTF trace; try ctftoevent with its folder" },
	{ AT(0, "\xC1\xFC\x1F\xC1"), KP_FORMAT_OTHER, "a stream of a CTF trace; try ctftoevent with its folder" },
	{ AT(257, "ustar"), KP_FORMAT_TAR, "an archive (tar); try ctftoevent, if it is of a CTF trace" },
	{ AT(0, "# ## "), KP_FORMAT_EVENT_TEXT, "event text; try eventtospan" },
#undef AT
};

/*
 * Recognizes a raw trace by its second word: a time in microseconds (years 2001 to 2096), and
 * version 3.
 */
static bool is_raw(const uint8_t *bytes, size_t len)
{
	uint64_t us;

	if (len < 16)
		return false;
	memcpy(&us, bytes + 8, sizeof(us));
	us &= UINT64_C(0xFFFFFFFFFFFFFF);
	return (bytes[15] & 0x0F) == 3 && us > UINT64_C(1000000000000000) && us < UINT64_C(4000000000000000);
}

/* Recognizes two consecutive packets of Perfetto: each is field 1 with a length. */
static bool is_perfetto(const uint8_t *bytes, size_t len)
{
	uint64_t packet = 0;
	size_t at = 1, shift;

	if (!len || bytes[0] != 0x0A)
		return false;
	for (shift = 0; at < len && shift < 35; shift += 7) {
		packet |= (uint64_t)(bytes[at] & 0x7F) << shift;
		if (!(bytes[at++] & 0x80))
			return packet && packet < len - at && bytes[at + packet] == 0x0A;
	}
	return false;
}

static bool by_kutrace;	/* propose commands of kutrace */

void kp_formats_for_kutrace(void)
{
	by_kutrace = true;
}

/*
 * Recognizes HTML and JSON by the first character after white space. A binary file can begin with the
 * same character, but its first bytes also have control characters.
 */
static enum kp_format text_of(const char *bytes, size_t len, const char **what)
{
	size_t at = 0;

	for (size_t i = 0; i < len && i < 16; i++)
		if ((uint8_t)bytes[i] < ' ' && (!bytes[i] || !strchr("\t\n\f\r", bytes[i])))
			return KP_FORMAT_NONE;
	if (len >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
		at = 3;
	while (at < len && strchr(" \t\r\n", bytes[at]) && bytes[at])
		at++;
	if (len - at > 5 && bytes[at] == '<') {
		*what = by_kutrace ? "a page (HTML); try \"kutrace why\" or \"kutrace top\"" : "a page (HTML); try unmakeself";
		return KP_FORMAT_PAGE;
	}
	if (len - at > 1 && bytes[at] == '{') {
		*what = by_kutrace ? "JSON; if it is of spans, try \"kutrace page\"" : "JSON; if it is of spans, try makeself";
		return KP_FORMAT_SPAN_JSON;
	}
	return KP_FORMAT_NONE;
}

/* Returns the format, and sets *what to its description. */
static enum kp_format recognize(const void *bytes, size_t len, enum kp_format reads, const char **what)
{
	enum kp_format format;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (len < beginnings[i].at + beginnings[i].len ||
		    memcmp((const char *)bytes + beginnings[i].at, beginnings[i].bytes, beginnings[i].len))
			continue;
		*what = by_kutrace && beginnings[i].format == KP_FORMAT_EVENT_TEXT ? "event text; try \"kutrace page\"" :
			beginnings[i].what;
		return beginnings[i].format;
	}
	format = text_of(bytes, len, what);
	if (format)
		return format;
	/* If both Perfetto and raw trace are possible, the format that the filter reads wins. */
	if (is_perfetto(bytes, len) && !(reads == KP_FORMAT_RAW_TRACE && is_raw(bytes, len))) {
		*what = "a Perfetto trace; try perfettotoevent";
		return KP_FORMAT_PERFETTO;
	}
	if (!is_raw(bytes, len))
		return KP_FORMAT_NONE;
	*what = "a raw trace; try rawtohtml, or rawtoevent";
	return KP_FORMAT_RAW_TRACE;
}

enum kp_format kp_format_of(const void *bytes, size_t len, enum kp_format reads)
{
	const char *what;

	return recognize(bytes, len, reads, &what);
}

const char *kp_other_format(const void *bytes, size_t len, enum kp_format reads)
{
	const char *what = NULL;

	return recognize(bytes, len, reads, &what) == reads ? NULL : what;
}
