/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Escapes text for JSON strings of spans and headers. Fast, because most names need no escapes.
 * common/report.h is for reports.
 */
#ifndef KP_BASE_JSON_TEXT_H
#define KP_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns @len bytes as a JSON string with its quotes and a NUL. Invalid UTF-8 is replaced. The
 * caller frees it. Returns NULL without memory.
 */
char *kp_json_quote(const char *text, size_t len);

/*
 * Escapes @len bytes without quotes and NUL into @out, which has room for 6 * len bytes. Returns
 * the number of bytes written. Adds the number of replaced invalid bytes to *replaced.
 */
size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

#endif
