/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of a recording: the module's data, the names, and the file with the trace.
 * Functions return 0 or a negative errno.
 */
#ifndef KU_LIB_TRACE_RECORDING_H
#define KU_LIB_TRACE_RECORDING_H

#include <sys/uio.h>

#include "common/file.h"
#include "lib/names/sources.h"
#include "libkutrace.h"

/* --- the file ---------------------------------------------------------------------- */

/*
 * Called several times a second and after each signal, while a write or open waits. Any result
 * except 0 ends the wait with this result. go_on NULL: waits without a limit.
 */
struct ku_patience {
	int (*go_on)(void *arg);
	void *arg;
};

/* A file that gets its name when it is complete. */
struct ku_trace_file {
	/* part.fd is always set; without a part.name, the file is written directly */
	struct ku_part part;
	/* true if the file replaces an existing file, whose properties are in before */
	bool replaces;
	struct stat before;
	uint64_t written_bytes;
	size_t last_bytes;	/* number of bytes of the last write, which may have ended early */
	struct ku_patience patience;
};

int ku_file_create(struct ku_trace_file *file, const char *fname, struct ku_patience patience);
/* Gives a new file the owner in @options (may be NULL), if root writes it. */
void ku_file_set_owner(const struct ku_trace_file *file, const struct kutrace_dump_options *options);
/* Writes all bytes of @iov, and changes @iov. */
int ku_file_write(struct ku_trace_file *file, struct iovec *iov, int count);
/*
 * Closes the file and gives it its name. After an error, no file remains, except when only
 * syncing the folder failed: the file is then complete and has its name.
 */
int ku_file_commit(struct ku_trace_file *file);

/* --- the recording ----------------------------------------------------------------- */

#define KU_COUNTS_MASK	((1ULL << 56) - 1)
/* Largest clock shift of a recording. A larger value is damaged: shifting could be undefined. */
#define KU_CLOCK_SHIFT_MAX 40
#define KU_BATCH	32	/* number of data blocks written by one system call */
#define KU_STORES_MS	2	/* milliseconds in which interrupted writers store their words */
/* duration below which the kernel's frequency is more exact than the clock pairs */
#define KU_SLOPE_NS	1000000000LL

/* Converts @counts to nanoseconds. info->clock_khz must not be 0, info->clock_shift valid. */
static inline uint64_t ku_counts_to_ns(const struct kutrace_info *info, uint64_t counts)
{
	return (uint64_t)(((unsigned __int128)counts << info->clock_shift) * 1000000 /
			  info->clock_khz);
}

/* Words 0, 2, 4 and 5 of a block, which identify it. */
struct ku_header {
	uint64_t word0;
	uint64_t pid;
	uint64_t comm[2];
};

/* An entry of the block table whose block has a number. CPUs take blocks in the order of seq. */
struct ku_numbered {
	uint64_t seq;
	uint32_t index;
	uint32_t cpu;
	uint32_t state;
};

/* A block of the recording. Blocks are sorted by number. */
struct ku_block_ref {
	uint64_t seq;
	uint32_t index;
	uint32_t cpu;			/* CPU in the block table, like state */
	uint32_t state;
	/* copy of the block, ku_dump_block_bytes() long, freed later; NULL: use the mapping */
	uint64_t *copy;
	/* copy holds the CPU's newest block, which the CPU cannot overwrite */
	bool newest;
	struct ku_header header;
};

struct ku_dump {
	int fd;
	const struct kutrace_dump_options *options;
	struct kutrace_dump_result *result;
	struct kutrace_info info;
	/* the recorded machine; NULL: this machine */
	const struct ku_system *system;
	uint64_t start_us;
	uint64_t stop_us;
	int64_t clock_step_us;
	const struct kutrace_meta_page *meta;
	size_t meta_bytes;
	struct ku_block_ref *refs;
	size_t nrefs;
	bool live;			/* recording goes on, so blocks may change */
	/* snapshot only: CPUs that had blocks when the table was read */
	bool recorded[KUTRACE_CPUS];
	struct ku_header start;		/* header of the first block */
	const struct ku_header *oldest;	/* header of the oldest data block; NULL: none */
	/* time from which the trace has events of all CPUs; 0: computed from refs */
	uint64_t complete;
	uint64_t begin;			/* time up to which names are in force at the beginning */
	struct ku_name_list early;	/* names read before the blocks were copied; may be empty */
	struct ku_name_list names;		/* names in force at the beginning */
	struct ku_name_list late;		/* names recorded later */
	struct ku_trace_file file;
	uint64_t total_bytes;
	uint64_t *words;		/* words of the name block that is being filled */
	unsigned int used;		/* number of words in the name block */
	uint64_t now;			/* time of the last entry in the name block */
};

