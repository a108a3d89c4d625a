// SPDX-License-Identifier: BSD-3-Clause
/*
 * Takes every lock of the device in every possible order, for test_debug_locks.sh, where lockdep
 * checks the order: maps, changes sessions, records, switches, reads the files for scripts,
 * registers bytes and removes them, unmaps. Run it as root. No step may fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include <unistd.h>

#include "kutrace_abi.h"

static unsigned char byte_of_ours;

static long check(const char *what, long ret)
{
	if (ret < 0) {
		fprintf(stderr, "lockorder: %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return ret;
}

static int device(void)
{
	return (int)check("open", open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC));
}

static void command(int fd, uint64_t number, uint64_t arg)
{
	struct kutrace_control control = {.command = number, .arg = arg};

	check("command", ioctl(fd, KUTRACE_IOC_CONTROL, &control));
	if (control.result == ~0ULL) {
		fprintf(stderr, "lockorder: command %llu refused\n", (unsigned long long)number);
		exit(1);
	}
}

static void *map(int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		check("mmap", -1);
	/* check that the page is there */
	if (((volatile struct kutrace_meta_page *)at)->length == 0)
		check("page", -1);
	return at;
}

static void turn(int fd, uint32_t on)
{
	struct kutrace_point_switch wanted = {.length = sizeof(wanted), .value = on,
					      .name = "order"};

	check("switch", ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted));
}

static void read_all(const char *name, const char *write_it)
{
	static char text[1 << 16];
	int fd = (int)check(name, open(name, O_RDWR | O_CLOEXEC));

	if (write_it)
		check(name, write(fd, write_it, strlen(write_it)));
	while (check(name, read(fd, text, sizeof(text))) > 0)
		;
	close(fd);
}

int main(void)
{
	struct kutrace_session session = {.length = sizeof(session), .name = "order", .mb = 1};
	struct kutrace_point_def def = {.length = sizeof(def), .text = "order|"};
	struct kutrace_point_byte byte = {.length = sizeof(byte),
					  .address = (uintptr_t)&byte_of_ours};
	struct kutrace_switch kinds = {0};
	int fd = device(), other = device();
	struct pollfd ready = {.fd = other, .events = POLLIN};
	void *at = map(fd), *second;

	/* the file moves to another session, which ends the recording of the first session */
	check("create", ioctl(other, KUTRACE_IOC_SESSION_CREATE, &session));
	command(other, KUTRACE_CMD_RESET, KUTRACE_RESET_WRAP);
	check("attend", ioctl(other, KUTRACE_IOC_ATTEND, 1));
	command(other, KUTRACE_CMD_ON, 0);
	memset(&session, 0, sizeof(session));
	session.length = sizeof(session);
	strcpy(session.name, KUTRACE_SESSION_MAIN);
	check("attach", ioctl(other, KUTRACE_IOC_SESSION_ATTACH, &session));

	check("define", ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def));
	byte.id = def.id;
	check("byte", ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte));
	command(fd, KUTRACE_CMD_RESET, 0);
	command(fd, KUTRACE_CMD_ON, 0);
	turn(fd, 0);
	turn(fd, 1);
	check("mask", ioctl(fd, KUTRACE_IOC_MASK, &kinds));
	second = map(other);
	check("poll", poll(&ready, 1, 0));
	command(fd, KUTRACE_CMD_OFF, 0);
	command(fd, KUTRACE_CMD_GETCOUNT, 0);
	read_all("/dev/kutrace/ctl", NULL);
	read_all("/dev/kutrace/tracepoints", "order off\n");
	read_all("/dev/kutrace/tracepoints", NULL);
	read_all("/dev/kutrace/aux", NULL);
	read_all("/dev/kutrace/cpu000", NULL);
	check("forget", ioctl(fd, KUTRACE_IOC_POINT_FORGET, &byte_of_ours));
	check("byte", ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte));
	munmap(at, 4096);
	munmap(second, 4096);
	close(other);
	close(fd);
	return 0;
}
