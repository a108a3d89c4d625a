/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which session this thread's calls are about, see used.c.
 */
#ifndef KU_LIB_SESSION_USED_H
#define KU_LIB_SESSION_USED_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

struct kutrace_handle {
	int fd;			/* of that session; -1: the main one, without a file */
	uint32_t id;
	char name[32];
	/* of command.c and control.c, under the lock of commands */
	uint64_t started_counts;	/* start of the recording that is ours; 0 = none */
	bool refused;			/* we were to begin one, and nothing was begun; */
	uint64_t refused_counts;	/* start of the recording that was there then */
	char process_name[KUTRACE_NAME_MAX_BYTES + 1];
};


/* Never NULL. */
struct kutrace_handle *ku_session_used(void);
const struct kutrace_handle *ku_session_main(void);

#endif
