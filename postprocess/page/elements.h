/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the names of a page and its data elements, by track and chunk. Checks the counts at the end
 * of the page. Also finds text in a page, and extracts the JSON of the original's pages.
 */
#ifndef KP_PAGE_ELEMENTS_H
#define KP_PAGE_ELEMENTS_H

#include "base/memory.h"
#include "page/foreign.h"
#include "page/unpack.h"
#include "spanjson/json.h"

/*
 * Returns the offset of @text in [@from, @end) of @fd, -1 if the range does not contain it, or -2
 * with errno after an error (EINTR after a signal).
 */
off_t kp_unpage_find(int fd, off_t from, off_t end, const char *text);

/*
 * Returns a stream of the content of the JavaScript string that begins at @offset, up to the
 * closing quote. Returns NULL without memory.
 */
FILE *kp_unstring_stream(int fd, off_t offset);

#define KP_PAGE_CLOSE_TAG "</script>"

enum kp_page_column {
	KP_COLUMN_GAP, KP_COLUMN_DUR, KP_COLUMN_NAME, KP_COLUMN_PID, KP_COLUMN_RPC,
	KP_COLUMN_ARG, KP_COLUMN_RET, KP_COLUMN_IPC, KP_COLUMN_CPU, KP_COLUMNS
};

struct kp_page_element {
	/* offsets of the base64 text; to is 0 if the chunk does not have the column */
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
	uint32_t left;		/* number of rows of the current chunk that are not unpacked yet */
	struct kp_unpack *columns[KP_COLUMNS];
	struct kp_span span;	/* next row of the track */
	int64_t time, pid, rpc;	/* end (other: start), pid and RPC of the previous row */
};

struct kp_page_name {
	int64_t event;
	size_t offset, len;
};

extern const char *const kp_page_column_names[KP_COLUMNS];

struct kp_elements {
	/* The caller sets the next four members, at, end and start_width, and zeroes the others. */
	char *message;		/* one line of text; "": no error yet */
	size_t message_room;
	const char *shown;
	int fd;
	int read_errno;		/* errno of a failed read; 0: none */
	off_t at, end;
	/* offsets of the JSON object with the keys after the events; 0: no such keys */
	off_t trailing, trailing_end;
	KP_VECTOR(struct kp_page_track *) tracks;
	uint64_t chunk_count, element_count, span_count;
	struct kp_page_track *last_track;	/* track of the newest chunk */
	KP_VECTOR(struct kp_page_name) names;
	KP_VECTOR(char) text;
	int start_width;	/* width of the start field in the source JSON */
};

/* The next three functions set the message, unless it is already set, and return KP_JSON_BAD. */
enum kp_json_result kp_elements_fail(struct kp_elements *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum kp_json_result kp_elements_no_memory(struct kp_elements *st);
/* Also writes the offset of the current byte into the message. */
enum kp_json_result kp_elements_damaged(struct kp_elements *st, const char *what);

/* Lists all elements from st->at to the end of the page. */
enum kp_json_result kp_elements_list(struct kp_elements *st);
/*
 * Sets *@to to the offset of </script> after @from. If there is none, sets the message to @what.
 * Returns KP_JSON_OK or KP_JSON_BAD.
 */
enum kp_json_result kp_elements_close(struct kp_elements *st, off_t from, off_t *to,
				      const char *what);
void kp_elements_close_columns(struct kp_page_track *track);
void kp_elements_free(struct kp_elements *st);

/*
 * ---- unpage.c ----
 *
 * Converts a page back to its spans. Holds the names and the list of data elements in memory, but
 * not the spans. Does not call end() for an incomplete page.
 */

struct kp_unpage {
	/* results for the caller, valid during and after kp_unpage_read() */
	char message[600];	/* one line, without the tool's name */
	/* output for rows that are not spans; NULL: such rows are an error */
	FILE *foreign_out;
	int foreign_status;	/* exit status of copying these rows */
	struct kp_foreign foreign;
	struct kp_json_reader reader;
	int start_width;	/* width of the start field in the source JSON */
	uint64_t out_of_order_rows;	/* number of rows that start before the previous row */
};

/*
 * Reads the page @in from its current position, and passes its header and rows to @sink. Copies
 * input that cannot be read twice to a temporary file.
 *
 * The caller sets foreign_out. If rows were copied there, foreign.kind is their kind, and no
 * function of @sink was called.
 *
 * Our pages do not store the order of rows of different tracks. The rows are passed in the order of
 * LC_ALL=C sort, which all filters expect.
 */
enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink);

#endif
