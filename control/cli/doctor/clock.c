// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks the time counter. On x86-64 the module reads the TSC, and the kernel must trust the TSC. A
 * remedy that needs a change of the host must name the host.
 */
#include "cli/doctor/doctor.h"

#include <string.h>

#define GUEST	"otherwise: make guest    # a virtual machine to record in"

/* Clocks that a hypervisor provides, and what an administrator can do to get a TSC. */
static const struct {
	const char *clock, *hypervisor, *fix;
} virtual[] = {
	{"kvm-clock", "KVM",
	 "on the host, pass an invariant TSC through (QEMU: -cpu host,+invtsc); in a cloud, choose another "
	 "machine type; " GUEST},
	{"hyperv_clocksource_tsc_page", "Hyper-V",
	 "choose a host or a machine type with an invariant TSC; " GUEST},
	{"hyperv_clocksource_msr", "Hyper-V",
	 "choose a host or a machine type with an invariant TSC; " GUEST},
	{"xen", "Xen", "choose a host or a machine type with an invariant TSC; " GUEST},
};

/* Reports why the kernel does not trust the TSC. @clocks: the clocks that it trusts. */
static void check_no_tsc(const struct cmd_machine *m, struct cmd_check *c, const char *clocks)
{
	if (cmd_machine_booted_with(m, "tsc=unstable")) {
		cmd_judge(c, CMD_WRONG, cmd_machine_virtual(m) ?
			  "boot without tsc=unstable, if the host passes an invariant TSC through; " GUEST :
			  "boot without tsc=unstable on the kernel's command line",
			  "the kernel's command line has tsc=unstable, so the kernel does not trust the "
			  "TSC, and the module needs it; clocks that are left: %s", clocks);
		return;
	}
	for (size_t i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++)
		if (cmd_has_word(clocks, virtual[i].clock)) {
			cmd_judge(c, CMD_WRONG, virtual[i].fix,
				  "the module needs the TSC, but in this virtual machine of %s the kernel "
				  "does not trust it: the host can stop or change it; clocks that are "
				  "left: %s", virtual[i].hypervisor, clocks);
			return;
		}
	if (cmd_machine_virtual(m))
		cmd_judge(c, CMD_WRONG, "use a virtual machine with an invariant TSC; " GUEST,
			  "the module needs the TSC, but in this virtual machine the kernel does not "
			  "trust it; clocks that are left: %s", clocks);
	else
		cmd_judge(c, CMD_WRONG,
			  "if the TSC is reliable, boot with tsc=reliable on the kernel's command line",
			  "the kernel rejected the TSC (it differs between CPUs, or stops); clocks that "
			  "are left: %s", clocks);
}

void cmd_check_clock(const struct cmd_machine *m, struct cmd_check *c)
{
	static const char file[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char line[300];
	size_t length;

	if (!m->info_error) {
		cmd_judge(c, CMD_GOOD, NULL, "%llu.%03llu MHz, the same on all CPUs",
			  (unsigned long long)m->info.clock_khz / 1000,
			  (unsigned long long)m->info.clock_khz % 1000);
		return;
	}
	if (!strcmp(m->architecture, "aarch64") || !strcmp(m->architecture, "riscv64")) {
		cmd_judge(c, CMD_GOOD, NULL, "%s has a counter that all CPUs share, also in virtual "
			  "machines", m->architecture);
		return;
	}
	if (!cmd_machine_line(m, file, line, sizeof(line))) {
		cmd_judge(c, CMD_LIMIT, NULL, "available clocks not known: /sys is not mounted");
		return;
	}
	for (length = strlen(line); length && line[length - 1] == ' '; length--)
		line[length - 1] = '\0';
	/* the kernel removes an unstable TSC from this list */
	if (cmd_has_word(line, "tsc"))
		cmd_judge(c, CMD_GOOD, NULL, "the kernel trusts the TSC");
	else
		check_no_tsc(m, c, line);
}
