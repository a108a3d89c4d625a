// SPDX-License-Identifier: BSD-3-Clause
/* Parses a number that the user typed. Must not accept a part of a word. */
#include "cli/base/number.h"

#include <errno.h>
#include <stdlib.h>

bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		return false;
	*number = (uint32_t)value;
	return true;
}
