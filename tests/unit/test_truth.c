// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction against a simulation that has the truth: which task ran on which
 * CPU at each time. The simulation records its events as a kernel would (merged returns, late
 * stores, time wraps, stale first blocks, loss), and the test compares the resulting spans. It
 * runs up to 10,000 random streams of stock and patched kernels.
 *
 * Spans marked ?, and times whose state the stream does not determine, are not compared. All other
 * spans must equal the truth. After a loss, a pid's spans may differ until the pid's next mark or
 * note of an inference, or until the end of the trace.
 */
#include "truth.h"

/*
 * Returns whether to lose the next event. Loses no event of a pid whose state the stream has not
 * determined yet, and one event at a time, so that each mark belongs to a known loss.
 */
static bool lose(struct cpu *cpu)
{
	struct pid *pid = &pids[cpu->pid];

	if (!lossy || cpu->sched || !one_in(6))
		return false;
	if (!cpu->pid) {
		if (cpu->settled < 2)
			return false;
		cpu->settled = 0;
		return true;
	}
	if (!pid->called || pid->before || pid->settled < 2)
		return false;
	pid->settled = 0;
	return true;
}

/* Returns true if [from, to) on cpu is between a loss of pid and the mark that reports it. */
static bool excused(int64_t from, int64_t to, int64_t pid, int cpu)
{
	size_t i, j;

	for (i = 0; i < loss_count; i++) {
		const struct loss *loss = &losses[i];
		int64_t until = INT64_MAX;

		if (loss->time > from || loss->pid != pid || (!pid && loss->cpu != cpu))
			continue;
		for (j = 0; j < mark_count; j++)
			if (marks[j].pid == pid && (pid || marks[j].cpu == cpu) &&
			    marks[j].time > loss->time && marks[j].time < until)
				until = marks[j].time;
		if (to <= until)
			return true;
	}
	return false;
}

static void compare(uint64_t seed)
{
	size_t i = 0, j = 0;

	qsort(truth, truth_count, sizeof(*truth), by_start);
	qsort(spans, span_count, sizeof(*spans), by_start);
	while (i < truth_count && j < span_count) {
		const struct segment *t = &truth[i], *s = &spans[j];
		int64_t from = t->start > s->start ? t->start : s->start;
		int64_t to = t->end < s->end ? t->end : s->end;

		if (t->cpu != s->cpu || to <= from) {
			/* one of the two intervals has ended */
			if (t->cpu != s->cpu ? t->cpu < s->cpu : t->end <= s->start)
				i++;
			else
				j++;
			continue;
		}
		if (!t->open && (t->event != s->event || t->pid != s->pid) && !s->marked &&
		    !excused(from, to, t->pid, t->cpu)) {
			print_events(from, t->pid, t->cpu);
			print_segments(spans, span_count, "span", from, t->cpu);
			fail_msg("seed %" PRIu64 " (%s%s): CPU %d %" PRId64 "..%" PRId64 ": truth %" PRIx64 " pid %" PRId64 ", span %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64,
				 seed, stock ? "stock" : "patched", lossy ? ", lossy" : "",
				 t->cpu, from, to, t->event, t->pid, s->start, s->end,
				 s->event, s->pid);
		}
		i += t->end == to;
		j += s->end == to;
	}
}

static void test_truth(void **state)
{
	uint64_t seed, lost = 0, marked = 0, segments = 0;

	(void)state;
	for (seed = first_seed(); seed <= last_seed(); seed++) {
		struct kp_reconstruct_stats stats;

		simulate(seed);
		reconstruct(record_all(one_in(4)), &stats);
		compare(seed);
		covered_once(seed);
		if (!loss_count && (stats.missing_returns || stats.missing_calls || stats.gaps))
			fail_msg("seed %" PRIu64 ": nothing was lost, but %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " switches were inferred",
				 seed, stats.missing_returns, stats.missing_calls, stats.gaps);
		conserve(seed);
		lost += loss_count;
		marked += mark_count;
		segments += truth_count;
	}
	/* enough cases occurred */
	assert_true(segments > 100 * streams());
	assert_true(lost > 2 * streams());
	assert_true(marked > streams() / 2);
	kp_coverage_free(&coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth),
	};

	return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}
