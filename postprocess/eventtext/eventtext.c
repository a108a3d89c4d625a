// SPDX-License-Identifier: BSD-3-Clause
/* Writes and reads event text, often millions of lines. Checks the range of each number. */
#include "eventtext/eventtext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/tool.h"
#include "common/entry.h"

#define KP_LINE_NUMBERS	160	/* maximum length of a line's numbers */

void kp_event_writer_init(struct kp_event_writer *writer, FILE *out)
{
	writer->out = out;
	writer->used = 0;
}

int kp_event_writer_flush(struct kp_event_writer *writer)
{
	size_t used = writer->used;

	writer->used = 0;
	return used && fwrite(writer->buffer, 1, used, writer->out) != used ? -1 : 0;
}

static char *kp_put_name(char *p, const char *name, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t i = kp_put_plain(p, name, len, '\\');

	p += i;
	for (; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c >= 0x20 && c != 0x7F && c != '\\') {
			*p++ = (char)c;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = hex[c >> 4];
		*p++ = hex[c & 15];
	}
	return p;
}

/* Returns memory for a line. Reduces *name_len if it is too long. Returns NULL after an error. */
static char *kp_line(struct kp_event_writer *writer, size_t *name_len)
{
	size_t need;

	if (*name_len > KP_EVENT_LINE_MAX / 4 - KP_LINE_NUMBERS)
		*name_len = KP_EVENT_LINE_MAX / 4 - KP_LINE_NUMBERS;
	need = KP_LINE_NUMBERS + 4 * *name_len;
	if (writer->used + need > sizeof(writer->buffer) && kp_event_writer_flush(writer))
		return NULL;
	return writer->buffer + writer->used;
}

static void kp_line_done(struct kp_event_writer *writer, const char *end)
{
	writer->used = (size_t)(end - writer->buffer);
}

static inline char *kp_put_space(char *p)
{
	*p = ' ';
	return p + 1;
}

static int kp_write_event(void *self, const struct kp_event *event)
{
	static const char hex[] = "0123456789abcdef";
	struct kp_event_writer *writer = self;
	size_t len = event->name_len;
	char *p = kp_line(writer, &len);

	if (!p)
		return -1;
	p = kp_put_space(kp_put_signed(p, event->ts));
	p = kp_put_space(kp_put_signed(p, event->dur));
	p = kp_put_space(kp_put_unsigned(p, event->event));
	p = kp_put_space(kp_put_space(kp_put_signed(p, event->cpu)));
	p = kp_put_space(kp_put_unsigned(p, event->pid));
	p = kp_put_space(kp_put_space(kp_put_unsigned(p, event->rpc)));
	p = kp_put_space(kp_put_unsigned(p, event->arg0));
	p = kp_put_space(kp_put_signed(p, event->retval));
	p = kp_put_space(kp_put_unsigned(p, event->ipc));
	p = kp_put_space(kp_put_name(p, event->name, len));
	*p++ = '(';
	*p++ = hex[event->event >> 8 & 15];
	*p++ = hex[event->event >> 4 & 15];
	*p++ = hex[event->event & 15];
	*p++ = ')';
	*p++ = '\n';
	kp_line_done(writer, p);
	return 0;
}

static int kp_write_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_event_writer *writer = self;
	size_t len = def->name_len;
	char *p = kp_line(writer, &len);

	if (!p)
		return -1;
	p = kp_put_space(kp_put_signed(p, def->ts));
	p = kp_put_space(kp_put_unsigned(p, 1 + def->kind));
	p = kp_put_space(kp_put_unsigned(p, def->event));
	p = kp_put_space(kp_put_unsigned(p, def->number));
	p = kp_put_name(p, def->name, len);
	*p++ = '\n';
	kp_line_done(writer, p);
	return 0;
}

static int kp_write_comment(void *self, const char *text, size_t len)
{
	struct kp_event_writer *writer = self;
	char *p = kp_line(writer, &len);

	if (!p)
		return -1;
	memcpy(p, text, len);
	p += len;
	*p++ = '\n';
	kp_line_done(writer, p);
	return 0;
}

struct kp_event_sink kp_event_writer_sink(struct kp_event_writer *writer)
{
	return (struct kp_event_sink){
		.event = kp_write_event,
		.namedef = kp_write_namedef,
		.comment = kp_write_comment,
		.self = writer,
	};
}

/* ---- reading ---- */

#define KP_READ_BYTES	(128u << 10)	/* room for two lines of the maximum length */

struct kp_lines {
	struct kp_event_reader *reader;
	const char *shown;
	const struct kp_event_sink *sink;
	char name[KP_EVENT_LINE_MAX];	/* the unescaped name */
	char buffer[KP_READ_BYTES];
};

static int __attribute__((format(printf, 2, 3)))
kp_read_fail(struct kp_lines *lines, const char *fmt, ...)
{
	struct kp_event_reader *reader = lines->reader;
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(reader->message, sizeof(reader->message), "%s (line %" PRIu64 "): %s",
		 lines->shown, reader->line, what);
	return -1;
}

