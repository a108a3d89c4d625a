// SPDX-License-Identifier: BSD-3-Clause
/*
 * Access to the module. All code that opens, queries or maps /dev/kutrace/control must use
 * ku_dev, and gets the library's errors. If the device cannot be opened and the kernel has the
 * control system call, ku_dev uses that call (call.c), and KU_CALL_FD stands for its descriptor.
 *
 * Must not keep a descriptor open between calls: this would keep the module from being unloaded.
 */
#include "lib/device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/device/call.h"
#include "libkutrace.h"

bool ku_device_refuses(int error)
{
	return error == -EACCES || error == -EPERM || error == -EROFS;
}

static int no_device(int flags, int error)
{
	bool absent = ku_device_error(error) == -ENODEV;
	bool closed = ku_device_refuses(error) && (flags & O_ACCMODE) == O_RDONLY;

	return (absent || closed) && ku_call_answers() ? KU_CALL_FD : error;
}

static int real_open(int flags)
{
	int fd, high;

	fd = open(KUTRACE_DEVICE, flags | O_CLOEXEC);
	if (fd < 0)
		return no_device(flags, -errno);
	if (fd > STDERR_FILENO)
		return fd;
	/* the program has closed standard descriptors: do not take their numbers */
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (high < 0)
		high = -errno;
	close(fd);
	return high;
}

static void real_close(int fd)
{
	if (fd != KU_CALL_FD)
		close(fd);
}

static int real_ioctl(int fd, unsigned long request, unsigned long arg)
{
	int ret;

	if (fd == KU_CALL_FD)
		return ku_call_ioctl(request, arg);
	ret = ioctl(fd, (unsigned int)request, arg);
	return ret < 0 ? -errno : ret;
}

static void *real_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	void *address;

	if (fd == KU_CALL_FD)
		return ku_call_map(offset, bytes, error);
	address = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (address != MAP_FAILED)
		return address;
	*error = -errno;
	return NULL;
}

static void real_unmap(void *address, size_t bytes)
{
	munmap(address, bytes);
}

static bool real_wait(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	int ret = poll(&poll_fd, 1, timeout_ms);

	if (ret < 0 && errno != EINTR)
		kutrace_msleep(timeout_ms);
	return ret > 0;
}

static const struct ku_dev_ops real_ops = {
	.open = real_open,
	.close = real_close,
	.ioctl = real_ioctl,
	.map = real_map,
	.unmap = real_unmap,
	.wait = real_wait,
};

_Static_assert(sizeof(long) == 8, "libkutrace is for 64-bit programs");

const struct ku_dev_ops *ku_dev = &real_ops;

int ku_device_error(int error)
{
	switch (error < 0 ? -error : error) {
	case 0:
		return 0;
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
	case ENODEV:
		return -ENODEV;
	case EACCES:
	case EPERM:
		return -EPERM;
	case ENOTTY:
		return -EPROTO;
	default:
		return error < 0 ? error : -error;
	}
}

int ku_device_ioctl(int fd, unsigned long request, void *arg)
{
	int ret = ku_dev->ioctl(fd, request, (unsigned long)arg);

	/* the open file shows that the module is loaded, so the session does not exist */
	if (ret == -ENODEV || ret == -ENOENT)
		return -ESRCH;
	return ret < 0 ? ku_device_error(ret) : 0;
}

/* Last value from the module. Recordings can differ. */
static int clock_shift = -1;

int ku_clock_shift(void)
{
	return __atomic_load_n(&clock_shift, __ATOMIC_RELAXED);
}

int ku_device_info(int fd, struct kutrace_info *info)
{
	int ret;

	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	ret = ku_dev->ioctl(fd, KUTRACE_IOC_INFO, (unsigned long)info);
	if (ret == -EINVAL)
		return -EPROTO;
	if (ret == -ENODEV)
		return -ESRCH;
	if (ret < 0)
		return ku_device_error(ret);
	if (info->abi_version != KUTRACE_ABI_VERSION || info->length < sizeof(*info))
		return -EPROTO;
	info->start_comm[sizeof(info->start_comm) - 1] = '\0';
	info->name[sizeof(info->name) - 1] = '\0';
	__atomic_store_n(&clock_shift, (int)(info->clock_shift & 63), __ATOMIC_RELAXED);
	return 0;
}

int ku_device_command(int fd, uint64_t command, uint64_t arg, uint64_t *result)
{
	struct kutrace_control control = {.command = command, .arg = arg, .result = ~0ULL};
	int ret;

	ret = ku_device_ioctl(fd, KUTRACE_IOC_CONTROL, &control);
	if (ret)
		return ret;
	if (control.result == ~0ULL)
		return -EINVAL;
	if (result)
		*result = control.result;
	return 0;
}
