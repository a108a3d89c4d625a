// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tries everything that /dev/kutrace/control offers, as a given user, and prints for each attempt a
 * line "NAME ok" or "NAME errno". For tests/guest/test_access.sh.
 *
 *	access UID GID [GROUP]		as that user, with that additional group
 *	access UID GID perfmon		as that user, with CAP_PERFMON and no other capability
 *
 * Also tries operations that no user may do: writing through the mapping, mapping beyond the end,
 * events that only the module itself records, invalid names. A user without access to the main
 * session tries everything there ("main-..."), and then uses an own session.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

static void say(const char *name, int failed)
{
	printf("%s %s\n", name, failed ? strerrorname_np(errno) : "ok");
}

static void try_map(const char *name, int fd, size_t bytes, int prot, off_t offset)
{
	void *at = mmap(NULL, bytes, prot, MAP_SHARED, fd, offset);

	say(name, at == MAP_FAILED);
	if (at != MAP_FAILED) {
		if (mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0)
			printf("%s-made-writable BAD\n", name);
		munmap(at, bytes);
	}
}

static void try_mark(const char *name, int fd, unsigned long event)
{
	say(name, ioctl(fd, KUTRACE_IOC_MARK, event << KUTRACE_EVENT_SHIFT | 7) < 0);
}

/* Tries a command of the control ioctl. Prints ok, refused, or the error of the ioctl. */
static void try_command(const char *name, int fd, __u64 command, __u64 arg)
{
	struct kutrace_control control = { .command = command, .arg = arg };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &control) < 0)
		say(name, 1);
	else
		printf("%s %s\n", name, control.result == ~0ULL ? "refused" : "ok");
}

static void try_marks(int fd)
{
	try_mark("mark", fd, KUTRACE_MARKA);
	try_mark("mark-lock", fd, KUTRACE_LOCKACQ);
	try_mark("mark-context-switch", fd, KUTRACE_USERPID);
	try_mark("mark-tsdelta", fd, KUTRACE_TSDELTA);
	try_mark("mark-sample", fd, KUTRACE_PC_U);
	try_mark("mark-syscall", fd, KUTRACE_CALL_SYSCALL64);
	try_mark("mark-nothing", fd, 0);
	try_mark("mark-beyond", fd, 0xFFF);
	say("mark-long", ioctl(fd, KUTRACE_IOC_MARK, ~0UL) < 0);
}

