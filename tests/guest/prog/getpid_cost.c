/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the guest instructions of one getpid system call. Run it under QEMU's icount, where one
 * instruction takes one nanosecond of guest time; on other machines its figures are nanoseconds.
 * The result must not include the loop around the call, nor a timer tick during a repeat. So an
 * empty loop is also measured, each repeat is shorter than a tick, and the shortest of many repeats
 * counts.
 *
 * The cost of recording depends on the call's result: a result of -128 to 127 goes into the call's
 * entry, and any other result into an entry of its own. So two processes are measured: with a
 * process id of at most 127, and with a larger one. The program needs the right to choose process
 * ids.
 *
 *	getpid_cost NAME [on|masked|filtered|triggered|watched|soon|two|three|counted]
 *
 * With "on" it records meanwhile, by the device, and fails if any event was lost. The other modes
 * are recordings that
 *
 *	masked		omit softirqs
 *	filtered	have only the measured process
 *	triggered	have a trigger for a read() of a second
 *	watched		have a trigger for any system call of a second, so also for this one
 *	soon		have triggers for an msync() of 1 us, which merged returns show, and for any call of 3 s
 *	two		run beside another recording
 *	three		run beside two others
 *	counted		have instructions per cycle, by artificial counters (kutrace_test_pmu.ko)
 *
 * Prints two lines, for the small result and for the large one:
 *
 *	NAME VALUE loop=... calls=... repeats=... lost=... pid=...
 *	NAME-long VALUE ...
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define CALLS	1000	/* about 0.3 to 1.6 ms: less than a tick of 4 ms */
#define REPEATS	101
#define FITS	127	/* the largest result that goes into the call's entry */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t calls_ns(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++) {
#ifdef __x86_64__
		long ret = SYS_getpid;

		__asm__ volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
#elif defined(__riscv)
		register long number __asm__("a7") = SYS_getpid;
		register long ret __asm__("a0") = 0;

		__asm__ volatile("ecall" : "+r"(ret) : "r"(number) : "memory");
#else
		register long number __asm__("x8") = SYS_getpid;
		register long ret __asm__("x0") = 0;

		__asm__ volatile("svc #0" : "+r"(ret) : "r"(number) : "memory");
#endif
	}
	return now_ns() - start;
}

static uint64_t empty_ns(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++) {
#ifdef __x86_64__
		long ret = SYS_getpid;

		__asm__ volatile("" : "+a"(ret) : : "rcx", "r11", "memory");
#elif defined(__riscv)
		register long number __asm__("a7") = SYS_getpid;
		register long ret __asm__("a0") = 0;

		__asm__ volatile("" : "+r"(ret) : "r"(number) : "memory");
#else
		register long number __asm__("x8") = SYS_getpid;
		register long ret __asm__("x0") = 0;

		__asm__ volatile("" : "+r"(ret) : "r"(number) : "memory");
#endif
	}
	return now_ns() - start;
}

static uint64_t smallest(uint64_t (*measure)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < REPEATS; i++) {
		uint64_t ns = measure();

		if (ns < best)
			best = ns;
	}
	return best;
}

static int command(int fd, uint64_t number, uint64_t arg)
{
	struct kutrace_control control = { .command = number, .arg = arg };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &control) == 0 && control.result != ~0ull)
		return 0;
	fprintf(stderr, "getpid_cost: command %" PRIu64 ": %s\n", number, strerror(errno));
	return -1;
}

/* ---- method of recording ---- */

static const char *how = "";
static int device = -1;		/* -1: nothing is recorded */

static bool is_how(const char *what)
{
	return strcmp(how, what) == 0;
}

static int begin_other(const char *name)
{
	struct kutrace_session session = { .length = sizeof(session), .mb = 16 };
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	snprintf(session.name, sizeof(session.name), "%s", name);
	/* The file stays open, because the session ends with it. */
	return fd < 0 || ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session) ||
	       command(fd, KUTRACE_CMD_RESET, KUTRACE_RESET_WRAP) ||
	       command(fd, KUTRACE_CMD_ON, 0);
}

/* Starts the recording of the chosen mode. Returns 0, or -1 with errno. */
static int begin_how(void)
{
	struct kutrace_switch mask = { .value = KUTRACE_KINDS_ALL, .mask = KUTRACE_KINDS_ALL };
	struct kutrace_trigger trigger = {
		.length = sizeof(trigger),
		.kind = KUTRACE_TRIGGER_SYSCALL,
		.number = is_how("watched") ? ~0u : KUTRACE_CALL_SYSCALL64 +
					     (is_how("soon") ? SYS_msync : SYS_read),
		.over_ns = is_how("soon") ? 1000 : 1000000000,
	};

	if (is_how("masked"))
		mask.value &= ~(1ull << KUTRACE_KIND_CALL_BH);
	if (ioctl(device, KUTRACE_IOC_MASK, &mask))
		return -1;
	if (is_how("triggered") || is_how("watched") || is_how("soon")) {
		if (ioctl(device, KUTRACE_IOC_TRIGGER, &trigger))
			return -1;
	}
	if (is_how("soon")) {
		trigger.number = ~0u;
		trigger.over_ns = 3000000000;
		if (ioctl(device, KUTRACE_IOC_TRIGGER, &trigger))
			return -1;
	}
	if ((is_how("two") || is_how("three")) && begin_other("other"))
		return -1;
	return is_how("three") ? begin_other("third") : 0;
}

