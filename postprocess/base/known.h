/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes formats of files by their first bytes, for messages of filters that got a
 * file of another kind.
 * Must never decide what a filter reads.
 */
#ifndef KP_BASE_KNOWN_H
#define KP_BASE_KNOWN_H

#include <stddef.h>

/* The formats that filters read, and all others. */
enum kp_known {
	KP_KNOWN_NONE, KP_KNOWN_RAW, KP_KNOWN_EVENTS, KP_KNOWN_JSON, KP_KNOWN_PAGE, KP_KNOWN_PERFETTO, KP_KNOWN_TAR,
	KP_KNOWN_OTHER,
};

#define KP_KNOWN_TEXT	160

/*
 * Writes the format of a file, by its first bytes, and the command that reads it to text:
 * "a page (HTML); try unmakeself". Returns text, or NULL: an unknown format, or the
 * format that the filter reads.
 */
const char *kp_known(const void *bytes, size_t len, enum kp_known reads, char text[KP_KNOWN_TEXT]);

#endif