static void try_control(int fd)
{
	struct kutrace_info info = { .length = sizeof(info) };
	struct kutrace_info tiny = { .length = 4 };
	struct { struct kutrace_info info; __u64 rest; } large;
	__u64 name[8] = { (__u64)(KUTRACE_NAME_PID | 2 << 4) << 32 | 4242, 0x646c6968 };
	__u64 pause[8] = { (__u64)(KUTRACE_NAME_META | 3 << 4) << 32 };
	__u64 partial[8] = { (__u64)(KUTRACE_NAME_META | 3 << 4) << 32 };
	__u64 bad[8] = { (__u64)(KUTRACE_NAME_PID | 9 << 4) << 32 };
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	memcpy(&pause[1], KUTRACE_META_PAUSE "1:2", sizeof(KUTRACE_META_PAUSE "1:2"));
	memcpy(&partial[1], KUTRACE_META_PARTIAL "1:2", sizeof(KUTRACE_META_PARTIAL "1:2"));
	say("info", ioctl(fd, KUTRACE_IOC_INFO, &info) < 0);
	memset(&large, 0xff, sizeof(large));
	memset(&large.info, 0, sizeof(large.info));
	large.info.length = sizeof(large);
	say("info-large", ioctl(fd, KUTRACE_IOC_INFO, &large) < 0 || large.rest != ~0ULL);
	say("info-short", ioctl(fd, KUTRACE_IOC_INFO, &tiny) < 0);
	say("info-nowhere", ioctl(fd, KUTRACE_IOC_INFO, 8) < 0);
	say("control-nowhere", ioctl(fd, KUTRACE_IOC_CONTROL, 8) < 0);
	say("no-such-ioctl", ioctl(fd, _IO(KUTRACE_IOC_MAGIC, 99)) < 0);
	try_command("version", fd, KUTRACE_CMD_VERSION, 0);
	try_command("reset", fd, KUTRACE_CMD_RESET, 0);
	try_command("reset-ipc", fd, KUTRACE_CMD_RESET, KUTRACE_RESET_IPC);
	try_command("reset-unknown", fd, KUTRACE_CMD_RESET, 1ULL << 40);
	try_command("reset-next", fd, KUTRACE_CMD_RESET, KUTRACE_RESET_PERCPU << 1 | KUTRACE_RESET_WRAP);
	try_command("reset-percpu", fd, KUTRACE_CMD_RESET, KUTRACE_RESET_PERCPU);
	try_command("on", fd, KUTRACE_CMD_ON, 0);
	try_command("reset-while-on", fd, KUTRACE_CMD_RESET, 0);
	try_command("insert", fd, KUTRACE_CMD_INSERT1,
		    (__u64)KUTRACE_USERPID << KUTRACE_EVENT_SHIFT | (unsigned int)getpid());
	try_command("insert-call", fd, KUTRACE_CMD_INSERT1,
		    (__u64)KUTRACE_CALL_SYSCALL64 << KUTRACE_EVENT_SHIFT);
	try_command("insert-name", fd, KUTRACE_CMD_INSERTN, (__u64)(unsigned long)name);
	try_command("insert-bad-name", fd, KUTRACE_CMD_INSERTN, (__u64)(unsigned long)bad);
	try_command("insert-pause", fd, KUTRACE_CMD_INSERTN, (__u64)(unsigned long)pause);
	try_command("insert-partial", fd, KUTRACE_CMD_INSERTN, (__u64)(unsigned long)partial);
	try_command("insert-nowhere", fd, KUTRACE_CMD_INSERTN, 8);
	try_command("no-such-command", fd, 99, 0);
	try_marks(fd);
	try_command("off", fd, KUTRACE_CMD_OFF, 0);
	say("poll-after-off", poll(&wait, 1, 5000) != 1);
	try_map("map-meta", fd, 4096, PROT_READ, 0);
	try_map("map-aux", fd, KUTRACE_AUX_BYTES, PROT_READ, KUTRACE_MMAP_AUX);
	try_map("map-aux-beyond", fd, KUTRACE_AUX_BYTES + 4096, PROT_READ, KUTRACE_MMAP_AUX);
	try_map("map-block", fd, KUTRACE_BLOCK_BYTES, PROT_READ, KUTRACE_MMAP_BLOCKS);
	try_map("map-block-beyond", fd, KUTRACE_BLOCK_BYTES, PROT_READ,
		KUTRACE_MMAP_BLOCKS + (1LL << 39));
	try_map("map-writable", fd, 4096, PROT_READ | PROT_WRITE, 0);
}

static void try_session(const char *name, int fd, unsigned long request, const char *session,
			__u32 mb)
{
	struct kutrace_session s = { .length = sizeof(s), .mb = mb };

	size_t length = session ? strlen(session) : 0;

	memcpy(s.name, session ? session : "", length < sizeof(s.name) ? length : sizeof(s.name));
	say(name, ioctl(fd, request, &s) < 0);
}

/*
 * Tries operations on another user's session "theirs". @fd is a separate file, which is not mapped
 * yet.
 */
