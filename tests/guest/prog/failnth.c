// SPDX-License-Identifier: BSD-3-Clause
/*
 * Does one operation on the module while the kernel lets its Nth allocation fail (failslab,
 * fail_page_alloc, by /proc/self/fail-nth, which counts all allocations of this task, for any part
 * of the kernel). For tests/guest/test_debug_failslab.sh.
 *
 *	failnth N load FILE ARGUMENTS
 *	failnth N unload | create | destroy | go | off | filter | trigger | mask | snapshot FILE | point | marks
 *	failnth N signal | no_triggers
 *
 * All operations except load, unload, create, destroy and point use the session "s". With N = 0
 * nothing fails. Prints a line: "failed", or "all" if there were fewer than N allocations; and
 * "well" or the error's number.
 *
 * Exit status: 0 the operation succeeded; 1 it failed; 2 usage, or the kernel has no fail-nth.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

enum { NAME_PID = 0x002 };

static const char *const *args;	/* arguments after the operation's name, then NULL */

static int load(void)
{
	int fd = open(args[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return syscall(SYS_finit_module, fd, args[1] ? args[1] : "", 0) ? -errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "kutrace", O_NONBLOCK) ? -errno : 0;
}

static int create(void)
{
	struct kutrace_session_options options = { .mb = 1, .keep = 1 };
	struct kutrace_handle *handle;
	int ret = kutrace_session_create("s", &options, &handle);

	if (!ret)
		kutrace_session_close(handle);
	return ret;
}

static int destroy(void)
{
	return kutrace_session_destroy("s");
}

static int filter(void)
{
	struct kutrace_filter filter = { .length = sizeof(filter), .npids = 1, .pids = { (uint32_t)getpid() } };

	return kutrace_filter(&filter);
}

static int trigger(void)
{
	struct kutrace_trigger parsed;
	char message[100];
	int ret = kutrace_trigger_parse("syscall>9s", &parsed, message, sizeof(message));

	return ret ? ret : kutrace_trigger(&parsed);
}

/* Adds a trigger whose hook is attached now. After an error, the trigger must not count. */
static int signal_trigger(void)
{
	struct kutrace_trigger wanted = { .kind = KUTRACE_TRIGGER_SIGNAL, .number = 9 };
	struct kutrace_info before, after;
	int ret = kutrace_get_info(&before);

	if (ret)
		return ret;
	ret = kutrace_trigger(&wanted);
	if (ret && (kutrace_get_info(&after) || after.triggers != before.triggers))
		return -EBADE;
	return ret;
}

static int no_triggers(void)
{
	return kutrace_trigger(NULL);
}

static int mask(void)
{
	uint64_t kinds;

	return kutrace_mask(0, 1, &kinds);
}

static int go(void)
{
	int ret = kutrace_gowrap("failnth");

	return ret < 0 ? ret : 0;
}

static int off(void)
{
	int ret = kutrace_do_off();

	return ret < 0 ? ret : 0;
}

static int snapshot(void)
{
	return kutrace_snapshot(args[0], NULL, NULL);
}

static int point(void)
{
	struct kutrace_point_def def = { .length = sizeof(def), .text = "failing u32 n|n=%u" };
	int fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def) < 0 ? -errno : 0;
}

/* Makes a mark, a name, and a name of a resource. */
static int marks(void)
{
	int ret;

	kutrace_mark_a("nth");
	ret = kutrace_addname(NAME_PID, (uint64_t)getpid(), "failnth");
	return ret ? ret : kutrace_name_resource(7, "seventh");
}

static const struct op {
	const char *name;
	int (*run)(void);
	int in_session;
	int words;
} ops[] = {
	{ "load", load, 0, 1 }, { "unload", unload, 0, 0 }, { "create", create, 0, 0 }, { "destroy", destroy, 0, 0 },
	{ "point", point, 0, 0 }, { "go", go, 1, 0 }, { "off", off, 1, 0 }, { "filter", filter, 1, 0 },
	{ "trigger", trigger, 1, 0 }, { "mask", mask, 1, 0 }, { "snapshot", snapshot, 1, 1 }, { "marks", marks, 1, 0 },
	{ "signal", signal_trigger, 1, 0 }, { "no_triggers", no_triggers, 1, 0 },
};

static int usage(void)
{
	fprintf(stderr, "usage: failnth N OPERATION [WORD...]\n");
	return 2;
}

int main(int argc, char **argv)
{
	const struct op *op = NULL;
	struct kutrace_handle *handle;
	int nth, ret;
	char left[16] = "";
	size_t i;

	if (argc < 3)
		return usage();
	args = (const char *const *)argv + 3;
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(argv[2], ops[i].name))
			op = &ops[i];
	if (!op || argc < 3 + op->words)
		return usage();
	if (op->in_session) {
		ret = kutrace_session_open("s", &handle);
		if (ret) {
			fprintf(stderr, "failnth: session s: %s\n", strerror(-ret));
			return 2;
		}
		kutrace_session_use(handle);
	}
	nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth < 0) {
		fprintf(stderr, "failnth: /proc/self/fail-nth: %s\n", strerror(errno));
		return 2;
	}
	if (write(nth, argv[1], strlen(argv[1])) < 0)
		return usage();
	ret = op->run();
	/* These calls make no allocation that can fail. fail-nth is 0 if an allocation failed. */
	if (pread(nth, left, sizeof(left) - 1, 0) < 0 || pwrite(nth, "0", 1, 0) < 0) {
		fprintf(stderr, "failnth: fail-nth: %s\n", strerror(errno));
		return 2;
	}
	printf("%s ", atoi(left) || !atoi(argv[1]) ? "all" : "failed");
	if (ret)
		printf("%d\n", -ret);
	else
		printf("well\n");
	return ret != 0;
}
