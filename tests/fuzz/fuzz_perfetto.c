// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target for Perfetto traces, through all stages of perfettotoevent and eventtospan. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "interop/perfetto_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int err, fd = memfd_create("trace", MFD_CLOEXEC);
	struct kp_pf_import_counts counts;
	struct kp_event_sink sink;
	struct fuzz_back back;
	char message[400];

	fuzz_check(fd >= 0, "a file in memory");
	fuzz_check(write(fd, data, size) == (ssize_t)size, "room for the trace");
	sink = fuzz_back_open(&back);
	err = kp_pf_import(fdopen(fd, "r"), &sink, &counts, message, sizeof(message));
	fuzz_check(!err || message[0], "what comes out is in order, or there is nothing");
	fuzz_back_close(&back, err);
	return 0;
}
