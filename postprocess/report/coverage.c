// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stores the covered time of each CPU as a list of intervals. The list is short, because rows are
 * nearly in time order and most of them extend the last interval. Must not assume that rows are
 * correct.
 */

#include "base/memory.h"
#include "report/coverage.h"

/* Returns the index of the first interval that ends at or after @start. */
static size_t kp_find(const struct kp_cpu_coverage *cpu, int64_t start)
{
	const size_t high = cpu->count;
	size_t low;

	if (high && cpu->list[high - 1].start <= start)
		return cpu->list[high - 1].end >= start ? high - 1 : high;
	KP_FIND(low, high, cpu->list[low].end < start);
	return low;
}

static int kp_insert(struct kp_cpu_coverage *cpu, size_t at, struct kp_interval interval)
{
	if (KP_ROOM(cpu->list, cpu->count, cpu->room))
		return -1;
	memmove(cpu->list + at + 1, cpu->list + at, (cpu->count - at) * sizeof(*cpu->list));
	cpu->list[at] = interval;
	cpu->count++;
	return 0;
}

/*
 * Adds an interval, and joins it with all intervals that it touches. Counts the time that was
 * already covered as overlap.
 */
static int kp_cover(struct kp_cpu_coverage *cpu, int64_t start, int64_t end)
{
	size_t from = kp_find(cpu, start), to = from;
	struct kp_interval merged = { start, end };
	int64_t twice = 0;

	while (to < cpu->count && cpu->list[to].start <= end) {
		const struct kp_interval *other = &cpu->list[to++];
		int64_t a = other->start > start ? other->start : start;
		int64_t b = other->end < end ? other->end : end;

		if (b > a)
			twice += b - a;
		if (other->start < merged.start)
			merged.start = other->start;
		if (other->end > merged.end)
			merged.end = other->end;
	}
	if (twice) {
		if (!cpu->overlaps++)
			cpu->overlap_at = start;
		cpu->overlap += twice;
	}
	if (from == to)
		return kp_insert(cpu, from, merged);
	cpu->list[from] = merged;
	memmove(cpu->list + from + 1, cpu->list + to, (cpu->count - to) * sizeof(*cpu->list));
	cpu->count -= to - from - 1;
	return 0;
}

static int kp_coverage_span(void *self, const struct kp_span *span)
{
	struct kp_coverage *coverage = self;
	const bool pause = span->event == KUTRACE_MADE_PAUSE && span->cpu >= 0;
	const bool stopped = kp_span_is_stopped(span);
	struct kp_cpu_coverage *cpu;

	coverage->rows++;
	if ((!pause && !stopped && !kp_span_is_execution(span)) || span->cpu > 255 || span->dur <= 0)
		return 0;
	cpu = &coverage->cpu[span->cpu];
	cpu->spans += !pause && !stopped;
	if (pause)
		cpu->paused += span->dur;
	if (pause || stopped) {
		cpu->paused_until = span->start + span->dur;
	}
	if (!kp_cover(cpu, span->start, span->start + span->dur))
		return 0;
	coverage->failed = true;
	return -1;
}

struct kp_span_sink kp_coverage_sink(struct kp_coverage *coverage)
{
	return (struct kp_span_sink){
		.header = kp_span_ignore_header,
		.span = kp_coverage_span,
		.end = kp_span_ignore_end,
		.self = coverage,
	};
}

static void kp_gap(struct kp_gaps *gaps, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	if (!gaps->count++)
		gaps->at = from;
	gaps->units += to - from;
}

struct kp_gaps kp_coverage_gaps(const struct kp_coverage *coverage, int cpu,
				int64_t first, int64_t last)
{
	const struct kp_cpu_coverage *covered = &coverage->cpu[cpu];
	struct kp_gaps gaps = { .count = 0 };
	int64_t until = first;

	for (size_t i = 0; i < covered->count; i++) {
		int64_t start = covered->list[i].start, end = covered->list[i].end;

		if (start < first)
			gaps.outside += (end < first ? end : first) - start;
		if (end > last)
			gaps.outside += end - (start > last ? start : last);
		kp_gap(&gaps, until, start < last ? start : last);
		if (end > until)
			until = end;
	}
	kp_gap(&gaps, until, last);
	return gaps;
}

void kp_coverage_free(struct kp_coverage *coverage)
{
	for (int i = 0; i < 256; i++)
		free(coverage->cpu[i].list);
	memset(coverage, 0, sizeof(*coverage));
}
