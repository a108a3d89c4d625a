// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for CTF traces, through all stages of ctftoevent and eventtospan. An input that does
 * not begin with a file name of an archive consists of 32 bits with the length of the metadata, the
 * metadata, and one stream.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "import/ctf_import.h"

static FILE *in_memory(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	fuzz_check(fd >= 0, "a file in memory");
	fuzz_check(write(fd, data, size) == (ssize_t)size, "room for the trace");
	return fdopen(fd, "r");
}

static int add(struct kp_ctf_files *files, const char *name, uint64_t offset, uint64_t bytes)
{
	struct kp_ctf_file *file = KP_PUSH(&files->list);

	fuzz_check(file != NULL, "memory");
	*file = (struct kp_ctf_file){ strdup(name), NULL, offset, bytes };
	return 0;
}

static int open_files(struct kp_ctf_files *files, const uint8_t *data, size_t size)
{
	size_t metadata;

	if (size >= 512 && !memcmp(data + 257, "ustar", 5))
		return kp_ctf_files_archive(files, in_memory(data, size), "fuzz");
	memset(files, 0, sizeof(*files));
	if (size < 5)
		return -1;
	metadata = (size_t)data[0] | (size_t)data[1] << 8;
	if (metadata > size - 4)
		metadata = size - 4;
	files->archive = in_memory(data, size);
	add(files, "metadata", 4, metadata);
	return add(files, "stream", 4 + metadata, size - 4 - metadata);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kp_ctf_source source;
	struct kp_import_counts counts;
	struct kp_ctf_files files;
	struct kp_event_sink sink;
	struct fuzz_back back;
	int err;

	if (open_files(&files, data, size)) {
		kp_ctf_files_close(&files);
		return 0;
	}
	if (kp_ctf_source_open(&source, &files)) {
		fuzz_check(source.message[0], "a trace that is refused has a reason");
	} else {
		sink = fuzz_back_open(&back);
		err = kp_ctf_import(&source, &sink, &counts);
		fuzz_check(!err || source.message[0], "what comes out is in order, or there is nothing");
		fuzz_back_close(&back, err);
	}
	kp_ctf_source_close(&source);
	return 0;
}
