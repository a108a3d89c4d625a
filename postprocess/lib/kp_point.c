// SPDX-License-Identifier: BSD-3-Clause
/*
 * Typed tracepoints, see kp_point.h. The format is gone through conversion by
 * conversion; each is checked against its field when the definition is read, and put
 * together anew with the width of the field when it is shown. Called by whoever
 * names the events of a raw trace.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kp_point.h"

#define KP_POINT_IDS	65536
#define KP_WIDTH_MAX	99

static const char *const kp_types[KP_POINT_TYPES] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64",
	"ptr", "double", "str",
};

/* ---- definitions ---- */

static bool kp_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool kp_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of the identifier at p; the tracepoint's own may have . : - inside. */
static size_t kp_identifier(const char *p, const char *end, const char *more)
{
	const char *at = p;

	while (at < end && *at && (kp_is_letter(*at) || (at > p && (kp_is_digit(*at) ||
								   strchr(more, *at)))))
		at++;
	return (size_t)(at - p);
}

/* "TYPE FIELD" at p. Returns what is behind it, NULL: it is none. */
static const char *kp_field(struct kp_point_def *def, const char *p, const char *end)
{
	struct kp_point_field *field = &def->fields[def->field_count];
	size_t len = kp_identifier(p, end, "");
	uint32_t type;

	for (type = 0; type < KP_POINT_TYPES; type++)
		if (strlen(kp_types[type]) == len && !memcmp(kp_types[type], p, len))
			break;
	p += len;
	if (type == KP_POINT_TYPES || p == end || *p++ != ' ')
		return NULL;
	len = kp_identifier(p, end, "");
	if (!len)
		return NULL;
	*field = (struct kp_point_field){
		.type = (enum kp_point_type)type, .name = (uint16_t)(p - def->text),
		.name_len = (uint16_t)len,
	};
	def->field_count++;
	return p + len;
}

/* ---- formats ---- */

struct kp_conversion {
	char flags[8];		/* each at most once */
	int width, precision;	/* -1 = none */
	char kind;		/* d u x X o c s f F e E g G a A p, % */
};

static int kp_small_number(const char **p)
{
	int value = 0;

	while (kp_is_digit(**p)) {
		if (value <= KP_WIDTH_MAX)
			value = value * 10 + (**p - '0');
		++*p;
	}
	return value;
}

/* What follows a %; *p goes on behind it. false: nothing that can be shown. */
static bool kp_conversion(const char **p, struct kp_conversion *out)
{
	size_t flags = 0;

	memset(out, 0, sizeof(*out));
	while (**p && strchr("-+ #0", **p)) {
		if (!strchr(out->flags, **p))
			out->flags[flags++] = **p;
		++*p;
	}
	out->width = kp_is_digit(**p) ? kp_small_number(p) : -1;
	out->precision = -1;
	if (**p == '.') {
		++*p;
		out->precision = kp_small_number(p);
	}
	while (**p && strchr("hlqLjzt", **p))
		++*p;
	out->kind = **p;
	if (!out->kind || out->width > KP_WIDTH_MAX || out->precision > KP_WIDTH_MAX)
		return false;
	++*p;
	if (out->kind == 'i')
		out->kind = 'd';
	return strchr("duxXocsfFeEgGaAp%", out->kind);
}

static bool kp_suits(char kind, enum kp_point_type type)
{
	if (type == KP_POINT_STR)
		return kind == 's';
	if (type == KP_POINT_DOUBLE)
		return strchr("fFeEgGaA", kind);
	return strchr("duxXocp", kind);
}

static bool kp_format_suits(const struct kp_point_def *def)
{
	const char *p = def->text + def->format;
	struct kp_conversion conversion;
	uint32_t used = 0;

	while ((p = strchr(p, '%'))) {
		p++;
		if (!kp_conversion(&p, &conversion))
			return false;
		if (conversion.kind == '%')
			continue;
		if (used == def->field_count || !kp_suits(conversion.kind, def->fields[used].type))
			return false;
		used++;
	}
	return used == def->field_count;
}

