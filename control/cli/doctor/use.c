// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks the user's permissions, the hardware counters, and the tools that make and open the
 * page. Must not need more privileges than the user has.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/check.h"
#include "cli/shared/page.h"

/* --- permission ------------------------------------------------------------------------ */

#define GROUP	"tracing"

static void name_of(const struct cmd_machine *m, char *name, size_t size)
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
	name_of(m, user, sizeof(user));
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
