// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a clock so coarse that a call and its return are in the same count, as on many arm64
 * machines. The return goes into the entry of the call, and readers decode that entry to both
 * events. Also tests interrupts in the same count at each step of the merging.
 */
#define KU_COARSE_CLOCK 1
#define KU_ADDRESS_SCALES 0
#include "ring_machine.h"

#include "common/entry.h"

#define CALL	0x827
#define IRQ	0x502

/* Makes the clock stand still, so that all events are in the same count. */
static void begin(u32 nblocks)
{
	ring_up(nblocks, false);
	ku_emit(KU_EVENT(KUTRACE_MARKA));	/* this event claims the first block */
	clock_step = 0;
}

/* Checks that the word of the call has a return, with this duration and value. */
static void expect_merged(u64 word, u32 counts, s32 value)
{
	assert_int_equal(ku_entry_event(word), CALL);
	assert_true(ku_entry_returned(word));
	assert_int_equal(ku_entry_delta(word), counts);
	assert_int_equal(ku_entry_retval(word), value);
}

static void test_same_count(void **state)
{
	static const s64 values[] = { 0, 1, -1, 127, -127 };
	size_t i;

	(void)state;
	begin(2);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		ku_emit(KU_EVENT(CALL) | 9);
		assert_false(ku_entry_returned(word((u32)i + 1)));
		ku_emit_return(CALL, values[i]);
		expect_merged(word((u32)i + 1), 0, (s32)values[i]);
		assert_int_equal(ku_entry_arg0(word((u32)i + 1)), 9);
	}
	/* -128 stands for 0, so -128 cannot be merged */
	ku_emit(KU_EVENT(CALL));
	ku_emit_return(CALL, -128);
	assert_false(ku_entry_returned(word(6)));
	assert_int_equal(ku_entry_event(word(7)), CALL | KUTRACE_RETURN_BIT);
	assert_int_equal(ku_entry_return_value(word(7)), -128);
	pool_free();
}

/* Checks that if time passes, merging works as usual, also for -128. */
static void test_later(void **state)
{
	(void)state;
	begin(2);
	ku_emit(KU_EVENT(CALL));
	clock_now += 1;
	ku_emit_return(CALL, -128);
	expect_merged(word(1), 1, -128);
	ku_emit(KU_EVENT(CALL));
	clock_now += 255;
	ku_emit_return(CALL, 0);
	expect_merged(word(2), 255, 0);
	ku_emit(KU_EVENT(CALL));
	clock_now += 256;
	ku_emit_return(CALL, 0);
	assert_false(ku_entry_returned(word(3)));
	pool_free();
}

/* Checks that a return that is already merged, and a return without a call, are not merged. */
static void test_once(void **state)
{
	(void)state;
	begin(2);
	ku_emit(KU_EVENT(CALL));
	ku_emit_return(CALL, 0);
	ku_emit_return(CALL, 0);
	expect_merged(word(1), 0, 0);
	assert_int_equal(ku_entry_event(word(2)), CALL | KUTRACE_RETURN_BIT);
	ku_emit_return(IRQ, 0);
	assert_int_equal(ku_entry_event(word(3)), IRQ | KUTRACE_RETURN_BIT);
	pool_free();
}

/* Tests merging in the slow path, as for events that are fanned out. */
static void test_slow(void **state)
{
	(void)state;
	begin(2);
	ku_emit(KU_EVENT(CALL));
	assert_true(ku_ring_merge(&ku_ring, &cpu, ku_return_entry(CALL, 0)));
	expect_merged(word(1), 0, 0);
	assert_false(ku_ring_merge(&ku_ring, &cpu, ku_return_entry(CALL, 0)));
	/* the return of another call is not merged into a call that already has a return */
	ku_ring_break(&ku_ring, &cpu);
	ku_emit(KU_EVENT(KUTRACE_MARKB));
	assert_int_equal(ku_entry_event(word(2)), KUTRACE_MARKB);
	pool_free();
}

/* ---- hooks whose return recognises its call by the CPU state alone ---- */

static void call_knowing(u32 arg0)
{
	ku_emit_call(0x800, CALL - 0x800, &(u64){ arg0 });
}

