/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests extreme uses of triggers and of files of sessions, which the library does not make, by
 * calls of the device. For test_triggers_hard.sh. Exit status 1 with a message if a result is
 * wrong.
 *
 *	triggers bounds		limits of any length, up to the largest number
 *	triggers pending	removes a trigger that has fired with a following interval of a
 *				day: the next trigger still fires
 *	triggers clear COUNT	removes triggers while another CPU makes their event: a removed
 *				trigger does not fire
 *	triggers attend COUNT	binds a session to a file while the file changes its session: no
 *				session is bound after the file is closed
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define DAY_MS		(24 * 3600 * 1000)
#define TRIES		3000	/* maximal number of waits of 10 ms for an event */

static int fd;

static void die(const char *what)
{
	fprintf(stderr, "triggers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void wrong(const char *what, unsigned long long got)
{
	fprintf(stderr, "triggers: %s: %llu\n", what, got);
	exit(1);
}

static uint64_t control(uint64_t command, uint64_t arg)
{
	struct kutrace_control c = { .command = command, .arg = arg };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &c))
		die("control");
	return c.result;
}

static void go(void)
{
	control(KUTRACE_CMD_OFF, 0);
	if (control(KUTRACE_CMD_RESET, KUTRACE_RESET_WRAP))
		wrong("reset", 0);
	if (control(KUTRACE_CMD_ON, 0) != 1)
		wrong("on", 0);
}

static void add(uint32_t kind, uint32_t number, uint64_t over_ns, uint32_t after_ms,
		uint32_t flags)
{
	struct kutrace_trigger t = { .length = sizeof(t), .kind = kind, .number = number,
				     .over_ns = over_ns, .after_ms = after_ms,
				     .flags = flags };

	if (ioctl(fd, KUTRACE_IOC_TRIGGER, &t))
		die("trigger");
}

static void clear(void)
{
	add(KUTRACE_TRIGGER_NONE, 0, 0, 0, 0);
}

static struct kutrace_fired fired(void)
{
	struct kutrace_fired f = { .length = sizeof(f) };

	if (ioctl(fd, KUTRACE_IOC_FIRED, &f))
		die("fired");
	return f;
}

static void mark(uint32_t label)
{
	if (ioctl(fd, KUTRACE_IOC_MARK, (uint64_t)KUTRACE_MARKC << 32 | label))
		die("mark");
}

/* ---- limits ---- */

static void bounds(void)
{
	static const uint64_t never[] = { ~0ULL, ~0ULL - 1, 1ULL << 63, ~0ULL / 2, ~0ULL / 3,
					  1ULL << 62, 1ULL << 61 };
	static const uint32_t kinds[] = { KUTRACE_TRIGGER_SYSCALL, KUTRACE_TRIGGER_SOFTIRQ,
					  KUTRACE_TRIGGER_IRQ, KUTRACE_TRIGGER_TRAP,
					  KUTRACE_TRIGGER_RUNQ };
	unsigned int i, k;

	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		go();
		for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			add(kinds[k], ~0U, never[i], 0, 0);
		for (k = 0; k < 1000; k++)
			syscall(SYS_getppid);
		/* A new recording converts the limits again. */
		control(KUTRACE_CMD_OFF, 0);
		control(KUTRACE_CMD_ON, 0);
		usleep(50000);
		if (fired().fired)
			wrong("one with no end of a limit has fired", never[i]);
		clear();
	}
	add(KUTRACE_TRIGGER_SYSCALL, ~0U, 1, 0, KUTRACE_TRIGGER_NOTIFY);
	for (k = 0; k < TRIES && !fired().done; k++)
		usleep(10000);
	if (!fired().done)
		wrong("one of 1 ns has not fired", 0);
	clear();
	control(KUTRACE_CMD_OFF, 0);
}

/* ---- removed triggers ---- */

static void pending(void)
{
	int i;

	go();
	add(KUTRACE_TRIGGER_MARK, 1, 0, DAY_MS, 0);
	mark(1);
	if (fired().fired != 1)
		wrong("a mark has not fired", fired().fired);
	clear();
	if (fired().fired)
		wrong("taken away, and it counts", fired().fired);
	add(KUTRACE_TRIGGER_MARK, 2, 0, 0, 0);
	for (i = 0; i < TRIES && !fired().done; i++) {
		mark(2);
		usleep(10000);
	}
	if (!fired().done)
		wrong("the next one does not fire", fired().fired);
	if (fired().trigger.number != 2)
		wrong("another one has fired", fired().trigger.number);
	/* Begin a new recording while a trigger waits: the trigger must not count for it. */
	go();
	add(KUTRACE_TRIGGER_MARK, 3, 0, DAY_MS, 0);
	mark(3);
	control(KUTRACE_CMD_OFF, 0);
	go();
	if (fired().fired)
		wrong("reset, and it counts", fired().fired);
	add(KUTRACE_TRIGGER_MARK, 4, 0, 0, 0);
	for (i = 0; i < TRIES && !fired().done; i++) {
		mark(4);
		usleep(10000);
	}
	if (!fired().done || fired().trigger.number != 4)
		wrong("after a reset none fires", fired().trigger.number);
}

