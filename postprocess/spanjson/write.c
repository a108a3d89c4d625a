// SPDX-License-Identifier: BSD-3-Clause
/* Writes the span JSON. Only kp_json_write_end() may write the closing brackets. */
#include "spanjson/json.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#define UNITS_PER_S	100000000u	/* number of units of 10 ns in a second */
#define ROW_FIXED_BYTES	320		/* maximum size of a row without its name */

/* Maximum width of a start: a space, 10 digits (KP_JSON_TIME_MAX), the point, and 8 digits. */
#define WIDTH_MAX	20

/* Writes @value (10 ns units) as seconds with 8 decimals, in at least @width characters. */
static inline char *put_seconds(char *p, int64_t value, int width)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint64_t seconds = size / UNITS_PER_S, limit;
	int len = (value < 0) + 10;	/* length of the sign, one digit, the point, and 8 digits */

	for (limit = 10; seconds >= limit; limit *= 10)
		len++;
	memset(p, ' ', WIDTH_MAX);
	if (width > len)
		p += width - len;
	if (value < 0)
		*p++ = '-';
	p = kp_put_unsigned(p, seconds);
	*p++ = '.';
	return kp_put_8(p, kp_digits_8((uint32_t)(size % UNITS_PER_S)));
}

static inline char *put_comma(char *p)
{
	p[0] = ',';
	p[1] = ' ';
	return p + 2;
}

/* Writes the row of @span at @p, which has room for ROW_FIXED_BYTES + 6 * name_len bytes. */
static inline char *format_row(struct kp_json_writer *w, char *p,
			       const struct kp_span *span)
{
	*p++ = '[';
	p = put_comma(put_seconds(p, span->start, w->width));
	p = put_comma(put_seconds(p, span->dur, 0));
	p = put_comma(kp_put_signed(p, span->cpu));
	p = put_comma(kp_put_signed(p, span->pid));
	p = put_comma(kp_put_signed(p, span->rpc));
	p = put_comma(kp_put_signed(p, span->event));
	if (!(span->arg0 | span->retval | span->ipc)) {
		memcpy(p, "0, 0, 0, ", 9);
		p += 9;
	} else {
		p = put_comma(kp_put_signed(p, span->arg0));
		p = put_comma(kp_put_signed(p, span->retval));
		p = put_comma(kp_put_signed(p, span->ipc));
	}
	*p++ = '"';
	p += kp_json_escape(span->name, span->name_len, p, &w->replaced_bytes);
	memcpy(p, "\"],", 3);
	return p + 3;
}

static int flush_buffer(struct kp_json_writer *w)
{
	size_t used = w->used;

	w->used = 0;
	return used && fwrite_unlocked(w->buffer, 1, used, w->out) != used ? -1 : 0;
}

static int put_bytes(struct kp_json_writer *w, const char *data, size_t len)
{
	if (w->used + len > sizeof(w->buffer) && flush_buffer(w))
		return -1;
	if (len > sizeof(w->buffer))
		return fwrite_unlocked(data, 1, len, w->out) != len ? -1 : 0;
	memcpy(w->buffer + w->used, data, len);
	w->used += len;
	return 0;
}

/* Returns the first start (10 ns units) that sorts after "[999.0", in a field of @width. */
static int64_t trailer_last_below(int width)
{
	int64_t limit = 1000;

	if (width <= KP_JSON_WIDTH)
		return 999ll * UNITS_PER_S;
	for (width -= KP_JSON_WIDTH + 1; width > 0; width--)
		limit *= 10;
	return limit * UNITS_PER_S;
}

void kp_json_writer_init(struct kp_json_writer *w, FILE *out)
{
	/* clear all members except the buffer, whose content is not used yet */
	memset(w, 0, offsetof(struct kp_json_writer, buffer));
	w->out = out;
	kp_json_writer_set_width(w, KP_JSON_WIDTH);
}

void kp_json_writer_free(struct kp_json_writer *w)
{
	free(w->row);
	free(w->trailing);
	w->row = NULL;
	w->trailing = NULL;
	w->row_size = 0;
}

void kp_json_writer_set_width(struct kp_json_writer *w, int width)
{
	w->width = width < KP_JSON_WIDTH || width > WIDTH_MAX ? KP_JSON_WIDTH : width;
	w->trailer_last_below = trailer_last_below(w->width);
}

int kp_json_width(int64_t last)
{
	int width = KP_JSON_WIDTH;

	while (width < WIDTH_MAX && last >= trailer_last_below(width))
		width++;
	return width;
}

