// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core case by case: headers, merged returns, ends of blocks, gaps, full and
 * wrapped pools, and recording turned off. test_ring_steps.c tests it under interrupts, and
 * test_ring_read.c with a reader.
 */
#include "ring_machine.h"

static void test_header(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	cpu.mhz = 3100;
	ask_point();
	w = ku_ring.words[0];
	assert_int_equal(w[0] >> 56, cpu_number);
	assert_in_range(w[0] & ((1ULL << 56) - 1), 1000, clock_now);
	assert_int_equal(w[1], 0);
	assert_int_equal((u32)w[2], 77);
	assert_int_equal(w[2] >> 32, 3100);
	assert_int_equal(w[3], 0);
	assert_string_equal((const char *)&w[4], "test");
	assert_int_equal(w[6], 0);
	assert_int_equal((w[7] >> 32) & 0xFFF, KUTRACE_MARKD);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_CURRENT);
	assert_int_equal(ku_ring.table[0].seq, 1);
	assert_int_equal(ku_ring.table[0].cpu, cpu_number);
	check_all("header");
	pool_free();
}

/*
 * Tests the limit of CPU numbers: CPU 300 would look like CPU 44, so the module checks the numbers
 * when it is loaded.
 */
static void test_cpu_numbers(void **state)
{
	(void)state;
	cpu_number = KUTRACE_CPUS - 1;
	ring_up(2, false);
	ask_point();
	assert_int_equal(ku_ring.words[0][0] >> 56, 255);
	assert_int_equal(ku_ring.table[0].cpu, 255);
	pool_free();
	cpu_number = 5;
	assert_int_not_equal((u64)300 << 56 >> 56, 300);
	assert_true(ku_ring_names_cpus(1));
	assert_true(ku_ring_names_cpus(256));
	assert_false(ku_ring_names_cpus(257));
	assert_false(ku_ring_names_cpus(301));
	assert_false(ku_ring_names_cpus(8192));
}

static void test_merge(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	w = ku_ring.words[0];
	ask_call(0x827);
	ask_return(0x827, -128);
	assert_int_equal(w[8], 0);
	assert_int_equal((w[7] >> 24) & 0xFF, 1);
	assert_int_equal((w[7] >> 16) & 0xFF, 0x80);
	ask_call(0x827);
	ask_return(0x827, 127);
	assert_int_equal(w[9], 0);
	/* a value of more than 8 bits */
	ask_call(0x827);
	ask_return(0x827, 128);
	assert_int_equal((w[10] >> 32) & 0xFFF, 0xA27);
	assert_int_equal(w[10] & 0xFFFF, 128);
	/* the return of another call */
	ask_call(0x828);
	ask_return(0x829, 0);
	assert_int_equal((w[12] >> 32) & 0xFFF, 0xA29);
	/* an event in between */
	ask_call(0x830);
	ask_point();
	ask_return(0x830, 0);
	assert_int_equal((w[15] >> 32) & 0xFFF, 0xA30);
	/* a second return of the same call */
	ask_call(0x831);
	ask_return(0x831, 1);
	ask_return(0x831, 1);
	assert_int_equal((w[17] >> 32) & 0xFFF, 0xA31);
	check_all("merge");
	pool_free();
}

static void test_merge_delta(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	w = ku_ring.words[0];
	ask_call(0x827);
	clock_now += 254;
	ask_return(0x827, 0);
	assert_int_equal((w[7] >> 24) & 0xFF, 255);
	ask_call(0x827);
	clock_now += 255;
	ask_return(0x827, 0);
	assert_int_equal((w[8] >> 24) & 0xFF, 0);
	assert_int_equal((w[9] >> 32) & 0xFFF, 0xA27);
	/* the same time: a delta of 0 would mean no return */
	ask_call(0x827);
	clock_step = 0;
	ask_return(0x827, 0);
	assert_int_equal((w[11] >> 32) & 0xFFF, 0xA27);
	clock_step = 1;
	check_all("merge delta");
	pool_free();
}

/*
 * Tests system call numbers that a program may choose, also numbers of other events: a context
 * switch, the return of a softirq, a NOP. No return is merged.
 */
