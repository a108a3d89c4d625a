// SPDX-License-Identifier: BSD-3-Clause
/*
 * Waits until a trigger has fired. Must not end a recording, and must not wait for one that has
 * ended.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "lib/base/sizes.h"
#include "lib/device/call.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "libkutrace.h"

#define LOOK_MS	200	/* interval for checking whether the recording goes on */
#define AGAIN_MS 20	/* pause if poll() reports a firing that does not count */

static int ask_fired(int fd, struct kutrace_fired *fired)
{
	int ret;

	memset(fired, 0, sizeof(*fired));
	fired->length = sizeof(*fired);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_FIRED, fired);
	fired->comm[sizeof(fired->comm) - 1] = '\0';
	return ret;
}

/*
 * Copies the result to the caller. The trigger in it has its own length, of a struct that has not
 * grown.
 */
static void give_fired(struct kutrace_fired *fired, size_t bytes, struct kutrace_fired *own)
{
	own->length = ku_common(sizeof(*own), bytes);
	ku_give(fired, bytes, own, sizeof(*own));
}

int kutrace_fired_sized(struct kutrace_fired *fired, size_t bytes)
{
	struct kutrace_fired own = {0};
	int fd = ku_session_open(), ret = fd;

	if (fd >= 0) {
		ret = ask_fired(fd, &own);
		ku_dev->close(fd);
	}
	give_fired(fired, bytes, &own);
	return ret;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * Waits until more triggers have fired than @seen and the events after them have been recorded:
 * returns 1. Returns 0 at @end_ms, or -ESTALE if the recording has ended.
 *
 * Reads whether it records before reading the firings, so a firing that ended the recording is
 * not missed.
 */
static int wait_on(int fd, int64_t end_ms, uint32_t seen, struct kutrace_fired *fired)
{
	struct kutrace_info info;
	bool ready = false;
	int64_t left;
	int ret;

	for (;;) {
		ret = ku_device_info(fd, &info);
		if (!ret)
			ret = ask_fired(fd, fired);
		if (ret)
			return ret;
		if (fired->fired > seen && fired->done)
			return 1;
		if (!info.recording)
			return -ESTALE;
		left = end_ms - now_ms();
		if (left <= 0)
			return 0;
		if (left > LOOK_MS)
			left = LOOK_MS;
		if (ready)
			left = AGAIN_MS;
		if (ready || !ku_dev->wait)
			kutrace_msleep((int)left);
		ready = !ready && ku_dev->wait &&
			ku_dev->wait(fd, POLLPRI, (int)left);
	}
}

int kutrace_wait_sized(int timeout_ms, struct kutrace_fired *fired, size_t bytes)
{
	int64_t end_ms = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
	struct kutrace_fired own;
	uint32_t seen;
	int fd, ret;

	/* only the count is used, so the other members need no check */
	ku_take(&own, sizeof(own), fired, ku_common(sizeof(own), bytes));
	seen = own.fired;
	fd = ret = ku_session_open_own();
	if (fd >= 0) {
		ret = fd == KU_CALL_FD ? -ENOTCONN : wait_on(fd, end_ms, seen, &own);
		ku_dev->close(fd);
	}
	give_fired(fired, bytes, &own);
	return ret;
}
