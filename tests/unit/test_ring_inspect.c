// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests inspected events, CPUs that a filter has hidden, and breaks. A break prevents merging of a
 * return after a context switch that is not recorded. The tests go case by case, and make an NMI at
 * every lettered step. Each requested event is in the ring, counted as lost, or excluded by the
 * filter.
 */
#include "ring_machine.h"

#define fast cpu	/* CPU state of ring_machine.h */

static struct ku_cpu own;

/* ---- stands for record/dispatch.c: a filter by task ---- */

static bool filtering;
static bool wanted;		/* the filter includes the running task */
static u32 routed_events;
static u64 routed_last;
static u32 left_out;

static void put(struct ku_cpu *where, const u64 *words, u32 nwords, u32 room, u64 past)
{
	ku_ring_put(&ku_ring, where, words, nwords, room, past);
}

static void route(const u64 *words, u32 nwords, u32 room, u64 past)
{
	u32 event = words[0] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	bool was = wanted;

	assert_true(irqs_off || ku_env_nmi);
	routed_events++;
	routed_last = words[0];
	if (!filtering) {
		put(fast.slot.verdict == KU_SELECTED ? &fast : &own, words, nwords, room, past);
		return;
	}
	if (event != KUTRACE_USERPID) {
		if (fast.slot.verdict == KU_SELECTED)
			put(&fast, words, nwords, room, past);
		else if (wanted)
			put(&own, words, nwords, room, past);
		else
			left_out++;
		return;
	}
	if (fast.slot.verdict == KU_SELECTED)
		ku_ring_leave_fast(&fast, &own);
	else
		WRITE_ONCE(fast.slot.verdict, KU_UNRESOLVED);
	/* The filter includes tasks with odd numbers. */
	wanted = words[0] & 1;
	if (was || wanted)
		put(&own, words, nwords, room, past);
	else
		left_out++;
	if (wanted)
		ku_ring_enter_fast(&ku_ring, &fast, &own);
	else
		WRITE_ONCE(fast.slot.verdict, KU_EXCLUDED);
}

static void inspect(u32 event)
{
	ku_paths[event] = KU_PATH_INSPECTED;
	ku_other_paths = true;
}

static int up(void **state)
{
	(void)state;
	ring_up(6, false);
	memset(&own, 0, sizeof(own));
	ku_ring_init_cpu(&own);
	memset(ku_paths, 0, sizeof(ku_paths));
	ku_other_paths = false;
	ku_dispatch = route;
	filtering = false;
	wanted = true;
	routed_events = 0;
	left_out = 0;
	return 0;
}

static u64 lost(void)
{
	return total_lost() + own.lost.causes[KUTRACE_LOST_NESTED] + own.lost.causes[KUTRACE_LOST_FULL];
}

/* ---- which events are inspected ---- */

static void test_which(void **state)
{
	u64 sample[2] = { KU_EVENT(KUTRACE_PC_U) | 7, 0x1234 };

	(void)state;
	ku_paths[KUTRACE_MARKD] = KU_PATH_INSPECTED;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	assert_int_equal(routed_events, 0);
	inspect(KUTRACE_MARKD);
	inspect(0x827);
	inspect(0xA28);
	inspect(KUTRACE_PC_U);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 2);
	assert_int_equal(routed_events, 1);
	assert_int_equal(routed_last, KU_EVENT(KUTRACE_MARKD) | 2);
	ku_emit(KU_EVENT(KUTRACE_MARKA) | 3);
	ku_emit_call(0x800, 0x27, &(u64){ 9 });
	assert_int_equal(routed_events, 2);
	assert_int_equal(routed_last, KU_EVENT(0x827) | 9);
	ku_emit_call(0x800, 0x28, &(u64){ 9 });
	assert_int_equal(routed_events, 2);
	/* only the return is inspected */
	assert_false(ku_emit_call_return(300));
	ku_emit_return(0x828, 300);
	assert_int_equal(routed_events, 3);
	assert_int_equal(routed_last, KU_EVENT(0xA28) | 300);
	ku_emit2(sample[0], sample[1]);
	ku_emit_words(sample, 2, 3, 0);
	assert_int_equal(routed_events, 5);
	assert_int_equal(routed_last, sample[0]);
	/* both dispatch paths record into the same ring */
	assert_int_equal(word(1), KU_EVENT(KUTRACE_MARKD) | 2);
	assert_int_equal(word(3), KU_EVENT(0x827) | 9);
	assert_int_equal(word(6), sample[0]);
	assert_int_equal(ku_ring.words[0][KU_FIRST_INDEX + 7], sample[1]);
	assert_int_equal(lost(), 0);
	ku_other_paths = false;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 4);
	assert_int_equal(routed_events, 5);
}

