// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads ELF cores with physical addresses: /proc/vmcore, makedumpfile -E, QEMU's
 * dump-guest-memory. Supports 64-bit little-endian machines of any kind.
 */
#include "crash/crash.h"

#include <elf.h>
#include <stdio.h>

#define LOADS_MAX	(1U << 20)

struct load {
	uint64_t at;		/* physical address */
	uint64_t offset;	/* offset in the file */
	uint64_t bytes;		/* number of bytes in the file */
	/* number of bytes of memory; bytes that are not in the file are zero */
	uint64_t memory;
};

struct elf {
	struct load *loads;	/* sorted by address */
	size_t nloads;
	size_t last;		/* index of the segment that was read last */
};

static bool is_elf(const unsigned char *begin)
{
	return !memcmp(begin, ELFMAG, SELFMAG);
}

static int compare_loads(const void *left, const void *right)
{
	const struct load *a = left, *b = right;

	return a->at < b->at ? -1 : a->at > b->at;
}

/*
 * Sets *@count to the number of program headers. If the number is too large for the field e_phnum,
 * the first section header has it.
 */
static bool count_headers(struct kc_memory *memory, const Elf64_Ehdr *head, uint32_t *count)
{
	Elf64_Shdr section;

	*count = head->e_phnum;
	if (head->e_phnum != PN_XNUM)
		return true;
	if (!kc_file_read(&memory->file, head->e_shoff, &section, sizeof(section)))
		return false;
	*count = section.sh_info;
	return true;
}

/* Limits a segment to the end of the file. Returns the number of missing bytes. */
static uint64_t cut_off(const struct kc_memory *memory, struct load *load)
{
	uint64_t bytes = memory->file.bytes, before = load->bytes;

	if (memory->file.records)	/* in a flattened file, reads detect missing bytes */
		return 0;
	if (load->offset >= bytes)
		load->bytes = 0;
	else if (load->bytes > bytes - load->offset)
		load->bytes = bytes - load->offset;
	/* the missing memory must not be read as zeros */
	if (load->bytes < before)
		load->memory = load->bytes;
	return before - load->bytes;
}

static const char *read_loads(struct kc_memory *memory, struct elf *elf, const Elf64_Ehdr *head,
			      uint32_t count)
{
	uint64_t missing = 0;
	Elf64_Phdr program;

	elf->loads = calloc((size_t)count + 1, sizeof(*elf->loads));
	if (!elf->loads)
		return "no memory for its program headers";
	for (uint32_t i = 0; i < count; i++) {
		struct load *load = &elf->loads[elf->nloads];

		if (!kc_file_read(&memory->file, head->e_phoff + (uint64_t)i * sizeof(program),
				  &program, sizeof(program)))
			return "its program headers are cut off";
		if (program.p_type != PT_LOAD || !program.p_memsz)
			continue;
		*load = (struct load){.at = program.p_paddr, .offset = program.p_offset,
				      .bytes = program.p_filesz, .memory = program.p_memsz};
		if (load->memory < load->bytes)
			load->memory = load->bytes;
		if (load->at + load->memory < load->at)
			continue;	/* virtual addresses of the kernel, as in /proc/kcore */
		missing += cut_off(memory, load);
		if (load->at + load->memory > memory->end)
			memory->end = load->at + load->memory;
		elf->nloads++;
	}
	if (!elf->nloads)
		return "it is an ELF file without memory in it (no PT_LOAD)";
	qsort(elf->loads, elf->nloads, sizeof(*elf->loads), compare_loads);
	if (missing || memory->file.cut)
		snprintf(memory->note, sizeof(memory->note),
			 "it is cut off: %llu bytes of memory or more are missing",
			 (unsigned long long)missing);
	return NULL;
}

static const char *open_elf(struct kc_memory *memory)
{
	struct elf *elf = calloc(1, sizeof(*elf));
	Elf64_Ehdr head;
	uint32_t count;

	memory->own = elf;
	if (!elf)
		return "no memory";
	if (!kc_file_read(&memory->file, 0, &head, sizeof(head)))
		return "its ELF header is cut off";
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
		return "it is not a core of a 64-bit little-endian machine";
	if (head.e_type != ET_CORE)
		return "it is an ELF file, but not a core";
	if (head.e_phentsize != sizeof(Elf64_Phdr) || !count_headers(memory, &head, &count) ||
	    count > LOADS_MAX)
		return "its ELF header is damaged";
	return read_loads(memory, elf, &head, count);
}

static void close_elf(struct kc_memory *memory)
{
	struct elf *elf = memory->own;

	if (elf)
		free(elf->loads);
	free(elf);
}

static const struct load *load_of(struct elf *elf, uint64_t at)
{
	for (size_t i = 0; i < elf->nloads; i++) {
		size_t k = (elf->last + i) % elf->nloads;

		if (at - elf->loads[k].at < elf->loads[k].memory && at >= elf->loads[k].at) {
			elf->last = k;
			return &elf->loads[k];
		}
	}
	return NULL;
}

static size_t read_elf(struct kc_memory *memory, uint64_t at, void *to, size_t bytes)
{
	const struct load *load = load_of(memory->own, at);
	uint64_t from, part, stored;

	if (!load)
		return 0;
	from = at - load->at;
	part = load->memory - from < bytes ? load->memory - from : bytes;
	stored = from >= load->bytes ? 0 : load->bytes - from;
	if (stored > part)
		stored = part;
	if (stored && !kc_file_read(&memory->file, load->offset + from, to, (size_t)stored))
		return 0;
	memset((char *)to + stored, 0, (size_t)(part - stored));
	return (size_t)part;
}

static bool next_elf(const struct kc_memory *memory, uint64_t *at, uint64_t step)
{
	const struct elf *elf = memory->own;
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < elf->nloads; i++) {
		const struct load *load = &elf->loads[i];
		uint64_t from = *at > load->at ? *at : load->at;

		if (from > UINT64_MAX - step)
			continue;
		from = (from + step - 1) / step * step;
		if (from >= load->at && from - load->at < load->bytes && from < best)
			best = from;
		if (load->at > best)
			break;
	}
	*at = best;
	return best != UINT64_MAX;
}

const struct kc_format kc_elf = {
	.is = is_elf,
	.open = open_elf,
	.close = close_elf,
	.read = read_elf,
	.next = next_elf,
};
