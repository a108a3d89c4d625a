// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks of the kernel, the hardware, the module, permissions and tools.
 *
 * Must not report "good" for a property that it could not read, and must not need more privileges
 * than the user has. Must not report a signature as valid: only the kernel has the list of trusted
 * keys.
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/shared/traces.h"

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
	return !strcmp(architecture, "x86_64") || !strcmp(architecture, "aarch64") ||
	       !strcmp(architecture, "riscv64");
}

bool cmd_without_modules(const struct cmd_machine *m)
{
	return !cmd_machine_loaded(m) && cmd_machine_has(m, "/proc/cmdline") &&
	       !cmd_machine_has(m, "/proc/modules");
}

void cmd_check_kernel(const struct cmd_machine *m, struct cmd_check *c)
{
	unsigned int major = 0, minor = 0;
	char container[60];
	bool too_old = sscanf(m->release, "%u.%u", &major, &minor) != 2 || major < 6 ||
		       (major == 6 && minor < 1);

	if (!is_supported(m->architecture))
		cmd_judge(c, CMD_WRONG, "record on an x86-64, arm64 or riscv64 machine",
			  "Linux %s on %s: the module is written for x86-64, arm64 and riscv64",
			  m->release, m->architecture);
	else if (too_old)
		cmd_judge(c, CMD_WRONG, "boot Linux 6.1 or later",
			  "Linux %s: the module needs 6.1 or later", m->release);
	else if (cmd_without_modules(m))
		cmd_judge(c, CMD_WRONG, cmd_machine_container(m, container, sizeof(container)) ?
			  "record in a virtual machine: make guest    # docs/guide/guest.md" :
			  CMD_OTHER_KERNEL ", docs/guide/guest.md",
			  "Linux %s was built without loadable modules (CONFIG_MODULES is not set), so it "
			  "cannot load the module", m->release);
	else
		cmd_judge(c, CMD_GOOD, NULL, "Linux %s, %s", m->release, m->architecture);
}

/*
 * Checks the number of CPUs. The kernel's file holds a list such as "0-3" or "0,2-7". Its last
 * number is the highest possible CPU.
 */
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

/* Checks kernel lockdown. The file holds a line such as "none [integrity] confidentiality". */
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

/* Returns whether the group exists. Sets *@member to true if the group's list contains @user. */
static bool find_group(const struct cmd_machine *m, const char *user, bool *member)
{
	FILE *f = cmd_machine_open(m, "/etc/group");
	bool found = false;
	struct group *gr;

	*member = false;
	while (f && !found && (gr = fgetgrent(f))) {
		found = !strcmp(gr->gr_name, GROUP);
		for (char **name = gr->gr_mem; found && *name; name++)
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
			  m->uid ? "" : " as root; the command run starts its program as the sudo user, if any");
		break;
	default:
		cmd_judge(c, CMD_LIMIT, NULL, "not known until the module is loaded");
	}
}

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

void cmd_check_page(const struct cmd_machine *m, struct cmd_check *c)
{
	char tool[4200], browser[4200];

	(void)m;
	if (!cmd_find_program("rawtohtml", tool, sizeof(tool)))
		cmd_judge(c, CMD_LIMIT, "export PATH=\"FOLDER-OF-THE-FILTERS:$PATH\"",
			  "rawtohtml is neither installed with this program nor in the PATH: record "
			  "here, and make the page on another machine");
	else if (!cmd_find_browser(browser, sizeof(browser)))
		cmd_judge(c, CMD_GOOD, NULL,
			  "made by %.300s; no browser or display here: open pages on another machine", tool);
	else
		cmd_judge(c, CMD_GOOD, NULL, "made by %.200s, opened by %.200s", tool, browser);
}

/* Returns 1 if @file has a signature, 0 if not, -1 if @file is compressed or not readable. */
static int is_signed(const char *file)
{
	static const char magic[] = "~Module signature appended~\n";
	char end[sizeof(magic) - 1], elf[4];
	int ret = -1;
	FILE *f = fopen(file, "re");

	if (!f)
		return -1;
	if (fread(elf, 1, sizeof(elf), f) == sizeof(elf) && !memcmp(elf, "\177ELF", 4) &&
	    !fseek(f, -(long)sizeof(end), SEEK_END) &&
	    fread(end, 1, sizeof(end), f) == sizeof(end))
		ret = !memcmp(end, magic, sizeof(end));
	fclose(f);
	return ret;
}

/* Returns whether this kernel accepts only signed modules. */
static bool enforced(const struct cmd_machine *m)
{
	char line[120];

	if (cmd_machine_line(m, "/sys/module/module/parameters/sig_enforce", line, sizeof(line)) &&
	    line[0] == 'Y')
		return true;
	return cmd_machine_line(m, "/sys/kernel/security/lockdown", line, sizeof(line)) &&
	       strchr(line, '[') && !strstr(line, "[none]");
}

static void check_installed_signature(const struct cmd_machine *m, struct cmd_check *c)
{
	char file[400], fix[sizeof(c->fix)];

	if (!cmd_machine_module(m, file, sizeof(file))) {
		cmd_judge(c, CMD_LIMIT, NULL,
			  "this kernel accepts only signed modules, and kutrace.ko is not installed: "
			  "it will need a signature by an enrolled key (mokutil --import)");
		return;
	}
	snprintf(fix, sizeof(fix),
		 "sudo /lib/modules/%s/build/scripts/sign-file sha256 KEY.priv KEY.der %.120s",
		 m->release, file);
	switch (is_signed(file)) {
	case 1:
		cmd_judge(c, CMD_GOOD, NULL,
			  "this kernel accepts only signed modules; %s is signed, but only loading "
			  "it shows whether this kernel trusts the key", file);
		break;
	case 0:
		cmd_judge(c, CMD_WRONG, fix,
			  "this kernel accepts only signed modules, and %s has no signature: sign it "
			  "with an enrolled key (mokutil --import KEY.der)", file);
		break;
	default:
		cmd_judge(c, CMD_LIMIT, NULL,
			  "this kernel accepts only signed modules; cannot check %s: it is compressed "
			  "or not readable", file);
	}
}

