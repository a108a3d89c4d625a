/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes file formats by their first bytes, for the message of a filter that got another format
 * than it reads. It must not decide what a filter reads.
 */
#ifndef KP_BASE_KNOWN_H
#define KP_BASE_KNOWN_H

#include <stddef.h>

/* Formats that the filters read; KP_KNOWN_OTHER is any other known format. */
enum kp_known {
	KP_KNOWN_NONE, KP_KNOWN_RAW, KP_KNOWN_EVENTS, KP_KNOWN_JSON, KP_KNOWN_PAGE, KP_KNOWN_PERFETTO, KP_KNOWN_TAR,
	KP_KNOWN_OTHER,
};

#define KP_KNOWN_TEXT	160

/*
 * Writes to @text the format of a file with these first bytes, and the command that reads it: "a
 * page (HTML); try unmakeself". Returns @text, or NULL if the format is unknown or is @reads, the
 * format that the filter reads.
 */
const char *kp_known(const void *bytes, size_t len, enum kp_known reads, char text[KP_KNOWN_TEXT]);

#endif
