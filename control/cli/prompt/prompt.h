/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The prompt, see prompt.c.
 */
#ifndef KU_CLI_PROMPT_PROMPT_H
#define KU_CLI_PROMPT_PROMPT_H

/* Reads commands from stdin. An exit status. */
int cmd_prompt(void);

#endif
