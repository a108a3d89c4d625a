// SPDX-License-Identifier: BSD-3-Clause
/*
 * See kp_rows.h. A packed row is
 *
 *   flags, z(cpu), z(dur), number of its (event, name), z(pid), then of rpc, arg0,
 *   retval, ipc those that are not 0
 *
 * as varints, z() being zigzag; in a run each has in front the varint of
 * z(start - start of the row before it). Runs are sorted in a thread of their own,
 * which reads the labels of rows it has been given while others are added. Must
 * never lose a row or bring one out of order.
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
#include "kp_worker.h"

/* A run's keys, twice, stay in a processor's second cache. */
#define RUN_INDEX_BITS	16
#define RUN_ROWS	(1u << RUN_INDEX_BITS)
#define RUN_BYTES	(1536u << 10)	/* packed, above RUN_ROWS times the usual */
#define RUN_UNITS	(1ull << (64 - RUN_INDEX_BITS))	/* 10 ns: a run's starts lie in that */
#define ROW_BYTES	128		/* a packed row at most */
#define CURSOR_BYTES	16384
#define CACHE_SLOTS	8192		/* a power of two */
#define RADIX_BITS	8

/* Labels stay where they are while more come. */
#define LABEL_CHUNK	4096u
#define LABEL_CHUNKS	4096u

enum { HAS_RPC = 1, HAS_ARG0 = 2, HAS_RETVAL = 4, HAS_IPC = 8 };

/* Rows that wait to be sorted and become a run. */
struct load {
	size_t count;
	size_t packed_used;
	int64_t start[RUN_ROWS];
	uint32_t offset[RUN_ROWS + 1];	/* of the packed row; the last one's end */
	uint8_t packed[RUN_BYTES];
};

/* As small as can be: of a long trace there are thousands. */
struct run {
	int64_t first;		/* start of its first row */
	uint32_t rows;		/* RUN_ROWS at most */
	uint32_t bytes : 31;
	bool in_file : 1;
	union {
		uint8_t *memory;
		uint64_t offset;	/* in the file */
	};
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
	struct load *loads;		/* KP_WORKER_BATCHES */
	struct load *load;		/* being filled */
	struct kp_worker *sorter;	/* or NULL: the caller sorts */
	/* the sorter's, until it is closed */
	uint64_t *order, *other_order;	/* RUN_ROWS each: start - base, then the index */
	struct run *runs;		/* by their first rows */
	size_t run_count, run_room;
	size_t memory_used;
	FILE *file;
	uint64_t file_used;

	struct kp_strings strings;
	struct kp_map label_map;	/* address of the string ^ event -> first label */
	struct label *labels[LABEL_CHUNKS];
	size_t label_count;
	struct cached cache[CACHE_SLOTS];

