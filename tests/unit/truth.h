/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the output of the filters for a simulated machine's trace (truth_machine.h) with the
 * truth: spans, inferred marks and coverage. Also checks that trimming and merging neither add nor
 * lose time. One file of each test program includes it and defines the losses.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include "sample.h"
#include "truth_machine.h"

#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"
#include "reconstruct/reconstruct.h"
#include "report/coverage.h"
#include "transform/merge.h"
#include "transform/order.h"

#define STREAMS		3000		/* number of streams in make check-ci: sample.h */
/* number of streams with KUTRACE_FULL (make check-full) or SEED */
#define STREAMS_FULL	10000
#define MARKED		(-9999)		/* return value of a stored span with a ? */

/* ---- results of the filters ---- */

static struct kp_coverage coverage;
static struct kp_span kept[8 * EVENTS_MAX];
static size_t kept_count;

static int take_span(void *self, const struct kp_span *span)
{
	struct kp_span_sink sink = kp_coverage_sink(&coverage);
	bool marked = span->name_len && span->name[span->name_len - 1] == '?';

	(void)self;
	assert_int_equal(sink.span(sink.self, span), 0);
	assert_true(kept_count < sizeof(kept) / sizeof(kept[0]));
	kept[kept_count] = *span;
	if (marked)
		kept[kept_count].retval = MARKED;
	kept[kept_count++].name = "";
	kept[kept_count - 1].name_len = 0;
	if (!kp_span_is_execution(span))
		return 0;
	assert_true(span_count < SEGMENTS_MAX);
	spans[span_count++] = (struct segment){
		.start = span->start - 1100000000, .end = span->start + span->dur - 1100000000,
		.event = span->event, .pid = span->pid, .cpu = span->cpu, .marked = marked,
	};
	if (marked)
		marks[mark_count++] = (struct loss){
			span->start + span->dur - 1100000000, (uint32_t)span->pid, span->cpu,
		};
	return 0;
}

static int take_end(void *self)
{
	(void)self;
	return 0;
}

/* Reads the notes "11.00001234 CPU 1 pid 3: returned while it did not run: call". */
static void read_notes(char *text)
{
	char *line;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		int64_t seconds, units;
		unsigned int pid;
		int cpu;

		assert_int_equal(sscanf(line, "%" SCNd64 ".%" SCNd64 " CPU %d pid %u:", &seconds,
					&units, &cpu, &pid), 4);
		assert_true(mark_count < SEGMENTS_MAX);
		marks[mark_count++] = (struct loss){
			seconds * 100000000 + units - 1100000000, pid, cpu,
		};
	}
}

static void reconstruct(FILE *file, struct kp_reconstruct_stats *stats)
{
	const struct kp_span_sink sink = {
		.header = kp_span_ignore_header, .span = take_span, .end = take_end,
	};
	static struct kp_raw raw;
	struct kp_reconstruct *rec = kp_reconstruct_new("", &sink);
	struct kp_event_sink to;
	struct kp_order *order;
	char *text = NULL;
	size_t len;
	FILE *notes = open_memstream(&text, &len);

	kp_coverage_free(&coverage);
	memset(&coverage, 0, sizeof(coverage));
	span_count = mark_count = kept_count = 0;
	assert_non_null(rec);
	assert_non_null(notes);
	kp_reconstruct_trace(rec, notes);
	to = kp_reconstruct_sink(rec);
	order = kp_order_new_ordered(&to);
	assert_non_null(order);
	to = kp_order_sink(order);
	if (kp_raw_open(&raw, file, "test") || kp_raw_events(&raw, &to, false, NULL) ||
	    kp_order_end(order) || kp_reconstruct_end(rec))
		fail_msg("%s%s%s", raw.message, kp_order_message(order),
			 kp_reconstruct_message(rec));
	assert_int_equal(raw.faults.bad_words + raw.faults.cut_entries + raw.faults.bad_times, 0);
	*stats = *kp_reconstruct_stats(rec);
	kp_raw_close(&raw);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	fclose(notes);
	read_notes(text);
	free(text);
}

