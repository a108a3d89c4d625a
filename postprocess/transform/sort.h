/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed rows, and the sorting of the rows of one struct kp_load (at most KP_LOAD_ROWS) into the
 * order of their JSON lines. A packed row is a row in few bytes, without its start:
 *
 *   flags, z(cpu), z(dur), number of its (event, name), z(pid), then rpc, arg0,
 *   retval, ipc, each only if it is not 0
 *
 * as varints; z() is the zigzag code. One thread may read labels while another thread adds labels.
 */
#ifndef KP_TRANSFORM_SORT_H
#define KP_TRANSFORM_SORT_H

#include "base/memory.h"
#include "base/number.h"
#include "spanjson/json.h"

#define KP_PACKED_MAX	128	/* maximum size of a packed row in bytes */
#define KP_LABEL_CACHE	8192	/* number of elements, a power of two */
/* Labels in one chunk. Labels do not move when others are added. */
#define KP_LABEL_CHUNK	4096u
#define KP_LABEL_CHUNKS	4096u

enum { KP_HAS_RPC = 1, KP_HAS_ARG0 = 2, KP_HAS_RETVAL = 4, KP_HAS_IPC = 8 };

/* An (event, name) pair, which has a number. */
struct kp_label {
	int64_t event;
	const struct kp_str *name;
};

/* Cache of label numbers by the address of the name; the name is compared before use. */
struct kp_label_cached {
	const char *text;
	int64_t event;
	uint32_t number, used;
};

/* An empty table is all zeros. */
struct kp_labels {
	struct kp_strings strings;
	struct kp_map map;		/* map from (address of the string ^ event) to a label */
	struct kp_label *chunks[KP_LABEL_CHUNKS];
	size_t count;
	struct kp_label_cached cache[KP_LABEL_CACHE];
	const char *error;		/* reason why no label can be added */
};

static inline const struct kp_label *kp_label_of(const struct kp_labels *labels, uint64_t number)
{
	return &labels->chunks[number / KP_LABEL_CHUNK][number % KP_LABEL_CHUNK];
}

/* Sets *number to the label's number. Adds the label if needed. Returns 0, or -1 with error set. */
int kp_label_new(struct kp_labels *labels, int64_t event, const char *text, size_t len,
		 uint32_t *number);
void kp_labels_free(struct kp_labels *labels);

/* Does the same as kp_label_new() for the label of @span. */
static inline int kp_label_find(struct kp_labels *labels, const struct kp_span *span,
				uint32_t *number)
{
	uint64_t hash = ((uint64_t)(uintptr_t)span->name ^ (uint64_t)span->event << 20) *
			0x9E3779B97F4A7C15ull;
	struct kp_label_cached *cached = &labels->cache[hash >> 40 & (KP_LABEL_CACHE - 1)];

	if (cached->used && cached->text == span->name && cached->event == span->event) {
		const struct kp_str *name = kp_label_of(labels, cached->number)->name;

		if (name->len == span->name_len &&
		    !memcmp(name->text, span->name, span->name_len)) {
			*number = cached->number;
			return 0;
		}
	}
	if (kp_label_new(labels, span->event, span->name, span->name_len, number))
		return -1;
	*cached = (struct kp_label_cached){ span->name, span->event, *number, 1 };
	return 0;
}

/* Packs @span with label @number at @p. Returns the end. */
static inline uint8_t *kp_row_pack(uint8_t *p, const struct kp_span *span, uint32_t number)
{
	*p++ = (uint8_t)((span->rpc ? KP_HAS_RPC : 0) | (span->arg0 ? KP_HAS_ARG0 : 0) |
			 (span->retval ? KP_HAS_RETVAL : 0) | (span->ipc ? KP_HAS_IPC : 0));
	p = kp_varint_put_signed(p, span->cpu);
	p = kp_varint_put_signed(p, span->dur);
	p = kp_varint_put(p, number);
	p = kp_varint_put_signed(p, span->pid);
	if (span->rpc)
		p = kp_varint_put_signed(p, span->rpc);
	if (span->arg0)
		p = kp_varint_put_signed(p, span->arg0);
	if (span->retval)
		p = kp_varint_put_signed(p, span->retval);
	if (span->ipc)
		p = kp_varint_put_signed(p, span->ipc);
	return p;
}

