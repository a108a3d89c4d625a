// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: turning recording on and off. The commands are the module's; here
 * is their order, and finding out why one was refused. Must never give up a
 * recording that somebody else has started, except when asked to stop. Called by
 * programs and by kutrace_control.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ku_lib.h"

#define COUNTED ((uint64_t)(KUTRACE_GO_IPC | KUTRACE_GO_LLC))
#define QUIESCE_MS 20	/* for stores that were under way when it went off */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Who had it in the parent is not in the child, and what it protects is whole enough: a
 * name and the start of a recording. The child's own thread may have it, if it forks in
 * a signal handler: giving back what is free already does no harm to such a mutex.
 */
static void fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

KU_CONSTRUCTOR static void at_first(void)
{
	pthread_atfork(NULL, NULL, fork_child);
}

/*
 * Control functions run one at a time, on a descriptor of their own: the lock is held
 * from session_begin() to session_end().
 */
static int session_begin(void)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = ku_device_open();
	if (fd < 0)
		pthread_mutex_unlock(&lock);
	return fd;
}

static int session_end(int fd, int ret)
{
	ku_dev->close(fd);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Why a command was refused (-EINVAL), from what the module says about itself. */
static int reason(int fd, int ret, uint64_t command, uint64_t arg)
{
	struct kutrace_info info;

	if (ret != -EINVAL || ku_device_info(fd, &info) < 0)
		return ret;
	if (command == KUTRACE_CMD_ON && info.flags & COUNTED)
		return -EOPNOTSUPP;	/* not on every CPU, or it could not attach */
	if (info.backend == KUTRACE_BACKEND_NONE || command == KUTRACE_CMD_ON)
		return -ENOSYS;	/* it could not attach */
	if (info.recording &&
	    (command == KUTRACE_CMD_RESET || command == KUTRACE_CMD_FLUSH))
		return -EBUSY;
	if (command == KUTRACE_CMD_FLUSH && !info.start.counts)
		return -ENODATA;
	if (command == KUTRACE_CMD_RESET && arg & COUNTED)
		return -EOPNOTSUPP;
	return ret;
}

static int command(int fd, uint64_t number, uint64_t arg)
{
	return reason(fd, ku_device_command(fd, number, arg, NULL), number, arg);
}

/*
 * Beginning a recording came to that: what is in the buffer after a refusal is the one
 * before, which must not be taken for the one that there is not. (-EBUSY is about one
 * that goes on: who asks to stop means that.)
 */
static int begun(int fd, int ret)
{
	struct kutrace_handle *session = ku_session_used();
	struct kutrace_info info;

	if (ret == -EBUSY)
		return ret;
	session->refused = ret < 0 && !ku_device_info(fd, &info);
	if (session->refused)
		session->refused_counts = info.start.counts;
	return ret;
}

/* Nothing has been begun since we were refused to. */
static bool nothing_begun(int fd)
{
	const struct kutrace_handle *session = ku_session_used();
	struct kutrace_info info;

	return session->refused && !ku_device_info(fd, &info) &&
	       info.start.counts == session->refused_counts;
}

static int turn_on(int fd)
{
	struct kutrace_info info;
	int ret = begun(fd, command(fd, KUTRACE_CMD_ON, 0));

	if (!ret && !ku_device_info(fd, &info))
		ku_session_used()->started_counts = info.start.counts;
	return ret;
}

static int turn_off(int fd)
{
	int ret = command(fd, KUTRACE_CMD_OFF, 0);

	if (!ret)
		kutrace_msleep(QUIESCE_MS);
	return ret;
}

static int reset(int fd, uint64_t control_flags)
{
	if (control_flags & ~(COUNTED | KUTRACE_GO_WRAP))
		return -EINVAL;
	return begun(fd, command(fd, KUTRACE_CMD_RESET, control_flags));
}

static int flush(int fd)
{
	if (nothing_begun(fd))
		return -ENODATA;
	return command(fd, KUTRACE_CMD_FLUSH, 0);
}

/* The lock is held. */
static void set_process_name(const char *name)
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

static int go(const char *name, uint64_t control_flags)
{
	struct kutrace_info info;
	int fd = session_begin(), ret;

	if (fd < 0)
		return fd;
	ret = ku_device_info(fd, &info);
	if (!ret && info.backend == KUTRACE_BACKEND_NONE)
		ret = -ENOSYS;
	if (!ret && info.recording) {
		uint64_t started_counts = ku_session_used()->started_counts;

		if (started_counts && info.start.counts == started_counts)
			ret = turn_off(fd);
		else
			ret = -EBUSY;
	}
	if (!ret)
		ret = reset(fd, control_flags);
	if (!ret) {
		set_process_name(name);
		ret = turn_on(fd);
	}
	return session_end(fd, ret);
}

int kutrace_go(const char *name)
{
	return go(name, 0);
}

int kutrace_gowrap(const char *name)
{
	return go(name, KUTRACE_GO_WRAP);
}

int kutrace_goipc(const char *name)
{
	return go(name, KUTRACE_GO_IPC);
}

int kutrace_goipcwrap(const char *name)
{
	return go(name, KUTRACE_GO_IPC | KUTRACE_GO_WRAP);
}

int kutrace_do_reset(uint64_t control_flags)
{
	int fd = session_begin();

	return fd < 0 ? fd : session_end(fd, reset(fd, control_flags));
}

int kutrace_do_init(const char *name)
{
	int fd = session_begin();

	if (fd < 0)
		return fd;
	set_process_name(name);
	return session_end(fd, 0);
}

int kutrace_do_on(void)
{
	int fd = session_begin();

	return fd < 0 ? fd : session_end(fd, turn_on(fd));
}

int kutrace_do_off(void)
{
	int fd = session_begin();

	return fd < 0 ? fd : session_end(fd, turn_off(fd));
}

int kutrace_do_flush(void)
{
	int fd = session_begin();

	return fd < 0 ? fd : session_end(fd, flush(fd));
}

int kutrace_do_quit(void)
{
	return kutrace_do_off();
}

int kutrace_do_dump(const char *fname)
{
	return kutrace_dump(fname, NULL, NULL);
}

int kutrace_stop(const char *fname)
{
	int ret = kutrace_do_off();

	if (!ret)
		ret = kutrace_do_flush();
	if (!ret)
		ret = kutrace_do_dump(fname);
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

uint64_t kutrace_version_module(void)
{
	return kutrace_do_control(KUTRACE_CMD_VERSION, 0);
}

uint64_t kutrace_do_control(uint64_t number, uint64_t arg)
{
	uint64_t result = ~0ULL;
	int fd = session_begin();

	if (fd < 0)
		return ~0ULL;
	if (ku_device_command(fd, number, arg, &result) < 0)
		result = ~0ULL;
	session_end(fd, 0);
	return result;
}

int kutrace_get_info_sized(struct kutrace_info *info, size_t bytes)
{
	struct kutrace_info own = {0};
	int fd = ku_device_open(), ret = fd;

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

/* The insert commands are complemented while recording is off. */
static int insert(int fd, uint64_t event, uint64_t number, const char *text)
{
	uint64_t words[KUTRACE_NAME_MAX_WORDS] = {0};
	struct kutrace_info info;
	struct ku_name name = {.base = (uint16_t)event, .number = (uint32_t)number};
	uint64_t insertn = KUTRACE_CMD_INSERTN;
	int ret = ku_device_info(fd, &info);

	if (ret < 0)
		return ret;
	name.length = (uint16_t)strnlen(text, KUTRACE_NAME_MAX_BYTES);
	memcpy(name.text, text, name.length);
	ku_name_put(words, &name, 0);
	return command(fd, info.recording ? insertn : ~insertn, (uint64_t)(uintptr_t)words);
}

int kutrace_emit_names(const struct kutrace_num_name *pairs, uint64_t event)
{
	int fd, ret = 0, count = 0;

	if (!pairs || event > 0x1FF || event & 0xF0)
		return -EINVAL;
	fd = session_begin();
	if (fd < 0)
		return fd;
	for (; pairs->name && !ret; pairs++) {
		ret = insert(fd, event, pairs->number, pairs->name);
		count += !ret;
	}
	return session_end(fd, ret ? ret : count);
}

int kutrace_addname(uint64_t event, uint64_t number, const char *name)
{
	const struct kutrace_num_name pairs[] = {
		{(int64_t)number, name ? name : ""}, {0, NULL},
	};
	int ret = kutrace_emit_names(pairs, event);

	return ret < 0 ? ret : 0;
}