void kp_json_writer_set_last(struct kp_json_writer *w, int64_t last)
{
	kp_json_writer_set_width(w, kp_json_width(last));
}

/* Returns the text of one key and its value, followed by @end. */
static char *key_text(const struct kp_header_item *item, const char *end, uint64_t *replaced)
{
	size_t key_len = strlen(item->key), value_len = strlen(item->value), n, i;
	char *line = kp_allocated(malloc(6 * key_len + value_len + sizeof(" \"\" : ") + strlen(end)));

	if (!line)
		return NULL;
	line[0] = ' ';
	line[1] = '"';
	n = 2 + kp_json_escape(item->key, key_len, line + 2, replaced);
	memcpy(line + n, "\" : ", 4);
	n += 4;
	/* each key must be one line; newlines can occur only between tokens */
	for (i = 0; i < value_len; i++)
		line[n + i] = item->value[i] == '\n' || item->value[i] == '\r' ?
			      ' ' : item->value[i];
	strcpy(line + n + value_len, end);
	return line;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int kp_json_write_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_json_writer *w = self;
	char **lines = kp_allocated(calloc(count + 1, sizeof(*lines)));
	int status = lines ? 0 : -1;

	for (size_t i = 0; i < count && !status; i++) {
		lines[i] = key_text(&items[i], ",\n", &w->replaced_bytes);
		status = lines[i] ? 0 : -1;
	}
	if (!status) {
		qsort(lines, count, sizeof(*lines), compare_lines);
		status = put_bytes(w, "  {\n", 4);
	}
	for (size_t i = 0; i < count && !status; i++)
		status = put_bytes(w, lines[i], strlen(lines[i]));
	if (!status)
		status = put_bytes(w, "\"events\" : [\n", 13);
	for (size_t i = 0; lines && i < count; i++)
		free(lines[i]);
	free(lines);
	return status;
}

int kp_json_write_span(void *self, const struct kp_span *span)
{
	struct kp_json_writer *w = self;
	size_t room = ROW_FIXED_BYTES + 6 * span->name_len, len;
	const char *row;
	char *p;

	if (span->start >= w->trailer_last_below)
		w->long_trailer = true;
	w->rows++;
	if (room <= sizeof(w->buffer)) {
		if (w->used + room > sizeof(w->buffer) && flush_buffer(w))
			return -1;
		p = format_row(w, w->buffer + w->used, span);
		*p++ = '\n';
		w->used = (size_t)(p - w->buffer);
		return 0;
	}
	row = kp_json_format_span(w, span, &len);
	return !row || put_bytes(w, row, len) || put_bytes(w, "\n", 1) ? -1 : 0;
}

const char *kp_json_format_span(struct kp_json_writer *w,
				const struct kp_span *span, size_t *len)
{
	size_t room = ROW_FIXED_BYTES + 6 * span->name_len;

	if (room > w->row_size) {
		char *row = kp_allocated(realloc(w->row, room));

		if (!row)
			return NULL;
		w->row = row;
		w->row_size = room;
	}
	*len = (size_t)(format_row(w, w->row, span) - w->row);
	return w->row;
}

int kp_json_write_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_json_writer *w = self;
	size_t size = 0, i;
	FILE *text = NULL;
	bool failed;

	free(w->trailing);
	w->trailing = NULL;
	text = open_memstream(&w->trailing, &size);
	failed = !text;
	for (i = 0; i < count && !failed; i++) {
		char *key = key_text(&items[i], "", &w->replaced_bytes);

		failed = !key || fprintf(text, ",%s", key) < 0;
		free(key);
	}
	if (text)
		failed |= fclose(text) != 0;
	return failed ? -1 : 0;
}

int kp_json_write_end(void *self)
{
	struct kp_json_writer *w = self;
	const char *trailer = w->long_trailer ?
		"[9999999999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n]" :
		"[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n]";
	const char *trailing = w->trailing ? w->trailing : "";

	return put_bytes(w, trailer, strlen(trailer)) || put_bytes(w, trailing, strlen(trailing)) ||
	       put_bytes(w, "}\n", 2) || flush_buffer(w) || fflush(w->out) ? -1 : 0;
}

struct kp_span_sink kp_json_writer_sink(struct kp_json_writer *w)
{
	return (struct kp_span_sink) {
		.header = kp_json_write_header,
		.span = kp_json_write_span,
		.end = kp_json_write_end,
		.self = w,
		.trailing = kp_json_write_trailing,
	};
}

int kp_json_writer_flush(struct kp_json_writer *w, FILE *other)
{
	int status = flush_buffer(w);

	if (other)
		w->out = other;
	return status;
}
