/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds traces word by word and writes them to temporary files, for the tests of the raw reader.
 * The clock has 100 counts per microsecond, so one count is 10 ns. One file of each test program
 * includes it.
 */
#ifndef RAW_BUILD_H
#define RAW_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"

#define WORDS	KUTRACE_BLOCK_WORDS
#define T0	0x123456789000ull	/* count at the start of the trace */
/* microseconds at the start of the trace, 11 s into a minute */
#define US0	1795164611000000ull
#define AT(count) (1100000000 + (int64_t)(count))	/* time of T0 + count */

/* ---- building ---- */

struct trace {
	uint64_t *words;
	/* counter bytes, one per word, written if the flags of the block require them */
	uint8_t *ipc;
	size_t blocks, room;
	size_t used;		/* next free word of the last block */
};

/*
 * Memory of the last finished trace, used again for the next trace. A program makes thousands of
 * traces, and a new allocation for each would take a third of its time.
 */
static struct trace spare;

static uint64_t *last_block(struct trace *t)
{
	return t->words + (t->blocks - 1) * WORDS;
}

static void grow(struct trace *t)
{
	if (t->blocks++ == t->room) {
		t->room = t->room ? 2 * t->room : 8;
		t->words = realloc(t->words, t->room * WORDS * 8);
		t->ipc = realloc(t->ipc, t->room * WORDS);
		assert_non_null(t->words);
		assert_non_null(t->ipc);
	}
	memset(last_block(t), 0, WORDS * 8);
	memset(t->ipc + (t->blocks - 1) * WORDS, 0, WORDS);
}

/* Begins a trace with a first block of process init on CPU 0, claimed at T0. */
static void begin(struct trace *t, unsigned int flags)
{
	uint64_t *w;

	*t = (struct trace){.words = spare.words, .ipc = spare.ipc, .room = spare.room};
	memset(&spare, 0, sizeof(spare));
	grow(t);
	w = last_block(t);
	w[0] = T0;
	w[1] = (uint64_t)flags << 56 | US0;
	w[2] = T0;
	w[3] = US0;
	w[4] = T0 + 5000000000;		/* end of the trace, after 50 s */
	w[5] = US0 + 50000000;
	w[8] = 1;
	memcpy(&w[10], "init", 4);
	t->used = 12;
}

static inline void block(struct trace *t, unsigned int cpu, uint64_t count, uint32_t pid,
		  const char *comm)
{
	uint64_t *w;

	grow(t);
	w = last_block(t);
	w[0] = (uint64_t)cpu << 56 | (T0 + count);
	w[1] = US0 + count / 100;
	w[2] = pid;
	memcpy(&w[4], comm, strlen(comm));
	t->used = 6;
}

static void word(struct trace *t, uint64_t value)
{
	assert_true(t->used < WORDS);
	last_block(t)[t->used++] = value;
}

/* Adds an entry at T0 + @count with 32 bits of argument. */
static void entry(struct trace *t, uint64_t count, unsigned int event, uint32_t arg)
{
	word(t, (T0 + count) << 44 | (uint64_t)event << 32 | arg);
}

static inline void merged(struct trace *t, uint64_t count, unsigned int event, unsigned int delta,
		   unsigned int retval, unsigned int arg)
{
	entry(t, count, event, delta << 24 | retval << 16 | arg);
}

static inline void name(struct trace *t, uint64_t count, unsigned int base, uint32_t number,
		 const char *text)
{
	size_t len = strlen(text), i;

	entry(t, count, base | (unsigned int)(1 + (len + 7) / 8) << 4, number);
	for (i = 0; i < len; i += 8) {
		uint64_t value = 0;

		memcpy(&value, text + i, len - i < 8 ? len - i : 8);
		word(t, value);
	}
}

static FILE *as_file(const struct trace *t)
{
	FILE *file = tmpfile();
	size_t i;

	assert_non_null(file);
	for (i = 0; i < t->blocks; i++) {
		const uint64_t *w = t->words + i * WORDS;

		assert_int_equal(fwrite(w, 8, WORDS, file), WORDS);
		if (w[1] >> 56 & 0xA0)
			assert_int_equal(fwrite(t->ipc + i * WORDS, 1, WORDS, file), WORDS);
	}
	rewind(file);
	return file;
}

static void done(struct trace *t)
{
	free(spare.words);
	free(spare.ipc);
	spare = *t;
	memset(t, 0, sizeof(*t));
}

#endif
