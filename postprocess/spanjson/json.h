/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads span JSON from a stream into a kp_span_sink, and writes it:
 *
 *   {
 *  "Comment" : "V2 with IPC field",
 *  "version" : 3,
 * "events" : [
 * [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 * [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
 * ]}
 *
 * There are two spaces before the brace and one before each key. So a sort of the lines by bytes
 * keeps the header first, the rows in order of time, and the trailer last. For the same reason,
 * keys that follow the events are in the last line:
 *
 * ], "extra" : [], "savedview" : [["all", null]]}
 */
#ifndef KP_SPANJSON_JSON_H
#define KP_SPANJSON_JSON_H

#include <stdio.h>

#include "model/span.h"

#define KP_JSON_NAME_MAX	65536	/* maximum bytes of an unescaped name */
/* 9999999999 s in units of 10 ns; all starts are less than this */
#define KP_JSON_TIME_MAX	999999999900000000ll
#define KP_JSON_CPU_MAX		65535
#define KP_JSON_WIDTH		12	/* width of the start field: up to 999 s */

enum kp_json_result {
	KP_JSON_OK = 0,		/* the input is complete */
	KP_JSON_BAD,		/* bad data or a read error: see message */
	KP_JSON_STOPPED,	/* the sink returned sink_status */
	KP_JSON_INTERRUPTED,
};

struct kp_json_reader {
	/* members set by the caller, or zero: */
	FILE *tee;		/* output that gets a copy of all bytes that were read */

	/* members for the caller, during and after kp_json_read(): */
	char message[512];	/* one line, without the tool's name */
	int sink_status;
	char stopped_at[300];	/* result of kp_json_where() after KP_JSON_STOPPED */
	uint64_t rows;		/* number of rows without the trailer */
	uint64_t bytes;
	/* width of the first row's start field; set before header() is called */
	int start_width;
	uint64_t out_of_order_rows;	/* number of rows that start before the previous row */
	/* numbers of corrections; kp_json_exit_status() reports them */
	/* number of bytes of invalid UTF-8, and of lone surrogates, replaced by U+FFFD */
	uint64_t replaced_bytes;
	uint64_t control_chars;	/* number of unescaped control characters in strings */
	uint64_t rounded_times;	/* number of times finer than 10 ns */
	uint64_t negative_rows;	/* number of omitted rows with a start or duration below 0 */
	bool trailer_misplaced;

	struct kp_json_state *state;	/* private */
};

/*
 * Reads @in and passes the rows, also out of order, to @sink. Strings are valid only during the
 * sink's call. Calls the sink's trailing() (for keys that follow the events) and end() only if the
 * input is complete. @shown is the input's name in messages.
 */
enum kp_json_result kp_json_read(struct kp_json_reader *reader, FILE *in,
				 const char *shown,
				 const struct kp_span_sink *sink);

/* Writes "file (line N)" of the sink's current or last row, for its messages. */
void kp_json_where(const struct kp_json_reader *reader, char *text, size_t size);

/* Prints errors and corrections on stderr, for a main(). Returns the exit status. */
int kp_json_exit_status(const struct kp_json_reader *reader,
			enum kp_json_result result);

/*
 * Replaces kp_json_exit_status() in a filter that needs rows in order of time: rows out of order
 * are an error.
 */
int kp_json_ordered_status(const struct kp_json_reader *reader, enum kp_json_result result,
			   const char *shown);

/*
 * Reads an object in @text that has only keys which follow the events (views and notes). If it is
 * complete, passes them to the sink's trailing(). Returns, and sets the message, like
 * kp_json_read().
 */
enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink);

/* ---- writing: a kp_span_sink ---- */

struct kp_json_writer {
	FILE *out;
	int width;		/* width of the start field */
	/* the trailer "[999.0" sorts last only if all starts (10 ns units) are below this */
	int64_t trailer_last_below;
	bool long_trailer;	/* the trailer must be 9999999999.0 to stay last */
	uint64_t rows;
	uint64_t replaced_bytes;	/* number of bytes of invalid UTF-8 in names */
	size_t used;
	char *row;		/* text of one row; grows with the longest name */
	size_t row_size;
	char *trailing;		/* keys in the last line, or NULL */
	char buffer[65536];
};

/* Writes to @out, which the writer does not close. The width is KP_JSON_WIDTH until it is set. */
void kp_json_writer_init(struct kp_json_writer *writer, FILE *out);

/*
 * kp_json_width() returns the width of the start field for starts up to @last (10 ns units);
 * kp_json_writer_set_last() sets it. The order of bytes is the order of time only if all starts
 * have the same width. The trailer "[999.0" sorts last only after rows below 999 s, or after rows
 * that begin with a space. So the width of a trace that exceeds 999 s must be set before the first
 * row. Otherwise the rows are still correct and the trailer becomes 9999999999.0, which sorts last;
 * but a sort by bytes puts rows of 1000 s and more before earlier rows.
 */
int kp_json_width(int64_t last);
void kp_json_writer_set_last(struct kp_json_writer *writer, int64_t last);

/* Sets the width of the output to the width of the input (kp_json_reader.start_width). */
void kp_json_writer_set_width(struct kp_json_writer *writer, int width);

/*
 * Functions of the sink; @self is the writer. They return 0, or -1 without memory or after a write
 * error, which kp_finish() reports. kp_json_write_header() sorts the keys by bytes.
 */
int kp_json_write_header(void *self, const struct kp_header_item *items, size_t count);
int kp_json_write_span(void *self, const struct kp_span *span);
/* Stores the keys for the last line. */
int kp_json_write_trailing(void *self, const struct kp_header_item *items, size_t count);
/* Writes the trailer and the closing brackets, and flushes @out. */
int kp_json_write_end(void *self);
struct kp_span_sink kp_json_writer_sink(struct kp_json_writer *writer);

/* Returns a row as text, *len bytes, valid until the next call. Returns NULL without memory. */
const char *kp_json_format_span(struct kp_json_writer *writer,
				const struct kp_span *span, size_t *len);

/* Writes the buffered text to out. Then @other, unless it is NULL, becomes out. Returns 0 or -1. */
int kp_json_writer_flush(struct kp_json_writer *writer, FILE *other);

/* Frees the writer's memory; writes nothing. */
void kp_json_writer_free(struct kp_json_writer *writer);

#endif
