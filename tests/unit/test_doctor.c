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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/doctor/doctor.h"
#include "kutrace_abi.h"

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
	strcpy(machine.architecture, "x86_64");
	machine.uid = 1000;
	machine.reads_max = 1000;
	machine.info_error = -ENODEV;
	machine.counters_error = -ENOENT;
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
	put(file, "arch_sys_counter \n");
	expect(cmd_check_clock, CMD_GOOD, "architecture", "");
	put(file, "hyperv_clocksource_tsc_page hpet tsc-early acpi_pm \n");
	expect(cmd_check_clock, CMD_WRONG, "only hyperv_clocksource_tsc_page hpet", "tsc=reliable");
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
		const char *os, *fix;
	} known[] = {
		{"PRETTY_NAME=\"x\"\nID=debian\n", "apt-get install linux-headers-6.1.0-test"},
		{"ID=ubuntu\nID_LIKE=debian\n", "apt-get install linux-headers-6.1.0-test"},
		{"ID=mint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install linux-headers-"},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install kernel-devel-6.1.0-test"},
		{"ID=arch\n", "pacman -S linux-headers"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "zypper install"},
		{"ID=void\n", "install the headers of kernel 6.1.0-test"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		put("/etc/os-release", known[i].os);
		expect(cmd_check_headers, CMD_WRONG, "cannot be built for this kernel", known[i].fix);
	}
	/* an installed module works without headers, but cannot be rebuilt */
	put("/lib/modules/6.1.0-test/modules.dep", "updates/dkms/kutrace.ko.xz:\n");
	expect(cmd_check_headers, CMD_LIMIT, "cannot be rebuilt for this kernel", "install the headers");
	put("/lib/modules/6.1.0-test/build/Makefile", "");
	expect(cmd_check_headers, CMD_GOOD, "/lib/modules/6.1.0-test/build", "");
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
	expect(cmd_check_page, CMD_LIMIT, "neither beside this program nor in the PATH", "export PATH");
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
