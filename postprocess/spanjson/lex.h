/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lower half of the JSON reader: the buffer, strings, values. Called by spanjson/read.c.
 *
 * The parsing functions take *p into the buffer, which ends with a NUL behind
 * state->end. They return false when the input is bad; then the reader's
 * message is set. Whatever they look at (one row, one header line) lies in the
 * buffer whole: that is what kp_json_make_room() is for.
 */
#ifndef KP_SPANJSON_LEX_H
#define KP_SPANJSON_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/header.h"
#include "spanjson/reader.h"

#define ITEM_MAX_BYTES		(512u * 1024)	/* one row or one header key */
#define BUFFER_BYTES		(4u * ITEM_MAX_BYTES)

struct kp_json_state {
	struct kp_json_reader *reader;
	FILE *in;
	const char *shown;
	char *buffer;
	size_t room;		/* of the buffer, without the NUL */
	const char *p;		/* next byte to be read, between items */
	const char *end;
	bool eof;
	bool rows_seen;		/* the "events" have been read to their end */
	uint64_t lines;		/* newlines in what left the buffer */
	uint64_t line_start;	/* offset in the file of the last line there */
	uint64_t offset;	/* in the file of buffer[0] */
	uint64_t total;		/* file size, 0 = unknown */
	int64_t last_start;
	char *scratch;		/* a name without its escapes */
	struct kp_header header;
	struct kp_header behind;	/* keys behind the events */
};

/* Line and byte in it, from 1, of a place in the buffer. */
void kp_json_position(const struct kp_json_state *st, const char *at,
		      uint64_t *line, uint64_t *byte);

/* All three set the message and return false. */
bool kp_json_fail(struct kp_json_state *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "bad JSON: file (line, byte): why" for the byte at. */
bool kp_json_fail_at(struct kp_json_state *st, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* At at is not what must be there; the input may also just end. */
bool kp_json_expected(struct kp_json_state *st, const char *at, const char *what);

/* Fills the buffer so that an item at st->p lies in it whole. false: read error. */
bool kp_json_make_room(struct kp_json_state *st);

/* Fills the buffer with all the rest of the input, which then is one item. */
bool kp_json_take_rest(struct kp_json_state *st);

/* Skips white space between items, however much, and makes room for the next. */
bool kp_json_next_item(struct kp_json_state *st);

/* White space inside an item. */
static inline const char *kp_json_skip(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/*
 * The string at *p (a quote). Without anything special in it *text points into
 * the buffer, else into the scratch buffer.
 */
bool kp_json_string(struct kp_json_state *st, const char **p, const char **text,
		    size_t *len);

/* Any JSON value at *p: checked, and passed. depth is 0 for the caller. */
bool kp_json_pass_value(struct kp_json_state *st, const char **p, int depth);

/*
 * A copy of a passed value's text with invalid UTF-8, bare control characters
 * and lone surrogates in strings made valid, and newlines between tokens made
 * blanks. To be freed; NULL without memory.
 */
char *kp_json_clean_value(const char *text, size_t len);

#endif
