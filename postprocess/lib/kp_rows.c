// SPDX-License-Identifier: BSD-3-Clause
/*
 * See kp_rows.h. A packed row is
 *
 *   flags, z(cpu), z(dur), number of its (event, name), z(pid), then of rpc, arg0,
 *   retval, ipc those that are not 0
 *
 * as varints, z() being zigzag; in a run each has in front the varint of
 * z(start - start of the row before it). Must never lose a row or bring one out
 * of order.
 */
#include "kp_rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kp_main.h"
#include "kp_map.h"
#include "kp_temp.h"
#include "kp_utf8.h"

#define RUN_ROWS	(1u << 18)
#define RUN_BYTES	(6u << 20)	/* packed, above RUN_ROWS times the usual */
#define ROW_BYTES	128		/* a packed row at most */
#define CURSOR_BYTES	8192
#define CACHE_SLOTS	8192		/* a power of two */
#define RADIX_BITS	11

enum { HAS_RPC = 1, HAS_ARG0 = 2, HAS_RETVAL = 4, HAS_IPC = 8 };

/* A row that waits for its run to be sorted. */
struct key {
	int64_t start;
	uint32_t offset, len;	/* of the packed row */
};

struct run {
	int64_t first;		/* start of its first row */
	uint64_t rows;
	size_t bytes;
	uint8_t *memory;	/* or NULL: */
	uint64_t offset;	/* in the file */
};

/* An (event, name) as numbered. */
struct label {
	int64_t event;
	const struct kp_str *name;
};

/* The number of what was looked up by this pointer; checked, not trusted. */
struct cached {
	const char *text;
	int64_t event;
	uint32_t number, used;
};

/* Where the merge stands in a run. */
struct cursor {
	const struct run *run;
	const uint8_t *p, *end;		/* packed rows in reach, p behind start */
	uint8_t *buffer;		/* of a run in the file */
	uint64_t left;			/* rows behind this one */
	size_t unread;			/* bytes behind end */
	int64_t start;			/* of this row */
};

struct kp_rows {
	struct kp_header header;
	struct key *keys, *other_keys;
	size_t count;
	uint8_t *packed;
	size_t packed_used;
	struct run *runs;
	size_t run_count, run_room;
	size_t memory_used;
	FILE *file;
	uint64_t file_used;

	struct kp_strings strings;
	struct kp_map label_map;	/* address of the string ^ event -> first label */
	struct label *labels;
	size_t label_count, label_room;
	struct cached cache[CACHE_SLOTS];

	struct kp_json_writer *text[2];	/* for comparing rows */
	struct cursor *heap;
	size_t heap_count;
	char message[200];
};

static int fail(struct kp_rows *rows, const char *what, int code)
{
	if (!rows->message[0])
		snprintf(rows->message, sizeof(rows->message), "%s%s%s", what,
			 code ? ": " : "", code ? strerror(code) : "");
	return -1;
}

static int no_memory(struct kp_rows *rows)
{
	return fail(rows, "no memory", 0);
}

/* ---- packing ---- */

static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static inline uint8_t *put(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)value | 0x80;
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static inline const uint8_t *get(const uint8_t *p, uint64_t *value)
{
	uint64_t v = *p++;
	unsigned int shift = 7;

	if (v >= 0x80) {
		v &= 0x7F;
		do {
			v |= (uint64_t)(*p & 0x7F) << shift;
			shift += 7;
		} while (*p++ & 0x80);
	}
	*value = v;
	return p;
}

static inline const uint8_t *get_signed(const uint8_t *p, int64_t *value)
{
	uint64_t v;

	p = get(p, &v);
	*value = unzigzag(v);
	return p;
}

/* The packed row at p as a span, but for its start. Returns what follows it. */
static const uint8_t *unpack(const struct kp_rows *rows, const uint8_t *p,
			     struct kp_span *span)
{
	uint8_t flags = *p++;
	const struct label *label;
	uint64_t number;
	int64_t value;

	p = get_signed(p, &value);
	span->cpu = (int32_t)value;
	p = get_signed(p, &span->dur);
	p = get(p, &number);
	label = &rows->labels[number];
	span->event = label->event;
	span->name = label->name->text;
	span->name_len = label->name->len;
	p = get_signed(p, &span->pid);
	span->rpc = span->arg0 = span->retval = 0;
	span->ipc = 0;
	if (flags & HAS_RPC)
		p = get_signed(p, &span->rpc);
	if (flags & HAS_ARG0)
		p = get_signed(p, &span->arg0);
	if (flags & HAS_RETVAL)
		p = get_signed(p, &span->retval);
	if (flags & HAS_IPC) {
		p = get_signed(p, &value);
		span->ipc = (int32_t)value;
	}
	return p;
}

