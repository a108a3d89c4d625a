// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names by (kind, number), and lives, see model/names.h. The list has no size limit, because a trace may name
 * any number of pids. Names are never removed.
 */
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kutrace_events.h"
#include "model/span.h"

static uint64_t kp_names_key(uint32_t base, uint32_t number)
{
	return (uint64_t)base << 32 | number;
}

/* Returns the object's entry, which is added without a name if needed; NULL without memory. */
static struct kp_name *kp_names_place(struct kp_names *names, uint32_t base, uint32_t number)
{
	struct kp_name *name;
	uint32_t at;

	if (kp_map_get(&names->index, kp_names_key(base, number), &at))
		return &names->list.items[at];
	name = KP_PUSH(&names->list);
	if (!name)
		return NULL;
	*name = (struct kp_name){ .base = base, .number = number };
	if (!kp_map_set(&names->index, kp_names_key(base, number),
			(uint32_t)(names->list.count - 1)))
		return name;
	names->list.count--;
	return NULL;
}

int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len)
{
	struct kp_name *name = kp_names_place(names, base, number);

	if (!name)
		return -1;
	if (len > 1u << 20)
		len = 1u << 20;
	if (name->room <= len) {
		uint32_t room = (uint32_t)(len + 16) & ~15u;
		char *bigger = kp_allocated(realloc(name->text, room));

		if (!bigger)
			return -1;
		name->text = bigger;
		name->room = room;
	}
	memcpy(name->text, text, len);
	name->text[len] = 0;
	name->len = (uint32_t)len;
	return 0;
}

void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind)
{
	uint32_t at;

	if (kp_map_get(&names->index, kp_names_key(base, number), &at))
		names->list.items[at].kind = kind;
}

const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number)
{
	const struct kp_name *name;
	uint32_t at;

	if (!kp_map_get(&names->index, kp_names_key(base, number), &at))
		return NULL;
	name = &names->list.items[at];
	return name->room ? name : NULL;
}

void kp_names_free(struct kp_names *names)
{
	size_t i;

	for (i = 0; i < names->list.count; i++)
		free(names->list.items[i].text);
	free(names->list.items);
	kp_map_free(&names->index);
	memset(names, 0, sizeof(*names));
}

/* ---- lives ---- */

static bool is_wait(const struct kp_span *span)
{
	return span->cpu < 0 && span->event >= KUTRACE_MADE_WAITA && span->event <= KUTRACE_MADE_WAITZ;
}

/* Returns the entry of @pid, which is added if needed; NULL without memory. */
static struct kp_life *life_of(struct kp_lives *lives, int64_t pid)
{
	struct kp_life *life;
	uint32_t index;

	if (kp_map_get(&lives->index, (uint64_t)pid, &index))
		return &lives->list.items[index];
	index = (uint32_t)lives->list.count;
	life = KP_PUSH(&lives->list);
	if (!life || kp_map_set(&lives->index, (uint64_t)pid, index))
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

/* Returns true if rows of this resolution show that time. */
static bool is_long(const struct kp_lives *lives, int64_t time)
{
	return time >= KP_LIFE_GAP && time / 2 >= lives->resolution;
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
	return is_long(lives, absent);
}

/* Returns true if the row overlaps one in which the thread ran on another CPU: it is another thread's. */
static bool overlaps(const struct kp_lives *lives, const struct kp_life *life, const struct kp_span *span)
{
	const bool runs = kp_span_is_execution(span);

	return !(runs && span->cpu == life->cpu) && is_long(lives, life->ran_until - span->start) &&
	       is_long(lives, span->dur);
}

/* Returns true if the row continues the run of the earlier thread on its CPU. */
static bool is_of_earlier(const struct kp_life *life, const struct kp_span *span)
{
	return life->before_until && kp_span_is_execution(span) && span->cpu == life->before_cpu &&
	       span->start - life->before_until < KP_LIFE_GAP;
}

static void begin_life(struct kp_life *life)
{
	life->number++;
	life->exiting = false;
	life->before_cpu = life->cpu;
	life->before_until = life->ran_until;
	life->until = INT64_MAX;
	life->ran_until = 0;
}

/*
 * Updates the entry with a row in which the thread exists. After an exit and a gap, or while it
 * runs elsewhere, it is a new thread.
 */
static void is_there(const struct kp_lives *lives, struct kp_life *life, const struct kp_span *span)
{
	const int64_t end = span->start + span->dur;

	if (is_of_earlier(life, span)) {
		life->before_until = end;
		life->of_row = life->number - 1;
		return;
	}
	if (life->exiting && (was_absent(lives, life, span->start) || overlaps(lives, life, span)))
		begin_life(life);
	life->of_row = life->number;
	if (life->until == INT64_MAX || end > life->until)
		life->until = end;
	if (kp_span_is_execution(span) && span->cpu >= 0) {
		life->cpu = span->cpu;
		life->ran_until = end;
	}
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
	uint32_t index;

	if (!kp_map_get(&lives->index, (uint64_t)pid, &index))
		return 0;
	return lives->list.items[index].of_row;
}

bool kp_lives_exiting(const struct kp_lives *lives, int64_t pid)
{
	uint32_t index;

	return kp_map_get(&lives->index, (uint64_t)pid, &index) && lives->list.items[index].exiting;
}

void kp_lives_free(struct kp_lives *lives)
{
	kp_map_free(&lives->index);
	free(lives->list.items);
	memset(lives, 0, sizeof(*lives));
}
