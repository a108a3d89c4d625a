// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sessions and their handles. Must not end a recording of another program.
 *
 * A handle keeps a file open that stays attached to its session. This prevents confusion with a
 * later session of the same name. Closing the file destroys a session without keep, and ends a
 * recording that is bound to the file.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "lib/session/used.h"

/* Sets the name. Returns -EINVAL if it is invalid. */
static int set_name(struct kutrace_session *session, const char *name)
{
	memset(session, 0, sizeof(*session));
	session->length = sizeof(*session);
	if (!name || !*name)
		return 0;
	if (strlen(name) >= sizeof(session->name) ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789._-")])
		return -EINVAL;
	strcpy(session->name, name);
	return 0;
}

/*
 * Opens a file for the session, by @request, and fills @session. If permission is missing and
 * @or_own is set, uses the user's own session.
 */
static int open_with(unsigned long request, struct kutrace_session *session, bool or_own,
		     struct kutrace_handle **handle)
{
	struct kutrace_handle *new = calloc(1, sizeof(*new));
	int ret;

	*handle = NULL;
	if (!new)
		return -ENOMEM;
	new->fd = ku_session_open_main();
	ret = new->fd < 0 ? new->fd : ku_device_ioctl(new->fd, request, session);
	if (ret == -EPERM && or_own && new->fd >= 0)
		ret = ku_session_attach_own(new->fd, session);
	if (ret) {
		kutrace_session_close(new);
		return ret;
	}
	new->id = session->id;
	session->name[sizeof(session->name) - 1] = '\0';
	memcpy(new->name, session->name, sizeof(new->name));
	*handle = new;
	return 0;
}

int kutrace_session_create_sized(const char *name,
				 const struct kutrace_session_options *options, size_t bytes,
				 struct kutrace_handle **handle)
{
	struct kutrace_session_options own;
	struct kutrace_session session;
	int ret = set_name(&session, name);

	*handle = NULL;
	if (!ret)
		ret = ku_take(&own, sizeof(own), options, bytes);
	if (ret)
		return ret;
	session.mb = own.mb;
	session.kinds = own.kinds;
	session.flags = own.keep ? KUTRACE_SESSION_KEEP : 0;
	return open_with(KUTRACE_IOC_SESSION_CREATE, &session, false, handle);
}

int kutrace_session_open(const char *name, struct kutrace_handle **handle)
{
	struct kutrace_session session;
	bool named = name && *name;
	int ret = set_name(&session, named ? name : KUTRACE_SESSION_MAIN);

	*handle = NULL;
	return ret ? ret : open_with(KUTRACE_IOC_SESSION_ATTACH, &session, !named, handle);
}

void kutrace_session_close(struct kutrace_handle *handle)
{
	if (!handle)
		return;
	if (ku_session_used() == handle)
		kutrace_session_use(NULL);
	if (handle->fd >= 0)
		ku_dev->close(handle->fd);
	free(handle);
}

const char *kutrace_session_name(const struct kutrace_handle *handle)
{
	return handle ? handle->name : KUTRACE_SESSION_MAIN;
}

int kutrace_session_keep(struct kutrace_handle *handle)
{
	return ku_device_ioctl(handle->fd, KUTRACE_IOC_SESSION_KEEP, NULL);
}

int kutrace_session_attend(struct kutrace_handle *handle, int on)
{
	int ret = ku_dev->ioctl(handle->fd, KUTRACE_IOC_ATTEND, on != 0);

	return ret == -ENODEV ? -ESRCH : ku_device_error(ret);
}

int kutrace_session_destroy(const char *name)
{
	struct kutrace_session session;
	int ret = set_name(&session, name), fd;

	if (!ret && !session.name[0])
		ret = -EINVAL;
	if (ret)
		return ret;
	fd = ku_session_open_main();
	if (fd < 0)
		return fd;
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_DESTROY, &session);
	ku_dev->close(fd);
	return ret;
}

int kutrace_session_next_sized(uint32_t id, struct kutrace_session *session, size_t bytes)
{
	struct kutrace_session own;
	int fd = ku_session_open_main(), ret = fd;

	set_name(&own, NULL);
	own.id = id;
	if (fd >= 0) {
		ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_LIST, &own);
		ku_dev->close(fd);
	}
	own.name[sizeof(own.name) - 1] = '\0';
	own.owner_comm[sizeof(own.owner_comm) - 1] = '\0';
	own.length = ku_common(sizeof(own), bytes);
	ku_give(session, bytes, &own, sizeof(own));
	return ret;
}
