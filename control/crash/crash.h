/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dump of memory: the file, its format (ELF core or kdump-compressed), the machine's memory by
 * physical address, and kernel memory that is spread over physical pages. Sessions in a dump: their
 * anchors, blocks and traces.
 */
#ifndef KU_CRASH_CRASH_H
#define KU_CRASH_CRASH_H

/* Most files here need <errno.h>, <stdlib.h> and <string.h>, and do not include them again. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_anchor.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* --- the file ---------------------------------------------------------------------- */

/*
 * A part of the dump and its place in a flattened file (see dumpfile.c). If parts overlap, the one
 * with the larger order is valid.
 */
struct kc_record {
	uint64_t at;
	uint64_t bytes;
	uint64_t offset;
	uint64_t order;
	uint64_t reach;		/* largest end of this and all earlier records */
};

struct kc_file {
	int fd;
	uint64_t bytes;		/* size of the file in bytes */
	struct kc_record *records;	/* sorted by at; NULL: the file is not flattened */
	size_t nrecords;
	bool cut;		/* the file is flattened, and its end is missing */
	/* errno of a failed read, or ENOMEM; the dump itself may be complete. 0: no such error */
	int error;
};

/* Returns NULL, or the cause of the error as text. */
const char *kc_file_open(struct kc_file *file, const char *path);
void kc_file_close(struct kc_file *file);
/*
 * Reads @bytes bytes of the dump at its offset @at. Returns false if some bytes are missing, or
 * cannot be read (then sets error).
 */
bool kc_file_read(struct kc_file *file, uint64_t at, void *to, size_t bytes);

/* --- formats ----------------------------------------------------------------------- */

struct kc_memory;

