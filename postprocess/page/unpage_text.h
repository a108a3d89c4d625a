/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding text in a page, and the JSON inside a page of the original's. Called by unpage.c.
 */
#ifndef KP_PAGE_UNPAGE_TEXT_H
#define KP_PAGE_UNPAGE_TEXT_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Offset of needle in fd in [from, end), or -1 (not there), -2 (read error, errno
 * set; EINTR after a signal).
 */
off_t kp_unpage_find(int fd, off_t from, off_t end, const char *needle);

/*
 * The JSON inside the JavaScript string that begins at offset (behind its quote),
 * as a stream that ends at the closing quote. NULL without memory.
 */
FILE *kp_unstring_stream(int fd, off_t offset);

#endif