int kp_point_parse(struct kp_point_def *def, const char *text, size_t len)
{
	const char *p, *end;

	memset(def, 0, sizeof(*def));
	if (len >= sizeof(def->text))
		return -1;
	memcpy(def->text, text, len);
	p = def->text;
	end = p + len;
	def->name_len = (uint16_t)kp_identifier(p, end, ".:-");
	if (!def->name_len)
		return -1;
	p += def->name_len;
	while (p < end && *p != '|') {
		if (def->field_count == KP_POINT_FIELDS || end - p < 2)
			return -1;
		if (def->field_count && *p++ != ',')
			return -1;
		if (*p++ != ' ')
			return -1;
		p = kp_field(def, p, end);
		if (!p)
			return -1;
	}
	if (p == end)
		return -1;	/* no format: a piece is missing */
	def->format = (uint16_t)(p + 1 - def->text);
	def->formatted = kp_format_suits(def);
	return 0;
}

/* ---- showing ---- */

struct kp_text {
	char *out;
	size_t used, room;
	bool cut;
};

static void kp_put(struct kp_text *text, const char *from, size_t len)
{
	size_t left = text->room - 1 - text->used;

	if (len > left) {
		len = left;
		text->cut = true;
	}
	memcpy(text->out + text->used, from, len);
	text->used += len;
}