/* ---- names ---- */

/* The one copy of text, cleaned as the JSON writer does it. */
static const struct kp_str *valid_name(struct kp_rows *rows, const char *text, size_t len)
{
	const struct kp_str *str;
	uint64_t replaced = 0;
	char *copy = malloc(3 * len + 1);

	if (!copy)
		return NULL;
	len = kp_utf8_clean(text, len, copy, &replaced);
	str = kp_strings_add(&rows->strings, copy, len);
	free(copy);
	return str;
}

static int new_label(struct kp_rows *rows, int64_t event, const char *text, size_t len,
		     uint32_t *number)
{
	const struct kp_str *name = valid_name(rows, text, len);
	uint64_t key;

	if (!name)
		return no_memory(rows);
	/*
	 * Two labels may share a key; the later one then replaces the earlier, and
	 * the same label may get two numbers: no harm, they mean the same.
	 */
	key = (uint64_t)(uintptr_t)name ^ (uint64_t)event << 32;
	if (kp_map_get(&rows->label_map, key, number) &&
	    rows->labels[*number].event == event && rows->labels[*number].name == name)
		return 0;
	if (rows->label_count == rows->label_room) {
		size_t more = rows->label_room ? rows->label_room * 2 : 1024;
		struct label *bigger = realloc(rows->labels, more * sizeof(*bigger));

		if (!bigger)
			return no_memory(rows);
		rows->labels = bigger;
		rows->label_room = more;
	}
	*number = (uint32_t)rows->label_count;
	if (kp_map_set(&rows->label_map, key, *number))
		return no_memory(rows);
	rows->labels[rows->label_count++] = (struct label){ event, name };
	return 0;
}

static inline int find_label(struct kp_rows *rows, const struct kp_span *span,
			     uint32_t *number)
{
	uint64_t hash = ((uint64_t)(uintptr_t)span->name ^ (uint64_t)span->event << 20) *
			0x9E3779B97F4A7C15ull;
	struct cached *cached = &rows->cache[hash >> 40 & (CACHE_SLOTS - 1)];

	if (cached->used && cached->text == span->name && cached->event == span->event) {
		const struct kp_str *name = rows->labels[cached->number].name;

		if (name->len == span->name_len &&
		    !memcmp(name->text, span->name, span->name_len)) {
			*number = cached->number;
			return 0;
		}
	}
	if (new_label(rows, span->event, span->name, span->name_len, number))
		return -1;
	*cached = (struct cached){ span->name, span->event, *number, 1 };
	return 0;
}

/* ---- order ---- */

/* Of rows with the same start: as their lines would sort. */
static int compare_text(struct kp_rows *rows, const struct kp_span *a,
			const struct kp_span *b)
{
	const int64_t one_digit = 1000000000;	/* 10 s: the seconds are one digit */
	size_t m, n;
	const char *x, *y;
	int diff;

	if (a->dur != b->dur && a->dur >= 0 && b->dur >= 0 && a->dur < one_digit &&
	    b->dur < one_digit)
		return a->dur < b->dur ? -1 : 1;
	if (a->dur == b->dur && a->cpu != b->cpu && a->cpu < 10 && b->cpu < 10)
		return a->cpu < b->cpu ? -1 : 1;
	x = kp_json_format_span(rows->text[0], a, &m);
	y = kp_json_format_span(rows->text[1], b, &n);
	if (!x || !y)
		return no_memory(rows);
	diff = memcmp(x, y, m < n ? m : n);
	return diff ? diff : m < n ? -1 : m > n;
}

static int compare_packed(struct kp_rows *rows, int64_t start, const uint8_t *a,
			  const uint8_t *b)
{
	struct kp_span x = { .start = start }, y = { .start = start };

	unpack(rows, a, &x);
	unpack(rows, b, &y);
	return compare_text(rows, &x, &y);
}

static int compare_keys(const void *a, const void *b, void *self)
{
	const struct key *x = a, *y = b;
	struct kp_rows *rows = self;

	return compare_packed(rows, x->start, rows->packed + x->offset,
			      rows->packed + y->offset);
}