static void test_merge_any_number(void **state)
{
	static const u64 numbers[] = { 512, 0x800, 0xA00, 0xFFF, 0x1000, 0x40000027, 0x7FFFFFFF,
				       (u64)-1, (u64)-38, (u64)-0x601, 0xA00ULL << 32 | 0xA00,
				       1ULL << 63 | 0xA00 };
	u64 before[4] = { 0, KU_EVENT(KUTRACE_USERPID) | 1234,
			  KU_EVENT(KUTRACE_CALL_BH | KUTRACE_RETURN_BIT),
			  KU_EVENT(KUTRACE_CALL_SYSOTHER) | 0xFFFF };
	u64 *w;
	u32 i, k, nr;

	(void)state;
	ring_up(2, false);
	ask_point();
	w = ku_ring.words[0];
	for (k = 0; k < 4; k++) {
		u64 word;

		/* An earlier event makes the preceding word nonzero. */
		if (before[k])
			ku_emit(before[k]);
		else
			ku_emit_words((u64[]){ KU_EVENT(KUTRACE_MARKD) }, 1, 2, 0);
		word = w[(cpu.at.state & KU_INDEX_MASK) - 1];
		assert_int_equal(word & 0xFFFFFFFFFFF, before[k]);
		for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			assert_false(ku_merge_syscall(numbers[i], -38, is_ours));
		for (nr = 512; nr < 0x3000; nr++)
			assert_false(ku_merge_syscall(nr, 0, is_ours));
		assert_int_equal(w[(cpu.at.state & KU_INDEX_MASK) - 1], word);
	}
	/* The upper half of the register does not belong to the number. */
	ku_emit(KU_EVENT(0x827));
	assert_true(ku_merge_syscall(0xFFFFFFFF00000027, 5, is_ours));
	assert_int_equal(w[(cpu.at.state & KU_INDEX_MASK) - 1] >> 16 & 0xFF, 5);
	pool_free();
}

/* Repeats test_merge and test_merge_delta for direct hooks, which use ku_emit_call(). */
static void test_bracket(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	w = ku_ring.words[0];
	ask_point();
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, -128);
	assert_int_equal((w[8] >> 32) & 0xFFF, 0x827);
	assert_int_equal((w[8] >> 24) & 0xFF, 1);
	assert_int_equal((w[8] >> 16) & 0xFF, 0x80);
	ask_bracket_call(0x9FF);
	clock_now += 254;
	ask_bracket_return(0x9FF, 127);
	assert_int_equal((w[9] >> 32) & 0xFFF, 0x9FF);
	assert_int_equal((w[9] >> 24) & 0xFF, 255);
	assert_int_equal((w[9] >> 16) & 0xFF, 0x7F);
	assert_int_equal(w[10], 0);
	/* the call was too long ago */
	ask_bracket_call(0x827);
	clock_now += 255;
	ask_bracket_return(0x827, 0);
	assert_int_equal((w[10] >> 24) & 0xFF, 0);
	assert_int_equal((w[11] >> 32) & 0xFFF, 0xA27);
	/* call and return at the same time */
	ask_bracket_call(0x827);
	clock_step = 0;
	ask_bracket_return(0x827, 0);
	clock_step = 1;
	assert_int_equal((w[13] >> 32) & 0xFFF, 0xA27);
	/* values of more than 8 bits */
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, 128);
	assert_int_equal(w[15] & 0xFFFF, 128);
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, -129);
	assert_int_equal(w[17] & 0xFFFF, (u16)-129);
	/* an event in between */
	ask_bracket_call(0x830);
	ask_point();
	ask_bracket_return(0x830, 0);
	assert_int_equal((w[20] >> 32) & 0xFFF, 0xA30);
	/* a call of another task in between, with the same number */
	ask_bracket_call(0x831);
	ask_point();
	ask_bracket_call(0x831);
	ask_bracket_return(0x831, 3);
	ask_point();
	ask_bracket_return(0x831, 4);
	assert_int_equal((w[23] >> 16) & 0xFF, 3);
	assert_int_equal((w[25] >> 32) & 0xFFF, 0xA31);
	assert_int_equal(w[25] & 0xFFFF, 4);
	check_all("bracket");
	pool_free();
}

