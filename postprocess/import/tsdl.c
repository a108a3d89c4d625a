// SPDX-License-Identifier: BSD-3-Clause
/*
 * Parses the blocks of TSDL (trace, env, clock, stream, event), see import/tsdl.h. import/tsdl_type.c
 * parses the types in them. Blocks and keys that the import does not use are skipped.
 */
#include "import/tsdl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/ctf_want.h"
#include "import/tsdl_parse.h"

#define STREAMS_MAX	4096
#define EVENTS_MAX	(1u << 20)

/* ---- one entry of a block: a key with a value or a type ---- */

struct entry {
	char key[64];
	struct kp_ty *type;	/* of "key := type"; NULL: the entry has a value */
	const char *text;	/* value that is a string or a name; NULL: it is a number */
	bool is_number, minus;
	uint64_t number;
};

static int take_key(struct kp_tsdl *tsdl, char *key, size_t room)
{
	size_t used = 0;

	for (;;) {
		const struct kp_tsdl_word *word = &tsdl->lex.word;

		if (word->kind != KP_TSDL_NAME)
			return kp_tsdl_fail(tsdl, "a key is missing");
		if (used + word->len + 2 > room)
			return kp_tsdl_fail(tsdl, "a key is too long");
		memcpy(key + used, word->text, word->len);
		used += word->len;
		key[used] = '\0';
		kp_tsdl_next(&tsdl->lex);
		if (!kp_tsdl_sign(&tsdl->lex, '.'))
			return 0;
		key[used++] = '.';
		kp_tsdl_next(&tsdl->lex);
	}
}

static int take_value(struct kp_tsdl *tsdl, struct entry *entry)
{
	const struct kp_tsdl_word *word = &tsdl->lex.word;
	char *text;

	entry->minus = kp_tsdl_sign(&tsdl->lex, '-');
	if (entry->minus || kp_tsdl_sign(&tsdl->lex, '+'))
		kp_tsdl_next(&tsdl->lex);
	if (word->kind == KP_TSDL_NUMBER) {
		entry->is_number = true;
		entry->number = word->number;
		kp_tsdl_next(&tsdl->lex);
		return 0;
	}
	if (word->kind != KP_TSDL_TEXT && word->kind != KP_TSDL_NAME)
		return kp_tsdl_fail(tsdl, "a value is missing");
	text = kp_tsdl_memory(tsdl, word->len + 1);
	if (!text)
		return -1;
	kp_tsdl_unescape(word->text, word->len, text);
	entry->text = text;
	kp_tsdl_next(&tsdl->lex);
	/* of a value "a.b.c", only the first name is kept */
	while (kp_tsdl_sign(&tsdl->lex, '.') || word->kind == KP_TSDL_NAME)
		kp_tsdl_next(&tsdl->lex);
	return 0;
}

static int take_entry(struct kp_tsdl *tsdl, struct entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (take_key(tsdl, entry->key, sizeof(entry->key)))
		return -1;
	if (tsdl->lex.word.kind == KP_TSDL_TYPE_IS) {
		kp_tsdl_next(&tsdl->lex);
		entry->type = kp_tsdl_type(tsdl, NULL);
		if (!entry->type)
			return -1;
		if (entry->type->kind != KP_TY_STRUCT)
			return kp_tsdl_fail(tsdl, "%s is not a struct", entry->key);
	} else if (kp_tsdl_expect(tsdl, '=') || take_value(tsdl, entry)) {
		return -1;
	}
	return kp_tsdl_expect(tsdl, ';');
}

/* Parses a block after its name, and passes each entry with @self to @take. */
static int take_block(struct kp_tsdl *tsdl, int (*take)(struct kp_tsdl *, const struct entry *, void *),
		      void *self)
{
	const size_t names = tsdl->names.count;
	struct entry entry;

	kp_tsdl_next(&tsdl->lex);
	if (kp_tsdl_expect(tsdl, '{'))
		return -1;
	while (!kp_tsdl_sign(&tsdl->lex, '}')) {
		if (kp_tsdl_declares(tsdl)) {
			if (kp_tsdl_declare(tsdl))
				return -1;
		} else if (take_entry(tsdl, &entry) || take(tsdl, &entry, self)) {
			return -1;
		}
	}
	tsdl->names.count = names;
	kp_tsdl_next(&tsdl->lex);
	return kp_tsdl_expect(tsdl, ';');
}

/* ---- trace, env, clock ---- */

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_uuid(struct kp_ctf_meta *meta, const char *text)
{
	size_t at = 0;

	for (; *text && at < 32; text++) {
		const int digit = hex_of(*text);

		if (digit < 0)
			continue;
		meta->uuid[at / 2] = (uint8_t)(meta->uuid[at / 2] << 4 | digit);
		at++;
	}
	meta->has_uuid = at == 32;
}

