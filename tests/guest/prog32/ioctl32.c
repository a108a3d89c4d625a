// SPDX-License-Identifier: BSD-3-Clause
/*
 * A 32-bit program for x86 without a C library: calls the control device by structs, as 64-bit
 * programs do. Prints a line "COMMAND RESULT" for each call: 0 or -errno. Makes 23 marks
 * mark_d(3201). For test_access.sh. Built with -m32 and only the kernel's headers.
 */
#include "kutrace_abi.h"
#include "kutrace_events.h"

#define MARKS		23
#define NUMBER		3201

#define NR_exit		1
#define NR_write	4
#define NR_open		5
#define NR_ioctl	54
#define READ_WRITE	2

_Static_assert(sizeof(long) == 4, "this is a 32-bit program");

/* GCC may call memset for structs. */
void *memset(void *to, int value, __SIZE_TYPE__ bytes);
void *memset(void *to, int value, __SIZE_TYPE__ bytes)
{
	char *at = to;

	while (bytes--) {
		*at++ = (char)value;
		__asm__ volatile("" : : : "memory");	/* no memset() call for this loop */
	}
	return to;
}

static int call(int number, long a, long b, long c)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory");
	return result;
}

static void say(const char *name, int result)
{
	char text[80];
	unsigned int digits, n = 0, value = result < 0 ? -(unsigned int)result : (unsigned int)result;

	while (*name)
		text[n++] = *name++;
	text[n++] = ' ';
	if (result < 0)
		text[n++] = '-';
	for (digits = 1; value / digits > 9; digits *= 10)
		;
	for (; digits; digits /= 10)
		text[n++] = (char)('0' + value / digits % 10);
	text[n++] = '\n';
	call(NR_write, 1, (long)text, (long)n);
}

static void try(int fd, const char *name, unsigned long request, void *arg)
{
	say(name, call(NR_ioctl, fd, (long)request, (long)arg));
}

static void try_marks(int fd)
{
	struct kutrace_mark mark = {(__u64)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | NUMBER};
	int i, failed = 0;

	for (i = 0; i < MARKS; i++)
		failed |= call(NR_ioctl, fd, (long)KUTRACE_IOC_MARK_ENTRY, (long)&mark);
	say("MARK_ENTRY", failed);
	mark.entry |= 1ULL << KUTRACE_TS_SHIFT;
	try(fd, "MARK_ENTRY-long", KUTRACE_IOC_MARK_ENTRY, &mark);
	try(fd, "MARK_ENTRY-nowhere", KUTRACE_IOC_MARK_ENTRY, (void *)8);
	/* The event number does not fit in the argument. */
	try(fd, "MARK", KUTRACE_IOC_MARK, (void *)NUMBER);
}

static void try_structs(int fd)
{
	static char follows;
	struct kutrace_info info = {.length = sizeof(info)};
	struct kutrace_control control = {.command = KUTRACE_CMD_VERSION};
	struct kutrace_session session = {.length = sizeof(session)};
	struct kutrace_switch mask = {0};
	struct kutrace_filter filter = {.length = sizeof(filter)};
	struct kutrace_trigger trigger = {.length = sizeof(trigger)};
	struct kutrace_fired fired = {.length = sizeof(fired)};
	struct kutrace_lost lost = {.length = sizeof(lost)};
	struct kutrace_point_def def = {.length = sizeof(def), .text = "word32 u32 a|%u"};
	struct kutrace_point_byte byte = {.length = sizeof(byte)};
	struct kutrace_point_entry entry = {.nwords = 1};

	try(fd, "INFO", KUTRACE_IOC_INFO, &info);
	say("abi_version", (int)info.abi_version);
	try(fd, "CONTROL", KUTRACE_IOC_CONTROL, &control);
	say("version", (int)control.result);
	try(fd, "SESSION_LIST", KUTRACE_IOC_SESSION_LIST, &session);
	say("reserved", session.name[0] == 'm' && !session.reserved[5] ? 0 : -1);
	try(fd, "MASK", KUTRACE_IOC_MASK, &mask);
	try(fd, "FILTER", KUTRACE_IOC_FILTER, &filter);
	try(fd, "TRIGGER", KUTRACE_IOC_TRIGGER, &trigger);
	try(fd, "FIRED", KUTRACE_IOC_FIRED, &fired);
	try(fd, "LOST", KUTRACE_IOC_LOST, &lost);
	say("nkinds", lost.nkinds == KUTRACE_KINDS ? 0 : -1);
	try(fd, "POINT_DEFINE", KUTRACE_IOC_POINT_DEFINE, &def);
	byte.id = entry.id = def.id;
	byte.address = (unsigned long)&follows;
	try(fd, "POINT", KUTRACE_IOC_POINT, &entry);
	try(fd, "POINT_BYTE", KUTRACE_IOC_POINT_BYTE, &byte);
	try(fd, "POINT_FORGET", KUTRACE_IOC_POINT_FORGET, &follows);
	try(fd, "POINT_FORGET-again", KUTRACE_IOC_POINT_FORGET, &follows);
	try(fd, "ATTEND", KUTRACE_IOC_ATTEND, (void *)2);
	try(fd, "unknown", _IO(KUTRACE_IOC_MAGIC, 99), (void *)0);
}

void _start(void);
void _start(void)
{
	int fd = call(NR_open, (long)KUTRACE_DEVICE, READ_WRITE, 0);

	say("open", fd < 0 ? fd : 0);
	try_marks(fd);
	try_structs(fd);
	call(NR_exit, 0, 0, 0);
}