static void clear_while_firing(long count)
{
	pid_t child = fork();
	long i;

	if (child < 0)
		die("fork");
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!child)
		syscall(SYS_getppid);
	go();
	for (i = 0; i < count; i++) {
		int k;

		for (k = 0; k < KUTRACE_TRIGGERS; k++)
			add(KUTRACE_TRIGGER_SYSCALL, ~0U, 0, DAY_MS, 0);
		clear();
		if (fired().fired)
			wrong("fired when taken away, round", (unsigned long long)i);
		if (!(i % 16))
			usleep(1000);
		if (fired().fired)
			wrong("fired after it was taken away, round", (unsigned long long)i);
		if (control(KUTRACE_CMD_TEST, 0) != 1)
			wrong("recording has ended, round", (unsigned long long)i);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	control(KUTRACE_CMD_OFF, 0);
	printf("count clear %ld\n", count);
}

/* ---- bound files ---- */

static atomic_int stop;

/* Takes ku_session_lock all the time, so that several callers wait for it. */
static void *hog(void *unused)
{
	int own = open("/dev/kutrace/control", O_RDWR);

	(void)unused;
	if (own < 0)
		die("open");
	while (!stop) {
		struct kutrace_info info = { .length = sizeof(info) };

		ioctl(own, KUTRACE_IOC_INFO, &info);
	}
	close(own);
	return NULL;
}

static void *attend(void *unused)
{
	(void)unused;
	while (!stop)
		ioctl(fd, KUTRACE_IOC_ATTEND, 1);
	return NULL;
}

static void attach(const char *name)
{
	struct kutrace_session s = { .length = sizeof(s) };

	strcpy(s.name, name);
	if (ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &s))
		die("attach");
}

static void attended_by_none(const char *name, long round)
{
	struct kutrace_info info = { .length = sizeof(info) };

	fd = open("/dev/kutrace/control", O_RDWR);
	if (fd < 0)
		die("open");
	attach(name);
	if (ioctl(fd, KUTRACE_IOC_INFO, &info))
		die("info");
	if (info.attended) {
		fprintf(stderr, "triggers: %s is attended by a file that is closed, ", name);
		wrong("round", (unsigned long long)round);
	}
	if (ioctl(fd, KUTRACE_IOC_ATTEND, 1))
		die("only one file may attend it");
	close(fd);
}

static void attend_and_bind(long count)
{
	struct kutrace_session s = { .length = sizeof(s), .mb = 1, .name = "second",
				     .flags = KUTRACE_SESSION_KEEP };
	pthread_t threads[3];
	long i;
	int k;

	if (ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &s))
		die("create");
	close(fd);
	for (i = 0; i < count; i++) {
		stop = 0;
		fd = open("/dev/kutrace/control", O_RDWR);
		if (fd < 0)
			die("open");
		pthread_create(&threads[0], NULL, hog, NULL);
		pthread_create(&threads[1], NULL, attend, NULL);
		pthread_create(&threads[2], NULL, attend, NULL);
		for (k = 0; k < 50; k++)
			attach(k % 2 ? "main" : "second");
		stop = 1;
		for (k = 0; k < 3; k++)
			pthread_join(threads[k], NULL);
		close(fd);
		attended_by_none("main", i);
		attended_by_none("second", i);
	}
	fd = open("/dev/kutrace/control", O_RDWR);
	if (ioctl(fd, KUTRACE_IOC_SESSION_DESTROY, &s))
		die("destroy");
	printf("count attend %ld\n", count);
}

int main(int argc, char **argv)
{
	fd = open("/dev/kutrace/control", O_RDWR);
	if (fd < 0)
		die("/dev/kutrace/control");
	if (argc == 2 && !strcmp(argv[1], "bounds"))
		bounds();
	else if (argc == 2 && !strcmp(argv[1], "pending"))
		pending();
	else if (argc == 3 && !strcmp(argv[1], "clear"))
		clear_while_firing(atol(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "attend"))
		attend_and_bind(atol(argv[2]));
	else
		return 2;
	return 0;
}
