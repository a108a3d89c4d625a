/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this machine says about itself, as far as recording depends on it: see machine.c.
 * Must never judge. Included by the checks and the command.
 */
#ifndef KU_CLI_DOCTOR_MACHINE_H
#define KU_CLI_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "libkutrace.h"

struct cmd_machine {
	const char *root;	/* in front of every file's name: "", or a test's folder */
	char release[65];	/* as of uname(2) */
	char architecture[65];
	uid_t uid;		/* effective */
	/* of kutrace_get_info(): 0, and info is what it said, or a negative errno */
	int info_error;
	struct kutrace_info info;
	uint64_t module_version;
	int counters_error;	/* of opening counters of instructions and cycles: 0 or -errno */
	unsigned int reads_max;	/* limit of the files, links and mappings that a search through all processes reads */
	char refusal[300];	/* the module's last error in the kernel's log; empty: none, or may not */
};

/* This one. */
void cmd_machine_here(struct cmd_machine *m);

/* The file's name by root and format; str, or NULL: it does not fit. */
char *cmd_machine_path(const struct cmd_machine *m, char *str, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The file for reading; NULL: there is none, or it may not be read. */
FILE *cmd_machine_open(const struct cmd_machine *m, const char *file);
/* The file's first line without its end; false: there is none, or it may not be read. */
bool cmd_machine_line(const struct cmd_machine *m, const char *file, char *line, size_t size);
bool cmd_machine_has(const struct cmd_machine *m, const char *file);
/* The module that modprobe would take, its file under root; false: none is installed. */
bool cmd_machine_module(const struct cmd_machine *m, char *file, size_t size);
/* "debian", "fedora", "arch" or "suse", whichever it is or descends from; "": another. */
const char *cmd_machine_family(const struct cmd_machine *m);

#endif