/* Tests a call that was recorded on one CPU, and whose return comes on another. */
static void test_bracket_elsewhere(void **state)
{
	struct ku_cpu other;
	u64 now;

	(void)state;
	ring_up(3, false);
	memset(&other, 0, sizeof(other));
	ku_ring_init_cpu(&other);
	/* both CPUs have the same number of entries, and the last at the same time */
	ask_point();
	now = clock_now;
	ask_bracket_call(0x827);
	ku_env_cpu = &other;
	clock_now = now;
	cpu_number = 6;
	ku_emit(KU_EVENT(KUTRACE_MARKA) | 1);
	clock_now = now;
	ku_emit(KU_EVENT(0x828) | 1);
	other.at.state = cpu.at.state;
	clock_now += 2;
	assert_false(ku_emit_call_return(1));
	cpu_number = 5;
	ku_env_cpu = &cpu;
	pool_free();
}

/* Tests the last word of a block, and the first word after a new block was claimed. */
static void test_bracket_block_end(void **state)
{
	u32 i;

	(void)state;
	ring_up(3, false);
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - 1; i++)
		ask_point();
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, 9);
	assert_int_equal((ku_ring.words[0][KU_BLOCK_END - 1] >> 24) & 0xFF, 1);
	assert_int_equal((ku_ring.words[0][KU_BLOCK_END - 1] >> 16) & 0xFF, 9);
	/* this call takes the slow path, and ku_merge_return() merges its return */
	ask_bracket_call(0x828);
	ask_bracket_return(0x828, 9);
	assert_int_equal((ku_ring.words[1][7] >> 32) & 0xFFF, 0x828);
	assert_true((ku_ring.words[1][7] >> 24) & 0xFF);
	/* a long gap, with TSDELTA entries */
	clock_now += 0x90000;
	ask_bracket_call(0x829);
	ask_bracket_return(0x829, 1);
	assert_int_equal((ku_ring.words[1][8] >> 32) & 0xFFF, KUTRACE_TSDELTA);
	check_all("bracket at the end of a block");
	/* recording is off: nothing is recorded and nothing is merged */
	ku_ring.active = 0;
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_emit_call(0x800, 39, &(u64){ 0 });
	assert_false(ku_emit_call_return(0));
	assert_int_equal(ku_ring.words[1][10], 0);
	pool_free();
}

/* Tests a call in the last word of a block. Its return may still be merged. */
static void test_block_end(void **state)
{
	u32 i;

	(void)state;
	ring_up(3, false);
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - 1; i++)
		ask_point();
	ask_call(0x827);
	assert_int_equal(cpu.at.state & KU_INDEX_MASK, KU_BLOCK_END);
	assert_int_equal(filled_blocks, 0);
	ask_return(0x827, 3);
	assert_int_equal((ku_ring.words[0][KU_BLOCK_END - 1] >> 24) & 0xFF, 1);
	assert_int_equal(ku_ring.table[1].seq, 0);
	ask_point();
	assert_int_equal(ku_ring.table[1].seq, 2);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
	assert_int_equal(filled_blocks, 1);
	/* a two-word entry and its NOP do not fit: the last words become NOPs */
	for (i = KU_FIRST_INDEX + 1; i < KU_BLOCK_END - 2; i++)
		ask_point();
	ask_pc();
	assert_int_equal(ku_ring.words[1][KU_BLOCK_END - 2], 0);
	assert_int_equal(ku_ring.words[1][KU_BLOCK_END - 1], 0);
	assert_int_equal(ku_ring.table[2].seq, 3);
	check_all("block end");
	pool_free();
}

/*
 * An NMI must not claim a block. The last words of a block are reserved for NMIs and for exceptions
 * that the kernel treats like NMIs. Several may come before the next event that may claim a block.
 */
