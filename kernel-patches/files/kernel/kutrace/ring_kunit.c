// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of the ring, for properties that only a kernel can show: entries are claimed by
 * the processor's per-CPU instructions, on all CPUs at the same time, and interrupts claim
 * entries in between. Includes the module's sources to have a separate ring, so it can run
 * beside the module.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <kunit/test.h>

#include "core/block.c"
#include "core/clock.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/emit.c"
#include "core/emit.h"

#define KU_TEST_ORDER	get_order(KUTRACE_BLOCK_BYTES)
/* The number of words in a block, without those for NMIs. */
#define KU_TEST_WORDS	((u32)(KU_BLOCK_END - KU_FIRST_INDEX))
#define KU_TEST_CALL	(KUTRACE_CALL_SYSCALL64 + 39)
/* Each CPU makes KU_TEST_ENTRIES entries, and interrupts itself after every KU_TEST_EVERY. */
#define KU_TEST_ENTRIES	10000
#define KU_TEST_EVERY	16
/* The top bit of an entry's number: an interrupt made it. */
#define KU_TEST_IRQ	((u32)BIT(31))

/* The entries that each CPU has made, and those that the ring has. */
struct ku_test_made {
	struct work_struct tasks_work;
	struct irq_work irqs_work;
	u32 task;
	u32 irq;
	u32 found_task;
	u32 found_irq;
};

static DEFINE_PER_CPU(struct ku_test_made, ku_test_made);
static struct ku_ring ku_test_ring;

static void ku_test_mark(u32 number)
{
	ku_emit(KU_EVENT(KUTRACE_MARKD) | number);
}

static bool ku_test_is_mark(u64 word)
{
	return ((word >> KUTRACE_EVENT_SHIFT) & KUTRACE_EVENT_MASK) == KUTRACE_MARKD;
}

/* Waits until the clock changes. */
static void ku_test_tick(void)
{
	u64 now = ku_clock();

	while (ku_clock() == now)
		cpu_relax();
}

/* ---- the ring ---- */

static void ku_test_open_cpu(void *unused)
{
	ku_ring_init_cpu(ku_cpu_here());
}

static void ku_test_close_cpu(void *unused)
{
	ku_ring_close_cpu(&ku_test_ring, ku_cpu_here());
}

static void ku_test_free(void)
{
	u32 i;

	for (i = 0; ku_test_ring.words && i < ku_test_ring.nblocks; i++)
		free_pages((unsigned long)ku_test_ring.words[i], KU_TEST_ORDER);
	kfree(ku_test_ring.words);
	kfree(ku_test_ring.table);
	free_pages((unsigned long)ku_closed_block, KU_TEST_ORDER);
	ku_closed_block = NULL;
	memset(&ku_test_ring, 0, sizeof(ku_test_ring));
}

static bool ku_test_allocate(u32 nblocks)
{
	u32 i;

	ku_closed_block = (u64 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, KU_TEST_ORDER);
	ku_test_ring.nblocks = nblocks;
	ku_test_ring.words = kcalloc(nblocks, sizeof(*ku_test_ring.words), GFP_KERNEL);
	ku_test_ring.table = kcalloc(nblocks, sizeof(*ku_test_ring.table), GFP_KERNEL);
	if (!ku_closed_block || !ku_test_ring.words || !ku_test_ring.table)
		return false;
	for (i = 0; i < nblocks; i++) {
		ku_test_ring.words[i] = (u64 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO,
								KU_TEST_ORDER);
		if (!ku_test_ring.words[i])
			return false;
	}
	return true;
}

/* Starts recording into @nblocks blocks on all CPUs. */
static void ku_test_start(struct kunit *test, u32 nblocks, bool wrap)
{
	if (!ku_test_allocate(nblocks)) {
		ku_test_free();
		kunit_skip(test, "no memory for %u blocks", nblocks);
	}
	ku_ring_reset(&ku_test_ring, wrap);
	ku_test_ring.shift = ku_clock_shift;
	ku_test_ring.merge = true;
	on_each_cpu(ku_test_open_cpu, NULL, 1);
	WRITE_ONCE(ku_primary, &ku_test_ring);
	WRITE_ONCE(ku_test_ring.active, 1);
}

