/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the memory of an invented machine for the tests of kutrace_crash: a session and its
 * anchor as the module would have written them, and dumps of that memory. One file of each
 * program includes it.
 */
#ifndef CRASH_BUILD_H
#define CRASH_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/entry.h"
#include "kutrace_anchor.h"

#define PAGE		4096u
#define MEMORY		(3u << 19)	/* size of the machine's memory */
#define BASE		0x100000ull	/* lowest address of the memory */
#define BLOCKS		6u
#define CPUS		2u
#define AUX_BYTES	4096u
#define META_BYTES	(2 * PAGE)
#define SPREAD		5u		/* block whose pages are scattered, in reverse order */

#define AT_ANCHOR	(BASE + 0x20000)
#define AT_PIECE	(BASE + 0x30000)
#define AT_META		(BASE + 0x41000)
#define AT_AUX		(BASE + 0x45000)
/* address of CPU states and losses, 256 bytes each */
#define AT_CPUS		(BASE + 0x47000)
/* address of aux_first, aux_last, aux_lost, holders */
#define AT_WORDS	(BASE + 0x4A000)
#define AT_BLOCKS	(BASE + 0x100000)
#define RING		0xFFFF888012345678ull
#define START		0x5000000ull	/* start of the recording in counts */

/* Aborts if building fails, for example because memory or disk space is short. */
#define must(what) ((what) ? (void)0 : abort())

static unsigned char *memory;
static char dump_path[512];

static void *mem(uint64_t at)
{
	must(at >= BASE && at < BASE + MEMORY);
	return memory + (at - BASE);
}

static void put64(uint64_t at, uint64_t value)
{
	memcpy(mem(at), &value, sizeof(value));
}

/* --- building a block word by word ---------------------------------------------------- */

static uint64_t block_at(uint32_t block, uint32_t page)
{
	uint64_t first = AT_BLOCKS + (uint64_t)block * KUTRACE_BLOCK_BYTES;

	return first + (uint64_t)(block == SPREAD ? 15 - page : page) * PAGE;
}

static void put_word(uint32_t block, uint32_t index, uint64_t word)
{
	put64(block_at(block, index * 8 / PAGE) + index * 8 % PAGE, word);
}

static uint64_t a_word(uint64_t count, uint32_t event, uint32_t arg)
{
	return count << KUTRACE_TS_SHIFT | (uint64_t)event << KUTRACE_EVENT_SHIFT | arg;
}

/*
 * Writes @marks entries of event mark_d, numbered from @from, with 10 counts between them,
 * beginning at the time in the block header.
 */
static inline void put_marks(uint32_t block, uint32_t cpu, uint64_t counts, uint32_t from, uint32_t marks)
{
	uint32_t i;

	put_word(block, 0, (uint64_t)cpu << 56 | counts);
	put_word(block, 2, 100 + cpu);
	put_word(block, 4, 0x6b736174);	/* "task" */
	for (i = 0; i < marks; i++)
		put_word(block, KUTRACE_FIRST_WORD + 1 + i,
			 a_word(counts + 10 * (i + 1), KUTRACE_MARKD, from + i));
}

static inline void put_entry(uint32_t block, uint64_t seq, uint32_t cpu, uint32_t state)
{
	struct kutrace_block entry = {.seq = seq, .cpu = cpu, .state = state};

	memcpy(mem(AT_META + PAGE + block * sizeof(entry)), &entry, sizeof(entry));
}

/* Writes the state of a CPU that fills @block: the next index, and the time of its last claim. */
static inline void put_state(uint32_t cpu, uint32_t place, uint32_t block, uint32_t index, uint64_t last)
{
	uint64_t at = AT_CPUS + (cpu * KUTRACE_ANCHOR_PLACES + place) * 256;

	put64(at, last << KUTRACE_ANCHOR_INDEX_BITS | index);
	put64(at + 8, block);
	put64(at + 16, 0);
}

/* Writes the state of a CPU whose index is @ahead words too high. The state contains @ahead. */
static inline void put_state_ahead(uint32_t cpu, uint32_t place, uint32_t block, uint32_t index,
				   uint64_t last, uint32_t ahead)
{
	put_state(cpu, place, block, index + ahead, last);
	put64(AT_CPUS + (cpu * KUTRACE_ANCHOR_PLACES + place) * 256 + 16, ahead);
}

static inline void put_lost(uint32_t cpu, uint32_t place, uint32_t cause, uint64_t lost)
{
	put64(AT_CPUS + (cpu * KUTRACE_ANCHOR_PLACES + place) * 256 + 64 + 8 * cause, lost);
}

