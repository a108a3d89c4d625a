/* SPDX-License-Identifier: BSD-3-Clause */
/* The prompt, and its line editor for terminals. */
#ifndef KU_CLI_PROMPT_TERMINAL_H
#define KU_CLI_PROMPT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Reads commands from standard input. Returns an exit status. */
int cmd_prompt(void);

/* Returns whether standard input and output are a terminal that supports editing. */
bool cmd_can_edit(void);
/*
 * Reads a line, without its end. Returns false at the end of the input. @word returns a
 * completion of the first word by number, and NULL after the last.
 */
bool cmd_edit_line(const char *prompt, char *line, size_t size,
		   const char *(*word)(size_t number));

#endif
