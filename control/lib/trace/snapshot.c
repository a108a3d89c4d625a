// SPDX-License-Identifier: BSD-3-Clause
/*
 * Dumps a recording that is off: writes its trace to a file. Must not change the recording, so
 * that a failed dump can be repeated.
 *
 * Makes a snapshot of a recording that is on: writes a trace of the present content of the buffer
 * while recording goes on. Must not stop or slow the recording. Must not write an overwritten
 * block as if it were whole. The steps of a snapshot:
 *
 *	a) The number of taken blocks is read: T. Later blocks do not belong to the
 *	   snapshot. The names so far are read: blocks that c copies may be overwritten
 *	   before all names are read, and their names are then evicted.
 *	b) The block table is read: for each CPU, all blocks up to its newest one <= T,
 *	   except those that are being overwritten, which are the oldest.
 *	c) Blocks that a CPU writes to are copied up to the last word that is not 0. A
 *	   word before it may be claimed and not stored yet, by a writer that was
 *	   interrupted in between.
 *	d) So these words are copied again after a pause. No interruption takes longer.
 *	e) The clocks are read. All copied words and all full blocks are older.
 *	f) The other blocks are written from the mapping, and their numbers are read
 *	   again: a writer clears the number before it overwrites a word.
 *
 * If a number has changed in f), this block and all older blocks are left out, so that no CPU has a
 * gap in the middle, and f) is repeated. If each CPU has a share of the blocks, only the older
 * blocks of the same CPU are left out. A copied block is its CPU's newest, so it stays at any age.
 *
 * If no block is left, the snapshot begins again at a). This happens if this program waited for a
 * CPU after a) until all blocks were overwritten.
 */
#include "lib/trace/recording.h"

#include "lib/base/sizes.h"
#include "lib/device/device.h"

static int dump(struct ku_dump *d, const char *fname)
{
	int ret;

	if (d->info.recording)
		return -EBUSY;
	ret = ku_dump_collect(d);
	return ret ?: ku_dump_write_file(d, fname, NULL);
}

