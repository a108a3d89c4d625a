/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provides snprintf(), strtod(), strncasecmp(), isdigit(), and names of errors and signals in the C
 * locale, with any C library. Numbers and names must have the same form in every locale of the
 * program.
 */
#ifndef KU_COMMON_C_LOCALE_H
#define KU_COMMON_C_LOCALE_H

#include <stdbool.h>
#include <stddef.h>

int ku_print(char *str, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
double ku_parse_double(const char *text, char **end);
/*
 * Returns whether the first @length bytes of both texts are the same, without regard to case. A
 * NUL ends the comparison.
 */
bool ku_same_letters(const char *a, const char *b, size_t length);

/*
 * ku_error_name() returns for example "ENOENT", ku_error_text() "No such file or directory" (never
 * translated), ku_signal_name() "TERM". All return NULL for an unknown number.
 */
const char *ku_error_name(int error);
const char *ku_error_text(int error);
const char *ku_signal_name(int signal_number);

static inline bool ku_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline char ku_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool ku_is_letter(char c)
{
	return ku_lower(c) >= 'a' && ku_lower(c) <= 'z';
}

#endif