/* --- building the anchor ---------------------------------------------------------------- */

static struct kutrace_anchor *the_anchor(void)
{
	return mem(AT_ANCHOR);
}

static struct kutrace_anchor_state *the_state(unsigned int which)
{
	return mem(AT_ANCHOR + 512 + which * sizeof(struct kutrace_anchor_state));
}

static void seal(struct kutrace_anchor_piece *piece)
{
	piece->list_sum = kutrace_anchor_sum(0, (char *)piece + piece->list_offset,
					     piece->list_words);
	piece->head_sum = 0;
	piece->head_sum = kutrace_anchor_sum(0, piece, piece->head_bytes / 8);
}

static void seal_state(struct kutrace_anchor_state *state)
{
	state->sum = kutrace_anchor_sum(0, state, offsetof(struct kutrace_anchor_state, sum) / 8);
}

static void put_piece_head(struct kutrace_anchor_piece *piece, uint64_t self, uint64_t kind,
			   size_t head, size_t list)
{
	piece->magic[0] = KUTRACE_ANCHOR_HIDDEN0 ^ KUTRACE_ANCHOR_KEY;
	piece->magic[1] = kind ^ KUTRACE_ANCHOR_KEY;
	piece->self = self;
	piece->head_bytes = (uint32_t)head;
	piece->list_offset = (uint32_t)list;
}

/* Writes the first @here words into the anchor, and the other words into a second piece. */
static void put_list(const uint64_t *words, size_t count, size_t here)
{
	struct kutrace_anchor_piece *first = mem(AT_ANCHOR), *second = mem(AT_PIECE);

	memcpy(mem(AT_ANCHOR + first->list_offset), words, here * 8);
	first->list_words = here;
	first->next = AT_PIECE;
	put_piece_head(second, AT_PIECE, KUTRACE_ANCHOR_HIDDEN2, sizeof(*second), sizeof(*second));
	memcpy(second + 1, words + here, (count - here) * 8);
	second->list_words = count - here;
	seal(first);
	seal(second);
}

static void put_anchor_list(void)
{
	struct kutrace_anchor *a = the_anchor();
	uint64_t words[512];
	uint32_t i, place, cause;
	size_t n = 0, before;

	words[n++] = AT_META | 1;
	a->section_words[KUTRACE_ANCHOR_META] = n;
	words[n++] = AT_AUX;
	a->section_words[KUTRACE_ANCHOR_AUX] = 1;
	before = n;
	for (i = 0; i < BLOCKS; i++) {
		if (i != SPREAD)
			words[n++] = block_at(i, 0) | 15;
		for (place = 0; place < 16 && i == SPREAD; place++)
			words[n++] = block_at(i, place);
	}
	a->section_words[KUTRACE_ANCHOR_BLOCKS] = n - before;
	for (i = 0; i < CPUS; i++)
		for (place = 0; place < KUTRACE_ANCHOR_PLACES; place++) {
			uint64_t at = AT_CPUS + (i * KUTRACE_ANCHOR_PLACES + place) * 256;

			words[n++] = at;
			words[n++] = at + 8;
			words[n++] = at + 16;
			for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
				words[n++] = at + 64 + 8 * cause;
			put_state(i, place, ~0U, KUTRACE_BLOCK_WORDS, 0);
		}
	a->section_words[KUTRACE_ANCHOR_CPUS] = CPUS * KUTRACE_ANCHOR_CPU_WORDS;
	put_list(words, n, 5);
}

static void put_state_of_session(void)
{
	struct kutrace_anchor_state *state = the_state(0);

	state->number = 7;
	strcpy(state->release, "6.1.0-test");
	strcpy(state->version, "#1 SMP");
	strcpy(state->machine, "x86_64");
	strcpy(state->nodename, "crashed");
	state->info = (struct kutrace_info){
		.length = sizeof(struct kutrace_info), .abi_version = KUTRACE_ABI_VERSION,
		.backend = KUTRACE_BACKEND_TRACEPOINTS, .recording = 1, .nblocks = BLOCKS,
		.flags = KUTRACE_RESET_WRAP, .clock_khz = 2000000, .clock_shift = 5, .ncpus = CPUS,
		.start = {START, 1700000000ULL * 1000000000}, .start_pid = 42,
		.start_comm = "control", .kinds = KUTRACE_KINDS_ALL, .name = "main"};
	*the_state(1) = *state;
	the_state(1)->number = 6;
	the_state(1)->info.recording = 0;
	seal_state(the_state(0));
	seal_state(the_state(1));
}

