// SPDX-License-Identifier: BSD-3-Clause
/*
 * Which session this thread's calls are about. Must never follow a handle into another
 * thread. Called by programs; by open.c and commands.
 */
#include "lib/session/used.h"

static struct kutrace_handle main_session = {.fd = -1, .name = KUTRACE_SESSION_MAIN};

/* Small enough for the room that a program has for libraries that it loads later. */
static __thread struct kutrace_handle *used __attribute__((tls_model("initial-exec")));

struct kutrace_handle *ku_session_used(void)
{
	return used ? used : &main_session;
}

const struct kutrace_handle *ku_session_main(void)
{
	return &main_session;
}

struct kutrace_handle *kutrace_session_use(struct kutrace_handle *handle)
{
	struct kutrace_handle *before = used;

	used = handle;
	return before;
}
