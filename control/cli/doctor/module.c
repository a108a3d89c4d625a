// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks whether the module is loaded, installed or can be built, and whether the kernel accepts
 * it. Must not report a signature as valid: only the kernel has the list of trusted keys.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"

static bool loaded(const struct cmd_machine *m)
{
	return m->info_error != -ENODEV && m->info_error != -ENOSYS;
}

/* --- headers --------------------------------------------------------------------------- */

/* Returns the command that installs the kernel headers. It contains %s for the kernel release. */
static const char *headers_command(const struct cmd_machine *m)
{
	static const struct {
		const char *family, *command;
	} known[] = {
		{"debian", "sudo apt-get install linux-headers-%s"},
		{"fedora", "sudo dnf install kernel-devel-%s"},
		{"arch", "sudo pacman -S linux-headers"},
		{"suse", "sudo zypper install kernel-default-devel"},
	};
	const char *family = cmd_machine_family(m);
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].family, family))
			return known[i].command;
	return "install the headers of kernel %s with the package manager of your distribution";
}

void cmd_check_headers(const struct cmd_machine *m, struct cmd_check *c)
{
	char build[160], makefile[180], file[400], fix[200];
	bool there = loaded(m) || cmd_machine_module(m, file, sizeof(file));

	snprintf(build, sizeof(build), "/lib/modules/%s/build", m->release);
	snprintf(makefile, sizeof(makefile), "%s/Makefile", build);
	if (cmd_machine_has(m, makefile)) {
		cmd_judge(c, CMD_GOOD, NULL, "%s: the module can be built for this kernel", build);
		return;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	/* the format is one of the literals above */
	snprintf(fix, sizeof(fix), headers_command(m), m->release);
#pragma GCC diagnostic pop
	cmd_judge(c, there ? CMD_LIMIT : CMD_WRONG, fix,
		  "%s is missing: the module cannot be %s for this kernel", build,
		  there ? "rebuilt" : "built");
}

/* --- signature ------------------------------------------------------------------------- */

/*
 * Returns 1 if a signature is appended to @file, 0 if not, and -1 if @file is compressed or not
 * readable.
 */
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
	if (!enforced(m))
		cmd_judge(c, CMD_GOOD, NULL, "not needed: this kernel accepts unsigned modules");
	else if (loaded(m))
		cmd_judge(c, CMD_GOOD, NULL,
			  "this kernel accepts only signed modules, and has accepted this one");
	else
		check_installed_signature(m, c);
}

/* --- the module ------------------------------------------------------------------------ */

/* Reports how the module can be loaded. */
static void check_not_loaded(const struct cmd_machine *m, struct cmd_check *c)
{
	char file[400], source[100], why[340] = "";

	if (m->refusal[0])
		snprintf(why, sizeof(why), ". Last error in the kernel log: %s", m->refusal);
	snprintf(source, sizeof(source), "/usr/src/kutrace-%s/dkms.conf", KUTRACE_VERSION);
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
