// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pauses of a recording, see model/pause.h. It must not trust any number of a trace.
 */
#include "model/pause.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kutrace_events.h"

/*
 * Returns the number at *text, at most 18 digits, and moves *text after it. Returns -1 if there is
 * no digit.
 */
static int64_t take_number(const char **text, const char *end)
{
	const char *p = *text;
	int64_t number = 0;

	while (p < end && *p >= '0' && *p <= '9' && p - *text < 18)
		number = number * 10 + (*p++ - '0');
	if (p == *text)
		return -1;
	*text = p;
	return number;
}

/*
 * Returns true if @text begins with the key @name. Sets *pause, or {0, 0} if the fact is invalid.
 */
static bool parse(const char *name, const char *text, size_t len, struct kp_pause *pause)
{
	const size_t key = strlen(name);
	const char *end = text + len, *p = text + key;
	int64_t off, on = -1;

	if (len < key || memcmp(text, name, key))
		return false;
	off = take_number(&p, end);
	if (off >= 0 && p < end && *p++ == ':')
		on = take_number(&p, end);
	*pause = (struct kp_pause){ 0, 0 };
	if (p == end && off < on)
		*pause = (struct kp_pause){ off, on };
	return true;
}

bool kp_pause_parse(const char *text, size_t len, struct kp_pause *pause)
{
	return parse(KUTRACE_META_PAUSE, text, len, pause);
}

bool kp_partial_parse(const char *text, size_t len, struct kp_pause *partial)
{
	return parse(KUTRACE_META_PARTIAL, text, len, partial);
}

size_t kp_pause_text(const char *key, const struct kp_pause *pause, char text[KP_PAUSE_CHARS])
{
	return (size_t)snprintf(text, KP_PAUSE_CHARS, "%s%" PRId64 ":%" PRId64, key,
				pause->off, pause->on);
}

int kp_pauses_add(struct kp_pauses *pauses, const struct kp_pause *pause)
{
	const size_t count = pauses->count;

	if (pause->off >= pause->on ||
	    (pauses->begun && count && pause->off < pauses->items[count - 1].on))
		return 0;
	if (KP_ROOM(pauses->items, pauses->count, pauses->room))
		return -1;
	pauses->items[pauses->count++] = *pause;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct kp_pause *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

bool kp_pauses_next(struct kp_pauses *pauses, int64_t time, struct kp_pause *pause)
{
	if (!pauses->begun && pauses->count)
		qsort(pauses->items, pauses->count, sizeof(*pauses->items), by_time);
	pauses->begun = true;
	if (pauses->next == pauses->count || pauses->items[pauses->next].off > time)
		return false;
	*pause = pauses->items[pauses->next++];
	for (; pauses->next < pauses->count && pauses->items[pauses->next].off < pause->on; pauses->next++)
		if (pauses->items[pauses->next].on > pause->on)
			pause->on = pauses->items[pauses->next].on;
	return true;
}

void kp_pauses_free(struct kp_pauses *pauses)
{
	free(pauses->items);
	*pauses = (struct kp_pauses){ .items = NULL };
}