/* By start: least significant digits first, as many as there are. */
static void sort_keys(struct kp_rows *rows)
{
	static const size_t buckets = 1u << RADIX_BITS;
	size_t at[1u << RADIX_BITS], i;
	int64_t least = rows->keys[0].start;
	uint64_t most = 0;
	unsigned int shift;
	bool sorted = true;

	for (i = 1; i < rows->count; i++) {
		sorted &= rows->keys[i - 1].start <= rows->keys[i].start;
		if (rows->keys[i].start < least)
			least = rows->keys[i].start;
	}
	for (i = 0; i < rows->count; i++)
		if ((uint64_t)rows->keys[i].start - (uint64_t)least > most)
			most = (uint64_t)rows->keys[i].start - (uint64_t)least;
	for (shift = 0; !sorted && shift < 64 && most >> shift; shift += RADIX_BITS) {
		struct key *from = rows->keys, *to = rows->other_keys;
		size_t sum = 0;

		memset(at, 0, sizeof(at));
		for (i = 0; i < rows->count; i++)
			at[((uint64_t)from[i].start - (uint64_t)least) >> shift & (buckets - 1)]++;
		for (i = 0; i < buckets; i++) {
			size_t n = at[i];

			at[i] = sum;
			sum += n;
		}
		for (i = 0; i < rows->count; i++)
			to[at[((uint64_t)from[i].start - (uint64_t)least) >> shift &
			      (buckets - 1)]++] = from[i];
		rows->keys = to;
		rows->other_keys = from;
	}
}

static void sort_ties(struct kp_rows *rows)
{
	size_t from = 0, to;

	for (; from < rows->count; from = to) {
		for (to = from + 1; to < rows->count &&
				    rows->keys[to].start == rows->keys[from].start; to++)
			;
		if (to - from == 2) {
			struct key *k = &rows->keys[from], swap;

			if (compare_keys(&k[0], &k[1], rows) > 0) {
				swap = k[0];
				k[0] = k[1];
				k[1] = swap;
			}
		} else if (to - from > 2) {
			qsort_r(rows->keys + from, to - from, sizeof(*rows->keys),
				compare_keys, rows);
		}
	}
}

/* ---- runs ---- */

static int write_file(struct kp_rows *rows, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t done = pwrite(fileno(rows->file), data, len, (off_t)rows->file_used);

		if (done < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (done < 0)
			return fail(rows, "cannot write a temporary file (set TMPDIR to a directory with room)",
				    errno);
		data += done;
		len -= (size_t)done;
		rows->file_used += (uint64_t)done;
	}
	return 0;
}

static int keep_run(struct kp_rows *rows, struct run *run, uint8_t *data)
{
	if (rows->memory_used + run->bytes <= KP_ROWS_MEMORY_BYTES) {
		run->memory = malloc(run->bytes);
		if (!run->memory)
			return no_memory(rows);
		memcpy(run->memory, data, run->bytes);
		rows->memory_used += run->bytes;
		return 0;
	}
	if (!rows->file)
		rows->file = kp_temp_file();
	if (!rows->file)
		return fail(rows, "cannot make a temporary file (set TMPDIR to a directory with room)",
			    errno);
	run->offset = rows->file_used;
	return write_file(rows, data, run->bytes);
}

/* What has come in becomes a run. */
static int end_run(struct kp_rows *rows)
{
	struct run *run;
	uint8_t *data, *p;
	int64_t before = 0;
	size_t i;
	int err;

	if (!rows->count)
		return 0;
	if (rows->run_count == rows->run_room) {
		size_t more = rows->run_room ? rows->run_room * 2 : 64;
		struct run *bigger = realloc(rows->runs, more * sizeof(*bigger));

		if (!bigger)
			return no_memory(rows);
		rows->runs = bigger;
		rows->run_room = more;
	}
	sort_keys(rows);
	sort_ties(rows);
	/* the other keys' memory is free now, but too small for the worst case */
	data = malloc(rows->packed_used + 10 * rows->count);
	if (!data)
		return no_memory(rows);
	p = data;
	for (i = 0; i < rows->count; i++) {
		const struct key *key = &rows->keys[i];

		p = put(p, zigzag(key->start - before));
		memcpy(p, rows->packed + key->offset, key->len);
		p += key->len;
		before = key->start;
	}
	run = &rows->runs[rows->run_count];
	*run = (struct run){
		.first = rows->keys[0].start, .rows = rows->count,
		.bytes = (size_t)(p - data),
	};
	err = keep_run(rows, run, data);
	free(data);
	rows->run_count += !err;
	rows->count = 0;
	rows->packed_used = 0;
	return err || rows->message[0] ? -1 : 0;
}

