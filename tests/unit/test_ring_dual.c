// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests two rings in the primary and secondary slot, which both record every event. At every
 * lettered step, an interrupt or an NMI comes, or a ring leaves its slot and returns. Each ring
 * records each event once or counts it as lost, independently of the other ring.
 */
#include "ring_machine.h"

#define first cpu	/* CPU state of ring_machine.h: the slot of ku_ring */

#define CALL	0x827
#define NBLOCKS	6

static struct ku_cpu second, first_own, second_own;
static struct ku_ring beside;
static bool placed;		/* the rings are in their slots; otherwise events are fanned out */

/* ---- stands for record/dispatch.c and record/slots.c ---- */

static void route(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *rings[2] = { &ku_ring, &beside };
	u32 i;

	assert_true(irqs_off || ku_env_nmi);
	for (i = 0; i < 2; i++) {
		struct ku_cpu *where = ku_ring_cpu_here(rings[i]);

		if (!(ku_event_of(words[0]) & KUTRACE_RETURN_BIT) ||
		    !ku_ring_merge(rings[i], where, words[0]))
			ku_ring_record(rings[i], where, words, nwords, room, past);
	}
}

static void leave(struct ku_cpu *place, struct ku_cpu *own)
{
	ku_ring_leave_fast(place, own);
	ku_ring_move_losses(own, place);
	WRITE_ONCE(place->slot.verdict, KU_UNRESOLVED);
}

static void demote(void)
{
	assert_true(irqs_off);
	if (!placed)
		return;
	placed = false;
	leave(&first, &first_own);
	leave(&second, &second_own);
}

static void promote(void)
{
	assert_true(irqs_off);
	if (placed)
		return;
	ku_ring_enter_fast(&beside, &second, &second_own);
	ku_ring_enter_fast(&ku_ring, &first, &first_own);
	placed = true;
}

static void demote_promote(void)
{
	demote();
	promote();
}

/* ---- setup ---- */

static void begin(bool in_places, u32 first_room, u32 second_room)
{
	u64 entry = KU_EVENT(KUTRACE_MARKA);
	u32 i;

	ring_up(NBLOCKS, false);
	pool_alloc_for(&beside, NBLOCKS);
	ku_ring_reset(&beside, false);
	beside.active = 1;
	memset(&second, 0, sizeof(second));
	memset(&first_own, 0, sizeof(first_own));
	memset(&second_own, 0, sizeof(second_own));
	ku_env_cpu2 = &second;
	ku_ring_init_cpu(&second);
	ku_ring_init_cpu(&first_own);
	ku_ring_init_cpu(&second_own);
	ku_ring.cpu = &first_own;
	beside.cpu = &second_own;
	ku_secondary = &beside;
	ku_dispatch = route;
	memset(ku_paths, KU_PATH_DUAL, sizeof(ku_paths));
	ku_other_paths = true;
	first.slot.verdict = KU_UNRESOLVED;
	second.slot.verdict = KU_UNRESOLVED;
	placed = false;
	/* leave @first_room and @second_room words free, besides the words reserved for NMIs */
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - first_room; i++)
		ku_ring_put(&ku_ring, &first_own, &entry, 1, 1, 0);
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - second_room; i++)
		ku_ring_put(&beside, &second_own, &entry, 1, 1, 0);
	if (in_places) {
		irqs_off = true;
		promote();
		irqs_off = false;
	}
}

static void end(void)
{
	ku_other_paths = false;
	ku_secondary = NULL;
	ku_env_step = NULL;
	pool_free_of(&beside);
	pool_free();
}

/* ---- the requested events, and the check of the result ---- */

static u32 marks, calls, returns, samples;
static bool as_nmi;

static void mark(void)
{
	ku_emit(KU_EVENT(KUTRACE_MARKD) | ++marks);
}

static void sample(void)
{
	ku_emit2(KU_EVENT(KUTRACE_PC_U), 0x8000000000000000ULL | ++samples);
}

/* true: hooks use the dual path without a check; false: they check the dispatch path. */
static bool knowing;

static void call(void)
{
	calls++;
	if (knowing)
		ku_emit_call_dual(0x800, CALL - 0x800, &(u64){ calls & 0xFFFF });
	else
		ku_emit_call(0x800, CALL - 0x800, &(u64){ calls & 0xFFFF });
}

static void give_back(s64 value)
{
	returns++;
	if (!(knowing ? ku_emit_call_return_dual(value) : ku_emit_call_return(value)))
		ku_emit_return(CALL, value);
}

