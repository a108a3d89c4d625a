// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads decimal numbers, without floating point: spans that touch in the input must touch in the
 * output, if no number was rounded.
 */
#include "base/number.h"

#define DIGITS_MAX	18	/* 10^18 fits into int64_t */

/* Multiplies *digits by 10^shift, rounded half up. Returns false if the result does not fit. */
static bool scale(uint64_t *digits, int64_t shift, bool *inexact)
{
	uint64_t rest_above = 0;	/* last digit that was removed */
	bool rest = false;

	if (!*digits)
		return true;
	for (; shift > 0; shift--) {
		if (*digits > INT64_MAX / 10)
			return false;
		*digits *= 10;
	}
	for (; shift < 0 && (*digits || rest_above); shift++) {
		rest |= rest_above != 0;
		rest_above = *digits % 10;
		*digits /= 10;
	}
	if (rest || rest_above || shift < 0) {
		*inexact = true;
		if (shift == 0 && rest_above >= 5)
			(*digits)++;
	}
	return true;
}

/* A decimal number read from text: digits * 10^exponent. */
struct decimal {
	uint64_t digits;
	int significant;	/* number of digits, without leading zeros */
	int64_t exponent;
	bool negative;
};

static const char *take_digits(struct decimal *d, const char *p, const char *end,
			       bool fraction)
{
	for (; p < end && kp_is_digit(*p); p++) {
		if (d->significant || *p != '0')
			d->significant++;
		if (d->significant <= DIGITS_MAX)
			d->digits = d->digits * 10 + (uint64_t)(*p - '0');
		if (fraction)
			d->exponent--;
	}
	return p;
}

static enum kp_number finish(struct decimal *d, int decimals, int64_t *value,
			     bool *inexact)
{
	if (d->significant > DIGITS_MAX)
		return KP_NUMBER_LONG;
	if (!scale(&d->digits, d->exponent + decimals, inexact) || d->digits > INT64_MAX)
		return KP_NUMBER_RANGE;
	*value = d->negative ? -(int64_t)d->digits : (int64_t)d->digits;
	return KP_NUMBER_OK;
}

enum kp_number kp_number_json(const char **p, const char *end, int decimals,
			      int64_t *value, bool *inexact)
{
	struct decimal d = { 0 };
	const char *s = *p, *first;

	if (s < end && *s == '-') {
		d.negative = true;
		s++;
	}
	first = s;
	s = take_digits(&d, s, end, false);
	if (s == first || (*first == '0' && s - first > 1))
		return KP_NUMBER_NONE;
	if (s < end && *s == '.') {
		first = ++s;
		s = take_digits(&d, s, end, true);
		if (s == first)
			return KP_NUMBER_NONE;
	}
	if (s < end && (*s == 'e' || *s == 'E')) {
		int64_t exponent = 0;
		bool negative = false;

		s++;
		if (s < end && (*s == '+' || *s == '-'))
			negative = *s++ == '-';
		first = s;
		for (; s < end && kp_is_digit(*s); s++)
			if (exponent < 100000)
				exponent = exponent * 10 + (*s - '0');
		if (s == first)
			return KP_NUMBER_NONE;
		d.exponent += negative ? -exponent : exponent;
	}
	*p = s;
	return finish(&d, decimals, value, inexact);
}

enum kp_number kp_number_argument(const char *text, int decimals, int64_t *value)
{
	struct decimal d = { 0 };
	const char *end = text + strlen(text), *s = text, *first;
	enum kp_number result;
	ptrdiff_t count;
	bool inexact = false;

	if (*s == '+' || *s == '-')
		d.negative = *s++ == '-';
	first = s;
	s = take_digits(&d, s, end, false);
	count = s - first;
	if (*s == '.') {
		first = ++s;
		s = take_digits(&d, s, end, true);
		count += s - first;
	}
	if (!count || s != end)
		return KP_NUMBER_NONE;
	result = finish(&d, decimals, value, &inexact);
	return inexact && !decimals ? KP_NUMBER_NONE : result;
}
