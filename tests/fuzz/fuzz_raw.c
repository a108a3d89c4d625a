// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for raw traces, through all stages of rawtohtml. An input of odd length goes to
 * the rows of the tables of rawtosqlite and rawtoparquet instead.
 *
 * A block has 64 KiB, mostly zeros, which is too long for a fuzzer. So an input is a trace without
 * these zeros: for each block, a number of words in 16 bits, and the words. The other words of the
 * block, and its counter bytes if its flags require them, are zero. Remaining bytes at the end of
 * the input are appended unchanged, as a cut block. sparse.c converts a trace to this form.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "export/tab.h"
#include "fuzz.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"
#include "transform/trace.h"

#define BLOCKS_MAX	24

static FILE *expand(const uint8_t *data, size_t size)
{
	static uint64_t block[KUTRACE_BLOCK_WORDS + KUTRACE_IPC_BYTES / 8];
	int fd = memfd_create("trace", MFD_CLOEXEC);
	size_t blocks;

	fuzz_check(fd >= 0, "a file in memory");
	for (blocks = 0; size >= 2 && blocks < BLOCKS_MAX; blocks++) {
		size_t words = (size_t)data[0] | (size_t)data[1] << 8;
		size_t bytes = KUTRACE_BLOCK_BYTES;

		if (words > KUTRACE_BLOCK_WORDS || words * 8 > size - 2)
			break;
		memset(block, 0, sizeof(block));
		memcpy(block, data + 2, words * 8);
		data += 2 + words * 8;
		size -= 2 + words * 8;
		if (block[1] >> 56 & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC))
			bytes += KUTRACE_IPC_BYTES;
		fuzz_check(write(fd, block, bytes) == (ssize_t)bytes, "room for the trace");
	}
	if (size > 1)
		fuzz_check(write(fd, data, size) == (ssize_t)size, "room for the trace");
	lseek(fd, 0, SEEK_SET);
	return fdopen(fd, "r");
}

/* ---- tables ---- */

struct tables {
	uint64_t rows[KT_TABLES];
	int64_t sliced, on_cpu;		/* times in ns of all slices and of all threads */
};

static int take_row(void *self, enum kt_table table, const struct kt_cell *cells)
{
	const struct kt_table_info *info = &kt_tables[table];
	struct tables *tables = self;
	size_t i, j;

	for (i = 0; i < info->count; i++) {
		const struct kt_cell *cell = &cells[i];
		const bool text = info->columns[i].type == KT_TEXT;

		if (cell->kind == KT_NO_VALUE)
			fuzz_check(info->columns[i].null, info->columns[i].name);
		else
			fuzz_check((cell->kind == KT_STRING) == text, info->columns[i].name);
		for (j = 0; cell->kind == KT_STRING && j < cell->len; j++)
			fuzz_check(cell->text[j] != 0, "no NUL in a text");
	}
	tables->rows[table]++;
	if (table == KT_SLICE)
		tables->sliced += cells[KC_SLICE_DUR - KC_SLICE_FIRST].number;
	if (table == KT_THREAD)
		tables->on_cpu += cells[KC_THREAD_ON_CPU - KC_THREAD_FIRST].number;
	/* on_cpu_ns is not checked: a trace can have a thread on two CPUs at a time */
	if (table == KT_CALL)
		fuzz_check(cells[KC_CALL_WAITING - KC_CALL_FIRST].number >= 0 &&
			   cells[KC_CALL_WAITING - KC_CALL_FIRST].number <=
			   cells[KC_CALL_ELAPSED - KC_CALL_FIRST].number,
			   "a call is away for part of what elapses");
	return 0;
}

static int name_task(void *self, const struct kp_namedef *def)
{
	return def->ts < 0 ? kp_tasks_name(self, def) : 0;
}

static void to_tables(FILE *file)
{
	struct kp_tasks tasks = {0};
	static struct kp_trace trace;
	struct kp_raw_about about;
	struct tables tables = {0};
	struct kp_tabulate_options how = {
		.sink = { take_row, &tables }, .about = &about, .raw = &trace.raw, .tasks = &tasks,
	};
	struct kp_tabulate *tab;
	struct kp_span_sink sink;

	memset(&trace, 0, sizeof(trace));
	trace.names = name_task;
	trace.names_self = &tasks;
	if (!kp_trace_open(&trace, file, "fuzz")) {
		kp_raw_about(&trace.raw, &about);
		if (!kp_trace_read(&trace)) {
			tab = kp_tabulate_new(&how);
			fuzz_check(tab != NULL, "memory");
			sink = kp_tabulate_sink(tab);
			fuzz_check(!kp_trace_replay(&trace, &sink), "rows can be taken");
			fuzz_check(tables.rows[KT_TRACE] == 1, "one trace");
			fuzz_check(tables.sliced == tables.on_cpu, "threads' time is that of CPUs");
			kp_tabulate_free(tab);
		}
	}
	kp_tasks_free(&tasks);
	kp_trace_free(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kp_raw_summary summary;
	struct kp_event_sink sink;
	struct fuzz_back back;
	static struct kp_raw raw;
	FILE *file = expand(data, size);

	fuzz_check(file != NULL, "a stream");
	if (size & 1) {
		to_tables(file);
		return 0;
	}
	if (kp_raw_open(&raw, file, "fuzz")) {
		fuzz_check(raw.message[0], "a trace that is refused has a reason");
	} else {
		sink = fuzz_back_open(&back);
		fuzz_back_close(&back, kp_raw_events(&raw, &sink, false, &summary));
	}
	kp_raw_close(&raw);
	return 0;
}