static void check_ring(const char *what, const struct ku_ring *ring, const struct ku_cpu *a,
		       const struct ku_cpu *b)
{
	struct decode d = decode_ring(ring);
	u32 have[4] = { 0 }, i;
	u32 made[4] = { marks, calls, returns, samples };
	u32 last_mark = 0, nested = 0;
	u64 last = 0, lost = 0;

	assert_null(d.error);
	for (i = 0; i < d.count; i++) {
		const struct decoded *e = &d.list[i];

		if (e->ts < last)
			fail_msg("%s: time goes back at word %u", what, e->index);
		last = e->ts;
		if (e->event == KUTRACE_MARKD) {
			have[0]++;
			/* an interrupt recorded a newer mark before this entry */
			nested += e->arg < last_mark;
			last_mark = e->arg;
		}
		have[1] += e->event == CALL;
		have[2] += e->event == (CALL | KUTRACE_RETURN_BIT) ||
			   (e->event == CALL && e->delta);
		have[3] += e->event == KUTRACE_PC_U;
	}
	free(d.list);
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		lost += a->lost.causes[i] + b->lost.causes[i];
	for (i = 0; i < 4; i++)
		if (have[i] > made[i])
			fail_msg("%s: %u of kind %u, %u were made", what, have[i], i, made[i]);
	if (have[0] + have[1] + have[2] + have[3] + lost != marks + calls + returns + samples)
		fail_msg("%s: %u %u %u %u are there, %llu lost, %u %u %u %u were made", what, have[0],
			 have[1], have[2], have[3], (unsigned long long)lost, marks, calls, returns, samples);
	if (nested > 1)
		fail_msg("%s: out of order %u times", what, nested);
	/* Only an NMI may lose events, while a state moves or a block is claimed. */
	if (lost > (as_nmi ? 4 : 0))
		fail_msg("%s: %llu lost", what, (unsigned long long)lost);
}

static void check_both(const char *what)
{
	char text[120];

	snprintf(text, sizeof(text), "first, %s", what);
	check_ring(text, &ku_ring, &first, &first_own);
	snprintf(text, sizeof(text), "second, %s", what);
	check_ring(text, &beside, &second, &second_own);
}

static void workload(void)
{
	mark();
	call();
	give_back(7);		/* the return is merged if no event comes in between */
	call();
	mark();
	give_back(300);
	sample();
	call();
	give_back(-5);
	mark();
}

/* ---- without interruption ---- */

static void both_the_same(void)
{
	struct decode one, other;
	size_t i, merged = 0;

	as_nmi = false;
	marks = calls = returns = samples = 0;
	begin(true, 2000, 1000);
	workload();
	check_both("undisturbed");
	one = decode_ring(&ku_ring);
	other = decode_ring(&beside);
	/* both rings have the same events and times after the entries of begin() */
	assert_int_equal(one.count - (KU_BLOCK_END - 2000 - KU_FIRST_INDEX),
			 other.count - (KU_BLOCK_END - 1000 - KU_FIRST_INDEX));
	for (i = 1; i <= 8; i++) {
		const struct decoded *a = &one.list[one.count - i], *b = &other.list[other.count - i];

		/* In the slow path, each ring reads the clock itself. */
		assert_true(a->ts == b->ts || a->event == KUTRACE_PC_U);
		assert_int_equal(a->event, b->event);
		assert_int_equal(a->arg, b->arg);
		assert_int_equal(a->retval, b->retval);
		assert_int_equal(a->delta, b->delta);
		merged += !!a->delta;
	}
	assert_int_equal(merged, 2);
	free(one.list);
	free(other.list);
	end();
}

static void test_both(void **state)
{
	(void)state;
	knowing = false;
	both_the_same();
	knowing = true;
	both_the_same();
}

/* Checks that if one ring is full, the other one continues. */
static void test_one_full(void **state)
{
	u32 i;

	(void)state;
	marks = calls = returns = samples = 0;
	begin(true, 100, 100);
	ku_ring.nblocks = 1;
	for (i = 0; i < 500; i++)
		mark();
	ku_ring.nblocks = NBLOCKS;
	assert_int_equal(first.lost.causes[KUTRACE_LOST_FULL], 400);
	assert_int_equal(first.lost.kinds[KUTRACE_KIND_MARKD], 400);
	assert_int_equal(second.lost.causes[KUTRACE_LOST_FULL], 0);
	assert_int_equal(beside.taken, 2);
	end();
}

