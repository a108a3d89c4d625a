// SPDX-License-Identifier: BSD-3-Clause
/*
 * Collects the names of a trace: the names in force when it begins, and the names recorded later.
 * Must not omit a name that an event in the trace needs.
 *
 * Writes the version-3 raw trace: the first block (clock pairs, names), further name blocks, then
 * the CPUs' blocks in the order in which the CPUs took them, directly from the mapping. Must not
 * change the recording, so that a failed dump can be repeated.
 *
 *	 first block				other blocks
 *	 0	cpu << 56 | counts		same
 *	 1	flags << 56 | microseconds	same
 *	 2, 3	start: counts, microseconds	2: pid, 3: 0
 *	 4, 5	stop: counts, microseconds	process name
 *	 6, 7	0				entries from 6
 *	 8-11	same as 2..5 of other blocks
 *	12...	entries
 *
 * If counters were read, bits in the flags of data blocks show this, and the counter bytes follow
 * each data block. Name blocks have no counter bytes.
 *
 * Names come first, sorted by time. Names in force when the trace begins have the time of their
 * block. Names recorded later follow; TSDELTA entries lead from one name to the next. The CPU of a
 * name block has no meaning.
 *
 * Readers take the start of a block for a context switch to its pid at its time. A name block
 * must not add such a switch. So its header repeats the header of another block of the file: the
 * first block.
 *
 * In a wrapped trace, readers drop old events of the first block, and names are in force at the
 * beginning if they were recorded before the oldest remaining block. So the name blocks after the
 * first block then repeat the header of the oldest data block.
 */
#include "lib/trace/recording.h"

#include <unistd.h>

#include "lib/device/device.h"
#include "lib/session/handle.h"

/* --- names ------------------------------------------------------------------------- */

/* Adds the process name that the program passed to go, if it differs from the kernel's. */
static int add_process_name(struct ku_dump *d)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];

	ku_process_name(name, sizeof(name));
	if (d->system || !*name || !strcmp(name, d->info.start_comm) ||
	    d->info.start_pid != (uint32_t)getpid())
		return 0;
	return ku_names_add(&d->names, KUTRACE_NAME_PID, d->info.start_pid, name, strlen(name));
}

/*
 * Adds the pid of the program that is recorded. Adds nothing if this process did not start the
 * recording, or is in another pid namespace than the trace: then pids in the trace differ.
 */
static int add_program(struct ku_dump *d)
{
	if (!d->options || !d->options->program_pid || d->info.start_pid != (uint32_t)getpid())
		return 0;
	return ku_names_add_meta(&d->names, "run=%u", d->options->program_pid);
}

/* Adds the last firing. A trace without a firing has no such fact. */
static int add_fired(struct ku_dump *d)
{
	struct kutrace_fired fired = {.length = sizeof(fired)};
	char text[400], *what;
	int ret;

	if (!d->info.fired || ku_device_ioctl(d->fd, KUTRACE_IOC_FIRED, &fired) || !fired.fired)
		return 0;
	fired.comm[sizeof(fired.comm) - 1] = '\0';
	kutrace_fired_text(&fired, text, sizeof(text));
	/* use the part after the colon: one name cannot hold the whole text */
	what = strstr(text, ": ");
	if (what)
		*what = '\0';
	ret = ku_names_add_meta(&d->names, "fired=%s", text);
	return ret || !what ? ret : ku_names_add_meta(&d->names, "fired_by=%s", what + 2);
}

/*
 * Adds the time from which the trace has events of all CPUs. With shares, each CPU overwrites its
 * own blocks, so the events of the CPUs begin at different times.
 */
static int add_partial(struct ku_dump *d)
{
	uint64_t oldest[KUTRACE_CPUS] = {0}, complete = d->complete;

	if (!d->info.share_blocks || !d->info.wrapped)
		return 0;
	/* search from the newest to the oldest block */
	for (size_t i = complete ? 0 : d->nrefs; i--; )
		oldest[d->refs[i].header.word0 >> 56] = ku_counts_of(&d->refs[i].header);
	for (size_t i = 0; i < KUTRACE_CPUS; i++)
		if (oldest[i] > complete)
			complete = oldest[i];
		else if (d->recorded[i] && !oldest[i])	/* the trace has no block of this CPU */
			complete = d->info.stop.counts;
	return complete <= d->begin ? 0 :
	       ku_names_add_meta(&d->names, KUTRACE_META_PARTIAL "%llu:%llu",
				 (unsigned long long)d->begin, (unsigned long long)complete);
}

