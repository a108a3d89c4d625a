// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target: raw traces, through all that rawtohtml does with them.
 *
 * A block is 64 KiB and mostly zero, which is more than a fuzzer can handle. So
 * an input is a trace without the zeros: for each block a 16-bit number of words
 * and those words; the rest of the block (and its IPC bytes, if its flags say so)
 * is zero. What is left over at the end is appended as it is: a cut-off block.
 * sparse.c makes that form of a trace.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "rawtrace/events.h"
#include "rawtrace/raw.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kp_raw_summary summary;
	struct kp_event_sink sink;
	struct fuzz_back back;
	static struct kp_raw raw;
	FILE *file = expand(data, size);

	fuzz_check(file != NULL, "a stream");
	if (kp_raw_open(&raw, file, "fuzz")) {
		fuzz_check(raw.message[0], "a trace that is refused has a reason");
	} else {
		sink = fuzz_back_open(&back);
		fuzz_back_close(&back, kp_raw_events(&raw, &sink, false, &summary));
	}
	kp_raw_close(&raw);
	return 0;
}
