// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers and letters in the C locale. Must not change the program's locale: only this thread's
 * locale changes, and only during a call.
 */
#include "common/c_locale.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Returns the C locale. glibc has this object statically, so the call allocates nothing and the
 * object is never freed.
 */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int ku_print(char *str, size_t size, const char *fmt, ...)
{
	locale_t before = uselocale(c_locale());
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(str, size, fmt, args);
	va_end(args);
	uselocale(before);
	return ret;
}

double ku_parse_double(const char *text, char **end)
{
	return strtod_l(text, end, c_locale());
}

bool ku_same_letters(const char *a, const char *b, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (ku_lower(a[i]) != ku_lower(b[i]))
			return false;
		if (!a[i])
			break;
	}
	return true;
}
