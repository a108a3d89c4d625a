// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for CTF traces, through all stages of ctftoevent and eventtospan. The input is a tar
 * archive, or the length of the metadata (16 bits and two zero bytes), the metadata, and one stream.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "interop/ctf.h"

/*
 * LSan must ignore leaks of libbabeltrace2, which does not free everything after an error. It
 * recognises them by the names of functions, so LLVMFuzzerInitialize() keeps the plugins loaded.
 */
const char *__lsan_default_suppressions(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);

const char *__lsan_default_suppressions(void)
{
	return "leak:babeltrace\nleak:libglib\n";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const bt_plugin *ctf, *utils;

	(void)argc;
	(void)argv;
	bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &ctf);
	bt_plugin_find("utils", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &utils);
	return 0;
}

static FILE *in_memory(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	fuzz_check(fd >= 0, "a file in memory");
	fuzz_check(write(fd, data, size) == (ssize_t)size, "room for the trace");
	return fdopen(fd, "r");
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "room for the trace");
	close(fd);
}

/* Names of the folder and the files of an input that is not an archive. */
static char folder[64], metadata[80], stream[80];

static void name_folder(void)
{
	snprintf(folder, sizeof(folder), "/dev/shm/fuzz_ctf.%d", (int)getpid());
	snprintf(metadata, sizeof(metadata), "%s/metadata", folder);
	snprintf(stream, sizeof(stream), "%s/stream", folder);
}

static void remove_folder(void)
{
	unlink(metadata);
	unlink(stream);
	rmdir(folder);
}

static int open_files(struct kp_ctf_files *files, const uint8_t *data, size_t size)
{
	size_t len;

	if (size >= 512 && !memcmp(data + 257, "ustar", 5))
		return kp_ctf_files_archive(files, in_memory(data, size), "fuzz");
	memset(files, 0, sizeof(*files));
	if (size < 5)
		return -1;
	len = (size_t)data[0] | (size_t)data[1] << 8;
	if (len > size - 4)
		len = size - 4;
	name_folder();
	mkdir(folder, 0700);
	write_file(metadata, data + 4, len);
	write_file(stream, data + 4 + len, size - 4 - len);
	return kp_ctf_files_folder(files, folder);
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
		remove_folder();
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
	remove_folder();
	return 0;
}