static int add_copy(struct ku_name_list *to, const struct ku_name *name)
{
	int ret = ku_names_add(to, name->base, name->number, name->text, name->length);

	if (!ret) {
		to->list[to->count - 1].counts = name->counts;
		to->list[to->count - 1].kind = name->kind;
	}
	return ret;
}

/*
 * Collects all names: in d->names, the names in force when the trace begins, one for each number;
 * in d->late, all later names, sorted by time.
 */
int ku_dump_collect_names(struct ku_dump *d)
{
	uint64_t end = d->info.stop.counts;
	struct ku_name_list all = {0};
	int ret;

	d->begin = d->info.start.counts;
	if (d->info.wrapped && d->oldest && ku_counts_of(d->oldest) > d->begin)
		d->begin = ku_counts_of(d->oldest);
	ret = ku_names_fixed(&d->names, d->system ? d->system->machine : NULL);
	ret = ret ?: ku_names_points(d->fd, &d->names);
	for (size_t i = 0; i < d->early.count && !ret; i++)
		ret = add_copy(&all, &d->early.list[i]);
	ret = ret ?: ku_names_kernel(d->fd, &d->info, d->meta->aux_bytes, &all,
				     &d->result->bad_names);
	ku_names_once(&all);
	for (size_t i = 0; i < all.count && !ret; i++) {
		const struct ku_name *name = &all.list[i];
		struct ku_name_list *to = name->counts <= d->begin ? &d->names : &d->late;

		ret = add_copy(to, name);
		/* names recorded while recording was being turned off get the stop time */
		if (!ret && name->counts > end)
			to->list[to->count - 1].counts = end;
	}
	ku_names_free(&all);
	ret = ret ?: add_process_name(d);
	/* added after the module's names, in which the idle task may be swapper */
	ret = ret ?: ku_names_add(&d->names, KUTRACE_NAME_PID, 0, "-idle-", 6);
	if (!ret) {
		d->names.list[d->names.count - 1].counts = d->begin;
		ret = d->system ? ku_names_system(&d->names, d->system)
				: ku_names_machine(&d->names);
	}
	if (!ret && !d->system && d->info.categories & (KUTRACE_MASK_SCHED | KUTRACE_MASK_PROCESS))
		ret = ku_names_cgroups(&d->names, &d->late);
	if (!ret && !d->system && d->info.categories & KUTRACE_MASK_DISK)
		ret = ku_names_disks(&d->names);
	if (!ret && d->live)
		ret = ku_names_add_meta(&d->names, "live_overwritten_blocks=%llu",
					(unsigned long long)d->result->overwritten_blocks);
	ret = ret ?: ku_names_meta(&d->names, &d->info,
				   d->options ? d->options->tool : NULL,
				   d->result->bad_names, d->result->bad_blocks,
				   d->clock_step_us, d->system);
	ret = ret ?: add_partial(d);
	ret = ret ?: add_program(d);
	ret = ret ?: add_fired(d);
	if (ret)
		return ret;
	ku_names_newest(&d->names);
	ku_names_by_time(&d->late);
	d->result->names = d->names.count + d->late.count;
	return 0;
}

int ku_dump_collect(struct ku_dump *d)
{
	int ret = ku_dump_describe(d);

	ret = ret ?: ku_dump_map_meta(d);
	ret = ret ?: ku_dump_list_blocks(d);
	ret = ret ?: ku_dump_collect_names(d);
	if (ret)
		return ret;
	d->total_bytes = d->nrefs * (uint64_t)ku_dump_block_bytes(d) + KUTRACE_BLOCK_BYTES;
	return 0;
}

/* --- blocks ------------------------------------------------------------------------ */

/* largest step of one TSDELTA; from 2,000,000,000 on, steps are negative */
#define DELTA_MAX	1999999999ULL
/* largest number of TSDELTAs before a name for which the default header is used */
#define CHAIN_GOOD	1000
/* limit for the TSDELTAs before a name: a block has room for them and the name */
#define CHAIN_MAX	8000

static int progress(void *arg)
{
	const struct ku_dump *d = arg;
	const struct kutrace_dump_options *o = d->options;

	if (o && o->progress && o->progress(o->progress_arg, d->file.written_bytes, d->total_bytes))
		return -ECANCELED;
	return 0;
}

static int write_block(struct ku_dump *d)
{
	struct iovec iov = {.iov_base = d->words, .iov_len = KUTRACE_BLOCK_BYTES};

	d->result->name_blocks++;
	return ku_file_write(&d->file, &iov, 1);
}

