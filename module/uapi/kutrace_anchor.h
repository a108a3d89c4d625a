/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * What a memory dump of a crashed machine is searched for: each session has an anchor, which
 * says where in physical memory its blocks, table and names are. Nothing runs at a crash: all of
 * it is true at any moment. Written by module/session/anchor.c, read by control/crash/.
 *
 * An anchor is a piece of 64 KiB, contiguous, at a multiple of 64 KiB in physical memory. It
 * begins with its magic, which stands nowhere else, not even in the text of who writes or
 * reads it, and has its own address in it: a copy elsewhere is none.
 *
 *	0	struct kutrace_anchor_piece	where the list goes on, checksums
 *	...	struct kutrace_anchor		what the list is about
 *	...	struct kutrace_anchor_state [2]	what changes: the newer one that is whole holds
 *	...	the list, 64-bit words; further pieces have no more than a head and a list
 */
#ifndef KUTRACE_ANCHOR_H
#define KUTRACE_ANCHOR_H

#include "kutrace_abi.h"

#define KUTRACE_ANCHOR_BYTES	65536
#define KUTRACE_ANCHOR_VERSION	1

/* The magic, as it stands in files, is this exclusive-ored with the key, each word. */
#define KUTRACE_ANCHOR_KEY	0xA5C3F00F965A3CE1ULL
#define KUTRACE_ANCHOR_HIDDEN0	0xEE8FB14DF42B52A4ULL
#define KUTRACE_ANCHOR_HIDDEN1	0x4B1D86C2E0975FF3ULL
/* Likewise the second word of a piece that is not the first. */
#define KUTRACE_ANCHOR_HIDDEN2	0x90E25B3D17C86A0EULL

struct kutrace_anchor_piece {
	__u64 magic[2];
	__u64 self;		/* physical address of this piece */
	__u64 next;		/* of the next one; 0: this is the last */
	__u32 head_bytes;	/* of what head_sum is of, from the beginning */
	__u32 list_offset;	/* bytes from the beginning to the list */
	__u64 list_words;	/* in this piece */
	__u64 list_sum;
	__u64 head_sum;		/* as if it were 0 */
};

/*
 * The list has in this order: extents of the meta page with the block table behind it
 * (KUTRACE_MMAP_META), of the buffer of names, of the blocks, one after the other; then addresses
 * for each CPU. That of the counters' bytes, which may come later, is in a chain of its own.
 *
 * An extent is physical address | pages - 1: up to 4096 pages that are contiguous.
 */
enum kutrace_anchor_section {
	KUTRACE_ANCHOR_META,
	KUTRACE_ANCHOR_AUX,
	KUTRACE_ANCHOR_BLOCKS,
	KUTRACE_ANCHOR_CPUS,
	KUTRACE_ANCHOR_SECTIONS
};

#define KUTRACE_ANCHOR_PAGES_MASK	0xFFFULL

/*
 * Of a CPU there are three places where its state can be: the session's own, and the two fixed
 * ones, which are the session's while the word at holder[] is ring. Physical addresses, of
 * a CPU that cannot be there 0: of u64 state (time of the last entry, counts << 14 | index of the
 * next), of u32 block (the block that it writes to, ~0: none), of u32 ahead (by so many words the
 * index is more than it is in that block), of each u64 loss.
 */
#define KUTRACE_ANCHOR_PLACES		3
#define KUTRACE_ANCHOR_STATE		0
#define KUTRACE_ANCHOR_BLOCK		1
#define KUTRACE_ANCHOR_AHEAD		2
#define KUTRACE_ANCHOR_LOST		3
#define KUTRACE_ANCHOR_PLACE_WORDS	(KUTRACE_ANCHOR_LOST + KUTRACE_LOST_CAUSES)
#define KUTRACE_ANCHOR_CPU_WORDS	(KUTRACE_ANCHOR_PLACES * KUTRACE_ANCHOR_PLACE_WORDS)
#define KUTRACE_ANCHOR_INDEX_BITS	14

struct kutrace_anchor {
	struct kutrace_anchor_piece piece;
	__u32 version;		/* KUTRACE_ANCHOR_VERSION */
	__u32 abi_version;	/* of the info and the meta page */
	__u32 page_bytes;	/* of the pages that extents count */
	__u32 word_bytes;	/* of a word of a block, 8 */
	__u32 state_offset;	/* bytes from the beginning to the first state */
	__u32 state_bytes;	/* of each */
	__u32 ncpus;		/* in the section of CPUs */
	__u32 causes;		/* KUTRACE_LOST_CAUSES */
	__u64 created_ns;	/* CLOCK_REALTIME */
	__u64 section_words[KUTRACE_ANCHOR_SECTIONS];
	__u64 section_bytes[KUTRACE_ANCHOR_SECTIONS];	/* of memory; of the CPUs' 0 */
	__u64 aux_first;	/* physical addresses of the running offsets, u64 each, */
	__u64 aux_last;
	__u64 aux_lost;		/* and of the count of lost names */
	__u64 holder[2];	/* of the words that say whose the fixed places are */
	__u64 ring;		/* what they say if they are this session's */
};

#define KUTRACE_ANCHOR_UTS	72

/* Written in turn, so that a machine that stops in the middle leaves the other one whole. */
struct kutrace_anchor_state {
	__u64 number;		/* the greater one is newer; 0: not written yet */
	__u64 bytes_list;	/* first piece of the counters' bytes; 0: there are none */
	__u64 bytes_bytes;	/* how many these are */
	char release[KUTRACE_ANCHOR_UTS];	/* as uname() has them, NUL-terminated */
	char version[KUTRACE_ANCHOR_UTS];
	char machine[KUTRACE_ANCHOR_UTS];
	char nodename[KUTRACE_ANCHOR_UTS];
	struct kutrace_info info;	/* at the last reset, on, off, change of kinds or filter */
	__u64 sum;		/* of all words before */
};

/* Of so many 64-bit words, going on from a sum before, or from 0. */
static inline __u64 kutrace_anchor_sum(__u64 sum, const void *from, __u64 words)
{
	const __u64 *word = (const __u64 *)from;

	while (words--)
		sum = (sum ^ *word++) * 0x100000001B3ULL + 0x9E3779B97F4A7C15ULL;
	return sum;
}

#endif
