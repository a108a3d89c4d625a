// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction against the truth when much is missing: any number of entries of any
 * kind (calls, returns, context switches, scheduler events), and whole blocks, of any CPU, at
 * any time. It runs up to 10,000 random streams.
 *
 * The test derives what the stream determines from three rules:
 *
 * - Before a system call and after its return, the pid is in user code. So after a loss, the
 *   pid's state is unknown only from the last such point before it to the first one after it
 *   (a window).
 * - A context switch and a block header show which task runs. After the loss of one, the
 *   running task is unknown until the next, and the events in between count to no pid.
 * - After a loss, the code that interrupts the pid on a CPU (interrupts, the scheduler) is
 *   unknown, from the last entry that shows it to the next one.
 *
 * Outside all windows, the spans must equal the truth, and none may be inferred. Inside, where
 * the recorded events contradict each other (a call after a call, a return after a return),
 * there must be a mark (?) or a note. No pid may run on two CPUs at the same time, unless a
 * span is marked.
 */
#include "truth.h"

/* number of counts by which a header may be older than the switch */
#define SWITCHING	10000

struct window {
	int64_t from, to;
	int64_t pid;		/* number of the pid; -1: any */
	int cpu;		/* number of the CPU; -1: any */
};

static struct window windows[4 * EVENTS_MAX];
static size_t window_count;
static bool told[EVENTS_MAX];	/* true for events recorded while the running task was known */

static bool lose(struct cpu *cpu)
{
	(void)cpu;
	return false;
}

static bool is_syscall(const struct event *e)
{
	uint32_t call = e->event & ~(uint32_t)KUTRACE_RETURN_BIT;

	return call >= KUTRACE_CALL_SYSCALL64 && call != KUTRACE_CALL_SCHED;
}

static bool is_switching(const struct event *e)
{
	return e->event == KUTRACE_USERPID || e->event == KUTRACE_CALL_SCHED ||
	       e->event == KUTRACE_RET_SCHED;
}

/*
 * Returns the other pid of a switch: for the switch itself the next pid (e->pid is the previous
 * pid), for the scheduler's return the previous pid (e->pid is the next pid). -1: none.
 */
static int64_t other_pid(size_t n)
{
	const struct event *e = &events[n];
	size_t i;

	if (e->event == KUTRACE_USERPID)
		return e->arg;
	for (i = n; i-- > 0;)
		if (events[i].cpu == e->cpu && !is_switching(&events[i]))
			break;
		else if (events[i].cpu == e->cpu && events[i].event == KUTRACE_USERPID)
			return events[i].pid;
	return -1;
}

/* ---- losing events ---- */

/* Loses all events of one CPU for a while. The next event begins a block. */
static void lose_block(void)
{
	int cpu = (int)below((uint32_t)cpu_count);
	size_t i = below((uint32_t)event_count), left = 2 + below(60);

	for (; i < event_count && left; i++)
		if (events[i].cpu == cpu) {
			events[i].lost = true;
			left--;
		}
	for (; i < event_count; i++)
		if (events[i].cpu == cpu) {
			events[i].cut = true;
			break;
		}
}

static void lose_some(void)
{
	uint32_t rate = 4 + below(60), blocks = below(3);
	size_t i;

	for (i = 0; i < event_count; i++)
		events[i].lost = one_in(rate);
	while (blocks--)
		lose_block();
	for (i = 0; i < event_count; i++)
		loss_count += events[i].lost;
}

/* ---- what the stream determines ---- */

/*
 * Finds the events that are recorded while the stream determines the running task of their CPU.
 * Also finds the windows in which the stream does not determine it.
 */
