// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a reader on another CPU with weakly ordered memory. The ring core itself runs, with
 * interrupts and NMIs at its steps. Each of its fences ends an epoch. The reader may see the stores
 * of an epoch in any order, and any part of them. So the test covers each processor that respects
 * the fences, also x86, which keeps all stores in order. The test computes what the reader may find
 * instead of trying it. A load finds the last value of the epochs before its own, or any value of
 * its own epoch. Between two loads with a fence in between, the epoch does not go back.
 *
 * The reader does what the library does (ku_dump_read_table()). It loads the number, the
 * state, the number again, all words, and the number. If the number is unchanged, it accepts the
 * words. Then each word must belong to the block of that number or be a NOP, and the header must be
 * complete. If the state was "done", no word may be missing.
 *
 * The test can fail: it finds an error if any one of the writer's three fences is missing, and with
 * a reader that loads the state before the number.
 */
#define KU_ENV_STEPS
#include "core/env.h"

/* Ends an epoch. @where is the function that contains the fence. */
static void weak_fence(const char *where);

#undef smp_wmb
#define smp_wmb() weak_fence(__func__)
#undef smp_store_release
#define smp_store_release(p, v) do { weak_fence(__func__); *(p) = (v); } while (0)

#include "ring_machine.h"
#include "sample.h"

#define BLOCKS_MAX	24u
#define CPUS		2u

/* A store. Stores are in the order of their epochs. */
struct store {
	u32 epoch, word;
	u64 value;
};

struct history {
	struct store *list;
	u32 count, room;
};

enum { SEQ, STATE, WORDS };

static struct history stores[3][BLOCKS_MAX];
static u64 shadow[BLOCKS_MAX][KUTRACE_BLOCK_WORDS];
static struct kutrace_block shadow_table[BLOCKS_MAX];
static u32 epoch, reset_epoch, resets_seen;
static const char *left_out;	/* function whose fence has no effect */
static bool state_first;	/* the reader loads the state before the number */
static u64 faults, taken_for_good, taken_done;
static char first_fault[200];

static void note(struct history *h, u32 word, u64 value)
{
	if (h->count == h->room) {
		h->room = h->room ? 2 * h->room : 1024;
		h->list = realloc(h->list, h->room * sizeof(*h->list));
		assert_non_null(h->list);
	}
	h->list[h->count++] = (struct store){ .epoch = epoch, .word = word, .value = value };
}

/* Logs numbers and states at each step, because they change several times in an epoch. */
static void note_table(void)
{
	u32 b;

	for (b = 0; b < ku_ring.nblocks; b++) {
		if (ku_ring.table[b].state != shadow_table[b].state)
			note(&stores[STATE][b], 0, ku_ring.table[b].state);
		if (ku_ring.table[b].seq != shadow_table[b].seq)
			note(&stores[SEQ][b], 0, ku_ring.table[b].seq);
		shadow_table[b] = ku_ring.table[b];
	}
}

static void note_words(void)
{
	u32 b, i;

	for (b = 0; b < ku_ring.nblocks; b++) {
		if (!memcmp(ku_ring.words[b], shadow[b], sizeof(shadow[b])))
			continue;
		for (i = 0; i < KUTRACE_BLOCK_WORDS; i++)
			if (ku_ring.words[b][i] != shadow[b][i])
				note(&stores[WORDS][b], i, ku_ring.words[b][i]);
		memcpy(shadow[b], ku_ring.words[b], sizeof(shadow[b]));
	}
}

static void weak_fence(const char *where)
{
	note_table();
	if (left_out && strcmp(where, left_out) == 0)
		return;
	note_words();
	epoch++;
	if (ku_ring.resets != resets_seen) {
		resets_seen = ku_ring.resets;
		reset_epoch = epoch - 1;
	}
}

/* ---- what the reader may find ---- */

static void fault(const char *what, u32 block, u64 seq, u32 word)
{
	if (!faults++)
		snprintf(first_fault, sizeof(first_fault), "%s: block %u, number %llu, word %u", what, block,
			 (unsigned long long)seq, word);
}

/* A life of a block, from the store of its number to the store of the 0 that ends it. */
struct life {
	u64 seq;
	u32 cleared;		/* epoch in which the previous life ended; 0: none */
	u32 from, to;		/* epochs in which a load may find the number */
};