/* ---- comparing ---- */

static void print_segments(const struct segment *list, size_t count, const char *what,
			   int64_t time, int cpu)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].cpu == cpu && list[i].end > time - PRINTED / 4 &&
		    list[i].start < time + PRINTED / 4)
			print_message("%s CPU %d %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64 "%s\n",
				      what, cpu, list[i].start, list[i].end, list[i].event,
				      list[i].pid, list[i].marked ? " ?" : "");
}

static int by_start(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int64_t covered(const struct kp_coverage *c, int cpu)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < c->cpu[cpu].count; i++)
		sum += c->cpu[cpu].list[i].end - c->cpu[cpu].list[i].start;
	return sum;
}

static int kept_order(const void *a, const void *b)
{
	const struct kp_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Checks that trimming and merging preserve the total time of each CPU, without overlap. */
static void conserve(uint64_t seed)
{
	static struct kp_coverage merged_coverage, trimmed;
	struct kp_span_sink to = kp_coverage_sink(&merged_coverage);
	struct kp_span_sink cut = kp_coverage_sink(&trimmed);
	struct kp_merge *merge = kp_merge_new(1 + below(2000), &to);
	int64_t from, until;
	size_t i;
	int cpu;

	assert_non_null(merge);
	if (!kept_count) {
		kp_merge_free(merge);	/* everything was lost */
		return;
	}
	qsort(kept, kept_count, sizeof(*kept), kept_order);
	from = kept[below((uint32_t)kept_count)].start + below(50);
	until = from + below(100000);
	for (i = 0; i < kept_count; i++) {
		assert_int_equal(kp_merge_span(merge, &kept[i]), KP_MERGE_OK);
		if (kp_span_overlaps(&kept[i], from, until))
			assert_int_equal(cut.span(cut.self, &kept[i]), 0);
	}
	assert_int_equal(kp_merge_end(merge), KP_MERGE_OK);
	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct kp_cpu_coverage *all = &coverage.cpu[cpu];
		struct kp_gaps gaps;

		if (merged_coverage.cpu[cpu].overlaps ||
		    covered(&merged_coverage, cpu) != covered(&coverage, cpu))
			fail_msg("seed %" PRIu64 " CPU %d: merged, %" PRId64 " of %" PRId64 " units",
				 seed, cpu, covered(&merged_coverage, cpu),
				 covered(&coverage, cpu));
		if (!all->count || from >= all->list[0].end || until <= all->list[0].start)
			continue;
		gaps = kp_coverage_gaps(&trimmed, cpu,
					from > all->list[0].start ? from : all->list[0].start,
					until < all->list[0].end ? until : all->list[0].end);
		if (gaps.units || trimmed.cpu[cpu].overlaps)
			fail_msg("seed %" PRIu64 " CPU %d: trimmed, %" PRId64 " units missing", seed,
				 cpu, gaps.units);
	}
	kp_merge_free(merge);
	kp_coverage_free(&merged_coverage);
	kp_coverage_free(&trimmed);
	memset(&merged_coverage, 0, sizeof(merged_coverage));
	memset(&trimmed, 0, sizeof(trimmed));
}

/* ---- running all streams ---- */

/* Returns $SEED, to reproduce a failure, or 1. */
static uint64_t first_seed(void)
{
	const char *only = getenv("SEED");

	return only ? strtoull(only, NULL, 10) : 1;
}

static uint64_t last_seed(void)
{
	if (getenv("KUTRACE_FULL") || getenv("SEED"))
		return STREAMS_FULL;
	return sample_of(STREAMS);
}

static uint64_t streams(void)
{
	return last_seed() + 1 - first_seed();
}

/* Checks that the spans of each CPU have no gap and no overlap. */
static void covered_once(uint64_t seed)
{
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct kp_cpu_coverage *c = &coverage.cpu[cpu];

		if (c->overlaps || c->count > 1)
			fail_msg("seed %" PRIu64 " CPU %d: %" PRIu64 " overlaps, %zu pieces",
				 seed, cpu, c->overlaps, c->count);
	}
}

#endif