static void who_runs(void)
{
	int cpu;

	for (cpu = 0; cpu < cpu_count; cpu++) {
		int64_t switched = INT64_MIN / 2, unknown = -1, before = 0, known = 0;
		int64_t said = -1;	/* pid of the running task according to the stream */
		bool first = true;
		size_t i;

		for (i = 0; i < event_count; i++) {
			const struct event *e = &events[i];

			if (e->cpu != cpu)
				continue;
			told[i] = false;
			if (e->lost) {
				if (e->event == KUTRACE_USERPID && unknown < 0)
					unknown = known;
				continue;
			}
			/* the first header, or a header that shows an unrecorded switch */
			if (first || (e->cut && e->time - switched > SWITCHING && e->pid != said)) {
				if (unknown >= 0)
					windows[window_count++] = (struct window){
						first ? 0 : unknown, e->time, -1, cpu };
				unknown = -1;
				said = e->pid;
				first = false;
			}
			if (e->event == KUTRACE_USERPID) {
				if (unknown >= 0)
					windows[window_count++] = (struct window){
						unknown, e->time, -1, cpu };
				unknown = -1;
				switched = e->time;
				said = e->arg;
			}
			told[i] = unknown < 0;
			/* if a loss follows, the unknown time begins at the event before this one */
			if (told[i])
				known = before;
			before = e->time;
		}
		if (unknown >= 0)
			windows[window_count++] = (struct window){ unknown, INT64_MAX, -1, cpu };
	}
}

/* Returns true if the event determines everything that the CPU runs, given the state of its pid. */
static bool tells_cpu(size_t n)
{
	const struct event *e = &events[n];

	return told[n] && (is_syscall(e) || e->event == KUTRACE_RET_SCHED ||
			   (stock && e->event == KUTRACE_USERPID));
}

static bool tells_pid(size_t n, int64_t pid)
{
	return told[n] && is_syscall(&events[n]) && events[n].pid == pid;
}

static void pid_window(size_t n, int64_t pid)
{
	struct window *w = &windows[window_count];
	size_t i;

	if (pid <= 0)
		return;
	*w = (struct window){ 0, INT64_MAX, pid, -1 };
	for (i = n; i-- > 0;)
		if (tells_pid(i, pid)) {
			w->from = events[i].time;
			break;
		}
	for (i = n + 1; i < event_count; i++)
		if (tells_pid(i, pid)) {
			w->to = events[i].time;
			break;
		}
	window_count++;
}

static void cpu_window(size_t n)
{
	struct window *w = &windows[window_count++];
	int cpu = events[n].cpu;
	size_t i;

	*w = (struct window){ 0, INT64_MAX, -1, cpu };
	for (i = n; i-- > 0;)
		if (events[i].cpu == cpu && tells_cpu(i)) {
			w->from = events[i].time;
			break;
		}
	for (i = n + 1; i < event_count; i++)
		if (events[i].cpu == cpu && tells_cpu(i)) {
			w->to = events[i].time;
			break;
		}
}

/*
 * Handles a switch to a pid that has not run before. The next event is either the scheduler's
 * return or an event of a new task. Interrupts are possible in both cases. Without any other event,
 * the state stays open.
 */
static void open_ends(void)
{
	int cpu;

	for (cpu = 0; cpu < cpu_count && !stock; cpu++) {
		size_t i = event_count;

		while (i-- > 0) {
			uint32_t call = events[i].event & ~(uint32_t)KUTRACE_RETURN_BIT;

			if (events[i].cpu == cpu && !events[i].lost &&
			    (call < KUTRACE_CALL_IRQ || call > KUTRACE_CALL_BH))
				break;
		}
		if (i < event_count && events[i].event == KUTRACE_USERPID)
			windows[window_count++] = (struct window){
				events[i].time, INT64_MAX, -1, cpu };
	}
}

static void find_windows(void)
{
	size_t i;

	window_count = 0;
	who_runs();
	open_ends();
	for (i = 0; i < event_count; i++) {
		if (!events[i].lost)
			continue;
		assert_true(window_count + 4 < sizeof(windows) / sizeof(windows[0]));
		cpu_window(i);
		pid_window(i, events[i].pid);
		if (is_switching(&events[i]))
			pid_window(i, other_pid(i));
	}
}

