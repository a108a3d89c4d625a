/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a stream. */
#ifndef KU_CLI_SHARED_STATE_H
#define KU_CLI_SHARED_STATE_H

#include "libkutrace.h"

/*
 * Reads the state. A missing or empty file is an empty state. Returns -EILSEQ if the file is
 * something else.
 */
int cmd_read_state(const char *name, struct kutrace_stream_state *state);
/* Replaces the file completely, or leaves it as it was. */
int cmd_write_state(const char *name, const struct kutrace_stream_state *state);

#endif
