/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs event text through the reader, the ordering and the reconstruction, for the tests of the
 * reconstruction. Stores the rows as sorted lines, the header, the coverage and the counts. One
 * file of each test program includes it.
 */
#ifndef REC_RUN_H
#define REC_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eventtext/eventtext.h"
#include "kutrace_events.h"
#include "reconstruct/reconstruct.h"
#include "report/coverage.h"
#include "transform/order.h"

/* First lines of most texts: the names of the tasks. */
#define NAMES	"-1 1 34 1 init\n-1 1 34 2 two\n-1 1 34 3 three\n"
#define TRACEPOINTS "-1 1 287 0 backend=tracepoint\n" NAMES

/* ---- rows as lines, sorted ---- */

struct rows {
	char **line;
	size_t count, room;
	char header[8192];	/* header of the rows: key and value, one per line */
	struct kp_coverage coverage;
	bool execution_only;
	bool ended;
};

static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct rows *rows = self;
	size_t i, used = 0;

	assert_int_equal(rows->count, 0);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(rows->header + used, sizeof(rows->header) - used,
					 "%s %s\n", items[i].key, items[i].value);
	assert_true(used < sizeof(rows->header));
	return 0;
}

/*
 * Stores a span as "100 20 c0 p51 r0 2087 7=51 getpid": start, duration, ..., event, arg0 =
 * retval, name.
 */
static int take_span(void *self, const struct kp_span *s)
{
	struct rows *rows = self;
	struct kp_span_sink coverage = kp_coverage_sink(&rows->coverage);
	char ipc[16] = "";
	char *line;

	assert_false(rows->ended);
	assert_int_equal(coverage.span(coverage.self, s), 0);
	assert_true(s->dur >= 0);
	if (rows->execution_only && !kp_span_is_execution(s))
		return 0;
	if (s->ipc)
		snprintf(ipc, sizeof(ipc), " i%d", s->ipc);
	if (asprintf(&line, "%05" PRId64 " %" PRId64 " c%d p%" PRId64 " r%" PRId64 " %" PRId64 " %" PRId64 "=%" PRId64 "%s %.*s\n",
		     s->start, s->dur, s->cpu, s->pid, s->rpc, s->event, s->arg0, s->retval,
		     ipc, (int)s->name_len, s->name) < 0)
		return -1;
	if (rows->count == rows->room) {
		rows->room = rows->room ? rows->room * 2 : 256;
		rows->line = realloc(rows->line, rows->room * sizeof(*rows->line));
		assert_non_null(rows->line);
	}
	rows->line[rows->count++] = line;
	return 0;
}

static int take_end(void *self)
{
	((struct rows *)self)->ended = true;
	return 0;
}

static int line_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_rows(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		free(rows->line[i]);
	free(rows->line);
	kp_coverage_free(&rows->coverage);
	memset(rows, 0, sizeof(*rows));
}

static struct rows rows;
static struct kp_reconstruct_stats stats;

/* Runs @text through the reader, the ordering and the reconstruction, and sorts the rows. */
static void run(const char *text, size_t len, bool execution_only)
{
	struct kp_span_sink spans = {
		.header = take_header, .span = take_span, .end = take_end, .self = &rows,
	};
	struct kp_event_reader reader;
	struct kp_reconstruct *rec;
	struct kp_event_sink sink;
	struct kp_order *order;
	FILE *in = fmemopen((char *)(uintptr_t)text, len, "r");

	memset(&rows, 0, sizeof(rows));
	rows.execution_only = execution_only;
	rec = kp_reconstruct_new("a \"title\"", &spans);
	assert_non_null(in);
	assert_non_null(rec);
	sink = kp_reconstruct_sink(rec);
	order = kp_order_new(&sink);
	assert_non_null(order);
	sink = kp_order_sink(order);
	if (kp_event_text_read(&reader, in, "test", &sink))
		fail_msg("%s%s%s", reader.message, kp_order_message(order),
			 kp_reconstruct_message(rec));
	assert_int_equal(kp_order_end(order), 0);
	assert_int_equal(kp_reconstruct_end(rec), 0);
	assert_true(rows.ended);
	stats = *kp_reconstruct_stats(rec);
	fclose(in);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	if (rows.count)
		qsort(rows.line, rows.count, sizeof(*rows.line), line_order);
}

/* Checks that @text gives the expected rows and that they cover each CPU without overlap. */
static inline void check(const char *text, bool execution_only, const char *expected)
{
	static char got[1 << 16];
	size_t i, used = 0;
	int cpu;

	run(text, strlen(text), execution_only);
	for (i = 0; i < rows.count; i++)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s", rows.line[i]);
	*(got + used) = 0;
	for (cpu = 0; cpu < 256; cpu++)
		assert_int_equal(rows.coverage.cpu[cpu].overlaps, 0);
	for (cpu = 0; cpu < 256; cpu++)
		assert_true(rows.coverage.cpu[cpu].count <= 1);	/* one interval: no gap */
	if (strcmp(got, expected))
		fail_msg("got:\n%sexpected:\n%s", got, expected);
	free_rows(&rows);
}

/* Compare only execution rows, or all rows. */
#define EXECUTION(text, expected) check(text, true, expected)
#define ROWS(text, expected) check(text, false, expected)

#endif
