// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opens the device for the session that a thread's calls apply to. Must not keep a descriptor
 * open, and must not wait.
 */
#include "lib/session/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/device/call.h"
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

static void set_own_name(struct kutrace_session *session)
{
	memset(session, 0, sizeof(*session));
	session->length = sizeof(*session);
	session->flags = KUTRACE_SESSION_KEEP;
	snprintf(session->name, sizeof(session->name), "uid-%u", (unsigned int)geteuid());
}

int ku_session_attach_own(int fd, struct kutrace_session *session)
{
	int ret;

	set_own_name(session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, session);
	if (ret != -ESRCH)
		return ret;
	set_own_name(session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_CREATE, session);
	/* another thread or program of this user has created it meanwhile */
	if (ret == -EEXIST)
		ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, session);
	return ret;
}

/*
 * Attaches the file to the main session if the user may control it. Otherwise attaches it to the
 * user's own session, if that exists or @make is set.
 *
 * For a user who may control nothing, the file stays with the main session, which refuses
 * commands.
 */
static int attach_main(int fd, bool make)
{
	struct kutrace_session session = {.length = sizeof(session)};
	int ret;

	if (fd == KU_CALL_FD)
		return 0;
	if (ku_dev->ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, (unsigned long)&session) != -EACCES)
		return 0;
	if (make)
		return ku_session_attach_own(fd, &session);
	set_own_name(&session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	return ret == -ESRCH ? 0 : ret;
}

/* Attaches the file to the session that this thread uses. */
static int attach(int fd, bool make)
{
	const struct kutrace_handle *used = ku_session_used();
	struct kutrace_session session = {.length = sizeof(session), .id = used->id};
	int ret;

	if (used == ku_session_main())
		return attach_main(fd, make);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	session.name[sizeof(session.name) - 1] = '\0';
	if (!ret && strcmp(session.name, used->name))
		ret = -ESRCH;	/* a later session with the same id */
	return ret;
}

static int open_used(bool make)
{
	int fd = ku_session_open_main(), ret;

	if (fd < 0)
		return fd;
	ret = attach(fd, make);
	if (!ret)
		return fd;
	ku_dev->close(fd);
	return ret;
}

int ku_session_open(void)
{
	return open_used(false);
}

int ku_session_open_own(void)
{
	return open_used(true);
}
