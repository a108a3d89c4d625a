/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a raw trace as kutrace-trace(5) describes it, for the tests of the dump. It does not
 * use libkutrace, so that libkutrace does not judge its own output.
 */
#ifndef LIB_TRACE_H
#define LIB_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_name {
	size_t block;
	uint32_t cpu;
	uint64_t counts;	/* full time */
	uint32_t base;
	uint32_t number;
	char text[57];
};

struct trace {
	uint64_t *words;
	size_t blocks;
	struct trace_name *names;
	size_t nnames;
	size_t deltas;		/* number of TSDELTA entries in the name blocks */
};

#define TRACE_WORDS 8192

static inline uint64_t *trace_block(const struct trace *t, size_t block)
{
	return t->words + block * TRACE_WORDS;
}

/* Returns the full time of a 20-bit timestamp that follows the time @now. */
static inline uint64_t trace_expand(uint64_t now, uint64_t ts)
{
	uint64_t step = (ts - now) & 0xFFFFF;

	return step > 0xE0000 ? now + step - 0x100000 : now + step;
}

/* Reads the entries of one block. Returns false if they violate the format. */
static inline bool trace_read_block(struct trace *t, size_t block)
{
	const uint64_t *w = trace_block(t, block);
	uint64_t now = w[0] & 0xFFFFFFFFFFFFFF;
	size_t i = block ? 6 : 12;

	while (i < TRACE_WORDS) {
		uint32_t event = w[i] >> 32 & 0xFFF;
		uint32_t words = event >> 4 & 0xF;
		struct trace_name *name;

		if (!w[i]) {
			i++;
			continue;
		}
		if (event == 0x21D) {
			now += (uint64_t)((uint32_t)w[i] >= 2000000000U
					  ? (int64_t)(uint32_t)w[i] - (1LL << 32)
					  : (int64_t)(uint32_t)w[i]);
			if ((now & 0xFFFFF) != w[i] >> 44)
				return false;
			t->deltas++;
			i++;
			continue;
		}
		now = trace_expand(now, w[i] >> 44);
		if (event < 0x10 || event > 0x1FF || !words) {
			i++;		/* some other event */
			continue;
		}
		if (words > 8 || i + words > TRACE_WORDS)
			return false;
		/* the array is full at each power of two */
		if (!(t->nnames & (t->nnames - 1)))
			t->names = realloc(t->names, (t->nnames ? 2 * t->nnames : 1) *
					   sizeof(*t->names));
		name = &t->names[t->nnames++];
		memset(name, 0, sizeof(*name));
		name->block = block;
		name->cpu = (uint32_t)(w[0] >> 56);
		name->counts = now;
		name->base = event & 0xF0F;
		name->number = (uint32_t)w[i];
		memcpy(name->text, w + i + 1, (words - 1) * 8);
		i += words;
	}
	return true;
}

/* Searches the first @name_blocks blocks for names. */
static inline bool trace_read(struct trace *t, const char *path, size_t name_blocks)
{
	FILE *f = fopen(path, "rb");
	size_t i, bytes;
	long end;

	memset(t, 0, sizeof(*t));
	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	end = ftell(f);
	rewind(f);
	if (end <= 0 || end % 65536)
		return fclose(f), false;
	bytes = (size_t)end;
	t->words = malloc(bytes);
	t->blocks = bytes / 65536;
	if (fread(t->words, 1, bytes, f) != bytes)
		return fclose(f), false;
	fclose(f);
	for (i = 0; i < name_blocks && i < t->blocks; i++)
		if (!trace_read_block(t, i))
			return false;
	return true;
}

static inline void trace_free(struct trace *t)
{
	free(t->words);
	free(t->names);
	memset(t, 0, sizeof(*t));
}

/* Returns the name of @number, or NULL if it has no name or several. */
static inline const struct trace_name *trace_name(const struct trace *t, uint32_t base,
						  uint32_t number)
{
	const struct trace_name *found = NULL;
	size_t i;

	for (i = 0; i < t->nnames; i++) {
		if (t->names[i].base != base || t->names[i].number != number)
			continue;
		if (found)
			return NULL;
		found = &t->names[i];
	}
	return found;
}

static inline bool trace_has_meta(const struct trace *t, const char *text)
{
	size_t i;

	for (i = 0; i < t->nnames; i++)
		if (t->names[i].base == 0x10F && !strcmp(t->names[i].text, text))
			return true;
	return false;
}

#endif
