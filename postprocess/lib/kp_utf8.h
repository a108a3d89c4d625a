/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Used where names from traces become text for people and JSON.
 */
#ifndef KP_UTF8_H
#define KP_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define KP_UTF8_REPLACEMENT "\xEF\xBF\xBD"	/* U+FFFD */

/*
 * Bytes of the valid sequence at text (1..4), or 0 when there is none. Reads
 * at most len bytes; len 0 gives 0.
 */
size_t kp_utf8_sequence(const char *text, size_t len);

/* Writes code point (below 0x110000) to out[4]; returns its length in bytes. */
size_t kp_utf8_encode(uint32_t code, char *out);

/*
 * Copies len bytes to out, each byte that is no part of a valid sequence as
 * U+FFFD. out must have room for 3 * len bytes.
 * Returns the length in bytes; adds the number of bytes replaced to *replaced.
 */
size_t kp_utf8_clean(const char *text, size_t len, char *out, uint64_t *replaced);

#endif
