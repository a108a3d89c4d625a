/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes one block of a raw trace: header, words, entries in order of time. */
#ifndef KP_RAWTRACE_BLOCK_H
#define KP_RAWTRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_events.h"

/* Times (counts) of a CPU's last timer interrupt; 0: none, or an event followed its end. */
struct kp_raw_timer {
	uint64_t call, end;
};

struct kp_raw_block {
	uint64_t number;	/* index of the block in the trace, from 0 */
	uint64_t offset;	/* offset in the file, in bytes */
	uint64_t count;		/* word 0: full count when the block was claimed */
	uint64_t usec;		/* word 1: microseconds since 1970 */
	uint64_t last;		/* count of the latest valid entry */
	struct kp_raw_timer timer_in;	/* state at the start of the block */
	uint32_t pid, mhz;
	uint8_t cpu, flags;
	bool names_only;
	char name[17];
};

enum kp_raw_kind {
	KP_RAW_PC,		/* two words; sorts before other entries of the same count */
	/* not an entry of the trace: the pid, name and frequency in the block's header */
	KP_RAW_HEADER,
	KP_RAW_NAME,
	KP_RAW_EVENT,
};

struct kp_raw_entry {
	uint64_t count;
	uint16_t index;		/* index of the first word in the block */
	uint8_t kind;		/* enum kp_raw_kind */
	uint8_t timer;		/* 1: a PC sample with the count of its timer interrupt */
};

/* Invalid data that the reader skips, counts and reports. */
struct kp_raw_faults {
	uint64_t bad_words;	/* number of words with an event number that no entry has */
	uint64_t cut_entries;	/* number of entries that extend beyond their block */
	uint64_t bad_times;	/* number of entries with a time far outside the trace */
	char first[160];	/* place and cause of the first fault; "": none */
};

/* The smallest and the largest count that an entry of the trace can have. */
struct kp_raw_range {
	uint64_t low, high;
};

/* The words of a block, and its IPC bytes or zeros. */
struct kp_raw_words {
	uint64_t word[KUTRACE_BLOCK_WORDS];
	uint8_t ipc[KUTRACE_IPC_BYTES];
};

/*
 * Decodes the entries of a block in order of time to out[KUTRACE_BLOCK_WORDS + 1]. The header also
 * becomes an entry, except in a block with only names that is not block 0. Returns the number of
 * entries. An entry outside @range is a fault. Adds the faults to @faults, and the number of
 * entries that are earlier than the previous entry to *late; both may be NULL. *timer is the state
 * before the block, and is set to the state after it.
 */
size_t kp_raw_decode(const struct kp_raw_range *range, const struct kp_raw_block *block,
		     const struct kp_raw_words *words, struct kp_raw_entry *out,
		     struct kp_raw_faults *faults, struct kp_raw_timer *timer,
		     uint64_t *late);

#endif
