/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON reader's results and statistics.
 */
#ifndef KP_SPANJSON_READER_H
#define KP_SPANJSON_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kp_json_result {
	KP_JSON_OK = 0,		/* the input is complete */
	KP_JSON_BAD,		/* bad data or a read error: see message */
	KP_JSON_STOPPED,	/* the sink returned sink_status */
	KP_JSON_INTERRUPTED,
};

struct kp_json_reader {
	/* set by the caller, or zero */
	FILE *tee;		/* gets a copy of all bytes that were read */

	/* for the caller, during and after kp_json_read() */
	char message[512];	/* one line, without the tool's name */
	int sink_status;
	char stopped_at[300];	/* result of kp_json_where() after KP_JSON_STOPPED */
	uint64_t rows;		/* without the trailer */
	uint64_t bytes;
	int start_width;	/* of the first row's start field; set before header() is called */
	uint64_t out_of_order_rows;	/* they start before the previous row */
	/* corrections; kp_json_exit_status() reports them */
	uint64_t replaced_bytes;	/* invalid UTF-8 or lone surrogates -> U+FFFD */
	uint64_t control_chars;	/* unescaped in strings */
	uint64_t rounded_times;	/* finer than 10 ns */
	uint64_t negative_rows;	/* start or duration below 0: omitted */
	bool trailer_misplaced;

	struct kp_json_state *state;	/* private */
};

#endif
