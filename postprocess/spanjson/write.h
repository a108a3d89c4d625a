/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer of span JSON that is a kp_span_sink. Called by every filter that writes spans.
 */
#ifndef KP_SPANJSON_WRITE_H
#define KP_SPANJSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/span.h"
#include "spanjson/format.h"

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
