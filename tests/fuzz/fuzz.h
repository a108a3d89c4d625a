/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared code of the fuzz targets (fuzz_*.c): sinks that pass the events or spans that a reader
 * accepted through all following stages, and check their properties. tests/fuzz/fuzz.sh runs the
 * targets.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/span.h"
#include "reconstruct/reconstruct.h"
#include "report/coverage.h"
#include "spanjson/json.h"
#include "transform/merge.h"
#include "transform/order.h"
#include "transform/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* Returns a stream that discards everything. */
static inline FILE *fuzz_nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "w");
	fuzz_check(file != NULL, "/dev/null can be opened");
	return file;
}

/* A sink that reads the written rows again: they must be in order and valid JSON. */
struct fuzz_reader {
	struct kp_json_writer writer;
	struct kp_merge *merge;
	struct kp_span_sink nowhere;
	int64_t last;
	uint64_t rows;
};

static inline int fuzz_row(void *self, const struct kp_span *span)
{
	struct fuzz_reader *reader = self;

	fuzz_check(!reader->rows || span->start >= reader->last, "rows come in time order");
	fuzz_check(span->dur >= 0, "no span ends before it begins");
	reader->last = span->start;
	reader->rows++;
	fuzz_check(!kp_json_write_span(&reader->writer, span), "a row can be written");
	fuzz_check(!kp_merge_span(reader->merge, span), "a row can be merged");
	return 0;
}

static inline int fuzz_ignore(void *self, const struct kp_span *span)
{
	(void)self;
	(void)span;
	return 0;
}

/* The stages after the source of events: ordering, reconstruction, rows. */
struct fuzz_back {
	struct kp_rows *rows;
	struct kp_coverage *coverage;
	struct kp_reconstruct *rec;
	struct kp_order *order;
	struct kp_span_sink to_rows, to_coverage;
	uint64_t spans;
};

static inline int fuzz_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct fuzz_back *back = self;

	return back->to_rows.header(back->to_rows.self, items, count);
}

static inline int fuzz_span(void *self, const struct kp_span *span)
{
	struct fuzz_back *back = self;

	back->spans++;
	if (back->to_coverage.span(back->to_coverage.self, span))
		return -1;
	return back->to_rows.span(back->to_rows.self, span);
}

static inline int fuzz_end(void *self)
{
	struct fuzz_back *back = self;

	return back->to_rows.end(back->to_rows.self);
}

static inline struct kp_event_sink fuzz_back_open(struct fuzz_back *back)
{
	const struct kp_span_sink spans = {
		.header = fuzz_header, .span = fuzz_span, .end = fuzz_end, .self = back,
	};
	struct kp_event_sink sink;

	back->spans = 0;
	back->rows = kp_rows_new();
	back->coverage = calloc(1, sizeof(*back->coverage));
	fuzz_check(back->rows && back->coverage, "memory");
	back->to_rows = kp_rows_sink(back->rows);
	back->to_coverage = kp_coverage_sink(back->coverage);
	back->rec = kp_reconstruct_new("fuzz", &spans);
	fuzz_check(back->rec != NULL, "memory");
	sink = kp_reconstruct_sink(back->rec);
	back->order = kp_order_new(&sink);
	fuzz_check(back->order != NULL, "memory");
	return kp_order_sink(back->order);
}

static inline void fuzz_back_read(struct fuzz_back *back)
{
	static struct fuzz_reader reader;
	const struct kp_span_sink sink = { .span = fuzz_row, .self = &reader };
	const struct kp_header *header = kp_rows_header(back->rows);

	reader.rows = 0;
	reader.nowhere = (struct kp_span_sink){ .span = fuzz_ignore };
	reader.merge = kp_merge_new(1000, &reader.nowhere);
	fuzz_check(reader.merge != NULL, "memory");
	kp_json_writer_init(&reader.writer, fuzz_nowhere());
	fuzz_check(!kp_json_write_header(&reader.writer, header->items, header->count),
		   "the header can be written");
	fuzz_check(!kp_rows_replay(back->rows, &sink), "rows can be read again");
	fuzz_check(!kp_merge_end(reader.merge), "the merge ends");
	fuzz_check(!kp_json_write_end(&reader.writer), "the end can be written");
	fuzz_check(reader.rows == back->spans, "as many rows come out as went in");
	kp_merge_free(reader.merge);
	kp_json_writer_free(&reader.writer);
}

/* Closes the stages. @err is the return value of the source. */
static inline void fuzz_back_close(struct fuzz_back *back, int err)
{
	unsigned int i;

	if (!err)
		err = kp_order_end(back->order);
	if (!err && kp_reconstruct_stats(back->rec)->cpus) {
		err = kp_reconstruct_end(back->rec);
		if (!err)
			fuzz_back_read(back);
		for (i = 0; i < 256 && !err; i++) {
			const struct kp_cpu_coverage *cpu = &back->coverage->cpu[i];

			fuzz_check(!cpu->overlaps, "no CPU runs two things at a time");
			fuzz_check(cpu->count <= 1, "no CPU runs nothing for a while");
		}
	}
	kp_order_free(back->order);
	kp_reconstruct_free(back->rec);
	kp_coverage_free(back->coverage);
	free(back->coverage);
	kp_rows_free(back->rows);
}

#endif
