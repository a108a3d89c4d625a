// SPDX-License-Identifier: BSD-3-Clause
/*
 * Page -> spans: see kp_unpage.h. First all data elements are listed and the
 * names read; then every track's columns are unpacked side by side, and a heap
 * brings the tracks' rows into one order. Called by unmakeself.
 */
#include "kp_unpage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kp_main.h"
#include "kp_temp.h"
#include "kp_unpage_int.h"

#define HEADER_TAG "<script type=\"application/json\" id=\"kutrace-header\">"
#define DATA_TAG "<script type=\"application/octet-stream\" data-kutrace=\""
#define OVERVIEW_TAG "<script type=\"application/json\" id=\"kutrace-overview\">"
#define BEHIND_TAG "<script type=\"application/json\" id=\"kutrace-behind\">"
#define END_TAG "<script type=\"application/json\" id=\"kutrace-end\">"
#define CLOSE_TAG "</script>"
#define STRING_START "var myString = '"
#define HEADER_MAX_BYTES (64u << 20)
#define TIME_LIMIT ((int64_t)1 << 50)
#define VALUE_LIMIT ((int64_t)1 << 52)

enum column { GAP, DUR, NAME, PID, RPC, ARG, RET, IPC, CPU, COLUMNS };

static const char *const column_names[COLUMNS] = {
	"gap", "dur", "name", "pid", "rpc", "arg", "ret", "ipc", "cpu",
};

struct element {
	off_t from, to;		/* of the base64; to 0: the column is left out */
	uint64_t bytes;
};

struct chunk {
	uint32_t count;
	struct element columns[COLUMNS];
};

struct track {
	int32_t cpu;		/* -1: other */
	struct chunk *chunks;
	size_t chunk_count, next_chunk;
	uint32_t left;		/* rows of the current chunk not unpacked yet */
	struct kp_unpack *columns[COLUMNS];
	struct kp_span span;	/* the row to come */
	int64_t time, pid, rpc;	/* what the next row counts from */
};

struct name {
	int64_t event;
	size_t offset, len;
};

struct state {
	struct kp_unpage *unpage;
	const struct kp_span_sink *sink;
	const char *shown;
	int fd;
	off_t at, end;
	off_t behind, behind_end;	/* keys behind the events; 0: none */
	struct track **tracks;	/* the first heap_count are a heap of those with rows */
	size_t track_count, heap_count;
	uint64_t chunk_count, element_count, span_count;
	struct track *last_track;	/* whose chunk the elements are of */
	struct name *names;
	size_t name_count, name_cap;
	char *text;
	size_t text_len, text_cap;
	struct kp_json_writer *compare[2];
};