/* Checks that a ring that has stopped or does not exist yet records nothing and loses nothing. */
static void test_one_stopped(void **state)
{
	u32 which;

	(void)state;
	for (which = 0; which < 2; which++) {
		struct ku_ring *stopped = which ? &beside : &ku_ring;
		struct ku_cpu *place = which ? &second : &first;
		u64 before;

		marks = calls = returns = samples = 0;
		begin(true, 100, 100);
		irqs_off = true;
		stopped->active = 0;
		ku_ring_close_cpu(stopped, place);
		irqs_off = false;
		before = stopped->taken;
		workload();
		assert_int_equal(stopped->taken, before);
		assert_int_equal(total_lost() + place->lost.causes[KUTRACE_LOST_FULL], 0);
		if (which)
			check_ring("the other has stopped", &ku_ring, &first, &first_own);
		else
			check_ring("the other has stopped", &beside, &second, &second_own);
		end();
	}
}

/* ---- with interruptions ---- */

static void (*disturb)(void);
static int at_step, steps;
static bool done;

static void nested(void)
{
	mark();
	call();
	give_back(1);
	mark();
}

static void step(char letter)
{
	bool off = irqs_off;

	(void)letter;
	if (ku_env_nmi || done || steps++ < at_step)
		return;
	/* An interrupt waits until interrupts are on. */
	if (irqs_off && !as_nmi)
		return;
	done = true;
	ku_env_nmi = as_nmi;
	irqs_off = true;
	disturb();
	irqs_off = off;
	ku_env_nmi = false;
}

/* Makes an interrupt at every step of the workload. The rooms are as in begin(). */
static void everywhere(const char *what, bool in_places, void (*how)(void), bool nmi, u32 first_room,
		       u32 second_room)
{
	int at = 0;

	for (;; at++) {
		char text[100];
		bool came;

		marks = calls = returns = samples = 0;
		begin(in_places, first_room, second_room);
		disturb = how;
		as_nmi = nmi;
		at_step = at;
		steps = 0;
		done = false;
		ku_env_step = step;
		workload();
		ku_env_step = NULL;
		came = done;
		snprintf(text, sizeof(text), "%s at step %d, room %u and %u", what, at, first_room,
			 second_room);
		check_both(text);
		assert_false(irqs_off);
		end();
		if (!came)
			break;
	}
	/* The workload has steps. */
	assert_true(at > 20);
}

static void test_disturbed(void **state)
{
	static const u32 rooms[][2] = {
		{ 100, 100 }, { 1, 100 }, { 100, 1 }, { 2, 2 }, { 3, 5 }, { 5, 4 }, { 7, 9 }, { 0, 0 },
	};
	u32 i;

	(void)state;
	for (i = 0; i < 2 * sizeof(rooms) / sizeof(*rooms); i++) {
		u32 a = rooms[i / 2][0], b = rooms[i / 2][1];

		knowing = i % 2;
		everywhere("interrupt", true, nested, false, a, b);
		everywhere("NMI", true, nested, true, a, b);
		everywhere("demoted", true, demote, false, a, b);
		everywhere("promoted", false, promote, false, a, b);
		everywhere("demoted and promoted", true, demote_promote, false, a, b);
		everywhere("interrupt while routed", false, nested, false, a, b);
		everywhere("NMI while routed", false, nested, true, a, b);
	}
}

/* Tests an NMI at every step of leaving and of entering the slots. */
static void test_moved_nmi(void **state)
{
	u32 which, room;
	int at;

	(void)state;
	for (which = 0; which < 2; which++)
		for (room = 0; room < 4; room++)
			for (at = 0;; at++) {
				bool came;

				marks = calls = returns = samples = 0;
				begin(which == 0, room, 3 - room);
				mark();
				call();
				disturb = nested;
				as_nmi = true;
				at_step = at;
				steps = 0;
				done = false;
				ku_env_step = step;
				irqs_off = true;
				if (which)
					promote();
				else
					demote();
				irqs_off = false;
				ku_env_step = NULL;
				came = done;
				give_back(1);
				mark();
				check_both(which ? "NMI while promoted" : "NMI while demoted");
				end();
				if (!came)
					break;
			}
}

/*
 * Checks that a return is not recorded if its number may belong to another ABI, where it means
 * another call.
 */
static void test_other_abi(void **state)
{
	u64 before, before2;

	(void)state;
	begin(true, 8, 8);
	ku_emit(KU_EVENT(KUTRACE_CALL_SYSCALL32 + 20));
	before = first.at.state;
	before2 = second.at.state;
	assert_false(ku_merge_syscall(20, 5, is_other));
	assert_int_equal(first.at.state, before);
	assert_int_equal(second.at.state, before2);
	assert_true(ku_merge_syscall(20, 5, is_ours));
	assert_int_not_equal(first.at.state, before);
	assert_int_not_equal(second.at.state, before2);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_one_full),
		cmocka_unit_test(test_one_stopped),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_moved_nmi),
		cmocka_unit_test(test_other_abi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
