// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes events as text. Millions of lines pass through it, so numbers are formatted by hand into a
 * large buffer.
 */
#include <string.h>

#include "base/number.h"
#include "eventtext/write.h"

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

/*
 * Returns the place for a line with a name of *name_len bytes; cuts off names that are too long.
 * Returns NULL after a write error.
 */
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
	p = kp_put_unsigned(p, event->event);
	*p++ = ' ';
	p = kp_put_signed(p, event->cpu);
	*p++ = ' ';
	*p++ = ' ';
	p = kp_put_unsigned(p, event->pid);
	*p++ = ' ';
	p = kp_put_unsigned(p, event->rpc);
	*p++ = ' ';
	*p++ = ' ';
	p = kp_put_unsigned(p, event->arg0);
	*p++ = ' ';
	p = kp_put_signed(p, event->retval);
	*p++ = ' ';
	p = kp_put_unsigned(p, event->ipc);
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
	*p++ = ' ';
	p = kp_put_unsigned(p, 1 + def->kind);
	*p++ = ' ';
	p = kp_put_unsigned(p, def->event);
	*p++ = ' ';
	p = kp_put_unsigned(p, def->number);
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
