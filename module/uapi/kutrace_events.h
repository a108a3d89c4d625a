/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* Event numbers (from kutrace_events.def) and the layout of an entry. */
#ifndef KUTRACE_EVENTS_H
#define KUTRACE_EVENTS_H

/*
 * KUTRACE_CAT_x	number of a category's bit
 * KUTRACE_MASK_x	its mask
 * KUTRACE_NAME_x	base code of a name entry
 * KUTRACE_x		point event
 * KUTRACE_CALL_x, KUTRACE_RET_x, KUTRACE_COUNT_x	range of calls and returns
 * KUTRACE_MADE_x	event that the filters make
 * KUTRACE_VECTOR_x	number of an interrupt with a fixed meaning
 */
enum kutrace_category {
#define KU_CAT(id, bit, text) KUTRACE_CAT_##id = (bit),
#include "kutrace_events.def"
	KUTRACE_CATS
};

enum kutrace_mask {
#define KU_CAT(id, bit, text) KUTRACE_MASK_##id = 1 << (bit),
#include "kutrace_events.def"
	KUTRACE_MASK_ALL = (1 << KUTRACE_CATS) - 1
};

enum kutrace_event {
#define KU_NAME(id, code, label, text) KUTRACE_NAME_##id = (code),
#define KU_POINT(id, code, cat, label, text) KUTRACE_##id = (code),
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	KUTRACE_CALL_##id = (call), KUTRACE_RET_##id = (ret), \
	KUTRACE_COUNT_##id = (count),
#define KU_MADE(id, code, label, text) KUTRACE_MADE_##id = (code),
#include "kutrace_events.def"
	KUTRACE_RETURN_BIT = 0x200,	/* call | this = return */
	KUTRACE_PAGEFAULT = 14,		/* trap number, on all architectures */
	KUTRACE_TRAP_ARM64 = 64,	/* trap number of exception class 0 of arm64 */
	KUTRACE_TRAP_RISCV = 128,	/* trap number of exception cause 0 of riscv */
	KUTRACE_TRAPS_RISCV = 64,	/* number of exception causes of riscv */
};

/*
 * Kinds of events, in the order of the table: one bit each in a session's mask. Each point and each
 * span is a kind. IPIs are a kind of their own, because their category differs from the one of
 * other interrupts.
 */
enum kutrace_kind {
#define KU_POINT(id, code, cat, label, text) KUTRACE_KIND_##id,
#define KU_SPAN(id, call, ret, count, cat, label, text) KUTRACE_KIND_CALL_##id,
#define KU_KIND(id, cat, label) KUTRACE_KIND_##id,
#include "kutrace_events.def"
	KUTRACE_KINDS
};

#define KUTRACE_KINDS_ALL	((1ULL << KUTRACE_KINDS) - 1)

/* Points that the ring and the filters need, so a mask cannot exclude them. */
#define KUTRACE_KINDS_FIXED	(1ULL << KUTRACE_KIND_TSDELTA)

enum kutrace_vector {
#define KU_VECTOR(id, number, label) KUTRACE_VECTOR_##id = (number),
#include "kutrace_events.def"
};

/*
 * An entry:
 *
 *   63        44 43      32 31      24 23      16 15            0
 *   +-----------+----------+----------+----------+---------------+
 *   | timestamp |  event   |  delta   |  retval  |     arg0      |  call
 *   +-----------+----------+----------+----------+---------------+
 *   | timestamp |  event   |              arg (32)               |  other
 *   +-----------+----------+-------------------------------------+
 */
#define KUTRACE_TS_SHIFT	44
#define KUTRACE_TS_BITS		20
#define KUTRACE_TS_MASK		0xFFFFFULL
#define KUTRACE_EVENT_SHIFT	32
#define KUTRACE_EVENT_MASK	0xFFFULL
#define KUTRACE_DELTA_SHIFT	24
#define KUTRACE_DELTA_MAX	255
#define KUTRACE_RETVAL_SHIFT	16
#define KUTRACE_ARG0_MASK	0xFFFFULL

/* A step back by at most this number of counts is a late store, not a wrap. */
#define KUTRACE_LATE_MAX	0x20000
/* A gap of more than this number of counts must be announced by a TSDELTA entry. */
#define KUTRACE_GAP_MAX		0xE0000

/* Name entries: the middle hex digit of the event is the length in words. */
#define KUTRACE_NAME_LEN_SHIFT	4
#define KUTRACE_NAME_MAX_WORDS	8
#define KUTRACE_NAME_MAX_BYTES	56

/*
 * Kind of a task: the byte after the NUL that ends its name, if all later bytes of the entry are 0.
 * Readers of NUL-terminated names do not see this byte.
 */
enum kutrace_task_kind {
	KUTRACE_TASK_UNKNOWN,	/* the entry has no such byte */
	KUTRACE_TASK_USER,	/* executes a program */
	KUTRACE_TASK_KTHREAD,	/* kernel thread */
	/* thread of a program that never leaves the kernel (io_uring, vhost) */
	KUTRACE_TASK_WORKER,
	KUTRACE_TASK_KINDS
};

/*
 * Fact about the trace (META): "pause=OFF:ON". Recording was off from count OFF to count ON, in
 * decimal. There is one fact for each pause.
 */
#define KUTRACE_META_PAUSE	"pause="

/*
 * Fact about the trace (META): "partial=FROM:TO". Before count TO the trace lacks events of some
 * CPUs, because each CPU overwrote its own oldest events. It has events from count FROM on.
 */
#define KUTRACE_META_PARTIAL	"partial="

/*
 * Number of an EVENTDEF name. A definition of more than 56 bytes has several such names, whose
 * texts are joined. Numbers below 65536 are those of events.
 */
#define KUTRACE_POINT_NUMBER(id, piece) (((piece) + 1U) << 16 | (id))
#define KUTRACE_POINT_PIECES	8

/* A block of the trace, in memory and in the file. */
#define KUTRACE_BLOCK_BYTES	65536
#define KUTRACE_BLOCK_WORDS	8192
#define KUTRACE_FIRST_WORD	6	/* first entry of a block */
#define KUTRACE_FIRST_WORD0	12	/* first entry of the first block */
#define KUTRACE_IPC_BYTES	8192	/* after the block, if its flags announce them */

/* Number of CPUs, from CPU 0 on, that the top byte of word 0 of a block can hold. */
#define KUTRACE_CPUS		256

/* Top byte of word 1 of the first block. */
#define KUTRACE_FILE_VERSION	3
#define KUTRACE_FLAG_VERSION	0x0F
#define KUTRACE_FLAG_LLC	0x20
#define KUTRACE_FLAG_WRAP	0x40
#define KUTRACE_FLAG_IPC	0x80

#endif
