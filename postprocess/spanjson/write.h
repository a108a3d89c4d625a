/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes span JSON; a kp_span_sink.
 */
#ifndef KP_SPANJSON_WRITE_H
#define KP_SPANJSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/span.h"
#include "spanjson/reader.h"

struct kp_json_writer {
	FILE *out;
	int width;		/* of the start field */
	int64_t trailer_last_below;	/* 10 ns units; from this start on, ... */
	bool long_trailer;	/* ... 9999999999.0 must be the trailer to stay last */
	uint64_t rows;
	uint64_t replaced_bytes;	/* invalid UTF-8 in names */
	size_t used;
	char *row;		/* one row; grows with the longest name */
	size_t row_size;
	char *trailing;		/* keys in the last line, or NULL */
	char buffer[65536];
};

/* Writes to @out, which the writer does not close. The width is KP_JSON_WIDTH until it is set. */
void kp_json_writer_init(struct kp_json_writer *writer, FILE *out);

/*
 * Sets the width of the start field for starts up to @last (10 ns units). The order of bytes is the
 * order of time only if all starts have the same width. The trailer "[999.0" sorts last only after
 * rows below 999 s, or after rows that begin with a space. So the width of a trace that exceeds 999
 * s must be set before the first row. Otherwise the rows are still correct and the trailer becomes
 * 9999999999.0, which sorts last; but a sort by bytes puts rows of 1000 s and more before earlier
 * ones.
 */
int kp_json_width(int64_t last);
void kp_json_writer_set_last(struct kp_json_writer *writer, int64_t last);

/* Sets the width of the output to the width of the input (kp_json_reader.start_width). */
void kp_json_writer_set_width(struct kp_json_writer *writer, int width);

/*
 * Functions of the sink; @self is the writer. kp_json_write_header() sorts the keys by bytes. All
 * return 0, or -1 after a write error or without memory. ferror(out) distinguishes the two;
 * kp_finish() reports the write error.
 */
int kp_json_write_header(void *self, const struct kp_header_item *items, size_t count);
int kp_json_write_span(void *self, const struct kp_span *span);
/* Stores the keys for the last line. */
int kp_json_write_trailing(void *self, const struct kp_header_item *items, size_t count);
/* Writes the trailer and the closing brackets, and flushes @out. */
int kp_json_write_end(void *self);
struct kp_span_sink kp_json_writer_sink(struct kp_json_writer *writer);

/*
 * Returns one row as text without a newline, in writer->row; *len is its length. It is valid until
 * the next call. NULL without memory. For filters that examine the text of a row.
 */
const char *kp_json_format_span(struct kp_json_writer *writer,
				const struct kp_span *span, size_t *len);

/*
 * Writes the buffered text to out, and from now on to @other; NULL: still to out. Returns 0 or -1.
 */
int kp_json_writer_flush(struct kp_json_writer *writer, FILE *other);

/* Frees the writer's memory; writes nothing. */
void kp_json_writer_free(struct kp_json_writer *writer);

#endif
