// SPDX-License-Identifier: BSD-3-Clause
/*
 * Extracts a session from a dump: its information, its block table and its blocks at the time of
 * the crash, without damaged words. Must not trust an address, a number or a time: each is
 * compared with other data.
 */
#include "crash/crash.h"

#include "lib/trace/recording.h"

#define STATE_MASK	((1ULL << (64 - KUTRACE_ANCHOR_INDEX_BITS)) - 1)
#define NO_BLOCK	(~0U)
/* The year 2100. Readers of traces accept no later time. */
#define LATEST_NS	4102444800000000000ULL

/* --- CPUs ----------------------------------------------------------------------------- */

static bool read64(const struct kc_session *s, uint64_t at, __u64 *value)
{
	*value = 0;
	return at && kc_memory_read(s->memory, at, value, sizeof(*value));
}

/* Returns whether slot @slot (1: primary, 2: secondary) holds the session's state. */
static bool slot_has_ring(const struct kc_session *s, unsigned int slot)
{
	__u64 ring;

	return read64(s, s->anchor.head.holder[slot - 1], &ring) && ring == s->anchor.head.ring;
}

static void read_slot(struct kc_session *s, struct kc_cpu *cpu, const uint64_t *at)
{
	uint32_t block, ahead, index, cause;
	__u64 state, lost;

	for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
		if (read64(s, at[KUTRACE_ANCHOR_LOST + cause], &lost))
			s->info.lost[cause] += lost;
	if (!read64(s, at[KUTRACE_ANCHOR_STATE], &state) ||
	    !kc_memory_read(s->memory, at[KUTRACE_ANCHOR_BLOCK], &block, sizeof(block)) ||
	    !kc_memory_read(s->memory, at[KUTRACE_ANCHOR_AHEAD], &ahead, sizeof(ahead)))
		return;
	index = (uint32_t)(state & ((1U << KUTRACE_ANCHOR_INDEX_BITS) - 1));
	/* closed: the CPU has no block */
	if (block == NO_BLOCK || index > KUTRACE_BLOCK_WORDS || ahead > index)
		return;
	cpu->index = index - ahead;
	cpu->last = state >> KUTRACE_ANCHOR_INDEX_BITS;
	cpu->block = block;
	cpu->open = cpu->last != 0;
}

static void read_cpus(struct kc_session *s)
{
	__u64 probe = s->info.lost[KUTRACE_LOST_PROBE], names;
	bool ours[KUTRACE_ANCHOR_PLACES] = {true, slot_has_ring(s, 1), slot_has_ring(s, 2)};
	const uint64_t *words;
	size_t count, cpu;

	words = kc_anchor_section(&s->anchor, KUTRACE_ANCHOR_CPUS, &count);
	memset(s->info.lost, 0, sizeof(s->info.lost));
	for (cpu = 0; cpu < KUTRACE_CPUS && cpu < s->anchor.head.ncpus &&
	     (cpu + 1) * KUTRACE_ANCHOR_CPU_WORDS <= count; cpu++)
		for (unsigned int slot = 0; slot < KUTRACE_ANCHOR_PLACES; slot++)
			if (ours[slot])
				read_slot(s, &s->cpus[cpu],
					  words + cpu * KUTRACE_ANCHOR_CPU_WORDS +
					  slot * KUTRACE_ANCHOR_PLACE_WORDS);
	s->info.lost[KUTRACE_LOST_PROBE] = probe;
	if (read64(s, s->anchor.head.aux_lost, &names))
		s->info.lost[KUTRACE_LOST_NAMES] = names;
}

/* Reads the bounds of the names in their buffer. If they are damaged, there are no names. */
static void read_names_bounds(struct kc_session *s)
{
	uint64_t bytes = s->anchor.head.section_bytes[KUTRACE_ANCHOR_AUX];
	struct kutrace_info *info = &s->info;

	if (read64(s, s->anchor.head.aux_first, &info->aux_first) &&
	    read64(s, s->anchor.head.aux_last, &info->aux_last) &&
	    info->aux_first <= info->aux_last && info->aux_last - info->aux_first <= bytes &&
	    !(info->aux_first % 8) && bytes && !(bytes & (bytes - 1)) && bytes <= 1ULL << 30)
		return;
	info->aux_first = 0;
	info->aux_last = 0;
	s->damage.names = true;
}