void cmd_check_signature(const struct cmd_machine *m, struct cmd_check *c)
{
	char container[60];

	if (cmd_without_modules(m))
		return;
	if (!enforced(m))
		cmd_judge(c, CMD_GOOD, NULL, "not needed: this kernel accepts unsigned modules");
	else if (cmd_machine_loaded(m))
		cmd_judge(c, CMD_GOOD, NULL,
			  "this kernel accepts only signed modules, and has accepted this one");
	else if (cmd_machine_container(m, container, sizeof(container)))
		cmd_judge(c, CMD_LIMIT, NULL,
			  "this kernel accepts only signed modules: on the host, kutrace.ko needs a "
			  "signature");
	else
		check_installed_signature(m, c);
}

/* Reports that the host must load the module. Returns false if this is no container. */
static bool check_container(const struct cmd_machine *m, struct cmd_check *c)
{
	char name[60];

	if (!cmd_machine_container(m, name, sizeof(name)))
		return false;
	if (cmd_machine_has(m, "/sys/module/kutrace"))
		cmd_judge(c, CMD_WRONG, "start the container with the device " KUTRACE_DEVICE
			  "    # docs/guide/install.md, Containers",
			  "loaded on the host, but this container (%s) has no device " KUTRACE_DEVICE,
			  name);
	else
		cmd_judge(c, CMD_WRONG, "on the host: sudo modprobe kutrace; then start the container "
			  "with the device " KUTRACE_DEVICE,
			  "not loaded, and no module can be loaded inside a container (%s)", name);
	return true;
}

/* Reports that this kernel loads no more modules. Returns false if it does. */
static bool check_modules_refused(const struct cmd_machine *m, struct cmd_check *c)
{
	char line[20];

	if (!cmd_machine_line(m, "/proc/sys/kernel/modules_disabled", line, sizeof(line)) ||
	    line[0] != '1')
		return false;
	cmd_judge(c, CMD_WRONG, "reboot, and load the module before kernel.modules_disabled "
		  "is set to 1",
		  "not loaded, and this kernel loads no more modules until the next boot "
		  "(kernel.modules_disabled=1)");
	return true;
}

/* Reports how the module can be loaded. */
static void check_not_loaded(const struct cmd_machine *m, struct cmd_check *c)
{
	char file[400], source[100], why[340] = "";

	if (m->refusal[0])
		snprintf(why, sizeof(why), ". Last error in the kernel log: %s", m->refusal);
	snprintf(source, sizeof(source), "/usr/src/kutrace-%s/dkms.conf", KUTRACE_VERSION);
	if (check_container(m, c) || check_modules_refused(m, c))
		return;
	if (cmd_machine_has(m, "/sys/module/kutrace"))
		cmd_judge(c, CMD_WRONG,
			  "in a container, start it with the device " KUTRACE_DEVICE
			  "; otherwise: sudo udevadm trigger --subsystem-match=misc",
			  "loaded, but " KUTRACE_DEVICE " is missing");
	else if (cmd_machine_module(m, file, sizeof(file)))
		cmd_judge(c, CMD_WRONG, "sudo modprobe kutrace", "not loaded; installed as %s%s", file, why);
	else if (cmd_machine_has(m, source))
		cmd_judge(c, CMD_WRONG, "sudo dkms autoinstall && sudo modprobe kutrace",
			  "not built for this kernel; DKMS has its source, but no module%s", why);
	else
		cmd_judge(c, CMD_WRONG, "make module && sudo make load    # in the source folder",
			  "not loaded, and not installed for this kernel%s", why);
}

/* Appends the tracepoints that the module uses and that no release of Linux has. */
static void add_tracepoints(char *text, size_t size, uint64_t added)
{
	static const char *const names[] = KUTRACE_TRACEPOINT_LABELS;
	size_t i, len = strlen(text);

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(added >> i & 1))
			continue;
		snprintf(text + len, size - len, "%s%s", len ? ", " : " and ", names[i]);
		len = strlen(text);
	}
}

void cmd_check_module(const struct cmd_machine *m, struct cmd_check *c)
{
	char text[300];

	switch (m->info_error) {
	case 0:
		text[0] = '\0';
		add_tracepoints(text, sizeof(text), m->info.added_tracepoints);
		cmd_judge(c, CMD_GOOD, NULL, "loaded, version %llu, with %s%s",
			  (unsigned long long)m->module_version,
			  m->info.backend == KUTRACE_BACKEND_PATCHED ? "the hooks of a patched kernel"
			  : "the tracepoints of a stock kernel", text);
		break;
	case -EPERM:
		cmd_judge(c, CMD_GOOD, NULL, "loaded");
		break;
	case -ENODEV:
		if (!cmd_without_modules(m))
			check_not_loaded(m, c);
		break;
	case -EPROTO:
		cmd_judge(c, CMD_WRONG, "sudo rmmod kutrace && sudo modprobe kutrace",
			  "loaded, but its version differs from this program");
		break;
	default:
		cmd_judge(c, CMD_WRONG, NULL, "%s",
			  kutrace_explain(m->info_error, text, sizeof(text)));
	}
}