/* Checks that the return of a direct hook is not merged into a call before an inspected call. */
static void test_bracket(void **state)
{
	(void)state;
	ku_emit_call(0x800, 0x27, &(u64){ 1 });
	inspect(0x827);
	ku_emit_call(0x800, 0x27, &(u64){ 2 });
	assert_false(ku_emit_call_return(5));
	assert_int_equal(word(0) >> KUTRACE_DELTA_SHIFT & 0xFF, 0);
}

/* ---- timed calls ---- */

/*
 * Checks that calls take the fast path and store their start time, and that a return after the
 * limit is inspected.
 */
static void test_timed(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < KUTRACE_COUNT_SYSCALL64; i++) {
		ku_paths[KUTRACE_CALL_SYSCALL64 + i] = KU_PATH_TIMED;
		ku_paths[KUTRACE_RET_SYSCALL64 + i] = KU_PATH_TIMED;
	}
	ku_other_paths = true;
	ku_timed_limit = 1000;
	ku_emit(KU_EVENT(KUTRACE_MARKD));
	/* the return is merged as usual, for direct hooks and for other hooks */
	ku_emit_call(0x800, 0x27, &(u64){ 3 });
	assert_int_equal(fast.hook.began, clock_now);
	assert_true(ku_emit_call_return(5));
	ku_emit(KU_EVENT(0x828) | 4);
	ku_emit_return(0x828, -5);
	assert_int_equal(word(1), KU_EVENT(0x827) | 3 | 5ULL << KUTRACE_RETVAL_SHIFT |
				  1ULL << KUTRACE_DELTA_SHIFT);
	assert_int_equal(word(2) >> KUTRACE_EVENT_SHIFT & 0xFFF, 0x828);
	assert_int_equal(word(2) >> KUTRACE_RETVAL_SHIFT & 0xFF, 0xFB);
	/* the value cannot be merged; the return is within the limit */
	ku_emit_call(0x800, 0x29, &(u64){ 3 });
	assert_false(ku_emit_call_return(300));
	clock_now += 900;
	ku_emit_return(0x829, 300);
	assert_int_equal(word(4), KU_EVENT(0xA29) | 300);
	assert_int_equal(routed_events, 0);
	/* the return comes after the limit */
	ku_emit_call(0x800, 0x2A, &(u64){ 3 });
	clock_now += 1000;
	ku_emit_return(0x82A, 1);
	assert_int_equal(routed_events, 1);
	assert_int_equal(routed_last, KU_EVENT(0xA2A) | 1);
	assert_int_equal(word(6), KU_EVENT(0xA2A) | 1);
	/*
	 * A return is inspected if the start time of its call is unknown. It is not inspected if the
	 * call began later than the return, by the clock of another CPU.
	 */
	fast.hook.began = 0;
	ku_emit_return(0x82A, 1);
	assert_int_equal(routed_events, 2);
	fast.hook.began = clock_now + 500;
	ku_emit_return(0x82A, 1);
	assert_int_equal(routed_events, 2);
	assert_int_equal(word(8), KU_EVENT(0xA2A) | 1);
	/* the CPU has no block yet; then a long gap precedes the event */
	ku_ring_close_cpu(&ku_ring, &fast);
	ku_emit_call(0x800, 0x2B, &(u64){ 9 });
	clock_now += KU_GAP_MAX + 1;
	ku_emit_call(0x800, 0x2C, &(u64){ 9 });
	assert_int_equal(ku_ring.taken, 2);
	assert_int_equal(ku_event_of(ku_ring.words[1][KU_FIRST_INDEX]), 0x82B);
	assert_int_equal(ku_event_of(ku_ring.words[1][KU_FIRST_INDEX + 2]), 0x82C);
	assert_int_equal(fast.hook.began, clock_now - 1);
	assert_int_equal(lost(), 0);
}

/* ---- hidden ---- */

