/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The span JSON as text: a streaming reader that feeds a kp_span_sink, and a
 * writer that is one. The layout is that of FORMATS "Span JSON":
 *
 *   {
 *  "Comment" : "V2 with IPC field",
 *  "version" : 3,
 * "events" : [
 * [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 * [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
 * ]}
 *
 * (with two blanks before the brace and one before each key), so that sorting
 * the lines by bytes keeps the header first, rows in time order, trailer last.
 * Keys behind the events stand in the last line, for the same reason:
 *
 * ], "extra" : [], "savedview" : [["all", null]]}
 */
#ifndef KP_JSON_H
#define KP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kp_span.h"

#define KP_JSON_NAME_MAX	65536	/* bytes of a name, unescaped */
#define KP_JSON_TIME_MAX	999999999900000000ll	/* 10 ns units: ten nines in s; starts are below */
#define KP_JSON_CPU_MAX		65535
#define KP_JSON_WIDTH		12	/* of the start field: up to 999 s */

/* ---- header ---- */

struct kp_header {
	struct kp_header_item *items;
	size_t count;
};

/* Value (JSON text) of key, or NULL. */
const char *kp_header_get(const struct kp_header_item *items, size_t count,
			  const char *key);

/*
 * Sets key to value (JSON text), both copied; replaces what it had. Returns 0,
 * or -1 without memory.
 */
int kp_header_set(struct kp_header *header, const char *key, const char *value);

/*
 * Adds count to what was left out for cause, in the header's "dropped": {"cause":
 * count, ...}, where it stands last. A second pass adds to the first one's. 0, or
 * -1 without memory.
 */
int kp_header_add_dropped(struct kp_header *header, const char *cause, uint64_t count);

/* A deep copy of items, to be freed with kp_header_free(). 0, or -1 without memory. */
int kp_header_copy(struct kp_header *header, const struct kp_header_item *items,
		   size_t count);
void kp_header_free(struct kp_header *header);

/*
 * len bytes as a JSON string with its quotes, invalid UTF-8 replaced, NUL
 * terminated; the caller frees it. NULL without memory.
 */
char *kp_json_quote(const char *text, size_t len);

/*
 * The same without quotes and NUL, to out, which has room for 6 * len bytes.
 * Returns the length in bytes; adds the invalid bytes to *replaced.
 */
size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

/* ---- reader ---- */

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

/*
 * Reads in to its end, feeding sink. shown is the input's name in messages.
 * Strings passed to the sink are valid during the call only. Rows out of time
 * order are passed on as they come. The sink's end() is called only if the
 * input was whole, so that an end is never written behind broken input. So is
 * behind(), with keys that stand behind the events, in front of it.
 */
enum kp_json_result kp_json_read(struct kp_json_reader *reader, FILE *in,
				 const char *shown,
				 const struct kp_span_sink *sink);

/* "file (line N)" of the row the sink is, or was last, given: for its complaints. */
void kp_json_where(const struct kp_json_reader *reader, char *text, size_t size);

/*
 * For mains: prints on stderr what went wrong and what was put right, and
 * returns the exit status.
 */
int kp_json_exit_status(const struct kp_json_reader *reader,
			enum kp_json_result result);

/* The same for a filter that makes sense of rows in time order only: others are an error. */
int kp_json_ordered_status(const struct kp_json_reader *reader, enum kp_json_result result,
			   const char *shown);

/* ---- writer ---- */

struct kp_json_writer {
	FILE *out;
	int width;		/* of the start field */
	int64_t trailer_last_below;	/* 10 ns units; starts from here need ... */
	bool long_trailer;	/* ... the trailer 9999999999.0 to stay last */
	uint64_t rows;
	uint64_t replaced_bytes;	/* invalid UTF-8 in names */
	size_t used;
	char *row;		/* one row, grows with the longest name */
	size_t row_size;
	char *behind;		/* the last line's keys, or NULL */
	char buffer[65536];
};

/* Writes to out, which stays open. The width is KP_JSON_WIDTH until changed. */
void kp_json_writer_init(struct kp_json_writer *writer, FILE *out);

/*
 * Chooses the start field's width for starts up to last (10 ns units). Byte
 * order is time order only if all starts have the same width, and the trailer
 * "[999.0" sorts last only behind rows below 999 s or with a blank in front; so
 * whoever knows that a trace goes beyond 999 s says so before the first row.
 * If nobody did, the rows are still right and the trailer becomes
 * 9999999999.0, which sorts last, too; but a sort by bytes would put rows of
 * 1000 s and more in front of earlier ones.
 */
int kp_json_width(int64_t last);
void kp_json_writer_set_last(struct kp_json_writer *writer, int64_t last);

/* A filter's output is as wide as its input (kp_json_reader.start_width). */
void kp_json_writer_set_width(struct kp_json_writer *writer, int width);

/*
 * The sink functions; self is the writer. header() writes the keys sorted by
 * bytes. All return 0, or -1 when writing failed or memory ran out (ferror of
 * out tells which; kp_finish() reports the former).
 */
int kp_json_write_header(void *self, const struct kp_header_item *items, size_t count);
int kp_json_write_span(void *self, const struct kp_span *span);
/* Keeps the keys for the last line. */
int kp_json_write_behind(void *self, const struct kp_header_item *items, size_t count);
/* Trailer, closing brackets and a flush to out. */
int kp_json_write_end(void *self);
struct kp_span_sink kp_json_writer_sink(struct kp_json_writer *writer);

/*
 * One row as text, without newline, in writer->row; *len bytes, valid until the
 * next call. NULL without memory. For filters that look at a row's text.
 */
const char *kp_json_format_span(struct kp_json_writer *writer,
				const struct kp_span *span, size_t *len);

/* Hands what is buffered to out; writes then go to other (NULL: as before). 0 or -1. */
int kp_json_writer_flush(struct kp_json_writer *writer, FILE *other);

/* Frees what the writer holds; writes nothing. */
void kp_json_writer_free(struct kp_json_writer *writer);

#endif