static void try_sessions(int fd)
{
	struct kutrace_session tiny = { .length = 2 }, large = { .length = sizeof(large) + 8 };
	struct kutrace_switch all = { .value = KUTRACE_KINDS_ALL, .mask = KUTRACE_KINDS_ALL };
	struct kutrace_switch unknown = { .mask = ~0ULL };
	struct kutrace_filter filter = { .length = sizeof(filter) };
	struct kutrace_trigger trigger = { .length = sizeof(trigger) };
	struct kutrace_fired fired = { .length = sizeof(fired) };
	struct kutrace_lost lost = { .length = sizeof(lost) };

	try_session("session-list", fd, KUTRACE_IOC_SESSION_LIST, NULL, 0);
	try_session("session-theirs", fd, KUTRACE_IOC_SESSION_ATTACH, "theirs", 0);
	try_session("session-main", fd, KUTRACE_IOC_SESSION_ATTACH, "main", 0);
	try_session("session-nobody", fd, KUTRACE_IOC_SESSION_ATTACH, "nosuch", 0);
	try_session("session-taken", fd, KUTRACE_IOC_SESSION_CREATE, "theirs", 1);
	try_session("session-name", fd, KUTRACE_IOC_SESSION_CREATE, "../x", 1);
	try_session("session-latin-1", fd, KUTRACE_IOC_SESSION_CREATE, "caf\xe9\xff", 1);
	try_session("session-endless", fd, KUTRACE_IOC_SESSION_CREATE,
		    "0123456789012345678901234567890123456789", 1);
	try_session("session-huge", fd, KUTRACE_IOC_SESSION_CREATE, "huge", 1u << 30);
	try_session("session-end-main", fd, KUTRACE_IOC_SESSION_DESTROY, "main", 0);
	say("session-tiny", ioctl(fd, KUTRACE_IOC_SESSION_LIST, &tiny) < 0);
	say("session-large", ioctl(fd, KUTRACE_IOC_SESSION_LIST, &large) < 0);
	say("session-nowhere", ioctl(fd, KUTRACE_IOC_SESSION_LIST, 8) < 0);
	try_session("session-create", fd, KUTRACE_IOC_SESSION_CREATE, "", 1);
	say("session-mask", ioctl(fd, KUTRACE_IOC_MASK, &all) < 0);
	say("session-mask-unknown", ioctl(fd, KUTRACE_IOC_MASK, &unknown) < 0);
	say("session-filter", ioctl(fd, KUTRACE_IOC_FILTER, &filter) < 0);
	filter.npids = KUTRACE_FILTER_PIDS + 1;
	say("session-filter-long", ioctl(fd, KUTRACE_IOC_FILTER, &filter) < 0);
	filter.npids = 0;
	filter.ncgroups = ~0u;
	say("session-filter-longer", ioctl(fd, KUTRACE_IOC_FILTER, &filter) < 0);
	trigger.kind = KUTRACE_TRIGGER_MARK;
	say("session-trigger", ioctl(fd, KUTRACE_IOC_TRIGGER, &trigger) < 0);
	trigger.kind = 99;
	say("session-trigger-kind", ioctl(fd, KUTRACE_IOC_TRIGGER, &trigger) < 0);
	say("session-fired", ioctl(fd, KUTRACE_IOC_FIRED, &fired) < 0);
	say("session-attend", ioctl(fd, KUTRACE_IOC_ATTEND, 1) < 0);
	say("session-attend-what", ioctl(fd, KUTRACE_IOC_ATTEND, 2) < 0);
	say("session-lost", ioctl(fd, KUTRACE_IOC_LOST, &lost) < 0 ||
			    lost.nkinds != KUTRACE_KINDS);
	lost.length = sizeof(lost) + 8;
	say("session-lost-large", ioctl(fd, KUTRACE_IOC_LOST, &lost) < 0);
	try_map("session-map", fd, 4096, PROT_READ, 0);
	try_session("session-late", fd, KUTRACE_IOC_SESSION_ATTACH, "main", 0);
	try_session("session-end-theirs", fd, KUTRACE_IOC_SESSION_DESTROY, "theirs", 0);
	close(fd);
}

/* A node that was polled keeps its session, also if the file may not read the blocks. */
static void try_node(void)
{
	struct pollfd node = { .fd = open("/dev/kutrace/cpu000", O_RDWR) };

	if (node.fd < 0)
		return;
	poll(&node, 1, 0);
	say("node-late", write(node.fd, "session kept", 12) < 0);
	close(node.fd);
}

