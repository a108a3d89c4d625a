// SPDX-License-Identifier: BSD-3-Clause
/*
 * Turns recording on and off: go, stop, and the module's commands by name. Sends the commands in
 * the right order, and finds the cause if the module refuses one. Must not end a recording that
 * another program has started, except by stop.
 */

#include "lib/device/device.h"
#include "lib/session/handle.h"

#define WITH_COUNTERS ((uint64_t)(KUTRACE_GO_IPC | KUTRACE_GO_LLC))
#define QUIESCE_MS 20	/* time for stores that began before recording went off */

/* Returns the cause of a refusal: @ret, or a more specific error from the module's state. */
static int refusal_cause(int fd, int ret, uint64_t command, uint64_t arg)
{
	struct kutrace_info info;

	if (ret == -ESTALE)
		return -EINVAL;	/* the time counter has restarted: a new recording is needed */
	if (ret != -EINVAL || ku_device_info(fd, &info) < 0)
		return ret;
	if (command == KUTRACE_CMD_ON && info.flags & WITH_COUNTERS)
		return -EOPNOTSUPP;	/* no counters on some CPU, or no hooks */
	if (info.backend == KUTRACE_BACKEND_NONE || command == KUTRACE_CMD_ON)
		return -ENOSYS;	/* no hooks */
	if (info.recording && (command == KUTRACE_CMD_RESET || command == KUTRACE_CMD_FLUSH))
		return -EBUSY;
	if (command == KUTRACE_CMD_FLUSH && !info.start.counts)
		return -ENODATA;
	if (command == KUTRACE_CMD_RESET && arg & WITH_COUNTERS)
		return -EOPNOTSUPP;
	if (command == KUTRACE_CMD_RESET && arg & KUTRACE_GO_PERCPU)
		return -EPROTO;	/* the module is older than the flag */
	return ret;
}

static int command(int fd, uint64_t number, uint64_t arg)
{
	return refusal_cause(fd, ku_device_command(fd, number, arg, NULL), number, arg);
}

/*
 * Saves whether the module refused to start a recording, and returns @ret. After a refusal the
 * buffer still holds the previous recording, which flush() must not present as a new one.
 *
 * -EBUSY does not count: a recording is on, and a later stop is meant for that recording.
 */
static int save_refusal(int fd, int ret)
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

/* Returns whether the last start was refused and no recording has started since. */
static bool was_refused(int fd)
{
	const struct kutrace_handle *session = ku_session_used();
	struct kutrace_info info;

	return session->refused && !ku_device_info(fd, &info) &&
	       info.start.counts == session->refused_counts;
}

static int turn_on(int fd)
{
	struct kutrace_info info;
	int ret = save_refusal(fd, command(fd, KUTRACE_CMD_ON, 0));

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
	if (control_flags & ~(WITH_COUNTERS | KUTRACE_GO_WRAP | KUTRACE_GO_PERCPU) ||
	    (control_flags & KUTRACE_GO_PERCPU && !(control_flags & KUTRACE_GO_WRAP)))
		return -EINVAL;
	return save_refusal(fd, command(fd, KUTRACE_CMD_RESET, control_flags));
}

static int flush(int fd)
{
	if (was_refused(fd))
		return -ENODATA;
	return command(fd, KUTRACE_CMD_FLUSH, 0);
}

static int go(const char *name, uint64_t control_flags)
{
	struct kutrace_info info;
	int fd = ku_command_begin(), ret;

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
	ret = ret ?: reset(fd, control_flags);
	if (!ret) {
		ku_set_process_name(name);
		ret = turn_on(fd);
	}
	return ku_command_end(fd, ret);
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
	int fd = ku_command_begin();

	return fd < 0 ? fd : ku_command_end(fd, reset(fd, control_flags));
}

int kutrace_do_init(const char *name)
{
	int fd = ku_command_begin();

	if (fd < 0)
		return fd;
	ku_set_process_name(name);
	return ku_command_end(fd, 0);
}

static int run_command(int (*run)(int fd))
{
	int fd = ku_command_begin();

	return fd < 0 ? fd : ku_command_end(fd, run(fd));
}

int kutrace_do_on(void)
{
	return run_command(turn_on);
}

int kutrace_do_off(void)
{
	return run_command(turn_off);
}

int kutrace_do_flush(void)
{
	return run_command(flush);
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

	ret = ret ?: kutrace_do_flush();
	ret = ret ?: kutrace_do_dump(fname);
	return ret;
}

uint64_t kutrace_version_module(void)
{
	return kutrace_do_control(KUTRACE_CMD_VERSION, 0);
}

uint64_t kutrace_do_control(uint64_t number, uint64_t arg)
{
	uint64_t result = ~0ULL;
	int fd = ku_command_begin();

	if (fd < 0)
		return ~0ULL;
	if (ku_device_command(fd, number, arg, &result) < 0)
		result = ~0ULL;
	ku_command_end(fd, 0);
	return result;
}

/*
 * Adds one name. While recording is off, sends ~KUTRACE_CMD_INSERTN: for this command the module
 * adds the name without a recording.
 */
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
	fd = ku_command_begin();
	if (fd < 0)
		return fd;
	for (; pairs->name && !ret; pairs++) {
		ret = insert(fd, event, pairs->number, pairs->name);
		count += !ret;
	}
	return ku_command_end(fd, ret ?: count);
}

int kutrace_addname(uint64_t event, uint64_t number, const char *name)
{
	const struct kutrace_num_name pairs[] = {
		{(int64_t)number, name ? name : ""}, {0, NULL},
	};
	int ret = kutrace_emit_names(pairs, event);

	return ret < 0 ? ret : 0;
}
