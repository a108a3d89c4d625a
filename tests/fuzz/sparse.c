// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to the form of fuzz_raw.c, without zeros at the end of blocks. With -x,
 * converts back: use it to examine an input that failed.
 *
 *	sparse [-x] <in >out
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS	8192
#define IPC	8192

static uint64_t block[WORDS + IPC / 8];

static int has_ipc(void)
{
	return (block[1] >> 56 & 0xA0) != 0;
}

static int thin(void)
{
	size_t got, words;

	while ((got = fread(block, 1, WORDS * 8, stdin)) == WORDS * 8) {
		for (words = WORDS; words && !block[words - 1]; words--)
			;
		putchar((int)(words & 255));
		putchar((int)(words >> 8));
		fwrite(block, 8, words, stdout);
		if (has_ipc() && fread(block + WORDS, 1, IPC, stdin) != IPC)
			return 0;
	}
	/* The first 16 bits of a cut block are too large for a number of words, so fuzz_raw.c copies it. */
	if (got > 1)
		fwrite(block, 1, got < 64 ? got : 64, stdout);
	return 0;
}

static int thicken(void)
{
	unsigned char head[2];

	while (fread(head, 1, 2, stdin) == 2) {
		size_t words = head[0] | (size_t)head[1] << 8;

		memset(block, 0, sizeof(block));
		if (words > WORDS || fread(block, 8, words, stdin) != words)
			return 0;
		fwrite(block, 1, WORDS * 8 + (has_ipc() ? IPC : 0), stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "-x"))
		return thicken();
	return thin();
}
