// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a pause of a recording, on the simulated machine. The only row in the pause is the row of
 * the pause. The rows before the pause equal the rows of a trace that ends at the pause. After the
 * pause, each CPU immediately runs the process that really ran there.
 */
#include "truth.h"

static int64_t off, on;		/* begin and end of the pause, in units of 10 ns since T0 */

static bool lose(struct cpu *cpu)
{
	(void)cpu;
	return false;
}

/* Drops the events of [from, to). The next event of each CPU begins a block. */
static void leave_out(int64_t from, int64_t to)
{
	bool cut[CPUS] = { false };
	size_t i;

	for (i = 0; i < event_count; i++) {
		struct event *e = &events[i];

		e->lost = e->time >= from && e->time < to;
		e->merged = false;
		e->cut = e->time >= to && !cut[e->cpu];
		cut[e->cpu] |= e->cut;
	}
}

struct row {
	int64_t start, end, event, pid;
	int cpu;
};

static struct row before[8 * EVENTS_MAX];
static size_t before_count;

/* Stores the rows of execution of a trace that ends where the pause begins. */
static void keep_rows_before(void)
{
	struct kp_reconstruct_stats stats;
	size_t i;

	fact[0] = 0;
	leave_out(off, INT64_MAX);
	reconstruct(record_all(false), &stats);
	before_count = 0;
	for (i = 0; i < kept_count; i++)
		if (kp_span_is_execution(&kept[i]))
			before[before_count++] = (struct row){
				kept[i].start - 1100000000,
				kept[i].start + kept[i].dur - 1100000000,
				kept[i].event, kept[i].pid, kept[i].cpu,
			};
}

static bool has_row(const struct row *row)
{
	size_t i;

	for (i = 0; i < kept_count; i++)
		if (kept[i].start - 1100000000 == row->start && kept[i].event == row->event &&
		    kept[i].pid == row->pid && kept[i].cpu == row->cpu &&
		    kept[i].start + kept[i].dur - 1100000000 >= row->end)
			return true;
	return false;
}

static void same_before(uint64_t seed)
{
	size_t i;

	for (i = 0; i < before_count; i++)
		if (!has_row(&before[i]))
			fail_msg("seed %" PRIu64 ": before the pause there is no CPU %d %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64,
				 seed, before[i].cpu, before[i].start, before[i].end, before[i].event,
				 before[i].pid);
}

/* Checks that no row except the pause itself has time within the pause. */
static void nothing_within(uint64_t seed)
{
	size_t i;

	for (i = 0; i < kept_count; i++) {
		int64_t start = kept[i].start - 1100000000, end = start + kept[i].dur;

		if (kept[i].event == KUTRACE_MADE_PAUSE)
			continue;
		if (start < on && end > off)
			fail_msg("seed %" PRIu64 ": off %" PRId64 "..%" PRId64 ", but CPU %d %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64,
				 seed, off, on, kept[i].cpu, start, end, kept[i].event, kept[i].pid);
	}
}

static bool recorded_before(int cpu)
{
	size_t i;

	for (i = 0; i < event_count; i++)
		if (events[i].cpu == cpu && events[i].time < off)
			return true;
	return false;
}

/*
 * Checks that execution and pauses cover each CPU once, and that the pause has the exact
 * length.
 */
static void covered_with_pauses(uint64_t seed)
{
	int cpu;

	covered_once(seed);
	for (cpu = 0; cpu < cpu_count; cpu++) {
		int64_t paused = recorded_before(cpu) ? on - off : 0;

		if (coverage.cpu[cpu].paused != paused)
			fail_msg("seed %" PRIu64 ": CPU %d: paused for %" PRId64 ", not %" PRId64,
				 seed, cpu, coverage.cpu[cpu].paused, paused);
	}
}

/*
 * Checks that at each time after the pause, the CPU's span belongs to the process that ran
 * there.
 */
static void right_process_after(uint64_t seed)
{
	size_t i = 0, j = 0;

	qsort(truth, truth_count, sizeof(*truth), by_start);
	qsort(spans, span_count, sizeof(*spans), by_start);
	while (i < truth_count && j < span_count) {
		const struct segment *t = &truth[i], *s = &spans[j];
		int64_t from = t->start > s->start ? t->start : s->start;
		int64_t to = t->end < s->end ? t->end : s->end;

		if (t->cpu != s->cpu || to <= from) {
			if (t->cpu != s->cpu ? t->cpu < s->cpu : t->end <= s->start)
				i++;
			else
				j++;
			continue;
		}
		/* time in the scheduler is recognised only after the scheduler's call */
		if (t->pid != s->pid && to > on && !s->marked && t->event != KUTRACE_CALL_SCHED) {
			print_events(from, t->pid, t->cpu);
			print_segments(spans, span_count, "span", from, t->cpu);
			fail_msg("seed %" PRIu64 " (%s): off until %" PRId64 ": CPU %d %" PRId64 "..%" PRId64 ": truth %" PRIx64 " pid %" PRId64 ", span %" PRIx64 " pid %" PRId64,
				 seed, stock ? "stock" : "patched", on, t->cpu, from, to, t->event,
				 t->pid, s->event, s->pid);
		}
		i += t->end == to;
		j += s->end == to;
	}
}

static void test_pause(void **state)
{
	uint64_t seed, paused = 0;

	(void)state;
	for (seed = first_seed(); seed <= last_seed(); seed++) {
		struct kp_reconstruct_stats stats;
		bool any;

		simulate(seed);
		off = events[0].time + below((uint32_t)(events[event_count - 1].time - events[0].time));
		on = off + 1 + below(one_in(2) ? 2000 : 2000000);
		keep_rows_before();
		leave_out(off, on);
		any = events[event_count - 1].time >= on;
		snprintf(fact, sizeof(fact), "pause=%lld:%lld", (long long)T0 + off, (long long)T0 + on);
		reconstruct(record_all(false), &stats);
		assert_int_equal(stats.pauses, any);
		assert_int_equal(stats.paused_units, any ? on - off : 0);
		if (!any)
			continue;
		paused++;
		nothing_within(seed);
		same_before(seed);
		covered_with_pauses(seed);
		right_process_after(seed);
		conserve(seed);
	}
	fact[0] = 0;
	assert_true(paused > streams() / 2);
	kp_coverage_free(&coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