static void test_hidden(void **state)
{
	u64 words[2] = { KU_EVENT(KUTRACE_MARKA), 5 };

	(void)state;
	filtering = true;
	inspect(KUTRACE_USERPID);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_emit(KU_EVENT(KUTRACE_USERPID) | 2);
	assert_int_equal(fast.slot.verdict, KU_EXCLUDED);
	assert_int_equal(routed_events, 1);
	/* all of these are dropped without calling the filter */
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 3);
	ku_emit_call(0x800, 39, &(u64){ 0 });
	assert_false(ku_emit_call_return(1));
	ku_emit_return(0x827, 1);
	ku_emit2(KU_EVENT(KUTRACE_PC_U), 4);
	ku_emit_words(words, 2, 2, 0);
	assert_int_equal(routed_events, 1);
	assert_int_equal(lost(), 0);
	ku_emit(KU_EVENT(KUTRACE_USERPID) | 4);
	assert_int_equal(left_out, 1);
	ku_emit(KU_EVENT(KUTRACE_USERPID) | 5);
	assert_int_equal(fast.slot.verdict, KU_SELECTED);
	ku_emit_call(0x800, 39, &(u64){ 0 });
	assert_true(ku_emit_call_return(1));
	assert_int_equal(word(0), KU_EVENT(KUTRACE_MARKD) | 1);
	assert_int_equal(word(1), KU_EVENT(KUTRACE_USERPID) | 2);
	assert_int_equal(word(2), KU_EVENT(KUTRACE_USERPID) | 5);
	assert_int_equal(word(3) >> KUTRACE_EVENT_SHIFT, 0x827);
	assert_int_equal(word(4), 0);
	assert_int_equal(ku_ring.taken, 1);
	/* a task that the filter includes makes the call; another task returns */
	ku_emit_call(0x800, 39, &(u64){ 0 });
	ku_emit(KU_EVENT(KUTRACE_USERPID) | 6);
	ku_emit(KU_EVENT(KUTRACE_USERPID) | 7);
	assert_false(ku_emit_call_return(1));
	assert_false(ku_merge_return(0x827, 1));
}

/* ---- the break after a switch that is not recorded ---- */

static void test_break(void **state)
{
	u64 time;
	u32 i;

	(void)state;
	/* no event is recorded yet, so the break has no effect */
	ku_ring_break(&ku_ring, &fast);
	assert_int_equal(ku_ring.taken, 0);
	ask_point();
	ku_ring_break(&ku_ring, &fast);
	ask_call(0x827);
	ask_return(0x827, 1);
	ku_ring_break(&ku_ring, &fast);
	assert_int_equal(fast.at.state & KU_INDEX_MASK, KU_FIRST_INDEX + 2);
	/* the return of a call before the break becomes a separate entry, also with direct hooks */
	ask_call(0x827);
	time = fast.at.state >> KU_INDEX_BITS;
	ku_ring_break(&ku_ring, &fast);
	assert_int_equal(fast.at.state >> KU_INDEX_BITS, time);
	assert_int_equal(fast.at.state & KU_INDEX_MASK, KU_FIRST_INDEX + 4);
	ku_ring_break(&ku_ring, &fast);
	assert_int_equal(fast.at.state & KU_INDEX_MASK, KU_FIRST_INDEX + 4);
	ask_return(0x827, 1);
	assert_int_equal(word(4) >> KUTRACE_EVENT_SHIFT, 0xA27);
	ask_bracket_call(0x827);
	ku_ring_break(&ku_ring, &fast);
	ask_bracket_return(0x827, 1);
	assert_int_equal(word(6), 0);
	assert_int_equal(word(7) >> KUTRACE_EVENT_SHIFT, 0xA27);
	/* the gap after the break equals the gap after the call */
	ask_call(0x828);
	clock_now += 0x7F000;
	ku_ring_break(&ku_ring, &fast);
	clock_now += 0x7F000;
	ask_return(0x828, 1);
	/* a break at the end of the block */
	for (i = fast.at.state & KU_INDEX_MASK; i < KU_BLOCK_END - 1; i++)
		ask_point();
	ask_call(0x829);
	assert_int_equal(fast.at.state & KU_INDEX_MASK, KU_BLOCK_END);
	ku_ring_break(&ku_ring, &fast);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
	ask_return(0x829, 1);
	assert_int_equal(ku_ring.taken, 2);
	check_all("break");
}

/* ---- an NMI at every step ---- */

static char nmi_at;
static int nmi_skip;
static u32 nmi_runs;
static bool nmi_hidden;

