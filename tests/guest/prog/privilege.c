// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tries everything that the module offers, as one kind of user, and prints for each attempt a line
 * "ATTEMPT RESULT". RESULT is "yes", the name of an error, or "refused" if the result of the
 * control call is a refusal. For tests/guest/test_privilege.sh.
 *
 *	privilege WHO		root, group (uid 1000 and group 500), plain (uid 65534),
 *				perfmon (uid 65534 with CAP_PERFMON), userns (root of a
 *				user namespace, outside of it uid 1002), container (uid 0
 *				with the capabilities that containers have by default, in
 *				its own namespaces), seccomp (root whose filter refuses
 *				ioctl and the control system call with EACCES)
 *	privilege WHO sandbox	opens the device, restricts itself to read, write, ioctl and
 *				exit, and then tries the device
 *	privilege WHO page	writes the first page of the device's mapping to stdout
 *
 * There are sessions "theirs", of another user, and "mine-WHO". No attempt ends the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_call.h"
#include "kutrace_events.h"

static void say(const char *prefix, const char *name, int failed)
{
	printf("%s%s %s\n", prefix, name, failed ? strerrorname_np(errno) : "yes");
}

/* ---- kinds of users ---- */

static int become(unsigned int uid, gid_t group)
{
	return setgroups(group ? 1 : 0, &group) || setresgid(uid, uid, uid) ||
	       setresuid(uid, uid, uid);
}

static int hold_caps(uint64_t caps)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	int i;

	for (i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = (uint32_t)(caps >> (32 * i));
	return (int)syscall(SYS_capset, &header, data);
}

static int become_perfmon(void)
{
	return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || become(65534, 0) ||
	       hold_caps(1ULL << CAP_PERFMON);
}

