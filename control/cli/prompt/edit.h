/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line typed at a terminal, see edit.c.
 */
#ifndef KU_CLI_PROMPT_EDIT_H
#define KU_CLI_PROMPT_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* Is a line typed at a terminal that can be drawn on? */
bool cmd_can_edit(void);
/*
 * A line typed there, without its end; false: end of the input. word: what the first word can
 * be completed to, by number; NULL behind the last.
 */
bool cmd_edit_line(const char *prompt, char *line, size_t size,
		   const char *(*word)(size_t number));

#endif
