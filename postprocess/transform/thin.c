// SPDX-License-Identifier: BSD-3-Clause
/*
 * Estimates how many spans remain after a merge, from the number and the total time of the spans of
 * each duration: merged spans are at least as long as the resolution.
 */
#include "transform/merge.h"

/* Number of steps of durations: each power of two is divided into four steps. */
#define STEPS	(64 * 4)

/*
 * Number of compared characters of a label: mark_a has six characters, one of which may be the
 * slash.
 */
#define LABEL_CHARS	5

/* Numbers of spans by duration: execution, spans that may be left out, others. */
struct lengths {
	uint64_t execution[STEPS];
	int64_t time[STEPS];		/* total time of the spans of execution */
	uint64_t droppable[STEPS];
	uint64_t left, all;
};

struct kp_thin {
	/* map from label to the index in opened, which has the times of the last mark "x" */
	struct kp_map labels;
	KP_VECTOR(int64_t) opened;	/* time of each open mark; -1: closed */
	kp_ranges ranges;
	size_t next;			/* index of the next range, for kp_ranges_have() */
	struct lengths inside, outside;
};

struct kp_thin *kp_thin_new(void)
{
	return calloc(1, sizeof(struct kp_thin));
}

void kp_thin_free(struct kp_thin *thin)
{
	if (!thin)
		return;
	kp_map_free(&thin->labels);
	free(thin->opened.items);
	free(thin->ranges.items);
	free(thin);
}

static uint64_t label_key(const char *label, size_t len)
{
	uint64_t key = 0;

	for (size_t i = 0; i < len && i < LABEL_CHARS; i++)
		key = key << 8 | (unsigned char)label[i];
	return key;
}

static int open_mark(struct kp_thin *thin, uint64_t key, int64_t start)
{
	uint32_t index;

	if (kp_map_get(&thin->labels, key, &index)) {
		thin->opened.items[index] = start;
		return 0;
	}
	if (KP_ADD(&thin->opened))
		return -1;
	index = (uint32_t)thin->opened.count - 1;
	thin->opened.items[index] = start;
	return kp_map_set(&thin->labels, key, index);
}

static int close_mark(struct kp_thin *thin, uint64_t key, int64_t stop)
{
	uint32_t index;
	int64_t start;

	if (!kp_map_get(&thin->labels, key, &index))
		return 0;
	start = thin->opened.items[index];
	if (start < 0)
		return 0;
	thin->opened.items[index] = -1;
	return kp_ranges_add(&thin->ranges, start, stop);
}

int kp_thin_mark(struct kp_thin *thin, const struct kp_span *span)
{
	static const char prefix[] = "mark_a=";
	const size_t skip = sizeof(prefix) - 1;
	const char *label = span->name + skip;
	size_t len;

	if (span->event != KUTRACE_MARKA || span->name_len <= skip ||
	    memcmp(span->name, prefix, skip))
		return 0;
	len = span->name_len - skip;
	if (*label == '/')
		return close_mark(thin, label_key(label + 1, len - 1), span->start);
	return open_mark(thin, label_key(label, len), span->start);
}

const kp_ranges *kp_thin_ranges(const struct kp_thin *thin)
{
	return &thin->ranges;
}

static size_t step_of(int64_t length)
{
	unsigned int log;

	if (length < 4)
		return length > 0 ? (size_t)length : 0;
	log = 63 - (unsigned int)__builtin_clzll((unsigned long long)length);
	return 4 * log - 4 + ((size_t)(length >> (log - 2)) & 3);
}

/* Returns the smallest duration of a step. */
static int64_t length_of(size_t step)
{
	return step < 4 ? (int64_t)step : (int64_t)(4 + step % 4) << (step / 4 - 1);
}

void kp_thin_count(struct kp_thin *thin, const struct kp_span *span)
{
	const bool inside = kp_ranges_have(&thin->ranges, &thin->next, span);
	struct lengths *lengths = inside ? &thin->inside : &thin->outside;
	const size_t step = step_of(span->dur);

	lengths->all++;
	if (kp_span_is_execution(span)) {
		lengths->execution[step]++;
		lengths->time[step] += span->dur;
	} else if (kp_merge_drops(span)) {
		lengths->droppable[step]++;
	} else {
		lengths->left++;
	}
}

uint64_t kp_thin_all(const struct kp_thin *thin)
{
	return thin->inside.all + thin->outside.all;
}

uint64_t kp_thin_inside(const struct kp_thin *thin)
{
	return thin->inside.all;
}

/* Totals of the spans shorter than the resolution. */
struct shorter {
	uint64_t parts;
	int64_t time;
	/* number of spans that disappear: parts, and droppable rows of the same lengths */
	uint64_t gone;
};

static void add_step(struct shorter *shorter, const struct lengths *lengths, size_t step)
{
	shorter->parts += lengths->execution[step];
	shorter->time += lengths->time[step];
	shorter->gone += lengths->execution[step] + lengths->droppable[step];
}

int64_t kp_thin_resolution(const struct kp_thin *thin, uint64_t most, bool leave_marked,
			   uint64_t *left)
{
	const uint64_t all = kp_thin_all(thin);
	struct shorter shorter = {0};
	uint64_t together = 0, sums[STEPS];
	size_t step = 0;

	for (size_t i = 0; i < STEPS; i++)
		sums[i] = thin->outside.execution[i] + thin->outside.droppable[i] +
			  (leave_marked ? 0 : thin->inside.execution[i] + thin->inside.droppable[i]);
	*left = all;
	for (size_t i = 0; i < STEPS && *left > most; i++) {
		if (!sums[i])
			continue;
		add_step(&shorter, &thin->outside, i);
		if (!leave_marked)
			add_step(&shorter, &thin->inside, i);
		step = i + 1;
		together = (uint64_t)(shorter.time / length_of(step)) + 1;
		if (together > shorter.parts)
			together = shorter.parts;
		*left = all - shorter.gone + together;
	}
	return step ? length_of(step) : 0;
}
