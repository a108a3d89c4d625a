// SPDX-License-Identifier: BSD-3-Clause
/* Information about the module and the session, and the present time. Must not change anything. */
#include <string.h>

#include "kutrace_events.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "libkutrace.h"

int kutrace_get_info_sized(struct kutrace_info *info, size_t bytes)
{
	struct kutrace_info own = {0};
	int fd = ku_session_open(), ret = fd;

	if (fd >= 0) {
		ret = ku_device_info(fd, &own);
		ku_dev->close(fd);
	}
	if (ret)
		memset(&own, 0, sizeof(own));
	own.length = ku_common(sizeof(own), bytes);
	ku_give(info, bytes, &own, sizeof(own));
	return ret;
}

int64_t kutrace_do_stat(void)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	return ret < 0 ? ret : (int64_t)info.used_blocks * KUTRACE_BLOCK_BYTES;
}

int kutrace_do_test(void)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	return ret < 0 ? ret : info.recording != 0;
}

int kutrace_test(void)
{
	return kutrace_do_test() == 1;
}

int kutrace_test_module(void)
{
	struct kutrace_info info;

	return kutrace_get_info(&info) == 0;
}

/*
 * Reads the time counter after all earlier loads, so no effect gets an earlier time than its
 * cause.
 */
static uint64_t counter(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
	return value;
#elif defined(__riscv)
	uint64_t value;

	__asm__ volatile("fence r, i\n\trdtime %0" : "=r"(value));
	return value;
#else
#error "which counter does the module use here?"
#endif
}

int64_t kutrace_readtime(void)
{
	struct kutrace_info info;

	if (ku_clock_shift() < 0 && kutrace_get_info(&info) < 0)
		return (int64_t)counter();
	return (int64_t)(counter() >> ku_clock_shift());
}
