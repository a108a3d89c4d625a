// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opening the device for the session that a thread's calls are about. Must never keep a
 * descriptor, nor wait. Called by everything that asks or tells a session something.
 */
#include "lib/session/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/device/device.h"
#include "lib/session/used.h"

static struct ku_found_hook *hooks;

void ku_session_on_found(struct ku_found_hook *hook)
{
	hook->next = hooks;
	hooks = hook;
}

int ku_session_open_main(void)
{
	const struct ku_found_hook *hook;
	int fd = ku_dev->open(O_RDWR);

	if (ku_device_refuses(fd)) {
		int fd2 = ku_dev->open(O_RDONLY);

		if (fd2 >= 0)
			fd = fd2;
	}
	if (fd < 0)
		return ku_device_error(fd);
	for (hook = hooks; hook; hook = hook->next)
		hook->found();
	return fd;
}

/* Makes a file one of the session that this thread uses. */
static int attach(int fd)
{
	const struct kutrace_handle *used = ku_session_used();
	struct kutrace_session session = {.length = sizeof(session), .id = used->id};
	int ret;

	if (used == ku_session_main())
		return 0;
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	session.name[sizeof(session.name) - 1] = '\0';
	if (!ret && strcmp(session.name, used->name))
		ret = -ESRCH;	/* a later one */
	return ret;
}

int ku_session_open(void)
{
	int fd = ku_session_open_main(), ret;

	if (fd < 0)
		return fd;
	ret = attach(fd);
	if (!ret)
		return fd;
	ku_dev->close(fd);
	return ret;
}