/* Builds a machine with one session that has no block yet. */
static inline void build_machine(void)
{
	struct kutrace_anchor *a;
	struct kutrace_meta_page *meta;

	free(memory);
	memory = calloc(1, MEMORY);
	must(memory);
	a = the_anchor();
	put_piece_head(&a->piece, AT_ANCHOR, KUTRACE_ANCHOR_HIDDEN1, sizeof(*a),
		       512 + 2 * sizeof(struct kutrace_anchor_state));
	a->version = KUTRACE_ANCHOR_VERSION;
	a->abi_version = KUTRACE_ABI_VERSION;
	a->page_bytes = PAGE;
	a->word_bytes = 8;
	a->state_offset = 512;
	a->state_bytes = sizeof(struct kutrace_anchor_state);
	a->ncpus = CPUS;
	a->causes = KUTRACE_LOST_CAUSES;
	a->created_ns = 5;
	a->section_bytes[KUTRACE_ANCHOR_META] = META_BYTES;
	a->section_bytes[KUTRACE_ANCHOR_AUX] = AUX_BYTES;
	a->section_bytes[KUTRACE_ANCHOR_BLOCKS] = BLOCKS * (uint64_t)KUTRACE_BLOCK_BYTES;
	a->aux_first = AT_WORDS;
	a->aux_last = AT_WORDS + 8;
	a->aux_lost = AT_WORDS + 16;
	a->holder[0] = AT_WORDS + 24;
	a->holder[1] = AT_WORDS + 32;
	a->ring = RING;
	put_state_of_session();
	put_anchor_list();
	meta = mem(AT_META);
	*meta = (struct kutrace_meta_page){
		.length = sizeof(*meta), .abi_version = KUTRACE_ABI_VERSION, .nblocks = BLOCKS,
		.meta_bytes = META_BYTES, .table_offset = PAGE, .aux_bytes = AUX_BYTES};
}

/*
 * Records blocks 0, 1, 3 and 5 on CPU 0, and blocks 2 and 4 on CPU 1, without wrapping. CPU 0
 * still fills block 5, CPU 1 block 4.
 */
static inline void record(void)
{
	build_machine();
	put_marks(0, 0, START + 100, 0, 1000);
	put_marks(1, 0, START + 20000, 1000, 1000);
	put_marks(2, 1, START + 150, 0, 1000);
	put_marks(3, 0, START + 40000, 2000, 1000);
	put_marks(4, 1, START + 30000, 1000, 10);
	put_marks(5, 0, START + 60000, 3000, 4);
	put_entry(0, 1, 0, KUTRACE_BLOCK_DONE);
	put_entry(2, 2, 1, KUTRACE_BLOCK_DONE);
	put_entry(1, 3, 0, KUTRACE_BLOCK_DONE);
	put_entry(4, 4, 1, KUTRACE_BLOCK_CURRENT);
	put_entry(3, 5, 0, KUTRACE_BLOCK_DONE);
	put_entry(5, 6, 0, KUTRACE_BLOCK_CURRENT);
	put_state(0, 0, 5, KUTRACE_FIRST_WORD + 1 + 4, START + 60040);
	/* CPU 1: this session is in the primary slot */
	put64(AT_WORDS + 24, RING);
	put_state(1, 1, 4, KUTRACE_FIRST_WORD + 1 + 10, START + 30100);
}

/* --- writing dumps ------------------------------------------------------------------- */

static FILE *new_dump(void)
{
	FILE *f;

	if (!*dump_path)
		snprintf(dump_path, sizeof(dump_path), "/tmp/test_crash.%d", (int)getpid());
	f = fopen(dump_path, "wb");
	must(f);
	return f;
}

static void write_all(FILE *f, const void *from, size_t bytes)
{
	must(fwrite(from, 1, bytes, f) == bytes);
}

/*
 * Writes an ELF dump in two parts, the second part first. The file omits the last page of the
 * first part, which reads as zeros.
 */