/* Stops recording. After the return, no CPU writes. */
static void ku_test_stop(void)
{
	WRITE_ONCE(ku_test_ring.active, 0);
	on_each_cpu(ku_test_close_cpu, NULL, 1);
	synchronize_rcu();
	WRITE_ONCE(ku_primary, NULL);
}

static int ku_test_init(struct kunit *test)
{
	if (ku_clock_init())
		kunit_skip(test, "no time counter that all CPUs share");
	ku_kinds_init();
	return 0;
}

static void ku_test_exit(struct kunit *test)
{
	if (READ_ONCE(ku_primary))
		ku_test_stop();
	ku_test_free();
}

static u64 ku_test_lost(enum kutrace_lost_cause cause)
{
	u64 lost = 0;
	int cpu;

	for_each_online_cpu(cpu)
		lost += per_cpu(ku_cpu, cpu).lost.causes[cause];
	return lost;
}

static u64 ku_test_lost_all(void)
{
	u64 lost = 0;
	u32 cause;

	for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
		lost += ku_test_lost(cause);
	return lost;
}

/* Returns the block with sequence number @seq, from 1, or NULL if no block of the ring has it. */
static const u64 *ku_test_block(u64 seq)
{
	u32 i;

	for (i = 0; i < ku_test_ring.nblocks; i++)
		if (ku_test_ring.table[i].seq == seq)
			return ku_test_ring.words[i];
	return NULL;
}

/* Returns true if times in the block never go back. A step back looks like a long gap. */
static bool ku_test_in_order(const u64 *words)
{
	u64 last = words[0] << KUTRACE_TS_SHIFT;
	u32 i;

	for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
		u64 event = (words[i] >> KUTRACE_EVENT_SHIFT) & KUTRACE_EVENT_MASK;
		u64 now = words[i] >> KUTRACE_TS_SHIFT << KUTRACE_TS_SHIFT;

		if (!words[i])
			continue;
		if (event == KUTRACE_TSDELTA)
			last = now;
		if ((now - last) >> KUTRACE_TS_SHIFT > KU_GAP_MAX)
			return false;
		last = now;
	}
	return true;
}

/* ---- cases ---- */

static void ku_test_header(struct kunit *test)
{
	const u64 *words;
	unsigned int cpu;

	ku_test_start(test, 2 * num_possible_cpus(), false);
	cpu = get_cpu();
	ku_test_mark(4711);
	put_cpu();
	ku_test_stop();
	words = ku_test_block(1);
	KUNIT_ASSERT_NOT_NULL(test, words);
	KUNIT_EXPECT_EQ(test, words[0] >> 56, (u64)cpu);
	KUNIT_EXPECT_EQ(test, (u32)words[2], (u32)current->pid);
	KUNIT_EXPECT_EQ(test, strncmp((const char *)&words[4], current->comm, 15), 0);
	KUNIT_EXPECT_TRUE(test, ku_test_is_mark(words[KU_FIRST_INDEX]));
	KUNIT_EXPECT_EQ(test, (u32)words[KU_FIRST_INDEX], 4711U);
	KUNIT_EXPECT_EQ(test, words[KU_FIRST_INDEX + 1], 0ULL);
	KUNIT_EXPECT_EQ(test, ku_test_lost_all(), 0ULL);
}

/* A call and its return shortly after are merged into one word. */
static void ku_test_merged(struct kunit *test)
{
	unsigned int tries, merged = 0;
	const u64 *words;
	u64 word = 0;

	ku_test_start(test, 2 * num_possible_cpus(), false);
	preempt_disable();
	/* On a virtual CPU there may be a long time between them. */
	for (tries = 0; tries < 1000 && !merged; tries++) {
		ku_emit_call(KU_TEST_CALL, 0, &(u64){ 3 });
		ku_test_tick();
		merged = ku_emit_call_return(-5);
	}
	words = ku_cpu_read(at.base);
	if (merged)
		word = words[(ku_cpu_read(at.state) & KU_INDEX_MASK) - 1];
	preempt_enable();
	ku_test_stop();
	KUNIT_ASSERT_EQ(test, merged, 1U);
	KUNIT_EXPECT_EQ(test, (word >> KUTRACE_EVENT_SHIFT) & KUTRACE_EVENT_MASK,
			(u64)KU_TEST_CALL);
	KUNIT_EXPECT_EQ(test, word & KUTRACE_ARG0_MASK, 3ULL);
	KUNIT_EXPECT_EQ(test, (s8)(word >> KUTRACE_RETVAL_SHIFT), (s8)-5);
	KUNIT_EXPECT_NE(test, (u8)(word >> KUTRACE_DELTA_SHIFT), (u8)0);
}

