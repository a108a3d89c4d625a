/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes marks, and nothing else, for the guest tests to count:
 *
 *	marker LABEL COUNT	COUNT times mark_c(LABEL), then mark_d(COUNT)
 *	marker --cost COUNT	prints the nanoseconds of one mark_c
 *
 * It must work the same, and say nothing, when nothing is recorded or no module
 * is loaded.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libkutrace.h"

int main(int argc, char **argv)
{
	struct timespec start, stop;
	long count;

	if (argc != 3 || (count = strtol(argv[2], NULL, 10)) < 1) {
		fprintf(stderr, "usage: marker {LABEL|--cost} COUNT\n");
		return 2;
	}
	if (strcmp(argv[1], "--cost") == 0) {
		kutrace_mark_c("cost");
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (long i = 0; i < count; i++)
			kutrace_mark_c("cost");
		clock_gettime(CLOCK_MONOTONIC, &stop);
		printf("%.1f\n", ((double)(stop.tv_sec - start.tv_sec) * 1e9 +
				  (double)(stop.tv_nsec - start.tv_nsec)) / (double)count);
		return 0;
	}
	for (long i = 0; i < count; i++)
		kutrace_mark_c(argv[1]);
	kutrace_mark_d((uint64_t)count);
	return 0;
}
