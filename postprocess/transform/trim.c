// SPDX-License-Identifier: BSD-3-Clause
/* Extracts a part of a trace in up to three passes: find the range, find its pids, write. */
#include "transform/trim.h"

#include <errno.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"
#include "kutrace_task.h"

struct kp_trim_row {
	struct kp_span span;	/* the row; its name is a copy */
	char *text;		/* text of the row, for sorting */
};

static bool overlaps(const struct kp_trim *t, const struct kp_span *span)
{
	return t->range == KP_TRIM_ALL || kp_span_overlaps(span, t->start, t->stop);
}

static bool is_wanted_pid(const struct kp_trim *t, int64_t pid)
{
	uint32_t unused;

	return t->name ? kp_map_get(&t->named, kp_life_key(pid, kp_lives_of(&t->lives, pid)), &unused) :
			 pid == t->pid;
}

/* Returns whether the row belongs to the pid, because its thread runs, waits, or is woken. */
static bool of_pid(const struct kp_trim *t, const struct kp_span *span)
{
	return is_wanted_pid(t, span->pid) ||
	       (span->event == KP_EVENT_WAKEUP && is_wanted_pid(t, span->retval)) ||
	       (span->event == KUTRACE_RUNNABLE && is_wanted_pid(t, span->arg0));
}

/* Returns 1 to retain the row, 0 to leave it out, and -1 without memory. */
static int wanted(struct kp_trim *t, const struct kp_span *span)
{
	const char *row;
	size_t len;

	if (t->name && kp_lives_row(&t->lives, span) < 0)
		return -1;
	if (!overlaps(t, span))
		return 0;
	/* Without its pauses, a thread would seem to wait in them. Identities need names of cgroups. */
	if (span->event == KUTRACE_MADE_PAUSE || span->event == KUTRACE_NAME_CGROUP)
		return 1;
	if (t->by_pid && !of_pid(t, span))
		return 0;
	if (!t->string)
		return 1;
	row = kp_json_format_span(&t->writer, span, &len);
	return row ? memmem(row, len, t->string, strlen(t->string)) != NULL : -1;
}

static int out_of_memory(void)
{
	kp_error("no memory");
	return -1;
}

/* Returns whether the row can be shortened. Arcs and messages connect two fixed times. */
static bool can_be_cut(const struct kp_span *span)
{
	int64_t e = span->event;

	return span->dur && e >= 0 && e != KUTRACE_RPCIDRXMSG && e != KUTRACE_RPCIDTXMSG;
}

static int hold(struct kp_trim *t, const struct kp_span *span)
{
	struct kp_trim_row *row;
	const char *text;
	char *name;
	size_t len;

	if (KP_ROOM(t->held, t->held_count, t->held_cap))
		return out_of_memory();
	row = &t->held[t->held_count];
	text = kp_json_format_span(&t->writer, span, &len);
	row->text = text ? strndup(text, len) : NULL;
	name = malloc(span->name_len + 1);
	if (!row->text || !name) {
		free(row->text);
		free(name);
		return out_of_memory();
	}
	memcpy(name, span->name, span->name_len);
	row->span = *span;
	row->span.name = name;
	t->held_count++;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct kp_trim_row *)a)->text, ((const struct kp_trim_row *)b)->text);
}

static void free_held(struct kp_trim *t)
{
	for (size_t i = 0; i < t->held_count; i++) {
		free(t->held[i].text);
		free((char *)t->held[i].span.name);
	}
	free(t->held);
	t->held = NULL;
	t->held_count = t->held_cap = 0;
}

/* Writes the rows that begin at the start of the range, in the order of sort. */
static int release(struct kp_trim *t)
{
	int status = 0;

	t->released = true;
	if (t->held_count)
		qsort(t->held, t->held_count, sizeof(*t->held), by_text);
	for (size_t i = 0; i < t->held_count && !status; i++)
		status = kp_json_write_span(&t->writer, &t->held[i].span);
	free_held(t);
	return status;
}

