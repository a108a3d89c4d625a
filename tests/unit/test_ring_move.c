// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a ring that enters or leaves the fast slot of a CPU. Recording continues at the same
 * position in the same block, and events of an NMI in between are recorded or counted. Also
 * tests merging in the slow path, which must do the same as in the fast path.
 */
#include "ring_machine.h"

#define fast cpu	/* CPU state of ring_machine.h */

static struct ku_cpu own;

static int up(void **state)
{
	(void)state;
	ring_up(4, false);
	memset(&own, 0, sizeof(own));
	ku_ring_init_cpu(&own);
	return 0;
}

static void put_own(u64 entry)
{
	assert_true(ku_ring_put(&ku_ring, &own, &entry, 1, 1, 0));
}

static u64 mark(u32 number)
{
	return KU_EVENT(KUTRACE_MARKD) | number;
}

static void test_goes_on(void **state)
{
	u64 time;

	(void)state;
	ku_emit(mark(1));
	ku_ring_move_cpu(&own, &fast);
	assert_int_equal(fast.at.state, KU_INDEX_CLOSED);
	assert_int_equal(fast.at.block, KU_NO_BLOCK);
	assert_ptr_equal(fast.at.base, ku_closed_block);
	put_own(mark(2));
	ku_ring_move_cpu(&fast, &own);
	assert_int_equal(own.at.state, KU_INDEX_CLOSED);
	ku_emit(mark(3));
	assert_int_equal(word(0), mark(1));
	assert_int_equal(word(1), mark(2));
	assert_int_equal(word(2), mark(3));
	assert_int_equal(word(3), 0);
	assert_int_equal(ku_ring.taken, 1);
	time = ku_ring.words[0][KU_FIRST_INDEX] >> KUTRACE_TS_SHIFT;
	assert_true(ku_ring.words[0][KU_FIRST_INDEX + 2] >> KUTRACE_TS_SHIFT > time);
	/* the moved state still has its block, which closing ends */
	ku_ring_close_cpu(&ku_ring, &fast);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
}

/* Checks that ku_emit_call_return() does not merge into a call from before the move. */
static void test_kept_call(void **state)
{
	(void)state;
	ku_emit_call(KUTRACE_CALL_SYSCALL64, 39, &(u64){ 5 });
	ku_ring_move_cpu(&own, &fast);
	ku_ring_move_cpu(&fast, &own);
	assert_false(ku_emit_call_return(7));
	/* The call is still the previous entry, and can be merged by its content. */
	assert_true(ku_merge_return(KUTRACE_CALL_SYSCALL64 + 39, 7));
	assert_int_equal(word(0) >> KUTRACE_RETVAL_SHIFT & 0xFF, 7);
}

static void test_closed_stays_closed(void **state)
{
	(void)state;
	ku_ring_move_cpu(&own, &fast);
	assert_int_equal(own.at.state, KU_INDEX_CLOSED);
	put_own(mark(1));
	assert_int_equal(ku_ring.taken, 1);
	assert_int_equal(word(0), mark(1));
}

static void test_losses(void **state)
{
	(void)state;
	fast.lost.causes[KUTRACE_LOST_FULL] = 3;
	own.lost.causes[KUTRACE_LOST_FULL] = 4;
	fast.lost.kinds[KUTRACE_KIND_MARKD] = 2;
	ku_ring_move_cpu(&own, &fast);
	assert_int_equal(own.lost.causes[KUTRACE_LOST_FULL], 4);
	ku_ring_move_losses(&own, &fast);
	assert_int_equal(own.lost.causes[KUTRACE_LOST_FULL], 7);
	assert_int_equal(fast.lost.causes[KUTRACE_LOST_FULL], 0);
	assert_int_equal(own.lost.kinds[KUTRACE_KIND_MARKD], 2);
	assert_int_equal(fast.lost.kinds[KUTRACE_KIND_MARKD], 0);
}

static char nmi_at;
static struct ku_cpu *nmi_cpu;

static void nmi(char letter)
{
	u64 entry = mark(99);

	if (letter != nmi_at)
		return;
	nmi_at = 0;
	ku_env_nmi = true;
	ku_ring_put(&ku_ring, nmi_cpu, &entry, 1, 1, 0);
	ku_env_nmi = false;
}