static void test_recognised_by_state(void **state)
{
	static const s64 values[] = { 0, 1, -1, 127, -127 };
	size_t i;

	(void)state;
	begin(2);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		call_knowing(9);
		assert_true(ku_emit_call_return(values[i]));
		expect_merged(word((u32)i + 1), 0, (s32)values[i]);
		assert_int_equal(ku_entry_arg0(word((u32)i + 1)), 9);
	}
	/* 128 does not fit, and -128 stands for 0 */
	call_knowing(0);
	assert_false(ku_emit_call_return(128));
	assert_false(ku_emit_call_return(-128));
	assert_false(ku_entry_returned(word(6)));
	/* the largest number of counts that fits */
	clock_now += 255;
	assert_true(ku_emit_call_return(-128));
	expect_merged(word(6), 255, -128);
	call_knowing(0);
	clock_now += 256;
	assert_false(ku_emit_call_return(0));
	assert_false(ku_entry_returned(word(7)));
	/* another event in the same count */
	call_knowing(0);
	ku_emit(KU_EVENT(KUTRACE_MARKB));
	assert_false(ku_emit_call_return(0));
	assert_false(ku_entry_returned(word(8)));
	pool_free();
}

/* ---- interrupts in the same count ---- */

/*
 * Argument and number of earlier calls that do not return. If the return of the tested call used a
 * wrong word or block, it would find one of them, and mark it as returned.
 */
#define OPEN		8
#define OPEN_CALLS	4000

static char at;
static u32 nested_calls;
static bool nested_done;

/* Records interrupts with their returns. */
static void step(char letter)
{
	u32 i;

	if (letter != at || nested_done)
		return;
	nested_done = true;
	for (i = 0; i < nested_calls; i++) {
		ku_emit(KU_EVENT(IRQ));
		ku_emit_return(IRQ, 0);
	}
}

struct seen {
	u32 calls, returns, irqs, irq_returns;
};

static struct seen count_seen(void)
{
	struct seen seen = { 0 };
	u32 block, i;

	for (block = 0; block < ku_ring.nblocks; block++) {
		for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
			u64 word = ku_ring.words[block][i];
			u32 event = ku_entry_event(word);

			/* an earlier call, which never returns */
			if (event == CALL && ku_entry_arg0(word) == OPEN) {
				assert_false(ku_entry_returned(word));
				continue;
			}
			seen.calls += event == CALL;
			seen.irqs += event == IRQ;
			seen.returns += event == (CALL | KUTRACE_RETURN_BIT) ||
					(event == CALL && ku_entry_returned(word));
			seen.irq_returns += event == (IRQ | KUTRACE_RETURN_BIT) ||
					    (event == IRQ && ku_entry_returned(word));
			/* the tested call; returns have no argument */
			if (event == CALL)
				assert_int_equal(word & KUTRACE_ARG0_MASK, 7);
		}
	}
	return seen;
}

static void interrupted(const char *letters, bool knowing)
{
	/* None, few, and enough interrupts to claim another block or two. */
	static const u32 counts[] = { 0, 1, 3, 6000, KUTRACE_BLOCK_WORDS, 14000 };
	const char *letter;
	size_t i;

	for (letter = letters; *letter; letter++) {
		for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct seen seen;
			u32 open;

			begin(6);
			for (open = 0; open < OPEN_CALLS; open++)
				ku_emit(KU_EVENT(CALL) | OPEN);
			if (knowing)
				call_knowing(7);
			else
				ku_emit(KU_EVENT(CALL) | 7);
			at = *letter;
			nested_calls = counts[i];
			nested_done = false;
			ku_env_step = step;
			if (!knowing || !ku_emit_call_return(0))
				ku_emit_return(CALL, 0);
			ku_env_step = NULL;
			assert_true(nested_done);
			seen = count_seen();
			assert_int_equal(seen.calls, 1);
			assert_int_equal(seen.returns, 1);
			assert_int_equal(seen.irqs, counts[i]);
			assert_int_equal(seen.irq_returns, counts[i]);
			assert_int_equal(total_lost(), 0);
			pool_free();
		}
	}
}

static void test_interrupted(void **state)
{
	(void)state;
	interrupted("eKfg", false);
	interrupted("pqr", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_count),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_recognised_by_state),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