int kutrace_dump_sized(const char *fname, const struct kutrace_dump_options *options,
		       size_t options_bytes, struct kutrace_dump_result *result,
		       size_t result_bytes)
{
	struct kutrace_dump_result own_result = {0};
	struct kutrace_dump_options own_options;
	char default_name[KUTRACE_FILE_NAME_BYTES];
	struct ku_dump d = {.fd = -1};
	int ret = ku_copy_in(&own_options, sizeof(own_options), options, options_bytes);

	if (!fname || !*fname)
		fname = kutrace_make_trace_file_name(NULL, default_name);
	ret = ret ?: ku_dump_begin(&d, &own_options, &own_result);
	ret = ret ?: dump(&d, fname);
	ku_dump_end(&d);
	ku_copy_out(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}

#define TRIES		50
#define RESTARTS	5

/* Executes step b. */
static int list_live(struct ku_dump *d)
{
	int ret = ku_dump_list(d);

	if (ret)
		return ret;
	for (size_t i = 0; i < d->nrefs; i++)
		d->recorded[d->refs[i].cpu % KUTRACE_CPUS] = true;
	while (d->nrefs && d->refs[d->nrefs - 1].seq > d->info.taken_blocks)
		d->nrefs--;
	return 0;
}

/*
 * The largest number of an overwritten block, for each CPU. Without shares, seq[0] holds the number
 * for all CPUs.
 */
struct overwritten {
	uint64_t seq[KUTRACE_CPUS];
};

static uint64_t *overwritten_of(struct overwritten *list, const struct ku_dump *d, uint32_t cpu)
{
	return &list->seq[d->info.share_blocks ? cpu % KUTRACE_CPUS : 0];
}

static void add_overwritten(struct overwritten *list, const struct ku_dump *d, uint32_t cpu,
			    uint64_t seq)
{
	uint64_t *newest = overwritten_of(list, d, cpu);

	if (seq > *newest)
		*newest = seq;
}

/* Drops all blocks up to the greatest overwritten number, except the newest block of each CPU. */
static void drop_overwritten(struct ku_dump *d, struct overwritten *list)
{
	size_t from, to = 0;

	for (from = 0; from < d->nrefs; from++) {
		if (d->refs[from].newest ||
		    d->refs[from].seq > *overwritten_of(list, d, d->refs[from].cpu)) {
			d->refs[to++] = d->refs[from];
			continue;
		}
		free(d->refs[from].copy);
		d->result->overwritten_blocks++;
	}
	d->nrefs = to;
}

/*
 * Steps c and d: copies words of a block that a CPU writes to. Returns the length up to the last
 * word that is not 0.
 */
static size_t copy_words(uint64_t *copy, const uint64_t *block, size_t words)
{
	const volatile uint64_t *from = block;
	size_t i, end = 0;

	for (i = 0; i < words; i++) {
		copy[i] = from[i];
		if (copy[i])
			end = i + 1;
	}
	return end;
}

struct current {
	struct ku_block_ref *ref;
	const uint64_t *block;
	size_t words;
};

/* Reads all headers, and copies the blocks that CPUs write to. */
static int copy_current(struct ku_dump *d)
{
	struct current *current = calloc(d->nrefs + 1, sizeof(*current));
	size_t from, to = 0, count = 0, i;
	struct overwritten list = {{0}};
	int ret = current ? 0 : -ENOMEM;

	for (from = d->nrefs; from-- && !ret; ) {	/* the newest block first */
		struct ku_block_ref *ref = &d->refs[from];
		bool writing = ref->state == KUTRACE_BLOCK_CURRENT;
		const uint64_t *block = ku_dump_map_block(d, ref->index, &ret);

		if (!block)
			break;
		if (!ku_dump_read_header(&ref->header, block, ref->cpu)) {
			ref->header.word0 = 0;
		} else if (writing) {
			ref->copy = calloc(1, ku_dump_block_bytes(d));
			ref->newest = true;
			ret = ref->copy ? 0 : -ENOMEM;
			current[count].ref = ref;
			current[count].block = block;
			if (!ret)
				current[count].words = copy_words(ref->copy, block,
								  KUTRACE_BLOCK_WORDS);
			count++;
			continue;
		}
		ku_dump_unmap_block(block);
	}
	if (count && !ret)
		kutrace_msleep(KU_STORES_MS);
	for (i = 0; i < count; i++) {
		struct ku_block_ref *ref = current[i].ref;

		if (!ret)
			copy_words(ref->copy, current[i].block, current[i].words);
		ret = ret ?: ku_dump_copy_bytes(d, ref->index, ref->copy);
		/* clear the bytes of entries that came after the copy */
		if (!ret && ku_dump_counted(d))
			memset((uint8_t *)(ref->copy + KUTRACE_BLOCK_WORDS) +
			       current[i].words, 0, KUTRACE_IPC_BYTES - current[i].words);
		ku_dump_unmap_block(current[i].block);
	}
	free(current);
	if (ret)
		return ret;
	for (from = 0; from < d->nrefs; from++) {
		struct ku_block_ref *ref = &d->refs[from];

		if (ku_dump_is_unchanged(d, ref) && ref->header.word0) {
			d->refs[to++] = *ref;
			continue;
		}
		if (ku_dump_is_unchanged(d, ref)) {
			d->result->bad_blocks++;
		} else {
			add_overwritten(&list, d, ref->cpu, ref->seq);
			d->result->overwritten_blocks++;
		}
		free(ref->copy);
	}
	d->nrefs = to;
	drop_overwritten(d, &list);
	return 0;
}

/* Copies and checks all blocks before writing: output to a pipe or device cannot begin again. */
static int copy_all(struct ku_dump *d, uint64_t *failed_seq)
{
	int ret = 0;

	for (size_t i = 0; i < d->nrefs; i++) {
		struct ku_block_ref *ref = &d->refs[i];
		const uint64_t *block;

		if (ref->copy)
			continue;
		block = ku_dump_map_block(d, ref->index, &ret);
		ref->copy = block ? malloc(ku_dump_block_bytes(d)) : NULL;
		if (!ref->copy) {
			if (block)
				ku_dump_unmap_block(block);
			return ret ?: -ENOMEM;
		}
		copy_words(ref->copy, block, KUTRACE_BLOCK_WORDS);
		ku_dump_unmap_block(block);
		ret = ku_dump_copy_bytes(d, ref->index, ref->copy);
		if (ret)
			return ret;
		if (!ku_dump_is_unchanged(d, ref)) {
			*failed_seq = ref->seq;
			return -EAGAIN;
		}
	}
	return 0;
}

static bool is_regular(const char *fname)
{
	struct stat st;

	return stat(fname, &st) < 0 || S_ISREG(st.st_mode);
}

/* Executes one attempt of step f. */
static int try_to_write(struct ku_dump *d, const char *fname, uint64_t *failed_seq)
{
	int ret = is_regular(fname) ? 0 : copy_all(d, failed_seq);

	if (ret)
		return ret;
	ku_dump_find_oldest(d);
	ku_names_free(&d->names);
	ku_names_free(&d->late);
	ret = ku_dump_collect_names(d);
	if (ret)
		return ret;
	d->result->name_blocks = 0;
	d->result->data_blocks = d->nrefs;
	d->total_bytes = d->nrefs * (uint64_t)ku_dump_block_bytes(d) + KUTRACE_BLOCK_BYTES;
	return ku_dump_write_file(d, fname, failed_seq);
}

/*
 * Leaves out the blocks that were overwritten while @d was being written. The next try takes as
 * long as this one, and more blocks will be overwritten meanwhile. So for each CPU that lost
 * blocks, as many of the following blocks are left out as were taken during this try.
 * @taken_blocks: the count when the try began.
 */
static void skip_overwritten(struct ku_dump *d, uint64_t failed_seq, uint64_t taken_blocks,
			     const struct kutrace_info *now)
{
	uint64_t more = now->taken_blocks - taken_blocks;
	struct overwritten list = {{0}};

	for (size_t i = 0; i < d->nrefs; i++) {
		const struct ku_block_ref *ref = &d->refs[i];

		if (ref->seq == failed_seq || (!ref->copy && !ku_dump_is_unchanged(d, ref)))
			add_overwritten(&list, d, ref->cpu, ref->seq + more);
	}
	if (!d->info.share_blocks && now->taken_blocks > d->info.nblocks)
		add_overwritten(&list, d, 0, now->taken_blocks - d->info.nblocks + more);
	drop_overwritten(d, &list);
}

static int snapshot(struct ku_dump *d, const char *fname)
{
	uint64_t start_counts = d->info.start.counts, failed_seq = 0, taken_blocks = d->info.taken_blocks;
	struct kutrace_info now;
	uint64_t bad = 0;
	int ret, tries;

	d->live = true;
	ret = ku_dump_map_meta(d);
	ret = ret ?: ku_names_kernel(d->fd, &d->info, d->meta->aux_bytes, &d->early, &bad);
	ret = ret ?: list_live(d);
	ret = ret ?: copy_current(d);
	if (!ret)
		ret = ku_device_info(d->fd, &d->info);	/* step e */
	if (!ret && d->info.start.counts != start_counts)
		ret = -ESTALE;
	ret = ret ?: ku_dump_describe(d);
	for (tries = 0; !ret && tries < TRIES; tries++) {
		d->info.wrapped |= d->result->overwritten_blocks != 0;
		if (taken_blocks && !d->nrefs && !d->result->bad_blocks) {
			/* all blocks were overwritten before they could be copied */
			ret = -EAGAIN;
			break;
		}
		ret = try_to_write(d, fname, &failed_seq);
		if (ret != -EAGAIN)
			break;
		ret = ku_device_info(d->fd, &now);
		if (ret)
			break;
		if (now.start.counts != start_counts)
			ret = -ESTALE;
		skip_overwritten(d, failed_seq, taken_blocks, &now);
		taken_blocks = now.taken_blocks;
	}
	d->result->wrapped = d->info.wrapped != 0;
	return !ret && tries == TRIES ? -EAGAIN : ret;
}

/*
 * Executes all steps. Sets *@live if recording was on; otherwise does nothing. Sets *@none_left if
 * no block was left.
 */
static int snapshot_once(const char *fname, const struct kutrace_dump_options *options,
			 struct kutrace_dump_result *result, bool *live, bool *none_left)
{
	struct ku_dump d = {.fd = -1};
	int ret = ku_dump_begin(&d, options, result);

	if (!ret) {
		*live = d.info.recording;
		if (*live)
			ret = snapshot(&d, fname);
	}
	*none_left = ret == -EAGAIN && !d.nrefs;
	ku_dump_end(&d);
	return ret;
}

int kutrace_snapshot_sized(const char *fname, const struct kutrace_dump_options *options,
			   size_t options_bytes, struct kutrace_dump_result *result,
			   size_t result_bytes)
{
	struct kutrace_dump_result own_result = {0};
	struct kutrace_dump_options own_options;
	char default_name[KUTRACE_FILE_NAME_BYTES];
	int tries, ret = ku_copy_in(&own_options, sizeof(own_options), options, options_bytes);
	bool live = true, none_left = !ret;

	if (!fname || !*fname)
		fname = kutrace_make_trace_file_name(NULL, default_name);
	for (tries = 0; none_left && tries < RESTARTS; tries++) {
		none_left = false;
		ret = snapshot_once(fname, &own_options, &own_result, &live, &none_left);
	}
	if (!live)
		ret = kutrace_dump(fname, &own_options, &own_result);
	ku_copy_out(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