/* Checks that an NMI at any step, and in any state, is recorded or counted once. */
static void test_nmi(void **state)
{
	static const char steps[] = "stu";
	size_t i, which;

	ring_down(state);
	for (i = 0; i < sizeof(steps) - 1; i++) {
		for (which = 0; which < 2; which++) {
			u64 lost;
			u32 n, seen = 0;

			up(state);
			ku_emit(mark(1));
			nmi_at = steps[i];
			nmi_cpu = which ? &own : &fast;
			ku_env_step = nmi;
			ku_ring_move_cpu(&own, &fast);
			ku_env_step = NULL;
			assert_int_equal(nmi_at, 0);
			put_own(mark(2));
			for (n = 0; n < 4; n++)
				seen += word(n) == mark(99);
			lost = own.lost.causes[KUTRACE_LOST_NESTED] + fast.lost.causes[KUTRACE_LOST_NESTED];
			assert_int_equal(seen + lost, 1);
			assert_int_equal(word(0), mark(1));
			assert_int_equal(word(seen + 1), mark(2));
			/* A block that is not used remains unclaimed. */
			assert_int_equal(ku_ring.taken, 1);
			ring_down(state);
		}
	}
	up(state);
}

static bool merge(u32 call, u16 value)
{
	return ku_ring_merge(&ku_ring, &own, KU_EVENT(call | KUTRACE_RETURN_BIT) | value);
}

static void test_slow_merge(void **state)
{
	const u32 call = KUTRACE_CALL_SYSCALL64 + 39;

	(void)state;
	put_own(KU_EVENT(call) | 5);
	assert_false(merge(call + 1, 1));
	assert_false(merge(call, 128));
	/* 0xFFFF is not merged: it could be -1 or 65535 */
	assert_false(merge(call, 0xFFFF));
	assert_true(merge(call, 127));
	assert_int_equal(word(0) >> KUTRACE_RETVAL_SHIFT & 0xFF, 127);
	assert_int_not_equal(word(0) >> KUTRACE_DELTA_SHIFT & 0xFF, 0);
	assert_int_equal(word(0) & KUTRACE_ARG0_MASK, 5);
	/* Merges only once, not after another event, and not after a long time. */
	assert_false(merge(call, 1));
	put_own(KU_EVENT(call));
	put_own(mark(1));
	assert_false(merge(call, 1));
	put_own(KU_EVENT(call));
	clock_now += 300;
	assert_false(merge(call, 1));
	/* A closed CPU has no call. */
	ku_ring_close_cpu(&ku_ring, &own);
	assert_false(merge(call, 1));
}

static void test_kinds(void **state)
{
	u32 kind;

	(void)state;
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_CALL_SYSCALL64 + 39)),
			 KUTRACE_KIND_CALL_SYSCALL64);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_RET_SYSCALL64 + 39)),
			 KUTRACE_KIND_CALL_SYSCALL64);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_RESCHEDULE)),
			 KUTRACE_KIND_CALL_IPI);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER)),
			 KUTRACE_KIND_CALL_IRQ);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_CALL_BH)), KUTRACE_KIND_CALL_BH);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_CALL_SCHED)), KUTRACE_KIND_CALL_SCHED);
	assert_int_equal(ku_kind_of(KU_EVENT(KUTRACE_NAME_TPOINT | 0x80)), KUTRACE_KIND_TPOINT);
	for (kind = 0; kind < KUTRACE_KINDS; kind++) {
		assert_non_null(ku_kind_name(kind));
		assert_in_range(ku_kind_category(kind), 0, KUTRACE_CATS - 1);
	}
	assert_int_equal(ku_kinds_of_categories(KUTRACE_MASK_ALL), KUTRACE_KINDS_ALL);
	assert_int_equal(ku_categories_of_kinds(KUTRACE_KINDS_ALL), KUTRACE_MASK_ALL);
	assert_int_equal(ku_categories_of_kinds(1ULL << KUTRACE_KIND_CALL_IPI),
			 KUTRACE_MASK_IPI);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_goes_on, up, ring_down),
		cmocka_unit_test_setup_teardown(test_kept_call, up, ring_down),
		cmocka_unit_test_setup_teardown(test_closed_stays_closed, up, ring_down),
		cmocka_unit_test_setup_teardown(test_losses, up, ring_down),
		cmocka_unit_test_setup_teardown(test_nmi, up, ring_down),
		cmocka_unit_test_setup_teardown(test_slow_merge, up, ring_down),
		cmocka_unit_test_setup_teardown(test_kinds, up, ring_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
