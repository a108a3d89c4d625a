// SPDX-License-Identifier: BSD-3-Clause
/*
 * Text of typed tracepoints. ku_tpoint_parse() checks each conversion of a format against its
 * field. compose() makes a new conversion for printf() from the checked parts.
 */
#include "common/tpoint_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/c_locale.h"

#define WIDTH_MAX	99

static const char *const types[KU_TPOINT_TYPES] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64",
	"ptr", "double", "str",
};

/* ---- definitions ---- */

/* Returns the length of the identifier at @p. @more: characters that may follow the first one. */
static size_t identifier(const char *p, const char *end, const char *more)
{
	const char *at = p;

	while (at < end && *at &&
	       (ku_is_letter(*at) || *at == '_' ||
		(at > p && (ku_is_digit(*at) || strchr(more, *at)))))
		at++;
	return (size_t)(at - p);
}

/* Parses "TYPE FIELD" at @p. Returns the position after the field; NULL: invalid text. */
static const char *field(struct ku_tpoint_def *def, const char *p, const char *end)
{
	struct ku_tpoint_field *field = &def->fields[def->field_count];
	size_t len = identifier(p, end, "");
	uint32_t type;

	for (type = 0; type < KU_TPOINT_TYPES; type++)
		if (strlen(types[type]) == len && !memcmp(types[type], p, len))
			break;
	p += len;
	if (type == KU_TPOINT_TYPES || p == end || *p++ != ' ')
		return NULL;
	len = identifier(p, end, "");
	if (!len)
		return NULL;
	*field = (struct ku_tpoint_field){
		.type = (enum ku_tpoint_type)type, .name = (uint16_t)(p - def->text),
		.name_len = (uint16_t)len,
	};
	def->field_count++;
	return p + len;
}

/* ---- formats ---- */

struct conversion {
	char flags[8];		/* each flag at most once */
	int width, precision;	/* numbers in the conversion; -1: none */
	char kind;		/* one of d u x X o c s f F e E g G a A p % */
};

static int small_number(const char **p)
{
	int value = 0;

	while (ku_is_digit(**p)) {
		if (value <= WIDTH_MAX)
			value = value * 10 + (**p - '0');
		++*p;
	}
	return value;
}

/* Parses a conversion after its %, and moves *@p to its end. Returns false if it is unsupported. */
static bool take_conversion(const char **p, struct conversion *out)
{
	size_t flags = 0;

	memset(out, 0, sizeof(*out));
	while (**p && strchr("-+ #0", **p)) {
		if (!strchr(out->flags, **p))
			out->flags[flags++] = **p;
		++*p;
	}
	out->width = ku_is_digit(**p) ? small_number(p) : -1;
	out->precision = -1;
	if (**p == '.') {
		++*p;
		out->precision = small_number(p);
	}
	while (**p && strchr("hlqLjzt", **p))
		++*p;
	out->kind = **p;
	if (!out->kind || out->width > WIDTH_MAX || out->precision > WIDTH_MAX)
		return false;
	++*p;
	if (out->kind == 'i')
		out->kind = 'd';
	return strchr("duxXocsfFeEgGaAp%", out->kind);
}

static bool suits(char kind, enum ku_tpoint_type type)
{
	if (type == KU_TPOINT_STR)
		return kind == 's';
	if (type == KU_TPOINT_DOUBLE)
		return strchr("fFeEgGaA", kind);
	return strchr("duxXocp", kind);
}

static bool format_suits(const struct ku_tpoint_def *def)
{
	const char *p = def->text + def->format;
	struct conversion conversion;
	uint32_t used = 0;

	while ((p = strchr(p, '%'))) {
		p++;
		if (!take_conversion(&p, &conversion))
			return false;
		if (conversion.kind == '%')
			continue;
		if (used == def->field_count || !suits(conversion.kind, def->fields[used].type))
			return false;
		used++;
	}
	return used == def->field_count;
}

int ku_tpoint_parse(struct ku_tpoint_def *def, const char *text, size_t len)
{
	const char *p, *end;

	memset(def, 0, sizeof(*def));
	if (len >= sizeof(def->text))
		return -1;
	memcpy(def->text, text, len);
	p = def->text;
	end = p + len;
	def->name_len = (uint16_t)identifier(p, end, ".:-");
	if (!def->name_len)
		return -1;
	p += def->name_len;
	while (p < end && *p != '|') {
		if (def->field_count == KU_TPOINT_FIELDS || end - p < 2)
			return -1;
		if (def->field_count && *p++ != ',')
			return -1;
		if (*p++ != ' ')
			return -1;
		p = field(def, p, end);
		if (!p)
			return -1;
	}
	if (p == end)
		return -1;	/* without a format, a name entry of the definition is missing */
	def->format = (uint16_t)(p + 1 - def->text);
	def->formatted = format_suits(def);
	return 0;
}

