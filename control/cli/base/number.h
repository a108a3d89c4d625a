/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a number that the user typed. */
#ifndef KU_CLI_BASE_NUMBER_H
#define KU_CLI_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Converts @text, which must be a decimal number from @min to @max and nothing else. Returns
 * false if it is not.
 */
bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number);

#endif