static int put_cut(struct kp_trim *t, const struct kp_span *span)
{
	struct kp_span cut = *span;
	int64_t end = span->start + span->dur;
	bool all = t->range == KP_TRIM_ALL;

	if (!all && can_be_cut(span)) {
		if (cut.start < t->start)
			cut.start = t->start;
		if (end > t->stop)
			end = t->stop;
		cut.dur = end - cut.start;
		if (cut.dur <= 0)
			return 0;
	}
	t->selected++;
	if (all || t->released)
		return kp_json_write_span(&t->writer, &cut);
	if (cut.start <= t->start)
		return hold(t, &cut);
	return release(t) || kp_json_write_span(&t->writer, &cut) ? -1 : 0;
}

/*
 * Returns true for the row with all names of a pid that has rows in the range, if the row is before
 * the range. Sets *moved to a copy of the row that begins at the start of the range.
 */
static bool moved_name(const struct kp_trim *t, const struct kp_span *span,
		       struct kp_span *moved)
{
	uint32_t unused;

	if (span->event != KUTRACE_MADE_LEFTMARK || span->start + span->dur > t->start ||
	    t->range == KP_TRIM_ALL || !kp_map_get(&t->used, (uint64_t)span->pid, &unused))
		return false;
	*moved = *span;
	moved->start = t->start;
	return true;
}

/* Longer names of identities are damaged. */
#define IDENTITY_MAX	512

static bool is_identity(const struct kp_span *span)
{
	return span->event == KUTRACE_NAME_TASK || span->event == KUTRACE_NAME_CGROUP;
}

/* Returns the key of a row with an identity, or with the name of a cgroup, in the map identified. */
static uint64_t identity_key(const struct kp_span *span)
{
	return span->event == KUTRACE_NAME_TASK ? (uint64_t)span->pid : 1ull << 40 | (uint64_t)span->arg0;
}

/*
 * Notes the last identity of each pid before the range, and forgets it at the exit of the task.
 * Returns 0, or -1 without memory.
 */
static int note_identity(struct kp_trim *t, const struct kp_span *span)
{
	uint32_t index;

	if (span->start + span->dur > t->start)
		return 0;
	if (span->event == KUTRACE_TASKEXIT && kp_map_get(&t->identified, (uint64_t)span->arg0, &index))
		t->identities.items[index] = -1;
	if (!is_identity(span))
		return 0;
	if (kp_map_get(&t->identified, identity_key(span), &index)) {
		t->identities.items[index] = span->start;
		return 0;
	}
	return KP_APPEND(&t->identities, span->start) ||
	       kp_map_set(&t->identified, identity_key(span), (uint32_t)t->identities.count - 1) ? -1 : 0;
}

/*
 * Like moved_name() for the last identity of a pid before the range, and for the names of cgroups: at
 * the start of the range, the task is present. @text: IDENTITY_MAX bytes for its name.
 */
static bool moved_identity(const struct kp_trim *t, const struct kp_span *span, struct kp_span *moved, char *text)
{
	uint32_t unused, index;

	if (!is_identity(span) || t->range == KP_TRIM_ALL || span->start + span->dur > t->start ||
	    !span->name_len || span->name_len > IDENTITY_MAX ||
	    !kp_map_get(&t->identified, identity_key(span), &index) || t->identities.items[index] != span->start ||
	    (span->event == KUTRACE_NAME_TASK && !kp_map_get(&t->used, (uint64_t)span->pid, &unused)))
		return false;
	*moved = *span;
	moved->start = t->start;
	if (span->event == KUTRACE_NAME_CGROUP)
		return true;
	memcpy(text, span->name, span->name_len);
	*text = KUTRACE_TASK_PRESENT;
	moved->name = text;
	return true;
}

/* Begins a pass through all rows: no thread has exited yet. */
static int begin_lives(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_trim *t = self;

	kp_lives_free(&t->lives);
	kp_lives_header(&t->lives, items, count);
	return 0;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_trim *t = self;

	begin_lives(t, items, count);
	kp_json_writer_set_width(&t->writer, t->reader.start_width);
	return kp_json_write_header(&t->writer, items, count);
}

