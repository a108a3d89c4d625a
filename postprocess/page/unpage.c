// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a page to spans (page/unpage.h). Recognizes our pages and the original's. Passes on the
 * header, the rows and the keys after them: page/elements.h lists the elements, page/tracks.h
 * orders the rows. Must not call end() for an incomplete page.
 */
#include "page/unpage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/known.h"
#include "base/temp.h"
#include "base/tool.h"
#include "page/elements.h"
#include "page/tracks.h"
#include "page/unpage_text.h"
#include "spanjson/reader.h"

#define HEADER_TAG "<script type=\"application/json\" id=\"kutrace-header\">"
#define STRING_START "var myString = '"
#define HEADER_MAX_BYTES (64u << 20)

struct unpaging {
	struct kp_unpage *unpage;
	const struct kp_span_sink *sink;
	struct kp_elements elements;
};

/* --- the header --------------------------------------------------------------- */

/* Replaces each \u003c by '<', which page/out.c had escaped. Returns the new length. */
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

/* Passes the header to the sink's header(), by reading it as the JSON of a trace without rows. */
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
	/* the count of corrections in the header's text stays, the trailing row does not count */
	reader->rows = 0;
out:
	free(text);
	return result;
}

/* Passes on the object of keys after the events. */
static enum kp_json_result give_behind(struct unpaging *st)
{
	size_t len = (size_t)(st->elements.behind_end - st->elements.behind);
	enum kp_json_result result = KP_JSON_BAD;
	struct kp_json_reader reader = {0};
	char *text;

	if (!st->elements.behind || !st->sink->behind)
		return KP_JSON_OK;
	if (len < 2 || len > HEADER_MAX_BYTES)
		return kp_elements_fail(&st->elements, "damaged page: bad keys after the events");
	text = malloc(len);
	if (!text)
		return kp_elements_no_memory(&st->elements);
	if (pread(st->elements.fd, text, len, st->elements.behind) != (ssize_t)len) {
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

/* --- public functions ----------------------------------------------------------------- */

static enum kp_json_result read_ours(struct unpaging *st, off_t header)
{
	struct kp_track_counts counts = {0};
	enum kp_json_result result;
	off_t from = header + (off_t)strlen(HEADER_TAG), to;

	st->elements.at = from;
	to = kp_unpage_find(st->elements.fd, from, st->elements.end, KP_PAGE_CLOSE_TAG);
	if (to == -2)
		return kp_elements_fail(&st->elements, "cannot read: %s", strerror(errno));
	if (to < 0)
		return kp_elements_damaged(&st->elements, "cut off in its header");
	st->elements.at = to + (off_t)strlen(KP_PAGE_CLOSE_TAG);
	result = kp_elements_list(&st->elements);
	if (result)
		return result;
	st->unpage->start_width = st->elements.start_width;
	result = give_header(st, from, to);
	if (!result)
		result = kp_tracks_give(&st->elements, st->sink, &counts);
	st->unpage->rows += counts.rows;
	st->unpage->out_of_order_rows += counts.out_of_order;
	if (!result)
		result = give_behind(st);
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

	st->unpage->rows++;
	return st->sink->span(st->sink->self, span);
}

static int original_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct unpaging *st = self;

	return st->sink->behind ? st->sink->behind(st->sink->self, items, count) : 0;
}

static int original_end(void *self)
{
	struct unpaging *st = self;

	return st->sink->end(st->sink->self);
}

static enum kp_json_result read_original(struct unpaging *st, off_t string)
{
	const struct kp_span_sink sink = {
		original_header, original_span, original_end, st, original_behind,
	};
	enum kp_json_result result;
	FILE *text = kp_unstring_stream(st->elements.fd, string + (off_t)strlen(STRING_START)), *in;
	struct kp_foreign *foreign = &st->unpage->foreign;

	if (!text)
		return kp_elements_no_memory(&st->elements);
	in = kp_foreign_look(text, &foreign->kind);
	if (!in) {
		fclose(text);
		return kp_elements_no_memory(&st->elements);
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
		kp_elements_fail(&st->elements, "%s", st->unpage->reader.message);
	return result;
}

static enum kp_json_result read_page(struct unpaging *st)
{
	off_t from = st->elements.at, header, string;
	char first[512], what[KP_KNOWN_TEXT];
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
	if (len > 0 && kp_known(first, (size_t)len, KP_KNOWN_PAGE, what))
		return kp_elements_fail(&st->elements, "not a page, but %s", what);
	return kp_elements_fail(&st->elements, "not a page with a trace, neither ours nor the original's");
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
		/* The names follow the rows, so the page must be seekable. */
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
