// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads values from bits, see import/ctf_read.h. In both byte orders, a field of 5 bits (d) is followed
 * by one of 27 bits (t):
 *
 *	little endian, 5 bits and 27:	byte 0 = ...ddddd, bytes 0 to 3 = tttttttt tttttttt tttttttt ttt
 *	big endian:			byte 0 = ddddd..., the rest from the top
 */
#include "import/ctf_read.h"

#include <endian.h>
#include <string.h>

/* Aligns the cursor if the @size bits that follow are loaded. Otherwise leaves it, and returns the reason. */
static enum kp_ctf_read reach(struct kp_ctf_cursor *cursor, uint32_t align, uint64_t size)
{
	const uint64_t at = (cursor->at + align - 1) & ~(uint64_t)(align - 1);

	if (at > cursor->end || size > cursor->end - at)
		return KP_CTF_CUT;
	if (at + size > cursor->have)
		return KP_CTF_MORE;
	cursor->at = at;
	return KP_CTF_OK;
}

static uint64_t some_bits(const uint8_t *data, uint64_t at, uint32_t size, bool big)
{
	uint64_t value = 0;
	uint32_t got = 0;

	while (got < size) {
		const uint32_t skip = at & 7, left = size - got;
		const uint32_t count = left < 8 - skip ? left : 8 - skip;
		const uint8_t byte = data[at >> 3];

		if (big)
			value = value << count | (byte >> (8 - skip - count) & ((1u << count) - 1));
		else
			value |= (uint64_t)(byte >> skip & ((1u << count) - 1)) << got;
		got += count;
		at += count;
	}
	return value;
}

static uint64_t whole_bytes(const uint8_t *p, uint32_t size, bool big)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 8:
		return *p;
	case 16:
		memcpy(&two, p, sizeof(two));
		return big ? be16toh(two) : le16toh(two);
	case 32:
		memcpy(&four, p, sizeof(four));
		return big ? be32toh(four) : le32toh(four);
	default:
		memcpy(&eight, p, sizeof(eight));
		return big ? be64toh(eight) : le64toh(eight);
	}
}

static enum kp_ctf_read take_bits(struct kp_ctf_cursor *cursor, const struct kp_ty *type,
				  uint64_t *value)
{
	const enum kp_ctf_read err = reach(cursor, type->align, type->size);
	const bool big = type->order == KP_TY_BIG;
	const uint32_t size = type->size;
	uint64_t at;

	if (err)
		return err;
	at = cursor->at - cursor->from;
	if (!(at & 7) && (size == 8 || size == 16 || size == 32 || size == 64))
		*value = whole_bytes(cursor->data + (at >> 3), size, big);
	else
		*value = some_bits(cursor->data, at, size, big);
	cursor->at += size;
	return KP_CTF_OK;
}

/* Replaces the low @size bits of the time. If they became smaller, they have wrapped: the rest grows by one. */
static void set_clock(struct kp_ctf_cursor *cursor, uint64_t low, uint32_t size)
{
	const uint64_t mask = size < 64 ? (1ull << size) - 1 : UINT64_MAX;
	const uint64_t carry = size < 64 && low < (cursor->clock & mask) ? mask + 1 : 0;

	cursor->clock = (cursor->clock & ~mask) + carry + low;
}

static void keep_number(struct kp_ctf_cursor *cursor, uint16_t want, uint64_t number)
{
	if (!want)
		return;
	cursor->all->there |= 1ull << want;
	cursor->all->values[want] = (struct kp_ctf_value){ .number = number };
}

static void keep_text(struct kp_ctf_cursor *cursor, uint16_t want, const uint8_t *text, size_t len)
{
	if (!want)
		return;
	cursor->all->there |= 1ull << want;
	cursor->all->values[want] = (struct kp_ctf_value){ .text = (const char *)text, .len = len };
}

static enum kp_ctf_read read_one(struct kp_ctf_cursor *cursor, const struct kp_ty *type,
				 struct kp_ty_field *field);

static enum kp_ctf_read read_integer(struct kp_ctf_cursor *cursor, const struct kp_ty *type,
				     struct kp_ty_field *field)
{
	const enum kp_ctf_read err = take_bits(cursor, type, &field->value);

	if (err)
		return err;
	if (type->is_signed && type->size < 64 && field->value >> (type->size - 1))
		field->value |= UINT64_MAX << type->size;
	if (type->is_clock)
		set_clock(cursor, field->value, type->size);
	keep_number(cursor, field->want, field->value);
	return KP_CTF_OK;
}

