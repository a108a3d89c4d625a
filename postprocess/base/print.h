/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small pieces of what the reporting tools (spantowhy, spantoprof, spandiff ...) print for
 * people. Numbers only, no locale, no floating point; JSON is common/report.h.
 * Called by the reporting tools.
 */
#ifndef KP_REPORT_H
#define KP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* 10 ns units as people say them, at most 12 characters: "120 ns", "3.45 us", "1.200 s". */
#define KP_TIME_TEXT 32
const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT]);

/* len bytes with control characters as '?', for a terminal. */
void kp_print_plain(FILE *out, const char *text, size_t len);

#endif