/* Reads a number from @low to @high at *p, after any spaces. */
static int kp_get_number(struct kp_lines *lines, const char **p, const char *end,
			 const char *field, int64_t low, int64_t high, int64_t *value)
{
	const char *at = *p;
	uint64_t number = 0;
	bool minus;

	while (at < end && *at == ' ')
		at++;
	minus = at < end && *at == '-';
	at += minus;
	if (at == end || !kp_is_digit(*at))
		return kp_read_fail(lines, "%s is missing or no number: not event text, or damaged",
				    field);
	do {
		if (number >= (1ull << 62) / 10)
			return kp_read_fail(lines, "%s is too large", field);
		number = number * 10 + (uint64_t)(*at++ - '0');
	} while (at < end && kp_is_digit(*at));
	if (at < end && *at != ' ')
		return kp_read_fail(lines, "%s is no number: not event text, or damaged", field);
	*value = minus ? -(int64_t)number : (int64_t)number;
	if (*value < low || *value > high)
		return kp_read_fail(lines, "%s is %" PRId64 ", but must be %" PRId64 " to %" PRId64,
				    field, *value, low, high);
	*p = at;
	return 0;
}

/* Sets *name and *len to the text after one space at @p, with \xHH decoded. */
static void kp_get_name(struct kp_lines *lines, const char *p, const char *end,
			const char **name, size_t *len)
{
	char *out = lines->name;

	if (p < end && *p == ' ')
		p++;
	*len = p < end ? (size_t)(end - p) : 0;
	if (!memchr(p, '\\', *len)) {
		*name = p;
		return;
	}
	while (p < end) {
		if (end - p >= 4 && p[0] == '\\' && p[1] == 'x' && kp_hex(p[2]) >= 0 &&
		    kp_hex(p[3]) >= 0) {
			*out++ = (char)(kp_hex(p[2]) << 4 | kp_hex(p[3]));
			p += 4;
		} else {
			*out++ = *p++;
		}
	}
	*name = lines->name;
	*len = (size_t)(out - lines->name);
}

/* Returns the end of the name in an event's line, without " (827)". */
static const char *kp_strip_hex(const char *p, const char *end)
{
	const char *at;

	if (end - p < 6)
		return end;
	at = end - 6;
	if (at[0] != ' ' || at[1] != '(' || at[5] != ')' || kp_hex(at[2]) < 0 ||
	    kp_hex(at[3]) < 0 || kp_hex(at[4]) < 0)
		return end;
	return at;
}

static int kp_namedef_line(struct kp_lines *lines, const char *p, const char *end,
			   int64_t ts, int64_t dur, uint32_t event)
{
	struct kp_namedef def = { .ts = ts, .event = event };
	int64_t number;

	if (KU_NAME_BASE(event) == KUTRACE_NAME_PID && dur >= 1 && dur <= KUTRACE_TASK_KINDS)
		def.kind = (uint32_t)dur - 1;

	if (kp_get_number(lines, &p, end, "number", 0, UINT32_MAX, &number))
		return -1;
	def.number = (uint32_t)number;
	kp_get_name(lines, p, end, &def.name, &def.name_len);
	return lines->sink->namedef(lines->sink->self, &def);
}

/* Sets @event from the numbers of its line. The caller has checked their ranges. */
static inline void kp_set_event(struct kp_event *event, const uint64_t number[9])
{
	*event = (struct kp_event){
		.ts = (int64_t)number[0], .dur = (int64_t)number[1], .event = (uint32_t)number[2],
		.cpu = (int32_t)number[3], .pid = (uint32_t)number[4], .rpc = (uint32_t)number[5],
		.arg0 = (uint32_t)number[6], .retval = (int32_t)number[7], .ipc = (uint32_t)number[8],
	};
}

static int kp_event_line(struct kp_lines *lines, const char *p, const char *end)
{
	static const struct { const char *name; int64_t low, high; } fields[] = {
		{ "TS", -1, KP_EVENT_TIME_MAX }, { "DUR", 0, KP_EVENT_TIME_MAX }, { "EVENT", 0, 0xFFF },
		{ "CPU", 0, KP_EVENT_CPU_MAX }, { "PID", 0, UINT32_MAX }, { "RPC", 0, UINT32_MAX },
		{ "ARG0", 0, UINT32_MAX }, { "RETVAL", INT32_MIN, INT32_MAX }, { "IPC", 0, 255 },
	};
	struct kp_event event;
	int64_t number[9];

	for (int i = 0; i < 9; i++) {
		if (i == 3 && ku_event_is_name((uint32_t)number[2]))
			return kp_namedef_line(lines, p, end, number[0], number[1], (uint32_t)number[2]);
		if (i == 3 && number[0] < 0)
			return kp_read_fail(lines, "TS is -1, which is for names only");
		if (kp_get_number(lines, &p, end, fields[i].name, fields[i].low, fields[i].high, &number[i]))
			return -1;
	}
	kp_set_event(&event, (const uint64_t *)number);
	if (event.event < 0x200 && event.event != KUTRACE_NAME_TPOINT)
		return kp_read_fail(lines, "EVENT is %u, which is no event number", event.event);
	kp_get_name(lines, p, kp_strip_hex(p, end), &event.name, &event.name_len);
	return lines->sink->event(lines->sink->self, &event);
}