/* --- the table ------------------------------------------------------------------------ */

static const char *read_table(struct kc_session *s)
{
	uint64_t bytes = s->anchor.head.section_bytes[KUTRACE_ANCHOR_META];
	struct kutrace_meta_page page;

	if (!kc_region_read(s->memory, &s->region[KUTRACE_ANCHOR_META], 0, &page, sizeof(page)))
		return "its block table is not in the dump";
	if (page.length != sizeof(page) || page.abi_version != KUTRACE_ABI_VERSION ||
	    page.meta_bytes != bytes || page.nblocks != s->info.nblocks || bytes > 1ULL << 30 ||
	    page.table_offset < sizeof(page) || page.table_offset % sizeof(uint64_t) ||
	    page.table_offset > bytes ||
	    (bytes - page.table_offset) / sizeof(struct kutrace_block) < page.nblocks)
		return "its block table is damaged";
	s->meta = calloc(1, (size_t)bytes);
	if (!s->meta)
		return "no memory for its block table";
	*s->meta = page;
	s->meta->aux_bytes = s->anchor.head.section_bytes[KUTRACE_ANCHOR_AUX];
	s->table = (struct kutrace_block *)((char *)s->meta + page.table_offset);
	if (!kc_region_read(s->memory, &s->region[KUTRACE_ANCHOR_META], page.table_offset, s->table,
			    page.nblocks * sizeof(*s->table)))
		return "its block table is not in the dump";
	return NULL;
}

