/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes the blocks that the ring core wrote, by the rules of the trace format and without
 * code of the core.
 */
#ifndef RING_DECODE_H
#define RING_DECODE_H

#include <stdint.h>
#include <stdlib.h>

#include "kutrace_abi.h"
#include "kutrace_disk.h"
#include "kutrace_events.h"
#include "kutrace_timer.h"

struct decoded {
	uint64_t ts;		/* full time in counts */
	uint32_t event;
	uint32_t arg;
	uint32_t merged;	/* 1: the entry includes the return */
	/* duration of a merged return in counts; 0: no return, or shorter than a count */
	uint32_t delta;
	int32_t retval;
	uint64_t second;	/* second word of a PC sample */
	uint32_t block;
	uint32_t index;
};

struct decode {
	struct decoded *list;
	size_t count, room;
	const char *error;	/* description of a fault; NULL: the trace is valid */
};

static inline void decode_add(struct decode *d, struct decoded one)
{
	if (d->count == d->room) {
		d->room = d->room ? d->room * 2 : 1024;
		d->list = realloc(d->list, d->room * sizeof(*d->list));
	}
	d->list[d->count++] = one;
}

/* Decodes one block of one CPU and appends its entries to d. */
static inline void decode_block(struct decode *d, const uint64_t *words, uint32_t block)
{
	uint64_t now = words[0] & ((1ULL << 56) - 1);
	uint32_t i;

	for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
		uint64_t word = words[i];
		uint32_t low = (uint32_t)(word >> KUTRACE_TS_SHIFT);
		uint32_t event = (word >> KUTRACE_EVENT_SHIFT) & KUTRACE_EVENT_MASK;
		uint32_t step;
		struct decoded one;

		if (word == 0)
			continue;
		if (event == KUTRACE_TSDELTA) {
			int64_t by = (uint32_t)word;

			if (by >= 2000000000)
				by -= 1LL << 32;
			now += (uint64_t)by;
			if ((now & KUTRACE_TS_MASK) != low)
				d->error = "TSDELTA does not lead to its own time";
			continue;
		}
		step = (low - (uint32_t)now) & (uint32_t)KUTRACE_TS_MASK;
		if (step > KUTRACE_GAP_MAX)
			now -= (1U << KUTRACE_TS_BITS) - step;	/* the entry was stored late */
		else
			now += step;
		one = (struct decoded){ .ts = now, .event = event, .arg = (uint32_t)word,
					.block = block, .index = i };
		if (event >= 0x400 && !(event & KUTRACE_RETURN_BIT)) {
			one.delta = (word >> KUTRACE_DELTA_SHIFT) & 0xFF;
			one.retval = (int8_t)(word >> KUTRACE_RETVAL_SHIFT);
			one.merged = one.delta || one.retval;
			if (!one.delta && one.retval == -128)
				one.retval = 0;
			one.arg = (uint32_t)(word & KUTRACE_ARG0_MASK);
		}
		if (event == KUTRACE_PC_U) {
			if (i + 1 == KUTRACE_BLOCK_WORDS)
				d->error = "PC sample cut by the end of the block";
			else
				one.second = words[++i];
		} else if (event >= 0x10 && event < 0x200 && (event >> 4 & 0xF) > 1) {
			i += (event >> 4 & 0xF) - 1;	/* skip the text of a name */
			if (i >= KUTRACE_BLOCK_WORDS)
				d->error = "name cut by the end of the block";
		} else if (event == KUTRACE_TIMER || (event >= KUTRACE_DISK_QUEUED && event <= KUTRACE_DISK_MERGED)) {
			i += (event == KUTRACE_TIMER ? KUTRACE_TIMER_WORDS : KUTRACE_DISK_WORDS) - 1;
			if (i >= KUTRACE_BLOCK_WORDS)
				d->error = "event of several words cut by the end of the block";
		}
		decode_add(d, one);
	}
}

#endif