/* Keeps a session by another file than the one that created it, and closes the latter. */
static void try_keep(void)
{
	int creator = open(KUTRACE_DEVICE, O_RDWR), other = open(KUTRACE_DEVICE, O_RDWR);

	if (creator < 0 || other < 0)
		return;
	try_session("keep-create", creator, KUTRACE_IOC_SESSION_CREATE, "kept", 1);
	try_session("keep-again", creator, KUTRACE_IOC_SESSION_ATTACH, "kept", 0);
	try_node();
	try_session("keep-attach", other, KUTRACE_IOC_SESSION_ATTACH, "kept", 0);
	say("keep-other", ioctl(other, KUTRACE_IOC_SESSION_KEEP, 0) < 0);
	close(creator);
	try_session("keep-end", other, KUTRACE_IOC_SESSION_DESTROY, "kept", 0);
	close(other);
}

/*
 * Opens the device for control. If the user may not use the main session, selects the user's
 * session "mine".
 */
static int open_mine(void)
{
	struct kutrace_session main = { .length = sizeof(main) };
	struct kutrace_session mine = { .length = sizeof(mine), .mb = 1,
					.flags = KUTRACE_SESSION_KEEP, .name = "mine" };
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	if (fd < 0 || !ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &main) || errno != EACCES)
		return fd;
	if (ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &mine) &&
	    ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &mine))
		printf("mine %s\n", strerrorname_np(errno));
	return fd;
}

/* Writes the text to a file for scripts, or reads the file if @text is NULL. */
static void try_file(const char *name, const char *path, const char *text)
{
	char data[64];
	int fd = open(path, O_RDWR);

	say(name, fd < 0 || (text ? write(fd, text, strlen(text)) : read(fd, data, sizeof(data))) < 0);
	if (fd >= 0)
		close(fd);
}

/* Tries everything that could end, change or show a recording of the main session. */
static void try_main(void)
{
	struct kutrace_switch all = { .value = KUTRACE_KINDS_ALL, .mask = KUTRACE_KINDS_ALL };
	struct kutrace_filter filter = { .length = sizeof(filter) };
	struct kutrace_trigger trigger = { .length = sizeof(trigger), .kind = KUTRACE_TRIGGER_MARK };
	struct kutrace_fired fired = { .length = sizeof(fired) };
	struct kutrace_lost lost = { .length = sizeof(lost) };
	struct kutrace_info info = { .length = sizeof(info) };
	struct kutrace_session main = { .length = sizeof(main) };
	__u64 words[KUTRACE_BLOCK_WORDS];
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	if (fd < 0 || !ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &main) || errno != EACCES) {
		if (fd >= 0)
			close(fd);
		return;
	}
	say("main-info", ioctl(fd, KUTRACE_IOC_INFO, &info) < 0);
	say("main-lost", ioctl(fd, KUTRACE_IOC_LOST, &lost) < 0);
	try_command("main-version", fd, KUTRACE_CMD_VERSION, 0);
	try_command("main-test", fd, KUTRACE_CMD_TEST, 0);
	try_mark("main-mark", fd, KUTRACE_MARKA);
	try_command("main-off", fd, KUTRACE_CMD_OFF, 0);
	try_command("main-on", fd, KUTRACE_CMD_ON, 0);
	try_command("main-flush", fd, KUTRACE_CMD_FLUSH, 0);
	try_command("main-reset", fd, KUTRACE_CMD_RESET, 0);
	try_command("main-count", fd, KUTRACE_CMD_GETCOUNT, 0);
	try_command("main-word", fd, KUTRACE_CMD_GETWORD, 0);
	try_command("main-set4kb", fd, KUTRACE_CMD_SET4KB, 0);
	try_command("main-get4kb", fd, KUTRACE_CMD_GET4KB, (__u64)(unsigned long)words);
	try_command("main-ipc-word", fd, KUTRACE_CMD_GETIPCWORD, 0);
	try_command("main-ipc-4kb", fd, KUTRACE_CMD_GETIPC4KB, (__u64)(unsigned long)words);
	try_command("main-insert-off", fd, ~(__u64)KUTRACE_CMD_INSERT1,
		    (__u64)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT);
	try_command("main-insert-name-off", fd, ~(__u64)KUTRACE_CMD_INSERTN,
		    (__u64)(unsigned long)words);
	say("main-mask", ioctl(fd, KUTRACE_IOC_MASK, &all) < 0);
	say("main-filter", ioctl(fd, KUTRACE_IOC_FILTER, &filter) < 0);
	say("main-trigger", ioctl(fd, KUTRACE_IOC_TRIGGER, &trigger) < 0);
	say("main-fired", ioctl(fd, KUTRACE_IOC_FIRED, &fired) < 0);
	say("main-attend", ioctl(fd, KUTRACE_IOC_ATTEND, 1) < 0);
	say("main-keep", ioctl(fd, KUTRACE_IOC_SESSION_KEEP, 0) < 0);
	try_map("main-map-meta", fd, 4096, PROT_READ, 0);
	try_map("main-map-table", fd, 8192, PROT_READ, 0);
	try_map("main-map-table-only", fd, 4096, PROT_READ, 4096);
	try_map("main-map-aux", fd, 4096, PROT_READ, KUTRACE_MMAP_AUX);
	try_map("main-map-block", fd, KUTRACE_BLOCK_BYTES, PROT_READ, KUTRACE_MMAP_BLOCKS);
	close(fd);
	try_file("main-file-mask", "/dev/kutrace/ctl", "setbits 1\n");
	try_file("main-file-switch", "/dev/kutrace/tracepoints", "syscall off\n");
	try_file("main-file-aux", "/dev/kutrace/aux", NULL);
	try_file("main-file-cpu", "/dev/kutrace/cpu000", NULL);
	try_file("main-file-state", "/dev/kutrace/ctl", NULL);
	try_file("main-file-session", "/dev/kutrace/ctl", "session main\n");
}

