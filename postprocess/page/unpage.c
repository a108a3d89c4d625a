// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a page to spans (page/elements.h). Recognizes our pages and the original's. Must not
 * call end() for an incomplete page.
 */
#include "page/elements.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"

/*
 * ---- rows from columns ----
 *
 * Unpacks the columns of each track in parallel, and merges the rows of all tracks with a heap.
 * Must not hold more than one row of each track.
 */

#define TIME_LIMIT ((int64_t)1 << 50)
#define VALUE_LIMIT ((int64_t)1 << 52)

struct merging {
	struct kp_elements *elements;
	struct kp_json_writer compare[2];	/* writers of the two rows that are compared as text */
};

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
	const struct kp_page_chunk *chunk = &track->chunks.items[track->next_chunk++];

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
	kp_elements_close_columns(track);
	return KP_JSON_OK;
}

static bool beyond(int64_t value, int64_t limit)
{
	return value > limit || value < -limit;
}

/* Unpacks the next row into track->span. Sets *@more to false if the track has no more rows. */
static enum kp_json_result next_row(struct kp_elements *st, struct kp_page_track *track, bool *more)
{
	uint64_t v[KP_COLUMNS] = {0};
	struct kp_span *s = &track->span;
	enum kp_json_result result = KP_JSON_OK;

	*more = true;
	if (!track->left) {
		*more = track->next_chunk < track->chunks.count;
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
	if (v[KP_COLUMN_NAME] >= st->names.count)
		return kp_elements_fail(st, "damaged page: name %" PRIu64 " of %zu",
					v[KP_COLUMN_NAME], st->names.count);
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
	s->event = st->names.items[v[KP_COLUMN_NAME]].event;
	s->name = st->text.items + st->names.items[v[KP_COLUMN_NAME]].offset;
	s->name_len = st->names.items[v[KP_COLUMN_NAME]].len;
	s->arg0 = kp_unzigzag(v[KP_COLUMN_ARG]);
	s->retval = kp_unzigzag(v[KP_COLUMN_RET]);
	s->ipc = (int32_t)kp_unzigzag(v[KP_COLUMN_IPC]);
	track->time = track->cpu >= 0 ? s->start + s->dur : s->start;
	return KP_JSON_OK;
}

/* Returns whether @one comes before @other in the order of LC_ALL=C sort. */
static bool before(struct merging *g, struct kp_page_track *const *one,
		   struct kp_page_track *const *other)
{
	const struct kp_page_track *a = *one, *b = *other;
	const char *text[2];
	size_t len[2];
	int order;

	if (a->span.start != b->span.start)
		return a->span.start < b->span.start;
	text[0] = kp_json_format_span(&g->compare[0], &a->span, &len[0]);
	text[1] = kp_json_format_span(&g->compare[1], &b->span, &len[1]);
	if (!text[0] || !text[1])
		return a->cpu < b->cpu;
	order = memcmp(text[0], text[1], len[0] < len[1] ? len[0] : len[1]);
	return order ? order < 0 : len[0] != len[1] ? len[0] < len[1] : a->cpu < b->cpu;
}

typedef struct kp_page_track *track_pointer;
KP_HEAP(tracks, track_pointer, struct merging *, before)

/* Passes all rows to @sink. Counts rows that start before the previous one. */
static enum kp_json_result give_rows(struct merging *g, const struct kp_span_sink *sink,
				     uint64_t *out_of_order)
{
	struct kp_elements *st = g->elements;
	struct kp_page_track **tracks = st->tracks.items;
	/*
	 * number of tracks that still have rows; these tracks are a heap at the beginning of
	 * st->tracks
	 */
	size_t left = st->tracks.count;
	enum kp_json_result result = KP_JSON_OK;
	uint64_t given = 0, rows = 0;
	int64_t last = 0;
	bool more;

	for (size_t i = 0; i < left; i++)
		for (size_t k = 0; k < tracks[i]->chunks.count; k++)
			rows += tracks[i]->chunks.items[k].count;
	kp_progress_phase("writing", "spans");
	for (size_t i = 0; i < left && !result; i++)
		result = next_row(st, tracks[i], &more);
	for (size_t i = left / 2; i-- > 0 && !result; )
		tracks_down(g, tracks, left, i);
	while (left && !result) {
		struct kp_page_track *track = tracks[0];

		if (!(++given & 0xffff)) {
			kp_progress(given, rows);
			if (kp_interrupted())
				return KP_JSON_INTERRUPTED;
		}
		*out_of_order += track->span.start < last;
		last = track->span.start;
		if (sink->span(sink->self, &track->span))
			return KP_JSON_STOPPED;
		result = next_row(st, track, &more);
		if (!more) {
			tracks[0] = tracks[--left];
			tracks[left] = track;
		}
		tracks_down(g, tracks, left, 0);
	}
	return result;
}

/* Calls give_rows() with the two writers that it needs to compare rows. */
static enum kp_json_result merge_tracks(struct kp_elements *st, const struct kp_span_sink *sink,
					uint64_t *out_of_order)
{
	struct merging *g = calloc(1, sizeof(*g));
	enum kp_json_result result;

	if (!g)
		return kp_elements_no_memory(st);
	g->elements = st;
	for (int i = 0; i < 2; i++) {
		kp_json_writer_init(&g->compare[i], NULL);
		kp_json_writer_set_width(&g->compare[i], st->start_width);
	}
	result = give_rows(g, sink, out_of_order);
	for (int i = 0; i < 2; i++)
		kp_json_writer_free(&g->compare[i]);
	free(g);
	return result;
}

#define HEADER_TAG "<script type=\"application/json\" id=\"kutrace-header\">"
#define STRING_START "var myString = '"
#define HEADER_MAX_BYTES (64u << 20)

struct unpaging {
	struct kp_unpage *unpage;
	const struct kp_span_sink *sink;
	struct kp_elements elements;
};

/* Undoes kp_page_write_json(): replaces each \u003c by '<'. Returns the new length. */
static size_t restore_less_than(char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && len - i >= 6 && !memcmp(text + i, "\\u003c", 6)) {
			text[n++] = '<';
			i += 5;
			continue;
		}
		text[n++] = text[i];
		if (text[i] == '\\' && i + 1 < len)
			text[n++] = text[++i];
	}
	return n;
}