static void kp_putf(struct kp_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void kp_putf(struct kp_text *text, const char *fmt, ...)
{
	char one[512];	/* a double of 99 digits behind the point has 410 */
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(one, sizeof(one), fmt, ap);
	va_end(ap);
	if (len > 0)
		kp_put(text, one, (size_t)len < sizeof(one) ? (size_t)len : sizeof(one) - 1);
}

static size_t kp_finish_text(struct kp_text *text)
{
	static const char dots[] = "...";

	if (text->cut && text->room > sizeof(dots)) {
		/* not within a UTF-8 sequence */
		while (text->used > text->room - sizeof(dots) ||
		       (text->used && (text->out[text->used] & 0xC0) == 0x80))
			text->used--;
		memcpy(text->out + text->used, dots, 3);
		text->used += 3;
	}
	text->out[text->used] = 0;
	return text->used;
}

static unsigned int kp_bits(enum kp_point_type type)
{
	switch (type) {
	case KP_POINT_U8:
	case KP_POINT_S8:
	case KP_POINT_X8:
		return 8;
	case KP_POINT_U16:
	case KP_POINT_S16:
	case KP_POINT_X16:
		return 16;
	case KP_POINT_U32:
	case KP_POINT_S32:
	case KP_POINT_X32:
		return 32;
	default:
		return 64;
	}
}

static bool kp_is_signed(enum kp_point_type type)
{
	return type >= KP_POINT_S8 && type <= KP_POINT_S64;
}

/* The field's bits only, as they are, or with their sign carried on. */
static uint64_t kp_value(enum kp_point_type type, uint64_t word, bool with_sign)
{
	unsigned int unused = 64 - kp_bits(type);

	if (with_sign)
		return (uint64_t)((int64_t)(word << unused) >> unused);
	return word << unused >> unused;
}

/* The payload from its beginning: what the next field takes. */
struct kp_payload {
	const uint64_t *words;
	size_t count, used;
};

/* A text: up to its first NUL; NULL: nothing is left of the payload. */
static const char *kp_take_text(struct kp_payload *payload, size_t *len)
{
	const char *text = (const char *)(payload->words + payload->used);
	size_t room = (payload->count - payload->used) * 8;

	if (!room)
		return NULL;
	*len = strnlen(text, room);
	payload->used += *len < room ? *len / 8 + 1 : room / 8;
	return text;
}

static bool kp_take_word(struct kp_payload *payload, uint64_t *word)
{
	if (payload->used == payload->count)
		return false;
	*word = payload->words[payload->used++];
	return true;
}

/* "%" FLAGS WIDTH .PRECISION LENGTH KIND, which only says what was checked. */
static void kp_compose(char out[32], const struct kp_conversion *c, const char *length)
{
	int used = snprintf(out, 32, "%%%s", c->flags);

	if (c->width >= 0)
		used += snprintf(out + used, 32 - (size_t)used, "%d", c->width);
	if (c->precision >= 0)
		used += snprintf(out + used, 32 - (size_t)used, ".%d", c->precision);
	snprintf(out + used, 32 - (size_t)used, "%s%c", length, c->kind);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"	/* made by kp_compose() */

static void kp_put_text_field(struct kp_text *text, const struct kp_conversion *c,
			      const char *from, size_t len)
{
	size_t shown = c->precision >= 0 && (size_t)c->precision < len ? (size_t)c->precision : len;
	size_t pad = c->width > 0 && (size_t)c->width > shown ? (size_t)c->width - shown : 0;
	bool left = strchr(c->flags, '-');

	if (pad && !left)
		kp_putf(text, "%*s", (int)pad, "");
	kp_put(text, from, shown);
	if (pad && left)
		kp_putf(text, "%*s", (int)pad, "");
}

static void kp_put_number_field(struct kp_text *text, struct kp_conversion *c,
				enum kp_point_type type, uint64_t word)
{
	char format[32], letter;
	double number;

	if (type == KP_POINT_DOUBLE) {
		memcpy(&number, &word, sizeof(number));
		kp_compose(format, c, "");
		kp_putf(text, format, number);
	} else if (c->kind == 'c') {
		letter = (char)word;
		kp_put_text_field(text, c, &letter, letter != 0);
	} else if (c->kind == 'd' && kp_is_signed(type)) {
		kp_compose(format, c, "ll");
		kp_putf(text, format, (long long)kp_value(type, word, true));
	} else {
		if (c->kind == 'd') {
			c->kind = 'u';
		} else if (c->kind == 'p') {
			c->kind = 'x';
			memcpy(c->flags, "#", 2);
		}
		kp_compose(format, c, "ll");
		kp_putf(text, format, (unsigned long long)kp_value(type, word, false));
	}
}

#pragma GCC diagnostic pop

/* One field by a conversion. What the payload does not hold is "?". */
static void kp_put_field(struct kp_text *text, struct kp_conversion *conversion,
			 enum kp_point_type type, struct kp_payload *payload)
{
	const char *from;
	uint64_t word;
	size_t len;

	if (type == KP_POINT_STR) {
		from = kp_take_text(payload, &len);
		if (from)
			kp_put_text_field(text, conversion, from, len);
		else
			kp_put(text, "?", 1);
	} else if (kp_take_word(payload, &word)) {
		kp_put_number_field(text, conversion, type, word);
	} else {
		kp_put(text, "?", 1);
	}
}

/* How a field is shown that no format shows. */
static struct kp_conversion kp_plain(enum kp_point_type type)
{
	struct kp_conversion conversion = { .width = -1, .precision = -1 };

	if (type == KP_POINT_STR) {
		conversion.kind = 's';
	} else if (type == KP_POINT_DOUBLE) {
		conversion.kind = 'g';
	} else if (kp_is_signed(type)) {
		conversion.kind = 'd';
	} else if (type <= KP_POINT_U64) {
		conversion.kind = 'u';
	} else {
		conversion.kind = 'x';
		conversion.flags[0] = '#';
	}
	return conversion;
}

static void kp_put_formatted(struct kp_text *text, const struct kp_point_def *def,
			     struct kp_payload *payload)
{
	const char *p = def->text + def->format;
	struct kp_conversion conversion;
	uint32_t field = 0;

	if (*p)
		kp_put(text, " ", 1);
	while (*p) {
		size_t plain = strcspn(p, "%");

		kp_put(text, p, plain);
		p += plain;
		if (!*p)
			break;
		p++;
		kp_conversion(&p, &conversion);
		if (conversion.kind == '%')
			kp_put(text, "%", 1);
		else
			kp_put_field(text, &conversion, def->fields[field++].type, payload);
	}
}

static void kp_put_plain(struct kp_text *text, const struct kp_point_def *def,
			 struct kp_payload *payload)
{
	uint32_t i;

	for (i = 0; i < def->field_count; i++) {
		const struct kp_point_field *field = &def->fields[i];
		struct kp_conversion conversion = kp_plain(field->type);

		kp_put(text, " ", 1);
		kp_put(text, def->text + field->name, field->name_len);
		kp_put(text, "=", 1);
		kp_put_field(text, &conversion, field->type, payload);
	}
}

/* Words that no field has taken. */
static void kp_put_rest(struct kp_text *text, struct kp_payload *payload)
{
	uint64_t word;

	while (kp_take_word(payload, &word))
		kp_putf(text, " 0x%" PRIx64, word);
}

size_t kp_point_render(const struct kp_point_def *def, const uint64_t *words, size_t count,
		       char *out, size_t room)
{
	struct kp_payload payload = { .words = words, .count = count };
	struct kp_text text = { .out = out, .room = room };

	kp_put(&text, def->text, def->name_len);
	if (def->formatted)
		kp_put_formatted(&text, def, &payload);
	else
		kp_put_plain(&text, def, &payload);
	kp_put_rest(&text, &payload);
	return kp_finish_text(&text);
}

size_t kp_point_render_unknown(uint32_t id, const uint64_t *words, size_t count, char *out,
			       size_t room)
{
	struct kp_payload payload = { .words = words, .count = count };
	struct kp_text text = { .out = out, .room = room };

	kp_putf(&text, "point_%" PRIu32, id);
	kp_put_rest(&text, &payload);
	return kp_finish_text(&text);
}

/* ---- all of a trace ---- */

void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number)
{
	uint32_t id = number & (KP_POINT_IDS - 1);

	if (base != KUTRACE_NAME_EVENTDEF || number < KP_POINT_IDS || !points->defs)
		return;
	free(points->defs[id]);
	points->defs[id] = NULL;
}

/* The pieces of definition id, one behind the other, to text; their length. */
static size_t kp_pieces(const struct kp_names *names, uint32_t id, char *text, size_t room)
{
	size_t used = 0;
	uint32_t piece;

	for (piece = 0; piece < KUTRACE_POINT_PIECES; piece++) {
		const struct kp_name *name = kp_names_get(names, KUTRACE_NAME_EVENTDEF,
							  KUTRACE_POINT_NUMBER(id, piece));

		if (!name || used + name->len > room)
			break;
		memcpy(text + used, name->text, name->len);
		used += name->len;
		if (name->len < KUTRACE_NAME_MAX_BYTES)
			break;	/* the last one */
	}
	return used;
}

const struct kp_point_def *kp_points_get(struct kp_points *points,
					 const struct kp_names *names, uint32_t id)
{
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES];
	struct kp_point_def *def;
	size_t len;

	id &= KP_POINT_IDS - 1;
	if (points->defs && points->defs[id])
		return points->defs[id];
	len = kp_pieces(names, id, text, sizeof(text));
	if (!len)
		return NULL;
	if (!points->defs)
		points->defs = calloc(KP_POINT_IDS, sizeof(struct kp_point_def *));
	def = points->defs ? malloc(sizeof(*def)) : NULL;
	if (!def || kp_point_parse(def, text, len)) {
		free(def);
		return NULL;
	}
	points->defs[id] = def;
	return def;
}

void kp_points_free(struct kp_points *points)
{
	uint32_t id;

	for (id = 0; points->defs && id < KP_POINT_IDS; id++)
		free(points->defs[id]);
	free(points->defs);
	points->defs = NULL;
}
