/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text as it stands in JSON strings, fast: nearly every name is plain. Used by whatever writes
 * spans or headers; reports have common/report.h.
 */
#ifndef KP_BASE_JSON_TEXT_H
#define KP_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * len bytes as a JSON string with its quotes, invalid UTF-8 replaced, NUL
 * terminated; the caller frees it. NULL without memory.
 */
char *kp_json_quote(const char *text, size_t len);

/*
 * The same without quotes and NUL, to out, which has room for 6 * len bytes.
 * Returns the length in bytes; adds the invalid bytes to *replaced.
 */
size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

#endif