	struct kp_json_writer *text[2];	/* for comparing rows */
	struct cursor *heap;
	size_t heap_count;
	uint64_t replayed;		/* rows */
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

static inline const struct label *label_of(const struct kp_rows *rows, uint64_t number)
{
	return &rows->labels[number / LABEL_CHUNK][number % LABEL_CHUNK];
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
	label = label_of(rows, number);
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
	struct label **chunk;
	uint64_t key;

	if (!name)
		return no_memory(rows);
	/*
	 * Two labels may share a key; the later one then replaces the earlier, and
	 * the same label may get two numbers: no harm, they mean the same.
	 */
	key = (uint64_t)(uintptr_t)name ^ (uint64_t)event << 32;
	if (kp_map_get(&rows->label_map, key, number) &&
	    label_of(rows, *number)->event == event && label_of(rows, *number)->name == name)
		return 0;
	if (rows->label_count == (size_t)LABEL_CHUNK * LABEL_CHUNKS)
		return fail(rows, "too many different names", 0);
	chunk = &rows->labels[rows->label_count / LABEL_CHUNK];
	if (!*chunk)
		*chunk = malloc(LABEL_CHUNK * sizeof(**chunk));
	if (!*chunk)
		return no_memory(rows);
	*number = (uint32_t)rows->label_count;
	if (kp_map_set(&rows->label_map, key, *number))
		return no_memory(rows);
	(*chunk)[rows->label_count++ % LABEL_CHUNK] = (struct label){ event, name };
	return 0;
}

static inline int find_label(struct kp_rows *rows, const struct kp_span *span,
			     uint32_t *number)
{
	uint64_t hash = ((uint64_t)(uintptr_t)span->name ^ (uint64_t)span->event << 20) *
			0x9E3779B97F4A7C15ull;
	struct cached *cached = &rows->cache[hash >> 40 & (CACHE_SLOTS - 1)];

	if (cached->used && cached->text == span->name && cached->event == span->event) {
		const struct kp_str *name = label_of(rows, cached->number)->name;

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

struct tie {
	struct kp_rows *rows;
	const struct load *load;
};

static inline uint32_t order_index(uint64_t order)
{
	return (uint32_t)order & (RUN_ROWS - 1);
}

static int compare_ties(const void *a, const void *b, void *self)
{
	uint32_t x = order_index(*(const uint64_t *)a), y = order_index(*(const uint64_t *)b);
	const struct tie *tie = self;
	const struct load *load = tie->load;

	return compare_packed(tie->rows, load->start[x], load->packed + load->offset[x],
			      load->packed + load->offset[y]);
}

/* One digit's pass; a digit is so small that all its places stay in the first cache. */
static void sort_digit(struct kp_rows *rows, size_t count, unsigned int shift)
{
	const unsigned int buckets = 1u << RADIX_BITS;
	uint64_t *from = rows->order, *to = rows->other_order;
	uint32_t at[1u << RADIX_BITS] = { 0 }, sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		at[from[i] >> shift & (buckets - 1)]++;
	for (i = 0; i < buckets; i++) {
		uint32_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	for (i = 0; i < count; i++)
		to[at[from[i] >> shift & (buckets - 1)]++] = from[i];
	rows->order = to;
	rows->other_order = from;
}

/*
 * Fills order: by start, which on_span() keeps within RUN_UNITS. Least significant
 * digits first; digits in which no two differ are left out.
 */
static void sort_starts(struct kp_rows *rows, const struct load *load)
{
	uint64_t base = (uint64_t)load->start[0] - RUN_UNITS / 2, differ = 0;
	unsigned int shift;
	bool sorted = true;
	size_t i;

	for (i = 0; i < load->count; i++) {
		uint64_t start = (uint64_t)load->start[i] - base;

		rows->order[i] = start << RUN_INDEX_BITS | i;
		differ |= start ^ RUN_UNITS / 2;
		sorted &= !i || load->start[i - 1] <= load->start[i];
	}
	differ <<= RUN_INDEX_BITS;
	for (shift = RUN_INDEX_BITS; !sorted && shift < 64; shift += RADIX_BITS)
		if (differ >> shift & ((1u << RADIX_BITS) - 1))
			sort_digit(rows, load->count, shift);
}

static void sort_ties(struct kp_rows *rows, const struct load *load)
{
	struct tie tie = { rows, load };
	uint64_t *order = rows->order;
	size_t from = 0, to;

	for (; from < load->count; from = to) {
		for (to = from + 1; to < load->count &&
		     order[to] >> RUN_INDEX_BITS == order[from] >> RUN_INDEX_BITS; to++)
			;
		if (to - from == 2) {
			uint64_t first = order[from];

			if (compare_ties(&order[from], &order[from + 1], &tie) > 0) {
				order[from] = order[from + 1];
				order[from + 1] = first;
			}
		} else if (to - from > 2) {
			qsort_r(order + from, to - from, sizeof(*order), compare_ties, &tie);
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
	run->in_file = 1;
	run->offset = rows->file_used;
	return write_file(rows, data, run->bytes);
}

/* To its place among the others, mostly behind them; there is room. */
static void insert_run(struct kp_rows *rows, const struct run *run)
{
	size_t low = 0, high = rows->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->runs[middle].first <= run->first)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(rows->runs + low + 1, rows->runs + low,
		(rows->run_count - low) * sizeof(*run));
	rows->runs[low] = *run;
	rows->run_count++;
}

/* A load becomes a run, and is empty. Called by the sorter, or by the caller. */
static int make_run(void *self, void *data)
{
	struct kp_rows *rows = self;
	struct load *load = data;
	int64_t before = 0;
	struct run run;
	uint8_t *out, *p;
	size_t i;
	int err;

	if (!load->count)
		return 0;
	if (rows->run_count == rows->run_room) {
		size_t more = rows->run_room ? rows->run_room * 2 : 64;
		struct run *bigger = realloc(rows->runs, more * sizeof(*bigger));

		if (!bigger)
			return no_memory(rows);
		rows->runs = bigger;
		rows->run_room = more;
	}
	load->offset[load->count] = (uint32_t)load->packed_used;
	sort_starts(rows, load);
	sort_ties(rows, load);
	out = malloc(load->packed_used + 10 * load->count);
	if (!out)
		return no_memory(rows);
	p = out;
	for (i = 0; i < load->count; i++) {
		uint32_t row = order_index(rows->order[i]);
		size_t len = load->offset[row + 1] - load->offset[row];

		p = put(p, zigzag(load->start[row] - before));
		memcpy(p, load->packed + load->offset[row], len);
		p += len;
		before = load->start[row];
	}
	run = (struct run){
		.first = load->start[order_index(rows->order[0])],
		.rows = (uint32_t)load->count, .bytes = (uint32_t)(p - out) & INT32_MAX,
	};
	err = keep_run(rows, &run, out);
	free(out);
	if (!err)
		insert_run(rows, &run);
	load->count = 0;
	load->packed_used = 0;
	return err || rows->message[0] ? -1 : 0;
}

/* What has come in goes to the sorter. */
static int end_load(struct kp_rows *rows)
{
	int err;

	if (!rows->sorter)
		return make_run(rows, rows->load);
	err = kp_worker_hand_over(rows->sorter);
	rows->load = kp_worker_batch(rows->sorter);
	return err;
}

static void free_sorter(struct kp_rows *rows)
{
	free(rows->loads);
	free(rows->order);
	free(rows->other_order);
	rows->order = rows->other_order = NULL;
	rows->loads = rows->load = NULL;
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
	struct load *load = rows->load;
	uint32_t number;
	uint8_t *p;

	if (load->count && (uint64_t)span->start - (uint64_t)load->start[0] + RUN_UNITS / 2 >=
	    RUN_UNITS) {
		if (end_load(rows))
			return -1;
		load = rows->load;
	}
	if (find_label(rows, span, &number))
		return -1;
	load->start[load->count] = span->start;
	load->offset[load->count++] = (uint32_t)load->packed_used;
	p = load->packed + load->packed_used;
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
	load->packed_used = (size_t)(p - load->packed);
	if (load->count < RUN_ROWS && load->packed_used <= RUN_BYTES - ROW_BYTES)
		return 0;
	return end_load(rows);
}

static int on_end(void *self)
{
	struct kp_rows *rows = self;
	int err = end_load(rows), late = kp_worker_close(rows->sorter);

	rows->sorter = NULL;
	free_sorter(rows);	/* no more comes in */
	return err ? err : late;
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
	if (!run->in_file) {
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

/* No other cursor's row, nor a run's that is still to be opened, starts before this. */
static int64_t next_other(const struct kp_rows *rows, size_t opened)
{
	int64_t next = opened < rows->run_count ? rows->runs[opened].first : INT64_MAX;
	size_t i;

	for (i = 1; i < 3 && i < rows->heap_count; i++)
		if (rows->heap[i].start < next)
			next = rows->heap[i].start;
	return next;
}

/*
 * The first row of all out, and those behind it in its run that are still the first
 * ones; then its cursor finds its place.
 */
static int advance(struct kp_rows *rows, size_t opened, const struct kp_span_sink *sink)
{
	struct cursor *top = &rows->heap[0];
	int64_t other = next_other(rows, opened);
	struct kp_span span;
	int err;

	do {
		span.start = top->start;
		top->p = unpack(rows, top->p, &span);
		err = sink->span(sink->self, &span);
		if (err)
			return err;
		if (!(++rows->replayed & 0xFFFF) && kp_interrupted())
			return fail(rows, "interrupted", 0);
		if (!top->left) {
			free(top->buffer);
			*top = rows->heap[--rows->heap_count];
			break;
		}
		if (next_start(rows, top))
			return -1;
	} while (top->start < other);
	if (rows->heap_count > 1)
		sift_down(rows);
	return 0;
}

int kp_rows_replay(struct kp_rows *rows, const struct kp_span_sink *sink)
{
	size_t opened = 0;
	int err = 0;

	if (!rows->run_count)
		return 0;
	rows->heap = malloc(rows->run_count * sizeof(*rows->heap));
	if (!rows->heap)
		return no_memory(rows);
	rows->heap_count = 0;
	rows->replayed = 0;
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
		err = advance(rows, opened, sink);
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
	size_t i;

	if (!rows)
		return NULL;
	rows->order = malloc(RUN_ROWS * sizeof(*rows->order));
	rows->other_order = malloc(RUN_ROWS * sizeof(*rows->other_order));
	for (i = 0; i < 2; i++) {
		rows->text[i] = malloc(sizeof(*rows->text[i]));
		if (rows->text[i])
			kp_json_writer_init(rows->text[i], NULL);
	}
	rows->loads = malloc(KP_WORKER_BATCHES * sizeof(*rows->loads));
	if (!rows->order || !rows->other_order || !rows->text[0] || !rows->text[1] ||
	    !rows->loads) {
		kp_rows_free(rows);
		return NULL;
	}
	for (i = 0; i < KP_WORKER_BATCHES; i++)
		rows->loads[i].count = rows->loads[i].packed_used = 0;
	rows->load = rows->loads;
	rows->sorter = kp_worker_open(make_run, rows, rows->loads, sizeof(*rows->loads),
				      KP_WORKER_NO_SIGNALS);
	return rows;
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
	kp_worker_close(rows->sorter);
	free_sorter(rows);
	for (i = 0; i < rows->run_count; i++)
		if (!rows->runs[i].in_file)
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
	for (i = 0; i < LABEL_CHUNKS && rows->labels[i]; i++)
		free(rows->labels[i]);
	kp_header_free(&rows->header);
	free(rows);
}