struct kc_format {
	/* Returns whether the dump has this format, by its first 16 bytes. */
	bool (*is)(const unsigned char *begin);
	/* Returns NULL, or the cause of the error. */
	const char *(*open)(struct kc_memory *memory);
	void (*close)(struct kc_memory *memory);
	/*
	 * Reads at least one and at most @bytes bytes. Returns their number; 0: they are not in the
	 * dump, or cannot be read.
	 */
	size_t (*read)(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
	/* Moves *at to the next multiple of step in the dump. Returns false if there is none. */
	bool (*next)(const struct kc_memory *memory, uint64_t *at, uint64_t step);
};

extern const struct kc_format kc_elf, kc_kdump;

/* The memory of a machine in a dump, by physical addresses. */
struct kc_memory {
	const struct kc_format *format;
	struct kc_file file;
	void *own;		/* private data of the format */
	uint64_t end;		/* highest address + 1 */
	char note[160];		/* a remark on the dump that is not an error; empty: none */
};

/* --- physical memory --------------------------------------------------------------- */

/* Returns NULL, or the cause of the error. The caller must call kc_memory_close() in every case. */
const char *kc_memory_open(struct kc_memory *memory, const char *path);
void kc_memory_close(struct kc_memory *memory);
/* Reads @bytes bytes at a physical address. Returns false if some are missing or unreadable. */
bool kc_memory_read(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
bool kc_memory_next(const struct kc_memory *memory, uint64_t *at, uint64_t step);

/* --- kernel memory ----------------------------------------------------------------- */

struct kc_extent {
	uint64_t from;		/* offset in the region */
	uint64_t at;		/* physical address */
};

struct kc_region {
	uint64_t bytes;		/* size of all extents together */
	struct kc_extent *extents;
	size_t count;
};

/* Makes a region from words of an anchor's list. Returns false if there is no memory. */
bool kc_region_make(struct kc_region *region, const uint64_t *words, size_t count,
		    uint32_t page_bytes);
void kc_region_free(struct kc_region *region);
bool kc_region_read(struct kc_memory *memory, const struct kc_region *region, uint64_t offset,
		    void *to, size_t bytes);

/* --- anchors ----------------------------------------------------------------------- */

/* The words of a list, joined from all its pieces that could be read. */
struct kc_list {
	uint64_t *words;
	size_t count;
	size_t room;
	uint64_t limit;		/* maximum number of words */
	bool cut;		/* a piece is missing, and so are all words after it */
	bool changed;		/* the sum of a piece is wrong: a word may be wrong too */
};

struct kc_anchor {
	uint64_t at;		/* physical address */
	struct kutrace_anchor head;
	struct kutrace_anchor_state state;	/* the newest valid copy */
	bool older_state;	/* the newer copy is not valid */
	struct kc_list list;
	struct kc_list bytes;	/* list of the pages of the counter bytes */
};

enum kc_found {
	KC_NO_ANCHOR,		/* no anchor at this address */
	KC_ANCHOR,
	KC_DAMAGED,		/* a damaged anchor; *why has the cause */
};

/* Reads the anchor at the address. The caller must free @anchor in every case. */
enum kc_found kc_anchor_read(struct kc_memory *memory, uint64_t at, struct kc_anchor *anchor,
			     const char **why);
void kc_anchor_free(struct kc_anchor *anchor);
/* Finds the next anchor from *@at on. Returns false if there is none. */
bool kc_anchor_next(struct kc_memory *memory, uint64_t *at,
		    void (*progress)(uint64_t done, uint64_t total));
/* Returns the words of a section of the list that could be read, and their number in *@count. */
const uint64_t *kc_anchor_section(const struct kc_anchor *anchor, unsigned int section,
				  size_t *count);

/* --- blocks ------------------------------------------------------------------------ */

/* State of the CPU that wrote to the block when the machine stopped. */
struct kc_claimed {
	uint64_t last;		/* full time of the last claimed entry */
	uint32_t index;		/* index of the next word */
};

struct kc_checked {
	uint64_t last;		/* time of the last entry; of the header if there is no entry */
	uint32_t end;		/* words from here on are not entries, and are dropped */
	/* words between these two indexes belong to an unfinished entry, and are dropped */
	uint32_t hole_from;
	uint32_t hole_to;
	bool incomplete;	/* an entry was claimed but not stored, or only in part */
	bool damaged;		/* some words are not entries, or have an impossible time */
};

/*
 * Checks a block with a valid header, whose entries must not be later than @limit. @claimed: state
 * of the CPU that writes to the block; NULL: no CPU does.
 */
struct kc_checked kc_block_check(const uint64_t *words, uint64_t limit,
				 const struct kc_claimed *claimed);
/* Replaces the words to drop by zeros, which are not entries. */
void kc_block_clear(uint64_t *words, const struct kc_checked *checked);

/* --- sessions ---------------------------------------------------------------------- */

/* Missing and damaged data. */
struct kc_damage {
	uint64_t entries;	/* number of impossible entries of the block table */
	uint64_t unreadable;	/* number of blocks that are not in the dump */
	/* number of blocks whose header contradicts the table, or has a wrong time */
	uint64_t headers;
	uint64_t cut;		/* number of blocks that were cut at a damaged word */
	bool names;		/* the bounds of the name buffer are impossible */
	uint64_t incomplete;	/* number of entries that were claimed and not stored completely */
};

struct kc_block {
	uint64_t seq;
	uint64_t counts;	/* time in the block's header */
	uint32_t index;
	uint32_t cpu;
	struct kc_checked checked;
};

/* State of a CPU, from the session's ring or a slot. */
struct kc_cpu {
	bool open;
	uint32_t block;
	uint32_t index;
	uint64_t last;		/* low 50 bits of the time of its last entry */
};

struct kc_session {
	struct kc_memory *memory;
	struct kc_anchor anchor;
	struct kutrace_info info;	/* information about the module, as of the crash */
	bool recording;			/* the recording was on; info shows it as ended */
	struct kc_region region[KUTRACE_ANCHOR_CPUS];
	struct kc_region bytes;		/* pages of the counter bytes */
	/* the meta page, followed by the block table, which has only valid blocks */
	struct kutrace_meta_page *meta;
	struct kutrace_block *table;
	struct kc_block *blocks;	/* the valid blocks, sorted by number */
	size_t nblocks;
	/* number of blocks with a valid number; some may be damaged */
	size_t numbered;
	uint32_t *block_of;		/* index + 1 in blocks of each table index; 0: none */
	struct kc_cpu cpus[KUTRACE_CPUS];
	struct kc_damage damage;
};

/*
 * Opens the session and takes over @anchor. Returns NULL, or the cause of the error. The caller
 * must free the session in every case. kc_session_load() reads the content of the blocks.
 */
const char *kc_session_open(struct kc_session *session, struct kc_memory *memory,
			    struct kc_anchor *anchor);
/* Reads and checks all blocks. Returns NULL, or the cause of the error. */
const char *kc_session_load(struct kc_session *session,
			    void (*progress)(uint64_t done, uint64_t total));
void kc_session_free(struct kc_session *session);
/* Reads the words of a valid block. Words that are not entries are zero. */
bool kc_session_block(struct kc_session *session, uint32_t index, uint64_t *words);

/* --- traces ------------------------------------------------------------------------ */

/*
 * Writes the trace of a loaded session to the file @path, which gets its name when it is
 * complete; NULL: to standard output. Returns 0 or a negative errno. @progress, as for a dump,
 * may be NULL.
 */
int kc_trace_write(struct kc_session *session, const char *path,
		   int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes),
		   struct kutrace_dump_result *result);

#endif
