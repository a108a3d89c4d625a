// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the findings of kutrace_control doctor. A folder with files of /proc, /sys and /etc stands
 * for a machine. The command must report the same in words and as JSON. Guest tests run it on real
 * machines.
 */
#include <errno.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/doctor/doctor.h"
#include "kutrace_abi.h"

/* version of Debian's kernels in uname(2) */
#define DEBIAN	"#1 SMP PREEMPT_DYNAMIC Debian 6.1.0-1 (2026-01-01)"

static char root[] = "/tmp/test_doctor.XXXXXX";
static struct cmd_machine machine;
static struct cmd_check check;

/* Writes a file of the machine, and makes its folders. */
static void put_bytes(const char *name, const void *bytes, size_t size)
{
	char path[600], *at;
	FILE *f;

	assert_non_null(cmd_machine_path(&machine, path, sizeof(path), "%s", name));
	for (at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*at = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* Makes a machine with Linux 6.1 on which nothing is loaded. */
static int fresh(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s && mkdir -m 755 %s", root, root);
	assert_int_equal(system(command), 0);
	memset(&machine, 0, sizeof(machine));
	memset(&check, 0, sizeof(check));
	machine.root = root;
	strcpy(machine.release, "6.1.0-test");
	strcpy(machine.version, DEBIAN);
	strcpy(machine.architecture, "x86_64");
	machine.uid = 1000;
	machine.reads_max = 1000;
	machine.info_error = -ENODEV;
	machine.counters_error = -ENOENT;
	machine.apt_headers = -1;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Checks the verdict, the finding and the remedy. @fix "" means that there is no remedy. */
static void expect(void (*what)(const struct cmd_machine *, struct cmd_check *),
		   enum cmd_verdict verdict, const char *found, const char *fix)
{
	memset(&check, 0, sizeof(check));
	what(&machine, &check);
	if (!found) {
		assert_string_equal(check.found, "");
		return;
	}
	if (!strstr(check.found, found) || (*fix ? !strstr(check.fix, fix) : check.fix[0]))
		print_error("found: %s\nmend: %s\n", check.found, check.fix);
	assert_int_equal(check.verdict, verdict);
	assert_non_null(strstr(check.found, found));
	assert_true(*fix ? strstr(check.fix, fix) != NULL : !check.fix[0]);
}

static void test_kernel(void **state)
{
	static const char *const good[] = {"6.1.0-test", "6.12.1+deb13-amd64", "7.2-rc1", "10.0"};
	static const char *const old[] = {"6.0.19", "5.19.0", "4.18", "rubbish", ""};
	static const char *const supported[] = {"x86_64", "aarch64", "riscv64"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		strcpy(machine.release, good[i]);
		expect(cmd_check_kernel, CMD_GOOD, good[i], "");
	}
	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		strcpy(machine.release, old[i]);
		expect(cmd_check_kernel, CMD_WRONG, old[i], "boot Linux 6.1 or later");
	}
	strcpy(machine.release, "6.1.0");
	for (i = 0; i < sizeof(supported) / sizeof(supported[0]); i++) {
		strcpy(machine.architecture, supported[i]);
		expect(cmd_check_kernel, CMD_GOOD, supported[i], "");
	}
	strcpy(machine.architecture, "s390x");
	expect(cmd_check_kernel, CMD_WRONG, "s390x", "x86-64, arm64 or riscv64");
}

static void test_cpus(void **state)
{
	static const char file[] = "/sys/devices/system/cpu/possible";

	(void)state;
	expect(cmd_check_cpus, CMD_LIMIT, "not known", "");
	put(file, "0\n");
	expect(cmd_check_cpus, CMD_GOOD, "at most 1;", "");
	put(file, "0-255\n");
	expect(cmd_check_cpus, CMD_GOOD, "at most 256;", "");
	put(file, "0-256\n");
	expect(cmd_check_cpus, CMD_WRONG, "257 CPUs", "nr_cpus=256");
	put(file, "0,2-7,300\n");
	expect(cmd_check_cpus, CMD_WRONG, "301 CPUs", "nr_cpus=256");
}

static void test_clock(void **state)
{
	static const char file[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";

	(void)state;
	expect(cmd_check_clock, CMD_LIMIT, "not known", "");
	put(file, "tsc hpet acpi_pm \n");
	expect(cmd_check_clock, CMD_GOOD, "trusts the TSC", "");
	put(file, "kvm-clock tsc\n");
	expect(cmd_check_clock, CMD_GOOD, "trusts the TSC", "");
	put(file, "hpet tsc-early acpi_pm \n");
	expect(cmd_check_clock, CMD_WRONG, "left: hpet tsc-early acpi_pm", "tsc=reliable");
	assert_string_equal(strstr(check.found, "left:"), "left: hpet tsc-early acpi_pm");
	/* the rate of the module is preferred to the rate in the kernel's list */
	machine.info_error = 0;
	machine.info.clock_khz = 2400007;
	expect(cmd_check_clock, CMD_GOOD, "2400.007 MHz", "");
}

static void test_lockdown(void **state)
{
	static const char file[] = "/sys/kernel/security/lockdown";

	(void)state;
	expect(cmd_check_lockdown, CMD_GOOD, "none", "");
	put(file, "[none] integrity confidentiality\n");
	expect(cmd_check_lockdown, CMD_GOOD, "none", "");
	put(file, "none [integrity] confidentiality\n");
	expect(cmd_check_lockdown, CMD_GOOD, "integrity", "");
	put(file, "none integrity [confidentiality]\n");
	expect(cmd_check_lockdown, CMD_WRONG, "no user may trace", "lockdown=confidentiality");
	put(file, "else\n");
	expect(cmd_check_lockdown, CMD_LIMIT, "unknown format: else", "");
}

static void test_headers(void **state)
{
	static const struct {
		const char *os, *release, *version, *fix;
	} known[] = {
		{"PRETTY_NAME=\"x\"\nID=debian\n", "6.1.0-test", DEBIAN, "apt-get install linux-headers-6.1.0-test"},
		{"ID=ubuntu\nID_LIKE=debian\n", "6.8.0-31-generic", "#31-Ubuntu SMP",
		 "apt-get install linux-headers-6.8.0-31-generic"},
		{"ID=mint\nID_LIKE=\"ubuntu debian\"\n", "6.8.0-31-generic", "#31-Ubuntu SMP",
		 "apt-get install linux-headers-"},
		{"ID=mint\nID_LIKE=\"ubuntu debian\"\n", "6.1.0-test", DEBIAN, "apt-get install linux-headers-"},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "6.12.0-55.el10.x86_64", "#1 SMP",
		 "dnf install kernel-devel-6.12.0-55.el10.x86_64"},
		{"ID=fedora\n", "6.14.0-63.fc42.x86_64", "#1 SMP", "dnf install kernel-devel-6.14.0-63.fc42.x86_64"},
		{"ID=\"amzn\"\nID_LIKE=\"fedora\"\n", "6.1.134-150.amzn2023.x86_64", "#1 SMP",
		 "dnf install kernel-devel-6.1.134-150.amzn2023.x86_64"},
		{"ID=arch\n", "6.15.2-arch1-1", "#1 SMP", "pacman -S linux-headers"},
		{"ID=arch\n", "6.12.33-1-lts", "#1 SMP", "pacman -S linux-lts-headers"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "6.4.0-150600.21-default", "#1 SMP",
		 "zypper install"},
		{"ID=void\n", "6.1.0-test", "#1 SMP", "install the headers of kernel 6.1.0-test"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		put("/etc/os-release", known[i].os);
		strcpy(machine.release, known[i].release);
		strcpy(machine.version, known[i].version);
		expect(cmd_check_headers, CMD_WRONG, "cannot be built for this kernel", known[i].fix);
	}
	/* an installed module works without headers, but cannot be rebuilt */
	put("/lib/modules/6.1.0-test/modules.dep", "updates/dkms/kutrace.ko.xz:\n");
	expect(cmd_check_headers, CMD_LIMIT, "cannot be rebuilt for this kernel", "install the headers");
	put("/lib/modules/6.1.0-test/build/Makefile", "");
	expect(cmd_check_headers, CMD_GOOD, "/lib/modules/6.1.0-test/build", "");
}

/* A kernel that is not the distribution's has no package of headers there. */
static void test_headers_of_other_kernels(void **state)
{
	static const struct {
		const char *os, *release, *version;
	} foreign[] = {
		{"ID=debian\n", "6.18.44-fc-v782", "#1 SMP PREEMPT_DYNAMIC @0"},
		{"ID=debian\n", "6.8.4-2-pve", "#1 SMP PREEMPT_DYNAMIC PMX 6.8.4-2"},
		{"ID=ubuntu\nID_LIKE=debian\n", "6.1.0", "#1 SMP Thu May  2 10:00:00 UTC 2026"},
		{"ID=\"rhel\"\n", "6.9.0-mine", "#2 SMP"},
		{"ID=arch\n", "6.9.0-mine", "#2 SMP"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		put("/etc/os-release", foreign[i].os);
		strcpy(machine.release, foreign[i].release);
		strcpy(machine.version, foreign[i].version);
		expect(cmd_check_headers, CMD_WRONG, "Your distribution did not build this kernel", "make guest");
		assert_null(strstr(check.fix, "apt-get"));
		assert_null(strstr(check.fix, "dnf"));
	}
	/* a repository can have packages of such a kernel */
	put("/etc/os-release", "ID=debian\n");
	machine.apt_headers = 1;
	expect(cmd_check_headers, CMD_WRONG, "cannot be built", "sudo apt-get install linux-headers-6.9.0-mine");
	assert_null(strstr(check.found, "distribution"));
	/* an old kernel of the distribution, or lists that were never fetched */
	strcpy(machine.release, "6.1.0-test");
	strcpy(machine.version, DEBIAN);
	machine.apt_headers = 0;
	expect(cmd_check_headers, CMD_WRONG, "apt does not know the package",
	       "sudo apt-get update && sudo apt-get install linux-headers-6.1.0-test");
}

/* Makes a program apt-cache of one line in the root, and returns what doctor learns from it. */
static int apt_headers_by(const char *line)
{
	char script[200];

	snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", line);
	put("/bin/apt-cache", script);
	snprintf(script, sizeof(script), "%s/bin/apt-cache", root);
	assert_int_equal(chmod(script, 0755), 0);
	cmd_machine_here(&machine);
	return machine.apt_headers;
}

static void test_apt(void **state)
{
	char folder[300], line[200], *before = strdup(getenv("PATH"));
	struct utsname uts;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	snprintf(line, sizeof(line), "/lib/modules/%s/build/Makefile", uts.release);
	if (!access(line, F_OK))
		skip();		/* apt is not needed */
	snprintf(folder, sizeof(folder), "%s/bin", root);
	setenv("PATH", folder, 1);
	cmd_machine_here(&machine);
	assert_int_equal(machine.apt_headers, -1);
	machine.root = root;
	snprintf(line, sizeof(line), "[ \"$*\" = 'show linux-headers-%s' ] && echo Package", uts.release);
	assert_int_equal(apt_headers_by(line), 1);
	machine.root = root;
	assert_int_equal(apt_headers_by("echo 'E: No packages found' >&2; exit 100"), 0);
	setenv("PATH", before, 1);
	free(before);
}

/* The machines on which people try the tool first, and the sentence that each of them gets. */
static void test_machines(void **state)
{
	static const char clocks[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	static const char cpu_of_vm[] = "flags\t\t: fpu tsc hypervisor lahf_lm\n";
	static const char cpu[] = "flags\t\t: fpu tsc lahf_lm\n";
	static const struct {
		const char *machine, *file[3], *text[3];
		void (*what)(const struct cmd_machine *, struct cmd_check *);
		enum cmd_verdict verdict;
		const char *found, *fix;
	} table[] = {
		{"KVM without a TSC", {clocks, "/proc/cpuinfo"}, {"kvm-clock \n", cpu_of_vm},
		 cmd_check_clock, CMD_WRONG, "the module needs the TSC, but in this virtual machine of KVM the "
		 "kernel does not trust it: the host can stop or change it; clocks that are left: kvm-clock",
		 "on the host, pass an invariant TSC through (QEMU: -cpu host,+invtsc)"},
		{"KVM without a TSC, in a cloud", {clocks}, {"kvm-clock acpi_pm \n"},
		 cmd_check_clock, CMD_WRONG, "left: kvm-clock acpi_pm", "choose another machine type; otherwise: make guest"},
		{"KVM, tsc=unstable", {clocks, "/proc/cpuinfo", "/proc/cmdline"},
		 {"kvm-clock \n", cpu_of_vm, "quiet tsc=unstable panic=1\n"},
		 cmd_check_clock, CMD_WRONG, "the kernel's command line has tsc=unstable, so the kernel does not "
		 "trust the TSC, and the module needs it; clocks that are left: kvm-clock",
		 "boot without tsc=unstable, if the host passes an invariant TSC through"},
		{"tsc=unstable on hardware", {clocks, "/proc/cpuinfo", "/proc/cmdline"},
		 {"hpet acpi_pm \n", cpu, "tsc=unstable\n"},
		 cmd_check_clock, CMD_WRONG, "the kernel's command line has tsc=unstable", "boot without tsc=unstable on the"},
		{"a longer word that contains tsc=unstable", {clocks, "/proc/cmdline"}, {"hpet \n", "x=tsc=unstable tsc=unstabler\n"},
		 cmd_check_clock, CMD_WRONG, "the kernel rejected the TSC", "tsc=reliable"},
		{"Hyper-V", {clocks, "/proc/cpuinfo"}, {"hyperv_clocksource_tsc_page acpi_pm \n", cpu_of_vm},
		 cmd_check_clock, CMD_WRONG, "in this virtual machine of Hyper-V the kernel does not trust it",
		 "choose a host or a machine type with an invariant TSC"},
		{"Xen", {clocks}, {"xen \n"}, cmd_check_clock, CMD_WRONG, "virtual machine of Xen", "make guest"},
		{"another hypervisor", {clocks, "/proc/cpuinfo"}, {"hpet acpi_pm \n", cpu_of_vm},
		 cmd_check_clock, CMD_WRONG, "in this virtual machine the kernel does not trust it; clocks that are left: hpet",
		 "make guest"},
		{"KVM with a TSC", {clocks, "/proc/cpuinfo"}, {"tsc kvm-clock \n", cpu_of_vm},
		 cmd_check_clock, CMD_GOOD, "the kernel trusts the TSC", ""},
		{"Docker", {"/.dockerenv"}, {""}, cmd_check_module, CMD_WRONG,
		 "not loaded, and no module can be loaded inside a container (Docker)", "on the host: sudo modprobe kutrace"},
		{"Docker, loaded on the host", {"/proc/self/mountinfo", "/sys/module/kutrace/initstate"},
		 {"1 2 0:1 /var/lib/docker/containers/0a/hostname /etc/hostname rw - ext4 /dev/x rw\n", "live\n"},
		 cmd_check_module, CMD_WRONG, "loaded on the host, but this container (Docker) has no device",
		 "start the container with the device " KUTRACE_DEVICE},
		{"Podman", {"/run/.containerenv"}, {"engine=\"podman\"\n"}, cmd_check_module, CMD_WRONG,
		 "inside a container (Podman)", "on the host"},
		{"Kubernetes", {"/proc/self/mountinfo"}, {"1 2 8:1 /var/lib/kubelet/pods/7/etc-hosts /etc/hosts rw\n"},
		 cmd_check_module, CMD_WRONG, "inside a container (Kubernetes)", "on the host"},
		{"Kubernetes, control groups of version 1", {"/proc/1/cgroup"}, {"2:cpu:/kubepods/burstable/pod1/0a\n"},
		 cmd_check_module, CMD_WRONG, "inside a container (Kubernetes)", "on the host"},
		{"systemd-nspawn", {"/run/systemd/container"}, {"systemd-nspawn\n"}, cmd_check_module, CMD_WRONG,
		 "inside a container (systemd-nspawn)", "on the host"},
		{"LXC", {"/proc/1/cgroup"}, {"2:cpu:/lxc.payload.web/init.scope\n"}, cmd_check_module, CMD_WRONG,
		 "inside a container (LXC)", "on the host"},
		{"no container", {"/proc/1/cgroup", "/proc/self/mountinfo", "/proc/1/environ"},
		 {"0::/init.scope\n", "1 2 8:1 / / rw - ext4 /dev/x rw\n", "HOME=/"},
		 cmd_check_module, CMD_WRONG, "not loaded, and not installed for this kernel", "make module"},
		{"headers in a container", {"/.dockerenv"}, {""}, cmd_check_headers, CMD_GOOD,
		 "not needed in a container (Docker): the host builds and loads the module", ""},
		{"a signature in a container", {"/.dockerenv", "/sys/module/module/parameters/sig_enforce"}, {"", "Y\n"},
		 cmd_check_signature, CMD_LIMIT, "on the host, kutrace.ko needs a signature", ""},
		{"a kernel without modules", {"/proc/cmdline"}, {"quiet\n"}, cmd_check_kernel, CMD_WRONG,
		 "was built without loadable modules (CONFIG_MODULES is not set)", "boot your distribution's kernel"},
		{"a kernel without modules: where to try KUtrace", {"/proc/cmdline"}, {"quiet\n"},
		 cmd_check_kernel, CMD_WRONG, "Linux 6.1.0-test was built", "docs/guide/guest.md"},
		/* a container has the kernel of its host, so no command on the host helps */
		{"a container on a kernel without modules", {"/.dockerenv", "/proc/cmdline"}, {"", "quiet\n"},
		 cmd_check_kernel, CMD_WRONG, "was built without loadable modules",
		 "record in a virtual machine: make guest    # docs/guide/guest.md"},
		{"a kernel without modules: no signature", {"/proc/cmdline"}, {"quiet\n"},
		 cmd_check_signature, CMD_GOOD, NULL, ""},
		{"a kernel without modules: no headers", {"/proc/cmdline"}, {"quiet\n"},
		 cmd_check_headers, CMD_GOOD, NULL, ""},
		{"a container on a kernel without modules: no module", {"/.dockerenv", "/proc/cmdline"}, {"", "quiet\n"},
		 cmd_check_module, CMD_GOOD, NULL, ""},
		{"modules_disabled", {"/proc/cmdline", "/proc/modules", "/proc/sys/kernel/modules_disabled"},
		 {"quiet\n", "", "1\n"}, cmd_check_module, CMD_WRONG, "loads no more modules until the next boot", "reboot"},
		{"modules not disabled", {"/proc/cmdline", "/proc/modules", "/proc/sys/kernel/modules_disabled"},
		 {"quiet\n", "", "0\n"}, cmd_check_module, CMD_WRONG, "not installed for this kernel", "make load"},
		{"lockdown", {"/sys/kernel/security/lockdown"}, {"none integrity [confidentiality]\n"},
		 cmd_check_lockdown, CMD_WRONG, "no user may trace this kernel, not even root", "boot without"},
	};
	size_t i, j;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		print_message("%s\n", table[i].machine);
		assert_int_equal(fresh(state), 0);
		for (j = 0; j < 3 && table[i].file[j]; j++)
			put(table[i].file[j], table[i].text[j]);
		expect(table[i].what, table[i].verdict, table[i].found, table[i].fix);
	}

	/* the environment of the first process has zeros between its variables */
	assert_int_equal(fresh(state), 0);
	put_bytes("/proc/1/environ", "HOME=/\0container=lxc\0x=y", 25);
	expect(cmd_check_module, CMD_WRONG, "inside a container (lxc)", "on the host");

	/* WSL has the file of a container, but can load modules */
	assert_int_equal(fresh(state), 0);
	strcpy(machine.release, "6.6.87.2-microsoft-standard-WSL2");
	strcpy(machine.version, "#1 SMP PREEMPT_DYNAMIC Thu Jun  5 18:30:46 UTC 2026");
	put("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\n");
	put("/run/systemd/container", "wsl\n");
	put(clocks, "hyperv_clocksource_tsc_page acpi_pm \n");
	expect(cmd_check_headers, CMD_WRONG, "Microsoft built this kernel for WSL", "WSL2-Linux-Kernel");
	expect(cmd_check_module, CMD_WRONG, "not installed for this kernel", "make module");
	expect(cmd_check_clock, CMD_WRONG, "virtual machine of Hyper-V", "make guest");

	/* the counters of these architectures do not depend on the kernel's list of clocks */
	for (i = 0; i < 2; i++) {
		assert_int_equal(fresh(state), 0);
		strcpy(machine.architecture, i ? "riscv64" : "aarch64");
		expect(cmd_check_clock, CMD_GOOD, i ? "riscv64 has a counter" : "aarch64 has a counter", "");
		put(clocks, "arch_sys_counter \n");
		expect(cmd_check_clock, CMD_GOOD, "also in virtual machines", "");
	}
}

static void test_signature(void **state)
{
	static const char ko[] = "/lib/modules/6.1.0-test/extra/kutrace.ko";
	static const char signed_ko[] = "\177ELF rest~Module signature appended~\n";

	(void)state;
	expect(cmd_check_signature, CMD_GOOD, "accepts unsigned modules", "");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	expect(cmd_check_signature, CMD_GOOD, "accepts unsigned modules", "");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect(cmd_check_signature, CMD_LIMIT, "will need a signature", "");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect(cmd_check_signature, CMD_LIMIT, "will need a signature", "");
	put("/lib/modules/6.1.0-test/modules.dep",
	    "kernel/x.ko:\nextra/notkutrace.ko:\nextra/kutrace.koala:\nextra/kutrace.ko: kernel/x.ko\n");
	expect(cmd_check_signature, CMD_LIMIT, "cannot check", "");
	put(ko, "\177ELF and more that is long enough to hold the text of a signature");
	expect(cmd_check_signature, CMD_WRONG, "kutrace.ko has no signature: sign it", "sign-file sha256");
	put_bytes(ko, signed_ko, sizeof(signed_ko) - 1);
	expect(cmd_check_signature, CMD_GOOD, "is signed, but only loading it", "");
	put(ko, "\375" "7zXZ compressed, so its end says nothing~Module signature appended~\n");
	expect(cmd_check_signature, CMD_LIMIT, "cannot check", "");
	machine.info_error = -EPERM;
	expect(cmd_check_signature, CMD_GOOD, "has accepted this one", "");
}

static void test_module(void **state)
{
	(void)state;
	expect(cmd_check_module, CMD_WRONG, "not installed for this kernel", "make module");
	assert_null(strstr(check.found, "kernel log"));
	strcpy(machine.refusal, "this kernel has no tracepoint sched_switch");
	expect(cmd_check_module, CMD_WRONG, "kernel log: this kernel has no tracepoint", "make module");
	put("/usr/src/kutrace-" KUTRACE_VERSION "/dkms.conf", "");
	expect(cmd_check_module, CMD_WRONG, "DKMS has its source", "dkms autoinstall");
	put("/lib/modules/6.1.0-test/modules.dep", "extra/kutrace.ko.zst:\n");
	expect(cmd_check_module, CMD_WRONG, "not loaded; installed as ", "sudo modprobe kutrace");
	put("/sys/module/kutrace/initstate", "live\n");
	expect(cmd_check_module, CMD_WRONG, KUTRACE_DEVICE " is missing", KUTRACE_DEVICE);
	machine.info_error = -EPERM;
	expect(cmd_check_module, CMD_GOOD, "loaded", "");
	machine.info_error = -EPROTO;
	expect(cmd_check_module, CMD_WRONG, "its version differs", "rmmod kutrace");
	machine.info_error = -ENOSYS;
	expect(cmd_check_module, CMD_WRONG, "found nothing to attach to", "");
	machine.info_error = 0;
	machine.module_version = 5;
	machine.info.backend = KUTRACE_BACKEND_PATCHED;
	expect(cmd_check_module, CMD_GOOD, "loaded, version 5, with the hooks of a patched", "");
	machine.info.backend = KUTRACE_BACKEND_TRACEPOINTS;
	expect(cmd_check_module, CMD_GOOD, "with the tracepoints of a stock", "");
}

static void test_permission(void **state)
{
	char path[600];

	(void)state;
	expect(cmd_check_permission, CMD_LIMIT, "until the module is loaded", "");
	machine.info_error = -EPERM;
	expect(cmd_check_permission, CMD_WRONG, "group tracing does not exist", "sudo kutrace_control");
	put("/etc/passwd", "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n");
	put("/etc/group", "root:x:0:\ntracing:x:990:bob\nann:x:1000:\n");
	expect(cmd_check_permission, CMD_WRONG, "only root and group tracing", "usermod -aG tracing");
	put("/etc/group", "root:x:0:\ntracing:x:990:bob,ann\n");
	expect(cmd_check_permission, CMD_WRONG, "ann is a member", "newgrp tracing");
	/* a user without a name is not in a group whose list of members is empty */
	put("/etc/passwd", "root:x:0:0::/root:/bin/sh\n");
	put("/etc/group", "tracing:x:990:\n");
	expect(cmd_check_permission, CMD_WRONG, "only root and group tracing", "usermod");
	if (!geteuid()) {
		put(KUTRACE_DEVICE, "");
		expect(cmd_check_permission, CMD_WRONG, "does not belong to it", "udevadm trigger");
		assert_non_null(cmd_machine_path(&machine, path, sizeof(path), KUTRACE_DEVICE));
		assert_int_equal(chown(path, 0, 990), 0);
		expect(cmd_check_permission, CMD_WRONG, "only root and group tracing", "usermod");
	}
	machine.uid = 0;
	expect(cmd_check_permission, CMD_WRONG, "even root is refused", "CAP_PERFMON");
	machine.uid = 1000;
	machine.info_error = 0;
	expect(cmd_check_permission, CMD_GOOD, "may record and read", "");
	assert_null(strstr(check.found, "root"));
	machine.uid = 0;
	expect(cmd_check_permission, CMD_GOOD, "as root", "");
}

static void test_counters(void **state)
{
	(void)state;
	expect(cmd_check_counters, CMD_LIMIT, "none, as in most virtual machines", "");
	machine.counters_error = -EACCES;
	expect(cmd_check_counters, CMD_LIMIT, "may not open counters", "sudo kutrace_control doctor");
	machine.counters_error = -EBUSY;
	expect(cmd_check_counters, CMD_LIMIT, "all in use", "nmi_watchdog=0");
	machine.counters_error = 0;
	expect(cmd_check_counters, CMD_GOOD, "--ipc works", "");
}

static void test_page(void **state)
{
	char folder[300], file[320], *before = strdup(getenv("PATH"));

	(void)state;
	snprintf(folder, sizeof(folder), "%s/bin", root);
	snprintf(file, sizeof(file), "%s/rawtohtml", folder);
	unsetenv("BROWSER");
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	setenv("PATH", folder, 1);
	expect(cmd_check_page, CMD_LIMIT, "neither installed with this program nor in the PATH", "export PATH");
	put("/bin/rawtohtml", "");
	/* the program is not executable */
	expect(cmd_check_page, CMD_LIMIT, "neither", "export PATH");
	assert_int_equal(chmod(file, 0755), 0);
	expect(cmd_check_page, CMD_GOOD, "no browser or display here", "");
	put("/bin/xdg-open", "");
	snprintf(file, sizeof(file), "%s/xdg-open", folder);
	assert_int_equal(chmod(file, 0755), 0);
	expect(cmd_check_page, CMD_GOOD, "no browser or display here", "");
	setenv("WAYLAND_DISPLAY", "wayland-0", 1);
	expect(cmd_check_page, CMD_GOOD, "/bin/xdg-open", "");
	setenv("BROWSER", "/my/browser", 1);
	expect(cmd_check_page, CMD_GOOD, "opened by /my/browser", "");
	setenv("PATH", before, 1);
	free(before);
}

/*
 * Checks that names too long for their buffers are cut or not found, and that no buffer overflows.
 */
static void test_long(void **state)
{
	char line[4300];

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line + 4000, "/kutrace.ko:\n", 14);
	put("/lib/modules/6.1.0-test/modules.dep", line);
	expect(cmd_check_module, CMD_WRONG, "not installed", "make module");
	memset(machine.refusal, 'y', sizeof(machine.refusal) - 1);
	machine.refusal[sizeof(machine.refusal) - 1] = '\0';
	expect(cmd_check_module, CMD_WRONG, "yyyy", "make module");
	memset(machine.release, 'z', sizeof(machine.release) - 1);
	machine.release[sizeof(machine.release) - 1] = '\0';
	expect(cmd_check_headers, CMD_WRONG, "zzzz", "headers of kernel zzz");
}

static void link_to(const char *name, const char *target)
{
	char path[600];

	assert_non_null(cmd_machine_path(&machine, path, sizeof(path), "%s", name));
	assert_int_equal(symlink(target, path), 0);
}

/*
 * Tests processes with pids above every pid of this machine, so that none belongs to this program.
 */
static void test_unload(void **state)
{
	char name[80], text[40];
	int i;

	(void)state;
	expect(cmd_check_unload, CMD_GOOD, "no module", "");
	put("/sys/module/kutrace/refcnt", "0\n");
	put("/proc/5000001/comm", "bystander\n");
	put("/proc/5000001/fd/.keep", "");
	link_to("/proc/5000001/fd/3", "/dev/kutrace_other");
	put("/proc/5000001/maps", "7f00-7f01 r--p 0 00:01 1  /usr/lib/kutrace.so\n");
	put("/proc/5000001/task/5000001/stack", "[<0>] ep_poll+0x1/0x2\n[<0>] do_call+0x3/0x9\n");
	expect(cmd_check_unload, CMD_GOOD, "nothing holds", "");
	put("/sys/module/kutrace/refcnt", "2\n");
	expect(cmd_check_unload, CMD_LIMIT, "2 references", "");
	link_to("/proc/5000001/fd/4", "/dev/kutrace/cpu000");
	expect(cmd_check_unload, CMD_LIMIT, "5000001 (bystander, has the device open)", "sudo rmmod kutrace");
	put("/proc/5000002/comm", "mapper\n");
	put("/proc/5000002/fd/.keep", "");
	put("/proc/5000002/maps", "7f00-7f01 r--s 0 00:06 1  /dev/kutrace/control\n");
	expect(cmd_check_unload, CMD_LIMIT, "5000002 (mapper, has the device mapped)", "rmmod");
	assert_non_null(strstr(check.found, "5000001 (bystander"));
	put("/proc/5000003/comm", "process\n");
	put("/proc/5000004/comm", "thread\n");
	put("/proc/5000003/task/5000004/stack",
	    "[<0>] handle_userfault+0x1/0x2\n[<0>] ku_fault_call+0x1c/0x40 [kutrace]\n");
	expect(cmd_check_unload, CMD_LIMIT, "5000004 (thread, in a call or page fault", "rmmod");
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "/proc/60000%02d/comm", i);
		snprintf(text, sizeof(text), "many%d\n", i);
		put(name, text);
		snprintf(name, sizeof(name), "/proc/60000%02d/fd/.keep", i);
		put(name, "");
		snprintf(name, sizeof(name), "/proc/60000%02d/fd/3", i);
		link_to(name, "/dev/kutrace/control");
	}
	expect(cmd_check_unload, CMD_LIMIT, " more", "rmmod");
	/* an open file in a folder dev/kutrace of a user is not the device */
	assert_int_equal(fresh(state), 0);
	put("/sys/module/kutrace/refcnt", "0\n");
	put("/proc/5000006/comm", "developer\n");
	put("/proc/5000006/fd/.keep", "");
	put("/proc/5000006/maps", "7f00-7f01 r-xp 0 08:01 1  /home/me/dev/kutrace/build/bin/kuod\n"
	    "7f01-7f02 rw-p 0 00:00 0  [anon:/dev/kutrace/x]\n");
	expect(cmd_check_unload, CMD_GOOD, "nothing holds", "");
	/* A program can give itself any name. */
	put("/proc/5000006/comm", "a\033]0;b\a\303(\n");
	link_to("/proc/5000006/fd/3", "/dev/kutrace/control");
	expect(cmd_check_unload, CMD_LIMIT, "5000006 (a?]0;b?" "?(, has the device open)", "rmmod");
	/* A process that has ended in the meantime is not reported as unreadable. */
	assert_int_equal(fresh(state), 0);
	put("/sys/module/kutrace/refcnt", "1\n");
	put("/proc/5000005/comm", "secret\n");
	expect(cmd_check_unload, CMD_LIMIT, "1 references", "");
	/*
	 * A user may not read the open files of other users. To simulate this, the folder of open
	 * files is a plain file.
	 */
	put("/proc/5000005/fd", "");
	expect(cmd_check_unload, CMD_LIMIT, "this user may not see", "sudo kutrace_control doctor");
}

/*
 * Tests threads: a thread can have its own files, and a first thread that has ended has no
 * mappings.
 */
static void test_unload_threads(void **state)
{
	char name[80];
	int i;

	(void)state;
	put("/sys/module/kutrace/refcnt", "1\n");
	put("/proc/5000001/comm", "unshared\n");
	put("/proc/5000001/fd/.keep", "");
	put("/proc/5000001/task/5000001/fd/.keep", "");
	put("/proc/5000001/task/5000002/fd/.keep", "");
	put("/proc/5000001/task/5000003/fd/.keep", "");
	expect(cmd_check_unload, CMD_LIMIT, "1 references", "");
	link_to("/proc/5000001/task/5000002/fd/7", "/dev/kutrace/control");
	link_to("/proc/5000001/task/5000003/fd/7", "/dev/kutrace/control");
	expect(cmd_check_unload, CMD_LIMIT, "held by 5000001 (unshared, has the device open)", "sudo rmmod kutrace");
	assert_null(strstr(check.found, ", 5000001"));

	assert_int_equal(fresh(state), 0);
	put("/sys/module/kutrace/refcnt", "1\n");
	put("/proc/5000001/comm", "ended\n");
	put("/proc/5000001/fd/.keep", "");
	put("/proc/5000001/maps", "");
	put("/proc/5000001/task/5000001/maps", "");
	put("/proc/5000001/task/5000002/maps", "7f00-7f01 r--s 0 00:06 1  /dev/kutrace/control\n");
	expect(cmd_check_unload, CMD_LIMIT, "held by 5000001 (ended, has the device mapped)", "sudo rmmod kutrace");

	/* the message reports that the search ended at its limit */
	assert_int_equal(fresh(state), 0);
	put("/sys/module/kutrace/refcnt", "1\n");
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "/proc/5000001/task/50001%02d/fd/.keep", i);
		put(name, "");
	}
	put("/proc/5000001/fd/.keep", "");
	link_to("/proc/5000001/task/5000100/fd/3", "/dev/kutrace/control");
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "/proc/5000001/fd/%d", i);
		link_to(name, "/dev/null");
	}
	machine.reads_max = 50;
	expect(cmd_check_unload, CMD_LIMIT, "the search ended after 50 reads", "");
	machine.reads_max = 10000;
	expect(cmd_check_unload, CMD_LIMIT, "5000001 (?, has the device open)", "sudo rmmod kutrace");
	assert_null(strstr(check.found, "search"));
	link_to("/proc/5000001/fd/100", "/dev/kutrace/control");
	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "/proc/500%04d/fd/.keep", i + 10);
		put(name, "");
		snprintf(name, sizeof(name), "/proc/500%04d/fd/3", i + 10);
		link_to(name, "/dev/kutrace/control");
	}
	machine.reads_max = 8;
	expect(cmd_check_unload, CMD_LIMIT, "; the search ended after 8 reads", "sudo rmmod kutrace");
}