static void write_elf_to(FILE *f)
{
	const uint64_t half = MEMORY / 2;
	Elf64_Ehdr head = {.e_type = ET_CORE, .e_machine = EM_X86_64, .e_phoff = sizeof(head),
			   .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
	Elf64_Phdr part[2] = {
		{.p_type = PT_LOAD, .p_paddr = BASE + half, .p_filesz = half, .p_memsz = half},
		{.p_type = PT_LOAD, .p_paddr = BASE, .p_filesz = half - PAGE, .p_memsz = half},
	};

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	part[0].p_offset = sizeof(head) + sizeof(part);
	part[1].p_offset = part[0].p_offset + half;
	write_all(f, &head, sizeof(head));
	write_all(f, part, sizeof(part));
	write_all(f, memory + half, half);
	write_all(f, memory, half - PAGE);
}

static inline const char *write_elf(void)
{
	FILE *f = new_dump();

	write_elf_to(f);
	must(fclose(f) == 0);
	return dump_path;
}

/*
 * Writes a kdump without the pages of zeros. The other pages are alternately plain and compressed.
 */
static inline const char *write_kdump(uint32_t flags)
{
	const uint32_t first = BASE / PAGE, pages = MEMORY / PAGE, all = first + pages;
	unsigned char head[PAGE] = "KDUMP   ", sub[PAGE] = {0}, had[PAGE] = {0}, dumped[PAGE] = {0};
	static const unsigned char zeros[PAGE];
	uint32_t i, values[] = {PAGE, 1, 2, all};
	struct { uint64_t offset; uint32_t bytes, flags; uint64_t page_flags; } d = {0};
	FILE *f = new_dump();
	long descriptors = 4 * PAGE, data;
	uint32_t count = 0;

	head[8] = 6;
	memcpy(head + 428, values, sizeof(values));
	for (i = 0; i < pages; i++) {
		had[(first + i) / 8] |= (unsigned char)(1u << (first + i) % 8);
		if (!memcmp(memory + i * PAGE, zeros, PAGE))
			continue;
		dumped[(first + i) / 8] |= (unsigned char)(1u << (first + i) % 8);
		count++;
	}
	write_all(f, head, PAGE);
	write_all(f, sub, PAGE);
	write_all(f, had, PAGE);
	write_all(f, dumped, PAGE);
	data = descriptors + (long)(count * sizeof(d));
	count = 0;
	for (i = 0; i < pages; i++) {
		unsigned char packed[2 * PAGE];
		uLongf bytes = sizeof(packed);

		if (!(dumped[(first + i) / 8] >> (first + i) % 8 & 1))
			continue;
		d.flags = i % 3 ? flags : 0;
		if (d.flags == 1)
			must(compress(packed, &bytes, memory + i * PAGE, PAGE) == Z_OK);
		/* store a page without compression if compression does not shrink it */
		if (d.flags != 1 || bytes >= PAGE) {
			memcpy(packed, memory + i * PAGE, bytes = PAGE);
			d.flags &= ~1u;
		}
		d.offset = (uint64_t)data;
		d.bytes = (uint32_t)bytes;
		fseek(f, descriptors + (long)(count++ * sizeof(d)), SEEK_SET);
		write_all(f, &d, sizeof(d));
		fseek(f, data, SEEK_SET);
		write_all(f, packed, bytes);
		data += (long)bytes;
	}
	must(fclose(f) == 0);
	return dump_path;
}

/*
 * Flattens the existing dump: writes its parts in reverse order. Before them, writes a part with
 * wrong content, which a later part replaces.
 */
static inline void flatten(void)
{
	const size_t part = 100000;
	unsigned char header[PAGE] = "makedumpfile";
	uint64_t record[2];
	FILE *f = fopen(dump_path, "rb");
	unsigned char *all;
	size_t bytes, at;

	must(f);
	fseek(f, 0, SEEK_END);
	bytes = (size_t)ftell(f);
	rewind(f);
	all = malloc(bytes);
	must(all);
	must(fread(all, 1, bytes, f) == bytes);
	fclose(f);
	f = new_dump();
	write_all(f, header, sizeof(header));
	/* the part with wrong content, in the header of the dump */
	record[0] = htobe64(40);
	record[1] = htobe64(100);
	write_all(f, record, sizeof(record));
	write_all(f, all + bytes - 100, 100);
	for (at = (bytes - 1) / part * part; ; at -= part) {
		size_t length = bytes - at < part ? bytes - at : part;

		record[0] = htobe64(at);
		record[1] = htobe64(length);
		write_all(f, record, sizeof(record));
		write_all(f, all + at, length);
		if (!at)
			break;
	}
	record[0] = record[1] = ~0ULL;
	write_all(f, record, sizeof(record));
	must(fclose(f) == 0);
	free(all);
}

/* Cuts the dump after @bytes bytes. */
static inline void cut_dump(long bytes)
{
	must(truncate(dump_path, bytes) == 0);
}

static inline void change_dump(long at, const void *to, size_t bytes)
{
	FILE *f = fopen(dump_path, "r+b");

	must(f);
	fseek(f, at, SEEK_SET);
	write_all(f, to, bytes);
	must(fclose(f) == 0);
}

static inline int no_dump(void **state)
{
	(void)state;
	free(memory);
	memory = NULL;
	if (*dump_path)
		unlink(dump_path);
	return 0;
}

#endif
