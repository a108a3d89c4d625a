// SPDX-License-Identifier: BSD-3-Clause
/*
 * Settings of a session (kinds, filter, triggers) and its losses; typed tracepoints. Must apply
 * only to the session that this thread uses.
 */
#include <errno.h>
#include <string.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "libkutrace.h"

/* Executes a request on @fd, a descriptor or a negative errno, and closes it. */
static int request_on(int fd, unsigned long request, void *arg)
{
	int ret;

	if (fd < 0)
		return fd;
	ret = ku_device_ioctl(fd, request, arg);
	ku_dev->close(fd);
	return ret;
}

static int request_of_session(unsigned long request, void *arg)
{
	return request_on(ku_session_open(), request, arg);
}

/* Executes a request that changes the session. */
static int change_session(unsigned long request, void *arg)
{
	return request_on(ku_session_open_own(), request, arg);
}

int kutrace_mask(uint64_t value, uint64_t mask, uint64_t *kinds)
{
	struct kutrace_switch s = {.value = value, .mask = mask};
	int ret = change_session(KUTRACE_IOC_MASK, &s);

	if (!ret && kinds)
		*kinds = s.kinds;
	return ret;
}

int kutrace_lost_sized(uint64_t *kinds, size_t count)
{
	struct kutrace_lost lost = {.length = sizeof(lost)};
	int ret = request_of_session(KUTRACE_IOC_LOST, &lost);
	size_t i;

	for (i = 0; i < count; i++)
		kinds[i] = ret || i >= lost.nkinds || i >= sizeof(lost.kinds) / sizeof(*kinds)
			 ? 0 : lost.kinds[i];
	return ret;
}

int kutrace_filter_sized(const struct kutrace_filter *filter, size_t bytes)
{
	struct kutrace_filter own;
	int ret = ku_take(&own, sizeof(own), filter, bytes);

	own.length = sizeof(own);
	return ret ? ret : change_session(KUTRACE_IOC_FILTER, &own);
}

int kutrace_trigger_sized(struct kutrace_trigger *trigger, size_t bytes)
{
	struct kutrace_trigger own;
	int ret = ku_take(&own, sizeof(own), trigger, bytes);

	if (ret)
		return ret;
	own.length = sizeof(own);
	ret = change_session(KUTRACE_IOC_TRIGGER, &own);
	own.length = ku_common(sizeof(own), bytes);
	ku_give(trigger, bytes, &own, sizeof(own));
	return ret;
}

int kutrace_points_next_sized(uint32_t id, struct kutrace_point_def *def, size_t bytes)
{
	struct kutrace_point_def own = {.length = sizeof(own), .id = id};
	int ret = request_of_session(KUTRACE_IOC_POINT_LIST, &own);

	own.text[sizeof(own.text) - 1] = '\0';
	own.length = ku_common(sizeof(own), bytes);
	ku_give(def, bytes, &own, sizeof(own));
	return ret;
}

int kutrace_points_switch(const char *pattern, int on, uint32_t *count, uint32_t *behind)
{
	struct kutrace_point_switch s = {.length = sizeof(s), .value = on != 0};
	int ret;

	*count = 0;
	if (behind)
		*behind = 0;
	if (strlen(pattern) >= sizeof(s.name))
		return -EINVAL;
	strcpy(s.name, pattern);
	ret = request_of_session(KUTRACE_IOC_POINT_SWITCH, &s);
	if (ret)
		return ret;
	*count = s.count;
	if (behind)
		*behind = s.behind;
	return 0;
}
