/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requirements of recording, each with its verdict, and the properties of this machine on which
 * recording depends. A check must use only these properties, and must not change anything.
 */
#ifndef KU_CLI_DOCTOR_DOCTOR_H
#define KU_CLI_DOCTOR_DOCTOR_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libkutrace.h"

struct cmd_machine {
	const char *root;	/* prefix of every file name: "", or a test's folder */
	char release[65];	/* kernel release, as in uname(2) */
	char version[65];	/* build of the kernel: version of uname(2), which names the builder */
	char architecture[65];
	uid_t uid;		/* effective user id */
	/* result of kutrace_get_info(): 0 with the data in info, or a negative errno */
	int info_error;
	struct kutrace_info info;
	uint64_t module_version;
	/* result of opening counters of instructions and cycles: 0 or -errno */
	int counters_error;
	/* limit for a search through all processes: files, links and mappings that it reads */
	unsigned int reads_max;
	/* 1: apt has a package of this kernel's headers, 0: it has none, -1: unknown */
	int apt_headers;
	/* last error of the module in the kernel log; empty: none, or not readable */
	char refusal[300];
};

void cmd_machine_here(struct cmd_machine *m);

/* Makes a file name from root and the format. Returns @str, or NULL if it does not fit. */
char *cmd_machine_path(const struct cmd_machine *m, char *str, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Opens the file for reading. Returns NULL if it does not exist or may not be read. */
FILE *cmd_machine_open(const struct cmd_machine *m, const char *file);
/* Reads the first line of @file, without its newline. Returns false if the file cannot be read. */
bool cmd_machine_line(const struct cmd_machine *m, const char *file, char *line, size_t size);
bool cmd_machine_has(const struct cmd_machine *m, const char *file);
/* Finds the module file that modprobe would load, under root. Returns false if there is none. */
bool cmd_machine_module(const struct cmd_machine *m, char *file, size_t size);

static inline bool cmd_machine_loaded(const struct cmd_machine *m)
{
	return m->info_error != -ENODEV && m->info_error != -ENOSYS;
}

/* platform.c: what this machine is */
/* Returns true in a container, with the name of its manager. WSL is no container. */
bool cmd_machine_container(const struct cmd_machine *m, char *name, size_t size);
/* Returns whether the kernel is Microsoft's, in the Windows Subsystem for Linux. */
bool cmd_machine_wsl(const struct cmd_machine *m);
/* Returns whether this machine is virtual. Known only on x86-64. */
bool cmd_machine_virtual(const struct cmd_machine *m);
/* Returns whether the kernel's command line has the word. */
bool cmd_machine_booted_with(const struct cmd_machine *m, const char *word);
/* Returns whether the line has the word, between blanks. */
bool cmd_has_word(const char *line, const char *word);

/* remedy for machines on which this kernel cannot record */
#define CMD_OTHER_KERNEL \
	"boot your distribution's kernel, or record in a virtual machine: make guest    # in the source folder"

enum cmd_verdict {
	CMD_GOOD,
	CMD_LIMIT,	/* recording works, but another feature does not */
	CMD_WRONG,	/* recording is not possible */
};

struct cmd_check {
	enum cmd_verdict verdict;
	char found[500];	/* the finding, a sentence without a full stop */
	/* one command or action that fixes the problem; empty: nothing to fix */
	char fix[300];
};

/* checks.c: checks of the kernel, the hardware, the module, permissions and tools */
/*
 * Returns whether this kernel can load no module at all. Returns false if KUtrace is part of the
 * kernel, or if /proc is missing.
 */
bool cmd_without_modules(const struct cmd_machine *m);
/*
 * Checks of headers, signature and module leave @c empty on a kernel without modules, because
 * cmd_check_kernel() reports that.
 */
void cmd_check_kernel(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_cpus(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_lockdown(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_permission(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_counters(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_page(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_signature(const struct cmd_machine *m, struct cmd_check *c);
void cmd_check_module(const struct cmd_machine *m, struct cmd_check *c);
/* clock.c: checks the time counter */
void cmd_check_clock(const struct cmd_machine *m, struct cmd_check *c);
/* headers.c: checks whether the module can be built for this kernel */
void cmd_check_headers(const struct cmd_machine *m, struct cmd_check *c);
/* holders.c: finds processes that prevent unloading of the module */
void cmd_check_unload(const struct cmd_machine *m, struct cmd_check *c);

/* Sets the verdict and both texts. @fix NULL: nothing to do. */
void cmd_judge(struct cmd_check *c, enum cmd_verdict verdict, const char *fix,
	       const char *found, ...) __attribute__((format(printf, 4, 5)));

#endif