static int begin_first(struct kp_trim *t, const struct kp_span *span)
{
	char where[300];

	if (!t->begun) {
		t->begun = true;
		t->start = span->start;
		t->stop += span->start;
	} else if (span->start < t->start) {
		kp_json_where(&t->reader, where, sizeof(where));
		kp_error("rows are not in time order: %s starts before the first; run LC_ALL=C sort first",
			 where);
		return -1;
	}
	return 0;
}

static int on_span(void *self, const struct kp_span *span)
{
	struct kp_trim *t = self;
	char text[IDENTITY_MAX];
	struct kp_span moved;
	int keep;

	if (t->range == KP_TRIM_FIRST && begin_first(t, span))
		return -1;
	if (t->state && (moved_name(t, span, &moved) || moved_identity(t, span, &moved, text))) {
		t->selected++;
		return hold(t, &moved);
	}
	keep = wanted(t, span);
	if (keep < 0)
		return out_of_memory();
	if (!keep)
		return 0;
	if (t->state)
		return put_cut(t, span);
	t->selected++;
	return kp_json_write_span(&t->writer, span);
}

static int on_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_trim *t = self;

	return kp_json_write_trailing(&t->writer, items, count) ? out_of_memory() : 0;
}

static int on_end(void *self)
{
	struct kp_trim *t = self;

	if (t->state && !t->released && release(t))
		return -1;
	return kp_json_write_end(&t->writer);
}

static bool is_mark(const struct kp_span *span, const char *wanted_name)
{
	size_t len = strlen(wanted_name);
	const char *equals;
	char numbered[40];

	if (span->event < KUTRACE_MARKA || span->event > KUTRACE_MARKD)
		return false;
	if (span->event == KUTRACE_MARKD) {
		snprintf(numbered, sizeof(numbered), "mark_d=%" PRId64, span->arg0);
		return !strcmp(numbered, wanted_name);
	}
	if (span->name_len == len && !memcmp(span->name, wanted_name, len))
		return true;
	equals = memchr(span->name, '=', span->name_len);
	return equals && (size_t)(span->name + span->name_len - (equals + 1)) == len &&
	       !memcmp(equals + 1, wanted_name, len);
}

static int scan(void *self, const struct kp_span *span)
{
	struct kp_trim *t = self;

	if (!t->begun || span->start < t->first)
		t->first = span->start;
	t->begun = true;
	if (span->start + span->dur > t->end)
		t->end = span->start + span->dur;
	for (int i = 0; i < 2; i++) {
		if (t->range != KP_TRIM_MARK || t->marked[i] || !is_mark(span, t->mark[i]) ||
		    (i && (!t->marked[0] || span->start <= t->mark_at[0])))
			continue;
		t->marked[i] = true;
		t->mark_at[i] = span->start;
		break;
	}
	return 0;
}

static int find_pids(void *self, const struct kp_span *span)
{
	struct kp_trim *t = self;
	int keep = span->event == KUTRACE_MADE_LEFTMARK ? 0 : wanted(t, span);

	if (note_identity(t, span))
		return out_of_memory();
	if (keep < 0 || (keep && span->pid > 0 && kp_map_set(&t->used, (uint64_t)span->pid, 0)))
		return out_of_memory();
	return 0;
}

/* Collects the threads with the name. */
static int find_named(void *self, const struct kp_span *span)
{
	struct kp_trim *t = self;
	const int64_t life = kp_lives_row(&t->lives, span);

	if (life < 0)
		return out_of_memory();
	if (span->event < KP_EVENT_USER || span->pid <= 0 || !kp_is_name_of(span->name, span->name_len, t->name))
		return 0;
	t->any_named = true;
	return kp_map_set(&t->named, kp_life_key(span->pid, life), 0) ? out_of_memory() : 0;
}

/*
 * Reads *in once, and calls @fn for each row. A pipe is copied to a temporary file, which replaces
 * *in. *from is the offset for the next pass; negative: a pipe. Returns 0, or the exit status.
 */
