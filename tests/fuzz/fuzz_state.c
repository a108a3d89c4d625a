// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzz target for the file of stream --state. An accepted state is the same after it is written
 * and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/shared/sending.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kutrace_stream_state state, again;
	int fd = memfd_create("state", 0), ret;
	char name[64], path[64];

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ret = cmd_read_state(name, &state);
	check(!ret || ret == -EILSEQ, "it is a state, or none");
	if (!ret && size) {
		snprintf(path, sizeof(path), "/tmp/fuzz_state.%d", (int)getpid());
		check(!cmd_write_state(path, &state), "it can be written");
		check(!cmd_read_state(path, &again), "and read");
		check(!memcmp(&state, &again, sizeof(state)), "and is the same");
		unlink(path);
	}
	close(fd);
	return 0;
}
