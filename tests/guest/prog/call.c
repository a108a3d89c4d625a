/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses the control system call directly, like programs that were built with the original's library.
 * Its numbers of commands must not come from this tree's headers. Does the same by libkutrace, for
 * comparison.
 *
 *	call ask		prints the results of VERSION and TEST, and errno
 *	call record FILE4K FILEWORD LABEL COUNT NAMES WRAP
 *				records itself: NAMES names inserted while off, COUNT
 *				marks; dumps 4 KiB at a time and word by word
 *	call library FILE LABEL COUNT NAMES WRAP
 *				the same by libkutrace, which chooses device or call itself
 *	call mark LABEL COUNT	makes COUNT marks in a running recording
 *	call merge COUNT	makes COUNT times a call that returns 0, then TEST
 *	call refuse		tries everything that must be refused, and a reset for IPC
 *	call user UID [GID]	tries everything as a user without rights
 *
 * Prints lines "WHAT VALUE"; a refusal is -1. Exit status 1: the test could not be made.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "kutrace_events.h"
#include "libkutrace.h"

enum { OFF, ON, FLUSH, RESET, STAT, GETCOUNT, GETWORD, INSERT1, INSERTN, GETIPCWORD, TEST,
	VERSION, SET4KB, GET4KB, GETIPC4KB };

#define BLOCK_WORDS	8192
#define FIRST_LOCK	1000

static uint64_t control(uint64_t command, uint64_t arg)
{
	return (uint64_t)syscall(1023, command, arg);
}

static void say(const char *what, uint64_t value)
{
	printf("%s %" PRId64 "\n", what, (int64_t)value);
}

/*
 * Binds the process to this CPU. If it moved while the buffer wraps, each CPU would retain marks of
 * a different time, with a gap between them.
 */
