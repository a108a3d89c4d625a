/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints times and texts in reports for people (spantowhy, spantoprof, spandiff ...). Uses no
 * locale and no floating point. common/report.h writes JSON.
 */
#ifndef KP_REPORT_H
#define KP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a time in units of 10 ns with a suitable unit: "120 ns", "3.45 us", "1.200 s". */
#define KP_TIME_TEXT 32
const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT]);

/* Prints @len bytes for a terminal, with ? in place of control characters. */
void kp_print_plain(FILE *out, const char *text, size_t len);

#endif
