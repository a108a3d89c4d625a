// SPDX-License-Identifier: BSD-3-Clause
/* The session that this thread's calls apply to. Each thread has its own selection. */
#include "lib/session/used.h"

static struct kutrace_handle main_session = {.fd = -1, .name = KUTRACE_SESSION_MAIN};

/* small enough for the static TLS space that is left for libraries loaded later */
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
