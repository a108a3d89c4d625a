// SPDX-License-Identifier: BSD-3-Clause
/* Joins rows to calls (report/calls.h). Rules: docs/design/reconstruction.md, "Calls". */
#include "report/calls.h"

static enum kp_joined_kind kind_of(const struct kp_span *row)
{
	if (row->event >= KP_EVENT_USER)
		return KP_JOINED_USER;
	if (row->event == KUTRACE_CALL_SCHED ||
	    row->event == (KUTRACE_CALL_SCHED | KUTRACE_RETURN_BIT) ||
	    kp_is_old_sched_span(row))
		return KP_JOINED_TRANSIENT;
	if (row->event >= KUTRACE_CALL_SYSCALL64)
		return KP_JOINED_SYSCALL;
	return row->event & 0x100 ? KP_JOINED_TRANSIENT : KP_JOINED_TRAP;
}

static int leave(struct kp_joiner *calls, int depth, bool seen,
		 const struct kp_joiner_sink *sink)
{
	int status = 0;

	while (calls->depth > depth) {
		struct kp_joined_call *call = &calls->in[--calls->depth];

		call->ends = seen;
		status |= sink->ended(sink->self, call);
	}
	return status;
}

/*
 * Applies rule 1: the process did not run just before this row, so its interrupts and softirqs have
 * ended.
 */
static int absent(struct kp_joiner *calls, const struct kp_joiner_sink *sink)
{
	for (int i = 0; i < calls->depth; i++)
		if (calls->in[i].kind == KP_JOINED_TRANSIENT)
			return leave(calls, i, true, sink);
	return 0;
}

static bool begins(const struct kp_joiner *calls, enum kp_joined_kind kind, bool touches,
		   bool follows)
{
	if (kind == KP_JOINED_SYSCALL)
		return touches && (calls->before == KP_JOINED_USER ||
				   calls->before == KP_JOINED_SYSCALL);
	if (kind == KP_JOINED_TRAP)
		return touches && calls->sure;
	return follows;
}

/* Adds another part to the innermost call. */
static void go_on(struct kp_joined_call *call, const struct kp_span *row,
		  const struct kp_str *name, bool inferred, int64_t gone)
{
	if (inferred && !call->inferred)
		call->name = name;
	call->inferred |= inferred;
	call->own += row->dur;
	call->end = row->start + row->dur;
	call->away = gone - call->gone;
	call->retval = row->retval;
}

/* Applies rules 3 to 5 to a row of kernel code. */
static int kernel_row(struct kp_joiner *calls, const struct kp_span *row,
		      enum kp_joined_kind kind, bool touches, bool follows, int64_t tag,
		      struct kp_strings *strings, const struct kp_joiner_sink *sink)
{
	bool inferred = kp_is_inferred(row->name, row->name_len);
	const struct kp_str *name = kp_strings_add(strings, row->name, row->name_len);
	const struct kp_str *like =
		inferred ? kp_strings_add(strings, row->name, row->name_len - 1) : name;
	int at = calls->depth, status = 0;

	if (!name || !like)
		return -1;
	while (at > 0 && (calls->in[at - 1].event != row->event || calls->in[at - 1].like != like))
		at--;
	if (at > 0 && !(at == calls->depth && touches && calls->stopped_until != row->start)) {
		status = leave(calls, at, touches, sink);
		go_on(&calls->in[at - 1], row, name, inferred, calls->gone);
		if (sink->goes_on)
			status |= sink->goes_on(sink->self, &calls->in[at - 1], at - 1);
		return status;
	}
	if (at > 0)
		status = leave(calls, at - 1, true, sink);
	else if (kind == KP_JOINED_SYSCALL)
		status = leave(calls, 0, touches, sink);
	if (calls->depth == KP_JOINER_DEPTH)
		status |= leave(calls, KP_JOINER_DEPTH - 1, true, sink);
	calls->in[calls->depth++] = (struct kp_joined_call){
		.event = row->event,
		.kind = kind,
		.like = like,
		.name = name,
		.start = row->start,
		.end = row->start + row->dur,
		.own = row->dur,
		.arg0 = row->arg0,
		.retval = row->retval,
		.cpu = row->cpu,
		.gone = calls->gone,
		.tag = tag,
		.begins = begins(calls, kind, touches, follows),
		.inferred = inferred,
	};
	if (sink->began)
		status |= sink->began(sink->self, &calls->in[calls->depth - 1], calls->depth - 1);
	return status;
}

