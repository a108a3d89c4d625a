// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks whether the module can be built for this kernel. Must not propose a package that cannot
 * exist, such as Debian's headers for a kernel that Debian did not build.
 */
#include "cli/doctor/doctor.h"

#include <string.h>

#define APT	"sudo apt-get install linux-headers-%s"
#define DNF	"sudo dnf install kernel-devel-%s"
#define ZYPPER	"sudo zypper install kernel-default-devel"
#define OTHER	"install the headers of kernel %s with the package manager of your distribution"

/*
 * Distributions: the word in /etc/os-release; a text in the release or version of each of their kernels;
 * the command that installs the headers, with %s for the release.
 */
static const struct {
	const char *word, *mark, *command;
} known[] = {
	{"debian", "Debian ", APT}, {"ubuntu", "-Ubuntu", APT},
	{"fedora", ".fc", DNF}, {"rhel", ".el", DNF}, {"centos", ".el", DNF}, {"amzn", ".amzn", DNF},
	{"arch", "-arch", "sudo pacman -S linux-headers"},
	{"arch", "-lts", "sudo pacman -S linux-lts-headers"},
	{"suse", "-default", ZYPPER}, {"opensuse", "-default", ZYPPER},
};

enum builder {
	DISTRIBUTION,	/* the command installs the headers */
	ANOTHER,	/* a known distribution, but not its kernel */
	UNKNOWN,	/* an unknown distribution */
};

/*
 * Returns whether the distribution, or one from which it is derived, built this kernel. Stores the
 * command that installs the headers.
 */
static enum builder find_builder(const struct cmd_machine *m, const char **command)
{
	FILE *f = cmd_machine_open(m, "/etc/os-release");
	enum builder builder = UNKNOWN;
	char line[300];

	*command = OTHER;
	while (f && builder != DISTRIBUTION && fgets(line, sizeof(line), f)) {
		char *word, *rest = NULL;

		if (strncmp(line, "ID=", 3) && strncmp(line, "ID_LIKE=", 8))
			continue;
		for (word = strtok_r(strchr(line, '=') + 1, "\"' \n", &rest); word;
		     word = strtok_r(NULL, "\"' \n", &rest))
			for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
				if (builder == DISTRIBUTION || strcmp(word, known[i].word))
					continue;
				builder = ANOTHER;
				if (!strstr(m->version, known[i].mark) && !strstr(m->release, known[i].mark))
					continue;
				builder = DISTRIBUTION;
				*command = known[i].command;
			}
	}
	if (f)
		fclose(f);
	return builder;
}

static void check_missing(const struct cmd_machine *m, struct cmd_check *c, enum cmd_verdict verdict,
			  const char *missing)
{
	const char *command, *why = "";
	enum builder builder = find_builder(m, &command);
	char fix[sizeof(c->fix)], word[200];

	if (m->apt_headers == 1) {
		builder = DISTRIBUTION;
		command = APT;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	/* the command is one of the literals above */
	snprintf(word, sizeof(word), command, m->release);
#pragma GCC diagnostic pop
	snprintf(fix, sizeof(fix), "%s", word);
	if (cmd_machine_wsl(m)) {
		why = ". Microsoft built this kernel for WSL, and no distribution has its headers";
		snprintf(fix, sizeof(fix), "build Microsoft's WSL2-Linux-Kernel, boot it, and: make module "
			 "KDIR=ITS-FOLDER; otherwise: make guest    # a virtual machine to record in");
	} else if (builder == ANOTHER) {
		why = ". Your distribution did not build this kernel, so it has no headers for it";
		snprintf(fix, sizeof(fix), "if you built it: make module KDIR=ITS-FOLDER; if a cloud vendor "
			 "built it: install the vendor's headers package; otherwise " CMD_OTHER_KERNEL);
	} else if (builder == DISTRIBUTION && m->apt_headers == 0) {
		why = ", and apt does not know the package. If an update of its lists does not help, install "
		      "and boot your distribution's newest kernel, with its headers";
		snprintf(fix, sizeof(fix), "sudo apt-get update && %s", word);
	}
	cmd_judge(c, verdict, fix, "%s%s", missing, why);
}

void cmd_check_headers(const struct cmd_machine *m, struct cmd_check *c)
{
	char build[160], makefile[180], file[400], missing[260];
	bool there = cmd_machine_loaded(m) || cmd_machine_module(m, file, sizeof(file));

	if (cmd_without_modules(m))
		return;
	snprintf(build, sizeof(build), "/lib/modules/%s/build", m->release);
	snprintf(makefile, sizeof(makefile), "%s/Makefile", build);
	snprintf(missing, sizeof(missing), "%s is missing: the module cannot be %s for this kernel", build,
		 there ? "rebuilt" : "built");
	if (cmd_machine_has(m, makefile))
		cmd_judge(c, CMD_GOOD, NULL, "%s: the module can be built for this kernel", build);
	else if (cmd_machine_container(m, file, sizeof(file)))
		cmd_judge(c, CMD_GOOD, NULL, "not needed in a container (%.60s): the host builds and loads "
			  "the module", file);
	else
		check_missing(m, c, there ? CMD_LIMIT : CMD_WRONG, missing);
}
