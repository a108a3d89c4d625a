// SPDX-License-Identifier: BSD-3-Clause
/*
 * Separates the entries of a block from other words: words of an unfinished entry, in a block
 * that a CPU wrote to when the machine stopped, and words that were damaged afterwards. Must not
 * drop a complete entry, and must not return the words of an unfinished entry as entries.
 *
 * A CPU claims words, which sets the time of its last entry, and then stores them, the first word
 * last (core/emit.h, core/emit.c). So an unfinished entry has a zero as its first word, and may
 * have some of its other words after that. It is the CPU's last claimed entry, unless an
 * interrupt recorded more before the entry was finished:
 *
 *	... entry | 0 payload payload |			machine stopped here
 *	... entry | 0 payload payload | entry entry	an NMI recorded more, then it stopped
 *
 * In the second case, the unfinished entry is a hole between complete entries. The times
 * distinguish payload from entries: the times of entries do not decrease, and the last one equals
 * the time in the CPU's state. So kc_block_check() looks for the range whose removal leaves such
 * times.
 */
#include "crash/crash.h"

#include "common/entry.h"

#define HOLE_MAX	8	/* words of the longest entry */
#define COUNTS_MASK	((1ULL << 56) - 1)

struct walk {
	uint64_t now;
	/* index after the last entry, or of the first word that is not an entry */
	uint32_t end;
	bool valid;
};

/*
 * Reads entries from word @from on, after the time @now. @strict: the times must not decrease, as
 * in a CPU's own entries.
 */
static struct walk walk_entries(const uint64_t *words, uint32_t from, uint32_t to, uint64_t now,
				uint64_t limit, bool strict)
{
	struct walk w = {.now = now, .end = from, .valid = true};

	for (uint32_t i = from; i < to; ) {
		uint32_t event = ku_entry_event(words[i]), length = ku_event_words(event);
		uint64_t then;

		if (!words[i]) {
			i++;
			continue;
		}
		if (words[i] == ~0ULL)
			break;
		then = event == KUTRACE_TSDELTA ? ku_tsdelta_count(w.now, words[i])
						: ku_entry_count(w.now, words[i]);
		if (!length || length > to - i || then > limit || (strict && then < w.now)) {
			w.end = i;
			w.valid = false;
			return w;
		}
		w.now = then;
		i += length;
		w.end = i;
	}
	return w;
}

/* The second case: finds the hole before the entries that an interrupt recorded. */
static bool find_hole(const uint64_t *words, uint64_t start, const struct kc_claimed *claimed,
		      struct kc_checked *c)
{
	uint32_t hole, length;

	for (hole = claimed->index; hole-- > KUTRACE_FIRST_WORD; ) {
		struct walk before;

		if (words[hole] || hole + 1 >= claimed->index || !words[hole + 1])
			continue;
		before = walk_entries(words, KUTRACE_FIRST_WORD, hole, start, claimed->last, true);
		if (!before.valid)
			continue;
		for (length = 2; length <= HOLE_MAX && hole + length < claimed->index; length++) {
			struct walk after = walk_entries(words, hole + length, claimed->index, before.now,
							 claimed->last, true);

			if (!after.valid || after.now != claimed->last)
				continue;
			c->hole_from = hole;
			c->hole_to = hole + length;
			return true;
		}
	}
	return false;
}

/* The first case: the unfinished entry was the last claimed one. */
static bool find_end(const uint64_t *words, uint64_t start, const struct kc_claimed *claimed,
		     struct kc_checked *c)
{
	for (uint32_t hole = claimed->index; hole-- > KUTRACE_FIRST_WORD &&
	     hole + HOLE_MAX >= claimed->index; ) {
		struct walk before;

		if (words[hole])
			continue;
		before = walk_entries(words, KUTRACE_FIRST_WORD, hole, start, claimed->last, true);
		if (!before.valid)
			continue;
		c->end = hole;
		c->last = before.now;
		return true;
	}
	return false;
}

struct kc_checked kc_block_check(const uint64_t *words, uint64_t limit,
				 const struct kc_claimed *claimed)
{
	uint64_t start = words[0] & COUNTS_MASK;
	struct kc_checked c = {.last = start, .end = KUTRACE_BLOCK_WORDS};
	struct walk w;

	if (claimed) {
		c.end = claimed->index;
		w = walk_entries(words, KUTRACE_FIRST_WORD, c.end, start, claimed->last, true);
		c.last = claimed->last;
		if (w.valid && w.now == claimed->last)
			return c;
		c.incomplete = true;
		if (find_hole(words, start, claimed, &c) || find_end(words, start, claimed, &c))
			return c;
		c.incomplete = false;
	}
	w = walk_entries(words, KUTRACE_FIRST_WORD, c.end, start, limit, false);
	c.last = w.now;
	c.damaged = !w.valid;
	if (!w.valid)
		c.end = w.end;
	return c;
}

void kc_block_clear(uint64_t *words, const struct kc_checked *checked)
{
	memset(words + checked->end, 0, (KUTRACE_BLOCK_WORDS - checked->end) * sizeof(*words));
	memset(words + checked->hole_from, 0,
	       (checked->hole_to - checked->hole_from) * sizeof(*words));
}