static enum kp_ctf_read read_string(struct kp_ctf_cursor *cursor, struct kp_ty_field *field)
{
	const enum kp_ctf_read err = reach(cursor, 8, 8);
	const uint8_t *text, *end;
	size_t room;

	if (err)
		return err;
	text = cursor->data + (cursor->at - cursor->from) / 8;
	room = (size_t)(((cursor->have < cursor->end ? cursor->have : cursor->end) - cursor->at) / 8);
	end = memchr(text, 0, room);
	if (!end)
		return cursor->have < cursor->end ? KP_CTF_MORE : KP_CTF_CUT;
	cursor->at += (uint64_t)(end - text + 1) * 8;
	keep_text(cursor, field->want, text, (size_t)(end - text));
	return KP_CTF_OK;
}

static enum kp_ctf_read read_variant(struct kp_ctf_cursor *cursor, const struct kp_ty *type)
{
	const struct kp_ty *tag = type->by ? type->by->type : NULL;
	const struct kp_ty_label *label;
	struct kp_ty_field *option;
	struct kp_ty_field none = {0};
	uint64_t value;

	if (!tag || tag->kind != KP_TY_ENUM)
		return KP_CTF_NO_OPTION;
	value = type->by->value;
	for (label = tag->labels; label; label = label->next) {
		if (tag->of->is_signed ? (int64_t)value < (int64_t)label->low ||
					 (int64_t)value > (int64_t)label->high :
					 value < label->low || value > label->high)
			continue;
		for (option = type->fields; option; option = option->next) {
			/* LTTng's options begin with _ where the label does not */
			if (strcmp(option->name, label->name) &&
			    (option->name[0] != '_' || strcmp(option->name + 1, label->name)))
				continue;
			none.want = option->want;
			return read_one(cursor, option->type, &none);
		}
	}
	return KP_CTF_NO_OPTION;
}

static enum kp_ctf_read read_many(struct kp_ctf_cursor *cursor, const struct kp_ty *type,
				  struct kp_ty_field *field)
{
	const uint64_t count = type->kind == KP_TY_ARRAY ? type->count :
			       type->by ? type->by->value : 0;
	const struct kp_ty *of = type->of;
	struct kp_ty_field none = {0};
	enum kp_ctf_read err = KP_CTF_OK;
	const uint8_t *text;
	uint64_t i;
	size_t len;

	if (count > (cursor->end - cursor->at) / of->least)
		return KP_CTF_CUT;
	if (of->kind != KP_TY_INTEGER || of->is_clock || of->size % of->align) {
		err = reach(cursor, of->align, 0);
		for (i = 0; i < count && !err; i++)
			err = read_one(cursor, of, &none);
		return err;
	}
	err = reach(cursor, of->align, count * of->size);
	if (err)
		return err;
	if (field->want && of->size == 8 && !(cursor->at & 7)) {
		text = cursor->data + (cursor->at - cursor->from) / 8;
		len = of->is_char ? strnlen((const char *)text, (size_t)count) : (size_t)count;
		keep_text(cursor, field->want, text, len);
	}
	cursor->at += count * of->size;
	return KP_CTF_OK;
}

static enum kp_ctf_read read_one(struct kp_ctf_cursor *cursor, const struct kp_ty *type,
				 struct kp_ty_field *field)
{
	struct kp_ty_field *inner;
	enum kp_ctf_read err;

	switch (type->kind) {
	case KP_TY_INTEGER:
		return read_integer(cursor, type, field);
	case KP_TY_ENUM:
		return read_integer(cursor, type->of, field);
	case KP_TY_FLOAT:
		return take_bits(cursor, type, &field->value);
	case KP_TY_STRING:
		return read_string(cursor, field);
	case KP_TY_STRUCT:
		err = reach(cursor, type->align, 0);
		for (inner = type->fields; inner && !err; inner = inner->next)
			err = read_one(cursor, inner->type, inner);
		return err;
	case KP_TY_VARIANT:
		return read_variant(cursor, type);
	default:
		return read_many(cursor, type, field);
	}
}

enum kp_ctf_read kp_ctf_read(struct kp_ctf_cursor *cursor, const struct kp_ty *type)
{
	struct kp_ty_field none = {0};

	return type ? read_one(cursor, type, &none) : KP_CTF_OK;
}