/* ---- the sink ---- */

/* As the lines of the keys sort: a quote ends a key. */
static int compare_items(const void *a, const void *b)
{
	const char *x = ((const struct kp_header_item *)a)->key;
	const char *y = ((const struct kp_header_item *)b)->key;

	for (; *x && *x == *y; x++, y++)
		;
	return (int)(unsigned char)(*x ? *x : '"') - (int)(unsigned char)(*y ? *y : '"');
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_rows *rows = self;

	if (kp_header_copy(&rows->header, items, count))
		return no_memory(rows);
	if (count)
		qsort(rows->header.items, rows->header.count, sizeof(*items), compare_items);
	return 0;
}

static int on_span(void *self, const struct kp_span *span)
{
	struct kp_rows *rows = self;
	uint8_t *begin = rows->packed + rows->packed_used, *p = begin;
	uint32_t number;

	if (find_label(rows, span, &number))
		return -1;
	*p++ = (uint8_t)((span->rpc ? HAS_RPC : 0) | (span->arg0 ? HAS_ARG0 : 0) |
			 (span->retval ? HAS_RETVAL : 0) | (span->ipc ? HAS_IPC : 0));
	p = put(p, zigzag(span->cpu));
	p = put(p, zigzag(span->dur));
	p = put(p, number);
	p = put(p, zigzag(span->pid));
	if (span->rpc)
		p = put(p, zigzag(span->rpc));
	if (span->arg0)
		p = put(p, zigzag(span->arg0));
	if (span->retval)
		p = put(p, zigzag(span->retval));
	if (span->ipc)
		p = put(p, zigzag(span->ipc));
	rows->keys[rows->count++] = (struct key){
		span->start, (uint32_t)rows->packed_used, (uint32_t)(p - begin),
	};
	rows->packed_used = (size_t)(p - rows->packed);
	if (rows->count < RUN_ROWS && rows->packed_used <= RUN_BYTES - ROW_BYTES)
		return 0;
	return end_run(rows);
}

static int on_end(void *self)
{
	struct kp_rows *rows = self;
	int err = end_run(rows);

	/* No more comes in. */
	free(rows->keys);
	free(rows->other_keys);
	free(rows->packed);
	rows->keys = rows->other_keys = NULL;
	rows->packed = NULL;
	return err;
}

/* ---- merging ---- */