static void nmi(char letter)
{
	if (letter != nmi_at || nmi_skip--)
		return;
	nmi_at = 0;
	nmi_runs++;
	nmi_hidden = fast.slot.verdict == KU_EXCLUDED;
	ku_env_nmi = true;
	ask_call(0x502);
	ask_return(0x502, 1);
	ku_env_nmi = false;
}

static void test_break_nmi(void **state)
{
	static const char steps[] = "AB";
	u32 room, i, s;

	ring_down(state);
	for (s = 0; s < 2; s++)
		for (room = 0; room < 4; room++) {
			char text[40];

			up(state);
			for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - 1 - room; i++)
				ask_point();
			ask_call(0x827);
			nmi_at = steps[s];
			nmi_skip = 0;
			ku_env_step = nmi;
			irqs_off = true;
			ku_ring_break(&ku_ring, &fast);
			irqs_off = false;
			ku_env_step = NULL;
			/* if the break closed the block, step B does not exist */
			assert_true(!nmi_at || (nmi_at == 'B' && !room));
			ask_return(0x827, 1);
			snprintf(text, sizeof(text), "break, NMI at %c, room %u", steps[s], room);
			check_all(text);
			for (i = 0; i < ku_ring.taken * KUTRACE_BLOCK_WORDS; i++) {
				u64 w = ku_ring.words[i / KUTRACE_BLOCK_WORDS][i % KUTRACE_BLOCK_WORDS];

				if ((w >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK) == 0x827)
					assert_int_equal(w >> KUTRACE_DELTA_SHIFT & 0xFF, 0);
			}
			ring_down(state);
		}
	up(state);
}

/*
 * Switches to an excluded task, between excluded tasks, and back, with an NMI at one step. The
 * NMI's entries are recorded, counted as lost, or excluded with the running task.
 */
static void test_switches_nmi(void **state)
{
	static const char steps[] = "DstuACjhiabEFo";
	static const u32 tasks[] = { 2, 4, 5, 7, 6, 9 };
	u32 room, s, i, skip, total = 0;

	ring_down(state);
	for (s = 0; s < sizeof(steps) - 1; s++)
		for (room = 1; room < 4; room++)
			for (skip = 0; skip < 5; skip++) {
				struct decode d;
				u32 seen = 0, switches = 0, marks = 0;

				up(state);
				filtering = true;
				inspect(KUTRACE_USERPID);
				for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - room; i++)
					ku_emit(KU_EVENT(KUTRACE_MARKA) | i);
				nmi_at = steps[s];
				nmi_skip = (int)skip;
				nmi_runs = 0;
				ku_env_step = nmi;
				for (i = 0; i < sizeof(tasks) / sizeof(*tasks); i++) {
					ku_emit(KU_EVENT(KUTRACE_USERPID) | tasks[i]);
					ku_emit(KU_EVENT(KUTRACE_MARKD) | tasks[i]);
				}
				ku_env_step = NULL;
				total += nmi_runs;
				d = decode_all();
				assert_null(d.error);
				for (i = 0; i < d.count; i++) {
					u32 event = d.list[i].event;

					seen += event == 0x502;
					seen += event == 0x702 || (event == 0x502 && d.list[i].delta);
					switches += event == KUTRACE_USERPID;
					/* the marks are only of included tasks */
					if (event == KUTRACE_MARKD) {
						assert_true(d.list[i].arg & 1);
						marks++;
					}
				}
				/*
				 * excluded: the switch to 4, and the NMI's entries while the task
				 * is excluded
				 */
				assert_in_range(left_out, 1, 3);
				assert_int_equal(switches, 5);
				assert_int_equal(marks, 3);
				/*
				 * each of the NMI's two events is accounted for, unless the CPU is
				 * hidden
				 */
				assert_int_equal(seen + lost() + left_out - 1,
						 nmi_runs && !nmi_hidden ? 2 : 0);
				assert_int_equal(irqs_off, false);
				free(d.list);
				ring_down(state);
			}
	/* the NMI really came */
	assert_true(total > 50);
	up(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_which, up, ring_down),
		cmocka_unit_test_setup_teardown(test_bracket, up, ring_down),
		cmocka_unit_test_setup_teardown(test_timed, up, ring_down),
		cmocka_unit_test_setup_teardown(test_hidden, up, ring_down),
		cmocka_unit_test_setup_teardown(test_break, up, ring_down),
		cmocka_unit_test_setup_teardown(test_break_nmi, up, ring_down),
		cmocka_unit_test_setup_teardown(test_switches_nmi, up, ring_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