int kp_joiner_row(struct kp_joiner *calls, const struct kp_span *row, bool follows,
		  int64_t tag, struct kp_strings *strings,
		  const struct kp_joiner_sink *sink)
{
	const bool paused = calls->any && sink->paused && sink->paused >= calls->end;
	int status = paused ? leave(calls, 0, false, sink) : 0;
	enum kp_joined_kind kind = kind_of(row);
	bool touches;

	calls->any &= !paused;
	calls->sure &= !paused;
	touches = calls->any && (calls->end == row->start || calls->stopped_until == row->start);
	status |= touches ? 0 : absent(calls, sink);
	if (calls->any && row->start > calls->end)
		calls->gone += row->start - calls->end;
	if (kind == KP_JOINED_USER)
		status |= leave(calls, 0, touches, sink);
	else
		status |= kernel_row(calls, row, kind, touches, follows, tag, strings, sink);
	if (kind == KP_JOINED_USER || kind == KP_JOINED_SYSCALL)
		calls->sure = true;
	calls->any = true;
	calls->before = kind;
	calls->end = row->start + row->dur;
	calls->stopped_until = 0;
	return status;
}

void kp_joiner_stopped(struct kp_joiner *calls, const struct kp_span *row)
{
	if (calls->any && (calls->end == row->start || calls->stopped_until == row->start))
		calls->stopped_until = row->start + row->dur;
}

int kp_joiner_end(struct kp_joiner *calls, const struct kp_joiner_sink *sink)
{
	return leave(calls, 0, false, sink);
}

/* Updates the longest call. A complete call takes precedence over an incomplete one. */
static void longer(struct kp_call_sum *sum, int64_t time, int64_t at, bool bound)
{
	if (sum->longest >= 0 && (sum->bound != bound ? bound : time <= sum->longest))
		return;
	sum->longest = time;
	sum->longest_at = at;
	sum->bound = bound;
}

void kp_call_sum_interval(struct kp_call_sum *sum, int64_t start, int64_t time)
{
	sum->count++;
	sum->time += time;
	sum->elapsed += time;
	longer(sum, time, start, false);
}

static int by_elapsed(const void *a, const void *b)
{
	const struct kp_call_time *x = a, *y = b;

	return (x->elapsed > y->elapsed) - (x->elapsed < y->elapsed);
}

/* Joins entries with equal times, and sorts them by time. */
static void merge_times(struct kp_call_sum *sum)
{
	struct kp_call_time *items = sum->whole.items;
	size_t last = 0;

	if (!sum->whole.count)
		return;
	qsort(items, sum->whole.count, sizeof(*items), by_elapsed);
	for (size_t i = 1; i < sum->whole.count; i++) {
		if (items[i].elapsed == items[last].elapsed)
			items[last].count += items[i].count;
		else
			items[++last] = items[i];
	}
	sum->whole.count = last + 1;
}

/*
 * Adds @count complete calls with the same elapsed time. Sometimes joins equal times, so that
 * memory grows with the number of different times, not of calls.
 */
static int add_time(struct kp_call_sum *sum, int64_t elapsed, uint64_t count)
{
	const size_t least = 64;

	if (sum->whole.count >= least && sum->whole.count >= sum->merge_at) {
		merge_times(sum);
		sum->merge_at = 2 * sum->whole.count;
	}
	return KP_APPEND(&sum->whole, (struct kp_call_time){ .elapsed = elapsed, .count = count });
}

int kp_call_sum_call(struct kp_call_sum *sum, const struct kp_joined_call *call)
{
	bool whole = call->begins && call->ends && !call->inferred;
	int64_t elapsed = call->end - call->start;

	sum->elapsed += elapsed;
	longer(sum, elapsed, call->start, !whole);
	if (!whole) {
		sum->cut++;
		return 0;
	}
	sum->count++;
	return add_time(sum, elapsed, 1);
}

int kp_call_sum_add(struct kp_call_sum *sum, const struct kp_call_sum *other)
{
	sum->count += other->count;
	sum->cut += other->cut;
	sum->time += other->time;
	sum->elapsed += other->elapsed;
	if (other->longest >= 0)
		longer(sum, other->longest, other->longest_at, other->bound);
	for (size_t i = 0; i < other->whole.count; i++)
		if (add_time(sum, other->whole.items[i].elapsed, other->whole.items[i].count))
			return -1;
	return 0;
}

/* Returns the longest time of the @calls shortest complete calls. @calls is at least 1. */
static int64_t time_of(const struct kp_call_sum *sum, uint64_t calls)
{
	const struct kp_call_time *at = sum->whole.items;

	while (at->count < calls)
		calls -= at++->count;
	return at->elapsed;
}

void kp_call_sum_end(struct kp_call_sum *sum)
{
	uint64_t n = 0;

	merge_times(sum);
	sum->p50 = sum->p99 = -1;
	for (size_t i = 0; i < sum->whole.count; i++)
		n += sum->whole.items[i].count;
	if (!n)
		return;
	sum->p50 = time_of(sum, (n + 1) / 2);
	sum->p99 = time_of(sum, (n * 99 + 99) / 100);
}

void kp_call_sum_free(struct kp_call_sum *sum)
{
	free(sum->whole.items);
	sum->whole.items = NULL;
	sum->whole.count = sum->whole.cap = 0;
}