/* A return is not merged after another entry, nor with a value of more than 8 bits. */
static void ku_test_not_merged(struct kunit *test)
{
	bool between, large, twice;

	ku_test_start(test, 2 * num_possible_cpus(), false);
	preempt_disable();
	ku_emit_call(KU_TEST_CALL, 0, &(u64){ 0 });
	ku_test_mark(1);
	between = ku_emit_call_return(0);
	ku_emit_call(KU_TEST_CALL, 0, &(u64){ 0 });
	ku_test_tick();
	large = ku_emit_call_return(128);
	ku_test_mark(2);
	ku_emit_return(KU_TEST_CALL, 0);
	twice = ku_emit_call_return(0);
	preempt_enable();
	ku_test_stop();
	KUNIT_EXPECT_FALSE(test, between);
	KUNIT_EXPECT_FALSE(test, large);
	KUNIT_EXPECT_FALSE(test, twice);
}

/* A gap of more than 20 bits of time is recorded. */
static void ku_test_gap(struct kunit *test)
{
	const u64 *words;
	u64 before;

	ku_test_start(test, 2 * num_possible_cpus(), false);
	preempt_disable();
	ku_test_mark(1);
	before = ku_clock();
	while (ku_clock() - before <= KU_GAP_MAX)
		cpu_relax();
	ku_test_mark(2);
	preempt_enable();
	ku_test_stop();
	words = ku_test_block(1);
	KUNIT_ASSERT_NOT_NULL(test, words);
	words += KU_FIRST_INDEX;
	KUNIT_EXPECT_EQ(test, (words[1] >> KUTRACE_EVENT_SHIFT) & KUTRACE_EVENT_MASK,
			(u64)KUTRACE_TSDELTA);
	KUNIT_EXPECT_GT(test, (u32)words[1], (u32)KU_GAP_MAX);
	KUNIT_EXPECT_TRUE(test, ku_test_is_mark(words[2]));
	KUNIT_EXPECT_EQ(test, (u32)words[2], 2U);
}

/* Counts the marks in all blocks, which belong to one CPU. */
static u64 ku_test_count_marks(u32 *last)
{
	const u64 *words;
	u64 seq, marks = 0;
	u32 i;

	for (seq = 1; seq <= (u64)ku_atomic64_read(&ku_test_ring.taken); seq++) {
		words = ku_test_block(seq);
		for (i = KUTRACE_FIRST_WORD; words && i < KUTRACE_BLOCK_WORDS; i++)
			if (ku_test_is_mark(words[i])) {
				marks++;
				*last = (u32)words[i];
			}
	}
	return marks;
}

/* All blocks are used, and the events after that are counted as lost. */
static void ku_test_full(struct kunit *test)
{
	u32 i, last = 0, made = 3 * KU_TEST_WORDS;
	u64 marks, lost;

	ku_test_start(test, 2, false);
	migrate_disable();
	for (i = 1; i <= made; i++)
		ku_test_mark(i);
	migrate_enable();
	ku_test_stop();
	marks = ku_test_count_marks(&last);
	lost = ku_test_lost(KUTRACE_LOST_FULL);
	KUNIT_EXPECT_EQ(test, marks, (u64)last);
	KUNIT_EXPECT_EQ(test, marks + lost, (u64)made);
	KUNIT_EXPECT_LE(test, marks, 2ULL * KU_TEST_WORDS);
	KUNIT_EXPECT_EQ(test, ku_test_lost_all(), lost);
}

