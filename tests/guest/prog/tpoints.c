// SPDX-License-Identifier: BSD-3-Clause
/*
 * Defines, hits and switches typed tracepoints, for test_points.sh.
 *
 *	tpoints serve NAME	answers commands on standard input, one a line:
 *		hit N	hits each of its tracepoints N times; prints "done N"
 *		look	calls kutrace_points_look() and prints its result
 *		fork N	does the same as hit, but in a child
 *	tpoints switch PATTERN on|off	prints how many were switched, or the error
 *	tpoints list	prints id, on, times defined, text
 *	tpoints define TEXT	prints its id, or the error
 *	tpoints fill N	defines N tracepoints, prints how many were accepted
 *	tpoints bad	makes calls that the module must refuse
 *
 * Every hit records its number and its process. Each server defines shared_io and a tracepoint of
 * its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "kutrace_point.h"

KUTRACE_POINT(shared_io, "n=%u pid=%d file=%s",
	      (uint32_t, n), (int32_t, pid), (const char *, file));
KUTRACE_POINT(only_a, "n=%u of %-8s half=%.1f", (uint32_t, n), (const char *, name), (double, half));
KUTRACE_POINT(only_b, "n=%ld %x|%p", (int64_t, n), (uint8_t, low), (void *, where));

static void hit(const char *name, uint32_t from, uint32_t count)
{
	static const char long_name[] = "a/file/name/that/is/so/long/that/it/does/not/fit/into/it.c";
	uint32_t i;

	for (i = from; i < from + count; i++) {
		kutrace_point_shared_io(i, getpid(), i % 2 ? "odd.c" : long_name);
		if (*name == 'a')
			kutrace_point_only_a(i, name, i / 2.0);
		else
			kutrace_point_only_b(-(int64_t)i, (uint8_t)i, (void *)(uintptr_t)i);
	}
}

static int serve(const char *name)
{
	uint32_t next = 0, count;
	char line[100];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", getpid());
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "hit %u", &count) == 1) {
			hit(name, next, count);
		} else if (sscanf(line, "fork %u", &count) == 1) {
			pid_t child = fork();

			if (!child) {
				hit(name, next, count);
				_exit(0);
			}
			waitpid(child, NULL, 0);
		} else {
			printf("look %d\n", kutrace_points_look());
			continue;
		}
		next += count;
		printf("done %u\n", next);
	}
	return 0;
}

static int device(int flags)
{
	int fd = open(KUTRACE_DEVICE, flags | O_CLOEXEC);

	if (fd < 0)
		perror(KUTRACE_DEVICE);
	return fd;
}

static int give(const char *what, int ret)
{
	printf("%s %s\n", what, ret < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

static int define(int fd, const char *text, struct kutrace_point_def *def)
{
	memset(def, 0, sizeof(*def));
	def->length = sizeof(*def);
	strncat(def->text, text, sizeof(def->text) - 1);
	return ioctl(fd, KUTRACE_IOC_POINT_DEFINE, def);
}

static int do_switch(const char *pattern, const char *value)
{
	struct kutrace_point_switch wanted = {.length = sizeof(wanted)};

	wanted.value = !strcmp(value, "on");
	strncat(wanted.name, pattern, sizeof(wanted.name) - 1);
	/* The module waits a second until the bytes are written. A busy machine may need longer. */
	for (int i = 0; i < 20 && (!i || wanted.behind); i++) {
		if (i)
			usleep(100000);
		if (ioctl(device(O_RDWR), KUTRACE_IOC_POINT_SWITCH, &wanted) < 0)
			return give("switch", -1);
	}
	printf("switched %u%s\n", wanted.count, wanted.behind ? " behind" : "");
	return 0;
}

static int list(void)
{
	struct kutrace_point_def def = {.length = sizeof(def), .id = 1};
	int fd = device(O_RDONLY);

	while (!ioctl(fd, KUTRACE_IOC_POINT_LIST, &def)) {
		printf("%u %s %u %s\n", def.id, def.on ? "on" : "off", def.defined, def.text);
		def.id++;
	}
	if (errno != ENOENT)
		return give("list", -1);
	return 0;
}

static int fill(unsigned int count)
{
	struct kutrace_point_def def;
	int fd = device(O_RDONLY);
	unsigned int i;
	char text[64];

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "fill.%u u32 n|%%u", i);
		if (define(fd, text, &def) < 0)
			break;
	}
	printf("filled %u %s\n", i, i < count ? strerrorname_np(errno) : "ok");
	return 0;
}