static int become_userns(void)
{
	int fd;

	if (become(1002, 0) || prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return -1;
	fd = open("/proc/self/uid_map", O_WRONLY);
	if (fd < 0 || write(fd, "0 1002 1", 8) != 8)
		return -1;
	close(fd);
	return geteuid() ? -1 : 0;
}

/* Restricts the process as container engines do by default, for a container that has the device. */
static int become_container(void)
{
	static const int caps[] = {CAP_CHOWN,	   CAP_DAC_OVERRIDE, CAP_FOWNER,
				   CAP_FSETID,	   CAP_KILL,	     CAP_SETGID,
				   CAP_SETUID,	   CAP_SETPCAP,	     CAP_NET_BIND_SERVICE,
				   CAP_SYS_CHROOT, CAP_MKNOD,	     CAP_AUDIT_WRITE,
				   CAP_SETFCAP};
	uint64_t mask = 0;
	size_t i;
	int cap;
	pid_t pid;

	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		mask |= 1ULL << caps[i];
	if (unshare(CLONE_NEWNS | CLONE_NEWPID))
		return -1;
	for (cap = 0; cap < 64; cap++)
		if (!(mask >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) &&
		    errno != EINVAL)
			return -1;
	if (hold_caps(mask))
		return -1;
	/* The next process is the first one of the namespace. */
	fflush(stdout);
	pid = fork();
	if (pid > 0) {
		int status;

		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	return pid;
}

static int install(struct sock_filter *filter, size_t n)
{
	struct sock_fprog prog = {.len = (unsigned short)n, .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static int become_filtered(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, KUTRACE_CALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

static int become_sandboxed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

static int become_who(const char *who)
{
	if (!strcmp(who, "group"))
		return become(1000, 500);
	if (!strcmp(who, "plain"))
		return become(65534, 0);
	if (!strcmp(who, "perfmon"))
		return become_perfmon();
	if (!strcmp(who, "userns"))
		return become_userns();
	if (!strcmp(who, "container"))
		return become_container();
	if (!strcmp(who, "seccomp"))
		return become_filtered();
	return strcmp(who, "root");
}

/* ---- attempts ---- */

static const char *const command_names[] = {"off",	  "on",	     "flush",
					    "reset",	  "stat",    "getcount",
					    "getword",	  "insert1", "insertn",
					    "getipcword", "test",    "version",
					    "set4kb",	  "get4kb",  "getipc4kb",
					    "info"};

/* In this order all commands can succeed: reading needs complete blocks, and recording off. */
static const int command_order[] = {KUTRACE_CMD_RESET,	    KUTRACE_CMD_ON,
				    KUTRACE_CMD_TEST,	    KUTRACE_CMD_VERSION,
				    KUTRACE_CMD_STAT,	    KUTRACE_CMD_INSERT1,
				    KUTRACE_CMD_INSERTN,    KUTRACE_CMD_INFO,
				    KUTRACE_CMD_OFF,	    KUTRACE_CMD_FLUSH,
				    KUTRACE_CMD_GETCOUNT,   KUTRACE_CMD_GETWORD,
				    KUTRACE_CMD_SET4KB,	    KUTRACE_CMD_GET4KB,
				    KUTRACE_CMD_GETIPCWORD, KUTRACE_CMD_GETIPC4KB};

static uint64_t words[1024];

static uint64_t command_arg(int command)
{
	static struct kutrace_info info;

	memset(words, 0, sizeof(words));
	switch (command) {
	case KUTRACE_CMD_INSERT1:
		return (uint64_t)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT | 7;
	case KUTRACE_CMD_INSERTN:
		words[0] = (uint64_t)(KUTRACE_NAME_PID | 2 << 4) << KUTRACE_EVENT_SHIFT |
			   4242;
		words[1] = 0x78;
		return (uint64_t)(uintptr_t)words;
	case KUTRACE_CMD_GET4KB:
	case KUTRACE_CMD_GETIPC4KB:
		return (uint64_t)(uintptr_t)words;
	case KUTRACE_CMD_INFO:
		info.length = sizeof(info);
		return (uint64_t)(uintptr_t)&info;
	default:
		return 0;
	}
}

static void try_commands(const char *prefix, int fd)
{
	char name[40];
	size_t i;

	for (i = 0; i < sizeof(command_order) / sizeof(command_order[0]); i++) {
		int command = command_order[i];
		struct kutrace_control control = {.command = (uint64_t)command,
						  .arg = command_arg(command)};

		int failed;

		snprintf(name, sizeof(name), "CONTROL %s", command_names[command]);
		failed = ioctl(fd, KUTRACE_IOC_CONTROL, &control);
		if (!failed && control.result == ~0ULL)
			printf("%s%s refused\n", prefix, name);
		else
			say(prefix, name, failed);
	}
}

static void try_syscall(void)
{
	char name[40];
	size_t i;
	long result;

	for (i = 0; i < sizeof(command_order) / sizeof(command_order[0]); i++) {
		int command = command_order[i];

		snprintf(name, sizeof(name), "call %s", command_names[command]);
		errno = 0;
		result = syscall(KUTRACE_CALL, command, command_arg(command));
		/* A refusal is -1, as is -EPERM, so the two cannot be distinguished. */
		if (result == -1 && errno == EPERM)
			printf("%s refused\n", name);
		else
			say("", name, result < 0 && result > -4096);
	}
}

static void try_map(const char *prefix, const char *name, int fd, uint64_t offset)
{
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)offset);

	say(prefix, name, at == MAP_FAILED);
	if (at != MAP_FAILED)
		munmap(at, 4096);
}

static void try_session(const char *name, int fd, unsigned long request,
			const char *session)
{
	struct kutrace_session s = {.length = sizeof(s), .mb = 1};

	snprintf(s.name, sizeof(s.name), "%s", session);
	say("", name, ioctl(fd, request, &s) < 0);
}

/* Tries everything with the session of the file. Recording is off afterwards. */
static void try_recording(const char *prefix, int fd)
{
	struct kutrace_switch mask = {0};
	struct kutrace_filter filter = {.length = sizeof(filter)};
	struct kutrace_trigger trigger = {.length = sizeof(trigger),
					  .kind = KUTRACE_TRIGGER_MARK};
	struct kutrace_fired fired = {.length = sizeof(fired)};
	struct kutrace_lost lost = {.length = sizeof(lost)};
	struct kutrace_info info = {.length = sizeof(info)};

	say(prefix, "INFO", ioctl(fd, KUTRACE_IOC_INFO, &info) < 0);
	say(prefix, "LOST", ioctl(fd, KUTRACE_IOC_LOST, &lost) < 0);
	try_commands(prefix, fd);
	say(prefix, "MASK", ioctl(fd, KUTRACE_IOC_MASK, &mask) < 0);
	say(prefix, "FILTER", ioctl(fd, KUTRACE_IOC_FILTER, &filter) < 0);
	say(prefix, "TRIGGER", ioctl(fd, KUTRACE_IOC_TRIGGER, &trigger) < 0);
	say(prefix, "FIRED", ioctl(fd, KUTRACE_IOC_FIRED, &fired) < 0);
	say(prefix, "ATTEND", ioctl(fd, KUTRACE_IOC_ATTEND, 1) < 0);
	ioctl(fd, KUTRACE_IOC_ATTEND, 0);
	say(prefix, "SESSION_KEEP", ioctl(fd, KUTRACE_IOC_SESSION_KEEP, 0) < 0);
	try_map(prefix, "map page", fd, 0);
	try_map(prefix, "map table", fd, 4096);
	try_map(prefix, "map names", fd, KUTRACE_MMAP_AUX);
	try_map(prefix, "map blocks", fd, KUTRACE_MMAP_BLOCKS);
}

static void try_sessions(const char *who)
{
	char mine[32];
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	snprintf(mine, sizeof(mine), "mine-%s", who);
	try_session("SESSION_LIST", fd, KUTRACE_IOC_SESSION_LIST, "");
	try_session("SESSION_ATTACH main", fd, KUTRACE_IOC_SESSION_ATTACH, "main");
	try_session("SESSION_ATTACH theirs", fd, KUTRACE_IOC_SESSION_ATTACH, "theirs");
	try_session("SESSION_DESTROY main", fd, KUTRACE_IOC_SESSION_DESTROY, "main");
	try_session("SESSION_CREATE uid-1234", fd, KUTRACE_IOC_SESSION_CREATE,
		    "uid-1234");
	close(fd);
	fd = open(KUTRACE_DEVICE, O_RDWR);
	try_session("SESSION_CREATE", fd, KUTRACE_IOC_SESSION_CREATE, mine);
	try_recording("own: ", fd);
	try_session("SESSION_DESTROY own", fd, KUTRACE_IOC_SESSION_DESTROY, mine);
	close(fd);
	fd = open(KUTRACE_DEVICE, O_RDWR);
	try_session("SESSION_DESTROY theirs", fd, KUTRACE_IOC_SESSION_DESTROY, "theirs");
	close(fd);
}

static void try_points(int fd)
{
	static uint8_t follows;
	struct kutrace_mark mark = {(uint64_t)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT | 7};
	struct kutrace_point_def def = {.length = sizeof(def),
					.text = "privilege u32 a|%u"};
	struct kutrace_point_entry entry = {.nwords = 1};
	struct kutrace_point_byte byte = {.length = sizeof(byte),
					  .address = (uintptr_t)&follows};
	struct kutrace_point_switch all = {.length = sizeof(all),
					   .value = 1,
					   .name = "*"};

	say("", "MARK",
	    ioctl(fd, KUTRACE_IOC_MARK,
		  (unsigned long)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT | 7) < 0);
	say("", "MARK_ENTRY", ioctl(fd, KUTRACE_IOC_MARK_ENTRY, &mark) < 0);
	say("", "MARK context-switch",
	    ioctl(fd, KUTRACE_IOC_MARK,
		  (unsigned long)KUTRACE_USERPID << KUTRACE_EVENT_SHIFT | 7) < 0);
	say("", "POINT_DEFINE", ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def) < 0);
	/* If no definition could be made, use the first one that exists. */
	entry.id = byte.id = def.id ? def.id : 1;
	say("", "POINT", ioctl(fd, KUTRACE_IOC_POINT, &entry) < 0);
	say("", "POINT_BYTE", ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte) < 0);
	say("", "POINT_FORGET", ioctl(fd, KUTRACE_IOC_POINT_FORGET, &follows) < 0);
	def.id = 1;
	say("", "POINT_LIST", ioctl(fd, KUTRACE_IOC_POINT_LIST, &def) < 0);
	say("", "POINT_SWITCH", ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &all) < 0);
}

