/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to the module, see device.c. Functions return 0 or a negative errno.
 */
#ifndef KU_LIB_DEVICE_DEVICE_H
#define KU_LIB_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"

/*
 * How the library reaches the module. Unit tests put a module made of memory in
 * its place; nothing outside the process can.
 */
struct ku_dev_ops {
	/* flags as of open(); returns a descriptor or -errno */
	int (*open)(int flags);
	void (*close)(int fd);
	/* arg as of ioctl(); returns what it returns or -errno */
	int (*ioctl)(int fd, unsigned long request, unsigned long arg);
	/* read-only; NULL and *error = -errno on failure */
	void *(*map)(int fd, uint64_t offset, size_t bytes, int *error);
	void (*unmap)(void *address, size_t bytes);
	/*
	 * As poll(), for such events, or so long; true: there are some. NULL: cannot
	 * tell.
	 */
	bool (*wait)(int fd, short events, int timeout_ms);
};

extern const struct ku_dev_ops *ku_dev;

/* An error of opening for writing: reading may be allowed. */
bool ku_device_refuses(int error);
/* ioctl() with a pointer, in the library's errors; -ESRCH: no such session. */
int ku_device_ioctl(int fd, unsigned long request, void *arg);
/* By how much the module shifts its counter; -1: it has not been asked yet. */
int ku_clock_shift(void);
/* Fills and checks *info. */
int ku_device_info(int fd, struct kutrace_info *info);
/* A command; *result is not ~0 when 0 is returned. -EINVAL: refused. */
int ku_device_command(int fd, uint64_t command, uint64_t arg, uint64_t *result);
/* Turns an errno of the device into one of the library's (negative). */
int ku_device_error(int error);

#endif
