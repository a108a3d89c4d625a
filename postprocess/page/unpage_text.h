/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds text in a page, and extracts the JSON of the original's pages.
 */
#ifndef KP_PAGE_UNPAGE_TEXT_H
#define KP_PAGE_UNPAGE_TEXT_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Returns the offset of @needle in [@from, @end) of @fd, -1 if it is not there, or -2 after an
 * error with errno set (EINTR after a signal).
 */
off_t kp_unpage_find(int fd, off_t from, off_t end, const char *needle);

/*
 * Returns the content of the JavaScript string whose first byte is at @offset, as a stream that
 * ends at the closing quote. Returns NULL without memory.
 */
FILE *kp_unstring_stream(int fd, off_t offset);

#endif
