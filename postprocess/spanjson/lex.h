/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lower half of the JSON reader: buffer, strings, values.
 *
 * The parsing functions advance *p in the buffer, which ends with a NUL at state->end. They return
 * false with the reader's message if the input is bad. kp_json_make_room() ensures that one item (a
 * row, a header line) is in the buffer completely.
 */
#ifndef KP_SPANJSON_LEX_H
#define KP_SPANJSON_LEX_H

#include "spanjson/json.h"

#define ITEM_MAX_BYTES		(512u * 1024)	/* maximum bytes of one row or one header key */
#define BUFFER_BYTES		(4u * ITEM_MAX_BYTES)

struct kp_json_state {
	struct kp_json_reader *reader;
	FILE *in;
	const char *shown;
	char *buffer;
	size_t room;		/* size of the buffer in bytes, without the NUL */
	const char *p;		/* next byte to read, between two items */
	const char *end;
	bool eof;
	bool rows_seen;		/* the end of the "events" was read */
	uint64_t lines;		/* number of newlines before the buffer */
	uint64_t line_start;	/* offset in the file of the last line start before the buffer */
	uint64_t offset;	/* offset of buffer[0] in the file */
	uint64_t total;		/* file size; 0: unknown */
	int64_t last_start;
	char *scratch;		/* memory for a name without its escapes */
	struct kp_header header;
	struct kp_header trailing;	/* keys that follow the events */
};

/* Sets *line and *byte, both from 1, to the position of @at in the input. */
void kp_json_position(const struct kp_json_state *st, const char *at,
		      uint64_t *line, uint64_t *byte);

/* The three functions that follow set the message and return false. */
bool kp_json_fail(struct kp_json_state *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Reports "bad JSON: file (line, byte): why" for the byte @at. */
bool kp_json_fail_at(struct kp_json_state *st, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports a missing @what at @at, or that the input ends there. */
bool kp_json_expected(struct kp_json_state *st, const char *at, const char *what);

/* Fills the buffer until the item at st->p is complete. Returns false on a read error. */
bool kp_json_make_room(struct kp_json_state *st);

/* Reads the rest of the input into the buffer, as one item. */
bool kp_json_take_rest(struct kp_json_state *st);

/* Skips any white space between items, and makes room for the next item. */
bool kp_json_next_item(struct kp_json_state *st);

/* Skips white space inside an item. */
static inline const char *kp_json_skip(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/* Parses the string at *p. *text points into the buffer or, with escapes, into the scratch. */
bool kp_json_string(struct kp_json_state *st, const char **p, const char **text,
		    size_t *len);

/* Checks and skips the JSON value at *p. @depth is 0 for the outermost value. */
bool kp_json_pass_value(struct kp_json_state *st, const char **p, int depth);

/*
 * Returns a copy of a skipped value with valid UTF-8, escapes and surrogates, and with a space for
 * each newline between tokens. The caller frees it. Returns NULL without memory.
 */
char *kp_json_clean_value(const char *text, size_t len);

#endif
