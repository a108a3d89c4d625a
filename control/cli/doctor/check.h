/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One requirement of recording, with its verdict. A check must use only the data of machine.h,
 * and must not change anything.
 */
#ifndef KU_CLI_DOCTOR_CHECK_H
#define KU_CLI_DOCTOR_CHECK_H

#include "cli/doctor/machine.h"

enum cmd_verdict {
	CMD_GOOD,
	CMD_LIMIT,	/* recording works, but something else does not */
	CMD_WRONG,	/* recording is not possible */
};

struct cmd_check {
	enum cmd_verdict verdict;
	char found[500];	/* the finding, a sentence without a full stop */
	char mend[300];		/* one command, or what to do; empty: nothing */
};

/* kernel.c: the kernel and the hardware */
void cmd_check_kernel(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_cpus(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_clock(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_lockdown(const struct cmd_machine *m, struct cmd_check *c);
/* module.c: whether the module is loaded, and may be loaded */
void cmd_check_headers(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_signature(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_module(const struct cmd_machine *m, struct cmd_check *c);
/* use.c: the user's permissions and tools */
void cmd_check_permission(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_counters(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_page(const struct cmd_machine *m, struct cmd_check *c);

/* holders.c: processes that prevent unloading of the module */
void cmd_check_unload(const struct cmd_machine *m, struct cmd_check *c);

/* Sets the verdict and both texts. @mend NULL: nothing to do. */
void cmd_judge(struct cmd_check *c, enum cmd_verdict verdict, const char *mend,
	       const char *found, ...) __attribute__((format(printf, 4, 5)));

#endif