/* Reads the file, or writes the text to it. Tests the main session. */
static void try_node(const char *name, const char *path, const char *text)
{
	char data[64];
	int fd = open(path, text ? O_WRONLY : O_RDONLY);

	say("", name,
	    fd < 0 || (text ? write(fd, text, strlen(text))
			    : read(fd, data, sizeof(data))) < 0);
	if (fd >= 0)
		close(fd);
}

static void try_nodes(void)
{
	try_node("read ctl", "/dev/kutrace/ctl", NULL);
	try_node("write ctl", "/dev/kutrace/ctl", "setbits 0\n");
	try_node("read tracepoints", "/dev/kutrace/tracepoints", NULL);
	try_node("write tracepoints", "/dev/kutrace/tracepoints", "mark_a on\n");
	try_node("read aux", "/dev/kutrace/aux", NULL);
	try_node("read cpu000", "/dev/kutrace/cpu000", NULL);
	try_node("write cpu000", "/dev/kutrace/cpu000", "settimestamp 0\n");
}

static int sandbox(void)
{
	int fd = open(KUTRACE_DEVICE, O_RDWR), mark, again, call;

	if (fd < 0 || become_sandboxed()) {
		perror("privilege: sandbox");
		return 1;
	}
	mark = ioctl(fd, KUTRACE_IOC_MARK,
		     (unsigned long)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT | 7);
	say("sandbox: ", "MARK", mark < 0);
	again = open(KUTRACE_DEVICE, O_RDWR);
	say("sandbox: ", "open control", again < 0);
	call = (int)syscall(KUTRACE_CALL, KUTRACE_CMD_VERSION, 0);
	say("sandbox: ", "call version", call < 0);
	fflush(stdout);
	_exit(0);
}

