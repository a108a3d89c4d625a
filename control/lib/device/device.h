/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to the module. Functions return 0 or a negative errno. */
#ifndef KU_LIB_DEVICE_DEVICE_H
#define KU_LIB_DEVICE_DEVICE_H

#include <limits.h>
#include <stdbool.h>

#include "lib/base/name_list.h"

/* Operations on the device. Unit tests replace them by a simulated module in memory. */
struct ku_dev_ops {
	/* Opens the device. @flags as for open(). Returns a descriptor or -errno. */
	int (*open)(int flags);
	void (*close)(int fd);
	/* Calls ioctl(). @arg as for ioctl(). Returns the result of ioctl() or -errno. */
	int (*ioctl)(int fd, unsigned long request, unsigned long arg);
	/* Maps the device read-only. On failure returns NULL and sets *error to -errno. */
	void *(*map)(int fd, uint64_t offset, size_t bytes, int *error);
	void (*unmap)(void *address, size_t bytes);
	/*
	 * Waits for @events as poll() does, for at most @timeout_ms. Returns true if there are any
	 * events. NULL: waiting is not supported.
	 */
	bool (*wait)(int fd, short events, int timeout_ms);
};

extern const struct ku_dev_ops *ku_dev;

/* Returns whether @error means that writing lacks permission. Reading may be permitted. */
bool ku_device_refuses(int error);
/* Calls ioctl() with a pointer. Returns the library's errors; -ESRCH: the session is gone. */
int ku_device_ioctl(int fd, unsigned long request, void *arg);
/* Returns the clock shift of the last information from the module; -1: none yet. */
int ku_clock_shift(void);
/* Fills and checks *@info. */
int ku_device_info(int fd, struct kutrace_info *info);
/*
 * Executes a command. Returns 0 and a *@result that is not ~0; -EINVAL if the module refused it; or
 * another error.
 */
int ku_device_command(int fd, uint64_t command, uint64_t arg, uint64_t *result);
/* Converts an errno of the device to an error of the library (negative). */
int ku_device_error(int error);

/*
 * Stands for a descriptor if only the control system call is available. open() never returns this
 * number. Must not be passed to poll().
 */
#define KU_CALL_FD	INT_MAX

/* Adds the module's names, as ku_names_kernel() does from the device. */
int ku_call_names(struct ku_name_list *names, uint64_t *bad);

#endif
