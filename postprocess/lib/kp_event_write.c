// SPDX-License-Identifier: BSD-3-Clause
/*
 * Events as text. Millions of lines go through here, so numbers are formatted
 * by hand into a large buffer. Called by rawtoevent.
 */
#include <string.h>

#include "kp_event_text.h"

#define KP_LINE_NUMBERS	160	/* bytes that the numbers of a line need at most */

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

static char *kp_put_number(char *p, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";
	char digits[20];
	size_t at = sizeof(digits);

	if (value < 10) {
		*p = (char)('0' + value);
		return p + 1;
	}
	while (value >= 100) {
		at -= 2;
		memcpy(&digits[at], &pairs[value % 100 * 2], 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(&digits[at], &pairs[value * 2], 2);
	} else {
		digits[--at] = (char)('0' + value);
	}
	memcpy(p, &digits[at], sizeof(digits) - at);
	return p + (sizeof(digits) - at);
}

static char *kp_put_signed(char *p, int64_t value)
{
	if (value >= 0)
		return kp_put_number(p, (uint64_t)value);
	*p++ = '-';
	return kp_put_number(p, 0 - (uint64_t)value);
}

static char *kp_put_name(char *p, const char *name, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
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

/* Where a line with this much name can be put, or NULL after a write error. */
static char *kp_line(struct kp_event_writer *writer, size_t *name_len)
{
	size_t need;

	if (*name_len > KP_EVENT_LINE_MAX / 4 - KP_LINE_NUMBERS)
		*name_len = KP_EVENT_LINE_MAX / 4 - KP_LINE_NUMBERS;
	need = KP_LINE_NUMBERS + 4 * *name_len;
	if (writer->used + need > sizeof(writer->buffer) &&
	    kp_event_writer_flush(writer))
		return NULL;
	return writer->buffer + writer->used;
}

static void kp_line_done(struct kp_event_writer *writer, const char *end)
{
	writer->used = (size_t)(end - writer->buffer);
}

static int kp_write_event(void *self, const struct kp_event *event)
{
	static const char hex[] = "0123456789abcdef";
	struct kp_event_writer *writer = self;
	size_t len = event->name_len;
	char *p = kp_line(writer, &len);

	if (!p)
		return -1;
	p = kp_put_signed(p, event->ts);
	*p++ = ' ';
	p = kp_put_signed(p, event->dur);
	*p++ = ' ';
	p = kp_put_number(p, event->event);
	*p++ = ' ';
	p = kp_put_signed(p, event->cpu);
	*p++ = ' ';
	*p++ = ' ';
	p = kp_put_number(p, event->pid);
	*p++ = ' ';
	p = kp_put_number(p, event->rpc);
	*p++ = ' ';
	*p++ = ' ';
	p = kp_put_number(p, event->arg0);
	*p++ = ' ';
	p = kp_put_signed(p, event->retval);
	*p++ = ' ';
	p = kp_put_number(p, event->ipc);
	*p++ = ' ';
	p = kp_put_name(p, event->name, len);
	*p++ = ' ';
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
	p = kp_put_signed(p, def->ts);
	memcpy(p, " 1 ", 3);
	p = kp_put_number(p + 3, def->event);
	*p++ = ' ';
	p = kp_put_number(p, def->number);
	*p++ = ' ';
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