static int take_trace(struct kp_tsdl *tsdl, const struct entry *entry, void *self)
{
	struct kp_ctf_meta *meta = self;

	if (!strcmp(entry->key, "major") && entry->number != 1)
		return kp_tsdl_fail(tsdl, "version %" PRIu64 " of CTF, but only 1.8 is read", entry->number);
	if (!strcmp(entry->key, "byte_order") && entry->text)
		meta->big_endian = !strcmp(entry->text, "be") || !strcmp(entry->text, "network");
	if (!strcmp(entry->key, "uuid") && entry->text)
		take_uuid(meta, entry->text);
	if (!strcmp(entry->key, "packet.header") && entry->type) {
		meta->packet_header = entry->type;
		kp_ctf_mark(entry->type, KP_IN_PACKET_HEADER);
	}
	return 0;
}

static int take_env(struct kp_tsdl *tsdl, const struct entry *entry, void *self)
{
	struct kp_ctf_meta *meta = self;
	struct kp_ctf_env *item = KP_PUSH(&meta->env);
	char number[32];

	if (!item)
		return kp_tsdl_fail(tsdl, "no memory");
	item->key = kp_tsdl_copy(tsdl, entry->key, strlen(entry->key));
	item->text = entry->text;
	if (!item->text) {
		snprintf(number, sizeof(number), "%s%" PRIu64, entry->minus ? "-" : "", entry->number);
		item->text = kp_tsdl_copy(tsdl, number, strlen(number));
	}
	return item->key && item->text ? 0 : -1;
}

static int take_clock(struct kp_tsdl *tsdl, const struct entry *entry, void *self)
{
	struct kp_ctf_clock *clock = self;

	if (!strcmp(entry->key, "freq"))
		clock->freq = entry->number;
	else if (!strcmp(entry->key, "offset_s"))
		clock->offset_s = (int64_t)(entry->minus ? -entry->number : entry->number);
	else if (!strcmp(entry->key, "offset"))
		clock->offset = entry->minus ? -entry->number : entry->number;
	if (!clock->freq)
		return kp_tsdl_fail(tsdl, "the frequency of a clock is 0");
	return 0;
}

/* ---- stream, event ---- */

static int take_stream(struct kp_tsdl *tsdl, const struct entry *entry, void *self)
{
	struct kp_ctf_stream_class *stream = self;

	(void)tsdl;
	if (!strcmp(entry->key, "id"))
		stream->id = entry->number;
	else if (!strcmp(entry->key, "packet.context"))
		stream->packet_context = entry->type;
	else if (!strcmp(entry->key, "event.header"))
		stream->event_header = entry->type;
	else if (!strcmp(entry->key, "event.context"))
		stream->event_context = entry->type;
	return 0;
}

static int take_event(struct kp_tsdl *tsdl, const struct entry *entry, void *self)
{
	struct kp_ctf_event_class *event = self;

	(void)tsdl;
	if (!strcmp(entry->key, "name") && entry->text)
		event->name = entry->text;
	else if (!strcmp(entry->key, "id"))
		event->id = entry->number;
	else if (!strcmp(entry->key, "stream_id"))
		event->stream = entry->number;
	else if (!strcmp(entry->key, "context"))
		event->context = entry->type;
	else if (!strcmp(entry->key, "fields"))
		event->fields = entry->type;
	return 0;
}

/* An outer struct whose fields a length or tag can name, and the path that means the struct. */
struct root {
	const char *path;
	struct kp_ty *type;
	bool of_packet;
};

static int look_up_later(struct kp_tsdl *tsdl, const struct root *roots, size_t count,
			 struct kp_ctf_stream_class *stream)
{
	size_t i, j;

	for (i = 0; i < tsdl->later.count; i++) {
		struct kp_ty *type = tsdl->later.items[i].type;

		for (j = 0; j < count && !type->by; j++) {
			const size_t len = strlen(roots[j].path);

			if (!strncmp(type->by_path, roots[j].path, len) && type->by_path[len] == '.')
				type->by = kp_tsdl_find(roots[j].type, type->by_path + len + 1);
			else
				type->by = kp_tsdl_find(roots[j].type, type->by_path);
			if (type->by && roots[j].of_packet && stream)
				stream->looks_back = true;
		}
		if (!type->by)
			return kp_tsdl_fail(tsdl, "there is no field %s", type->by_path);
	}
	tsdl->later.count = 0;
	return 0;
}