static int filter(pid_t pid)
{
	struct kutrace_filter wanted = { .length = sizeof(wanted) };

	if (pid) {
		wanted.npids = 1;
		wanted.pids[0] = (uint32_t)pid;
	}
	return ioctl(device, KUTRACE_IOC_FILTER, &wanted);
}

static int begin(void)
{
	device = open(KUTRACE_DEVICE, O_RDWR);
	if (device < 0) {
		fprintf(stderr, "getpid_cost: %s: %s\n", KUTRACE_DEVICE, strerror(errno));
		return -1;
	}
	if (command(device, KUTRACE_CMD_RESET, is_how("counted") ? KUTRACE_RESET_IPC : 0))
		return -1;
	if (begin_how()) {
		fprintf(stderr, "getpid_cost: %s: %s\n", how, strerror(errno));
		return -1;
	}
	return command(device, KUTRACE_CMD_ON, 0);
}

/* Ends the recording. Returns 0, or -1 with a message if an event was lost or a call failed. */
static int end(void)
{
	struct kutrace_switch all = { .value = KUTRACE_KINDS_ALL, .mask = KUTRACE_KINDS_ALL };
	struct kutrace_info info = { .length = sizeof(info) };
	uint64_t lost = 0;

	if (command(device, KUTRACE_CMD_OFF, 0) || ioctl(device, KUTRACE_IOC_INFO, &info) ||
	    ioctl(device, KUTRACE_IOC_MASK, &all) || filter(0)) {
		fprintf(stderr, "getpid_cost: %s: %s\n", how, strerror(errno));
		return -1;
	}
	for (unsigned i = 0; i < sizeof(info.lost) / sizeof(info.lost[0]); i++)
		lost += info.lost[i];
	/* The buffer must have all calls: at least one word each, or two for large results. */
	if (!lost && info.used_blocks >= (uint64_t)3 * CALLS * REPEATS / 8192)
		return 0;
	fprintf(stderr, "getpid_cost: %" PRIu64 " events lost, %u blocks used\n", lost,
		info.used_blocks);
	return -1;
}

/* ---- measuring ---- */

/* Forks a child with that process id. Returns 0 in the child, -1 with errno if the id is used. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

struct result {
	uint64_t calls, loop;
	pid_t pid;
};

static struct result measure(void)
{
	struct result result = { .loop = smallest(empty_ns), .calls = smallest(calls_ns) };

	result.pid = getpid();
	return result;
}

/* Measures in a process with the first free id, starting at @first, in steps of @step. */
static int measure_as(pid_t first, int step, struct result *result)
{
	int status, ends[2];
	pid_t child, pid;

	if (pipe(ends))
		return -1;
	for (pid = first; pid > 1; pid += step) {
		child = fork_as(pid);
		if (child >= 0 || errno != EEXIST)
			break;
	}
	if (pid <= 1 || child < 0) {
		fprintf(stderr, "getpid_cost: process id %d: %s\n", pid, strerror(errno));
		return -1;
	}
	if (!child) {
		if (is_how("filtered") && filter(pid))
			_exit(1);
		*result = measure();
		_exit(write(ends[1], result, sizeof(*result)) != sizeof(*result));
	}
	close(ends[1]);
	if (read(ends[0], result, sizeof(*result)) != sizeof(*result) ||
	    waitpid(child, &status, 0) != child || status || result->pid != pid) {
		fprintf(stderr, "getpid_cost: no result of process %d\n", pid);
		return -1;
	}
	close(ends[0]);
	return 0;
}

static void print(const char *name, const char *more, const struct result *result)
{
	printf("%s%s %.3f loop=%.3f calls=%d repeats=%d lost=0 pid=%d\n", name, more,
	       (double)(result->calls - result->loop) / CALLS, (double)result->loop / CALLS,
	       CALLS, REPEATS, result->pid);
}

int main(int argc, char **argv)
{
	static const char * const hows[] = { "on", "masked", "filtered", "triggered", "watched",
					     "soon", "two", "three", "counted" };
	struct result fits, longer;
	unsigned i = 0;

	if (argc == 3) {
		how = argv[2];
		while (i < sizeof(hows) / sizeof(*hows) && !is_how(hows[i]))
			i++;
	}
	if (argc < 2 || argc > 3 || i == sizeof(hows) / sizeof(*hows)) {
		fprintf(stderr,
			"usage: getpid_cost NAME [on|masked|filtered|triggered|watched|soon|two|three|counted]\n");
		return 2;
	}
	if (argc == 3 && begin())
		return 1;
	if (measure_as(FITS, -1, &fits) || measure_as(1000, 1, &longer))
		return 1;
	if (argc == 3 && end())
		return 1;
	print(argv[1], "", &fits);
	print(argv[1], "-long", &longer);
	return 0;
}
