// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for memory dumps, from the file to the trace, as kutrace_crash reads them.
 * Checksums protect the content of a dump, so most inputs are changes of a valid dump:
 *
 *	0, FLAGS, then PLACE, OFFSET (16 bits), LENGTH, bytes ... for each change
 *			FLAGS is a sum of 1: correct the checksums, 2: write a dump of
 *			makedumpfile instead of an ELF core, 4: flatten the dump
 *	other first byte	the rest of the input is the dump
 *
 * The written trace must be readable by all stages after rawtoevent.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include "../unit/crash_build.h"
#include "crash/crash.h"
#include "fuzz.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

static const struct {
	uint64_t at;
	uint32_t bytes;
} places[] = {
	{AT_ANCHOR, 512},
	{AT_ANCHOR + 512, 2 * sizeof(struct kutrace_anchor_state)},
	{AT_ANCHOR + 512 + 2 * sizeof(struct kutrace_anchor_state), 512},
	{AT_PIECE, 4096},
	{AT_META, META_BYTES},
	{AT_AUX, AUX_BYTES},
	{AT_CPUS, 6 * 256},
	{AT_WORDS, 256},
	{AT_BLOCKS, 128},
	{AT_BLOCKS + 2 * KUTRACE_BLOCK_BYTES, 16384},
	{AT_BLOCKS, BLOCKS *KUTRACE_BLOCK_BYTES},
};

static void change(const uint8_t *data, size_t size)
{
	while (size >= 4) {
		size_t place = data[0] % (sizeof(places) / sizeof(places[0]));
		uint64_t offset = ((uint64_t)data[1] | (uint64_t)data[2] << 8) *
				  (places[place].bytes > 65536 ? 8 : 1) %
				  places[place].bytes;
		size_t length = data[3] % 32;

		data += 4;
		size -= 4;
		if (length > size)
			length = size;
		if (length > places[place].bytes - offset)
			length = (size_t)(places[place].bytes - offset);
		memcpy(mem(places[place].at + offset), data, length);
		data += length;
		size -= length;
	}
}

/* Corrects the checksums of the states, and of anchor pieces whose list and head are within 64 KiB. */
static void seal_all(void)
{
	static const uint64_t pieces[] = {AT_ANCHOR, AT_PIECE};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct kutrace_anchor_piece *piece = mem(pieces[i]);

		seal_state(the_state(i));
		if (piece->list_offset <= KUTRACE_ANCHOR_BYTES &&
		    !(piece->list_offset % 8) &&
		    piece->list_words <=
			    (KUTRACE_ANCHOR_BYTES - piece->list_offset) / 8 &&
		    piece->head_bytes <= KUTRACE_ANCHOR_BYTES)
			seal(piece);
	}
}

static void write_input(const uint8_t *data, size_t size)
{
	FILE *f;

	if (size < 2 || data[0]) {
		f = new_dump();
		if (size > 1)
			write_all(f, data + 1, size - 1);
		must(fclose(f) == 0);
		return;
	}
	record();
	change(data + 2, size - 2);
	if (data[1] & 1)
		seal_all();
	if (data[1] & 2)
		write_kdump(1);
	else
		write_elf();
	if (data[1] & 4)
		flatten();
}

/* Checks that reading returns 0 or a reason for the refusal. */
static void read_trace(const char *path)
{
	struct kp_raw_summary summary;
	struct kp_event_sink sink;
	struct fuzz_back back;
	static struct kp_raw raw;
	FILE *file = fopen(path, "r");

	fuzz_check(file != NULL, "a trace that was written is there");
	fuzz_check(!kp_raw_open(&raw, file, "fuzz"),
		   "a trace that was written can be read");
	sink = fuzz_back_open(&back);
	fuzz_back_close(&back, kp_raw_events(&raw, &sink, false, &summary));
	kp_raw_close(&raw);
}

static void one_session(struct kc_memory *dump, uint64_t at)
{
	static struct kc_session session;
	struct kutrace_dump_result written;
	struct kc_anchor anchor;
	const char *why = NULL;
	char path[600];

	switch (kc_anchor_read(dump, at, &anchor, &why)) {
	case KC_NO_ANCHOR:
		break;
	case KC_DAMAGED:
		fuzz_check(why != NULL, "an anchor that is of no use has a reason");
		break;
	case KC_ANCHOR:
		memset(&session, 0, sizeof(session));
		why = kc_session_open(&session, dump, &anchor);
		snprintf(path, sizeof(path), "%s.trace", dump_path);
		if (!why && session.info.start.counts &&
		    !kc_session_load(&session, NULL) && session.nblocks &&
		    !kc_trace_write(&session, path, NULL, &written)) {
			read_trace(path);
			unlink(path);
		}
		kc_session_free(&session);
		if (!why)
			return;
		break;
	}
	kc_anchor_free(&anchor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kc_memory dump;
	uint64_t at = 0;
	unsigned int found;

	write_input(data, size);
	if (!kc_memory_open(&dump, dump_path))
		for (found = 0; found < 8 && kc_anchor_next(&dump, &at, NULL); found++) {
			one_session(&dump, at);
			at += KUTRACE_ANCHOR_BYTES;
		}
	kc_memory_close(&dump);
	unlink(dump_path);
	return 0;
}
