// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sessions and their handles, and the session that this thread's calls apply to. Must not end a
 * recording of another program.
 *
 * A handle keeps a file open that stays attached to its session. This prevents confusion with a
 * later session of the same name. Closing the file destroys a session without keep, and ends a
 * recording that is bound to the file. Without a handle, each call opens the device and closes it.
 */
#include "lib/session/handle.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/lock.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"

static struct kutrace_handle main_session = {.fd = -1, .name = KUTRACE_SESSION_MAIN};

/* small enough for the static TLS space that is left for libraries loaded later */
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

static struct ku_found_hook *hooks;

void ku_session_on_found(struct ku_found_hook *hook)
{
	hook->next = hooks;
	hooks = hook;
}

int ku_session_open_main(void)
{
	int fd = ku_dev->open(O_RDWR);

	if (ku_device_refuses(fd)) {
		int fd2 = ku_dev->open(O_RDONLY);

		if (fd2 >= 0)
			fd = fd2;
	}
	if (fd < 0)
		return ku_device_error(fd);
	for (const struct ku_found_hook *hook = hooks; hook; hook = hook->next)
		hook->found();
	return fd;
}

static void set_own_name(struct kutrace_session *session)
{
	*session = (struct kutrace_session){
		.length = sizeof(*session), .flags = KUTRACE_SESSION_KEEP,
	};
	snprintf(session->name, sizeof(session->name), "uid-%u", (unsigned int)geteuid());
}

/* Attaches the file to the user's own session, and creates this session if needed. */
static int attach_own(int fd, struct kutrace_session *session)
{
	int ret;

	set_own_name(session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, session);
	if (ret != -ESRCH)
		return ret;
	set_own_name(session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_CREATE, session);
	/* another thread or program of this user has created the session meanwhile */
	if (ret == -EEXIST)
		ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, session);
	return ret;
}

/*
 * Attaches the file to the main session if the user may control it. Otherwise attaches it to the
 * user's own session, if that exists or @make is set.
 *
 * For a user who may control nothing, the file stays attached to the main session, which refuses
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
		return attach_own(fd, &session);
	set_own_name(&session);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	return ret == -ESRCH ? 0 : ret;
}

/* Attaches the file to the session that this thread uses. */
static int attach(int fd, bool make)
{
	const struct kutrace_handle *handle = ku_session_used();
	struct kutrace_session session = {.length = sizeof(session), .id = handle->id};
	int ret;

	if (handle == &main_session)
		return attach_main(fd, make);
	ret = ku_device_ioctl(fd, KUTRACE_IOC_SESSION_ATTACH, &session);
	session.name[sizeof(session.name) - 1] = '\0';
	if (!ret && strcmp(session.name, handle->name))
		ret = -ESRCH;	/* not the same session, but a later one with the same id */
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

int ku_session_request(int fd, unsigned long request, void *arg)
{
	int ret;

	if (fd < 0)
		return fd;
	ret = ku_device_ioctl(fd, request, arg);
	ku_dev->close(fd);
	return ret;
}

/* Sets the name. Returns -EINVAL if it is invalid. */
static int set_name(struct kutrace_session *session, const char *name)
{
	*session = (struct kutrace_session){.length = sizeof(*session)};
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
		ret = attach_own(new->fd, session);
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
	ret = ret ?: ku_copy_in(&own, sizeof(own), options, bytes);
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
	return ret ?: open_with(KUTRACE_IOC_SESSION_ATTACH, &session, !named, handle);
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
	int ret = set_name(&session, name);

	if (!ret && !session.name[0])
		ret = -EINVAL;
	return ret ?: ku_session_request(ku_session_open_main(), KUTRACE_IOC_SESSION_DESTROY,
					 &session);
}

int kutrace_session_next_sized(uint32_t id, struct kutrace_session *session, size_t bytes)
{
	struct kutrace_session own = {.length = sizeof(own), .id = id};
	int ret = ku_session_request(ku_session_open_main(), KUTRACE_IOC_SESSION_LIST, &own);

	own.name[sizeof(own.name) - 1] = '\0';
	own.owner_comm[sizeof(own.owner_comm) - 1] = '\0';
	own.length = ku_common(sizeof(own), bytes);
	ku_copy_out(session, bytes, &own, sizeof(own));
	return ret;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Frees the lock in the child, where the parent's other threads do not exist. The lock protects a
 * name and the start of a recording, which are valid at any time.
 *
 * A thread may fork in a signal handler while it holds the lock. The child then unlocks a free
 * mutex later, which is harmless for this type of mutex.
 */
static void fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

KU_CONSTRUCTOR static void on_load(void)
{
	pthread_atfork(NULL, NULL, fork_child);
}

/*
 * Control functions run one at a time, each with its own descriptor. The lock is held from
 * ku_command_begin() to ku_command_end().
 */
int ku_command_begin(void)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = ku_session_open_own();
	if (fd < 0)
		pthread_mutex_unlock(&lock);
	return fd;
}

int ku_command_end(int fd, int ret)
{
	ku_dev->close(fd);
	pthread_mutex_unlock(&lock);
	return ret;
}

void ku_set_process_name(const char *name)
{
	const char *slash;

	if (!name)
		name = "";
	slash = strrchr(name, '/');
	snprintf(ku_session_used()->process_name, sizeof(ku_session_used()->process_name),
		 "%s", slash ? slash + 1 : name);
}

void ku_process_name(char *name, size_t size)
{
	pthread_mutex_lock(&lock);
	snprintf(name, size, "%s", ku_session_used()->process_name);
	pthread_mutex_unlock(&lock);
}
