// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core under interrupts and NMIs at every lettered step of its lock-free code, and
 * with random nesting.
 */
#include "ring_machine.h"
#include "sample.h"

/* ---- interrupts at every step ---- */

static char at_letter;		/* step of the interrupt */
static int at_visit;		/* number of visits of this step before the interrupt */
static bool at_nmi;
static void (*at_do)(void);
static int visits;
static char letters_seen[256];

static void run_nested(void)
{
	bool nmi = ku_env_nmi, off = irqs_off;

	ku_env_nmi = at_nmi || nmi;
	irqs_off = true;
	at_do();
	ku_env_nmi = nmi;
	irqs_off = off;
}

static void step_once(char letter)
{
	letters_seen[(u8)letter] = 1;
	if (letter != at_letter || visits++ != at_visit)
		return;
	if (irqs_off && !at_nmi)
		return;
	run_nested();
}

static void nested_few(void)
{
	u32 i;

	ask_call(0x5EC);
	ask_point();
	ask_return(0x5EC, 0);
	for (i = 0; i < 3; i++)
		ask_point();
	ask_call(0x8AA);
	ask_return(0x8AA, 5);
}

static void nested_long(void)
{
	ask_call(0x5EC);
	clock_now += 0x90000;
	ask_return(0x5EC, 0);
}

static void nested_block(void)
{
	u32 i;

	for (i = 0; i < KUTRACE_BLOCK_WORDS + 5; i++)
		ask_point();
}

/*
 * Records the number of the interrupted call. In an NMI, records another number, because events of
 * NMIs are never nested in each other.
 */
static void nested_same_call(void)
{
	u32 event = ku_env_nmi ? 0x502 : 0x827;

	ask_call(event);
	ask_return(event, 7);
}

static bool bracket;		/* ku_emit_call() records the call */

/* UNUSED: a pool without old words. Otherwise the part of a block at whose end the events are. */
static enum { UNUSED, FIRST_PART, LAST_PART } place;
#define OLD_BLOCKS 10

/*
 * Makes a wrapped pool: each block was used and is full of words that must not be read any more, so
 * a CPU clears its next block while it fills one.
 */
static void ring_up_used(void)
{
	u32 i, j;

	ring_up(OLD_BLOCKS, true);
	for (i = 0; i < OLD_BLOCKS; i++) {
		for (j = 0; j < KUTRACE_BLOCK_WORDS; j++)
			ku_ring.words[i][j] = KU_EVENT(KUTRACE_MARKB) | j;
		ku_ring.table[i] = (struct kutrace_block){ .seq = i + 1, .cpu = 1,
							   .state = KUTRACE_BLOCK_DONE };
	}
	ku_ring.taken = ku_ring.whole.picked = OLD_BLOCKS;
	assert_true(ku_ring.ahead);
}

/* Drops the old content, which is not checked. */
static void forget_used(void)
{
	u32 i;

	for (i = 0; i < OLD_BLOCKS; i++)
		if (ku_ring.table[i].seq <= OLD_BLOCKS)
			ku_ring.table[i].seq = 0;
}

/*
 * Records a call, its return, a sample and a point, with @room entries left in the block, and with
 * one kind of interrupt at one step.
 */
static void interrupted_case(u32 room, char letter, int visit, bool nmi,
			     void (*what)(void), const char *name)
{
	u32 end = place == FIRST_PART ? KU_BLOCK_END - (KU_PARTS - 1) * KU_PART_WORDS : KU_BLOCK_END;
	char text[100];
	u32 i;

	if (place == UNUSED)
		ring_up(6, false);
	else
		ring_up_used();
	for (i = KU_FIRST_INDEX; i < end - room; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKA) | i);
	assert_int_equal(cpu.at.block, 0);
	at_letter = letter;
	at_visit = visit;
	at_nmi = nmi;
	at_do = what;
	visits = 0;
	ku_env_step = step_once;
	if (bracket) {
		ask_bracket_call(0x827);
		ask_bracket_return(0x827, 1);
	} else {
		ask_call(0x827);
		ask_return(0x827, 1);
	}
	ask_pc();
	clock_now += 0x85000;
	ask_point();
	ku_env_step = NULL;
	/* drop the filling events, which are not logged; the gap fits into 20 bits */
	for (i = KU_FIRST_INDEX; i < end - room; i++)
		ku_ring.words[0][i] = 0;
	if (place != UNUSED)
		forget_used();
	snprintf(text, sizeof(text), "%s%s%s %s at %c.%d, room %u",
		 place == UNUSED ? "" : place == FIRST_PART ? "first part, " : "last part, ",
		 bracket ? "bracket, " : "", nmi ? "NMI" : "IRQ", name,
		 letter, visit, room);
	check_all(text);
	pool_free();
}

static void every_step(void)
{
	static const struct {
		void (*what)(void);
		const char *name;
	} whats[] = {
		{ nested_few, "few" }, { nested_long, "long" }, { nested_block, "block" },
		{ nested_same_call, "same call" }, { ask_point, "point" },
	};
	static const char *const all_letters[2][3] = {
		{ "abEFoefghijK", "abEFoefghijvIJK", "abEFoefghijvK" },
		{ "abhijkEFGopqr", "abhijvkEFGopqrIJ", "abhijvkEFGopqr" },
	};
	const char *letters = all_letters[bracket][place], *l;
	u32 room, w;
	int visit, nmi;

	memset(letters_seen, 0, sizeof(letters_seen));
	for (room = 0; room < 14; room += sample_step() == 1 ? 1 : 3)
		for (l = letters; *l; l++)
			for (visit = 0; visit < 4; visit++)
				for (nmi = 0; nmi < 2; nmi++)
					for (w = 0; w < sizeof(whats) / sizeof(*whats); w++)
						interrupted_case(room, *l, visit, nmi,
								 whats[w].what,
								 whats[w].name);
	for (l = letters; *l; l++)
		if (!letters_seen[(u8)*l])
			fail_msg("step %c was never reached", *l);
}

