/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal numbers as text, read exactly into scaled 64-bit integers: seconds
 * with decimals 8 become 10 ns units. No floating point anywhere.
 * Called by what reads JSON and by mains for their arguments.
 */
#ifndef KP_NUMBER_H
#define KP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum kp_number {
	KP_NUMBER_OK = 0,
	KP_NUMBER_NONE,		/* no number here */
	KP_NUMBER_LONG,		/* more than 18 digits that count */
	KP_NUMBER_RANGE,	/* does not fit */
};

/*
 * Reads a number in JSON's grammar (exponent included) at *p, which stops at
 * end at the latest, and leaves *p behind it. *value = number * 10^decimals,
 * rounded half away from zero if it has more decimals; *inexact is set then
 * and else left alone.
 */
enum kp_number kp_number_json(const char **p, const char *end, int decimals,
			      int64_t *value, bool *inexact);

/*
 * The same for a command-line argument: all of text must be [+-]digits[.digits],
 * one side of the point may be empty, no exponent. KP_NUMBER_NONE if it is not. With
 * decimals 0 it must be a whole number: 1.5 blocks or threads are KP_NUMBER_NONE as well.
 */
enum kp_number kp_number_argument(const char *text, int decimals, int64_t *value);

#endif
