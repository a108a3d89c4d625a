// SPDX-License-Identifier: BSD-3-Clause
/*
 * Merges spans, see transform/merge.h. The execution time of a CPU must not change, and no gap or
 * overlap may be added. Exception: the original's filters leave holes of up to 30 ns at marks. Each
 * hole becomes part of the span around it, and is counted.
 *
 * The output is in order of time. A merged span is written when it is complete, so rows that start
 * after it wait in a heap. A pending span that no span continues is ended, so only a few rows wait.
 */
#include "transform/merge.h"

/* One kind of execution in a pending span. */
struct merged_kind {
	int64_t time;		/* total time of this kind */
	struct kp_span longest;	/* longest span of this kind; its name is a copy */
	size_t slot;		/* index of the kind in the hash */
	char *name;
	size_t name_size;
};

#define NONE SIZE_MAX	/* value for no CPU */
#define HOLE 3		/* longest hole of the original at a mark, in units of 10 ns */

struct merged_cpu {
	bool pending;
	/* CPUs whose pending spans start just before and just after this CPU's */
	size_t previous, next;
	int64_t start, end;	/* start and end of the pending span */
	struct merged_kind *kinds;
	size_t count, size;
	size_t *hash;		/* hash from event to index + 1 in kinds; 0: none */
	size_t hash_size;	/* a power of two above 2 * size */
};

/* A row that waits for its output. */
struct held {
	struct kp_span span;	/* the name follows in the same allocation */
	uint64_t sequence;	/* number that orders rows with equal starts */
};

struct kp_merge {
	int64_t resolution;
	const struct kp_span_sink *out;
	const kp_ranges *left;		/* ranges in which spans are not merged, or NULL */
	size_t next_left;
	struct kp_merge_counts counts;
	int64_t now;		/* start of the last input span */
	struct merged_cpu *cpus;
	size_t cpu_count;
	/* CPUs with the pending spans that started first and last */
	size_t oldest, youngest;
	struct held **heap;
	size_t heap_count, heap_size;
	uint64_t sequence;
};

struct kp_merge *kp_merge_new(int64_t resolution, const struct kp_span_sink *out)
{
	struct kp_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->resolution = resolution;
	m->out = out;
	m->now = INT64_MIN;
	m->oldest = m->youngest = NONE;
	return m;
}

void kp_merge_free(struct kp_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->cpu_count; i++) {
		for (size_t k = 0; k < m->cpus[i].size; k++)
			free(m->cpus[i].kinds[k].name);
		free(m->cpus[i].kinds);
		free(m->cpus[i].hash);
	}
	free(m->cpus);
	for (size_t i = 0; i < m->heap_count; i++)
		free(m->heap[i]);
	free(m->heap);
	free(m);
}

void kp_merge_leave(struct kp_merge *m, const kp_ranges *ranges)
{
	m->left = ranges;
}

const struct kp_merge_counts *kp_merge_counts(const struct kp_merge *m)
{
	return &m->counts;
}

/* ---- rows that wait ---- */

static bool before(void *unused, struct held *const *a, struct held *const *b)
{
	const struct held *x = *a, *y = *b;

	(void)unused;
	return x->span.start < y->span.start ||
	       (x->span.start == y->span.start && x->sequence < y->sequence);
}

typedef struct held *held_row;

KP_HEAP(held, held_row, void *, before)

static enum kp_merge_result hold(struct kp_merge *m, const struct kp_span *span)
{
	struct held *held = malloc(sizeof(*held) + span->name_len);

	if (!held || KP_ROOM(m->heap, m->heap_count, m->heap_size)) {
		free(held);
		return KP_MERGE_MEMORY;
	}
	held->span = *span;
	held->span.name = (const char *)(held + 1);
	memcpy(held + 1, span->name, span->name_len);
	held->sequence = m->sequence++;
	m->heap[m->heap_count] = held;
	held_up(NULL, m->heap, m->heap_count++);
	return KP_MERGE_OK;
}

static struct held *take_first(struct kp_merge *m)
{
	struct held *first = m->heap[0];

	m->heap[0] = m->heap[--m->heap_count];
	held_down(NULL, m->heap, m->heap_count, 0);
	return first;
}

static int64_t oldest_start(const struct kp_merge *m)
{
	return m->oldest != NONE ? m->cpus[m->oldest].start : INT64_MAX;
}

/*
 * Writes the waiting rows that start up to @until, except rows that an earlier row may still
 * precede.
 */
static enum kp_merge_result release(struct kp_merge *m, int64_t until)
{
	int64_t oldest = oldest_start(m);
	int status = 0;