static int ready[2];

static void *wait_with_files(void *own)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);

	if ((own && unshare(CLONE_FILES)) || write(ready[1], &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
}

static void run_threads(void)
{
	pthread_t thread;
	int i;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, wait_with_files, i ? &thread : NULL))
			_exit(1);
	for (;;)
		pause();
}

/*
 * Tests two real threads. The first thread shares the files of its process. To save time, doctor
 * must not read its folder of open files, so it does not find the link there. The second thread has
 * files of its own, and doctor reads its folder.
 */
static void test_unload_shared(void **state)
{
	const pid_t here = getpid();
	char name[80], found[80];
	pid_t child, tid, last = 0;
	int i, status;

	(void)state;
	if (syscall(SYS_kcmp, here, here, KCMP_FILES, 0, 0))
		skip();
	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		run_threads();
	put("/sys/module/kutrace/refcnt", "1\n");
	snprintf(name, sizeof(name), "/proc/%d/fd/.keep", (int)child);
	put(name, "");
	for (i = 0; i < 2; i++) {
		assert_int_equal(read(ready[0], &tid, sizeof(tid)), sizeof(tid));
		snprintf(name, sizeof(name), "/proc/%d/task/%d/fd/.keep", (int)child, (int)tid);
		put(name, "");
		snprintf(name, sizeof(name), "/proc/%d/task/%d/fd/3", (int)child, (int)tid);
		if (!syscall(SYS_kcmp, child, tid, KCMP_FILES, 0, 0))
			link_to(name, "/dev/kutrace/control");
		else
			last = tid;
	}
	assert_true(last);
	expect(cmd_check_unload, CMD_LIMIT, "1 references", "");
	snprintf(name, sizeof(name), "/proc/%d/task/%d/fd/3", (int)child, (int)last);
	link_to(name, "/dev/kutrace/control");
	snprintf(found, sizeof(found), "held by %d (?, has the device open)", (int)child);
	expect(cmd_check_unload, CMD_LIMIT, found, "sudo rmmod kutrace");
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kernel, fresh),
		cmocka_unit_test_setup(test_cpus, fresh),
		cmocka_unit_test_setup(test_clock, fresh),
		cmocka_unit_test_setup(test_lockdown, fresh),
		cmocka_unit_test_setup(test_headers, fresh),
		cmocka_unit_test_setup(test_headers_of_other_kernels, fresh),
		cmocka_unit_test_setup(test_apt, fresh),
		cmocka_unit_test_setup(test_machines, fresh),
		cmocka_unit_test_setup(test_signature, fresh),
		cmocka_unit_test_setup(test_module, fresh),
		cmocka_unit_test_setup(test_permission, fresh),
		cmocka_unit_test_setup(test_counters, fresh),
		cmocka_unit_test_setup(test_page, fresh),
		cmocka_unit_test_setup(test_unload, fresh),
		cmocka_unit_test_setup(test_unload_threads, fresh),
		cmocka_unit_test_setup(test_unload_shared, fresh),
		cmocka_unit_test_setup(test_long, fresh),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