/* Returns the first epoch, from @from on, in which a load may find the state "done"; ~0: none. */
static u32 done_from(u32 block, u32 from, u32 to)
{
	const struct history *h = &stores[STATE][block];
	u32 i, last = KUTRACE_BLOCK_FREE;

	for (i = 0; i < h->count && h->list[i].epoch < from; i++)
		last = (u32)h->list[i].value;
	if (last == KUTRACE_BLOCK_DONE)
		return from;
	for (; i < h->count && h->list[i].epoch <= to; i++)
		if (h->list[i].value == KUTRACE_BLOCK_DONE)
			return h->list[i].epoch;
	return ~0U;
}

/*
 * Returns true if the state was "done" in the previous life of the block. This matters if the
 * reader loaded the state before the number.
 */
static bool was_done_before(u32 block, const struct life *life)
{
	const struct history *h = &stores[STATE][block];
	u32 i;

	for (i = 0; i < h->count && h->list[i].epoch <= life->from; i++)
		if (h->list[i].value == KUTRACE_BLOCK_DONE)
			return true;
	return false;
}

/* Maximum number of words that three nested writers can have claimed and not yet stored. */
#define LATE_MAX	12

/*
 * Returns true for a store that may be late: an interrupted writer stores late, and a return is
 * merged into its call. See ku_finish_block().
 */
static bool is_late(u64 was, u64 is)
{
	const u64 merged = (0xFFULL << KUTRACE_DELTA_SHIFT) | (0xFFULL << KUTRACE_RETVAL_SHIFT);

	return is && (!was || !((was ^ is) & ~merged));
}

static bool is_header(u32 word)
{
	return word < 3 || word == 4 || word == 5;
}

static void check_life(u32 block, const struct life *life)
{
	static struct { u64 before, at_done, final; bool foreign, had; } now[KUTRACE_BLOCK_WORDS];
	const struct history *h = &stores[WORDS][block];
	u32 done = done_from(block, life->from, life->to), late = 0, i, w;

	if (state_first && done > life->from && was_done_before(block, life))
		done = life->from;
	memset(now, 0, sizeof(now));
	taken_for_good++;
	taken_done += done != ~0U;
	for (i = 0; i < h->count && h->list[i].epoch <= life->to; i++) {
		const struct store *s = &h->list[i];

		w = s->word;
		if (s->epoch < life->from) {
			/* Only the last of these stores can be found. */
			now[w].before = s->value;
			now[w].foreign = s->value && s->epoch <= life->cleared && life->cleared;
		}
		if (s->epoch < done)
			now[w].at_done = s->value;
		if (s->epoch < life->to)
			now[w].final = s->value;
	}
	for (w = 0; w < KUTRACE_BLOCK_WORDS; w++) {
		if (now[w].foreign)
			fault("a word of the block's use before", block, life->seq, w);
		if (is_header(w) && now[w].before != now[w].final)
			fault("a header that is not complete", block, life->seq, w);
		if (done == ~0U || now[w].at_done == now[w].final)
			continue;
		if (!is_late(now[w].at_done, now[w].final) || ++late > LATE_MAX)
			fault("a block that is done lacks a word", block, life->seq, w);
	}
	/* Stores of the last epoch may be found as well, while the number may still be there. */
	for (; i-- > 0 && h->list[i].epoch == life->to; )
		if (!is_late(now[h->list[i].word].final, h->list[i].value))
			fault("a word is cleared while the number may still be there", block, life->seq, h->list[i].word);
}

static void check_block(u32 block)
{
	const struct history *h = &stores[SEQ][block];
	u32 i, cleared = 0;

	for (i = 0; i < h->count; i++) {
		struct life life = { .seq = h->list[i].value, .cleared = cleared, .from = h->list[i].epoch,
				     .to = i + 1 < h->count ? h->list[i + 1].epoch : ~0U - 1 };

		if (life.seq)
			check_life(block, &life);
		else
			cleared = h->list[i].epoch;
	}
}

/*
 * Checks a reset, after which numbers begin at 1 again. A reader that finds one of these must also
 * find the reset.
 */
static void check_reset(void)
{
	u32 b, i;

	for (b = 0; b < ku_ring.nblocks; b++)
		for (i = 0; i < stores[SEQ][b].count; i++)
			if (reset_epoch && stores[SEQ][b].list[i].value && stores[SEQ][b].list[i].epoch == reset_epoch)
				fault("a number of after a reset without that", b, stores[SEQ][b].list[i].value, 0);
}

/* ---- recording ---- */

static struct ku_cpu weak_cpus[CPUS];
static u64 random_state;
static int depth;