static struct kp_ctf_stream_class *stream_of(struct kp_ctf_meta *meta, uint64_t id)
{
	size_t i;

	for (i = 0; i < meta->streams.count; i++)
		if (meta->streams.items[i].id == id)
			return &meta->streams.items[i];
	return NULL;
}

static struct kp_ctf_stream_class *add_stream(struct kp_tsdl *tsdl, uint64_t id)
{
	struct kp_ctf_stream_class *stream;

	if (tsdl->meta->streams.count == STREAMS_MAX) {
		kp_tsdl_fail(tsdl, "more than %d classes of streams", STREAMS_MAX);
		return NULL;
	}
	stream = KP_PUSH(&tsdl->meta->streams);
	if (!stream) {
		kp_tsdl_fail(tsdl, "no memory");
		return NULL;
	}
	memset(stream, 0, sizeof(*stream));
	stream->id = id;
	return stream;
}

static int stream_block(struct kp_tsdl *tsdl)
{
	struct kp_ctf_stream_class read = {0}, *stream;
	struct root roots[4];

	if (take_block(tsdl, take_stream, &read))
		return -1;
	stream = stream_of(tsdl->meta, read.id);
	if (!stream)
		stream = add_stream(tsdl, read.id);
	if (!stream)
		return -1;
	/* event blocks before this one may have added the stream and events of it */
	read.events = stream->events;
	if (stream->packet_context || stream->event_header || stream->event_context)
		return kp_tsdl_fail(tsdl, "two classes of streams with id %" PRIu64, read.id);
	*stream = read;
	roots[0] = (struct root){ "stream.event.context", stream->event_context, false };
	roots[1] = (struct root){ "stream.event.header", stream->event_header, false };
	roots[2] = (struct root){ "stream.packet.context", stream->packet_context, true };
	roots[3] = (struct root){ "trace.packet.header", tsdl->meta->packet_header, true };
	kp_ctf_mark(stream->packet_context, KP_IN_PACKET_CONTEXT);
	kp_ctf_mark(stream->event_header, KP_IN_EVENT_HEADER);
	kp_ctf_mark(stream->event_context, KP_IN_EVENT_CONTEXT);
	return look_up_later(tsdl, roots, 4, stream);
}

static int event_block(struct kp_tsdl *tsdl)
{
	struct kp_ctf_event_class read = { .name = "" }, *event;
	struct kp_ctf_meta *meta = tsdl->meta;
	struct kp_ctf_stream_class *stream;
	struct root roots[6];
	uint32_t place;

	if (take_block(tsdl, take_event, &read))
		return -1;
	stream = stream_of(meta, read.stream);
	if (!stream)
		stream = add_stream(tsdl, read.stream);
	if (!stream)
		return -1;
	if (kp_map_get(&stream->events, read.id, &place))
		return kp_tsdl_fail(tsdl, "two events with id %" PRIu64, read.id);
	if (meta->events.count == EVENTS_MAX)
		return kp_tsdl_fail(tsdl, "more than %u classes of events", EVENTS_MAX);
	roots[0] = (struct root){ "event.fields", read.fields, false };
	roots[1] = (struct root){ "event.context", read.context, false };
	roots[2] = (struct root){ "stream.event.context", stream->event_context, false };
	roots[3] = (struct root){ "stream.event.header", stream->event_header, false };
	roots[4] = (struct root){ "stream.packet.context", stream->packet_context, true };
	roots[5] = (struct root){ "trace.packet.header", meta->packet_header, true };
	if (look_up_later(tsdl, roots, 6, stream))
		return -1;
	kp_ctf_mark(read.context, KP_IN_EVENT_CONTEXT);
	kp_ctf_mark(read.fields, KP_IN_EVENT);
	event = KP_PUSH(&meta->events);
	if (!event || kp_map_set(&stream->events, read.id, (uint32_t)(meta->events.count - 1)))
		return kp_tsdl_fail(tsdl, "no memory");
	*event = read;
	return 0;
}

/* Skips a block that the import does not use: NAME { ... }; */
static int other_block(struct kp_tsdl *tsdl)
{
	int depth = 0;

	do {
		kp_tsdl_next(&tsdl->lex);
		if (tsdl->lex.word.kind == KP_TSDL_END || tsdl->lex.word.kind == KP_TSDL_BAD)
			return kp_tsdl_fail(tsdl, "the file is cut off in a block");
		depth += kp_tsdl_sign(&tsdl->lex, '{') - kp_tsdl_sign(&tsdl->lex, '}');
	} while (depth > 0 || !kp_tsdl_sign(&tsdl->lex, ';'));
	kp_tsdl_next(&tsdl->lex);
	return 0;
}

