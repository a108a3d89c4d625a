// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sends a byte to a child and back, COUNT times:
 *
 *	pingpong COUNT		prints "main PID child PID"
 *
 * On one CPU, each byte makes two context switches, for test_switches.sh.
 */
#include <stdio.h>

#include "pingpong.h"

int main(int argc, char **argv)
{
	struct pingpong p;
	long left;

	if (argc != 2 || pingpong_begin(&p))
		return 2;
	for (left = atol(argv[1]); left > 0; left--)
		if (pingpong_trip(&p))
			return 1;
	pingpong_end(&p);
	printf("main %d child %d\n", (int)getpid(), (int)p.child);
	return 0;
}
