/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is in a page of ours: its data elements by track and chunk, its names. Lists them, and
 * checks that all are there that the page's end says. Called by page/unpage.c, and with what
 * it lists by page/tracks.c.
 */
#ifndef KP_PAGE_ELEMENTS_H
#define KP_PAGE_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/span.h"
#include "page/unpack.h"
#include "spanjson/reader.h"

#define KP_PAGE_CLOSE_TAG "</script>"

enum kp_page_column {
	KP_COLUMN_GAP, KP_COLUMN_DUR, KP_COLUMN_NAME, KP_COLUMN_PID, KP_COLUMN_RPC,
	KP_COLUMN_ARG, KP_COLUMN_RET, KP_COLUMN_IPC, KP_COLUMN_CPU, KP_COLUMNS
};

struct kp_page_element {
	off_t from, to;		/* of the base64; to 0: the column is left out */
	uint64_t bytes;
};

struct kp_page_chunk {
	uint32_t count;
	struct kp_page_element columns[KP_COLUMNS];
};

struct kp_page_track {
	int32_t cpu;		/* -1: other */
	struct kp_page_chunk *chunks;
	size_t chunk_count, next_chunk;
	uint32_t left;		/* rows of the current chunk not unpacked yet */
	struct kp_unpack *columns[KP_COLUMNS];
	struct kp_span span;	/* the row to come */
	int64_t time, pid, rpc;	/* what the next row counts from */
};

struct kp_page_name {
	int64_t event;
	size_t offset, len;
};

extern const char *const kp_page_column_names[KP_COLUMNS];

struct kp_elements {
	/* set by the caller */
	char *message;		/* one line, "" = none yet */
	size_t message_room;
	const char *shown;
	int fd;
	int read_errno;		/* of a read that failed; 0: none did */
	off_t at, end;
	off_t behind, behind_end;	/* keys behind the events; 0: none */
	struct kp_page_track **tracks;
	size_t track_count;
	uint64_t chunk_count, element_count, span_count;
	struct kp_page_track *last_track;	/* whose chunk the elements are of */
	struct kp_page_name *names;
	size_t name_count, name_cap;
	char *text;
	size_t text_len, text_cap;
	int start_width;	/* of the start field in the JSON that the page was made of */
};

/* These three put a line into the message, if there is none yet, and return KP_JSON_BAD. */
enum kp_json_result kp_elements_fail(struct kp_elements *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum kp_json_result kp_elements_no_memory(struct kp_elements *st);
/* With the byte at which the page is read. */
enum kp_json_result kp_elements_damaged(struct kp_elements *st, const char *what);

/* Lists all from st->at on to the page's end. */
enum kp_json_result kp_elements_list(struct kp_elements *st);
void kp_elements_free(struct kp_elements *st);

#endif