/* Passes on the header, which is read as the JSON of a trace without rows. */
static enum kp_json_result give_header(struct unpaging *st, off_t from, off_t to)
{
	static const char rows[] =
		"\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]]}";
	struct kp_span_sink sink = {
		.header = st->sink->header, .span = kp_span_ignore_span, .end = kp_span_ignore_end,
		.self = st->sink->self,
	};
	struct kp_json_reader *reader = &st->unpage->reader;
	enum kp_json_result result = KP_JSON_BAD;
	size_t len = (size_t)(to - from);
	char *text;
	FILE *in;

	if (to - from > HEADER_MAX_BYTES || len < 2)
		return kp_elements_damaged(&st->elements, "bad header");
	text = malloc(len + sizeof(rows) + 1);
	if (!text)
		return kp_elements_no_memory(&st->elements);
	if (pread(st->elements.fd, text, len, from) != (ssize_t)len) {
		kp_elements_fail(&st->elements, "cannot read the header");
		goto out;
	}
	len = restore_less_than(text, len);
	if (text[0] != '{' || text[--len] != '}') {
		kp_elements_damaged(&st->elements, "bad header");
		goto out;
	}
	if (len > 1)
		text[len++] = ',';
	memcpy(text + len, rows, sizeof(rows) - 1);
	len += sizeof(rows) - 1;
	in = fmemopen(text, len, "r");
	if (!in) {
		kp_elements_no_memory(&st->elements);
		goto out;
	}
	result = kp_json_read(reader, in, "the page's header", &sink);
	fclose(in);
	if (result == KP_JSON_BAD)
		kp_elements_fail(&st->elements, "%s", reader->message);
	/* the reader counted the trailer as a row; its counts of corrections remain */
	reader->rows = 0;
out:
	free(text);
	return result;
}

/* Passes on the object with the keys after the events. */
static enum kp_json_result pass_trailing(struct unpaging *st)
{
	size_t len = (size_t)(st->elements.trailing_end - st->elements.trailing);
	enum kp_json_result result = KP_JSON_BAD;
	struct kp_json_reader reader = {0};
	char *text;

	if (!st->elements.trailing || !st->sink->trailing)
		return KP_JSON_OK;
	if (len < 2 || len > HEADER_MAX_BYTES)
		return kp_elements_fail(&st->elements, "damaged page: bad keys after the events");
	text = malloc(len);
	if (!text)
		return kp_elements_no_memory(&st->elements);
	if (pread(st->elements.fd, text, len, st->elements.trailing) != (ssize_t)len) {
		kp_elements_fail(&st->elements, "cannot read the keys after the events");
	} else {
		len = restore_less_than(text, len);
		result = kp_json_read_keys(&reader, text, len, "the keys after the events",
					   st->sink);
		if (result == KP_JSON_BAD)
			kp_elements_fail(&st->elements, "damaged page: %s", reader.message);
	}
	free(text);
	return result;
}

static enum kp_json_result read_ours(struct unpaging *st, off_t header)
{
	enum kp_json_result result;
	off_t from = header + (off_t)strlen(HEADER_TAG), to;