	if (until > oldest)
		until = oldest;
	while (!status && m->heap_count && m->heap[0]->span.start <= until) {
		struct held *held = take_first(m);

		status = m->out->span(m->out->self, &held->span);
		free(held);
	}
	return status ? KP_MERGE_SINK : KP_MERGE_OK;
}

static enum kp_merge_result put(struct kp_merge *m, const struct kp_span *span)
{
	if (m->heap_count || span->start > oldest_start(m) || span->start > m->now)
		return hold(m, span);
	return m->out->span(m->out->self, span) ? KP_MERGE_SINK : KP_MERGE_OK;
}

/* ---- merging ---- */

/* Appends the CPU to the list of CPUs with pending spans, which is in order of their starts. */
static void begin_pending(struct kp_merge *m, size_t cpu, int64_t start)
{
	struct merged_cpu *c = &m->cpus[cpu];

	c->pending = true;
	c->start = start;
	c->previous = m->youngest;
	c->next = NONE;
	if (m->youngest == NONE)
		m->oldest = cpu;
	else
		m->cpus[m->youngest].next = cpu;
	m->youngest = cpu;
}

static void end_pending(struct kp_merge *m, struct merged_cpu *c)
{
	c->pending = false;
	if (c->previous == NONE)
		m->oldest = c->next;
	else
		m->cpus[c->previous].next = c->next;
	if (c->next == NONE)
		m->youngest = c->previous;
	else
		m->cpus[c->next].previous = c->previous;
}

static size_t hash_slot(const struct merged_cpu *c, int64_t event)
{
	size_t i = (size_t)kp_mix((uint64_t)event) & (c->hash_size - 1);

	while (c->hash[i] && c->kinds[c->hash[i] - 1].longest.event != event)
		i = (i + 1) & (c->hash_size - 1);
	return i;
}

static bool grow_kinds(struct merged_cpu *c)
{
	size_t size = c->size ? 2 * c->size : 8, i;
	struct merged_kind *kinds = realloc(c->kinds, size * sizeof(*kinds));
	size_t *hash;

	if (!kinds)
		return false;
	memset(kinds + c->size, 0, (size - c->size) * sizeof(*kinds));
	c->kinds = kinds;
	c->size = size;
	hash = calloc(4 * size, sizeof(*hash));
	if (!hash)
		return false;
	free(c->hash);
	c->hash = hash;
	c->hash_size = 4 * size;
	for (i = 0; i < c->count; i++) {
		kinds[i].slot = hash_slot(c, kinds[i].longest.event);
		hash[kinds[i].slot] = i + 1;
	}
	return true;
}

/* Adds the span's time to its kind. */
static bool add(struct merged_cpu *c, const struct kp_span *span)
{
	struct merged_kind *kind;
	size_t slot;

	if (c->count == c->size && !grow_kinds(c))
		return false;
	slot = hash_slot(c, span->event);
	if (!c->hash[slot]) {
		kind = &c->kinds[c->count++];
		c->hash[slot] = c->count;
		kind->slot = slot;
		kind->time = 0;
	} else {
		kind = &c->kinds[c->hash[slot] - 1];
		if (span->dur <= kind->longest.dur) {
			kind->time += span->dur;
			return true;
		}
	}
	kind->time += span->dur;
	kind->longest = *span;
	if (span->name_len > kind->name_size) {
		char *name = realloc(kind->name, span->name_len);

		if (!name)
			return false;
		kind->name = name;
		kind->name_size = span->name_len;
	}
	if (span->name_len)
		memcpy(kind->name, span->name, span->name_len);
	kind->longest.name = kind->name ? kind->name : "";
	return true;
}

/* Writes the pending span of a CPU as one span of the kind with the most time. */
static enum kp_merge_result finish(struct kp_merge *m, struct merged_cpu *c)
{
	size_t i, best = 0;
	struct kp_span span;

	for (i = 1; i < c->count; i++)
		if (c->kinds[i].time > c->kinds[best].time)
			best = i;
	span = c->kinds[best].longest;
	span.start = c->start;
	span.dur = c->end - c->start;
	for (i = 0; i < c->count; i++)
		c->hash[c->kinds[i].slot] = 0;
	c->count = 0;
	end_pending(m, c);
	m->counts.execution_out++;
	return put(m, &span);
}

static struct merged_cpu *get_cpu(struct kp_merge *m, size_t number)
{
	struct merged_cpu *cpus;
	size_t count = number + 1;