static u32 rnd(u32 n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(random_state >> 33) % n;
}

static void record(void)
{
	u32 event = 0x800 + rnd(8);

	clock_now += rnd(40);
	switch (rnd(4)) {
	case 0:
		ku_emit(KU_EVENT(KUTRACE_MARKD) | rnd(1U << 30));
		break;
	case 1:
		ku_emit2(KU_EVENT(KUTRACE_PC_U) | rnd(1U << 30), 0x5500000000000000ULL + rnd(1U << 30));
		break;
	default:
		ku_emit(KU_EVENT(event) | rnd(0x10000));
		clock_now += rnd(100);
		ku_emit_return(event, (int)rnd(200) - 50);
	}
}

static void interrupt(char letter)
{
	bool was_nmi = ku_env_nmi, was_off = irqs_off;
	bool nmi = !rnd(3);
	u32 n;

	note_table();
	/* A word that is cleared and stored again in one epoch must be logged twice. */
	if (letter == 'v')
		note_words();
	if (rnd(40) || depth > 1 || ku_env_nmi || (irqs_off && !nmi))
		return;
	depth++;
	ku_env_nmi = nmi;
	irqs_off = true;
	for (n = 1 + rnd(5); n; n--)
		record();
	ku_env_nmi = was_nmi;
	irqs_off = was_off;
	depth--;
}

static void begin(u32 blocks)
{
	u32 i, k;

	ring_up(blocks, true);
	for (k = 0; k < 3; k++)
		for (i = 0; i < BLOCKS_MAX; i++)
			stores[k][i].count = 0;
	memset(shadow, 0, sizeof(shadow));
	memset(shadow_table, 0, sizeof(shadow_table));
	for (i = 0; i < CPUS; i++)
		ku_ring_init_cpu(&weak_cpus[i]);
	epoch = 1;
	reset_epoch = 0;
	resets_seen = ku_ring.resets;
	ku_env_step = interrupt;
}

static void fill(u32 words)
{
	u32 i;

	for (i = 0; i < words; i++) {
		/* Two CPUs alternate. Their stores form one order, with more of them per epoch. */
		ku_env_cpu = &weak_cpus[rnd(200) ? i / 4001 % CPUS : rnd(CPUS)];
		record();
	}
}

static void run_once(u64 seed, u32 blocks)
{
	u32 i;

	random_state = seed;
	begin(blocks);
	fill(blocks * 8192);
	ku_ring.active = 0;
	for (i = 0; i < CPUS; i++)
		ku_ring_close_cpu(&ku_ring, &weak_cpus[i]);
	ku_ring_reset(&ku_ring, true);
	for (i = 0; i < CPUS; i++)
		ku_ring_init_cpu(&weak_cpus[i]);
	ku_ring.active = 1;
	fill(20000);
	ku_env_step = NULL;
	note_table();
	note_words();
	for (i = 0; i < blocks; i++)
		check_block(i);
	check_reset();
	pool_free();
}

/* Explores pools in which blocks are cleared ahead, and pools that are too small for that. */
static void explore(u32 seeds)
{
	u32 seed;

	faults = 0;
	for (seed = 1; seed <= seeds; seed++)
		run_once(seed, seed % 2 ? 16 : 5);
}

static void test_reader(void **state)
{
	(void)state;
	left_out = NULL;
	state_first = false;
	taken_for_good = taken_done = 0;
	explore(sample_step() == 1 ? 20 : 4);
	if (faults)
		fail_msg("%llu faults, the first: %s", (unsigned long long)faults, first_fault);
	assert_true(taken_for_good > 50);
	assert_true(taken_done > 30);
}

static void must_be_found(const char *fence)
{
	left_out = fence;
	explore(2);
	left_out = NULL;
	if (!faults)
		fail_msg("without the fence in %s() nothing is found", fence);
}

static void test_each_fence_is_needed(void **state)
{
	(void)state;
	must_be_found("ku_forget_block");
	must_be_found("ku_block_take");
	must_be_found("ku_finish_block");
}

static void test_number_before_state(void **state)
{
	(void)state;
	state_first = true;
	explore(2);
	state_first = false;
	assert_true(faults > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader),
		cmocka_unit_test(test_each_fence_is_needed),
		cmocka_unit_test(test_number_before_state),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	u32 i, k;

	for (k = 0; k < 3; k++)
		for (i = 0; i < BLOCKS_MAX; i++)
			free(stores[k][i].list);
	return failed;
}