static int pass(struct kp_trim *t, FILE **in, off_t *from, const char *shown,
		int (*fn)(void *self, const struct kp_span *span))
{
	const struct kp_span_sink sink = {
		.header = begin_lives, .span = fn, .end = kp_span_ignore_end, .self = t,
	};
	enum kp_json_result result;
	FILE *again = *in;

	if (*from < 0) {
		*from = 0;
		again = kp_temp_file();
		if (!again)
			kp_die(KP_BAD, "cannot create a temporary file: %s%s", strerror(errno),
			       kp_temp_remedy(errno));
		t->reader.tee = again;
	}
	kp_progress_phase("looking through", NULL);
	result = kp_json_read(&t->reader, *in, shown, &sink);
	if (result) {
		if (again != *in)
			fclose(again);
		return result == KP_JSON_INTERRUPTED ? KP_BAD :
		       kp_json_exit_status(&t->reader, result);
	}
	if (fflush(again) || fseeko(again, *from, SEEK_SET))
		kp_die(KP_BAD, "cannot read %s again: %s", shown, strerror(errno));
	t->reader.tee = NULL;
	*in = again;
	return 0;
}

/* Computes the time range after the scan. Returns 0, or the exit status. */
static int resolve(struct kp_trim *t)
{
	switch (t->range) {
	case KP_TRIM_LAST:
		t->start = t->end - t->stop;
		t->stop = t->end;
		break;
	case KP_TRIM_FIRST:
		t->start = t->first;
		t->stop += t->first;
		break;
	case KP_TRIM_MARK:
		for (int i = 0; i < 2; i++) {
			if (t->marked[i])
				continue;
			kp_error("no mark %s%s in the trace", t->mark[i],
				 i ? " after the first one" : "");
			return KP_BAD;
		}
		t->start = t->mark_at[0];
		t->stop = t->mark_at[1];
		break;
	case KP_TRIM_ALL:
	case KP_TRIM_RANGE:
		break;
	}
	if (t->range != KP_TRIM_ALL)
		t->range = KP_TRIM_RANGE;
	return 0;
}

static int run(struct kp_trim *t, FILE *in, const char *shown)
{
	const struct kp_span_sink sink = {
		.header = on_header, .span = on_span, .end = on_end, .self = t,
		.trailing = on_trailing,
	};
	bool everything = t->range == KP_TRIM_ALL && !t->by_pid && !t->string;
	FILE *const input = in;
	off_t from = ftello(in);
	enum kp_json_result result;
	int status = 0;

	if (t->name) {
		status = pass(t, &in, &from, shown, find_named);
		if (!status && !t->any_named) {
			kp_error("%s: no thread has the name %s", shown, t->name);
			status = KP_BAD;
		}
	}
	if (status)
		goto done;
	if (t->range == KP_TRIM_LAST || t->range == KP_TRIM_MARK ||
	    (t->range == KP_TRIM_FIRST && t->state)) {
		status = pass(t, &in, &from, shown, scan);
		if (!status)
			status = resolve(t);
	}
	if (!status && t->state && t->range != KP_TRIM_ALL)
		status = pass(t, &in, &from, shown, find_pids);
	if (!status) {
		kp_progress_phase("reading", NULL);
		result = kp_json_read(&t->reader, in, shown, &sink);
		status = kp_json_exit_status(&t->reader, result);
		if (result == KP_JSON_OK && !everything)
			kp_error("kept %" PRIu64 " of %" PRIu64 " spans", t->selected, t->reader.rows);
	}
done:
	if (in != input)
		fclose(in);	/* the stream was a copy for several passes */
	return status;
}

int kp_trim_run(struct kp_trim *t, FILE *in, const char *shown, FILE *out)
{
	int status;

	kp_json_writer_init(&t->writer, out);
	status = run(t, in, shown);
	free_held(t);
	kp_map_free(&t->used);
	kp_map_free(&t->identified);
	free(t->identities.items);
	kp_map_free(&t->named);
	kp_lives_free(&t->lives);
	kp_json_writer_free(&t->writer);
	return status;
}
