// SPDX-License-Identifier: BSD-3-Clause
/*
 * Watches what passes from a raw trace to the reconstruction (report/check.h). Must not change it.
 */
#include "report/check.h"

#include "common/entry.h"
#include "common/utf8.h"

static void watch_pid(struct kp_check *check, uint32_t pid)
{
	uint32_t unused;

	if (pid && !kp_map_get(&check->named, pid, &unused) &&
	    kp_map_set(&check->unnamed, pid, 0))
		check->err = -1;
}

static int watch_event(void *self, const struct kp_event *event)
{
	struct kp_check *check = self;
	int cpu = event->cpu;
	int64_t end = event->ts;
	struct kp_pause pause;

	watch_pid(check, event->pid);
	while (kp_pauses_next(&check->pauses, event->ts, &pause))
		check->resumes = pause.on;
	/* The header of a block is not an event. */
	if (event->event == KUTRACE_USERPID && event->dur)
		return check->next.event(check->next.self, event);
	if (event->ts < check->resumes) {
		check->in_pause[cpu]++;
		return check->next.event(check->next.self, event);
	}
	if (event->event >= KUTRACE_CALL_TRAP) {
		end += event->dur;
		check->back += check->events[cpu] && event->ts < check->before[cpu];
		check->before[cpu] = event->ts;
	}
	if (!check->events[cpu]++) {
		check->first[cpu] = event->ts;
		check->last[cpu] = end;
	}
	/* A merged call ends at the next event at the latest (clipped in kp_reconstruct_stats). */
	if (event->ts > check->first[cpu] && event->event >= KUTRACE_CALL_TRAP)
		check->last[cpu] = end;
	else if (end > check->last[cpu])
		check->last[cpu] = end;
	return check->next.event(check->next.self, event);
}

static int watch_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_check *check = self;
	struct kp_pause pause;
	size_t i = 0;

	if (KU_NAME_BASE(def->event) == KUTRACE_NAME_META &&
	    kp_pause_parse(def->name, def->name_len, &pause) &&
	    kp_pauses_add(&check->pauses, &pause))
		check->err = -1;
	if (def->ts < 0) {
		check->names++;
		if (KU_NAME_BASE(def->event) == KUTRACE_NAME_PID &&
		    kp_map_set(&check->named, def->number, 0))
			check->err = -1;
		while (i < def->name_len) {
			size_t n = ku_utf8_sequence(def->name + i, def->name_len - i);

			if (!n)
				break;
			i += n;
		}
		check->bad_names += i < def->name_len;
	}
	return check->next.namedef(check->next.self, def);
}

static int watch_comment(void *self, const char *text, size_t len)
{
	struct kp_check *check = self;

	return check->next.comment(check->next.self, text, len);
}

struct kp_event_sink kp_check_sink(struct kp_check *check, const struct kp_event_sink *next)
{
	check->next = *next;
	return (struct kp_event_sink){ watch_event, watch_namedef, watch_comment, check };
}

void kp_check_free(struct kp_check *check)
{
	kp_coverage_free(&check->coverage);
	kp_pauses_free(&check->pauses);
	kp_map_free(&check->named);
	kp_map_free(&check->unnamed);
}

int64_t kp_check_last(const struct kp_check *check, int cpu)
{
	int64_t paused_until = check->coverage.cpu[cpu].paused_until;

	return check->last[cpu] > paused_until ? check->last[cpu] : paused_until;
}

struct kp_check_guessed kp_check_guessed(const struct kp_check *check,
					const struct kp_reconstruct_stats *stats)
{
	struct kp_check_guessed guessed = { .spans = stats->inferred, .units = stats->inferred_units };
	int i;

	for (i = 0; i < 256; i++) {
		guessed.all_spans += check->coverage.cpu[i].spans;
		if (check->events[i])
			guessed.all_units += kp_check_last(check, i) - check->first[i] -
					     check->coverage.cpu[i].paused;
	}
	return guessed;
}

bool kp_check_half_guessed(const struct kp_check_guessed *guessed)
{
	return guessed->spans && guessed->spans * 2 >= guessed->all_spans;
}
