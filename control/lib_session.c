// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: sessions, and what each of them is told: which events, whose, what it
 * waits for. Which session a thread's calls are about is its own: a handle that it
 * uses, or the main one. Must never end a recording of somebody else's. Called by
 * programs and by kutrace_control.
 *
 * A handle has a file open, which is of that session for good: so the session cannot
 * be mistaken for a later one of the same name, a session that is not kept goes with
 * it, and so does a recording that it attends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ku_lib.h"

#define LOOK_MS	200	/* how often: is it still recording? */
#define AGAIN_MS 20	/* what the file is ready for is not what is waited for */

static struct kutrace_handle main_session = {.fd = -1, .name = KUTRACE_SESSION_MAIN};

/* Small enough for the room that a program has for libraries that it loads later. */
static __thread struct kutrace_handle *used __attribute__((tls_model("initial-exec")));

struct kutrace_handle *ku_session_used(void)
{
	return used ? used : &main_session;
}

struct kutrace_handle *kutrace_session_use(struct kutrace_handle *handle)
{
	struct kutrace_handle *before = used;

	used = handle;
	return before;
}

/* The name has a session; -EINVAL: it is none. */
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

int ku_session_attach(int fd)
{
	struct kutrace_session session;
	int ret;

	if (!used)
		return 0;
	set_name(&session, NULL);
	session.id = used->id;
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	session.name[sizeof(session.name) - 1] = '\0';
	if (!ret && strcmp(session.name, used->name))
		ret = -ESRCH;	/* a later one */
	return ret;
}

/* A file that is of the session by then; fills session. */
static int open_with(unsigned long request, struct kutrace_session *session,
		     struct kutrace_handle **handle)
{
	struct kutrace_handle *new = calloc(1, sizeof(*new));
	int ret;

	*handle = NULL;
	if (!new)
		return -ENOMEM;
	new->fd = ku_device_open_main();
	ret = new->fd < 0 ? new->fd : ku_device_ioctl(new->fd, request, session);
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
	return open_with(KUTRACE_IOC_SESSION_CREATE, &session, handle);
}

int kutrace_session_open(const char *name, struct kutrace_handle **handle)
{
	struct kutrace_session session;
	int ret = set_name(&session, name && *name ? name : KUTRACE_SESSION_MAIN);

	*handle = NULL;
	return ret ? ret : open_with(KUTRACE_IOC_SESSION_ATTACH, &session, handle);
}

void kutrace_session_close(struct kutrace_handle *handle)
{
	if (!handle)
		return;
	if (used == handle)
		used = NULL;
	if (handle->fd >= 0)
		ku_dev->close(handle->fd);
	free(handle);
}

const char *kutrace_session_name(const struct kutrace_handle *handle)
{
	return handle ? handle->name : main_session.name;
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
	fd = ku_device_open_main();
	if (fd < 0)
		return fd;
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_DESTROY, &session);
	ku_dev->close(fd);
	return ret;
}

int kutrace_session_next_sized(uint32_t id, struct kutrace_session *session, size_t bytes)
{
	struct kutrace_session own;
	int fd = ku_device_open_main(), ret = fd;

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

/* --- what a session is told --------------------------------------------------- */

/* A request about the session that this thread uses. */
static int tell(unsigned long request, void *arg)
{
	int fd = ku_device_open(), ret;

	if (fd < 0)
		return fd;
	ret = ku_device_ioctl(fd, request, arg);
	ku_dev->close(fd);
	return ret;
}

int kutrace_mask(uint64_t value, uint64_t mask, uint64_t *kinds)
{
	struct kutrace_switch s = {.value = value, .mask = mask};
	int ret = tell(KUTRACE_IOC_MASK, &s);

	if (!ret && kinds)
		*kinds = s.kinds;
	return ret;
}

int kutrace_lost_sized(uint64_t *kinds, size_t count)
{
	struct kutrace_lost lost = {.length = sizeof(lost)};
	int ret = tell(KUTRACE_IOC_LOST, &lost);
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
	return ret ? ret : tell(KUTRACE_IOC_FILTER, &own);
}

int kutrace_trigger_sized(struct kutrace_trigger *trigger, size_t bytes)
{
	struct kutrace_trigger own;
	int ret = ku_take(&own, sizeof(own), trigger, bytes);

	if (ret)
		return ret;
	own.length = sizeof(own);
	ret = tell(KUTRACE_IOC_TRIGGER, &own);
	own.length = ku_common(sizeof(own), bytes);
	ku_give(trigger, bytes, &own, sizeof(own));
	return ret;
}

int kutrace_points_next_sized(uint32_t id, struct kutrace_point_def *def, size_t bytes)
{
	struct kutrace_point_def own = {.length = sizeof(own), .id = id};
	int ret = tell(KUTRACE_IOC_POINT_LIST, &own);

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
	ret = tell(KUTRACE_IOC_POINT_SWITCH, &s);
	if (ret)
		return ret;
	*count = s.count;
	if (behind)
		*behind = s.behind;
	return 0;
}

static int ask_fired(int fd, struct kutrace_fired *fired)
{
	int ret;

	memset(fired, 0, sizeof(*fired));
	fired->length = sizeof(*fired);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_FIRED, fired);
	fired->comm[sizeof(fired->comm) - 1] = '\0';
	return ret;
}

/* What is inside has its length, too, which is as long as that struct has always been. */
static void give_fired(struct kutrace_fired *fired, size_t bytes, struct kutrace_fired *own)
{
	own->length = ku_common(sizeof(*own), bytes);
	ku_give(fired, bytes, own, sizeof(*own));
}

int kutrace_fired_sized(struct kutrace_fired *fired, size_t bytes)
{
	struct kutrace_fired own = {0};
	int fd = ku_device_open(), ret = fd;

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
 * Until more have fired than seen, and what was to follow is recorded: 1; or until
 * then: 0. Whether it still records is asked before whether it has fired.
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

	/* only the count is read, the rest may be anything */
	ku_take(&own, sizeof(own), fired, ku_common(sizeof(own), bytes));
	seen = own.fired;
	fd = ret = ku_device_open();
	if (fd >= 0) {
		ret = fd == KU_CALL_FD ? -ENOTCONN : wait_on(fd, end_ms, seen, &own);
		ku_dev->close(fd);
	}
	give_fired(fired, bytes, &own);
	return ret;
}