static void begin_first_block(struct ku_dump *d)
{
	uint64_t flags = KUTRACE_FILE_VERSION | (d->info.wrapped ? KUTRACE_FLAG_WRAP : 0);
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = d->start.word0;
	w[1] = flags << 56 | (d->start_us & KU_COUNTS_MASK);
	w[2] = d->info.start.counts;
	w[3] = d->start_us;
	w[4] = d->info.stop.counts;
	w[5] = d->stop_us;
	w[8] = d->start.pid;
	w[10] = d->start.comm[0];
	w[11] = d->start.comm[1];
	d->used = KUTRACE_FIRST_WORD0;
	d->now = d->info.start.counts;
}

static void begin_block(struct ku_dump *d, const struct ku_header *header)
{
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = header->word0;
	w[1] = ku_dump_counts_to_us(d, header->word0 & KU_COUNTS_MASK);
	w[2] = header->pid;
	w[4] = header->comm[0];
	w[5] = header->comm[1];
	d->used = KUTRACE_FIRST_WORD;
	d->now = ku_counts_of(header);
}

static bool room_for(const struct ku_dump *d, uint64_t words)
{
	return d->used + words <= KUTRACE_BLOCK_WORDS;
}

/* Returns the number of TSDELTA entries for a step of @counts. */
static uint64_t deltas_needed(uint64_t counts)
{
	return counts > KUTRACE_GAP_MAX ? (counts + DELTA_MAX - 1) / DELTA_MAX : 0;
}

