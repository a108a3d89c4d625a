/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports the JSON reader's result on stderr, and converts it to an exit status.
 */
#ifndef KP_SPANJSON_STATUS_H
#define KP_SPANJSON_STATUS_H

#include "spanjson/reader.h"

/* Prints errors and corrections on stderr. Returns the exit status. For a main(). */
int kp_json_exit_status(const struct kp_json_reader *reader,
			enum kp_json_result result);

/* Does the same for a filter that needs rows in order of time: other rows are an error. */
int kp_json_ordered_status(const struct kp_json_reader *reader, enum kp_json_result result,
			   const char *shown);

#endif
