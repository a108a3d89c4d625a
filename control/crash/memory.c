// SPDX-License-Identifier: BSD-3-Clause
/*
 * The memory of a machine in a dump, by physical address and in regions that were contiguous in
 * the kernel's address space. Detects the format of the file. Must not invent memory that the dump
 * does not contain, and must not read outside a region's extents.
 */
#include "crash/crash.h"

static const struct kc_format *const formats[] = {&kc_elf, &kc_kdump};

const char *kc_memory_open(struct kc_memory *memory, const char *path)
{
	unsigned char begin[16];
	const char *wrong;

	memset(memory, 0, sizeof(*memory));
	wrong = kc_file_open(&memory->file, path);
	if (wrong)
		return wrong;
	if (!kc_file_read(&memory->file, 0, begin, sizeof(begin)))
		return "it is too short for a dump of memory";
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i]->is(begin))
			continue;
		memory->format = formats[i];
		return formats[i]->open(memory);
	}
	return "it is neither an ELF core nor a dump of makedumpfile";
}

void kc_memory_close(struct kc_memory *memory)
{
	if (memory->format)
		memory->format->close(memory);
	kc_file_close(&memory->file);
}

bool kc_memory_read(struct kc_memory *memory, uint64_t at, void *to, size_t bytes)
{
	char *out = to;

	while (bytes) {
		size_t part = memory->format->read(memory, at, out, bytes);

		if (!part)
			return false;
		out += part;
		at += part;
		bytes -= part;
	}
	return true;
}

bool kc_memory_next(const struct kc_memory *memory, uint64_t *at, uint64_t step)
{
	return memory->format->next(memory, at, step);
}

bool kc_region_make(struct kc_region *region, const uint64_t *words, size_t count,
		    uint32_t page_bytes)
{
	memset(region, 0, sizeof(*region));
	region->extents = calloc(count + 1, sizeof(*region->extents));
	if (!region->extents)
		return false;
	for (size_t i = 0; i < count; i++) {
		region->extents[i] = (struct kc_extent){
			.from = region->bytes, .at = words[i] & ~KUTRACE_ANCHOR_PAGES_MASK};
		region->bytes += ((words[i] & KUTRACE_ANCHOR_PAGES_MASK) + 1) * page_bytes;
	}
	region->count = count;
	return true;
}

void kc_region_free(struct kc_region *region)
{
	free(region->extents);
	memset(region, 0, sizeof(*region));
}

/* Returns the extent that contains the offset, which must be inside the region. */
static size_t extent_of(const struct kc_region *region, uint64_t offset)
{
	size_t low = 0, high = region->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (region->extents[middle].from <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool kc_region_read(struct kc_memory *memory, const struct kc_region *region, uint64_t offset,
		    void *to, size_t bytes)
{
	char *out = to;

	if (offset > region->bytes || bytes > region->bytes - offset)
		return false;
	while (bytes) {
		size_t i = extent_of(region, offset);
		uint64_t end = i + 1 < region->count ? region->extents[i + 1].from : region->bytes;
		uint64_t part = end - offset < bytes ? end - offset : bytes;

		if (!kc_memory_read(memory, region->extents[i].at + (offset - region->extents[i].from),
				    out, (size_t)part))
			return false;
		out += part;
		offset += part;
		bytes -= (size_t)part;
	}
	return true;
}