static int refill(struct kp_rows *rows, struct cursor *c)
{
	size_t kept = (size_t)(c->end - c->p), room = CURSOR_BYTES - kept;
	uint64_t offset = c->run->offset + c->run->bytes - c->unread;
	size_t want = c->unread < room ? c->unread : room;

	memmove(c->buffer, c->p, kept);
	c->p = c->buffer;
	c->end = c->buffer + kept;
	while (want) {
		ssize_t got = pread(fileno(rows->file), c->buffer + kept, want, (off_t)offset);

		if (got < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (got <= 0)
			return fail(rows, "cannot read a temporary file", got ? errno : EIO);
		want -= (size_t)got;
		kept += (size_t)got;
		offset += (uint64_t)got;
		c->unread -= (size_t)got;
		c->end += got;
	}
	return 0;
}

static inline int next_start(struct kp_rows *rows, struct cursor *c)
{
	int64_t step;

	if (c->unread && c->end - c->p < ROW_BYTES && refill(rows, c))
		return -1;
	c->p = get_signed(c->p, &step);
	c->start += step;
	c->left--;
	return 0;
}

static int open_cursor(struct kp_rows *rows, const struct run *run, struct cursor *c)
{
	*c = (struct cursor){ .run = run, .left = run->rows };
	if (run->memory) {
		c->p = run->memory;
		c->end = run->memory + run->bytes;
	} else {
		c->buffer = malloc(CURSOR_BYTES);
		if (!c->buffer)
			return no_memory(rows);
		c->p = c->end = c->buffer;
		c->unread = run->bytes;
	}
	return next_start(rows, c);
}

static inline bool earlier(struct kp_rows *rows, const struct cursor *a,
			   const struct cursor *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return compare_packed(rows, a->start, a->p, b->p) < 0;
}

static void sift_down(struct kp_rows *rows)
{
	struct cursor *heap = rows->heap;
	size_t i = 0;

	for (;;) {
		size_t least = i, child = 2 * i + 1;
		struct cursor swap;

		if (child < rows->heap_count && earlier(rows, &heap[child], &heap[least]))
			least = child;
		child++;
		if (child < rows->heap_count && earlier(rows, &heap[child], &heap[least]))
			least = child;
		if (least == i)
			return;
		swap = heap[i];
		heap[i] = heap[least];
		heap[least] = swap;
		i = least;
	}
}

static void sift_up(struct kp_rows *rows)
{
	struct cursor *heap = rows->heap;
	size_t i = rows->heap_count - 1;

	while (i && earlier(rows, &heap[i], &heap[(i - 1) / 2])) {
		struct cursor swap = heap[i];

		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = swap;
		i = (i - 1) / 2;
	}
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* The first row of all out; its cursor goes on. */
static int advance(struct kp_rows *rows, const struct kp_span_sink *sink)
{
	struct cursor *top = &rows->heap[0];
	struct kp_span span = { .start = top->start };
	int err;

	top->p = unpack(rows, top->p, &span);
	err = sink->span(sink->self, &span);
	if (err)
		return err;
	if (top->left) {
		if (next_start(rows, top))
			return -1;
	} else {
		free(top->buffer);
		*top = rows->heap[--rows->heap_count];
	}
	if (rows->heap_count > 1)
		sift_down(rows);
	return 0;
}

int kp_rows_replay(struct kp_rows *rows, const struct kp_span_sink *sink)
{
	size_t opened = 0;
	uint64_t done = 0;
	int err = 0;

	if (!rows->run_count)
		return 0;
	qsort(rows->runs, rows->run_count, sizeof(*rows->runs), compare_runs);
	rows->heap = malloc(rows->run_count * sizeof(*rows->heap));
	if (!rows->heap)
		return no_memory(rows);
	rows->heap_count = 0;
	while (!err) {
		while (!err && opened < rows->run_count &&
		       (!rows->heap_count ||
			rows->runs[opened].first <= rows->heap[0].start)) {
			err = open_cursor(rows, &rows->runs[opened++],
					  &rows->heap[rows->heap_count]);
			rows->heap_count++;
			if (!err)
				sift_up(rows);
		}
		if (err || !rows->heap_count)
			break;
		err = advance(rows, sink);
		if (!(++done & 0xFFFF) && kp_interrupted())
			err = fail(rows, "interrupted", 0);
	}
	while (rows->heap_count)
		free(rows->heap[--rows->heap_count].buffer);
	free(rows->heap);
	rows->heap = NULL;
	return err ? err : rows->message[0] ? -1 : 0;
}

/* ---- outside ---- */

struct kp_rows *kp_rows_new(void)
{
	struct kp_rows *rows = calloc(1, sizeof(*rows));
	int i;

	if (!rows)
		return NULL;
	rows->keys = malloc(RUN_ROWS * sizeof(*rows->keys));
	rows->other_keys = malloc(RUN_ROWS * sizeof(*rows->other_keys));
	rows->packed = malloc(RUN_BYTES);
	for (i = 0; i < 2; i++) {
		rows->text[i] = malloc(sizeof(*rows->text[i]));
		if (rows->text[i])
			kp_json_writer_init(rows->text[i], NULL);
	}
	if (rows->keys && rows->other_keys && rows->packed && rows->text[0] && rows->text[1])
		return rows;
	kp_rows_free(rows);
	return NULL;
}

struct kp_span_sink kp_rows_sink(struct kp_rows *rows)
{
	return (struct kp_span_sink){
		.header = on_header, .span = on_span, .end = on_end, .self = rows,
	};
}

struct kp_header *kp_rows_header(struct kp_rows *rows)
{
	return &rows->header;
}

const char *kp_rows_message(const struct kp_rows *rows)
{
	return rows->message;
}

void kp_rows_free(struct kp_rows *rows)
{
	size_t i;

	if (!rows)
		return;
	free(rows->keys);
	free(rows->other_keys);
	free(rows->packed);
	for (i = 0; i < rows->run_count; i++)
		free(rows->runs[i].memory);
	free(rows->runs);
	if (rows->file)
		fclose(rows->file);
	for (i = 0; i < 2; i++) {
		if (rows->text[i])
			kp_json_writer_free(rows->text[i]);
		free(rows->text[i]);
	}
	kp_strings_free(&rows->strings);
	kp_map_free(&rows->label_map);
	free(rows->labels);
	kp_header_free(&rows->header);
	free(rows);
}
