/* SPDX-License-Identifier: BSD-3-Clause */
/* Flips one bit of a file in place: flip FILE BYTE BIT. A second call restores the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char byte;
	off_t at;
	int fd;

	if (argc != 4)
		return 2;
	at = atol(argv[2]);
	fd = open(argv[1], O_RDWR);
	if (fd < 0 || pread(fd, &byte, 1, at) != 1) {
		perror(argv[1]);
		return 1;
	}
	byte ^= (unsigned char)(1u << (atoi(argv[3]) & 7));
	if (pwrite(fd, &byte, 1, at) != 1) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
