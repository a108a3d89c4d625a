/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of span JSON as its two halves and its callers see it: its results and its
 * counts. Only declares; spanjson/read.c reads. Used by callers of spanjson/read.h.
 */
#ifndef KP_SPANJSON_READER_H
#define KP_SPANJSON_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kp_json_result {
	KP_JSON_OK = 0,		/* read to the end, and it was whole */
	KP_JSON_BAD,		/* bad data or a read error: message says which */
	KP_JSON_STOPPED,	/* the sink returned sink_status */
	KP_JSON_INTERRUPTED,
};

struct kp_json_reader {
	/* set by the caller, or zero */
	FILE *tee;		/* gets a copy of all bytes read */

	/* for the caller, valid during and after kp_json_read() */
	char message[512];	/* one line, without the tool's name */
	int sink_status;
	char stopped_at[300];	/* what kp_json_where() says after KP_JSON_STOPPED */
	uint64_t rows;		/* trailer not counted */
	uint64_t bytes;
	int start_width;	/* of the first row's start field, known from header() on */
	uint64_t out_of_order_rows;	/* they start before the row in front of them */
	/* what was put right; kp_json_exit_status() reports it */
	uint64_t replaced_bytes;	/* invalid UTF-8 or lone surrogates -> U+FFFD */
	uint64_t control_chars;	/* unescaped in strings */
	uint64_t rounded_times;	/* finer than 10 ns */
	uint64_t negative_rows;	/* start or duration below 0: skipped */
	bool trailer_misplaced;

	struct kp_json_state *state;	/* the reader's own */
};

#endif
