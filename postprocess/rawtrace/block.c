// SPDX-License-Identifier: BSD-3-Clause
/* Decodes the words of one block into entries in order of time. Counts and skips invalid words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/entry.h"
#include "rawtrace/block.h"

/* maximum number of moves of an insertion sort; if more are needed, qsort() is faster */
#define KP_MOVES_MAX	(16u * KUTRACE_BLOCK_WORDS)

static void kp_fault(struct kp_raw_faults *faults, uint64_t *counter,
		     const struct kp_raw_block *block, size_t index, const char *what,
		     uint64_t word)
{
	++*counter;
	if (!faults->first[0])
		snprintf(faults->first, sizeof(faults->first),
			 "block %" PRIu64 ", word %zu, CPU %u: %s (%016" PRIx64 ")",
			 block->number, index, block->cpu, what, word);
}

static int kp_entry_order(const void *a, const void *b)
{
	const struct kp_raw_entry *x = a, *y = b;

	KP_COMPARE(x->count, y->count);
	KP_COMPARE(x->kind, y->kind);
	return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Sorts the entries. Most entries are in order, and late entries usually move by only a few
 * positions.
 */
static void kp_sort_entries(struct kp_raw_entry *entries, size_t count)
{
	size_t moves = 0, i;

	for (i = 1; i < count; i++) {
		struct kp_raw_entry entry = entries[i];
		size_t j = i;

		if (entries[i - 1].count < entry.count ||
		    kp_entry_order(&entries[i - 1], &entry) <= 0)
			continue;
		while (j && kp_entry_order(&entries[j - 1], &entry) > 0) {
			entries[j] = entries[j - 1];
			j--;
		}
		entries[j] = entry;
		moves += i - j;
		if (moves > KP_MOVES_MAX) {
			qsort(entries, count, sizeof(*entries), kp_entry_order);
			return;
		}
	}
}

/*
 * Assigns PC samples to timer interrupts. A sample belongs to the last timer interrupt if no event
 * followed the end of that interrupt, otherwise to a timer interrupt that begins just after the
 * sample. The sample gets the time at which its interrupt began.
 */
struct kp_timer {
	struct kp_raw_timer last;
	struct kp_raw_entry *sample;	/* previous entry, if it is a sample without an interrupt */
};

static void kp_timer_event(struct kp_timer *timer, uint64_t word, uint64_t count)
{
	const uint32_t event = ku_entry_event(word);
	const uint32_t call = KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER;

	if (event == call) {
		if (timer->sample && count - timer->sample->count < KUTRACE_LATE_MAX) {
			timer->sample->count = count;
			timer->sample->timer = 1;
		}
		timer->last.call = count;
		timer->last.end = ku_entry_returned(word) ? count + ku_entry_delta(word) : 0;
	} else if (event == (call | KUTRACE_RETURN_BIT)) {
		timer->last.end = count;
	} else if (timer->last.end) {
		timer->last = (struct kp_raw_timer){ 0, 0 };
	}
	timer->sample = NULL;
}

static void kp_timer_sample(struct kp_timer *timer, struct kp_raw_entry *entry)
{
	timer->sample = entry;
	if (timer->last.call) {
		entry->count = timer->last.call;
		entry->timer = 1;
		timer->sample = NULL;
	}
	timer->last = (struct kp_raw_timer){ 0, 0 };
}

size_t kp_raw_decode(const struct kp_raw_range *range, const struct kp_raw_block *block,
		     const struct kp_raw_words *words, struct kp_raw_entry *out,
		     struct kp_raw_faults *faults, struct kp_raw_timer *last_timer,
		     uint64_t *late)
{
	struct kp_timer timer = { .last = *last_timer };
	struct kp_raw_faults unused = { .bad_words = 0 };
	bool names_only = true;
	uint64_t before = block->count;
	size_t used = 1;	/* one entry for the header */
	size_t i = block->number ? KUTRACE_FIRST_WORD : KUTRACE_FIRST_WORD0;

	if (!faults)
		faults = &unused;
	while (i < KUTRACE_BLOCK_WORDS) {
		struct kp_raw_entry *entry = &out[used];
		uint64_t word = words->word[i];
		uint32_t event = ku_entry_event(word);
		size_t length = ku_event_words(event), at = i;
		uint64_t count;

		if (!word) {
			i++;
			continue;
		}
		if (word == KU_ENTRY_END)
			break;
		if (!length) {
			kp_fault(faults, &faults->bad_words, block, i, "not an entry", word);
			i++;
			continue;
		}
		if (i + length > KUTRACE_BLOCK_WORDS) {
			kp_fault(faults, &faults->cut_entries, block, i,
				 "entry runs over the end of the block", word);
			break;
		}
		i += length;

		if (event == KUTRACE_TSDELTA) {
			before = ku_tsdelta_count(before, word);
			continue;
		}
		count = ku_entry_count(before, word);
		if (count < before && late && used > 1)
			++*late;
		before = count;
		if (count < range->low || count > range->high) {
			kp_fault(faults, &faults->bad_times, block, at, "time far outside the trace", word);
			continue;
		}
		*entry = (struct kp_raw_entry){
			.count = count, .index = (uint16_t)at, .kind = KP_RAW_EVENT,
		};
		used++;
		if (ku_event_is_name(event) && !ku_event_is_tpoint(event)) {
			entry->kind = KP_RAW_NAME;
			continue;
		}
		names_only = false;
		if (ku_event_is_pc(event)) {
			entry->kind = KP_RAW_PC;
			kp_timer_sample(&timer, entry);
		} else {
			kp_timer_event(&timer, word, count);
		}
	}

	*last_timer = timer.last;
	out[0] = (struct kp_raw_entry){ .count = block->count, .kind = KP_RAW_HEADER };
	if (names_only && block->number)
		memmove(out, out + 1, --used * sizeof(*out));
	kp_sort_entries(out, used);
	return used;
}
