/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream that escapes text for a JavaScript string, as the original's pages need it.
 */
#ifndef KP_PAGE_STRING_H
#define KP_PAGE_STRING_H

#include <stdio.h>

/*
 * Returns a stream that writes text to @out as the inside of a JavaScript string in single quotes,
 * in a script element. Close it before writing to @out again.
 */
FILE *kp_string_stream(FILE *out);

#endif
