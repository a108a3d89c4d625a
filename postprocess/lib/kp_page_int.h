/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the kp_page*.c files and nobody else: see kp_page.h. */
#ifndef KP_PAGE_INT_H
#define KP_PAGE_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kp_page.h"

/* --- bytes that grow (kp_page_column.c) ------------------------------------ */

struct kp_bytes {
	uint8_t *data;
	size_t len, cap;	/* bytes */
};

/* Makes room for more bytes. 0 or -ENOMEM. */
int kp_bytes_reserve(struct kp_bytes *bytes, size_t more);
void kp_bytes_free(struct kp_bytes *bytes);

static inline uint64_t kp_zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

#define KP_VARINT_MAX 10	/* bytes of a 64-bit value */

/* The caller has reserved KP_VARINT_MAX bytes. */
static inline void kp_put_varint(struct kp_bytes *bytes, uint64_t value)
{
	uint8_t *p = bytes->data + bytes->len;

	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	bytes->len = (size_t)(p - bytes->data);
}

/* --- the text form of a column (kp_page_pack.c) ----------------------------- */

struct kp_packer;

/* NULL: no memory. out stays the caller's. */
struct kp_packer *kp_packer_open(FILE *out);
void kp_packer_close(struct kp_packer *packer);

/*
 * For out: head, then bytes deflated (zlib form) as base64, then tail, behind all that
 * was added before. Takes bytes' memory, which are empty afterwards, also after a
 * failure; head is copied, tail is not. Out is written by this and kp_packer_finish()
 * only, in the caller's thread. 0 or a negative errno, also of an earlier one.
 */
int kp_packer_add(struct kp_packer *packer, const char *head, struct kp_bytes *bytes,
		  const char *tail);

/* Writes what was added and is not written. Out is the caller's again. */
int kp_packer_finish(struct kp_packer *packer);

/* --- the overview (kp_page_overview.c) --------------------------------------- */

#define KP_OVERVIEW_CPUS 65536	/* KP_JSON_CPU_MAX + 1 */

struct kp_overview;

/* NULL: no memory. */
struct kp_overview *kp_overview_open(void);
void kp_overview_close(struct kp_overview *o);

/* Every span, in order. 0 or -ENOMEM. */
int kp_overview_span(struct kp_overview *o, const struct kp_span *span);

/*
 * Writes the element, or nothing when the trace is too small or not in order.
 * 0 or a negative errno.
 */
int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out);

/* --- the dictionary (kp_page_names.c) --------------------------------------- */

#define KP_NAMES_LAST 4096

struct kp_name_last {
	const struct kp_name_slot *slot;	/* or NULL */
};

struct kp_names {
	struct kp_name_last last[KP_NAMES_LAST];	/* found last, by where the name lay */
	struct kp_name_slot *slots;
	size_t slot_mask;
	uint8_t *text;			/* all names, one behind the other */
	size_t text_len, text_cap;
	uint32_t count;
	struct kp_bytes pending;	/* encoded entries not written yet */
	uint32_t pending_count;
};

int kp_names_open(struct kp_names *names);
void kp_names_close(struct kp_names *names);

/*
 * The number of the entry (event, name), which is made when it is new.
 * 0 or -ENOMEM, -ERANGE (more than 2^31 entries, or 4 GB of names).
 */
int kp_names_find(struct kp_names *names, int64_t event, const char *name, size_t len,
		  uint32_t *number);

/* --- templates (kp_page_template.c) ----------------------------------------- */

enum kp_template_kind { KP_TEMPLATE_OURS, KP_TEMPLATE_ORIGINAL };

struct kp_template {
	enum kp_template_kind kind;
	char *text;
	size_t len;
	/* what is written before the data: up to three pieces; then what behind */
	struct kp_piece {
		const char *data;
		size_t len;
	} before[5], after;
	char *d3;		/* text of the d3 file, made safe for a script element */
	size_t d3_len;
};

/* Reads and splits. false: error says why. */
bool kp_template_open(struct kp_template *t, const char *path, const char *d3_path,
		      char *error, size_t error_size);
void kp_template_close(struct kp_template *t);

/* --- the original's pages (kp_page_string.c) -------------------------------- */

/*
 * A stream whose text comes out as the inside of a JavaScript string in single
 * quotes inside a script element. fclose() it before writing to out again.
 */
FILE *kp_string_stream(FILE *out);

#endif