/* Binds the recording to each of two files. The second can be bound when the first is closed. */
static void try_attending(int first, int second)
{
	say("attend-first", ioctl(first, KUTRACE_IOC_ATTEND, 1) < 0);
	say("attend-again", ioctl(first, KUTRACE_IOC_ATTEND, 1) < 0);
	say("attend-second", ioctl(second, KUTRACE_IOC_ATTEND, 1) < 0);
	close(first);
	say("attend-after", ioctl(second, KUTRACE_IOC_ATTEND, 1) < 0);
	close(second);
}

/* Keeps only CAP_PERFMON of the capabilities that root had before it became another user. */
static int keep_perfmon(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	data[CAP_TO_INDEX(CAP_PERFMON)].permitted = CAP_TO_MASK(CAP_PERFMON);
	data[CAP_TO_INDEX(CAP_PERFMON)].effective = CAP_TO_MASK(CAP_PERFMON);
	return (int)syscall(SYS_capset, &header, data);
}

int main(int argc, char **argv)
{
	bool perfmon = argc > 3 && !strcmp(argv[3], "perfmon");
	gid_t group = argc > 3 && !perfmon ? (gid_t)atoi(argv[3]) : 0;
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: access UID GID [GROUP | perfmon]\n");
		return 2;
	}
	if (prctl(PR_SET_KEEPCAPS, perfmon, 0, 0, 0) ||
	    setgroups(argc > 3 && !perfmon, &group) || setgid((gid_t)atoi(argv[2])) ||
	    setuid((uid_t)atoi(argv[1])) || (perfmon && keep_perfmon())) {
		perror("access");
		return 1;
	}
	try_main();
	fd = open_mine();
	say("open-rw", fd < 0);
	if (fd >= 0)
		try_control(fd);
	fd = open(KUTRACE_DEVICE, O_RDWR);
	if (fd >= 0)
		try_sessions(fd);
	try_keep();
	fd = open_mine();
	if (fd >= 0)
		try_attending(fd, open_mine());
	fd = open(KUTRACE_DEVICE, O_RDONLY);
	say("open-ro", fd < 0);
	if (fd < 0)
		return 0;
	try_command("ro-version", fd, KUTRACE_CMD_VERSION, 0);
	try_mark("ro-mark", fd, KUTRACE_MARKA);
	try_map("ro-map-meta", fd, 4096, PROT_READ, 0);
	try_map("ro-map-block", fd, KUTRACE_BLOCK_BYTES, PROT_READ, KUTRACE_MMAP_BLOCKS);
	return 0;
}
