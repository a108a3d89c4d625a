// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks whether the kernel and the hardware meet the module's requirements, the user's
 * permissions, the hardware counters, and the tools that make and open the page. Must not report
 * "good" for a property that it could not read, and must not need more privileges than the user
 * has.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/shared/write.h"
#include "kutrace_events.h"

/* --- kernel and hardware ----------------------------------------------------------- */

void cmd_judge(struct cmd_check *c, enum cmd_verdict verdict, const char *fix,
	       const char *found, ...)
{
	va_list args;

	c->verdict = verdict;
	snprintf(c->fix, sizeof(c->fix), "%s", fix ? fix : "");
	va_start(args, found);
	vsnprintf(c->found, sizeof(c->found), found, args);
	va_end(args);
}

/* Returns whether module/arch/ has a folder for the architecture, named as in uname(2). */
static bool is_supported(const char *architecture)
{
	static const char *const names[] = {"x86_64", "aarch64", "riscv64"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(architecture, names[i]))
			return true;
	return false;
}

void cmd_check_kernel(const struct cmd_machine *m, struct cmd_check *c)
{
	unsigned int major = 0, minor = 0;
	bool too_old = sscanf(m->release, "%u.%u", &major, &minor) != 2 || major < 6 ||
		       (major == 6 && minor < 1);

	if (!is_supported(m->architecture))
		cmd_judge(c, CMD_WRONG, "record on an x86-64, arm64 or riscv64 machine",
			  "Linux %s on %s: the module is written for x86-64, arm64 and riscv64",
			  m->release, m->architecture);
	else if (too_old)
		cmd_judge(c, CMD_WRONG, "boot Linux 6.1 or later",
			  "Linux %s: the module needs 6.1 or later", m->release);
	else
		cmd_judge(c, CMD_GOOD, NULL, "Linux %s, %s", m->release, m->architecture);
}

