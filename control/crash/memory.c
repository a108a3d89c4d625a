// SPDX-License-Identifier: BSD-3-Clause
/*
 * The memory of a machine in a dump. Detects the format of the file. Must not invent memory that
 * the dump does not contain.
 */
#include "crash/memory.h"

#include <string.h>

#include "crash/elf.h"
#include "crash/kdump.h"

#define PART	4096	/* the smallest page */

static const struct kc_format *const formats[] = {&kc_elf, &kc_kdump};

const char *kc_memory_open(struct kc_memory *memory, const char *path)
{
	unsigned char begin[16];
	const char *wrong;
	size_t i;

	memset(memory, 0, sizeof(*memory));
	wrong = kc_file_open(&memory->file, path);
	if (wrong)
		return wrong;
	if (!kc_file_read(&memory->file, 0, begin, sizeof(begin)))
		return "it is too short for a dump of memory";
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
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
		size_t part = PART - (size_t)(at % PART);

		if (part > bytes)
			part = bytes;
		if (!memory->format->read(memory, at, out, part))
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