static void test_block_end_in_nmi(void **state)
{
	u32 i;

	(void)state;
	ring_up(3, false);
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END; i++)
		ask_point();
	ku_env_nmi = true;
	for (i = 0; i < KU_NMI_WORDS / 2; i++) {
		ask_call(0x402);
		ask_return(0x402, 300);
	}
	assert_int_equal(total_lost(), 0);
	assert_int_equal(cpu.at.state & KU_INDEX_MASK, KU_INDEX_CLOSED);
	assert_int_equal(ku_ring.table[1].seq, 0);
	/* this call is one more than the reserved words hold */
	ask_call(0x402);
	assert_int_equal(cpu.lost.causes[KUTRACE_LOST_NESTED], 1);
	ku_env_nmi = false;
	ask_point();
	assert_int_equal(ku_ring.table[1].seq, 2);
	/*
	 * after the entries of an NMI, any other event claims a new block; the old block's unused
	 * reserved words stay zero
	 */
	for (i = KU_FIRST_INDEX + 1; i < KU_BLOCK_END; i++)
		ask_point();
	ku_env_nmi = true;
	ask_pc();
	assert_int_equal(cpu.at.state & KU_INDEX_MASK, KU_BLOCK_END + 3);
	ku_env_nmi = false;
	ask_call(0x827);
	ask_return(0x827, 1);
	assert_int_equal(ku_ring.words[1][KU_BLOCK_END + 3], 0);
	assert_int_equal(ku_ring.table[2].seq, 3);
	check_all("block end in an NMI");
	pool_free();
}

/* Checks that an address that looks like a call does not absorb a return. */
static void test_address_like_a_call(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	w = ku_ring.words[0];
	ku_emit2(KU_EVENT(KUTRACE_PC_U), KU_EVENT(0x5FF) | 7);
	ku_emit_return(0x5FF, 0);
	assert_int_equal(w[8], KU_EVENT(0x5FF) | 7);
	assert_int_equal(w[9], 0);
	assert_int_equal((w[10] >> 32) & 0xFFF, 0x7FF);
	pool_free();
}

static void test_gaps(void **state)
{
	static const u64 gaps[] = {
		1, 0x7FFFE, 0x7FFFF, 0x80000, 0xE0000, 0xE0001, 0xFFFFF, 0x100000,
		0x100001, 0x1E0000, 999999937, 1999999998, 1999999999, 2000000000,
		2000000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000,
		3999999998, 3999999999, 90000000000, 127999999936, 127999999999,
		128000000001, 1ULL << 40, (1ULL << 48) + 12345,
	};
	u32 i;

	(void)state;
	ring_up(40, false);
	ask_point();
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		clock_now += gaps[i] - 1;
		ask_point();
		ask_call(0x800);
		ask_return(0x800, 0);
	}
	check_all("gaps");
	/* each of the longest gaps claimed a block, other gaps a few words */
	assert_in_range(ku_ring.taken, 4, 6);
	pool_free();
}

/* Checks that TSDELTA announces a time that goes back further than a late store can. */
static void test_back_in_time(void **state)
{
	struct decode d;

	(void)state;
	ring_up(4, false);
	clock_now = 1ULL << 33;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	clock_now -= 0x30000;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 2);
	clock_now -= 1999999999;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 3);
	d = decode_all();
	assert_null(d.error);
	assert_int_equal(d.count, 3);
	/* the slow path reads the clock one more time */
	assert_int_equal(d.list[0].ts - d.list[1].ts, 0x30000 - 2);
	assert_int_equal(d.list[1].ts - d.list[2].ts, 1999999999 - 2);
	free(d.list);
	pool_free();
}

/* Tests an uptime of more than 2^50 counts, after which the time in the CPU state has wrapped. */
static void test_state_time_wraps(void **state)
{
	u32 i;

	(void)state;
	ring_up(2, false);
	clock_now = (1ULL << 50) - 50;
	for (i = 0; i < 100; i++) {
		ask_call(0x827);
		ask_return(0x827, 1);
	}
	check_all("state time wraps");
	assert_int_equal(total_lost(), 0);
	assert_int_equal(ku_ring.words[0][7 + 100], 0);
	pool_free();
}

static void test_past(void **state)
{
	struct decode d;

	(void)state;
	ring_up(2, false);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	clock_now += 1000;
	ku_emit_past(KU_EVENT(0x502), 200);
	assert_true(ku_merge_return(0x502, 1));
	clock_now += 10;
	ku_emit_past(KU_EVENT(0x502), 5000);
	d = decode_all();
	assert_int_equal(d.count, 3);
	assert_in_range(d.list[1].ts - d.list[0].ts, 800, 803);
	assert_in_range(d.list[1].delta, 199, 203);
	/* not earlier than the preceding entry */
	assert_int_equal(d.list[2].ts, d.list[1].ts);
	free(d.list);
	pool_free();
}

