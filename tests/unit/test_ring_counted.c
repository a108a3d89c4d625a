// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a ring with counter bits in the primary slot. Every event has the four bits that the
 * counters gave for it. The counters are read once per recorded event. An NMI, which does not read
 * the counters, comes at every lettered step.
 */
#include "ring_machine.h"

#define BLOCKS	4
#define CALL	0x827

static u8 bytes[BLOCKS * KUTRACE_IPC_BYTES];
static struct ku_cpu own;
static u32 routed_events;

static void route(const u64 *words, u32 nwords, u32 room, u64 past)
{
	(void)words;
	(void)nwords;
	(void)room;
	(void)past;
	routed_events++;
}

static int up(void **state)
{
	(void)state;
	ring_up(BLOCKS, false);
	memset(bytes, 0, sizeof(bytes));
	ku_ring.bytes = bytes;
	ku_ring.bytes_flags = KUTRACE_FLAG_IPC;
	ku_ring_init_cpu(&own);
	memset(ku_paths, KU_PATH_COUNTED, sizeof(ku_paths));
	ku_other_paths = true;
	ku_dispatch = route;
	routed_events = 0;
	nibbles_asked = 0;
	return 0;
}

static int down(void **state)
{
	ku_other_paths = false;
	memset(ku_paths, 0, sizeof(ku_paths));
	return ring_down(state);
}

/* Sets the value of the counters for the next events. */
static void says(u32 what)
{
	nibble = what;
}

static void test_each_way(void **state)
{
	u64 sample[2] = { KU_EVENT(KUTRACE_PC_U) | 7, 0x1234 };

	(void)state;
	says(3);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	says(4);
	ku_emit(KU_EVENT(CALL) | 9);
	says(5);
	ku_emit_return(CALL, 7);
	/* a return that is merged by its number, as the tracepoint sys_exit does */
	says(6);
	ku_emit(KU_EVENT(CALL) | 9);
	says(7);
	assert_true(ku_merge_syscall(CALL - KUTRACE_CALL_SYSCALL64, -1, is_ours));
	/* a direct hook; the return does not fit into the entry of the call */
	says(8);
	ku_emit_call(KUTRACE_CALL_SYSCALL64, CALL - KUTRACE_CALL_SYSCALL64, &(u64){ 9 });
	says(9);
	assert_false(ku_emit_call_return(300));
	ku_emit_return(CALL, 300);
	/* a return that may belong to another ABI is not merged */
	assert_false(ku_merge_syscall(CALL - KUTRACE_CALL_SYSCALL64, 1, is_other));
	says(10);
	ku_emit2(sample[0], sample[1]);
	says(11);
	ku_emit_words(sample, 2, 3, 0);
	assert_int_equal(nibbles_asked, 9);
	assert_int_equal(bytes[KU_FIRST_INDEX], 3);
	assert_int_equal(bytes[KU_FIRST_INDEX + 1], 5 << 4 | 4);
	assert_int_equal(bytes[KU_FIRST_INDEX + 2], 7 << 4 | 6);
	assert_int_equal(bytes[KU_FIRST_INDEX + 3], 8);
	assert_int_equal(bytes[KU_FIRST_INDEX + 4], 9);
	assert_int_equal(bytes[KU_FIRST_INDEX + 5], 10);
	assert_int_equal(bytes[KU_FIRST_INDEX + 6] | bytes[KU_FIRST_INDEX + 7], 0);
	assert_int_equal(bytes[KU_FIRST_INDEX + 8], 11);
	assert_int_equal(word(4), KU_EVENT(CALL + KUTRACE_RETURN_BIT) | 300);
	assert_int_equal(total_lost(), 0);
}

/* Checks that at the end of a block and after a gap, the slow path stores the counter value. */
static void test_slow(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 2 * KUTRACE_BLOCK_WORDS; i++) {
		if (i % 100 == 99)
			clock_now += 5000000000ULL;
		says(i % 15 + 1);
		ask_point();
	}
	assert_int_equal(nibbles_asked, 2 * KUTRACE_BLOCK_WORDS);
	check_all("slow");
	{
		struct decode d = decode_all();
		size_t n;

		assert_int_equal(d.count, 2 * KUTRACE_BLOCK_WORDS);
		for (n = 0; n < d.count; n++) {
			const struct decoded *e = &d.list[n];

			assert_int_equal(bytes[e->block * KUTRACE_IPC_BYTES + e->index], e->arg % 15 + 1);
		}
		free(d.list);
	}
}

/*
 * Checks that the counters are not read for events that a filter excludes, or that go to
 * ku_dispatch.
 */
