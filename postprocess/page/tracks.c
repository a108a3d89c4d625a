// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes rows from columns (page/tracks.h): unpacks the columns of each track in parallel, and
 * merges the rows of all tracks with a heap. Must not hold more than one row of each track.
 */
#include "page/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/tool.h"
#include "spanjson/reader.h"
#include "spanjson/write.h"

#define TIME_LIMIT ((int64_t)1 << 50)
#define VALUE_LIMIT ((int64_t)1 << 52)

struct giving {
	struct kp_elements *elements;
	struct kp_json_writer *compare[2];
};

static void close_columns(struct kp_page_track *track)
{
	for (enum kp_page_column c = 0; c < KP_COLUMNS; c++) {
		if (track->columns[c])
			kp_unpack_close(track->columns[c]);
		free(track->columns[c]);
		track->columns[c] = NULL;
	}
}

static enum kp_json_result fault(struct kp_elements *st, const struct kp_page_track *track,
				 const char *column, const char *text)
{
	char cpu[16] = "other rows";

	if (track->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU %" PRId32, track->cpu);
	return kp_elements_fail(st, "damaged page: %s, chunk %zu, %s: %s", cpu, track->next_chunk - 1,
				column, text);
}

static enum kp_json_result column_fault(struct kp_elements *st, const struct kp_page_track *track,
					enum kp_page_column c)
{
	return fault(st, track, kp_page_column_names[c], track->columns[c]->fault);
}

static enum kp_json_result open_chunk(struct kp_elements *st, struct kp_page_track *track)
{
	const struct kp_page_chunk *chunk = &track->chunks[track->next_chunk++];

	track->left = chunk->count;
	track->time = track->pid = track->rpc = 0;
	for (enum kp_page_column c = 0; c < KP_COLUMNS; c++) {
		const struct kp_page_element *e = &chunk->columns[c];

		if (!e->to)
			continue;
		track->columns[c] = calloc(1, sizeof(struct kp_unpack));
		if (!track->columns[c] ||
		    kp_unpack_open(track->columns[c], st->fd, e->from, e->to, e->bytes))
			return kp_elements_no_memory(st);
	}
	return KP_JSON_OK;
}

static enum kp_json_result close_chunk(struct kp_elements *st, struct kp_page_track *track)
{
	for (enum kp_page_column c = 0; c < KP_COLUMNS; c++)
		if (track->columns[c] && kp_unpack_end(track->columns[c]))
			return column_fault(st, track, c);
	close_columns(track);
	return KP_JSON_OK;
}

static bool beyond(int64_t value, int64_t limit)
{
	return value > limit || value < -limit;
}

/* Unpacks the next row into track->span. Sets *@more to whether there is one. */
static enum kp_json_result next_row(struct kp_elements *st, struct kp_page_track *track, bool *more)
{
	uint64_t v[KP_COLUMNS] = {0};
	struct kp_span *s = &track->span;
	enum kp_json_result result = KP_JSON_OK;

	*more = true;
	if (!track->left) {
		*more = track->next_chunk < track->chunk_count;
		if (track->next_chunk)
			result = close_chunk(st, track);
		if (!result && *more)
			result = open_chunk(st, track);
		if (result || !*more)
			return result;
	}
	track->left--;
	for (enum kp_page_column c = 0; c < KP_COLUMNS; c++)
		if (track->columns[c] && kp_unpack_varint(track->columns[c], &v[c]))
			return column_fault(st, track, c);
	if (v[KP_COLUMN_NAME] >= st->name_count)
		return kp_elements_fail(st, "damaged page: name %" PRIu64 " of %zu", v[KP_COLUMN_NAME], st->name_count);
	if (beyond(kp_unzigzag(v[KP_COLUMN_GAP]), TIME_LIMIT) || v[KP_COLUMN_DUR] > TIME_LIMIT ||
	    beyond(kp_unzigzag(v[KP_COLUMN_PID]), VALUE_LIMIT) || beyond(kp_unzigzag(v[KP_COLUMN_RPC]), VALUE_LIMIT) ||
	    beyond(kp_unzigzag(v[KP_COLUMN_ARG]), VALUE_LIMIT) || beyond(kp_unzigzag(v[KP_COLUMN_RET]), VALUE_LIMIT) ||
	    beyond(kp_unzigzag(v[KP_COLUMN_IPC]), INT32_MAX) || kp_unzigzag(v[KP_COLUMN_CPU]) < -1 ||
	    kp_unzigzag(v[KP_COLUMN_CPU]) > KP_JSON_CPU_MAX)
		return fault(st, track, "a span", "a number is out of range");
	s->start = track->time + kp_unzigzag(v[KP_COLUMN_GAP]);
	s->dur = (int64_t)v[KP_COLUMN_DUR];
	s->pid = track->pid += kp_unzigzag(v[KP_COLUMN_PID]);
	s->rpc = track->rpc += kp_unzigzag(v[KP_COLUMN_RPC]);
	if (s->start < 0 || s->start > TIME_LIMIT || beyond(s->pid, VALUE_LIMIT) ||
	    beyond(s->rpc, VALUE_LIMIT))
		return fault(st, track, "a span", "start, pid or RPC is out of range");
	s->cpu = track->cpu >= 0 ? track->cpu : (int32_t)kp_unzigzag(v[KP_COLUMN_CPU]);
	s->event = st->names[v[KP_COLUMN_NAME]].event;
	s->name = st->text + st->names[v[KP_COLUMN_NAME]].offset;
	s->name_len = st->names[v[KP_COLUMN_NAME]].len;
	s->arg0 = kp_unzigzag(v[KP_COLUMN_ARG]);
	s->retval = kp_unzigzag(v[KP_COLUMN_RET]);
	s->ipc = (int32_t)kp_unzigzag(v[KP_COLUMN_IPC]);
	track->time = track->cpu >= 0 ? s->start + s->dur : s->start;
	return KP_JSON_OK;
}

/* Returns whether @one comes before @other in the order of LC_ALL=C sort. */
static bool before(struct giving *g, struct kp_page_track *const *one, struct kp_page_track *const *other)
{
	const struct kp_page_track *a = *one, *b = *other;
	const char *text[2];
	size_t len[2];
	int order;

	if (a->span.start != b->span.start)
		return a->span.start < b->span.start;
	text[0] = kp_json_format_span(g->compare[0], &a->span, &len[0]);
	text[1] = kp_json_format_span(g->compare[1], &b->span, &len[1]);
	if (!text[0] || !text[1])
		return a->cpu < b->cpu;
	order = memcmp(text[0], text[1], len[0] < len[1] ? len[0] : len[1]);
	return order ? order < 0 : len[0] != len[1] ? len[0] < len[1] : a->cpu < b->cpu;
}

typedef struct kp_page_track *track_pointer;
KP_HEAP(tracks, track_pointer, struct giving *, before)

static enum kp_json_result give_rows(struct giving *g, const struct kp_span_sink *sink,
				     struct kp_track_counts *counts)
{
	struct kp_elements *st = g->elements;
	size_t left = st->track_count;	/* tracks with rows: the first ones, a heap */
	enum kp_json_result result = KP_JSON_OK;
	uint64_t rows = 0;
	int64_t last = 0;
	bool more;

	for (size_t i = 0; i < st->track_count; i++)
		for (size_t k = 0; k < st->tracks[i]->chunk_count; k++)
			rows += st->tracks[i]->chunks[k].count;
	kp_progress_phase("writing", "spans");
	for (size_t i = 0; i < st->track_count && !result; i++)
		result = next_row(st, st->tracks[i], &more);
	for (size_t i = left / 2; i-- > 0 && !result; )
		tracks_down(g, st->tracks, left, i);
	while (left && !result) {
		struct kp_page_track *track = st->tracks[0];

		if (!(++counts->rows & 0xffff)) {
			kp_progress(counts->rows, rows);
			if (kp_interrupted())
				return KP_JSON_INTERRUPTED;
		}
		if (track->span.start < last)
			counts->out_of_order++;
		last = track->span.start;
		if (sink->span(sink->self, &track->span))
			return KP_JSON_STOPPED;
		result = next_row(st, track, &more);
		if (!more) {
			st->tracks[0] = st->tracks[--left];
			st->tracks[left] = track;
		}
		tracks_down(g, st->tracks, left, 0);
	}
	return result;
}

enum kp_json_result kp_tracks_give(struct kp_elements *st, const struct kp_span_sink *sink,
				   struct kp_track_counts *counts)
{
	struct giving g = { .elements = st };
	enum kp_json_result result = KP_JSON_OK;

	for (int i = 0; i < 2 && !result; i++) {
		g.compare[i] = calloc(1, sizeof(*g.compare[i]));
		if (!g.compare[i]) {
			result = kp_elements_no_memory(st);
			break;
		}
		kp_json_writer_init(g.compare[i], NULL);
		kp_json_writer_set_width(g.compare[i], st->start_width);
	}
	if (!result)
		result = give_rows(&g, sink, counts);
	for (int i = 0; i < 2; i++) {
		if (g.compare[i])
			kp_json_writer_free(g.compare[i]);
		free(g.compare[i]);
	}
	return result;
}
