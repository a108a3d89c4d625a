// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distinguishes the threads that had the same pid, see model/lives.h.
 */
#include "model/lives.h"

#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"
#include "model/header.h"

static bool is_wait(const struct kp_span *span)
{
	return span->cpu < 0 && span->event >= KUTRACE_MADE_WAITA && span->event <= KUTRACE_MADE_WAITZ;
}

/* Returns the entry of @pid, which is added if needed; NULL without memory. */
static struct kp_life *life_of(struct kp_lives *lives, int64_t pid)
{
	struct kp_life *life;
	uint32_t place;

	if (kp_map_get(&lives->places, (uint64_t)pid, &place))
		return &lives->list.items[place];
	place = (uint32_t)lives->list.count;
	life = KP_PUSH(&lives->list);
	if (!life || kp_map_set(&lives->places, (uint64_t)pid, place))
		return NULL;
	*life = (struct kp_life){ .until = INT64_MAX };
	return life;
}

/* Returns the pid of the thread that runs, waits or is woken in the row; 0: none. */
static int64_t whose(const struct kp_span *span)
{
	if (span->event == KP_EVENT_WAKEUP)
		return span->retval;
	return is_wait(span) || kp_span_is_execution(span) ? span->pid : 0;
}

/* Updates the last pause from its row. The rows of a pause on several CPUs touch or overlap. */
static void take_pause(struct kp_lives *lives, const struct kp_span *span)
{
	const int64_t end = span->start + span->dur;

	if (span->start > lives->resumed) {
		lives->paused = span->start;
		lives->resumed = end;
	} else if (end > lives->resumed) {
		lives->resumed = end;
	}
}

/*
 * Returns true if the thread has had no row before @now for such a time that its pid was free. The
 * time in a pause does not count, because a thread has no rows in it.
 */
static bool was_absent(const struct kp_lives *lives, const struct kp_life *life, int64_t now)
{
	const int64_t off = lives->paused > life->until ? lives->paused : life->until;
	const int64_t on = lives->resumed < now ? lives->resumed : now;
	int64_t absent;

	if (life->until >= now)
		return false;
	absent = now - life->until - (on > off ? on - off : 0);
	return absent >= KP_LIFE_GAP && absent / 2 >= lives->resolution;
}

/*
 * Updates the entry with a row in which the thread exists. After an exit and a gap it is a new
 * thread.
 */
static void is_there(const struct kp_lives *lives, struct kp_life *life, const struct kp_span *span)
{
	const int64_t end = span->start + span->dur;

	if (life->exiting && was_absent(lives, life, span->start)) {
		life->number++;
		life->exiting = false;
	}
	if (life->until == INT64_MAX || end > life->until)
		life->until = end;
}

void kp_lives_header(struct kp_lives *lives, const struct kp_header_item *items, size_t count)
{
	lives->resolution = kp_header_resolution(items, count);
}

int64_t kp_lives_row(struct kp_lives *lives, const struct kp_span *span)
{
	const bool exits = span->event == KUTRACE_TASKEXIT;
	const int64_t pid = exits ? span->arg0 : whose(span);
	struct kp_life *life;

	if (span->event == KUTRACE_MADE_PAUSE)
		take_pause(lives, span);
	if (pid > 0) {
		life = life_of(lives, pid);
		if (!life)
			return -1;
		if (exits)
			life->exiting = true;
		else
			is_there(lives, life, span);
	}
	return kp_lives_of(lives, span->pid);
}

uint32_t kp_lives_of(const struct kp_lives *lives, int64_t pid)
{
	uint32_t place;

	return kp_map_get(&lives->places, (uint64_t)pid, &place) ? lives->list.items[place].number : 0;
}

bool kp_lives_exiting(const struct kp_lives *lives, int64_t pid)
{
	uint32_t place;

	return kp_map_get(&lives->places, (uint64_t)pid, &place) && lives->list.items[place].exiting;
}

void kp_lives_free(struct kp_lives *lives)
{
	kp_map_free(&lives->places);
	free(lives->list.items);
	memset(lives, 0, sizeof(*lives));
}