static inline uint64_t ku_counts_of(const struct ku_header *header)
{
	return header->word0 & KU_COUNTS_MASK;
}

/*
 * Returns KUTRACE_FLAG_IPC and _LLC if the data blocks have these counter bits, in one counter byte
 * for each word; otherwise 0.
 */
static inline unsigned int ku_dump_counted(const struct ku_dump *d)
{
	return (d->info.flags & KUTRACE_RESET_IPC ? KUTRACE_FLAG_IPC : 0) |
	       (d->info.flags & KUTRACE_RESET_LLC ? KUTRACE_FLAG_LLC : 0);
}

/* Returns the size of a data block in the file. */
static inline size_t ku_dump_block_bytes(const struct ku_dump *d)
{
	return KUTRACE_BLOCK_BYTES + (ku_dump_counted(d) ? KUTRACE_IPC_BYTES : 0);
}

/*
 * Opens the device and reads the information. @d must be zero, with an fd of -1. The caller must
 * call ku_dump_end(), also after an error.
 */
int ku_dump_begin(struct ku_dump *d, const struct kutrace_dump_options *options,
		  struct kutrace_dump_result *result);
void ku_dump_end(struct ku_dump *d);
/* Converts a time to microseconds of the trace's clock. */
uint64_t ku_dump_counts_to_us(const struct ku_dump *d, uint64_t counts);
/* Computes the members that depend on the information: losses, clock, header of the first block. */
int ku_dump_describe(struct ku_dump *d);
int ku_dump_map_meta(struct ku_dump *d);
const uint64_t *ku_dump_map_block(struct ku_dump *d, uint32_t index, int *error);
void ku_dump_unmap_block(const uint64_t *block);
/* Maps the counter bytes of the block. */
const uint8_t *ku_dump_map_bytes(struct ku_dump *d, uint32_t index, int *error);
void ku_dump_unmap_bytes(const uint8_t *bytes, uint32_t index);
/* Copies the block's counter bytes, if there are any, after the words at @copy. */
int ku_dump_copy_bytes(struct ku_dump *d, uint32_t index, uint64_t *copy);
/* Reads the header of a block. Returns false if the header is invalid. */
bool ku_dump_read_header(struct ku_header *header, const uint64_t *block, uint32_t cpu);
/*
 * Reads the block table into @list, which has room for all blocks, sorted by number. Returns the
 * length of the list. Must not pause, so that all entries are of about the same time.
 */
size_t ku_dump_read_table(const struct ku_dump *d, struct ku_numbered *list);
/* Fills d->refs with the blocks of the block table. */
int ku_dump_list(struct ku_dump *d);
/* Returns whether all words of the block that were read until now belong to its number. */
bool ku_dump_is_unchanged(const struct ku_dump *d, const struct ku_block_ref *ref);
/* Lists the blocks of a recording that has ended, oldest first, with their headers. */
int ku_dump_list_blocks(struct ku_dump *d);
void ku_dump_find_oldest(struct ku_dump *d);

/* --- names ------------------------------------------------------------------------- */

int ku_dump_collect_names(struct ku_dump *d);

/*
 * Collects all parts of a trace of a recording that has ended: its properties, its blocks in
 * order, its names, and the size. Returns 0 or -errno.
 */
int ku_dump_collect(struct ku_dump *d);

/* --- writing ----------------------------------------------------------------------- */

/* Writes all names, in one or more name blocks, to d->file. */
int ku_dump_write_names(struct ku_dump *d);
/* Writes the names in d->late, in name blocks with the header @header. */
int ku_dump_write_late_names(struct ku_dump *d, const struct ku_header *header);
/*
 * Writes the data blocks, from the mapping if they are not copied. Returns -EAGAIN if a block has
 * been overwritten while it was written (d->live only); *@failed_seq is its number.
 */
int ku_dump_write_data(struct ku_dump *d, uint64_t *failed_seq);
/*
 * Writes names and data to the file @fname, which gets its name when it is complete. Returns the
 * errors of ku_dump_write_data(), and -ESTALE if a recording that is off has changed meanwhile.
 */
int ku_dump_write_file(struct ku_dump *d, const char *fname, uint64_t *failed_seq);

/* --- reading ----------------------------------------------------------------------- */

struct kutrace_reader {
	/* names that are searched: the newest name of each number, sorted by base and number */
	struct ku_name_list names;
};

/* Sorts the names by base and number, after names were added. */
void ku_reader_sort(struct kutrace_reader *reader);

#endif
