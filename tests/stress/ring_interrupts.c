// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core under simulated interrupts and NMIs, which come at random lettered steps,
 * nested up to three deep. tests/unit/test_ring_steps.c is a shorter test of this kind. The pool
 * wraps all the time, so that the CPU clears a block while it fills another one. The program
 * compares number, time and return of each entry with the requested event. Each missing event must
 * have been counted as lost.
 *
 *	stress_ring_interrupts EVENTS [SEED]
 *
 * Each event of a batch has its own number of 16 bits. A call has the number as its argument, and
 * its return has the bits of the number in event number and value. So the program finds a return
 * that is merged into a wrong call.
 * Prints lines "WHAT NUMBER". Exit status: 0; 1 with the error and the seed; 2 usage.
 */
#include "../unit/ring_machine.h"

#include <inttypes.h>

/* Events of a batch. The blocks are enough for one batch and for blocks that are being cleared. */
#define BATCH	30000u
#define BLOCKS	24u
#define DEEPEST	3

enum what { POINT, SAMPLE, CALL };

struct event {
	u64 from, to;		/* times before and after the request */
	u8 what;
	bool seen, returned;	/* found the event; found its return */
};

static struct event events[BATCH + 64];
static u32 numbers;
static u64 random_state, seed_given;
static u64 asked_all, merged_all, lost_all, entries_all, nested_all;
static int depth;

static u32 rnd(u32 n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(random_state >> 33) % n;
}

_Noreturn static void wrong(const char *what, const struct decoded *e)
{
	fprintf(stderr, "stress_ring_interrupts: %s: block %u word %u, event %x arg %x retval %d, seed %" PRIu64
		" after %" PRIu64 " events\n", what, e->block, e->index, e->event, e->arg, e->retval, seed_given,
		asked_all);
	exit(1);
}

static u32 event_of(u32 number)
{
	return 0x800 + (number & 0x1FF);
}

static int value_of(u32 number)
{
	return (int)(number >> 9 & 0x7F);
}

/* ---- requests ---- */

static void make_one(void)
{
	u32 number = numbers;
	struct event *e = &events[number];

	if (number >= BATCH + 60)
		return;
	numbers++;
	*e = (struct event){ .from = clock_now + clock_step };
	switch (rnd(6)) {
	case 0:
		e->what = SAMPLE;
		asked_all++;
		ku_emit2(KU_EVENT(KUTRACE_PC_U) | number, 0x5500000000000000ULL + number);
		break;
	case 1:
	case 2:
		e->what = POINT;
		asked_all++;
		ku_emit(KU_EVENT(KUTRACE_MARKD) | number);
		break;
	default:
		e->what = CALL;
		asked_all += 2;
		if (!depth && rnd(2)) {
			/* Bracket the call, as the hooks of a patched kernel do. */
			ku_emit_call(0x800, number & 0x1FF, &(u64){ (u16)number });
			if (!rnd(3))
				clock_now += rnd(300);
			if (!ku_emit_call_return(value_of(number)))
				ku_emit_return(event_of(number), value_of(number));
		} else {
			ku_emit(KU_EVENT(event_of(number)) | (u16)number);
			if (!rnd(3))
				clock_now += rnd(300);
			ku_emit_return(event_of(number), value_of(number));
		}
	}
	e->to = clock_now;
}

/* Runs at each step. At random, makes an interrupt if interrupts are on, or an NMI if none is running. */
static void interrupt(char letter)
{
	bool nmi, was_nmi = ku_env_nmi, was_off = irqs_off;
	u32 n;

	(void)letter;
	if (rnd(24) || depth >= DEEPEST || ku_env_nmi)
		return;
	nmi = !rnd(3);
	if (irqs_off && !nmi)
		return;
	depth++;
	ku_env_nmi = nmi;
	irqs_off = true;
	for (n = rnd(30) ? 1 + rnd(4) : 80; n; n--)
		make_one();
	ku_env_nmi = was_nmi;
	irqs_off = was_off;
	depth--;
	nested_all++;
}

/* ---- checks ---- */

static void check_return(u32 number, const struct decoded *e, u64 ts)
{
	struct event *what = &events[number];

	if (number >= numbers || what->what != CALL || what->returned || ts < what->from || ts > what->to)
		wrong("a return that was not asked for", e);
	what->returned = true;
}

