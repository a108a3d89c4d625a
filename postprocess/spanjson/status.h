/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the JSON reader's result to words on stderr and an exit status. Called by mains.
 */
#ifndef KP_SPANJSON_STATUS_H
#define KP_SPANJSON_STATUS_H

#include "spanjson/reader.h"

/*
 * For mains: prints on stderr what went wrong and what was put right, and
 * returns the exit status.
 */
int kp_json_exit_status(const struct kp_json_reader *reader,
			enum kp_json_result result);

/* The same for a filter that makes sense of rows in time order only: others are an error. */
int kp_json_ordered_status(const struct kp_json_reader *reader, enum kp_json_result result,
			   const char *shown);

#endif
