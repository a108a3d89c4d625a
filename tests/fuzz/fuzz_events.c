// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target for event text, through all stages of eventtospan. */
#include "eventtext/eventtext.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kp_event_reader reader;
	struct kp_event_sink sink;
	struct fuzz_back back;
	FILE *file;
	int err;

	if (!size)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	fuzz_check(file != NULL, "a stream");
	sink = fuzz_back_open(&back);
	err = kp_event_text_read(&reader, file, "fuzz", &sink);
	fuzz_back_close(&back, err);
	fclose(file);
	return 0;
}
