// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognizes formats of files by their first bytes, see base/known.h.
 */
#include "base/known.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* First bytes of known formats, at offset .at. */
static const struct {
	size_t at;
	const char *bytes;
	size_t len;
	enum kp_known known;
	const char *what;
} beginnings[] = {
#define AT(at, bytes) at, bytes, sizeof(bytes) - 1
	{ AT(0, "\xFD" "7zXZ"), KP_KNOWN_OTHER, "packed by xz; try xz -dc" },
	{ AT(0, "\x1F\x8B"), KP_KNOWN_OTHER, "packed by gzip; try gzip -dc" },
	{ AT(0, "\x28\xB5\x2F\xFD"), KP_KNOWN_OTHER, "packed by zstd; try zstd -dc" },
	{ AT(0, "BZh"), KP_KNOWN_OTHER, "packed by bzip2; try bzip2 -dc" },
	{ AT(0, "PK\3\4"), KP_KNOWN_OTHER, "a zip archive; try unzip" },
	{ AT(0, "\x17\x08\x44tracing"), KP_KNOWN_OTHER,
	  "trace.dat of trace-cmd; try to convert it to CTF 1.8, and ctftoevent" },
	{ AT(0, "PERFILE2"), KP_KNOWN_OTHER, "perf.data of perf; try perf data convert --to-ctf, and ctftoevent" },
	{ AT(0, "2ELIFREP"), KP_KNOWN_OTHER,
	  "perf.data of perf, of a big-endian machine; try perf data convert --to-ctf, and ctftoevent" },
	{ AT(0, "\x7F" "ELF"), KP_KNOWN_OTHER, "a program or a dump of memory (ELF); try kutrace_crash" },
	{ AT(0, "KDUMP   "), KP_KNOWN_OTHER, "a dump of memory (kdump); try kutrace_crash" },
	{ AT(0, "SQLite format 3"), KP_KNOWN_OTHER, "an SQLite database; try sqlite3" },
	{ AT(0, "PAR1"), KP_KNOWN_OTHER, "a Parquet file; try duckdb" },
	{ AT(0, "/* CTF 1"), KP_KNOWN_OTHER, "the metadata of a CTF trace; try ctftoevent with its folder" },
	{ AT(0, "\xC1\x1F\xFC\xC1"), KP_KNOWN_OTHER, "a stream of a CTF trace; try ctftoevent with its folder" },
	{ AT(0, "\xC1\xFC\x1F\xC1"), KP_KNOWN_OTHER, "a stream of a CTF trace; try ctftoevent with its folder" },
	{ AT(257, "ustar"), KP_KNOWN_TAR, "an archive (tar); try ctftoevent, if it is of a CTF trace" },
	{ AT(0, "# ## "), KP_KNOWN_EVENTS, "event text; try eventtospan" },
#undef AT
};

/*
 * Recognizes a raw trace by its second word: the low 56 bits are microseconds since 1970, here of a
 * day from 2001 to 2096; the high byte holds flags and the version 3.
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

/*
 * Recognizes HTML and JSON by the first character that is not white space. Returns KP_KNOWN_NONE
 * for others.
 */
static enum kp_known text_of(const char *bytes, size_t len, const char **what)
{
	size_t at = 0;

	if (len >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
		at = 3;
	while (at < len && strchr(" \t\r\n", bytes[at]) && bytes[at])
		at++;
	if (len - at > 5 && bytes[at] == '<') {
		*what = "a page (HTML); try unmakeself";
		return KP_KNOWN_PAGE;
	}
	if (len - at > 1 && bytes[at] == '{') {
		*what = "JSON; if it is of spans, try makeself";
		return KP_KNOWN_JSON;
	}
	return KP_KNOWN_NONE;
}

const char *kp_known(const void *bytes, size_t len, enum kp_known reads, char text[KP_KNOWN_TEXT])
{
	enum kp_known known = KP_KNOWN_NONE;
	const char *what = NULL;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]) && !known; i++) {
		if (len < beginnings[i].at + beginnings[i].len ||
		    memcmp((const char *)bytes + beginnings[i].at, beginnings[i].bytes, beginnings[i].len))
			continue;
		known = beginnings[i].known;
		what = beginnings[i].what;
	}
	if (!known)
		known = text_of(bytes, len, &what);
	/* A Perfetto trace can have bytes of a raw trace, and the reverse: the filter's own format wins. */
	if (!known && is_perfetto(bytes, len) && !(reads == KP_KNOWN_RAW && is_raw(bytes, len))) {
		known = KP_KNOWN_PERFETTO;
		what = "a Perfetto trace; try perfettotoevent";
	}
	if (!known && is_raw(bytes, len)) {
		known = KP_KNOWN_RAW;
		what = "a raw trace; try rawtohtml, or rawtoevent";
	}
	if (!what || known == reads)
		return NULL;
	snprintf(text, KP_KNOWN_TEXT, "%s", what);
	return text;
}