static int any_block(struct kp_tsdl *tsdl)
{
	struct kp_ctf_meta *meta = tsdl->meta;
	struct kp_ctf_clock clock = { .known = true, .freq = 1000000000 };

	if (kp_tsdl_is(&tsdl->lex, "trace"))
		return take_block(tsdl, take_trace, meta);
	if (kp_tsdl_is(&tsdl->lex, "env"))
		return take_block(tsdl, take_env, meta);
	if (kp_tsdl_is(&tsdl->lex, "stream"))
		return stream_block(tsdl);
	if (kp_tsdl_is(&tsdl->lex, "event"))
		return event_block(tsdl);
	if (kp_tsdl_declares(tsdl))
		return kp_tsdl_declare(tsdl);
	if (kp_tsdl_sign(&tsdl->lex, ';')) {
		kp_tsdl_next(&tsdl->lex);
		return 0;
	}
	if (!kp_tsdl_is(&tsdl->lex, "clock"))
		return other_block(tsdl);
	if (take_block(tsdl, take_clock, &clock))
		return -1;
	if (!meta->clock.known)
		meta->clock = clock;
	return 0;
}

/* ---- the whole metadata ---- */

static uint32_t number_at(const uint8_t *p, bool big)
{
	return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] :
		     (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/*
 * Joins the text of all metadata packets. Each has this header (byte offset, field, bits):
 *
 *	 0  magic 32: 75D11D57		24  content and packet size, 32 each: in bits, with the header
 *	 4  UUID of the trace 128	32  compression, encryption, checksum scheme, major, minor: 8 each
 *	20  checksum 32			37  text
 */
static char *unpack(struct kp_ctf_meta *meta, const uint8_t *bytes, size_t len, size_t *text_len)
{
	enum { HEADER = 37 };
	const bool big = bytes[0] == 0x75;
	char *text = malloc(len + 1);
	size_t at = 0;

	*text_len = 0;
	while (text && at < len) {
		uint32_t content, packet;

		if (len - at < HEADER || number_at(bytes + at, big) != 0x75D11D57)
			break;
		content = number_at(bytes + at + 24, big);
		packet = number_at(bytes + at + 28, big);
		if (content % 8 || packet % 8 || content / 8 < HEADER || packet < content ||
		    content / 8 > len - at || bytes[at + 32] || bytes[at + 33])
			break;
		memcpy(text + *text_len, bytes + at + HEADER, content / 8 - HEADER);
		*text_len += content / 8 - HEADER;
		/* the padding of the last packet may be missing */
		at += packet / 8 < len - at ? packet / 8 : len - at;
	}
	if (text && at == len)
		return text;
	snprintf(meta->message, sizeof(meta->message), "%s",
		 text ? "metadata: a packet is cut off, damaged, compressed or encrypted" : "no memory");
	free(text);
	return NULL;
}

static int read_text(struct kp_ctf_meta *meta, const char *text, size_t len)
{
	struct kp_tsdl tsdl = { .meta = meta };
	int err = 0;

	kp_tsdl_open(&tsdl.lex, text, len);
	while (!err && tsdl.lex.word.kind != KP_TSDL_END)
		err = any_block(&tsdl);
	if (!err && tsdl.later.count)
		err = kp_tsdl_fail(&tsdl, "there is no field %s", tsdl.later.items[0].type->by_path);
	if (!err && !meta->streams.count)
		err = kp_tsdl_fail(&tsdl, "no stream is described");
	free(tsdl.names.items);
	free(tsdl.later.items);
	return err;
}

int kp_tsdl_read(struct kp_ctf_meta *meta, const uint8_t *bytes, size_t len)
{
	char *text = NULL;
	struct kp_ty *type;
	int err;

	memset(meta, 0, sizeof(*meta));
	if (len >= 4 && (number_at(bytes, true) == 0x75D11D57 || number_at(bytes, false) == 0x75D11D57)) {
		text = unpack(meta, bytes, len, &len);
		if (!text)
			return -1;
	} else if (len && (bytes[0] == 0x1E || bytes[0] == '[' || bytes[0] == '{')) {
		snprintf(meta->message, sizeof(meta->message),
			 "metadata: CTF 2, but only CTF 1.8 is read; record by lttng create --trace-format=ctf-1.8, "
			 "or convert the trace by babeltrace2 2.1 or later");
		return -1;
	}
	err = read_text(meta, text ? text : (const char *)bytes, len);
	free(text);
	for (type = meta->types; type; type = type->all)
		if (type->order == KP_TY_NATIVE)
			type->order = meta->big_endian ? KP_TY_BIG : KP_TY_LITTLE;
	return err;
}
