// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for the files that samptoname reads in addition to spans. The input up to the first
 * byte 0xFF is the kernel's kallsyms, and the rest is the maps of a process. The folder in which the
 * paths of the maps are searched is empty. Then samples at addresses from the input get names.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "kutrace_events.h"
#include "report/sym.h"

static FILE *stream_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	FILE *file;

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory");
	lseek(fd, 0, SEEK_SET);
	file = fdopen(fd, "r");
	fuzz_check(file != NULL, "a stream");
	return file;
}

static const char *empty_folder(void)
{
	static char folder[] = "/tmp/fuzz_symbols.XXXXXX";
	static bool made;

	if (!made)
		fuzz_check(mkdtemp(folder) != NULL, "a folder");
	made = true;
	return folder;
}

static uint64_t named;

static int count_named(void *self, const struct kp_span *span)
{
	(void)self;
	fuzz_check(span->name_len >= 3 && !memcmp(span->name, "PC=", 3),
		   "a sample stays a sample");
	fuzz_check(span->name_len < 4096 && strlen(span->name) == span->name_len,
		   "a name is a text");
	named++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kp_span_sink nowhere = {.span = count_named};
	const uint8_t *split = size ? memchr(data, 0xFF, size) : NULL;
	const size_t first = split ? (size_t)(split - data) : size;
	struct kp_sym sym = {.next = &nowhere};
	struct kp_span span = {.dur = 0, .pid = 7};
	struct kp_span_sink sink;
	char name[24];
	size_t at;
	FILE *in = stream_of(data, first);

	if (kp_sym_kallsyms(&sym, in, "kallsyms"))
		fuzz_check(sym.message[0], "symbols that are refused have a reason");
	fclose(in);
	if (split) {
		in = stream_of(split + 1, size - first - 1);
		/* A collection of the maps of several processes begins with =. */
		if (kp_sym_maps(&sym, first + 1 < size && split[1] == '=' ? "all" : "7", in, "maps",
				empty_folder(), NULL))
			fuzz_check(sym.message[0], "maps that are refused have a reason");
		fclose(in);
	}
	sink = kp_sym_sink(&sym);
	for (at = 0; at + 8 <= size && at < 512; at += 8) {
		uint64_t address;

		memcpy(&address, data + at, sizeof(address));
		/* Use eight bytes of the input and the address of a kernel symbol alternately. */
		if (at % 16)
			address = sym.kernel_count
					  ? sym.kernel[at % sym.kernel_count].address
					  : 0;
		snprintf(name, sizeof(name), "PC=%012llx", (unsigned long long)address);
		span.event = at % 24 ? KUTRACE_PC_K : KUTRACE_PC_U;
		span.name = name;
		span.name_len = strlen(name);
		/* If the maps were refused, there are no names to look up. */
		if (!sym.message[0])
			fuzz_check(!sink.span(sink.self, &span), "a sample is passed on");
	}
	kp_sym_free(&sym);
	return 0;
}