/* Unpacks the row at @p, except its start. Returns its end. */
static inline const uint8_t *kp_row_unpack(const struct kp_labels *labels, const uint8_t *p,
					   struct kp_span *span)
{
	uint8_t flags = *p++;
	const struct kp_label *label;
	uint64_t number;
	int64_t value;

	p = kp_varint_get_signed(p, &value);
	span->cpu = (int32_t)value;
	p = kp_varint_get_signed(p, &span->dur);
	p = kp_varint_get(p, &number);
	label = kp_label_of(labels, number);
	span->event = label->event;
	span->name = label->name->text;
	span->name_len = label->name->len;
	p = kp_varint_get_signed(p, &span->pid);
	span->rpc = span->arg0 = span->retval = 0;
	span->ipc = 0;
	if (flags & KP_HAS_RPC)
		p = kp_varint_get_signed(p, &span->rpc);
	if (flags & KP_HAS_ARG0)
		p = kp_varint_get_signed(p, &span->arg0);
	if (flags & KP_HAS_RETVAL)
		p = kp_varint_get_signed(p, &span->retval);
	if (flags & KP_HAS_IPC) {
		p = kp_varint_get_signed(p, &value);
		span->ipc = (int32_t)value;
	}
	return p;
}

/*
 * Number of rows of a load. To sort a load takes two arrays of keys of 512 KiB each. With
 * KP_SMALL_LOADS, as in fuzzers and sanitized tests, 65 rows already need two loads.
 */
#ifdef KP_SMALL_LOADS
#define KP_LOAD_INDEX_BITS	6
#define KP_LOAD_BYTES	(4u << 10)
#else
#define KP_LOAD_INDEX_BITS	16
/* size of the packed rows; more than KP_LOAD_ROWS usual rows need */
#define KP_LOAD_BYTES	(1536u << 10)
#endif
#define KP_LOAD_ROWS	(1u << KP_LOAD_INDEX_BITS)
/* range of starts in a load, in units of 10 ns */
#define KP_LOAD_UNITS	(1ull << (64 - KP_LOAD_INDEX_BITS))

/* Rows that will be sorted into a run. */
struct kp_load {
	size_t count;
	size_t packed_used;
	int64_t start[KP_LOAD_ROWS];
	/* offset of each packed row, and the end of the last row */
	uint32_t offset[KP_LOAD_ROWS + 1];
	uint8_t packed[KP_LOAD_BYTES];
};

struct kp_sort {
	const struct kp_labels *labels;
	uint64_t *order, *other_order;	/* KP_LOAD_ROWS keys each: start - base, then the index */
	struct kp_json_writer text[2];	/* writers for the comparison of rows */
	bool failed;			/* there was no memory for the comparison */
};

/* Prepares a zeroed @sort. Returns 0, or -1 without memory. Call kp_sort_free() in any case. */
int kp_sort_open(struct kp_sort *sort, const struct kp_labels *labels);
/* Frees the memory for loads. kp_sort_compare() may still be called. */
void kp_sort_free_order(struct kp_sort *sort);
void kp_sort_free(struct kp_sort *sort);

/* Sorts a load. Then kp_sort_index(sort->order[i]) is the index of the row at position i. */
void kp_sort_load(struct kp_sort *sort, const struct kp_load *load);

static inline uint32_t kp_sort_index(uint64_t order)
{
	return (uint32_t)order & (KP_LOAD_ROWS - 1);
}

/* Compares two packed rows with the same start, as their lines would sort. */
int kp_sort_compare(struct kp_sort *sort, int64_t start, const uint8_t *a, const uint8_t *b);

#endif
