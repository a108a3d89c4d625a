// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a recording with counter bytes by the commands of the control call, as the original's
 * library does, for test_ipc.sh:
 *
 *	ipcread OUT	writes the trace to OUT. Reads the bytes 4 KiB at a time, and again word by
 *			word: both must be equal. Prints the number of blocks.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define IPC_WORDS	(KUTRACE_IPC_BYTES / 8)

static int fd;

static uint64_t control(uint64_t command, uint64_t arg)
{
	struct kutrace_control c = {.command = command, .arg = arg, .result = ~0ULL};

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &c)) {
		perror("control");
		exit(1);
	}
	return c.result;
}

static void must(uint64_t result, const char *what, uint64_t at)
{
	if (!result)
		return;
	fprintf(stderr, "%s at %llu: %llx\n", what, (unsigned long long)at,
		(unsigned long long)result);
	exit(1);
}

/* Reads @count words by the command, from index @at on. */
static void get(uint64_t command, uint64_t at, uint64_t *words, uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i += 512) {
		must(control(KUTRACE_CMD_SET4KB, at + i), "SET4KB", at + i);
		must(control(command, (uintptr_t)(words + i)), "get", at + i);
	}
}

int main(int argc, char **argv)
{
	static uint64_t words[KUTRACE_BLOCK_WORDS], bytes[IPC_WORDS];
	uint64_t block, blocks, i, with = 0;
	FILE *out;

	fd = open("/dev/kutrace/control", O_RDWR);
	out = argc == 2 ? fopen(argv[1], "wb") : NULL;
	if (fd < 0 || !out) {
		perror("ipcread");
		return 1;
	}
	blocks = control(KUTRACE_CMD_GETCOUNT, 0) / KUTRACE_BLOCK_WORDS;
	for (block = 0; block < blocks; block++) {
		get(KUTRACE_CMD_GET4KB, block * KUTRACE_BLOCK_WORDS, words,
		    KUTRACE_BLOCK_WORDS);
		if (!block)
			words[1] |= (uint64_t)KUTRACE_FILE_VERSION << 56;
		fwrite(words, sizeof(words), 1, out);
		if (!(words[1] >> 56 & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)))
			continue;
		with++;
		get(KUTRACE_CMD_GETIPC4KB, block * IPC_WORDS, bytes, IPC_WORDS);
		for (i = 0; i < IPC_WORDS; i++)
			must(bytes[i] ^ control(KUTRACE_CMD_GETIPCWORD, block * IPC_WORDS + i),
			     "GETIPCWORD", i);
		fwrite(bytes, sizeof(bytes), 1, out);
	}
	/* beyond the end there is no data */
	must(control(KUTRACE_CMD_GETIPCWORD, blocks * IPC_WORDS), "beyond", blocks);
	printf("%llu blocks, %llu with bytes\n", (unsigned long long)blocks,
	       (unsigned long long)with);
	return fclose(out) != 0;
}
