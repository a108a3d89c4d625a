/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a stream is, see state.c.
 */
#ifndef KU_CLI_SHARED_STATE_H
#define KU_CLI_SHARED_STATE_H

#include "libkutrace.h"

/* 0: no such file is as good as an empty one; -EILSEQ: it is about something else. */
int cmd_read_state(const char *name, struct kutrace_stream_state *state);
/* Replaces the file as a whole, or leaves it as it was. */
int cmd_write_state(const char *name, const struct kutrace_stream_state *state);

#endif
