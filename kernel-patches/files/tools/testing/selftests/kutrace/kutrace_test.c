// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records this program's system calls, page faults and switches, and counts them in the recording.
 * Runs on one CPU and reads only the blocks of this CPU.
 *
 * Needs the module, built in or loaded, and the permission to record. Discards the recording that
 * was there before.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"

#define CALLS		1009		/* calls of getpid() */
#define PAGES		211		/* pages that are touched */
#define YIELDS		53
/* getpid() ignores its arguments. This one marks the calls of this program. */
#define OURS		0x4B55UL
/* A number that no release has for a system call. */
#define NO_CALL		1022

/* The numbers of the marks around each part. */
#define MARK_CALLS	100
#define MARK_FAULTS	200
#define MARK_YIELDS	300
#define MARK_NONE	400
#define MARK_END	500

#define WORDS_AT_ONCE	512
#define REFUSED		(~0UL)

static int device = -1;

static unsigned long control(unsigned long command, unsigned long arg)
{
	struct kutrace_control call = {
		.command = command,
		.arg = arg,
	};

	return ioctl(device, KUTRACE_IOC_CONTROL, &call) ? REFUSED : call.result;
}

static bool refused(unsigned long answer)
{
	return answer == REFUSED;
}

static void mark(unsigned int number)
{
	control(KUTRACE_CMD_INSERT1,
		(unsigned long)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | number);
}

static unsigned int event_of(unsigned long word)
{
	return word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
}

/* ---- recorded work ---- */

static void make_calls(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getpid, OURS);
}

static void touch_pages(long page)
{
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (memory == MAP_FAILED)
		ksft_exit_fail_msg("no memory to touch\n");
	/* Each fault maps one page. */
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	munmap(memory, PAGES * page);
}

static void record(void)
{
	int i;

	mark(MARK_CALLS);
	make_calls();
	mark(MARK_FAULTS);
	touch_pages(sysconf(_SC_PAGESIZE));
	mark(MARK_YIELDS);
	for (i = 0; i < YIELDS; i++)
		sched_yield();
	syscall(NO_CALL);
	mark(MARK_NONE);
	control(KUTRACE_CMD_OFF, 0);
	make_calls();
	control(KUTRACE_CMD_ON, 0);
	mark(MARK_END);
}

/* ---- recorded events ---- */

struct found {
	unsigned int calls, returns, faults, fault_ends, yields, unknown, calls_off;
	unsigned int ended;
};

static void count_word(struct found *found, unsigned int part, unsigned long word)
{
	unsigned int event = event_of(word);
	bool ours = (word & KUTRACE_ARG0_MASK) == OURS;
	bool merged = word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX;

	switch (part) {
	case MARK_CALLS:
		if (event == KUTRACE_CALL_SYSCALL64 + SYS_getpid && ours) {
			found->calls++;
			found->returns += merged;
		}
		if (event == KUTRACE_RET_SYSCALL64 + SYS_getpid)
			found->returns++;
		break;
	case MARK_FAULTS:
		if (event == KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT) {
			found->faults++;
			found->fault_ends += merged;
		}
		if (event == KUTRACE_RET_TRAP + KUTRACE_PAGEFAULT)
			found->fault_ends++;
		break;
	case MARK_YIELDS:
		found->yields += event == KUTRACE_CALL_SYSCALL64 + SYS_sched_yield;
		found->unknown += event == KUTRACE_CALL_SYSOTHER &&
				  (word & KUTRACE_ARG0_MASK) == NO_CALL;
		break;
	case MARK_NONE:
		found->calls_off += event == KUTRACE_CALL_SYSCALL64 + SYS_getpid && ours;
		break;
	case MARK_END:
		found->ended = 1;
		break;
	}
}

/* Counts the events in the blocks of this CPU, in the order in which the CPU claimed them. */
static void count_all(struct found *found, unsigned int cpu)
{
	unsigned long words[WORDS_AT_ONCE], count = control(KUTRACE_CMD_GETCOUNT, 0), at;
	unsigned int part = 0, i;
	bool mine = false;

	if (refused(count) || count % WORDS_AT_ONCE)
		ksft_exit_fail_msg("cannot read the recording: %ld\n", (long)count);
	for (at = 0; at < count; at += WORDS_AT_ONCE) {
		if (refused(control(KUTRACE_CMD_SET4KB, at)) ||
		    refused(control(KUTRACE_CMD_GET4KB, (unsigned long)words)))
			ksft_exit_fail_msg("cannot read the words from %lu on\n", at);
		i = 0;
		if (at % KUTRACE_BLOCK_WORDS == 0) {
			mine = words[0] >> 56 == cpu && at;
			i = KUTRACE_FIRST_WORD;
		}
		for (; mine && i < WORDS_AT_ONCE; i++) {
			if (event_of(words[i]) == KUTRACE_MARKD)
				part = (unsigned int)words[i];
			count_word(found, part, words[i]);
		}
	}
}

static unsigned int stay_here(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (cpu < 0 || sched_setaffinity(0, sizeof(set), &set))
		ksft_exit_fail_msg("cannot bind to CPU %d\n", cpu);
	return cpu;
}

int main(void)
{
	struct found found = { 0 };
	unsigned long version;
	unsigned int cpu;

	ksft_print_header();
	device = open(KUTRACE_DEVICE, O_RDWR);
	version = control(KUTRACE_CMD_VERSION, 0);
	if (refused(version))
		ksft_exit_skip("cannot open KUtrace's device: no module, or no permission\n");
	cpu = stay_here();
	if (control(KUTRACE_CMD_TEST, 0) == 1)
		ksft_exit_skip("another recording is on\n");
	if (control(KUTRACE_CMD_RESET, 0))
		ksft_exit_skip("no permission to record\n");
	ksft_set_plan(9);
	ksft_test_result(version == KUTRACE_MODULE_VERSION, "version %lu\n", version);
	ksft_test_result(control(12345, 0) == REFUSED, "unknown commands are refused\n");
	ksft_test_result(control(KUTRACE_CMD_ON, 0) == 1 && control(KUTRACE_CMD_TEST, 0) == 1,
			 "recording is turned on\n");
	record();
	control(KUTRACE_CMD_OFF, 0);
	ksft_test_result(control(KUTRACE_CMD_TEST, 0) == 0, "recording is turned off\n");
	control(KUTRACE_CMD_FLUSH, 0);
	count_all(&found, cpu);
	control(KUTRACE_CMD_RESET, 0);
	if (!found.ended)
		ksft_exit_fail_msg("the recording has no last mark\n");
	ksft_test_result(found.calls == CALLS, "system calls: %u of %u\n", found.calls, CALLS);
	/* Returns of other tasks may be among them. */
	ksft_test_result(found.returns >= CALLS, "their returns: %u\n", found.returns);
	ksft_test_result(found.faults >= PAGES && found.fault_ends >= PAGES,
			 "page faults: %u, %u returned, %u expected\n", found.faults,
			 found.fault_ends, PAGES);
	ksft_test_result(found.yields >= YIELDS && found.unknown == 1,
			 "calls of the scheduler: %u; unknown calls: %u\n", found.yields,
			 found.unknown);
	ksft_test_result(found.calls_off == 0, "nothing while off: %u\n", found.calls_off);
	ksft_finished();
}
