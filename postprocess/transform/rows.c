// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sorts rows by their starts, see transform/rows.h. Rows are packed into loads, and a thread sorts
 * each load (transform/sort.h). A sorted load is a run, in which each row begins with the varint
 * z(start - start of the previous row). kp_rows_replay() merges the runs.
 */
#include "base/progress.h"
#include "transform/rows.h"

#include <errno.h>
#include <unistd.h>

#include "base/temp.h"
#include "base/thread.h"
#include "base/tool.h"
#include "transform/sort.h"

#define CURSOR_BYTES	16384

/* A sorted run. The struct is small, because a long trace has thousands of runs. */
struct run {
	int64_t first;		/* start of the first row */
	uint32_t rows;		/* number of rows, at most KP_LOAD_ROWS */
	uint32_t bytes : 31;
	bool in_file : 1;
	union {
		uint8_t *memory;
		uint64_t offset;	/* offset in the file */
	};
};

/* Position of the merge in a run. */
struct cursor {
	const struct run *run;
	const uint8_t *p, *end;		/* packed rows in memory; p is after the start */
	uint8_t *buffer;		/* buffer for a run in the file */
	uint64_t left;			/* number of rows after the current one */
	size_t unread;			/* number of bytes in the file after end */
	int64_t start;			/* start of the current row */
};

struct kp_rows {
	struct kp_header header;
	struct kp_load *loads;		/* array of KP_BATCHES loads */
	struct kp_load *load;		/* the load that is filled */
	struct kp_worker *sorter;	/* NULL: the caller sorts */
	/* members that the sorter uses until it is closed */
	struct kp_sort sort;
	struct run *runs;		/* runs, ordered by their first rows */
	size_t run_count, run_room;
	size_t memory_used;
	FILE *file;
	uint64_t file_used;

	struct kp_labels labels;
	struct cursor *heap;
	size_t heap_count;
	uint64_t replayed, total;	/* number of rows */
	char message[200];
};

static int fail(struct kp_rows *rows, const char *what, int code)
{
	if (!rows->message[0])
		snprintf(rows->message, sizeof(rows->message), "%s%s%s", what,
			 code ? ": " : "", code ? strerror(code) : "");
	return -1;
}

static int fail_temp(struct kp_rows *rows, const char *verb, int code)
{
	if (!rows->message[0])
		snprintf(rows->message, sizeof(rows->message), "cannot %s a temporary file: %s%s",
			 verb, strerror(code), kp_temp_remedy(code));
	return -1;
}

static int no_memory(struct kp_rows *rows)
{
	return fail(rows, "no memory", 0);
}

static int write_file(struct kp_rows *rows, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t done = pwrite(fileno(rows->file), data, len, (off_t)rows->file_used);

		if (done < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (done < 0)
			return fail_temp(rows, "write", errno);
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
		return fail_temp(rows, "create", errno);
	run->in_file = 1;
	run->offset = rows->file_used;
	return write_file(rows, data, run->bytes);
}

/* Inserts a run in order, usually at the end. The array must have room. */
static void insert_run(struct kp_rows *rows, const struct run *run)
{
	size_t low;

	KP_FIND(low, rows->run_count, rows->runs[low].first <= run->first);
	memmove(rows->runs + low + 1, rows->runs + low, (rows->run_count - low) * sizeof(*run));
	rows->runs[low] = *run;
	rows->run_count++;
}

/* Sorts a load, makes it a run, and empties it. Called by the sorter, or by the caller. */
static int make_run(void *self, void *data)
{
	struct kp_rows *rows = self;
	struct kp_load *load = data;
	int64_t before = 0;
	struct run run;
	uint8_t *out, *p;
	int err;

	if (!load->count)
		return 0;
	if (KP_ROOM(rows->runs, rows->run_count, rows->run_room))
		return no_memory(rows);
	load->offset[load->count] = (uint32_t)load->packed_used;
	kp_sort_load(&rows->sort, load);
	out = malloc(load->packed_used + 10 * load->count);
	if (!out)
		return no_memory(rows);
	p = out;
	for (size_t i = 0; i < load->count; i++) {
		uint32_t row = kp_sort_index(rows->sort.order[i]);
		size_t len = load->offset[row + 1] - load->offset[row];

		p = kp_varint_put_signed(p, load->start[row] - before);
		memcpy(p, load->packed + load->offset[row], len);
		p += len;
		before = load->start[row];
	}
	run = (struct run){
		.first = load->start[kp_sort_index(rows->sort.order[0])],
		.rows = (uint32_t)load->count, .bytes = (uint32_t)(p - out) & INT32_MAX,
	};
	err = keep_run(rows, &run, out);
	free(out);
	if (!err)
		insert_run(rows, &run);
	load->count = 0;
	load->packed_used = 0;
	if (rows->sort.failed)
		return no_memory(rows);
	return err || rows->message[0] ? -1 : 0;
}

/* Hands the current load to the sorter. */
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
	kp_sort_free_order(&rows->sort);
	rows->loads = rows->load = NULL;
}