static enum kp_json_result fail(struct state *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static enum kp_json_result fail(struct state *st, const char *fmt, ...)
{
	struct kp_unpage *unpage = st->unpage;
	va_list ap;
	int n;

	if (unpage->message[0])
		return KP_JSON_BAD;
	n = snprintf(unpage->message, sizeof(unpage->message), "%.200s: ", st->shown);
	va_start(ap, fmt);
	vsnprintf(unpage->message + n, sizeof(unpage->message) - (size_t)n, fmt, ap);
	va_end(ap);
	return KP_JSON_BAD;
}

static enum kp_json_result no_memory(struct state *st)
{
	return fail(st, "no memory");
}

static enum kp_json_result damaged(struct state *st, const char *what)
{
	return fail(st, "damaged page (byte %" PRId64 "): %s", (int64_t)st->at + 1, what);
}

/* --- the list of elements --------------------------------------------------- */

/* Up to size - 1 bytes at st->at, NUL behind them. */
static size_t peek(struct state *st, char *text, size_t size)
{
	ssize_t n = pread(st->fd, text, size - 1, st->at);

	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* name="number" somewhere in the tag. */
static bool number_attribute(const char *tag, const char *name, uint64_t *value)
{
	const char *at = strstr(tag, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	if (*at < '0' || *at > '9')
		return false;
	errno = 0;
	*value = strtoull(at, &end, 10);
	return !errno && (*end == '"' || *end == ',' || *end == '}');
}

static struct track *track_of(struct state *st, int32_t cpu)
{
	struct track **tracks, *track;

	for (size_t i = 0; i < st->track_count; i++)
		if (st->tracks[i]->cpu == cpu)
			return st->tracks[i];
	tracks = realloc(st->tracks, (st->track_count + 1) * sizeof(*tracks));
	if (!tracks)
		return NULL;
	st->tracks = tracks;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->cpu = cpu;
	tracks[st->track_count++] = track;
	return track;
}

static enum kp_json_result add_column(struct state *st, const char *tag,
				      const struct element *element)
{
	uint64_t number, count, cpu = 0;
	bool other = strstr(tag, " data-track=\"other\"") != NULL;
	enum column column = 0;
	struct track *track;
	struct chunk *chunk;

	while (column < COLUMNS && (strncmp(tag, column_names[column],
					    strlen(column_names[column])) ||
				    tag[strlen(column_names[column])] != '"'))
		column++;
	if (column == COLUMNS || !number_attribute(tag, " data-chunk=\"", &number) ||
	    !number_attribute(tag, " data-count=\"", &count) || !count || count > UINT32_MAX ||
	    (!other && !number_attribute(tag, " data-track=\"", &cpu)) || cpu > KP_JSON_CPU_MAX)
		return damaged(st, "a data element that makes no sense");
	if (number + 1 < st->chunk_count || number > st->chunk_count)
		return damaged(st, "a chunk out of its place");
	track = track_of(st, other ? -1 : (int32_t)cpu);
	if (!track)
		return no_memory(st);
	if (number == st->chunk_count) {
		chunk = realloc(track->chunks, (track->chunk_count + 1) * sizeof(*chunk));
		if (!chunk)
			return no_memory(st);
		track->chunks = chunk;
		chunk += track->chunk_count++;
		memset(chunk, 0, sizeof(*chunk));
		chunk->count = (uint32_t)count;
		st->chunk_count++;
		st->span_count += count;
		st->last_track = track;
	}
	chunk = &track->chunks[track->chunk_count - 1];
	if (track != st->last_track || chunk->count != count || chunk->columns[column].to)
		return damaged(st, "a chunk that contradicts itself");
	chunk->columns[column] = *element;
	return KP_JSON_OK;
}

static bool room_for_name(struct state *st, size_t len)
{
	if (st->name_count == st->name_cap) {
		size_t cap = st->name_cap * 2 + 256;
		struct name *names = realloc(st->names, cap * sizeof(*names));

		if (!names)
			return false;
		st->names = names;
		st->name_cap = cap;
	}
	if (st->text_cap - st->text_len < len) {
		size_t cap = st->text_cap * 2 + len + 4096;
		char *text = realloc(st->text, cap);

		if (!text)
			return false;
		st->text = text;
		st->text_cap = cap;
	}
	return true;
}

static enum kp_json_result add_names(struct state *st, const char *tag,
				     const struct element *element)
{
	enum kp_json_result result = KP_JSON_OK;
	struct kp_unpack *u;
	uint64_t count, event, len;

	if (!number_attribute(tag, " data-count=\"", &count))
		return damaged(st, "names without a number of them");
	u = malloc(sizeof(*u));
	if (!u || kp_unpack_open(u, st->fd, element->from, element->to, element->bytes)) {
		free(u);
		return no_memory(st);
	}
	while (count-- && !result) {
		if (kp_unpack_varint(u, &event) || kp_unpack_varint(u, &len))
			break;
		if (len > KP_JSON_NAME_MAX) {
			u->fault = "a name longer than 65536 bytes";
		} else if (!room_for_name(st, (size_t)len)) {
			result = no_memory(st);
		} else if (!kp_unpack_bytes(u, st->text + st->text_len, (size_t)len)) {
			st->names[st->name_count++] = (struct name){
				kp_unzigzag(event), st->text_len, (size_t)len };
			st->text_len += (size_t)len;
		}
		if (u->fault)
			break;
	}
	if (!result && (u->fault || kp_unpack_end(u)))
		result = fail(st, "damaged page (byte %" PRId64 "): names: %s",
			      (int64_t)st->at + 1, u->fault);
	kp_unpack_close(u);
	free(u);
	return result;
}

/* The element at st->at, which begins with DATA_TAG. */
static enum kp_json_result add_element(struct state *st)
{
	struct element element = {0};
	enum kp_json_result result;
	char text[512], *tag = text + strlen(DATA_TAG), *close;

	peek(st, text, sizeof(text));
	close = strchr(text, '>');
	if (!close)
		return damaged(st, "a data element that makes no sense");
	close[1] = '\0';
	element.from = st->at + (close + 1 - text);
	element.to = kp_unpage_find(st->fd, element.from, st->end, CLOSE_TAG);
	if (element.to == -2)
		return fail(st, "cannot read: %s", strerror(errno));
	if (element.to < 0)
		return damaged(st, "cut off inside a data element");
	if (!number_attribute(tag, " data-bytes=\"", &element.bytes))
		return damaged(st, "a data element without a length");
	st->element_count++;
	result = strncmp(tag, "names\"", 6) ? add_column(st, tag, &element) :
					      add_names(st, tag, &element);
	st->at = element.to + (off_t)strlen(CLOSE_TAG);
	return result;
}

static enum kp_json_result check_end(struct state *st)
{
	const struct { const char *key; uint64_t have; } counts[] = {
		{ "\"chunks\":", st->chunk_count }, { "\"spans\":", st->span_count },
		{ "\"names\":", st->name_count }, { "\"elements\":", st->element_count },
	};
	char text[512], *close;
	uint64_t value;

	peek(st, text, sizeof(text));
	close = strstr(text, CLOSE_TAG);
	if (!close)
		return damaged(st, "cut off at its end");
	*close = '\0';
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (!number_attribute(text, counts[i].key, &value))
			return damaged(st, "an end that makes no sense");
		if (value != counts[i].have)
			return fail(st, "damaged page: %" PRIu64 " of %" PRIu64 " %.*s",
				    counts[i].have, value,
				    (int)strlen(counts[i].key) - 3, counts[i].key + 1);
	}
	if (number_attribute(text, "\"width\":", &value) && value <= 20)
		st->unpage->start_width = (int)value;
	return KP_JSON_OK;
}

/* It says nothing that the rows do not. */
static enum kp_json_result skip_overview(struct state *st)
{
	off_t to = kp_unpage_find(st->fd, st->at, st->end, CLOSE_TAG);

	if (to == -2)
		return fail(st, "cannot read: %s", strerror(errno));
	if (to < 0)
		return damaged(st, "cut off inside its overview");
	st->at = to + (off_t)strlen(CLOSE_TAG);
	return KP_JSON_OK;
}

static enum kp_json_result note_behind(struct state *st)
{
	off_t from = st->at + (off_t)strlen(BEHIND_TAG);
	off_t to = kp_unpage_find(st->fd, from, st->end, CLOSE_TAG);

	if (to == -2)
		return fail(st, "cannot read: %s", strerror(errno));
	if (to < 0)
		return damaged(st, "cut off inside the keys behind the events");
	st->behind = from;
	st->behind_end = to;
	st->at = to + (off_t)strlen(CLOSE_TAG);
	return KP_JSON_OK;
}

static enum kp_json_result list_elements(struct state *st)
{
	enum kp_json_result result = KP_JSON_OK;
	char text[128];

	while (!result) {
		size_t n = peek(st, text, sizeof(text));

		if (kp_interrupted())
			return KP_JSON_INTERRUPTED;
		if (n && (text[0] == '\n' || text[0] == '\r'))
			st->at++;
		else if (!strncmp(text, DATA_TAG, strlen(DATA_TAG)))
			result = add_element(st);
		else if (!strncmp(text, OVERVIEW_TAG, strlen(OVERVIEW_TAG)))
			result = skip_overview(st);
		else if (!strncmp(text, BEHIND_TAG, strlen(BEHIND_TAG)))
			result = note_behind(st);
		else if (!strncmp(text, END_TAG, strlen(END_TAG)))
			return check_end(st);
		else
			return damaged(st, n ? "neither data nor its end" :
				       "its end is missing: cut off, or the program that made it stopped");
	}
	return result;
}

/* --- the header --------------------------------------------------------------- */

static int no_span(void *self, const struct kp_span *span)
{
	(void)self;
	(void)span;
	return 0;
}

static int no_end(void *self)
{
	(void)self;
	return 0;
}

/* Undoes what kept a '<' in a string out of the page's HTML. Returns the length. */
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

/* The header's object as the JSON of a trace without rows, to the sink's header(). */
static enum kp_json_result give_header(struct state *st, off_t from, off_t to)
{
	static const char rows[] =
		"\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]]}";
	struct kp_span_sink sink = {
		.header = st->sink->header, .span = no_span, .end = no_end,
		.self = st->sink->self,
	};
	struct kp_json_reader *reader = &st->unpage->reader;
	enum kp_json_result result = KP_JSON_BAD;
	size_t len = (size_t)(to - from);
	char *text;
	FILE *in;

	if (to - from > HEADER_MAX_BYTES || len < 2)
		return damaged(st, "a header that makes no sense");
	text = malloc(len + sizeof(rows) + 1);
	if (!text)
		return no_memory(st);
	if (pread(st->fd, text, len, from) != (ssize_t)len) {
		fail(st, "cannot read the header");
		goto out;
	}
	len = restore_less_than(text, len);
	if (text[0] != '{' || text[--len] != '}') {
		damaged(st, "a header that makes no sense");
		goto out;
	}
	if (len > 1)
		text[len++] = ',';
	memcpy(text + len, rows, sizeof(rows) - 1);
	len += sizeof(rows) - 1;
	in = fmemopen(text, len, "r");
	if (!in) {
		no_memory(st);
		goto out;
	}
	result = kp_json_read(reader, in, "the page's header", &sink);
	fclose(in);
	if (result == KP_JSON_BAD)
		fail(st, "%s", reader->message);
	/* what the header's text had to be put right stays counted, the row does not */
	reader->rows = 0;
out:
	free(text);
	return result;
}

/* The object of keys behind the events, as the JSON of a trace without rows. */
static enum kp_json_result give_behind(struct state *st)
{
	static const char rows[] = "{\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]],";
	struct kp_span_sink sink = {
		.header = kp_span_ignore_header, .span = no_span, .end = no_end,
		.self = st->sink->self, .behind = st->sink->behind,
	};
	size_t len = (size_t)(st->behind_end - st->behind), head = sizeof(rows) - 1;
	enum kp_json_result result = KP_JSON_BAD;
	struct kp_json_reader reader = {0};
	char *text;
	FILE *in;

	if (!st->behind || !st->sink->behind)
		return KP_JSON_OK;
	if (len < 2 || len > HEADER_MAX_BYTES)
		return fail(st, "damaged page: the keys behind the events make no sense");
	text = malloc(head + len);
	if (!text)
		return no_memory(st);
	/* behind rows, which have a brace of their own */
	if (pread(st->fd, text + head - 1, len, st->behind) != (ssize_t)len) {
		fail(st, "cannot read the keys behind the events");
		goto out;
	}
	len = restore_less_than(text + head - 1, len);
	if (text[head - 1] != '{' || !(in = fmemopen(text, head - 1 + len, "r"))) {
		fail(st, "damaged page: the keys behind the events make no sense");
		goto out;
	}
	memcpy(text, rows, head);
	result = kp_json_read(&reader, in, "the keys behind the events", &sink);
	fclose(in);
	if (result == KP_JSON_BAD)
		fail(st, "damaged page: %s", reader.message);
out:
	free(text);
	return result;
}

/* --- rows ----------------------------------------------------------------------- */

static void close_columns(struct track *track)
{
	for (enum column c = 0; c < COLUMNS; c++) {
		if (track->columns[c])
			kp_unpack_close(track->columns[c]);
		free(track->columns[c]);
		track->columns[c] = NULL;
	}
}

static enum kp_json_result column_fault(struct state *st, const struct track *track,
					enum column c)
{
	char cpu[16] = "other rows";

	if (track->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU %" PRId32, track->cpu);
	return fail(st, "damaged page: %s, chunk %zu, %s: %s", cpu, track->next_chunk - 1,
		    column_names[c], track->columns[c]->fault);
}

static enum kp_json_result open_chunk(struct state *st, struct track *track)
{
	const struct chunk *chunk = &track->chunks[track->next_chunk++];

	track->left = chunk->count;
	track->time = track->pid = track->rpc = 0;
	for (enum column c = 0; c < COLUMNS; c++) {
		const struct element *e = &chunk->columns[c];

		if (!e->to)
			continue;
		track->columns[c] = calloc(1, sizeof(struct kp_unpack));
		if (!track->columns[c] ||
		    kp_unpack_open(track->columns[c], st->fd, e->from, e->to, e->bytes))
			return no_memory(st);
	}
	return KP_JSON_OK;
}

static enum kp_json_result close_chunk(struct state *st, struct track *track)
{
	for (enum column c = 0; c < COLUMNS; c++)
		if (track->columns[c] && kp_unpack_end(track->columns[c]))
			return column_fault(st, track, c);
	close_columns(track);
	return KP_JSON_OK;
}

static bool beyond(int64_t value, int64_t limit)
{
	return value > limit || value < -limit;
}

/* The track's next row to track->span; *more tells whether there is one. */
static enum kp_json_result next_row(struct state *st, struct track *track, bool *more)
{
	uint64_t v[COLUMNS] = {0};
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
	for (enum column c = 0; c < COLUMNS; c++)
		if (track->columns[c] && kp_unpack_varint(track->columns[c], &v[c]))
			return column_fault(st, track, c);
	if (v[NAME] >= st->name_count)
		return fail(st, "damaged page: name %" PRIu64 " of %zu", v[NAME], st->name_count);
	if (beyond(kp_unzigzag(v[GAP]), TIME_LIMIT) || v[DUR] > TIME_LIMIT ||
	    beyond(kp_unzigzag(v[PID]), VALUE_LIMIT) || beyond(kp_unzigzag(v[RPC]), VALUE_LIMIT) ||
	    beyond(kp_unzigzag(v[ARG]), VALUE_LIMIT) || beyond(kp_unzigzag(v[RET]), VALUE_LIMIT) ||
	    beyond(kp_unzigzag(v[IPC]), INT32_MAX) || kp_unzigzag(v[CPU]) < -1 ||
	    kp_unzigzag(v[CPU]) > KP_JSON_CPU_MAX)
		return fail(st, "damaged page: a number out of range");
	s->start = track->time + kp_unzigzag(v[GAP]);
	s->dur = (int64_t)v[DUR];
	s->pid = track->pid += kp_unzigzag(v[PID]);
	s->rpc = track->rpc += kp_unzigzag(v[RPC]);
	if (s->start < 0 || s->start > TIME_LIMIT || beyond(s->pid, VALUE_LIMIT) ||
	    beyond(s->rpc, VALUE_LIMIT))
		return fail(st, "damaged page: a number out of range");
	s->cpu = track->cpu >= 0 ? track->cpu : (int32_t)kp_unzigzag(v[CPU]);
	s->event = st->names[v[NAME]].event;
	s->name = st->text + st->names[v[NAME]].offset;
	s->name_len = st->names[v[NAME]].len;
	s->arg0 = kp_unzigzag(v[ARG]);
	s->retval = kp_unzigzag(v[RET]);
	s->ipc = (int32_t)kp_unzigzag(v[IPC]);
	track->time = track->cpu >= 0 ? s->start + s->dur : s->start;
	return KP_JSON_OK;
}

/* Which of two rows LC_ALL=C sort puts first. */
static bool before(struct state *st, const struct track *a, const struct track *b)
{
	const char *text[2];
	size_t len[2];
	int order;

	if (a->span.start != b->span.start)
		return a->span.start < b->span.start;
	text[0] = kp_json_format_span(st->compare[0], &a->span, &len[0]);
	text[1] = kp_json_format_span(st->compare[1], &b->span, &len[1]);
	if (!text[0] || !text[1])
		return a->cpu < b->cpu;
	order = memcmp(text[0], text[1], len[0] < len[1] ? len[0] : len[1]);
	return order ? order < 0 : len[0] != len[1] ? len[0] < len[1] : a->cpu < b->cpu;
}

static void sift_down(struct state *st, size_t at)
{
	struct track **heap = st->tracks, *moving = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= st->heap_count)
			break;
		if (child + 1 < st->heap_count && before(st, heap[child + 1], heap[child]))
			child++;
		if (!before(st, heap[child], moving))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

static enum kp_json_result give_rows(struct state *st)
{
	struct kp_unpage *unpage = st->unpage;
	enum kp_json_result result = KP_JSON_OK;
	int64_t last = 0;
	bool more;

	for (size_t i = 0; i < st->track_count && !result; i++)
		result = next_row(st, st->tracks[i], &more);
	st->heap_count = st->track_count;
	for (size_t i = st->heap_count / 2; i-- > 0 && !result; )
		sift_down(st, i);
	while (st->heap_count && !result) {
		struct track *track = st->tracks[0];

		if (!(++unpage->rows & 0xffff) && kp_interrupted())
			return KP_JSON_INTERRUPTED;
		if (track->span.start < last)
			unpage->out_of_order_rows++;
		last = track->span.start;
		if (st->sink->span(st->sink->self, &track->span))
			return KP_JSON_STOPPED;
		result = next_row(st, track, &more);
		if (!more) {
			st->heap_count--;
			st->tracks[0] = st->tracks[st->heap_count];
			st->tracks[st->heap_count] = track;
		}
		if (st->heap_count)
			sift_down(st, 0);
	}
	return result;
}

/* --- outside ---------------------------------------------------------------------- */

static enum kp_json_result read_ours(struct state *st, off_t header)
{
	enum kp_json_result result;
	off_t from = header + (off_t)strlen(HEADER_TAG), to;

	st->at = from;
	to = kp_unpage_find(st->fd, from, st->end, CLOSE_TAG);
	if (to < 0)
		return damaged(st, "cut off in its header");
	st->at = to + (off_t)strlen(CLOSE_TAG);
	result = list_elements(st);
	if (result)
		return result;
	for (int i = 0; i < 2; i++) {
		st->compare[i] = calloc(1, sizeof(*st->compare[i]));
		if (!st->compare[i])
			return no_memory(st);
		kp_json_writer_init(st->compare[i], NULL);
		kp_json_writer_set_width(st->compare[i], st->unpage->start_width);
	}
	result = give_header(st, from, to);
	if (!result)
		result = give_rows(st);
	if (!result)
		result = give_behind(st);
	if (!result && st->sink->end(st->sink->self))
		result = KP_JSON_STOPPED;
	return result;
}

static int original_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct state *st = self;

	st->unpage->start_width = st->unpage->reader.start_width;
	return st->sink->header(st->sink->self, items, count);
}

static int original_span(void *self, const struct kp_span *span)
{
	struct state *st = self;

	st->unpage->rows++;
	return st->sink->span(st->sink->self, span);
}

static int original_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct state *st = self;

	return st->sink->behind ? st->sink->behind(st->sink->self, items, count) : 0;
}

static int original_end(void *self)
{
	struct state *st = self;

	return st->sink->end(st->sink->self);
}

static enum kp_json_result read_original(struct state *st, off_t string)
{
	const struct kp_span_sink sink = {
		original_header, original_span, original_end, st, original_behind,
	};
	enum kp_json_result result;
	FILE *text = kp_unstring_stream(st->fd, string + (off_t)strlen(STRING_START)), *in;
	struct kp_foreign *foreign = &st->unpage->foreign;

	if (!text)
		return no_memory(st);
	in = kp_foreign_look(text, &foreign->kind);
	if (!in) {
		fclose(text);
		return no_memory(st);
	}
	st->unpage->original = true;
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
		fail(st, "%s", st->unpage->reader.message);
	return result;
}

static enum kp_json_result read_page(struct state *st)
{
	off_t from = st->at, header, string;

	if (st->end <= from)
		return fail(st, "no page: it is empty");
	header = kp_unpage_find(st->fd, from, st->end, HEADER_TAG);
	string = header == -2 ? -2 : kp_unpage_find(st->fd, from, header < 0 ? st->end : header,
						    STRING_START);
	if (string == -2)
		return fail(st, "cannot read: %s", strerror(errno));
	if (string >= 0)
		return read_original(st, string);
	if (header >= 0)
		return read_ours(st, header);
	return fail(st, "no page with a trace in it: neither ours nor the original's");
}

/* A pipe to a temporary file, because the names stand behind the rows. */
static FILE *copy_of(struct state *st, FILE *in)
{
	FILE *copy = kp_temp_file();
	char block[65536];
	size_t n;

	if (!copy) {
		fail(st, "cannot make a temporary file: %s, set TMPDIR to a directory with room",
		     strerror(errno));
		return NULL;
	}
	do {
		errno = 0;
		n = fread(block, 1, sizeof(block), in);
		if (ferror(in) || kp_interrupted()) {
			fail(st, "cannot read: %s", strerror(errno));
			fclose(copy);
			return NULL;
		}
		if (fwrite(block, 1, n, copy) != n)
			break;
	} while (n == sizeof(block));
	if (ferror(copy) || fflush(copy)) {
		fail(st, "cannot write a temporary file: %s, set TMPDIR to a directory with room",
		     strerror(errno));
		fclose(copy);
		return NULL;
	}
	return copy;
}

enum kp_json_result kp_unpage_read(struct kp_unpage *unpage, FILE *in, const char *shown,
				   const struct kp_span_sink *sink)
{
	struct state st = { .unpage = unpage, .sink = sink, .shown = shown };
	enum kp_json_result result = KP_JSON_BAD;
	FILE *copy = NULL;
	struct stat info;

	*unpage = (struct kp_unpage){ .foreign_out = unpage->foreign_out };
	unpage->start_width = KP_JSON_WIDTH;
	st.at = ftello(in);
	if (st.at < 0 || fstat(fileno(in), &info) || !S_ISREG(info.st_mode)) {
		st.at = 0;
		in = copy = copy_of(&st, in);
	}
	if (in && !fstat(fileno(in), &info)) {
		st.fd = fileno(in);
		st.end = info.st_size;
		result = read_page(&st);
	}
	if (result == KP_JSON_BAD && kp_interrupted())
		result = KP_JSON_INTERRUPTED;
	for (size_t i = 0; i < st.track_count; i++) {
		close_columns(st.tracks[i]);
		free(st.tracks[i]->chunks);
		free(st.tracks[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (st.compare[i])
			kp_json_writer_free(st.compare[i]);
		free(st.compare[i]);
	}
	free(st.tracks);
	free(st.names);
	free(st.text);
	if (copy)
		fclose(copy);
	return result;
}