static void record(int fd, const char *what, uint32_t id, uint32_t nwords)
{
	struct kutrace_point_entry entry = {.id = id, .nwords = nwords};

	give(what, ioctl(fd, KUTRACE_IOC_POINT, &entry));
}

static void give_byte(int fd, const char *what, uint32_t id, uint64_t address)
{
	struct kutrace_point_byte byte = {.length = sizeof(byte), .id = id, .address = address};

	give(what, ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte));
}

/* Registers bad bytes while @id is on, so that the module would write each byte that it accepts. */
static void bad_bytes(int fd, uint32_t id)
{
	struct kutrace_point_byte byte = {.length = sizeof(byte), .id = id};
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	give_byte(fd, "byte-unknown", id + 1, (uintptr_t)memory);
	give_byte(fd, "byte-id-0", 0, (uintptr_t)memory);
	give_byte(fd, "byte-at-0", id, 0);
	give_byte(fd, "byte-in-kernel", id, 0xffffffff81000000);
	give_byte(fd, "byte-beyond", id, 1ULL << 63);
	give_byte(fd, "byte-in-code", id, (uintptr_t)bad_bytes);
	give_byte(fd, "byte-shared", id, (uintptr_t)shared);
	byte.address = (uintptr_t)memory;
	byte.length--;
	give("byte-length", ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte));
	byte.length++;
	byte.reserved = 1;
	give("byte-reserved", ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte));
	give("byte-nowhere", ioctl(fd, KUTRACE_IOC_POINT_BYTE, 8));
	give("forget-none", ioctl(fd, KUTRACE_IOC_POINT_FORGET, memory));
	printf("untouched %d %d\n", *memory, *shared);
	give_byte(fd, "byte-good", id, (uintptr_t)memory);
	give_byte(fd, "byte-again", id, (uintptr_t)memory);
	printf("on %d\n", *memory);
	give("forget-good", ioctl(fd, KUTRACE_IOC_POINT_FORGET, memory));
	give("forget-again", ioctl(fd, KUTRACE_IOC_POINT_FORGET, memory));
	give("map-beyond", mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)(3ULL << 40)) ==
			   MAP_FAILED ? -1 : 0);
}

static int bad(void)
{
	static const char *const texts[] = {
		"", "x", "x|\n", "x|\x7f", "1x|", "x u8|", "x u8 a b|", "x u7 a|", "x  u8 a|",
		"x u8 a,u8 b|", "\xe4|", "x u8 \xe4|", "|", "x u8 a, |",
		"x u8 a, u8 b, u8 c, u8 d, u8 e, u8 f, u8 g, u8 h|",
		"a234567890123456789012345678901234567890123456789012345678901234|",
	};
	struct kutrace_point_def def;
	struct kutrace_point_switch wanted = {.length = sizeof(wanted)};
	int fd = device(O_RDONLY);
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char what[20];

		snprintf(what, sizeof(what), "text-%zu", i);
		give(what, define(fd, texts[i], &def));
	}
	memset(&def, 'x', sizeof(def));
	def.length = sizeof(def);
	give("text-unterminated", ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def));
	def.length = 8;
	give("length", ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def));
	give("nowhere", ioctl(fd, KUTRACE_IOC_POINT_DEFINE, 8));
	give("good", define(fd, "good u8 a|%u", &def));
	record(fd, "record-good", def.id, 1);
	record(fd, "record-0", 0, 1);
	record(fd, "record-unknown", def.id + 1, 1);
	record(fd, "record-65536", 65536 + def.id, 1);
	record(fd, "record-long", def.id, 8);
	record(fd, "record-4G", def.id, 0xFFFFFFFF);
	give("record-nowhere", ioctl(fd, KUTRACE_IOC_POINT, 8));
	wanted.value = 2;
	give("switch-2", ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted));
	wanted.value = 1;
	strcpy(wanted.name, "nothing*");
	give("switch-none", ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted));
	memset(wanted.name, '*', sizeof(wanted.name));
	give("switch-unterminated", ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted));
	bad_bytes(fd, def.id);
	return 0;
}

static void be_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		perror("nobody");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "nobody")) {
		be_nobody();
		argv++;
		argc--;
	}
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "switch"))
		return do_switch(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc == 3 && !strcmp(argv[1], "fill"))
		return fill((unsigned int)atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "bad"))
		return bad();
	if (argc == 3 && !strcmp(argv[1], "define")) {
		struct kutrace_point_def def;

		if (define(device(O_RDONLY), argv[2], &def) < 0)
			return give("define", -1);
		printf("%u\n", def.id);
		return 0;
	}
	fprintf(stderr, "tpoints: see the head of its source\n");
	return 2;
}