	if (number < m->cpu_count)
		return &m->cpus[number];
	cpus = realloc(m->cpus, count * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memset(cpus + m->cpu_count, 0, (count - m->cpu_count) * sizeof(*cpus));
	m->cpus = cpus;
	m->cpu_count = count;
	return &cpus[number];
}

/* Writes a span unchanged. The pending span of its CPU ends. */
static enum kp_merge_result leave(struct kp_merge *m, const struct kp_span *span)
{
	enum kp_merge_result result = KP_MERGE_OK;
	struct merged_cpu *c;

	if (!kp_span_is_execution(span)) {
		m->counts.passed++;
		return put(m, span);
	}
	c = get_cpu(m, (size_t)span->cpu);
	if (!c)
		return KP_MERGE_MEMORY;
	m->counts.execution_in++;
	if (c->pending) {
		m->counts.overlaps += span->start < c->end;
		result = finish(m, c);
	}
	m->counts.execution_out++;
	return result ? result : put(m, span);
}

/* Writes the row of a pause or a stop, even a short one. The pending span of its CPU ends. */
static enum kp_merge_result pause_row(struct kp_merge *m, const struct kp_span *span)
{
	enum kp_merge_result result = KP_MERGE_OK;

	if (span->cpu >= 0 && (size_t)span->cpu < m->cpu_count && m->cpus[span->cpu].pending)
		result = finish(m, &m->cpus[span->cpu]);
	m->counts.passed++;
	return result ? result : put(m, span);
}

static enum kp_merge_result execution(struct kp_merge *m, const struct kp_span *span)
{
	struct merged_cpu *c = get_cpu(m, (size_t)span->cpu);
	enum kp_merge_result result;

	if (!c)
		return KP_MERGE_MEMORY;
	m->counts.execution_in++;
	if (c->pending && span->start > c->end && span->start - c->end <= HOLE) {
		m->counts.holes++;
		m->counts.hole_time += span->start - c->end;
		c->end = span->start;
	}
	if (c->pending && span->start != c->end) {
		m->counts.overlaps += span->start < c->end;
		result = finish(m, c);
		if (result)
			return result;
	}
	if (!c->pending && span->dur >= m->resolution) {
		m->counts.execution_out++;
		return put(m, span);
	}
	if (!c->pending)
		begin_pending(m, (size_t)span->cpu, span->start);
	if (!add(c, span))
		return KP_MERGE_MEMORY;
	c->end = span->start + span->dur;
	return c->end - c->start >= m->resolution ? finish(m, c) : KP_MERGE_OK;
}

/* These rows are not useful without the short span to which they belong. */
bool kp_merge_drops(const struct kp_span *span)
{
	int64_t e = span->event;

	if (e < 0)
		return true;			/* wakeup and IPI arcs */
	if (e > KUTRACE_MADE_WAITA && e < KUTRACE_CALL_TRAP)
		return true;			/* waits */
	return (e >= KUTRACE_RUNNABLE && e <= KUTRACE_PSTATE) ||
	       (e >= KUTRACE_LOCKNOACQ && e <= KUTRACE_LOCKWAKEUP) || e == KUTRACE_PSTATE2 ||
	       e == KUTRACE_MONITORST || e == KUTRACE_MONITOREX ||
	       (e >= KUTRACE_PC_U && e <= KUTRACE_MADE_LOCKTRY);	/* also locks held */
}

enum kp_merge_result kp_merge_span(struct kp_merge *m, const struct kp_span *span)
{
	enum kp_merge_result result = KP_MERGE_OK;

	if (span->start < m->now)
		return KP_MERGE_ORDER;
	m->now = span->start;
	/* end pending spans that no span continues: they must not delay the output */
	while (!result && m->oldest != NONE && m->cpus[m->oldest].end + HOLE < m->now)
		result = finish(m, &m->cpus[m->oldest]);
	if (result)
		return result;
	if (m->left && kp_ranges_have(m->left, &m->next_left, span)) {
		result = leave(m, span);
	} else if (span->event == KUTRACE_MADE_PAUSE || kp_span_is_stopped(span)) {
		result = pause_row(m, span);
	} else if (kp_span_is_execution(span)) {
		result = execution(m, span);
	} else if (kp_merge_drops(span) && span->dur < m->resolution) {
		m->counts.dropped++;
	} else {
		m->counts.passed++;
		result = put(m, span);
	}
	return result ? result : release(m, m->now);
}

enum kp_merge_result kp_merge_end(struct kp_merge *m)
{
	enum kp_merge_result result = KP_MERGE_OK;

	for (size_t i = 0; i < m->cpu_count && !result; i++)
		if (m->cpus[i].pending)
			result = finish(m, &m->cpus[i]);
	return result ? result : release(m, INT64_MAX);
}
