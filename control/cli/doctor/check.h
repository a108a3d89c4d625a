/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thing that recording depends on, judged. Each check knows only what machine.h gives it, and
 * must never change anything. Included by the checks and by the command.
 */
#ifndef KU_CLI_DOCTOR_CHECK_H
#define KU_CLI_DOCTOR_CHECK_H

#include "cli/doctor/machine.h"

enum cmd_verdict {
	CMD_GOOD,
	CMD_LIMIT,	/* recording works; something else does not */
	CMD_WRONG,	/* nothing can be recorded */
};

struct cmd_check {
	enum cmd_verdict verdict;
	char found[500];	/* what is so, in a sentence without its full stop */
	char mend[300];		/* the one command that mends it, or what to do; empty: nothing */
};

/* kernel.c: what the module finds when it is loaded */
void cmd_check_kernel(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_cpus(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_clock(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_lockdown(const struct cmd_machine *m, struct cmd_check *c);
/* module.c: whether it is there, and may be */
void cmd_check_headers(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_signature(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_module(const struct cmd_machine *m, struct cmd_check *c);
/* use.c: what its user may and has */
void cmd_check_permission(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_counters(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_page(const struct cmd_machine *m, struct cmd_check *c);

/* holders.c: which processes keep the module from being unloaded */
void cmd_check_unload(const struct cmd_machine *m, struct cmd_check *c);

/* Fills both texts; mend NULL: there is nothing to do. */
void cmd_judge(struct cmd_check *c, enum cmd_verdict verdict, const char *mend,
	       const char *found, ...) __attribute__((format(printf, 4, 5)));

#endif
