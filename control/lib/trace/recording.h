/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the module holds of a recording, as a trace is made of it, see recording.c.
 * Functions return 0 or a negative errno.
 */
#ifndef KU_LIB_TRACE_RECORDING_H
#define KU_LIB_TRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "lib/base/names.h"
#include "lib/names/about.h"
#include "lib/trace/file.h"
#include "libkutrace.h"

#define KU_COUNTS_MASK	((1ULL << 56) - 1)
/* No recording's counter is shifted by more: what says so is damaged, and would be no shift. */
#define KU_CLOCK_SHIFT_MAX 40
#define KU_BATCH	32	/* data blocks written by one system call */

/* Nanoseconds that so many counts take. The clock's rate is known (clock_khz), its shift no damaged one. */
static inline uint64_t ku_counts_to_ns(const struct kutrace_info *info, uint64_t counts)
{
	return (uint64_t)(((unsigned __int128)counts << info->clock_shift) * 1000000 /
			  info->clock_khz);
}

/* Words 0, 2, 4, 5: what names a block. */
struct ku_header {
	uint64_t word0;
	uint64_t pid;
	uint64_t comm[2];
};

/* A block of the recording, by the order of taking. */
struct ku_block_ref {
	uint64_t seq;
	uint32_t index;
	uint32_t cpu;			/* as in the table */
	uint64_t *copy;		/* ku_dump_block_bytes() of it, to be freed; NULL: as mapped */
	bool newest;		/* of its CPU, and copied: cannot be overwritten any more */
	struct ku_header header;
};

struct ku_dump {
	int fd;
	const struct kutrace_dump_options *options;
	struct kutrace_dump_result *result;
	struct kutrace_info info;
	const struct ku_system *system;	/* of another machine, which recorded it; NULL: this one */
	uint64_t start_us;
	uint64_t stop_us;
	int64_t clock_step_us;
	const struct kutrace_meta_page *meta;
	size_t meta_bytes;
	struct ku_block_ref *refs;
	size_t nrefs;
	bool live;			/* recording goes on: blocks may change */
	bool recorded[KUTRACE_CPUS];	/* in a snapshot: the CPU had blocks when the table was read */
	struct ku_header start;		/* of the first block */
	const struct ku_header *oldest;	/* of all data blocks; NULL: there is none */
	uint64_t complete;		/* counts: from then on events of all CPUs; 0: by refs */
	uint64_t begin;			/* counts: names up to then are in force from it on */
	struct ku_name_list early;		/* as read before the blocks were copied; may be empty */
	struct ku_name_list names;		/* those */
	struct ku_name_list late;		/* recorded after that */
	struct ku_trace_file file;
	uint64_t total_bytes;
	uint64_t *words;		/* a name block being filled */
	unsigned int used;		/* of its words */
	uint64_t now;			/* time of its last entry */
};

static inline uint64_t ku_counts_of(const struct ku_header *header)
{
	return header->word0 & KU_COUNTS_MASK;
}

/* KUTRACE_FLAG_IPC, _LLC: each data block has a byte of counters per word; or 0. */
static inline unsigned int ku_dump_counted(const struct ku_dump *d)
{
	return (d->info.flags & KUTRACE_RESET_IPC ? KUTRACE_FLAG_IPC : 0) |
	       (d->info.flags & KUTRACE_RESET_LLC ? KUTRACE_FLAG_LLC : 0);
}

/* Of a data block in the file. */
static inline size_t ku_dump_block_bytes(const struct ku_dump *d)
{
	return KUTRACE_BLOCK_BYTES + (ku_dump_counted(d) ? KUTRACE_IPC_BYTES : 0);
}

/* The block table, which changes while recording goes on. */
static inline const volatile struct kutrace_block *ku_dump_table(const struct ku_dump *d)
{
	return (const volatile struct kutrace_block *)
		((const char *)d->meta + d->meta->table_offset);
}

/* Opens the device, asks, maps: d is zero before; ku_dump_end() in any case. */
int ku_dump_begin(struct ku_dump *d, const struct kutrace_dump_options *options,
		  struct kutrace_dump_result *result);
void ku_dump_end(struct ku_dump *d);
/* On the clock of the trace. */
uint64_t ku_dump_counts_to_us(const struct ku_dump *d, uint64_t counts);
/* What comes from info: losses, clock, header of the first block. */
int ku_dump_describe(struct ku_dump *d);
int ku_dump_map_meta(struct ku_dump *d);
const uint64_t *ku_dump_map_block(struct ku_dump *d, uint32_t index, int *error);
void ku_dump_unmap_block(const uint64_t *block);
/* Its bytes of counters. */
const uint8_t *ku_dump_map_bytes(struct ku_dump *d, uint32_t index, int *error);
void ku_dump_unmap_bytes(const uint8_t *bytes, uint32_t index);
/* Copies the block's bytes of counters, if there are any, behind the words at copy. */
int ku_dump_copy_bytes(struct ku_dump *d, uint32_t index, uint64_t *copy);
/* false: it is unusable. */
bool ku_dump_read_header(struct ku_header *header, const uint64_t *block, uint32_t cpu);
/* Of a recording that is over: refs[], oldest first, and the headers, from the table. */
int ku_dump_list_blocks(struct ku_dump *d);
void ku_dump_find_oldest(struct ku_dump *d);
void ku_dump_sort(struct ku_dump *d);

#endif
