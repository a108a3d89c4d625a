// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core with the real time counter: one thread writes without a pause, and another
 * thread reads at the same time, on another CPU if there is one. The pool wraps all the time. The
 * reader copies a block as the library does: it reads the sequence number before the state, before
 * the words and after the words, and drops the copy if the number has changed. It compares each
 * word with the word that the writer must have stored.
 *
 *	stress_ring_threads EVENTS
 *
 * The writer numbers its events: mark N, a call with the low bits of N as its argument, and the
 * return with bits of N in event number and value. So the reader finds entries that are torn,
 * missing, or left from an earlier use of the block. A complete block must have all of its words. A
 * block that is being written may have holes, which the writer had not filled yet when the reader
 * copied them. Between two holes, no word may be missing.
 *
 * Prints lines "WHAT NUMBER". Exit status: 0; 1 with the error; 2 usage.
 */
#define KU_ENV_CPUS 1
#include "core/emit.h"
#include "core/block.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/emit.c"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "../unit/ring_decode.h"
#include "../unit/ring_pool.h"

#define BLOCKS 64u

__thread struct ku_cpu *ku_env_cpu;
__thread struct ku_cpu *ku_env_cpu2;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 1;
unsigned int ku_clock_shift = 5;

static struct ku_cpu cpu;
static u64 wanted;
static bool over;

void ku_env_irq_save(unsigned long *flags)
{
	*flags = 0;
}

void ku_env_irq_restore(unsigned long flags)
{
	(void)flags;
}

u32 ku_this_cpu_number(void)
{
	return 3;
}

/* ---- the writer ---- */

static u32 event_of(u32 number)
{
	return 0x800 + (number & 0x1FF);
}

static int value_of(u32 number)
{
	return (int)(number >> 9 & 0x7F);
}