static void test_full(void **state)
{
	u32 i, n = 2 * (KU_BLOCK_END - KU_FIRST_INDEX) + 1009;

	(void)state;
	ring_up(2, false);
	for (i = 0; i < n; i++)
		ask_point();
	assert_int_equal(cpu.lost.causes[KUTRACE_LOST_FULL], 1009);
	check_all("full");
	assert_int_equal(ku_ring.taken, 2);
	pool_free();
}

static void test_wrap(void **state)
{
	struct decode d;
	u32 i, n = 7 * (KU_BLOCK_END - KU_FIRST_INDEX) + 101;

	(void)state;
	ring_up(3, true);
	for (i = 0; i < n; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
	assert_int_equal(total_lost(), 0);
	d = decode_all();
	assert_null(d.error);
	/* the last two full blocks and 101 entries, without a gap up to the last one */
	assert_int_equal(d.count, 2 * (KU_BLOCK_END - KU_FIRST_INDEX) + 101);
	for (i = 0; i < d.count; i++)
		assert_int_equal(d.list[i].arg, n - d.count + i);
	free(d.list);
	pool_free();
}

/* Checks that the current block of another CPU is never claimed. */
static void test_wrap_skips_current(void **state)
{
	struct ku_cpu other = {};
	u32 i;

	(void)state;
	ring_up(3, true);
	ku_ring_init_cpu(&other);
	ku_env_cpu = &other;
	cpu_number = 6;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 4242);
	ku_env_cpu = &cpu;
	cpu_number = 5;
	for (i = 0; i < 5 * KUTRACE_BLOCK_WORDS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
	assert_int_equal(ku_ring.words[0][7] & 0xFFFFFFFF, 4242);
	assert_int_equal(ku_ring.words[0][0] >> 56, 6);
	assert_int_equal(ku_ring.table[0].seq, 1);
	assert_int_equal(total_lost(), 0);
	pool_free();

	/* all blocks are current on another CPU: the loss is counted */
	ring_up(1, true);
	ku_ring_init_cpu(&other);
	ku_env_cpu = &other;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_env_cpu = &cpu;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 2);
	assert_int_equal(cpu.lost.causes[KUTRACE_LOST_NOBLOCK], 1);
	pool_free();
}

static void test_off(void **state)
{
	(void)state;
	ring_up(2, false);
	ask_call(0x827);
	ku_ring.active = 0;
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_emit_return(0x827, 0);
	ku_emit2(KU_EVENT(KUTRACE_PC_U), 1);
	assert_int_equal(total_lost(), 0);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
	check_all("off");
	/* recording is on again: a new block */
	ku_ring.active = 1;
	ask_point();
	assert_int_equal(ku_ring.table[1].seq, 2);
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_ring.active = 0;
	ku_ring_reset(&ku_ring, false);
	assert_int_equal(ku_ring.words[0][7], 0);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_FREE);
	pool_free();
}

/*
 * Tests a counter that restarts. Later events are in another block, and earlier events can be
 * discarded.
 */
static void test_clock_begins_anew(void **state)
{
	(void)state;
	ring_up(3, false);
	clock_now += 1ULL << 40;
	ask_point();
	assert_int_equal(cpu.at.block, 0);
	clock_now = 100;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	assert_int_equal(cpu.at.block, 1);
	assert_int_equal(ku_ring.table[1].seq, 2);
	ku_ring.active = 0;
	ku_ring_forget_cpu(&ku_ring, &cpu);
	ku_ring_close_cpu(&ku_ring, &cpu);
	assert_int_equal(ku_ring.table[1].seq, 0);
	assert_int_equal(ku_ring.table[0].seq, 1);
	/* a closed CPU has nothing to discard */
	ku_ring_forget_cpu(&ku_ring, &cpu);
	assert_int_equal(ku_ring.table[0].seq, 1);
	check_all("the counter begins anew");
	assert_int_equal(total_lost(), 0);
	pool_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_cpu_numbers),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_delta),
		cmocka_unit_test(test_merge_any_number),
		cmocka_unit_test(test_block_end),
		cmocka_unit_test(test_block_end_in_nmi),
		cmocka_unit_test(test_address_like_a_call),
		cmocka_unit_test(test_bracket),
		cmocka_unit_test(test_bracket_elsewhere),
		cmocka_unit_test(test_bracket_block_end),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_back_in_time),
		cmocka_unit_test(test_state_time_wraps),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_skips_current),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_clock_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
