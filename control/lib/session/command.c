// SPDX-License-Identifier: BSD-3-Clause
/*
 * Commands to a session, one at a time, and the process name of its recording. The child of a
 * fork must not find the lock held.
 */
#include "lib/session/command.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/lock.h"
#include "lib/device/device.h"
#include "lib/session/open.h"
#include "lib/session/used.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Frees the lock in the child: the parent's other threads do not exist there. The protected data,
 * a name and the start of a recording, are usable at any time.
 *
 * A thread may fork in a signal handler while it holds the lock. The child then unlocks a free
 * mutex later, which is harmless for this type of mutex.
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

/* Lock held. */
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