static bool undetermined(int64_t from, int64_t to, int64_t pid, int cpu)
{
	size_t i;

	/* windows overlap: remove the covered part from the front */
	for (i = 0; i < window_count && from < to; i++) {
		const struct window *w = &windows[i];

		if ((w->pid < 0 || w->pid == pid) && (w->cpu < 0 || w->cpu == cpu) &&
		    w->from <= from && w->to > from) {
			from = w->to;
			i = (size_t)-1;
		}
	}
	return from >= to;
}

/* ---- comparing ---- */

static void fail_at(uint64_t seed, const char *what, const struct segment *t,
		    const struct segment *s)
{
	print_events(s->start, t->pid, t->cpu);
	print_segments(spans, span_count, "span", s->start, t->cpu);
	fail_msg("seed %" PRIu64 " (%s): CPU %d: truth %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64 ", span %" PRId64 "..%" PRId64 " %" PRIx64 " pid %" PRId64 "%s: %s",
		 seed, stock ? "stock" : "patched", t->cpu, t->start, t->end, t->event, t->pid,
		 s->start, s->end, s->event, s->pid, s->marked ? " marked" : "", what);
}

/* Total times: of spans that the stream determines, of other spans, and of wrong other spans. */
static uint64_t determined, open, open_wrong;

static void compare(uint64_t seed)
{
	size_t i = 0, j = 0;

	qsort(truth, truth_count, sizeof(*truth), by_start);
	qsort(spans, span_count, sizeof(*spans), by_start);
	while (i < truth_count && j < span_count) {
		const struct segment *t = &truth[i], *s = &spans[j];
		int64_t from = t->start > s->start ? t->start : s->start;
		int64_t to = t->end < s->end ? t->end : s->end;
		bool same = t->event == s->event && t->pid == s->pid;

		if (t->cpu != s->cpu || to <= from) {
			if (t->cpu != s->cpu ? t->cpu < s->cpu : t->end <= s->start)
				i++;
			else
				j++;
			continue;
		}
		if (t->open || undetermined(from, to, t->pid, t->cpu)) {
			open += (uint64_t)(to - from);
			open_wrong += same ? 0 : (uint64_t)(to - from);
		} else if (!same || s->marked) {
			fail_at(seed, same ? "marked, but determined" : "wrong, but determined",
				t, s);
		} else {
			determined += (uint64_t)(to - from);
		}
		i += t->end == to;
		j += s->end == to;
	}
}

/* Checks that a pid runs on one CPU at a time, except in inferred spans and in the scheduler. */
static void one_place(uint64_t seed)
{
	static struct { int64_t end; int cpu; } last[PIDS];
	size_t i;

	memset(last, 0, sizeof(last));
	qsort(kept, kept_count, sizeof(*kept), kept_order);
	for (i = 0; i < kept_count; i++) {
		const struct kp_span *s = &kept[i];

		/*
		 * the end of the scheduler counts to its caller, which may already run
		 * elsewhere
		 */
		if (!kp_span_is_execution(s) || s->pid <= 0 || s->retval == MARKED ||
		    s->event == KUTRACE_CALL_SCHED)
			continue;
		if (s->start < last[s->pid].end && s->cpu != last[s->pid].cpu)
			fail_msg("seed %" PRIu64 ": pid %d runs on CPU %d and %d at %" PRId64, seed,
				 (int)s->pid, last[s->pid].cpu, s->cpu, s->start - 1100000000);
		if (s->start + s->dur > last[s->pid].end) {
			last[s->pid].end = s->start + s->dur;
			last[s->pid].cpu = s->cpu;
		}
	}
}

static bool marked_between(int64_t pid, int64_t from, int64_t to)
{
	size_t i;

	for (i = 0; i < mark_count; i++)
		if (marks[i].pid == pid && marks[i].time > from && marks[i].time <= to)
			return true;
	return false;
}

/*
 * Counts the places where a pid has two calls without a return in between, or two returns without a
 * call, because an event was lost. Each must have a mark.
 */