/* The oldest blocks are overwritten, and the newest are kept. */
static void ku_test_wrap(struct kunit *test)
{
	u32 i, last = 0, made = 10 * KU_TEST_WORDS;
	u64 marks;

	ku_test_start(test, 4, true);
	migrate_disable();
	for (i = 1; i <= made; i++)
		ku_test_mark(i);
	migrate_enable();
	ku_test_stop();
	marks = ku_test_count_marks(&last);
	KUNIT_EXPECT_EQ(test, last, made);
	KUNIT_EXPECT_GT(test, marks, 2ULL * KU_TEST_WORDS);
	KUNIT_EXPECT_LE(test, marks, 4ULL * KU_TEST_WORDS);
	KUNIT_EXPECT_EQ(test, ku_test_lost_all(), 0ULL);
}

/* Interrupts the task at any place. Hard interrupt context. */
static void ku_test_interrupt(struct irq_work *work)
{
	ku_test_mark(KU_TEST_IRQ | ++container_of(work, struct ku_test_made, irqs_work)->irq);
}

static void ku_test_record(struct work_struct *unused)
{
	struct ku_test_made *made;
	u32 i;

	migrate_disable();
	made = this_cpu_ptr(&ku_test_made);
	for (i = 1; i <= KU_TEST_ENTRIES; i++) {
		ku_test_mark(i);
		made->task = i;
		if (i % KU_TEST_EVERY == 0)
			irq_work_queue(&made->irqs_work);
	}
	irq_work_sync(&made->irqs_work);
	migrate_enable();
}

/* The ring has both sequences of numbers of each CPU, complete and in the order of time. */
static void ku_test_all_cpus(struct kunit *test)
{
	u32 per_cpu_blocks = DIV_ROUND_UP(2 * KU_TEST_ENTRIES, KU_TEST_WORDS) + 1;
	const u64 *words;
	int cpu;
	u64 seq;

	for_each_possible_cpu(cpu) {
		struct ku_test_made *made = &per_cpu(ku_test_made, cpu);

		memset(made, 0, sizeof(*made));
		init_irq_work(&made->irqs_work, ku_test_interrupt);
		INIT_WORK(&made->tasks_work, ku_test_record);
	}
	ku_test_start(test, per_cpu_blocks * num_possible_cpus(), false);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		schedule_work_on(cpu, &per_cpu(ku_test_made, cpu).tasks_work);
	for_each_online_cpu(cpu)
		flush_work(&per_cpu(ku_test_made, cpu).tasks_work);
	cpus_read_unlock();
	ku_test_stop();
	KUNIT_EXPECT_EQ(test, ku_test_lost_all(), 0ULL);
	for (seq = 1; (words = ku_test_block(seq)); seq++) {
		struct ku_test_made *made = &per_cpu(ku_test_made, words[0] >> 56);
		u32 i;

		KUNIT_EXPECT_TRUE(test, ku_test_in_order(words));
		for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
			u32 number = (u32)words[i];
			u32 *found = number & KU_TEST_IRQ ? &made->found_irq :
							    &made->found_task;

			if (ku_test_is_mark(words[i]))
				KUNIT_EXPECT_EQ(test, number & ~KU_TEST_IRQ, ++*found);
		}
	}
	for_each_online_cpu(cpu) {
		struct ku_test_made *made = &per_cpu(ku_test_made, cpu);

		KUNIT_EXPECT_EQ(test, made->task, (u32)KU_TEST_ENTRIES);
		KUNIT_EXPECT_EQ(test, made->found_task, made->task);
		KUNIT_EXPECT_EQ(test, made->found_irq, made->irq);
		KUNIT_EXPECT_GT(test, made->irq, 0U);
	}
}

static struct kunit_case ku_test_cases[] = {
	KUNIT_CASE(ku_test_header),
	KUNIT_CASE(ku_test_merged),
	KUNIT_CASE(ku_test_not_merged),
	KUNIT_CASE(ku_test_gap),
	KUNIT_CASE(ku_test_full),
	KUNIT_CASE(ku_test_wrap),
	KUNIT_CASE(ku_test_all_cpus),
	{}
};

static struct kunit_suite ku_test_suite = {
	.name = "kutrace_ring",
	.init = ku_test_init,
	.exit = ku_test_exit,
	.test_cases = ku_test_cases,
};

kunit_test_suite(ku_test_suite);

MODULE_DESCRIPTION("KUnit test of KUtrace's ring");
MODULE_LICENSE("GPL");
