/* SPDX-License-Identifier: BSD-3-Clause */
/* The prompt, which reads commands from standard input. */
#ifndef KU_CLI_PROMPT_PROMPT_H
#define KU_CLI_PROMPT_PROMPT_H

/* Reads commands from standard input. Returns an exit status. */
int cmd_prompt(void);

#endif
