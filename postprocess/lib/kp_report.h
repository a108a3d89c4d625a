/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small pieces of what the reporting tools (spantowhy, spantoprof, spandiff ...)
 * print: times for people and for JSON, strings for JSON. Numbers only, no
 * locale, no floating point.
 */
#ifndef KP_REPORT_H
#define KP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* 10 ns units as seconds with 8 decimals: 11.08612461. */
void kp_print_seconds(FILE *out, int64_t units);

/* The same as people say it, at most 12 characters: "120 ns", "3.45 us", "1.200 s". */
#define KP_TIME_TEXT 32
const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT]);

/* len bytes as a JSON string with quotes. */
void kp_print_string(FILE *out, const char *text, size_t len);

/* len bytes with control characters as '?', for a terminal. */
void kp_print_plain(FILE *out, const char *text, size_t len);

#endif
