/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a page: buffers, dictionary of names, compression by several threads, base64. */
#ifndef KP_PAGE_PACK_H
#define KP_PAGE_PACK_H

#include <stdio.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/span.h"

/* A growing byte buffer for a column of a page. */
struct kp_bytes {
	uint8_t *data;
	size_t len, cap;	/* number of bytes used and allocated */
};

/* Reserves @more bytes after the used ones. Returns 0 or -ENOMEM. */
int kp_bytes_reserve(struct kp_bytes *bytes, size_t more);
void kp_bytes_free(struct kp_bytes *bytes);

/* Appends @value as a varint. The caller must have reserved KP_VARINT_MAX bytes. */
static inline void kp_put_varint(struct kp_bytes *bytes, uint64_t value)
{
	uint8_t *end = kp_varint_put(bytes->data + bytes->len, value);

	bytes->len = (size_t)(end - bytes->data);
}

/* ---- the dictionary: numbers each pair of event and name ---- */

#define KP_DICTIONARY_LAST 4096

struct kp_dictionary_entry {
	int64_t event;
	size_t offset;		/* offset of the name in the dictionary's text */
	uint32_t len;
};

/* The dictionary. Zeroed at first. */
struct kp_dictionary {
	uint32_t last[KP_DICTIONARY_LAST];	/* numbers + 1 of recent entries, by a hash */
	struct kp_map by_hash;			/* hash of event and name -> number */
	KP_VECTOR(struct kp_dictionary_entry) entries;
	KP_VECTOR(char) text;			/* all names, without separators */
	struct kp_bytes pending;	/* encoded entries, not yet written */
	uint32_t pending_count;
};

void kp_dictionary_close(struct kp_dictionary *dictionary);

/*
 * Added to the event of an entry that is the own code of a kernel thread. Events of rows are not
 * greater (VALUE_LIMIT in page.c). templates/js/data/columns.ts subtracts it again.
 */
#define KP_DICTIONARY_IN_KERNEL ((int64_t)1 << 51)

/*
 * Sets *@number to the number of the entry (@event, @name), and adds the entry if it is new.
 * Returns 0, -ENOMEM, or -ERANGE (2^31 - 1 entries, or a name of 4 GB).
 */
int kp_dictionary_find(struct kp_dictionary *dictionary, int64_t event, const char *name,
		       size_t len, uint32_t *number);

/* ---- compression ---- */

struct kp_packer;

/* Returns a packer that writes to @out and does not close it; NULL without memory. */
struct kp_packer *kp_packer_open(FILE *out);
void kp_packer_close(struct kp_packer *packer);

/*
 * Adds a job: @head, @bytes compressed (zlib format) as base64, and @tail. Jobs are written to @out
 * in the order of the calls. @bytes is empty afterwards, even after an error. @head is copied,
 * @tail is not. Only this function and kp_packer_finish() write to @out, in the caller's thread.
 * Returns 0 or a negative errno, which may be an error of an earlier call.
 */
int kp_packer_add(struct kp_packer *packer, const char *head, struct kp_bytes *bytes,
		  const char *tail);

/* Writes all jobs. Then the caller may write to @out. Returns 0 or a negative errno. */
int kp_packer_finish(struct kp_packer *packer);

/* ---- overview.c: a coarse picture of a large page, drawn until the spans are decoded ---- */

#define KP_OVERVIEW_CPUS 65536	/* KP_JSON_CPU_MAX + 1 */

struct kp_overview;

/* Returns an empty overview, or NULL without memory. */
struct kp_overview *kp_overview_open(void);
void kp_overview_close(struct kp_overview *o);

/* Adds a span. Spans must come in the order of the page. Returns 0 or -ENOMEM. */
int kp_overview_span(struct kp_overview *o, const struct kp_span *span);

/*
 * Writes the overview element. Writes nothing if there are too few spans, or if a span begins
 * before the first one. Returns 0 or a negative errno.
 */
int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out);

/*
 * Returns the number of bytes to reserve for the overview before the data, estimated from the spans
 * so far. Returns 0 if there are too few spans so far, or if there will be no overview.
 */
size_t kp_overview_room(const struct kp_overview *o);

/*
 * Sets *@filled to the overview element, padded to @room bytes; the caller frees it. Joins bins
 * until the overview fits. The element is empty if there is no overview or @o is NULL. Returns 0 or
 * a negative errno.
 */
int kp_overview_fill(struct kp_overview *o, size_t room, char **filled);

#endif
