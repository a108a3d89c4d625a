/* SPDX-License-Identifier: BSD-3-Clause */
/* The session that this thread's calls apply to. */
#ifndef KU_LIB_SESSION_USED_H
#define KU_LIB_SESSION_USED_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

struct kutrace_handle {
	int fd;			/* attached to the session; -1: the main session, without a file */
	uint32_t id;
	char name[32];
	/* used by command.c and control.c, with the lock of commands */
	/* start of the recording that this program started; 0 = none */
	uint64_t started_counts;
	bool refused;			/* the last start was refused */
	uint64_t refused_counts;	/* start of the recording that the buffer held then */
	char process_name[KUTRACE_NAME_MAX_BYTES + 1];
};


/* Returns the selected session, or the main session. Not NULL. */
struct kutrace_handle *ku_session_used(void);
const struct kutrace_handle *ku_session_main(void);

#endif