static void test_not_open(void **state)
{
	(void)state;
	cpu.slot.verdict = KU_EXCLUDED;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_emit_return(CALL, 7);
	assert_int_equal(routed_events, 0);
	cpu.slot.verdict = KU_UNRESOLVED;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_emit_return(CALL, 7);
	assert_int_equal(routed_events, 2);
	assert_int_equal(nibbles_asked, 0);
	assert_int_equal(ku_ring.table[0].seq, 0);
}

/*
 * Checks that the bytes and the last reading of the counters move with the ring to the other slot.
 */
static void test_moved(void **state)
{
	(void)state;
	says(3);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	cpu.counters.last[KU_COUNTER_CYCLES] = 1234;
	ku_ring_leave_fast(&cpu, &own);
	assert_null(cpu.counters.bytes);
	assert_ptr_equal(own.counters.bytes, bytes);
	assert_int_equal(own.counters.last[KU_COUNTER_CYCLES], 1234);
	says(4);
	ku_ring_put(&ku_ring, &own, &(u64){ KU_EVENT(KUTRACE_MARKD) | 2 }, 1, 1, 0);
	ku_ring_enter_fast(&ku_ring, &cpu, &own);
	says(5);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 3);
	assert_int_equal(bytes[KU_FIRST_INDEX], 3);
	assert_int_equal(bytes[KU_FIRST_INDEX + 1], 4);
	assert_int_equal(bytes[KU_FIRST_INDEX + 2], 5);
}

/* Checks that no bits are written if the slot has a ring without counter bits. */
static void test_without(void **state)
{
	(void)state;
	ku_ring.bytes = NULL;
	ku_ring.bytes_flags = 0;
	ku_emit(KU_EVENT(CALL) | 9);
	ku_emit_return(CALL, 7);
	ku_emit(KU_EVENT(CALL) | 9);
	ku_emit_return(CALL, 7);
	assert_int_equal(word(1), KU_EVENT(CALL) | 9 | (word(1) & KU_MERGED_MASK));
	assert_int_not_equal(word(1) & KU_MERGED_MASK, 0);
	assert_int_equal(bytes[KU_FIRST_INDEX], 0);
}

/* ---- an NMI at every step ---- */

static char at;
static u32 nmis;

static void nmi(char letter)
{
	if (letter != at || nmis)
		return;
	nmis++;
	assert_true(irqs_off);
	ku_env_nmi = true;
	ask_point();
	ask_call(CALL);
	ask_return(CALL, 3);
	ku_env_nmi = false;
}

/* Checks the bits of each event that was requested outside of NMIs, in order. */
static void check_nibbles(void)
{
	struct decode d = decode_all();
	size_t n;
	u32 own_events = 0;

	for (n = 0; n < d.count; n++) {
		const struct decoded *e = &d.list[n];
		u32 byte = bytes[e->block * KUTRACE_IPC_BYTES + e->index];

		/* the entry of an NMI has no bits, also if its return was merged */
		if (!(byte & 15)) {
			assert_int_equal(byte, 0);
			continue;
		}
		own_events += 1 + !!e->delta;
		if (e->delta)
			assert_int_not_equal(byte >> 4, 0);
		else
			assert_int_equal(byte >> 4, 0);
	}
	/* no entry and no bits are missing */
	assert_int_equal(own_events, nibbles_asked - 3 * nmis);
	free(d.list);
}

static void run_at(char letter, u32 room, int retval)
{
	u32 i;

	up(NULL);
	at = letter;
	nmis = 0;
	ku_env_step = NULL;
	says(1);
	/* leave @room words free */
	for (i = KU_FIRST_INDEX; i < KU_BLOCK_END - room; i++)
		ask_point();
	ku_env_step = nmi;
	says(12);
	ask_point();
	ask_call(CALL);
	says(13);
	ask_return(CALL, retval);
	ask_point();
	ku_env_step = NULL;
	check_all("an NMI");
	check_nibbles();
	down(NULL);
}

static void test_nmi(void **state)
{
	static const char letters[] = "EFoeKfg";
	const char *l;
	u32 room;
	int retval;

	(void)state;
	for (l = letters; *l; l++) {
		bool came = false;

		for (room = 0; room < 12; room++)
			for (retval = 3; retval < 400; retval += 297) {
				run_at(*l, room, retval);
				came |= nmis;
			}
		if (!came)
			fail_msg("no NMI came at step %c", *l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_way, up, down),
		cmocka_unit_test_setup_teardown(test_slow, up, down),
		cmocka_unit_test_setup_teardown(test_not_open, up, down),
		cmocka_unit_test_setup_teardown(test_moved, up, down),
		cmocka_unit_test_setup_teardown(test_without, up, down),
		cmocka_unit_test(test_nmi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