	st->elements.at = from;
	if (kp_elements_close(&st->elements, from, &to, "cut off in its header"))
		return KP_JSON_BAD;
	st->elements.at = to + (off_t)strlen(KP_PAGE_CLOSE_TAG);
	result = kp_elements_list(&st->elements);
	if (result)
		return result;
	st->unpage->start_width = st->elements.start_width;
	result = give_header(st, from, to);
	if (!result)
		result = merge_tracks(&st->elements, st->sink, &st->unpage->out_of_order_rows);
	if (!result)
		result = pass_trailing(st);
	if (!result && st->sink->end(st->sink->self))
		result = KP_JSON_STOPPED;
	return result;
}

static int original_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct unpaging *st = self;

	st->unpage->start_width = st->unpage->reader.start_width;
	return st->sink->header(st->sink->self, items, count);
}

static int original_span(void *self, const struct kp_span *span)
{
	struct unpaging *st = self;

	return st->sink->span(st->sink->self, span);
}

static int original_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct unpaging *st = self;

	return st->sink->trailing ? st->sink->trailing(st->sink->self, items, count) : 0;
}

static int original_end(void *self)
{
	struct unpaging *st = self;

	return st->sink->end(st->sink->self);
}

static enum kp_json_result read_original(struct unpaging *st, off_t string)
{
	const struct kp_span_sink sink = {
		original_header, original_span, original_end, st, original_trailing,
	};
	enum kp_json_result result;
	FILE *text = kp_unstring_stream(st->elements.fd, string + (off_t)strlen(STRING_START)), *in;
	struct kp_foreign *foreign = &st->unpage->foreign;

	if (!text)
		return kp_elements_no_memory(&st->elements);
	in = kp_foreign_detect(text, &foreign->kind);
	if (!in) {
		fclose(text);
		return kp_elements_no_memory(&st->elements);
	}
	if (foreign->kind && st->unpage->foreign_out) {
		st->unpage->foreign_status = kp_foreign_copy(foreign, in, "the page's JSON",
							     st->unpage->foreign_out);
		fclose(in);
		fclose(text);
		return KP_JSON_OK;
	}
	result = kp_json_read(&st->unpage->reader, in, "the page's JSON", &sink);
	fclose(in);
	fclose(text);
	if (result == KP_JSON_BAD)
		kp_elements_fail(&st->elements, "%s", st->unpage->reader.message);
	return result;
}

static enum kp_json_result read_page(struct unpaging *st)
{
	off_t from = st->elements.at, header, string;
	const char *what;
	char first[512];
	ssize_t len;

	if (st->elements.end <= from)
		return kp_elements_fail(&st->elements, "not a page: the input is empty");
	header = kp_unpage_find(st->elements.fd, from, st->elements.end, HEADER_TAG);
	string = header == -2 ? -2 : kp_unpage_find(st->elements.fd, from, header < 0 ? st->elements.end : header,
						    STRING_START);
	if (string == -2)
		return kp_elements_fail(&st->elements, "cannot read: %s", strerror(errno));
	if (string >= 0)
		return read_original(st, string);
	if (header >= 0)
		return read_ours(st, header);
	len = pread(st->elements.fd, first, sizeof(first), from);
	what = kp_other_format(first, len > 0 ? (size_t)len : 0, KP_FORMAT_PAGE);
	if (what)
		return kp_elements_fail(&st->elements, "not a page, but %s", what);
	return kp_elements_fail(&st->elements, "not a page with a trace, neither of this version nor of KUtrace 3");
}

enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink)
{
	struct unpaging st = {
		.unpage = unpage, .sink = sink,
		.elements = {
			.message = unpage->message, .message_room = sizeof(unpage->message),
			.shown = shown, .start_width = KP_JSON_WIDTH,
		},
	};
	enum kp_json_result result = KP_JSON_BAD;
	char why[512];
	FILE *copy = NULL;
	struct stat info;

	*unpage = (struct kp_unpage){ .foreign_out = unpage->foreign_out };
	unpage->start_width = KP_JSON_WIDTH;
	st.elements.at = ftello(in);
	if (st.elements.at < 0 || fstat(fileno(in), &info) || !S_ISREG(info.st_mode)) {
		st.elements.at = 0;
		/* the names follow the rows, so the page must be seekable */
		in = copy = kp_copy_pipe(in, "it", NULL, why, sizeof(why));
		if (!copy)
			kp_elements_fail(&st.elements, "%s", why);
	}
	if (in && !fstat(fileno(in), &info)) {
		st.elements.fd = fileno(in);
		st.elements.end = info.st_size;
		result = read_page(&st);
	}
	if (result == KP_JSON_BAD && kp_interrupted())
		result = KP_JSON_INTERRUPTED;
	kp_elements_free(&st.elements);
	if (copy)
		fclose(copy);
	return result;
}
