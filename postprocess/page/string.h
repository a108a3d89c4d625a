/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data of pages of the original's: the inside of a JavaScript string. Called by original.c.
 */
#ifndef KP_PAGE_STRING_H
#define KP_PAGE_STRING_H

#include <stdio.h>

/*
 * A stream whose text comes out as the inside of a JavaScript string in single
 * quotes inside a script element. fclose() it before writing to out again.
 */
FILE *kp_string_stream(FILE *out);

#endif