static void check_entry(const struct decoded *e)
{
	struct event *what;
	u32 number = e->arg;

	if (e->event >= 0xA00 && e->event < 0xC00) {
		check_return((e->event & 0x1FF) | (e->arg & 0x7F) << 9, e, e->ts);
		return;
	}
	what = &events[number < BATCH + 64 ? number : 0];
	if (number >= numbers || what->seen || e->ts < what->from || e->ts > what->to)
		wrong("an event that was not asked for, or not then", e);
	what->seen = true;
	switch (what->what) {
	case POINT:
		if (e->event != KUTRACE_MARKD)
			wrong("a point that is none", e);
		break;
	case SAMPLE:
		if (e->event != KUTRACE_PC_U || e->second != 0x5500000000000000ULL + number)
			wrong("a sample in pieces", e);
		break;
	default:
		if (e->event != event_of(number))
			wrong("another call's argument", e);
		if (e->delta) {
			merged_all++;
			if (e->retval != value_of(number))
				wrong("another call's return", e);
			check_return(number, e, e->ts + e->delta);
		}
	}
}

/* Checks each block with a sequence number above *seq once, in order. */
static void check_batch(u64 *seq, u64 *lost_before)
{
	static struct decode d;
	u64 last = 0, missing = 0, first = *seq;
	u32 i, n;
	size_t k;

	for (;;) {
		u64 next = ~0ULL;
		u32 which = 0;

		for (i = 0; i < ku_ring.nblocks; i++)
			if (ku_ring.table[i].seq > *seq && ku_ring.table[i].seq < next) {
				next = ku_ring.table[i].seq;
				which = i;
			}
		if (next == ~0ULL)
			break;
		if (next != *seq + 1)
			wrong("a block of this batch was overwritten", &(struct decoded){ .block = which });
		*seq = next;
		d.count = 0;
		decode_block(&d, ku_ring.words[which], which);
		if (d.error)
			wrong(d.error, &(struct decoded){ .block = which });
		for (k = 0; k < d.count; k++) {
			if (d.list[k].ts < last)
				wrong("time goes back", &d.list[k]);
			last = d.list[k].ts;
			check_entry(&d.list[k]);
		}
		entries_all += d.count;
	}
	if (*seq == first)
		wrong("nothing was recorded", &(struct decoded){ 0 });
	for (n = 0; n < numbers; n++)
		missing += !events[n].seen + (events[n].what == CALL && !events[n].returned);
	if (missing != total_lost() - *lost_before) {
		fprintf(stderr, "stress_ring_interrupts: %" PRIu64 " missing, %" PRIu64 " counted as lost, seed %" PRIu64 "\n",
			missing, total_lost() - *lost_before, seed_given);
		exit(1);
	}
	lost_all += missing;
	*lost_before = total_lost();
}

int main(int argc, char **argv)
{
	u64 wanted, seq = 0, lost_before = 0;
	char *end;

	wanted = argc >= 2 ? strtoull(argv[1], &end, 10) : 0;
	if (argc < 2 || argc > 3 || *end || !wanted) {
		fprintf(stderr, "usage: stress_ring_interrupts EVENTS [SEED]\n");
		return 2;
	}
	seed_given = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;
	random_state = seed_given;
	ring_up(BLOCKS, true);
	if (!ku_ring.ahead)
		wrong("the pool is too small to clear blocks ahead", &(struct decoded){ 0 });
	while (asked_all < wanted) {
		numbers = 0;
		ku_env_step = interrupt;
		while (numbers < BATCH) {
			make_one();
			/* Make gaps. Some gaps need an additional word, and some need a new block. */
			if (!rnd(2000))
				clock_now += rnd(30) ? rnd(0x200000) : 70ULL * 2000000000ULL;
		}
		ku_env_step = NULL;
		/* Complete the last block, so that all of its words are stored. */
		irqs_off = true;
		ku_ring_close_cpu(&ku_ring, &cpu);
		irqs_off = false;
		check_batch(&seq, &lost_before);
	}
	printf("events %" PRIu64 "\nentries %" PRIu64 "\nmerged %" PRIu64 "\nlost %" PRIu64 "\ninterrupts %" PRIu64
	       "\nblocks %" PRIu64 "\n", asked_all, entries_all, merged_all, lost_all, nested_all, seq);
	ring_down(NULL);
	if (entries_all + merged_all + lost_all != asked_all) {
		fprintf(stderr, "stress_ring_interrupts: they do not add up\n");
		return 1;
	}
	return 0;
}