static void test_every_step(void **state)
{
	(void)state;
	bracket = false;
	every_step();
}

static void test_every_bracket_step(void **state)
{
	(void)state;
	bracket = true;
	every_step();
	bracket = false;
}

static void test_every_step_of_parts(void **state)
{
	(void)state;
	for (place = FIRST_PART; place <= LAST_PART; place++) {
		bracket = false;
		every_step();
		bracket = true;
		every_step();
	}
	bracket = false;
	place = UNUSED;
}

/*
 * Records as many calls of the same number in an interrupt as a part has words. The return must not
 * be merged into the last of these calls.
 */
static void nested_many_calls(void)
{
	u32 i;

	for (i = 0; i < KU_PART_WORDS; i++)
		ask_call(0x827);
}

static void test_merge_across_parts(void **state)
{
	const char *l;
	u32 room;

	(void)state;
	place = FIRST_PART;
	for (l = "eKf"; *l; l++)
		for (room = 1; room < 5; room++)
			interrupted_case(room, *l, 0, false, nested_many_calls, "many calls");
	place = UNUSED;
}

/* ---- random nesting ---- */

static u64 seed;
static int depth;

static u32 rnd(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % n;
}

static void random_action(void)
{
	if (ku_env_nmi) {
		ask_call(0x502);
		if (!rnd(3))
			clock_now += rnd(300);
		ask_return(0x502, 1);
		return;
	}
	switch (rnd(8)) {
	case 0:
	case 1:
		ask_point();
		break;
	case 2:
		ask_pc();
		break;
	case 3: {
		u32 event = 0x800 + rnd(4);

		/* only tasks make system calls, and not while one is being recorded */
		if (!depth && rnd(2)) {
			ask_bracket_call(event);
			if (rnd(3))
				clock_now += rnd(300);
			if (!rnd(4))
				ask_point();
			ask_bracket_return(event, (int)rnd(300) - 150);
			break;
		}
		ask_call(event);
		if (rnd(3))
			clock_now += rnd(300);
		ask_return(event, (int)rnd(300) - 150);
		break;
	}
	case 4:
		ask_call(0x5EC);
		if (!rnd(3))
			ask_point();
		ask_return(0x5EC, 0);
		break;
	case 5:
		if (!rnd(4))
			clock_now += 0x40000 + rnd(0xC0000);
		ask_point();
		break;
	default:
		ask_call(0x40E);
		ask_return(0x40E, 0);
	}
	clock_now += rnd(20);
}

static void step_random(char letter)
{
	u32 n;

	(void)letter;
	if (depth >= 3 || nasked > MAX_ASKED - 1000 || rnd(12))
		return;
	at_nmi = !rnd(3);
	if ((irqs_off && !at_nmi) || ku_env_nmi)
		return;
	depth++;
	at_do = random_action;
	for (n = rnd(4) + 1; n; n--)
		run_nested();
	depth--;
}

static void test_random(void **state)
{
	u32 run, i, lost_runs = 0;

	(void)state;
	for (run = 1; run <= 500; run++) {
		char text[40];

		bool parts = run % 3 == 0;

		if (parts)
			ring_up_used();
		else
			ring_up(run % 4 ? 4 : 1, false);
		seed = run;
		/* start near the end of a block or a part, so that most runs cross one */
		ask_point();
		cpu.at.state += parts ? KU_PART_WORDS - 50 - rnd(100) : KUTRACE_BLOCK_WORDS - 100 - rnd(200);
		ku_env_step = step_random;
		for (i = 0; i < 150; i++)
			random_action();
		ku_env_step = NULL;
		if (parts)
			forget_used();
		snprintf(text, sizeof(text), "random run %u", run);
		lost_runs += total_lost() != 0;
		check_all(text);
		pool_free();
	}
	/* losses occurred, because the small pools overflowed */
	assert_in_range(lost_runs, 50, 450);
}

/*
 * Filters and triggers need the task of a wakeup. A task records a wakeup with interrupts on, and
 * an interrupt records another wakeup. Each must still find its own task.
 */
static int tasks[2];
static bool woken_between, woken_inside;

static void wakeup_step(char letter)
{
	if (letter == 'a' && !woken_between && !irqs_off) {
		woken_between = true;
		woken_inside = true;
		irqs_off = true;
		ku_emit_wakeup(&tasks[1], 1);
		irqs_off = false;
		woken_inside = false;
	}
	/* The claimed entry is stored next. */
	if (letter == 'o')
		assert_ptr_equal(cpu.hook.task, &tasks[woken_inside]);
}

static void test_wakeup(void **state)
{
	(void)state;
	ring_up(2, false);
	ask_point();
	woken_between = false;
	ku_env_step = wakeup_step;
	ku_emit_wakeup(&tasks[0], 0);
	/* if interrupts were off, they stay off */
	irqs_off = true;
	ku_emit_wakeup(&tasks[0], 0);
	assert_true(irqs_off);
	irqs_off = false;
	ku_env_step = NULL;
	pool_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wakeup),
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_every_bracket_step),
		cmocka_unit_test(test_every_step_of_parts),
		cmocka_unit_test(test_merge_across_parts),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
