/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Anchors, with which kutrace_crash finds sessions in a memory dump of a crashed machine. Each
 * session has an anchor with the physical addresses of its blocks, its block table and its names.
 * No code runs at a crash: the anchor is valid at any time. Written by module/session/anchor.c,
 * read by control/crash/.
 *
 * An anchor is a piece of 64 KiB, contiguous and aligned to 64 KiB in physical memory. It begins
 * with its magic, which occurs nowhere else, not even in the code of its writer and its reader. The
 * anchor also contains its own address, so a copy elsewhere does not count as an anchor.
 *
 *	0	struct kutrace_anchor_piece	next piece of the list, checksums
 *	...	struct kutrace_anchor		description of the list
 *	...	struct kutrace_anchor_state [2]	variable data: the newer complete one is valid
 *	...	the list of 64-bit words; further pieces have only a head and a list
 */
#ifndef KUTRACE_ANCHOR_H
#define KUTRACE_ANCHOR_H

#include "kutrace_abi.h"

#define KUTRACE_ANCHOR_BYTES	65536
#define KUTRACE_ANCHOR_VERSION	1

/* The magic is stored in files as the exclusive or of each word with this key. */
#define KUTRACE_ANCHOR_KEY	0xA5C3F00F965A3CE1ULL
#define KUTRACE_ANCHOR_HIDDEN0	0xEE8FB14DF42B52A4ULL
#define KUTRACE_ANCHOR_HIDDEN1	0x4B1D86C2E0975FF3ULL
/* The second word of the magic in a piece that is not the first, stored in the same way. */
#define KUTRACE_ANCHOR_HIDDEN2	0x90E25B3D17C86A0EULL

struct kutrace_anchor_piece {
	__u64 magic[2];
	__u64 self;		/* physical address of this piece */
	__u64 next;		/* physical address of the next piece; 0: last piece */
	__u32 head_bytes;	/* bytes from the beginning that head_sum covers */
	__u32 list_offset;	/* offset of the list from the beginning */
	__u64 list_words;	/* words of the list in this piece */
	__u64 list_sum;
	__u64 head_sum;		/* computed with 0 in this field */
};

/*
 * The list has, in this order: extents of the meta page and the block table (KUTRACE_MMAP_META), of
 * the name table, and of the blocks in order of their numbers; then addresses for each CPU. The
 * counter bytes may be allocated later, so they have a separate list.
 *
 * An extent is physical address | pages - 1, with up to 4096 contiguous pages.
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
 * The state of a CPU can be in three places: in the session's own memory, or in one of the two fast
 * slots, which belong to the session while the word at the address holder[] equals ring. For each
 * place the list has physical addresses, which are 0 for an impossible CPU: of u64 state (time of
 * the last entry in counts << 14 | index of the next entry), of u32 block (current block, ~0:
 * none), of u32 ahead (number by which the index in state exceeds the index in that block), and of
 * each u64 loss.
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
	__u32 abi_version;	/* version of kutrace_info and of the meta page */
	__u32 page_bytes;	/* page size for extents */
	__u32 word_bytes;	/* bytes of a word of a block, 8 */
	__u32 state_offset;	/* offset of the first state from the beginning */
	__u32 state_bytes;	/* bytes of each state */
	__u32 ncpus;		/* CPUs in the section of CPUs */
	__u32 causes;		/* KUTRACE_LOST_CAUSES */
	__u64 created_ns;	/* CLOCK_REALTIME */
	__u64 section_words[KUTRACE_ANCHOR_SECTIONS];
	__u64 section_bytes[KUTRACE_ANCHOR_SECTIONS];	/* bytes of memory; for CPUs: 0 */
	__u64 aux_first;	/* physical addresses of u64 offsets */
	__u64 aux_last;
	__u64 aux_lost;		/* physical address of the u64 count of lost names */
	__u64 holder[2];	/* physical addresses of the words with the slots' owners */
	__u64 ring;		/* value of these words if this session owns the slot */
};

#define KUTRACE_ANCHOR_UTS	72

/*
 * The two states are written alternately: after a crash during a write, the other state is
 * complete.
 */
struct kutrace_anchor_state {
	__u64 number;		/* the higher number is newer; 0: not written yet */
	__u64 bytes_list;	/* first piece of the list of counter bytes; 0: none */
	__u64 bytes_bytes;	/* size of the counter bytes */
	char release[KUTRACE_ANCHOR_UTS];	/* as uname() returns them, NUL-terminated */
	char version[KUTRACE_ANCHOR_UTS];
	char machine[KUTRACE_ANCHOR_UTS];
	char nodename[KUTRACE_ANCHOR_UTS];
	struct kutrace_info info;	/* at the last reset, on, off, change of kinds or filter */
	__u64 sum;		/* checksum of all words before this word */
};

/* Returns the checksum of @words words, continued from @sum or begun with 0. */
static inline __u64 kutrace_anchor_sum(__u64 sum, const void *from, __u64 words)
{
	const __u64 *word = (const __u64 *)from;

	while (words--)
		sum = (sum ^ *word++) * 0x100000001B3ULL + 0x9E3779B97F4A7C15ULL;
	return sum;
}

#endif
