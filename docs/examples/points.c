// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program that records its own operations by typed tracepoints:
 *
 *	cc points.c $(pkg-config --cflags --libs libkutrace) -o points
 *	kutrace_control run -o points.trace -- ./points
 *	rawtohtml points.trace -o points.html
 *
 * They cost next to nothing while nobody records, and can be switched off and on by
 * name while the program runs: echo 'cache_* off' >/dev/kutrace/tracepoints
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kutrace_point.h>

KUTRACE_POINT(cache_hit, "key=%s", (const char *, key));
KUTRACE_POINT(cache_miss, "key=%s loaded %u bytes in %.1f ms",
	      (const char *, key), (unsigned int, bytes), (double, ms));

#define SLOTS 4

static char cached[SLOTS][16];

static void look_up(const char *key, unsigned int slot)
{
	if (!strcmp(cached[slot], key)) {
		kutrace_point_cache_hit(key);
		return;
	}
	usleep(1500);
	snprintf(cached[slot], sizeof(cached[slot]), "%s", key);
	kutrace_point_cache_miss(key, (unsigned int)strlen(key) * 1000, 1.5);
}

int main(void)
{
	char key[16];
	unsigned int i;

	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "item-%u", i / 2 % (2 * SLOTS));
		look_up(key, i / 2 % SLOTS);
	}
	return 0;
}
