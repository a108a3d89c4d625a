/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the data elements of a page of ours by track and chunk, and its names. Checks that the
 * counts at the end of the page agree. Also finds text in a page, and extracts the JSON of the
 * original's pages.
 */
#ifndef KP_PAGE_ELEMENTS_H
#define KP_PAGE_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/memory.h"
#include "model/span.h"
#include "page/foreign.h"
#include "page/unpack.h"
#include "spanjson/json.h"

/*
 * Returns the offset of @needle in [@from, @end) of @fd, -1 if the range does not contain it, or -2
 * after an error with errno set (EINTR after a signal).
 */
off_t kp_unpage_find(int fd, off_t from, off_t end, const char *needle);

/*
 * Returns the content of the JavaScript string whose first byte is at @offset, as a stream that
 * ends at the closing quote. Returns NULL without memory.
 */
FILE *kp_unstring_stream(int fd, off_t offset);

#define KP_PAGE_CLOSE_TAG "</script>"

enum kp_page_column {
	KP_COLUMN_GAP, KP_COLUMN_DUR, KP_COLUMN_NAME, KP_COLUMN_PID, KP_COLUMN_RPC,
	KP_COLUMN_ARG, KP_COLUMN_RET, KP_COLUMN_IPC, KP_COLUMN_CPU, KP_COLUMNS
};

struct kp_page_element {
	/* offsets of the base64 text; to is 0 if the chunk lacks the column */
	off_t from, to;
	uint64_t bytes;
};

struct kp_page_chunk {
	uint32_t count;
	struct kp_page_element columns[KP_COLUMNS];
};

struct kp_page_track {
	int32_t cpu;		/* number of the CPU; -1: track "other" */
	KP_VECTOR(struct kp_page_chunk) chunks;
	size_t next_chunk;
	uint32_t left;		/* number of rows of the current chunk that are still packed */
	struct kp_unpack *columns[KP_COLUMNS];
	struct kp_span span;	/* next row of the track */
	int64_t time, pid, rpc;	/* values to which the next row's differences are added */
};

struct kp_page_name {
	int64_t event;
	size_t offset, len;
};

extern const char *const kp_page_column_names[KP_COLUMNS];

struct kp_elements {
	/*
	 * The caller sets message, message_room, shown, fd, at, end and start_width. All other
	 * members start as zero.
	 */
	char *message;		/* one line of text; "": no error yet */
	size_t message_room;
	const char *shown;
	int fd;
	int read_errno;		/* errno of a failed read, or 0 */
	off_t at, end;
	/* offsets of the object with the keys after the events; 0: none */
	off_t trailing, trailing_end;
	KP_VECTOR(struct kp_page_track *) tracks;
	uint64_t chunk_count, element_count, span_count;
	struct kp_page_track *last_track;	/* track of the chunk that is being listed */
	KP_VECTOR(struct kp_page_name) names;
	KP_VECTOR(char) text;
	int start_width;	/* width of the start field in the source JSON */
};

/* All three set the message, unless there is one already, and return KP_JSON_BAD. */
enum kp_json_result kp_elements_fail(struct kp_elements *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum kp_json_result kp_elements_no_memory(struct kp_elements *st);
/* Adds the offset of the current byte to the message. */
enum kp_json_result kp_elements_damaged(struct kp_elements *st, const char *what);

/* Lists all elements from st->at to the end of the page. */
enum kp_json_result kp_elements_list(struct kp_elements *st);
/*
 * Sets *to to the end of the text that begins at @from. If the text has no end, sets the message to
 * @what. Returns KP_JSON_OK or KP_JSON_BAD.
 */
enum kp_json_result kp_elements_close(struct kp_elements *st, off_t from, off_t *to,
				      const char *what);
void kp_elements_close_columns(struct kp_page_track *track);
void kp_elements_free(struct kp_elements *st);

/*
 * ---- unpage.c ----
 *
 * Converts a page back to its spans: the counterpart of page/page.h. Holds only the names and a
 * list of the data elements, not the spans. Does not call end() for an incomplete page.
 */

struct kp_unpage {
	/* results for the caller, valid during and after kp_unpage_read() */
	char message[600];	/* one line, without the tool's name */
	FILE *foreign_out;	/* output for rows that are not spans; NULL: such rows are an
				 * error */
	int foreign_status;	/* exit status of copying such rows */
	struct kp_foreign foreign;
	struct kp_json_reader reader;
	int start_width;	/* width of the start field in the source JSON */
	uint64_t out_of_order_rows;	/* number of rows that start before the previous row */
};

/*
 * Reads the page @in from its current position, and passes its header and rows to @sink. Copies
 * input that cannot be read twice to a temporary file.
 *
 * The caller sets foreign_out. If rows were copied there, foreign.kind has their kind, and @sink
 * got nothing.
 *
 * A page of ours preserves the order of rows in each track, but not the order between tracks. Rows
 * are passed in the order of LC_ALL=C sort, which all filters expect.
 */
enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink);

#endif