static int compare_blocks(const void *left, const void *right)
{
	const struct kc_block *a = left, *b = right;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Lists the plausible entries of the block table, sorted by number. */
static bool list_blocks(struct kc_session *s)
{
	size_t from, to = 0;

	s->blocks = calloc((size_t)s->info.nblocks + 1, sizeof(*s->blocks));
	if (!s->blocks)
		return false;
	for (uint32_t i = 0; i < s->info.nblocks; i++) {
		const struct kutrace_block *entry = &s->table[i];

		/* the block was never taken, or is being cleared */
		if (!entry->seq)
			continue;
		if (entry->state > KUTRACE_BLOCK_DONE || entry->state == KUTRACE_BLOCK_FREE ||
		    entry->cpu >= s->anchor.head.ncpus || entry->cpu >= KUTRACE_CPUS ||
		    entry->seq >> 48) {
			s->damage.entries++;
			continue;
		}
		s->blocks[s->nblocks++] = (struct kc_block){
			.seq = entry->seq, .index = i, .cpu = entry->cpu};
	}
	qsort(s->blocks, s->nblocks, sizeof(*s->blocks), compare_blocks);
	/* of two entries with the same number, at least one is damaged: use the first */
	for (from = 0; from < s->nblocks; from++) {
		if (to && s->blocks[to - 1].seq == s->blocks[from].seq) {
			s->damage.entries++;
			continue;
		}
		s->blocks[to++] = s->blocks[from];
	}
	s->nblocks = to;
	s->numbered = to;
	return true;
}

static void drop_block(struct kc_session *s, size_t i, uint64_t *why)
{
	++*why;
	s->blocks[i].seq = 0;
}

static void remove_dropped(struct kc_session *s)
{
	size_t from, to = 0;

	for (from = 0; from < s->nblocks; from++)
		if (s->blocks[from].seq)
			s->blocks[to++] = s->blocks[from];
	s->nblocks = to;
}

static bool read_block(const struct kc_session *s, uint32_t index, void *to, size_t bytes)
{
	return kc_region_read(s->memory, &s->region[KUTRACE_ANCHOR_BLOCKS],
			      (uint64_t)index * KUTRACE_BLOCK_BYTES, to, bytes);
}

static void read_headers(struct kc_session *s)
{
	uint64_t header[KUTRACE_FIRST_WORD];

	for (size_t i = 0; i < s->nblocks; i++) {
		struct kc_block *block = &s->blocks[i];

		if (!read_block(s, block->index, header, sizeof(header))) {
			drop_block(s, i, &s->damage.unreadable);
			continue;
		}
		block->counts = header[0] & KU_COUNTS_MASK;
		if (header[0] >> 56 != block->cpu || !block->counts)
			drop_block(s, i, &s->damage.headers);
	}
	remove_dropped(s);
}

/*
 * Checks the times of each CPU's blocks, which must increase. If two blocks contradict each other,
 * one of them has a wrong time. If the later block fits after the block before both, the earlier
 * block is wrong. Otherwise the later block is wrong.
 */
static void check_order(struct kc_session *s)
{
	for (uint32_t cpu = 0; cpu < s->anchor.head.ncpus && cpu < KUTRACE_CPUS; cpu++) {
		struct kc_block *before = NULL, *last = NULL;

		for (size_t i = 0; i < s->nblocks; i++) {
			struct kc_block *block = &s->blocks[i];

			if (block->cpu != cpu || !block->seq)
				continue;
			if (last && last->counts >= block->counts) {
				bool earlier = !before || before->counts < block->counts;

				drop_block(s, (size_t)((earlier ? last : block) - s->blocks),
					   &s->damage.headers);
				if (earlier)
					last = block;
				continue;
			}
			before = last;
			last = block;
		}
	}
	remove_dropped(s);
}

/* --- blocks --------------------------------------------------------------------------- */

/* Sets the limits: no entry of a block is later than the start of the CPU's next block. */
static void find_limits(const struct kc_session *s, uint64_t *limit)
{
	uint64_t next[KUTRACE_CPUS];

	memset(next, 0xFF, sizeof(next));
	for (size_t i = s->nblocks; i--; ) {
		limit[i] = next[s->blocks[i].cpu];
		next[s->blocks[i].cpu] = s->blocks[i].counts;
	}
}

/* Copies the state of the CPU that wrote to the block. Returns false if no CPU did. */
static bool claimed_of(const struct kc_session *s, const struct kc_block *block,
		       struct kc_claimed *claimed)
{
	const struct kc_cpu *cpu = &s->cpus[block->cpu];

	if (!cpu->open || cpu->block != block->index || cpu->index < KUTRACE_FIRST_WORD)
		return false;
	claimed->index = cpu->index;
	claimed->last = block->counts + ((cpu->last - block->counts) & STATE_MASK);
	return true;
}

static void check_block(struct kc_session *s, size_t i, uint64_t limit, uint64_t *words)
{
	struct kc_block *block = &s->blocks[i];
	struct kc_claimed claimed;
	bool open = limit == UINT64_MAX && claimed_of(s, block, &claimed);

	if (!read_block(s, block->index, words, KUTRACE_BLOCK_BYTES)) {
		drop_block(s, i, &s->damage.unreadable);
		return;
	}
	block->checked = kc_block_check(words, limit, open ? &claimed : NULL);
	s->damage.cut += block->checked.damaged;
	s->damage.incomplete += block->checked.incomplete;
}

/*
 * If the recording was on, or has entries after its stop time, sets the stop time to the time of
 * the last entry of all CPUs. Computes the wall-clock time from the counter.
 */
static void set_stop(struct kc_session *s)
{
	struct kutrace_info *info = &s->info;
	uint64_t last = info->start.counts, span;

	for (size_t i = 0; i < s->nblocks; i++)
		if (s->blocks[i].checked.last > last)
			last = s->blocks[i].checked.last;
	if (!s->recording && info->stop.counts > last)
		return;
	/* the stop time must be later than the start, even if nothing was recorded */
	last += 1000;
	info->stop.counts = last;
	span = last - info->start.counts;
	info->stop.real_ns = info->start.real_ns;
	if (info->clock_khz)
		info->stop.real_ns += ku_counts_to_ns(info, span);
}

/* Makes only the valid blocks visible to readers of the session. */
static bool publish(struct kc_session *s)
{
	struct kutrace_info *info = &s->info;

	s->block_of = calloc((size_t)info->nblocks + 1, sizeof(*s->block_of));
	if (!s->block_of)
		return false;
	for (size_t i = 0; i < s->nblocks; i++)
		s->block_of[s->blocks[i].index] = (uint32_t)i + 1;
	for (size_t i = 0; i < info->nblocks; i++)
		if (!s->block_of[i])
			s->table[i] = (struct kutrace_block){0};
	info->taken_blocks = s->nblocks ? s->blocks[s->nblocks - 1].seq : 0;
	info->used_blocks = (uint32_t)s->numbered;
	info->wrapped = info->flags & KUTRACE_RESET_WRAP &&
			info->taken_blocks > s->numbered + s->damage.entries;
	return true;
}

/* --- opening and closing ---------------------------------------------------------------- */

const char *kc_session_open(struct kc_session *s, struct kc_memory *memory,
			    struct kc_anchor *anchor)
{
	const char *wrong;

	memset(s, 0, sizeof(*s));
	s->memory = memory;
	s->anchor = *anchor;
	anchor->list.words = NULL;
	anchor->bytes.words = NULL;
	s->info = s->anchor.state.info;
	if (s->info.length != sizeof(s->info) || s->info.abi_version != KUTRACE_ABI_VERSION ||
	    s->info.clock_shift > KU_CLOCK_SHIFT_MAX ||
	    s->anchor.head.section_bytes[KUTRACE_ANCHOR_BLOCKS] !=
		    (uint64_t)s->info.nblocks * KUTRACE_BLOCK_BYTES)
		return "its data contradict each other";
	for (unsigned int section = 0; section < KUTRACE_ANCHOR_CPUS; section++) {
		size_t count;
		const uint64_t *words = kc_anchor_section(&s->anchor, section, &count);

		if (!kc_region_make(&s->region[section], words, count, s->anchor.head.page_bytes))
			return "no memory";
	}
	if (!kc_region_make(&s->bytes, s->anchor.bytes.words, s->anchor.bytes.count,
			    s->anchor.head.page_bytes))
		return "no memory";
	s->recording = s->info.recording;
	s->info.recording = 0;
	read_cpus(s);
	wrong = read_table(s);
	if (wrong)
		return wrong;
	if (!list_blocks(s))
		return "no memory";
	read_names_bounds(s);
	return NULL;
}

const char *kc_session_load(struct kc_session *s, void (*progress)(uint64_t done, uint64_t total))
{
	uint64_t *words, *limit;

	read_headers(s);
	check_order(s);
	words = malloc(KUTRACE_BLOCK_BYTES);
	limit = malloc((s->nblocks + 1) * sizeof(*limit));
	if (!words || !limit) {
		free(words);
		free(limit);
		return "no memory";
	}
	find_limits(s, limit);
	for (size_t i = 0; i < s->nblocks; i++) {
		check_block(s, i, limit[i], words);
		if (progress)
			progress(i, s->nblocks);
	}
	free(words);
	free(limit);
	remove_dropped(s);
	set_stop(s);
	if (s->info.start.real_ns > LATEST_NS || s->info.stop.real_ns > LATEST_NS)
		return "its times are impossible";
	return publish(s) ? NULL : "no memory";
}

void kc_session_free(struct kc_session *s)
{
	for (unsigned int section = 0; section < KUTRACE_ANCHOR_CPUS; section++)
		kc_region_free(&s->region[section]);
	kc_region_free(&s->bytes);
	kc_anchor_free(&s->anchor);
	free(s->meta);
	free(s->blocks);
	free(s->block_of);
	memset(s, 0, sizeof(*s));
}

bool kc_session_block(struct kc_session *s, uint32_t index, uint64_t *words)
{
	if (index >= s->info.nblocks || !s->block_of[index] ||
	    !read_block(s, index, words, KUTRACE_BLOCK_BYTES))
		return false;
	kc_block_clear(words, &s->blocks[s->block_of[index] - 1].checked);
	return true;
}