/*
 * Reads up to 18 digits after any spaces. Returns the address of the space after the digits, or
 * NULL.
 */
static inline const char *kp_quick_number(const char *p, uint64_t *value)
{
	const char *first;
	unsigned int digit;
	uint64_t number;

	while (*p == ' ')
		p++;
	first = p;
	number = (unsigned char)*p - '0';
	if (number > 9)
		return NULL;
	while ((digit = (unsigned char)*++p - '0') <= 9) {
		if (p - first >= 18)
			return NULL;
		number = number * 10 + digit;
	}
	*value = number;
	return *p == ' ' ? p : NULL;
}

/*
 * Parses the usual line of nine nonnegative numbers, up to the space before the name. Returns NULL
 * for any other line. The newline after the line ends the last number.
 */
static inline const char *kp_quick_line(const char *p, struct kp_event *event)
{
	uint64_t number[9];

	for (int i = 0; i < 9; i++) {
		p = kp_quick_number(p, &number[i]);
		if (!p)
			return NULL;
	}
	if (number[0] > KP_EVENT_TIME_MAX || number[1] > KP_EVENT_TIME_MAX ||
	    number[2] < 0x200 || number[2] > 0xFFF || number[3] > KP_EVENT_CPU_MAX ||
	    (number[4] | number[5] | number[6]) > UINT32_MAX || number[7] > INT32_MAX ||
	    number[8] > 255)
		return NULL;
	kp_set_event(event, number);
	return p;
}

static int kp_one_line(struct kp_lines *lines, const char *p, const char *end)
{
	const char *at = p, *name;
	struct kp_event event;

	name = kp_quick_line(p, &event);
	if (name) {
		kp_get_name(lines, name, kp_strip_hex(name, end), &event.name, &event.name_len);
		return lines->sink->event(lines->sink->self, &event);
	}
	if (p < end && *p == '#')
		return lines->sink->comment(lines->sink->self, p, (size_t)(end - p));
	while (at < end && *at == ' ')
		at++;
	if (at == end)
		return 0;
	return kp_event_line(lines, p, end);
}

int kp_event_text_read(struct kp_event_reader *reader, FILE *in, const char *shown,
		       const struct kp_event_sink *sink)
{
	struct kp_lines *lines = malloc(sizeof(*lines));
	uint64_t total = 0;	/* 0: not a regular file */
	struct stat info;
	const char *what;
	char first[512];
	size_t used = 0, first_len = 0;
	int err = 0;

	if (!fstat(fileno(in), &info) && S_ISREG(info.st_mode))
		total = (uint64_t)info.st_size;
	memset(reader, 0, sizeof(*reader));
	if (!lines) {
		snprintf(reader->message, sizeof(reader->message), "no memory");
		err = -1;
		goto out;
	}
	lines->reader = reader;
	lines->shown = shown;
	lines->sink = sink;
	for (;;) {
		/* at a terminal, a read after the end of the file would wait again */
		size_t got = feof(in) ? 0 : fread(lines->buffer + used, 1, KP_READ_BYTES - used, in);
		const char *p = lines->buffer, *end = p + used + got, *newline;

		if (kp_interrupted()) {
			snprintf(reader->message, sizeof(reader->message), "interrupted");
			err = -1;
			goto out;
		}
		if (ferror(in)) {
			snprintf(reader->message, sizeof(reader->message),
				 "cannot read %s: %s", shown, strerror(errno));
			err = -1;
			goto out;
		}
		if (!reader->bytes) {
			first_len = got < sizeof(first) ? got : sizeof(first);
			memcpy(first, p, first_len);
		}
		reader->bytes += got;
		kp_progress(reader->bytes, total);
		while ((newline = memchr(p, '\n', (size_t)(end - p)))) {
			reader->line++;
			if (newline - p > KP_EVENT_LINE_MAX)
				err = kp_read_fail(lines, "longer than %u bytes: not event text",
						   KP_EVENT_LINE_MAX);
			else
				err = kp_one_line(lines, p, newline);
			if (err)
				goto out;
			p = newline + 1;
		}
		used = (size_t)(end - p);
		if (used > KP_EVENT_LINE_MAX) {
			reader->line++;
			err = kp_read_fail(lines, "longer than %u bytes: not event text",
					   KP_EVENT_LINE_MAX);
			goto out;
		}
		if (!got) {
			reader->line++;
			if (used)
				err = kp_read_fail(lines, "ends without a newline: cut off");
			goto out;
		}
		memmove(lines->buffer, p, used);
	}
out:
	what = err && !kp_interrupted() ? kp_other_format(first, first_len, KP_FORMAT_EVENT_TEXT) : NULL;
	if (what)
		snprintf(reader->message, sizeof(reader->message), "%s: no event text, but %s", shown, what);
	free(lines);
	return err;
}
