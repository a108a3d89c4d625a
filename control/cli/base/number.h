/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A number that somebody has typed, see number.c.
 */
#ifndef KU_CLI_BASE_NUMBER_H
#define KU_CLI_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The whole of text is a decimal number, from min to max. */
bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number);

#endif