static uint64_t contradictions(uint64_t seed)
{
	uint64_t found = 0;
	int64_t pid;

	for (pid = 1; pid < PIDS; pid++) {
		const struct event *last = NULL;
		size_t i;

		for (i = 0; i < event_count; i++) {
			const struct event *e = &events[i];

			/* after a lost switch, events of the pid may count to no pid */
			if (e->lost && is_switching(e) && (e->pid == pid || other_pid(i) == pid))
				last = NULL;
			if (!tells_pid(i, pid))
				continue;
			if (last && !((last->event ^ e->event) & KUTRACE_RETURN_BIT)) {
				found++;
				if (marked_between(pid, last->time, e->time)) {
					last = e;
					continue;
				}
				print_events(e->time, pid, e->cpu);
				print_segments(spans, span_count, "span", e->time, e->cpu);
				fail_msg("seed %" PRIu64 " (%s): pid %d: %x at %" PRId64 ", %x at %" PRId64 ", and nothing is said to be inferred",
					 seed, stock ? "stock" : "patched", (int)pid,
					 last->event, last->time, e->event, e->time);
			}
			last = e;
		}
	}
	return found;
}

/*
 * A pid that has left a CPU returns through the scheduler. If another event than an interrupt
 * follows the scheduler's call and the switch, the scheduler's return was lost.
 */
static uint64_t lost_arrivals(uint64_t seed)
{
	bool left[PIDS] = { false }, in_sched[CPUS] = { false }, before[CPUS] = { false };
	uint64_t found = 0;
	size_t i, j;

	for (i = 0; i < event_count && !stock; i++) {
		const struct event *e = &events[i], *next = NULL;
		bool called = in_sched[e->cpu], known = before[e->cpu];

		if (e->lost)
			continue;
		in_sched[e->cpu] = e->event == KUTRACE_CALL_SCHED;
		before[e->cpu] = told[i];
		if (!told[i] || e->event != KUTRACE_USERPID)
			continue;
		left[e->pid] |= e->pid > 0 && known;
		for (j = i + 1; j < event_count && !next; j++)
			if (events[j].cpu == e->cpu && !events[j].lost)
				next = &events[j];
		if (!called || !known || !next || next->event < KUTRACE_CALL_TRAP || next->cut || !left[e->arg] ||
		    next->event == KUTRACE_RET_SCHED ||
		    (next->event >= KUTRACE_CALL_IRQ && next->event <= KUTRACE_CALL_BH))
			continue;
		found++;
		for (j = 0; j < mark_count; j++)
			if (marks[j].cpu == e->cpu && marks[j].time > e->time &&
			    marks[j].time <= next->time)
				break;
		if (j < mark_count)
			continue;
		print_events(e->time, e->arg, e->cpu);
		print_segments(spans, span_count, "span", e->time, e->cpu);
		fail_msg("seed %" PRIu64 ": CPU %d: %x at %" PRId64 " behind a switch, and nothing is said to be inferred",
			 seed, e->cpu, next->event, next->time);
	}
	return found;
}

static void test_truth_loss(void **state)
{
	uint64_t seed, lost = 0, marked = 0, found = 0;

	(void)state;
	for (seed = first_seed(); seed <= last_seed(); seed++) {
		struct kp_reconstruct_stats stats;

		simulate(seed);
		lose_some();
		find_windows();
		reconstruct(record_all(one_in(4)), &stats);
		covered_once(seed);
		compare(seed);
		one_place(seed);
		found += contradictions(seed) + lost_arrivals(seed);
		conserve(seed);
		lost += loss_count;
		marked += mark_count;
	}
	print_message("%" PRIu64 " lost, %" PRIu64 " marks, %" PRIu64 " contradictions; units: %" PRIu64 " determined, %" PRIu64 " not, %" PRIu64 " of these wrong\n",
		      lost, marked, found, determined, open, open_wrong);
	/* enough cases occurred */
	assert_true(lost > 10 * streams());
	assert_true(marked > streams());
	assert_true(found > streams() / 2);
	assert_true(determined > open / 2);
	assert_true(open_wrong < open / 2);
	kp_coverage_free(&coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth_loss),
	};

	return cmocka_run_group_tests_name("truth_loss", tests, NULL, NULL);
}
