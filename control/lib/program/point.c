// SPDX-License-Identifier: BSD-3-Clause
/*
 * Records RPCs, locks, queues and resources of a program: the part that runs while something is
 * recorded. Each call records one event, and a name that the recording does not have yet. Must
 * not print or change errno.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kutrace_events.h"
#include "lib/program/mark.h"
#include "lib/program/registered.h"
#include "libkutrace.h"

#define METHOD_MASK	0xFFFF	/* bits of an RPC id that identify its method */

/* Records the event. Its own error takes precedence over errors of its name. */
static int record(uint64_t event, uint32_t arg, int name_error)
{
	int ret, emit_error = ku_emit_registered();

	ret = kutrace_addevent_on(event, arg);
	return ret ? ret : name_error ? name_error : emit_error;
}

int kutrace_rpc_on(int which, uint32_t id, const char *method)
{
	uint64_t event = which == 'q' ? KUTRACE_RPCIDREQ
		       : which == 'r' ? KUTRACE_RPCIDRESP : KUTRACE_RPCIDMID;
	int saved = errno, ret = 0;

	if (ku_marks_on()) {
		ret = ku_register_name(KUTRACE_NAME_METHOD, id & METHOD_MASK, method);
		ret = record(event, id, ret);
	}
	errno = saved;
	return ret;
}

static const char *without_directory(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static int lock_text(char *text, size_t size, const char *file, uint32_t line)
{
	return snprintf(text, size, "%.44s:%u", without_directory(file), line);
}

uint32_t kutrace_lock_number(const char *file, uint32_t line)
{
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	uint32_t hash = 2166136261U;
	const char *p;

	lock_text(text, sizeof(text), file ? file : "", line);
	for (p = text; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619U;
	return hash ? hash : 1;
}

/* Returns the number of the lock. The first call registers its names. */
static uint32_t name_lock(struct kutrace_lock *lock, int *error)
{
	uint32_t number = __atomic_load_n(&lock->number, __ATOMIC_ACQUIRE);
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	const char *file = lock->file;
	size_t length;

	*error = 0;
	if (number)
		return number;
	number = kutrace_lock_number(file, lock->line);
	lock_text(text, sizeof(text), file, lock->line);
	*error = ku_register_name(KUTRACE_NAME_LOCKNAME, number, text);
	/* the end of a long path identifies the file better */
	length = strlen(file);
	if (length > KUTRACE_NAME_MAX_BYTES)
		file += length - KUTRACE_NAME_MAX_BYTES;
	if (!*error)
		*error = ku_register_name(KUTRACE_NAME_FILE, number, file);
	if (!*error)
		__atomic_store_n(&lock->number, number, __ATOMIC_RELEASE);
	return number;
}

int kutrace_lock_on(int which, struct kutrace_lock *lock)
{
	uint64_t event = which == 't' ? KUTRACE_LOCKNOACQ
		       : which == 'a' ? KUTRACE_LOCKACQ : KUTRACE_LOCKWAKEUP;
	int saved = errno, ret = 0, name_error;
	uint32_t number;

	if (!lock || !lock->file)
		return -EINVAL;
	if (ku_marks_on()) {
		number = name_lock(lock, &name_error);
		ret = record(event, number, name_error);
	}
	errno = saved;
	return ret;
}

int kutrace_queue_on(int which, uint32_t number)
{
	uint64_t event = which == 'e' ? KUTRACE_ENQUEUE
		       : which == 'd' ? KUTRACE_DEQUEUE : KUTRACE_RESOURCE;
	int saved = errno, ret = 0;

	if (ku_marks_on())
		ret = record(event, number, 0);
	errno = saved;
	return ret;
}

int kutrace_name_queue(uint32_t queue, const char *name)
{
	return name ? ku_register_name(KUTRACE_NAME_QUEUENAME, queue, name) : -EINVAL;
}

int kutrace_name_resource(uint32_t resource, const char *name)
{
	return name ? ku_register_name(KUTRACE_NAME_RESNAME, resource, name) : -EINVAL;
}
