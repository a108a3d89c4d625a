// SPDX-License-Identifier: BSD-3-Clause
/*
 * Requests to the session that this thread uses: information, settings, losses, firings, and typed
 * tracepoints; the present time. Must not end a recording.
 */
#include <poll.h>
#include <time.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/session/handle.h"

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
	ku_copy_out(info, bytes, &own, sizeof(own));
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

/* Reads the time counter after all earlier loads: no effect gets an earlier time than its cause. */
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

int kutrace_mask(uint64_t value, uint64_t mask, uint64_t *kinds)
{
	struct kutrace_switch s = {.value = value, .mask = mask};
	int ret = ku_session_request(ku_session_open_own(), KUTRACE_IOC_MASK, &s);

	if (!ret && kinds)
		*kinds = s.kinds;
	return ret;
}

int kutrace_lost_sized(uint64_t *kinds, size_t count)
{
	struct kutrace_lost lost = {.length = sizeof(lost)};
	int ret = ku_session_request(ku_session_open(), KUTRACE_IOC_LOST, &lost);

	for (size_t i = 0; i < count; i++)
		kinds[i] = ret || i >= lost.nkinds || i >= sizeof(lost.kinds) / sizeof(*kinds)
			 ? 0 : lost.kinds[i];
	return ret;
}

int kutrace_filter_sized(const struct kutrace_filter *filter, size_t bytes)
{
	struct kutrace_filter own;
	int ret = ku_copy_in(&own, sizeof(own), filter, bytes);

	own.length = sizeof(own);
	return ret ?: ku_session_request(ku_session_open_own(), KUTRACE_IOC_FILTER, &own);
}

int kutrace_trigger_sized(struct kutrace_trigger *trigger, size_t bytes)
{
	struct kutrace_trigger own;
	int ret = ku_copy_in(&own, sizeof(own), trigger, bytes);

	if (ret)
		return ret;
	own.length = sizeof(own);
	ret = ku_session_request(ku_session_open_own(), KUTRACE_IOC_TRIGGER, &own);
	own.length = ku_common(sizeof(own), bytes);
	ku_copy_out(trigger, bytes, &own, sizeof(own));
	return ret;
}

int kutrace_points_next_sized(uint32_t id, struct kutrace_point_def *def, size_t bytes)
{
	struct kutrace_point_def own = {.length = sizeof(own), .id = id};
	int ret = ku_session_request(ku_session_open(), KUTRACE_IOC_POINT_LIST, &own);

	own.text[sizeof(own.text) - 1] = '\0';
	own.length = ku_common(sizeof(own), bytes);
	ku_copy_out(def, bytes, &own, sizeof(own));
	return ret;
}

int kutrace_points_switch(const char *pattern, int on, uint32_t *count, uint32_t *behind)
{
	struct kutrace_point_switch s = {.length = sizeof(s), .value = on != 0};
	int ret = -EINVAL;

	if (strlen(pattern) < sizeof(s.name)) {
		strcpy(s.name, pattern);
		ret = ku_session_request(ku_session_open(), KUTRACE_IOC_POINT_SWITCH, &s);
	}
	*count = ret ? 0 : s.count;
	if (behind)
		*behind = ret ? 0 : s.behind;
	return ret;
}

#define POLL_MS	200	/* interval for checking whether the recording goes on */
#define RETRY_MS 20	/* pause if poll() reports a firing that does not count */

/*
 * Copies the firing to the caller. The length of the trigger in it needs no change, because struct
 * kutrace_trigger has not grown.
 */
static void copy_fired(struct kutrace_fired *fired, size_t bytes, struct kutrace_fired *own)
{
	own->comm[sizeof(own->comm) - 1] = '\0';
	own->length = ku_common(sizeof(*own), bytes);
	ku_copy_out(fired, bytes, own, sizeof(*own));
}

int kutrace_fired_sized(struct kutrace_fired *fired, size_t bytes)
{
	struct kutrace_fired own = {.length = sizeof(own)};
	int ret = ku_session_request(ku_session_open(), KUTRACE_IOC_FIRED, &own);

	copy_fired(fired, bytes, &own);
	return ret;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * Waits until more triggers have fired than @seen and the events after them have been recorded.
 * Returns 1 then, 0 at @end_ms, and -ESTALE if the recording has ended.
 *
 * Reads the recording's state before the firings. In the reverse order, it could miss a firing that
 * ended the recording.
 */
static int wait_for_firing(int fd, int64_t end_ms, uint32_t seen, struct kutrace_fired *fired)
{
	struct kutrace_info info;
	bool ready = false;
	int64_t left;
	int ret;

	for (;;) {
		ret = ku_device_info(fd, &info);
		*fired = (struct kutrace_fired){.length = sizeof(*fired)};
		ret = ret ?: ku_device_ioctl(fd, KUTRACE_IOC_FIRED, fired);
		if (ret)
			return ret;
		if (fired->fired > seen && fired->done)
			return 1;
		if (!info.recording)
			return -ESTALE;
		left = end_ms - now_ms();
		if (left <= 0)
			return 0;
		if (left > POLL_MS)
			left = POLL_MS;
		if (ready)
			left = RETRY_MS;
		if (ready || !ku_dev->wait)
			kutrace_msleep((int)left);
		ready = !ready && ku_dev->wait && ku_dev->wait(fd, POLLPRI, (int)left);
	}
}

int kutrace_wait_sized(int timeout_ms, struct kutrace_fired *fired, size_t bytes)
{
	int64_t end_ms = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
	struct kutrace_fired own;
	uint32_t seen;
	int fd, ret;

	/* only the count is used, so the other members need no check */
	ku_copy_in(&own, sizeof(own), fired, ku_common(sizeof(own), bytes));
	seen = own.fired;
	fd = ret = ku_session_open_own();
	if (fd >= 0) {
		ret = fd == KU_CALL_FD ? -ENOTCONN : wait_for_firing(fd, end_ms, seen, &own);
		ku_dev->close(fd);
	}
	copy_fired(fired, bytes, &own);
	return ret;
}