/* Compares two keys as sort compares their lines, in which a quote follows each key. */
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
	struct kp_load *load = rows->load;
	uint32_t number;
	uint8_t *p;

	if (load->count && (uint64_t)span->start - (uint64_t)load->start[0] + KP_LOAD_UNITS / 2 >=
	    KP_LOAD_UNITS) {
		if (end_load(rows))
			return -1;
		load = rows->load;
	}
	if (kp_label_find(&rows->labels, span, &number))
		return fail(rows, rows->labels.error, 0);
	load->start[load->count] = span->start;
	load->offset[load->count++] = (uint32_t)load->packed_used;
	p = kp_row_pack(load->packed + load->packed_used, span, number);
	load->packed_used = (size_t)(p - load->packed);
	if (load->count < KP_LOAD_ROWS && load->packed_used <= KP_LOAD_BYTES - KP_PACKED_MAX)
		return 0;
	return end_load(rows);
}

static int on_end(void *self)
{
	struct kp_rows *rows = self;
	int err = end_load(rows), late = kp_worker_close(rows->sorter);

	rows->sorter = NULL;
	free_sorter(rows);	/* no more rows follow */
	return err ? err : late;
}

/* ---- merging ---- */

static int refill(struct kp_rows *rows, struct cursor *c)
{
	size_t unread = (size_t)(c->end - c->p), room = CURSOR_BYTES - unread;
	uint64_t offset = c->run->offset + c->run->bytes - c->unread;
	size_t want = c->unread < room ? c->unread : room;

	memmove(c->buffer, c->p, unread);
	c->p = c->buffer;
	c->end = c->buffer + unread;
	while (want) {
		ssize_t got = pread(fileno(rows->file), c->buffer + unread, want, (off_t)offset);

		if (got < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (got <= 0)
			return fail(rows, "cannot read a temporary file", got ? errno : EIO);
		want -= (size_t)got;
		unread += (size_t)got;
		offset += (uint64_t)got;
		c->unread -= (size_t)got;
		c->end += got;
	}
	return 0;
}

static inline int next_start(struct kp_rows *rows, struct cursor *c)
{
	int64_t step;

	if (c->unread && c->end - c->p < KP_PACKED_MAX && refill(rows, c))
		return -1;
	c->p = kp_varint_get_signed(c->p, &step);
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
	return kp_sort_compare(&rows->sort, a->start, a->p, b->p) < 0;
}

KP_HEAP(cursors, struct cursor, struct kp_rows *, earlier)

/* Returns a time before which no row of another cursor or of an unopened run starts. */
static int64_t next_other(const struct kp_rows *rows, size_t opened)
{
	int64_t next = opened < rows->run_count ? rows->runs[opened].first : INT64_MAX;

	for (size_t i = 1; i < 3 && i < rows->heap_count; i++)
		if (rows->heap[i].start < next)
			next = rows->heap[i].start;
	return next;
}

/*
 * Writes the earliest row, and the next rows of its run while they start before the rows of all
 * other runs. Then moves the cursor to its position in the heap.
 */
static int advance(struct kp_rows *rows, size_t opened, const struct kp_span_sink *sink)
{
	struct cursor *top = &rows->heap[0];
	int64_t other = next_other(rows, opened);
	struct kp_span span;
	int err;

	do {
		span.start = top->start;
		top->p = kp_row_unpack(&rows->labels, top->p, &span);
		err = sink->span(sink->self, &span);
		if (err)
			return err;
		if (!(++rows->replayed & 0xFFFF)) {
			kp_progress(rows->replayed, rows->total);
			if (kp_interrupted())
				return fail(rows, "interrupted", 0);
		}
		if (!top->left) {
			free(top->buffer);
			*top = rows->heap[--rows->heap_count];
			break;
		}
		if (next_start(rows, top))
			return -1;
	} while (top->start < other);
	if (rows->heap_count > 1)
		cursors_down(rows, rows->heap, rows->heap_count, 0);
	return 0;
}

uint64_t kp_rows_count(const struct kp_rows *rows)
{
	uint64_t count = 0;

	for (size_t i = 0; i < rows->run_count; i++)
		count += rows->runs[i].rows;
	return count;
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
	rows->total = kp_rows_count(rows);
	while (!err) {
		while (!err && opened < rows->run_count &&
		       (!rows->heap_count ||
			rows->runs[opened].first <= rows->heap[0].start)) {
			err = open_cursor(rows, &rows->runs[opened++],
					  &rows->heap[rows->heap_count]);
			rows->heap_count++;
			if (!err)
				cursors_up(rows, rows->heap, rows->heap_count - 1);
		}
		if (err || !rows->heap_count)
			break;
		err = advance(rows, opened, sink);
	}
	while (rows->heap_count)
		free(rows->heap[--rows->heap_count].buffer);
	free(rows->heap);
	rows->heap = NULL;
	if (!err && rows->sort.failed)
		return no_memory(rows);
	return err ? err : rows->message[0] ? -1 : 0;
}

struct kp_rows *kp_rows_new(void)
{
	struct kp_rows *rows = calloc(1, sizeof(*rows));
	int err;

	if (!rows)
		return NULL;
	err = kp_sort_open(&rows->sort, &rows->labels);
	rows->loads = malloc(KP_BATCHES * sizeof(*rows->loads));
	if (err || !rows->loads) {
		kp_rows_free(rows);
		return NULL;
	}
	for (size_t i = 0; i < KP_BATCHES; i++)
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
	if (!rows)
		return;
	kp_worker_close(rows->sorter);
	free_sorter(rows);
	for (size_t i = 0; i < rows->run_count; i++)
		if (!rows->runs[i].in_file)
			free(rows->runs[i].memory);
	free(rows->runs);
	if (rows->file)
		fclose(rows->file);
	kp_sort_free(&rows->sort);
	kp_labels_free(&rows->labels);
	kp_header_free(&rows->header);
	free(rows);
}