static void put_deltas(struct ku_dump *d, uint64_t counts)
{
	while (counts) {
		uint64_t step = counts < DELTA_MAX ? counts : DELTA_MAX;

		d->now += step;
		d->words[d->used++] = (d->now & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
				      (uint64_t)KUTRACE_TSDELTA << KUTRACE_EVENT_SHIFT |
				      step;
		counts -= step;
	}
}

/*
 * Returns the header for a name block whose first name has the time @counts: the header of the
 * first block, or of the oldest data block (see above). If that block is days older, returns the
 * header of the last data block before the name.
 */
static const struct ku_header *header_for(const struct ku_dump *d, uint64_t counts)
{
	const struct ku_header *header = d->info.wrapped && d->oldest ? d->oldest : &d->start;

	if (deltas_needed(counts - ku_counts_of(header)) <= CHAIN_GOOD)
		return header;
	for (size_t i = 0; i < d->nrefs; i++) {
		uint64_t at = ku_counts_of(&d->refs[i].header);

		if (at <= counts && at > ku_counts_of(header))
			header = &d->refs[i].header;
	}
	return header;
}

static int next_block(struct ku_dump *d, uint64_t counts)
{
	int ret = write_block(d);

	if (!ret)
		begin_block(d, header_for(d, counts));
	return ret;
}

/* Writes the names in force when the trace begins, with the time of their block. */
static int write_start_names(struct ku_dump *d)
{
	int ret;

	for (size_t i = 0; i < d->names.count; i++) {
		const struct ku_name *name = &d->names.list[i];

		if (!room_for(d, ku_name_words(name))) {
			ret = next_block(d, d->begin);
			if (ret)
				return ret;
		}
		d->used += ku_name_put(d->words + d->used, name, d->now);
	}
	return 0;
}

/* Writes the names recorded while the trace ran. No name is older than its block. */
static int write_late_names(struct ku_dump *d)
{
	uint64_t needed;
	int ret;

	for (size_t i = 0; i < d->late.count; i++) {
		const struct ku_name *name = &d->late.list[i];

		needed = deltas_needed(name->counts - d->now);
		if (!room_for(d, needed + ku_name_words(name)) ||
		    (!i && d->info.wrapped && d->result->name_blocks == 0)) {
			ret = next_block(d, name->counts);
			if (ret)
				return ret;
			needed = deltas_needed(name->counts - d->now);
		}
		/* after a gap of a week, the name gets the time of the last entry before the gap */
		if (needed <= CHAIN_MAX) {
			put_deltas(d, needed ? name->counts - d->now : 0);
			d->now = name->counts;
		}
		d->used += ku_name_put(d->words + d->used, name, d->now);
	}
	return 0;
}

int ku_dump_write_late_names(struct ku_dump *d, const struct ku_header *header)
{
	int ret;

	if (!d->late.count)
		return 0;
	begin_block(d, header);
	ret = write_late_names(d);
	return ret ?: write_block(d);
}

int ku_dump_write_names(struct ku_dump *d)
{
	int ret;

	begin_first_block(d);
	ret = write_start_names(d);
	ret = ret ?: write_late_names(d);
	return ret ?: write_block(d);
}

/*
 * Checks the numbers of the written blocks. Returns -EAGAIN if a block has been overwritten while
 * it was written from the mapping. *@failed_seq gets its number.
 */
static int check_batch(struct ku_dump *d, const struct ku_block_ref *ref, size_t count,
		       uint64_t *failed_seq)
{
	if (!d->live)
		return 0;
	for (size_t i = count; i--; ) {
		if (ref[i].copy || ku_dump_is_unchanged(d, &ref[i]))
			continue;
		*failed_seq = ref[i].seq;
		return -EAGAIN;
	}
	return 0;
}

/* A data block to write, mapped or copied. */
struct data_block {
	uint64_t head[2];
	const uint64_t *words;
	const uint8_t *bytes;	/* counter bytes of the block; NULL: none */
};

static void unmap_data_block(const struct ku_block_ref *ref, const struct data_block *block)
{
	if (ref->copy)
		return;
	if (block->words)
		ku_dump_unmap_block(block->words);
	if (block->bytes)
		ku_dump_unmap_bytes(block->bytes, ref->index);
}

static int map_data_block(struct ku_dump *d, const struct ku_block_ref *ref, struct data_block *block)
{
	uint64_t flags = ku_dump_counted(d);
	int ret = 0;

	block->head[0] = ref->header.word0;
	block->head[1] = flags << 56 | ku_dump_counts_to_us(d, ku_counts_of(&ref->header));
	block->bytes = NULL;
	block->words = ref->copy ? ref->copy : ku_dump_map_block(d, ref->index, &ret);
	if (!block->words || !flags)
		return ret;
	block->bytes = ref->copy ? (const uint8_t *)(ref->copy + KUTRACE_BLOCK_WORDS)
				   : ku_dump_map_bytes(d, ref->index, &ret);
	if (!block->bytes)
		unmap_data_block(ref, block);
	return ret;
}

static struct iovec *add_data_block(struct iovec *iov, struct data_block *block)
{
	*iov++ = (struct iovec){block->head, sizeof(block->head)};
	*iov++ = (struct iovec){(void *)(uintptr_t)(block->words + 2),
				KUTRACE_BLOCK_BYTES - sizeof(block->head)};
	if (block->bytes)
		*iov++ = (struct iovec){(void *)(uintptr_t)block->bytes, KUTRACE_IPC_BYTES};
	return iov;
}

/* Writes @count data blocks from @ref on, in one system call. */
static int write_batch(struct ku_dump *d, const struct ku_block_ref *ref, size_t count,
		       uint64_t *failed_seq)
{
	struct iovec iov[3 * KU_BATCH], *end = iov;
	struct data_block blocks[KU_BATCH];
	size_t i, got = 0;
	int ret = 0;

	for (; got < count && !ret; got += !ret) {
		ret = map_data_block(d, ref + got, blocks + got);
		if (!ret)
			end = add_data_block(end, blocks + got);
	}
	ret = ret ?: ku_file_write(&d->file, iov, (int)(end - iov));
	ret = ret ?: check_batch(d, ref, count, failed_seq);
	for (i = 0; i < got; i++)
		unmap_data_block(ref + i, blocks + i);
	return ret;
}

int ku_dump_write_data(struct ku_dump *d, uint64_t *failed_seq)
{
	size_t i, count;
	int ret = 0;

	for (i = 0; i < d->nrefs && !ret; i += count) {
		count = d->nrefs - i < KU_BATCH ? d->nrefs - i : KU_BATCH;
		ret = write_batch(d, d->refs + i, count, failed_seq);
		ret = ret ?: progress(d);
	}
	return ret;
}

/* --- the file ---------------------------------------------------------------------- */

/* Returns -ESTALE if another program has reset the recording or recorded into it meanwhile. */
static int check_unchanged(struct ku_dump *d)
{
	struct kutrace_info now;
	int ret = ku_device_info(d->fd, &now);

	if (ret)
		return ret;
	if (now.recording || now.taken_blocks != d->info.taken_blocks ||
	    now.start.counts != d->info.start.counts ||
	    now.stop.counts != d->info.stop.counts)
		return -ESTALE;
	return 0;
}

int ku_dump_write_file(struct ku_dump *d, const char *fname, uint64_t *failed_seq)
{
	int ret = ku_file_create(&d->file, fname, (struct ku_patience){.go_on = progress, .arg = d});

	if (ret)
		return ret;
	ku_file_set_owner(&d->file, d->options);
	ret = ku_dump_write_names(d);
	ret = ret ?: ku_dump_write_data(d, failed_seq);
	if (!ret && !d->live)
		ret = check_unchanged(d);
	if (ret) {
		ku_part_abandon(&d->file.part);
		return ret;
	}
	d->result->bytes = d->file.written_bytes;
	return ku_file_commit(&d->file);
}