static void stay(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static uint64_t event(uint64_t number, uint64_t arg)
{
	return number << 32 | (uint32_t)arg;
}

static uint64_t insert_name(uint64_t command, uint64_t base, uint64_t number, const char *text)
{
	uint64_t words[8] = {0}, length = 1 + (strlen(text) + 7) / 8;

	words[0] = event(base | length << 4, number);
	memcpy(&words[1], text, strlen(text));
	return control(command, (uintptr_t)words);
}

static uint64_t base40(const char *label)
{
	static const char digits[] = "?abcdefghijklmnopqrstuvwxyz0123456789-./";
	uint64_t value = 0;
	int i = (int)strlen(label);

	while (i--)
		value = value * 40 + (uint64_t)(strchr(digits, label[i]) - digits);
	return value;
}

/* Makes the marks to be compared, by the call or by the library. */
static void call_marks(const char *label, uint64_t count)
{
	uint64_t i;

	control(INSERT1, event(KUTRACE_MARKA, base40(label)));
	for (i = 0; i < count; i++)
		control(INSERT1, event(KUTRACE_MARKD, i));
	control(INSERT1, event(KUTRACE_MARKC, base40("/end")));
}

static void library_marks(const char *label, uint64_t count)
{
	uint64_t i;

	kutrace_mark_a(label);
	for (i = 0; i < count; i++)
		kutrace_mark_d(i);
	kutrace_mark_c("/end");
}

/* --- operations of the original's library ------------------------------------------- */

struct pair {
	uint64_t counts;
	uint64_t usec;
};

/*
 * Reads a pair of clocks: counts are TSC / 64. Returns the pair with the shortest reading of some
 * attempts.
 */
static struct pair read_pair(void)
{
	uint64_t best = ~0ULL, before, after;
	struct pair pair = {0, 0};
	struct timeval now;
	int tries;

	for (tries = 0; tries < 100; tries++) {
		before = __rdtsc() >> 6;
		gettimeofday(&now, NULL);
		after = __rdtsc() >> 6;
		if (after - before >= best)
			continue;
		best = after - before;
		pair.counts = before;
		pair.usec = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
	}
	return pair;
}

static struct pair start, stop;

static uint64_t usec_of(uint64_t counts)
{
	double slope = (double)(stop.usec - start.usec) / (double)(stop.counts - start.counts);

	return start.usec + (uint64_t)(int64_t)((double)(int64_t)(counts - start.counts) * slope);
}

/* Prints the differences of the module's clock pairs (words 2 to 5) and the library's, in us. */
static void say_clock(const uint64_t *block)
{
	int64_t first = (int64_t)(usec_of(block[2]) - block[3]);
	int64_t last = (int64_t)(usec_of(block[4]) - block[5]);

	say("clock-off-us", (uint64_t)(llabs(first) > llabs(last) ? llabs(first) : llabs(last)));
}

static int dump(const char *name, int wrapped, uint64_t count, int by_word)
{
	static uint64_t block[BLOCK_WORDS];
	FILE *file = fopen(name, "wb");
	uint64_t i, j, refused = 0;

	for (i = 0; file && i < count; i += BLOCK_WORDS) {
		for (j = 0; j < BLOCK_WORDS; j += by_word ? 1 : 512) {
			if (by_word) {
				block[j] = control(GETWORD, i + j);
				refused += block[j] == ~0ULL;
				continue;
			}
			refused += control(SET4KB, i + j) != 0;
			refused += control(GET4KB, (uintptr_t)&block[j]) != 0;
		}
		if (i == 0) {
			if (!by_word)
				say_clock(block);
			block[1] |= 3ULL << 56;
			if (!wrapped)
				block[1] &= ~(0x40ULL << 56);
			block[2] = start.counts;
			block[3] = start.usec;
			block[4] = stop.counts;
			block[5] = stop.usec;
		}
		block[1] |= usec_of(block[0] << 8 >> 8);
		if (fwrite(block, sizeof(block), 1, file) != 1)
			return 1;
	}
	say(by_word ? "dump-refused-word" : "dump-refused-4k", refused);
	return !file || fclose(file);
}

/* Makes a short or long name of at most 56 bytes, and the terminator. */
static void lock_name(char text[57], uint64_t i)
{
	unsigned int number = (unsigned int)(i % 10000);

	snprintf(text, 57, "lock-%.*s%u", (int)(i % 48),
		 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv", number);
}

static int record(char **args)
{
	uint64_t names = strtoull(args[4], NULL, 10), count, i, inserted = 0;
	int wrap = atoi(args[5]), wrapped = 0;
	char text[57];

	if (wrap)
		stay();
	say("reset", control(RESET, wrap ? 2 : 0));
	say("count-empty", control(GETCOUNT, 0));
	start = read_pair();
	say("name-while-off", insert_name(INSERTN, KUTRACE_NAME_LOCKNAME, 999, "never"));
	say("point-while-off", control(INSERT1, event(KUTRACE_MARKA, base40("never"))));
	say("host", insert_name(~(uint64_t)INSERTN, KUTRACE_NAME_HOSTNAME, 0, "callhost"));
	for (i = 0; i < names; i++) {
		lock_name(text, i);
		inserted += insert_name(~(uint64_t)INSERTN, KUTRACE_NAME_LOCKNAME, FIRST_LOCK + i, text) ==
			    1 + (strlen(text) + 7) / 8;
	}
	say("names", inserted);
	say("pid-name", insert_name(~(uint64_t)INSERTN, KUTRACE_NAME_PID, (uint64_t)getpid(), "callprog"));
	say("switch", control(~(uint64_t)INSERT1, event(KUTRACE_USERPID, (uint64_t)getpid())));
	say("test-before", control(TEST, 0));
	say("on", control(ON, 0));
	say("test", control(TEST, 0));
	say("word-while-on", control(GETWORD, 0));
	say("set-while-on", control(SET4KB, 0));
	say("count-while-on", control(GETCOUNT, 0));
	call_marks(args[2], strtoull(args[3], NULL, 10));
	say("name-while-on", insert_name(INSERTN, KUTRACE_NAME_LOCKNAME, 990, "late"));
	say("off", control(OFF, 0));
	usleep(20000);
	stop = read_pair();
	say("flush", control(FLUSH, 0));
	count = control(GETCOUNT, 0);
	if ((int64_t)count < 0) {
		count = ~count;
		wrapped = 1;
	}
	say("wrapped", (uint64_t)wrapped);
	say("blocks", count / BLOCK_WORDS);
	say("rest", count % BLOCK_WORDS);
	say("stat", control(STAT, 0));
	say("pid", (uint64_t)getpid());
	return dump(args[0], wrapped, count, 0) || dump(args[1], wrapped, count, 1);
}

static int library(char **args)
{
	uint64_t names = strtoull(args[3], NULL, 10), i;
	int wrap = atoi(args[4]), ret;
	char text[57];

	say("module", (uint64_t)kutrace_test_module());
	say("version", kutrace_version_module());
	if (wrap)
		stay();
	ret = kutrace_do_reset(wrap ? KUTRACE_GO_WRAP : 0);
	say("reset", (uint64_t)ret);
	for (i = 0; i < names && !ret; i++) {
		lock_name(text, i);
		ret = kutrace_addname(KUTRACE_NAME_LOCKNAME, FIRST_LOCK + i, text);
	}
	say("names", i);
	say("on", (uint64_t)kutrace_do_on());
	say("test", (uint64_t)kutrace_test());
	library_marks(args[1], strtoull(args[2], NULL, 10));
	say("addname", (uint64_t)kutrace_addname(KUTRACE_NAME_LOCKNAME, 990, "late"));
	say("flush-while-on", (uint64_t)kutrace_do_flush());
	say("stop", (uint64_t)kutrace_stop(args[0]));
	say("pid", (uint64_t)getpid());
	return 0;
}

/* --- calls that must fail ------------------------------------------------------------ */

static void refuse_pointers(void)
{
	static const uint64_t bad[] = {0, 8, 0xFFFF888000000000, 0xFFFFFFFF81000000,
				       ~0ULL - 4095, 0x7FFFFFFFFFF0, 0xDEAD000000000000};
	uint64_t inserted = 0, copied = 0;
	size_t i;

	control(SET4KB, 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		inserted += control(~(uint64_t)INSERTN, bad[i]) != ~0ULL;
		copied += control(GET4KB, bad[i]) != ~0ULL;
		copied += control(15, bad[i]) != ~0ULL;
	}
	say("inserted-from-nowhere", inserted);
	say("copied-to-nowhere", copied);
}

static void refuse_indices(void)
{
	uint64_t count = control(GETCOUNT, 0), done = 0;

	say("count-positive", (int64_t)count > 0);
	say("last-word", control(GETWORD, count - 1) == ~0ULL);
	done += control(GETWORD, count) != ~0ULL;
	done += control(GETWORD, ~0ULL) != ~0ULL;
	done += control(GETWORD, 1ULL << 63) != ~0ULL;
	done += control(SET4KB, count) != ~0ULL;
	done += control(SET4KB, count - 511) != ~0ULL;
	done += control(SET4KB, ~0ULL) != ~0ULL;
	done += control(SET4KB, 1) != ~0ULL;
	say("beyond", done);
	say("ipc-word", control(GETIPCWORD, 0));
	say("ipc-4k", control(GETIPC4KB, 0));
}

/* Checks that GET4KB fails in a process other than the one that called SET4KB. */
static int refuse_strangers(void)
{
	static uint64_t page[512];
	int status;
	pid_t child;

	say("set", control(SET4KB, 0));
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(control(GET4KB, (uintptr_t)page) != ~0ULL);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	say("stranger", (uint64_t)status);
	say("own", control(GET4KB, (uintptr_t)page));
	return 0;
}

static int refuse(void)
{
	uint64_t words[8] = {event(KUTRACE_NAME_LOCKNAME | 9 << 4, 1)}, done = 0;

	say("reset", control(RESET, 0));
	say("on", control(ON, 0));
	call_marks("refuse", 3);
	done += control(INSERT1, event(KUTRACE_CALL_SYSCALL64, 0)) != ~0ULL;	/* a system call */
	done += control(INSERT1, event(KUTRACE_TSDELTA, 5)) != ~0ULL;	/* a step in time */
	done += control(INSERT1, event(KUTRACE_PC_U, 5)) != ~0ULL;	/* half a PC sample */
	done += control(INSERTN, (uintptr_t)words) != ~0ULL;	/* 9 words */
	words[0] = event(KUTRACE_NAME_LOCKNAME, 1);
	done += control(INSERTN, (uintptr_t)words) != ~0ULL;	/* no words */
	words[0] = event(0x020, 1);
	done += control(INSERTN, (uintptr_t)words) != ~0ULL;	/* a name of no kind */
	words[0] = event(KUTRACE_MARKA, 1);
	done += control(INSERTN, (uintptr_t)words) != ~0ULL;	/* an event that is no name */
	say("inserted", done);
	say("unknown", control(99, 0) != ~0ULL || control(~99ULL, 0) != ~0ULL ||
		       control(1ULL << 32, 0) != ~0ULL);
	say("off", control(OFF, 0));
	refuse_pointers();
	refuse_indices();
	if (refuse_strangers())
		return 1;
	/* as in the original: reset and flush end a recording */
	say("on-again", control(ON, 0));
	say("flush-ends", control(FLUSH, 0) == 0 && control(TEST, 0) == 0);
	say("on-again", control(ON, 0));
	say("reset-ends", control(RESET, 0) == 0 && control(TEST, 0) == 0);
	/* resets for instructions per cycle, for cache misses, and with unknown flags */
	say("reset-ipc", control(RESET, 1));
	say("on-after", control(ON, 0));
	say("count-after", control(GETCOUNT, 0));
	say("reset-llc", control(RESET, 4));
	say("reset-unknown", control(RESET, 16));
	/* A refused reset makes ON fail in the main session only. */
	say("on-another", system("kutrace_control --session another start --size 4 >/dev/null") == 0);
	say("on-after", control(ON, 0));
	say("end-another", system("kutrace_control session destroy another") == 0);
	say("reset-good", control(RESET, 0));
	say("on-good", control(ON, 0));
	say("off-good", control(OFF, 0));
	return 0;
}

static int user(int uid, int gid)
{
	uint64_t words[8] = {event(KUTRACE_NAME_LOCKNAME | 2 << 4, 1), 'x'};
	static uint64_t page[512];
	int command;
	gid_t group = (gid_t)gid;

	if (setgroups(gid > 0, &group) || setgid(65534) || setuid((uid_t)uid))
		return 1;
	for (command = OFF; command <= GETIPC4KB + 2; command++) {
		char what[20];
		uint64_t arg = command == INSERT1 ? event(KUTRACE_MARKA, base40("user")) :
			       command == INSERTN ? (uintptr_t)words :
			       command >= GET4KB ? (uintptr_t)page : 0;

		sprintf(what, "command-%d", command);
		say(what, control((uint64_t)command, arg));
	}
	say("insert1-off", control(~(uint64_t)INSERT1, event(KUTRACE_MARKA, base40("user"))));
	say("insertn-off", control(~(uint64_t)INSERTN, (uintptr_t)words));
	say("context-switch", control(INSERT1, event(KUTRACE_USERPID, 1)));
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "ask")) {
		errno = 0;
		say("version", control(VERSION, 0));
		say("test", control(TEST, 0));
		say("enosys", errno == ENOSYS);
		return 0;
	}
	if (argc == 8 && !strcmp(argv[1], "record"))
		return record(argv + 2);
	if (argc == 7 && !strcmp(argv[1], "library"))
		return library(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "mark")) {
		call_marks(argv[2], strtoull(argv[3], NULL, 10));
		say("pid", (uint64_t)getpid());
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "merge")) {
		for (i = strtoull(argv[2], NULL, 10); i--; ) {
			syscall(SYS_getuid);
			control(TEST, 0);
		}
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "refuse"))
		return refuse();
	if (argc >= 3 && !strcmp(argv[1], "user"))
		return user(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0);
	fprintf(stderr, "usage: see the head of call.c\n");
	return 2;
}