static void *write_all(void *unused)
{
	u64 done = 0;
	u32 number;

	(void)unused;
	ku_env_cpu = &cpu;
	for (number = 0; done < wanted; number++, done += 3) {
		ku_emit(KU_EVENT(KUTRACE_MARKA) | number);
		ku_emit(KU_EVENT(event_of(number)) | (u16)number);
		ku_emit_return(event_of(number), value_of(number));
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- the reader ---- */

static u64 words[KUTRACE_BLOCK_WORDS];
static struct {
	u64 blocks, done, current, given_up, entries, merged, holes;
} seen;

_Noreturn static void wrong(const char *what, u64 seq, u32 i, u64 word)
{
	fprintf(stderr, "stress_ring_threads: %s: block number %" PRIu64 ", word %u, %016" PRIx64 "\n", what, seq, i,
		word);
	exit(1);
}

/*
 * Checks that the words of the copy are the sequence mark, call, return. A return may be merged into
 * its call. The block may begin and end with any of them. After a hole in a block that is being
 * written, any entry may follow.
 */
static void check_words(u64 seq, bool done)
{
	enum { ANY, CALL, RETURN, MARK } next = ANY;
	/* number of the last entry, and mask of its known bits: a call or a return has 16 bits */
	u32 number = 0, known = 0, i, end = KUTRACE_BLOCK_WORDS;

	if (words[0] >> 56 != 3)
		wrong("another CPU's header", seq, 0, words[0]);
	while (end > KU_FIRST_INDEX && !words[end - 1])
		end--;
	if (done && end < KU_BLOCK_END)
		wrong("a block that is done ends early", seq, end, 0);
	for (i = KU_FIRST_INDEX; i < end; i++) {
		u64 word = words[i];
		u32 event = ku_event_of(word);

		if (!word) {
			/* Words are copied from the beginning, so later words were stored later. */
			if (done)
				wrong("a block that is done has a hole", seq, i, word);
			next = ANY;
			known = 0;
			continue;
		}
		if (event == KUTRACE_TSDELTA)
			continue;
		seen.entries++;
		if (event == KUTRACE_MARKA) {
			/*
			 * In a block that is being written, the call may have been copied before its
			 * return was merged.
			 */
			if (next == CALL || (next == RETURN && done) || (((u32)word - (number + 1)) & known))
				wrong("a mark that is not the next", seq, i, word);
			number = (u32)word;
			known = ~0u;
			next = CALL;
		} else if (event >= 0x800 && event < 0xA00) {
			u32 of = (u32)(word & 0xFFFF);

			if (next == RETURN || next == MARK || ((of - number) & known & 0xFFFF))
				wrong("a call that is not the mark's", seq, i, word);
			if (event != event_of(of))
				wrong("a call torn in two", seq, i, word);
			next = word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX ? MARK : RETURN;
			if (next == MARK && (word >> KUTRACE_RETVAL_SHIFT & 0xFF) != (u64)value_of(of))
				wrong("another call's return in it", seq, i, word);
			seen.merged += next == MARK;
			if (!known) {
				number = of;
				known = 0xFFFF;
			}
		} else if (event >= 0xA00 && event < 0xC00) {
			u32 of = (event & 0x1FF) | ((u32)word & 0x7F) << 9;

			if (next == MARK || next == CALL || ((of - number) & known & 0xFFFF))
				wrong("a return that is not the call's", seq, i, word);
			if (!known) {
				number = of;
				known = 0xFFFF;
			}
			next = MARK;
		} else {
			wrong("an event that no thread made", seq, i, word);
		}
	}
	seen.blocks++;
}

/*
 * Removes one word from the copy of a block that is being written, and checks the copy again. A
 * reader rarely finds a hole with words after it, so this function makes such holes, each at another
 * position.
 */
static void check_with_hole(u64 seq)
{
	static u32 at;

	at = at + 1 < KUTRACE_BLOCK_WORDS - KU_FIRST_INDEX ? at + 1 : 0;
	if (!words[KU_FIRST_INDEX + at])
		return;
	words[KU_FIRST_INDEX + at] = 0;
	check_words(seq, false);
	seen.holes++;
}

static void read_block(u32 block)
{
	const volatile struct kutrace_block *entry = &ku_ring.table[block];
	const volatile u64 *from = ku_ring.words[block];
	u64 seq = entry->seq;
	u32 state, i;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	state = entry->state;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!seq || entry->seq != seq)
		return;
	for (i = 0; i < KUTRACE_BLOCK_WORDS; i++)
		words[i] = from[i];
	/* Pairs with smp_wmb() in ku_forget_block(). */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (entry->seq != seq) {
		seen.given_up++;
		return;
	}
	if (state == KUTRACE_BLOCK_DONE)
		seen.done++;
	else
		seen.current++;
	check_words(seq, state == KUTRACE_BLOCK_DONE);
	if (state != KUTRACE_BLOCK_DONE)
		check_with_hole(seq);
}

static void put_on_cpu(pthread_t thread, int number)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(number, &one);
	/* If there is only one CPU, the call fails and the threads alternate. */
	(void)pthread_setaffinity_np(thread, sizeof(one), &one);
}

int main(int argc, char **argv)
{
	char *end = "";
	pthread_t writer;
	u32 block;

	wanted = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
	if (!wanted || *end) {
		fprintf(stderr, "usage: stress_ring_threads EVENTS\n");
		return 2;
	}
	pool_alloc(BLOCKS);
	ku_ring_reset(&ku_ring, true);
	ku_ring_init_cpu(&cpu);
	ku_ring.active = 1;
	if (pthread_create(&writer, NULL, write_all, NULL) != 0) {
		fprintf(stderr, "stress_ring_threads: no second thread\n");
		return 1;
	}
	put_on_cpu(writer, 0);
	put_on_cpu(pthread_self(), 1);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		for (block = 0; block < BLOCKS; block++)
			read_block(block);
	pthread_join(writer, NULL);
	/* Complete the last block. It is not checked. */
	ku_ring_close_cpu(&ku_ring, &cpu);
	printf("written %" PRIu64 "\nblocks_read %" PRIu64 "\nof_these_done %" PRIu64 "\nof_these_current %" PRIu64
	       "\ngiven_up %" PRIu64 "\nentries_checked %" PRIu64 "\nmerged %" PRIu64 "\nholes_made %" PRIu64 "\n", wanted, seen.blocks,
	       seen.done, seen.current, seen.given_up, seen.entries, seen.merged, seen.holes);
	if (!seen.done || !seen.current || !seen.merged || !seen.holes) {
		fprintf(stderr, "stress_ring_threads: the reader has not read complete blocks, blocks in progress, and merged returns\n");
		return 1;
	}
	pool_free();
	return 0;
}