static int page(void)
{
	int fd = open(KUTRACE_DEVICE, O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED || fwrite(at, 1, 4096, stdout) != 4096) {
		perror("privilege: page");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct pollfd wait = {.events = POLLIN};
	int fd;

	if (argc < 2) {
		fputs("usage: privilege WHO [sandbox | page]\n", stderr);
		return 2;
	}
	if (become_who(argv[1])) {
		perror("privilege: cannot become that");
		return 1;
	}
	if (argc > 2)
		return strcmp(argv[2], "page") ? sandbox() : page();
	fd = open(KUTRACE_DEVICE, O_RDWR);
	say("", "open control", fd < 0);
	wait.fd = open(KUTRACE_DEVICE, O_RDONLY);
	say("", "open control-to-read", wait.fd < 0);
	if (wait.fd >= 0) {
		struct kutrace_info info = {.length = sizeof(info)};

		say("open to read: ", "INFO",
		    ioctl(wait.fd, KUTRACE_IOC_INFO, &info) < 0);
		close(wait.fd);
	}
	wait.fd = fd;
	if (fd >= 0) {
		try_points(fd);
		try_recording("main: ", fd);
		printf("poll %s\n", poll(&wait, 1, 0) >= 0 && !(wait.revents & POLLERR)
					    ? "yes"
					    : "error");
		close(fd);
		try_sessions(argv[1]);
	}
	try_nodes();
	try_syscall();
	return 0;
}
