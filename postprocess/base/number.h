/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads decimal numbers exactly into scaled 64-bit integers: with decimals = 8, seconds become
 * units of 10 ns. Uses no floating point.
 */
#ifndef KP_NUMBER_H
#define KP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum kp_number {
	KP_NUMBER_OK = 0,
	KP_NUMBER_NONE,		/* no number at this place */
	KP_NUMBER_LONG,		/* more than 18 significant digits */
	KP_NUMBER_RANGE,	/* does not fit into 64 bits */
};

/*
 * Reads a number in JSON's grammar, with an exponent, at *p and before @end. Sets *p to the end of
 * the number and *value to number * 10^decimals. If the number has more decimals, it is rounded
 * half away from zero, and *inexact is set to true.
 */
enum kp_number kp_number_json(const char **p, const char *end, int decimals,
			      int64_t *value, bool *inexact);

/*
 * Reads a number from a command-line argument. All of @text must be [+-]digits[.digits] without an
 * exponent; the digits on one side of the point may be missing. Returns KP_NUMBER_NONE for any
 * other text, and with decimals = 0 also for a number that is not an integer, such as 1.5 blocks.
 */
enum kp_number kp_number_argument(const char *text, int decimals, int64_t *value);

#endif