/* The file holds a list such as "0-3" or "0,2-7". Its last number is the highest possible CPU. */
void cmd_check_cpus(const struct cmd_machine *m, struct cmd_check *c)
{
	char line[400], *last;
	unsigned long cpus;

	if (!cmd_machine_line(m, "/sys/devices/system/cpu/possible", line, sizeof(line))) {
		cmd_judge(c, CMD_LIMIT, NULL,
			  "number of possible CPUs not known: /sys is not mounted");
		return;
	}
	last = line + strlen(line);
	while (last > line && last[-1] >= '0' && last[-1] <= '9')
		last--;
	cpus = strtoul(last, NULL, 10) + 1;
	if (cpus > KUTRACE_CPUS)
		cmd_judge(c, CMD_WRONG, "boot with nr_cpus=256 on the kernel's command line",
			  "%lu CPUs are possible, including hot-pluggable ones; a trace holds at "
			  "most %d", cpus, KUTRACE_CPUS);
	else
		cmd_judge(c, CMD_GOOD, NULL, "at most %lu; a trace holds at most %d", cpus,
			  KUTRACE_CPUS);
}

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);
	const char *at = line;

	while ((at = strstr(at, word))) {
		if ((at == line || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

void cmd_check_clock(const struct cmd_machine *m, struct cmd_check *c)
{
	static const char file[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char line[300];

	if (!m->info_error)
		cmd_judge(c, CMD_GOOD, NULL, "%llu.%03llu MHz, the same on all CPUs",
			  (unsigned long long)m->info.clock_khz / 1000,
			  (unsigned long long)m->info.clock_khz % 1000);
	else if (!cmd_machine_line(m, file, line, sizeof(line)))
		cmd_judge(c, CMD_LIMIT, NULL,
			  "available clocks not known: /sys is not mounted");
	/* the kernel removes an unstable TSC from this list */
	else if (has_word(line, "tsc"))
		cmd_judge(c, CMD_GOOD, NULL, "the kernel trusts the TSC");
	/* arm64 and riscv64 guarantee a counter that all CPUs share */
	else if (has_word(line, "arch_sys_counter") || has_word(line, "riscv_clocksource"))
		cmd_judge(c, CMD_GOOD, NULL, "the architecture's common counter");
	else
		cmd_judge(c, CMD_WRONG,
			  "if the TSC is reliable, boot with tsc=reliable on the kernel's command line",
			  "the kernel rejected the TSC (it differs between CPUs, or stops); available "
			  "clocks: only %s", line);
}

/* The file holds a line such as "none [integrity] confidentiality". */
void cmd_check_lockdown(const struct cmd_machine *m, struct cmd_check *c)
{
	char line[120], *level;

	if (!cmd_machine_line(m, "/sys/kernel/security/lockdown", line, sizeof(line)))
		cmd_judge(c, CMD_GOOD, NULL, "none, or not readable here");
	else if (!(level = strchr(line, '[')) || !strchr(level, ']'))
		cmd_judge(c, CMD_LIMIT, NULL, "unknown format: %s", line);
	else if (!strncmp(level, "[confidentiality]", 17))
		cmd_judge(c, CMD_WRONG,
			  "boot without lockdown=confidentiality (lockdown=integrity is allowed)",
			  "confidentiality: no user may trace this kernel, not even root");
	else
		cmd_judge(c, CMD_GOOD, NULL, "%.*s", (int)strcspn(level + 1, "]"), level + 1);
}

/* --- permission ------------------------------------------------------------------------ */

#define GROUP	"tracing"

static void user_name(const struct cmd_machine *m, char *name, size_t size)
{
	FILE *f = cmd_machine_open(m, "/etc/passwd");
	struct passwd *pw;

	*name = '\0';
	while (f && (pw = fgetpwent(f)))
		if (pw->pw_uid == m->uid) {
			snprintf(name, size, "%s", pw->pw_name);
			break;
		}
	if (f)
		fclose(f);
}

/* Returns whether the group exists. Sets *@member to whether its list contains @user. */
static bool find_group(const struct cmd_machine *m, const char *user, bool *member)
{
	FILE *f = cmd_machine_open(m, "/etc/group");
	bool found = false;
	struct group *gr;
	char **name;

	*member = false;
	while (f && !found && (gr = fgetgrent(f))) {
		found = !strcmp(gr->gr_name, GROUP);
		for (name = gr->gr_mem; found && *name; name++)
			*member |= *user && !strcmp(*name, user);
	}
	if (f)
		fclose(f);
	return found;
}

static void check_refused(const struct cmd_machine *m, struct cmd_check *c)
{
	struct stat st = {0};
	bool member, group;
	char user[80], path[300];

	if (!m->uid) {
		cmd_judge(c, CMD_WRONG, "in a container, start it with the capability CAP_PERFMON",
			  "even root is refused: the kernel is locked down, or this container lacks "
			  "CAP_PERFMON");
		return;
	}
	user_name(m, user, sizeof(user));
	group = find_group(m, user, &member);
	if (cmd_machine_path(m, path, sizeof(path), "%s", KUTRACE_DEVICE) && !stat(path, &st) &&
	    group && !st.st_gid)
		cmd_judge(c, CMD_WRONG, "sudo udevadm trigger --subsystem-match=misc",
			  "group " GROUP " exists, but %s does not belong to it: udev has not applied "
			  "60-kutrace.rules, or the rule is not installed", KUTRACE_DEVICE);
	else if (!group)
		cmd_judge(c, CMD_WRONG, "sudo kutrace_control",
			  "only root may record and read: group " GROUP " does not exist "
			  "(if KUtrace is installed, sudo systemd-sysusers creates it)");
	else if (member)
		cmd_judge(c, CMD_WRONG, "newgrp " GROUP "    # or log in again",
			  "%s is a member of group " GROUP ", but joined it after the last login", user);
	else
		cmd_judge(c, CMD_WRONG, "sudo usermod -aG " GROUP " \"$USER\"    # then log in again",
			  "only root and group " GROUP " may record and read: a trace shows the "
			  "programs of all users");
}

void cmd_check_permission(const struct cmd_machine *m, struct cmd_check *c)
{
	switch (m->info_error) {
	case -EPERM:
		check_refused(m, c);
		break;
	case 0:
		cmd_judge(c, CMD_GOOD, NULL, "may record and read%s",
			  m->uid ? "" : " as root; run starts its program as the sudo user, if any");
		break;
	default:
		cmd_judge(c, CMD_LIMIT, NULL, "not known until the module is loaded");
	}
}

/* --- counters -------------------------------------------------------------------------- */

void cmd_check_counters(const struct cmd_machine *m, struct cmd_check *c)
{
	static const char none[] = "--ipc and --llc are refused, everything else works";

	switch (m->counters_error) {
	case 0:
		cmd_judge(c, CMD_GOOD, NULL, "instructions and cycles: --ipc works");
		break;
	case -EACCES:
	case -EPERM:
		cmd_judge(c, CMD_LIMIT, "sudo kutrace_control doctor",
			  "not known: this user may not open counters (perf_event_paranoid)");
		break;
	case -EBUSY:
		cmd_judge(c, CMD_LIMIT, "sudo sysctl kernel.nmi_watchdog=0",
			  "all in use by the watchdog or another profiler: %s", none);
		break;
	default:
		cmd_judge(c, CMD_LIMIT, NULL,
			  "none, as in most virtual machines: %s", none);
	}
}

/* --- the page -------------------------------------------------------------------------- */

void cmd_check_page(const struct cmd_machine *m, struct cmd_check *c)
{
	char tool[4200], browser[4200];

	(void)m;
	if (!cmd_find_rawtohtml(tool, sizeof(tool)))
		cmd_judge(c, CMD_LIMIT, "export PATH=\"FOLDER-OF-THE-FILTERS:$PATH\"",
			  "rawtohtml is neither beside this program nor in the PATH: record here, and "
			  "make the page on another machine");
	else if (!cmd_find_browser(browser, sizeof(browser)))
		cmd_judge(c, CMD_GOOD, NULL,
			  "made by %.300s; no browser or display here: open pages on another machine", tool);
	else
		cmd_judge(c, CMD_GOOD, NULL, "made by %.200s, opened by %.200s", tool, browser);
}