/* ---- rendering ---- */

struct text {
	char *out;
	size_t used, room;
	bool cut;
};

static void put(struct text *text, const char *from, size_t len)
{
	size_t left = text->room - 1 - text->used;

	if (len > left) {
		len = left;
		text->cut = true;
	}
	memcpy(text->out + text->used, from, len);
	text->used += len;
}

static void putf(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void putf(struct text *text, const char *fmt, ...)
{
	char one[160];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(one, sizeof(one), fmt, ap);
	va_end(ap);
	if (len > 0)
		put(text, one, (size_t)len < sizeof(one) ? (size_t)len : sizeof(one) - 1);
}

static size_t finish_text(struct text *text)
{
	static const char dots[] = "...";

	if (text->cut && text->room > sizeof(dots)) {
		/* do not cut within a UTF-8 sequence */
		while (text->used > text->room - sizeof(dots) ||
		       (text->used && (text->out[text->used] & 0xC0) == 0x80))
			text->used--;
		memcpy(text->out + text->used, dots, 3);
		text->used += 3;
	}
	text->out[text->used] = 0;
	return text->used;
}

/* Returns the bits of the type. Integers are in groups of four: 8, 16, 32 and 64 bits. */
static unsigned int bits(enum ku_tpoint_type type)
{
	return type < KU_TPOINT_PTR ? 8U << type % 4 : 64;
}

static bool is_signed(enum ku_tpoint_type type)
{
	return type >= KU_TPOINT_S8 && type <= KU_TPOINT_S64;
}

/* Returns the low bits of @word that belong to the field. @with_sign: sign-extended. */
static uint64_t field_value(enum ku_tpoint_type type, uint64_t word, bool with_sign)
{
	unsigned int unused = 64 - bits(type);

	if (with_sign)
		return (uint64_t)((int64_t)(word << unused) >> unused);
	return word << unused >> unused;
}

/* Read position in the payload. */
struct payload {
	const uint64_t *words;
	size_t count, used;
};

/* Reads a string, up to its first NUL. Returns NULL if the payload is exhausted. */
static const char *take_text(struct payload *payload, size_t *len)
{
	const char *text = (const char *)(payload->words + payload->used);
	size_t room = (payload->count - payload->used) * 8;

	if (!room)
		return NULL;
	*len = strnlen(text, room);
	payload->used += *len < room ? *len / 8 + 1 : room / 8;
	return text;
}

static bool take_word(struct payload *payload, uint64_t *word)
{
	if (payload->used == payload->count)
		return false;
	*word = payload->words[payload->used++];
	return true;
}

/* Writes "%" FLAGS WIDTH .PRECISION LENGTH KIND to @out, from checked parts only. */
static void compose(char out[32], const struct conversion *c, const char *length)
{
	int used = snprintf(out, 32, "%%%s", c->flags);

	if (c->width >= 0)
		used += snprintf(out + used, 32 - (size_t)used, "%d", c->width);
	if (c->precision >= 0)
		used += snprintf(out + used, 32 - (size_t)used, ".%d", c->precision);
	snprintf(out + used, 32 - (size_t)used, "%s%c", length, c->kind);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"	/* the format comes from compose() */

static void put_text_field(struct text *text, const struct conversion *c,
			   const char *from, size_t len)
{
	size_t shown = c->precision >= 0 && (size_t)c->precision < len ? (size_t)c->precision : len;
	size_t pad = c->width > 0 && (size_t)c->width > shown ? (size_t)c->width - shown : 0;
	bool left = strchr(c->flags, '-');

	if (pad && !left)
		putf(text, "%*s", (int)pad, "");
	put(text, from, shown);
	if (pad && left)
		putf(text, "%*s", (int)pad, "");
}

static void put_number_field(struct text *text, struct conversion *c,
			     enum ku_tpoint_type type, uint64_t word)
{
	char one[512];	/* text of one field; a double with 99 digits after the point has 410 */
	char format[32], letter;
	double number;
	int len;

	if (type == KU_TPOINT_DOUBLE) {
		memcpy(&number, &word, sizeof(number));
		compose(format, c, "");
		len = ku_print(one, sizeof(one), format, number);
		put(text, one, len < (int)sizeof(one) ? (size_t)len : sizeof(one) - 1);
	} else if (c->kind == 'c') {
		letter = (char)word;
		put_text_field(text, c, &letter, letter != 0);
	} else if (c->kind == 'd' && is_signed(type)) {
		compose(format, c, "ll");
		putf(text, format, (long long)field_value(type, word, true));
	} else {
		if (c->kind == 'd') {
			c->kind = 'u';
		} else if (c->kind == 'p') {
			c->kind = 'x';
			memcpy(c->flags, "#", 2);
		}
		compose(format, c, "ll");
		putf(text, format, (unsigned long long)field_value(type, word, false));
	}
}

#pragma GCC diagnostic pop

/* Prints one field by a conversion, or "?" if the payload ends before the field. */
static void put_field(struct text *text, struct conversion *conversion,
		      enum ku_tpoint_type type, struct payload *payload)
{
	const char *from;
	uint64_t word;
	size_t len;

	if (type == KU_TPOINT_STR && (from = take_text(payload, &len)))
		put_text_field(text, conversion, from, len);
	else if (type != KU_TPOINT_STR && take_word(payload, &word))
		put_number_field(text, conversion, type, word);
	else
		put(text, "?", 1);
}

/* Returns the conversion for a field without a format. */
static struct conversion plain_conversion(enum ku_tpoint_type type)
{
	struct conversion conversion = { .width = -1, .precision = -1 };

	conversion.kind = type == KU_TPOINT_STR ? 's' : type == KU_TPOINT_DOUBLE ? 'g' :
			  is_signed(type) ? 'd' : type <= KU_TPOINT_U64 ? 'u' : 'x';
	if (conversion.kind == 'x')
		conversion.flags[0] = '#';
	return conversion;
}

static void put_formatted(struct text *text, const struct ku_tpoint_def *def,
			  struct payload *payload)
{
	const char *p = def->text + def->format;
	struct conversion conversion;
	uint32_t field = 0;

	if (*p)
		put(text, " ", 1);
	while (*p) {
		size_t plain = strcspn(p, "%");

		put(text, p, plain);
		p += plain;
		if (!*p)
			break;
		p++;
		take_conversion(&p, &conversion);
		if (conversion.kind == '%')
			put(text, "%", 1);
		else
			put_field(text, &conversion, def->fields[field++].type, payload);
	}
}

/*
 * Prints each field with its name. @stored_only: omits fields after the end of the payload, and
 * prints a hexadecimal 0 as 0x0, which the # flag would print as 0.
 */
static void put_fields(struct text *text, const struct ku_tpoint_def *def,
		       struct payload *payload, bool stored_only)
{
	for (uint32_t i = 0; i < def->field_count; i++) {
		const struct ku_tpoint_field *field = &def->fields[i];
		struct conversion conversion = plain_conversion(field->type);

		if (stored_only && payload->used == payload->count)
			break;
		put(text, " ", 1);
		put(text, def->text + field->name, field->name_len);
		put(text, "=", 1);
		if (stored_only && conversion.kind == 'x') {
			put(text, "0x", 2);
			conversion.flags[0] = '\0';
		}
		put_field(text, &conversion, field->type, payload);
	}
}

static void put_rest(struct text *text, struct payload *payload)
{
	uint64_t word;

	while (take_word(payload, &word))
		putf(text, " 0x%" PRIx64, word);
}

/* Writes the event to the buffer. If @def is NULL, the definition of tracepoint @id is unknown. */
static size_t render(const struct ku_tpoint_def *def, uint32_t id, struct payload payload,
		     struct text text, bool stored_only)
{
	if (def)
		put(&text, def->text, def->name_len);
	else
		putf(&text, "point_%" PRIu32, id);
	if (def && def->formatted && !stored_only)
		put_formatted(&text, def, &payload);
	else if (def)
		put_fields(&text, def, &payload, stored_only);
	put_rest(&text, &payload);
	return finish_text(&text);
}

size_t ku_tpoint_render(const struct ku_tpoint_def *def, const uint64_t *words, size_t count,
			char *out, size_t room)
{
	return render(def, 0, (struct payload){ .words = words, .count = count },
		      (struct text){ .out = out, .room = room }, false);
}

size_t ku_tpoint_render_unknown(uint32_t id, const uint64_t *words, size_t count, char *out,
				size_t room)
{
	return render(NULL, id, (struct payload){ .words = words, .count = count },
		      (struct text){ .out = out, .room = room }, false);
}

size_t ku_tpoint_render_fields(const struct ku_tpoint_def *def, const uint64_t *words,
			       size_t count, char *out, size_t room)
{
	return render(def, 0, (struct payload){ .words = words, .count = count },
		      (struct text){ .out = out, .room = room }, true);
}
