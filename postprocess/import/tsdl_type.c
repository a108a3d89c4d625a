// SPDX-License-Identifier: BSD-3-Clause
/*
 * Parses the types of TSDL, see import/tsdl_parse.h. An example:
 *
 *	struct event_header_compact {
 *		enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
 *		variant <id> { struct { uint27_clock_monotonic_t timestamp; } compact; ... } v;
 *	} align(8);
 */
#include "import/tsdl_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX	8	/* words in a type's name, such as "unsigned long long int" */
#define ARRAY_MAX	(1ull << 40)

static struct kp_ty *new_type(struct kp_tsdl *tsdl, enum kp_ty_kind kind)
{
	struct kp_ty *type = kp_tsdl_memory(tsdl, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = kind;
	type->align = 1;
	type->all = tsdl->meta->types;
	tsdl->meta->types = type;
	return type;
}

/* ---- names of types ---- */

static struct kp_ty *look_up(const struct kp_tsdl *tsdl, char what, const char *name)
{
	size_t i;

	for (i = tsdl->names.count; i--;)
		if (tsdl->names.items[i].what == what && !strcmp(tsdl->names.items[i].name, name))
			return tsdl->names.items[i].type;
	return NULL;
}

static int add_name(struct kp_tsdl *tsdl, char what, const char *name, struct kp_ty *type)
{
	struct kp_tsdl_name *item;

	if (tsdl->names.count == KP_TSDL_NAMES_MAX)
		return kp_tsdl_fail(tsdl, "more than %d names of types", KP_TSDL_NAMES_MAX);
	item = KP_PUSH(&tsdl->names);
	if (!item)
		return kp_tsdl_fail(tsdl, "no memory");
	*item = (struct kp_tsdl_name){ what, name, type };
	return 0;
}

/*
 * Takes a type's name: all names and asterisks from here on, joined by blanks, without "const". If @last is
 * not NULL and there are several words, the last one is not part of the name and goes to *@last.
 */
static const char *take_names(struct kp_tsdl *tsdl, const char **last)
{
	const char *words[WORDS_MAX];
	char joined[256] = "";
	size_t count = 0, i, used = 0;

	while (tsdl->lex.word.kind == KP_TSDL_NAME || kp_tsdl_sign(&tsdl->lex, '*')) {
		const bool star = tsdl->lex.word.kind == KP_TSDL_SIGN;

		if (count == WORDS_MAX) {
			kp_tsdl_fail(tsdl, "a type's name of more than %d words", WORDS_MAX);
			return NULL;
		}
		words[count] = star ? "*" : kp_tsdl_copy(tsdl, tsdl->lex.word.text, tsdl->lex.word.len);
		if (!words[count++])
			return NULL;
		kp_tsdl_next(&tsdl->lex);
	}
	if (last && count > 1)
		*last = words[--count];
	for (i = 0; i < count && used < sizeof(joined); i++)
		if (strcmp(words[i], "const"))
			used += (size_t)snprintf(joined + used, sizeof(joined) - used, "%s%s",
						 used ? " " : "", words[i]);
	if (!used || used >= sizeof(joined)) {
		kp_tsdl_fail(tsdl, "a type is missing, or its name is too long");
		return NULL;
	}
	return kp_tsdl_copy(tsdl, joined, used);
}

/* ---- numbers and strings ---- */

static int take_number(struct kp_tsdl *tsdl, uint64_t *number, bool *minus)
{
	*minus = kp_tsdl_sign(&tsdl->lex, '-');
	if (*minus || kp_tsdl_sign(&tsdl->lex, '+'))
		kp_tsdl_next(&tsdl->lex);
	if (tsdl->lex.word.kind != KP_TSDL_NUMBER)
		return kp_tsdl_fail(tsdl, "a number is missing");
	*number = *minus ? -tsdl->lex.word.number : tsdl->lex.word.number;
	kp_tsdl_next(&tsdl->lex);
	return 0;
}

static bool is_align(uint64_t align)
{
	return align && !(align & (align - 1)) && align <= 4096;
}

/* Takes one "key = value;" of an integer, floating_point or string. */
static int take_attribute(struct kp_tsdl *tsdl, struct kp_ty *type, bool *aligned)
{
	const struct kp_tsdl_word *word = &tsdl->lex.word;
	const char *key;

	if (kp_tsdl_expect_name(tsdl, &key) || kp_tsdl_expect(tsdl, '='))
		return -1;
	if (!strcmp(key, "size") || !strcmp(key, "exp_dig") || !strcmp(key, "mant_dig")) {
		if (word->kind != KP_TSDL_NUMBER || !word->number || word->number > 64)
			return kp_tsdl_fail(tsdl, "%s is not a number from 1 to 64", key);
		type->size += (uint32_t)word->number;
	} else if (!strcmp(key, "align")) {
		if (word->kind != KP_TSDL_NUMBER || !is_align(word->number))
			return kp_tsdl_fail(tsdl, "align is not a power of two up to 4096");
		type->align = (uint32_t)word->number;
		*aligned = true;
	} else if (!strcmp(key, "signed")) {
		type->is_signed = word->kind == KP_TSDL_NUMBER ? word->number != 0 :
			kp_tsdl_is(&tsdl->lex, "true") || kp_tsdl_is(&tsdl->lex, "TRUE");
	} else if (!strcmp(key, "byte_order")) {
		if (kp_tsdl_is(&tsdl->lex, "le"))
			type->order = KP_TY_LITTLE;
		else if (kp_tsdl_is(&tsdl->lex, "be") || kp_tsdl_is(&tsdl->lex, "network"))
			type->order = KP_TY_BIG;
	} else if (!strcmp(key, "encoding")) {
		type->is_char = !kp_tsdl_is(&tsdl->lex, "none");
	} else if (!strcmp(key, "map")) {
		type->is_clock = kp_tsdl_is(&tsdl->lex, "clock");
	}
	/* skip the value; those of base and other keys are not needed */
	while (word->kind != KP_TSDL_END && word->kind != KP_TSDL_BAD &&
	       !kp_tsdl_sign(&tsdl->lex, ';') && !kp_tsdl_sign(&tsdl->lex, '}'))
		kp_tsdl_next(&tsdl->lex);
	return kp_tsdl_expect(tsdl, ';');
}

static struct kp_ty *scalar(struct kp_tsdl *tsdl, enum kp_ty_kind kind)
{
	struct kp_ty *type = new_type(tsdl, kind);
	bool aligned = false;

	kp_tsdl_next(&tsdl->lex);
	if (!type)
		return NULL;
	if (kind != KP_TY_STRING || kp_tsdl_sign(&tsdl->lex, '{')) {
		if (kp_tsdl_expect(tsdl, '{'))
			return NULL;
		while (!kp_tsdl_sign(&tsdl->lex, '}'))
			if (take_attribute(tsdl, type, &aligned))
				return NULL;
		kp_tsdl_next(&tsdl->lex);
	}
	if (kind == KP_TY_STRING) {
		type->align = 8;
		type->least = 8;
		return type;
	}
	if (!type->size || type->size > 64) {
		kp_tsdl_fail(tsdl, "a number of %u bits; possible are 1 to 64", type->size);
		return NULL;
	}
	if (!aligned)
		type->align = type->size % 8 ? 1 : 8;
	type->is_char &= type->size == 8;
	type->least = type->size;
	return type;
}

/* ---- enum ---- */

static int take_label(struct kp_tsdl *tsdl, struct kp_ty *type, uint64_t *next)
{
	struct kp_ty_label *label = kp_tsdl_memory(tsdl, sizeof(*label));
	const struct kp_tsdl_word *word = &tsdl->lex.word;
	struct kp_ty_label **end = &type->labels;
	bool minus;

	if (!label)
		return -1;
	if (word->kind != KP_TSDL_NAME && word->kind != KP_TSDL_TEXT)
		return kp_tsdl_fail(tsdl, "a label is missing");
	label->name = kp_tsdl_copy(tsdl, word->text, word->len);
	if (!label->name)
		return -1;
	kp_tsdl_next(&tsdl->lex);
	label->low = label->high = *next;
	if (kp_tsdl_sign(&tsdl->lex, '=')) {
		kp_tsdl_next(&tsdl->lex);
		if (take_number(tsdl, &label->low, &minus))
			return -1;
		label->high = label->low;
		if (tsdl->lex.word.kind == KP_TSDL_DOTS) {
			kp_tsdl_next(&tsdl->lex);
			if (take_number(tsdl, &label->high, &minus))
				return -1;
		}
	}
	*next = label->high + 1;
	/* the list is in reverse order until reverse_labels() */
	label->next = *end;
	*end = label;
	return 0;
}

static void reverse_labels(struct kp_ty *type)
{
	struct kp_ty_label *label = type->labels, *next;

	for (type->labels = NULL; label; label = next) {
		next = label->next;
		label->next = type->labels;
		type->labels = label;
	}
}

static struct kp_ty *enumeration(struct kp_tsdl *tsdl, const char *name)
{
	struct kp_ty *type = new_type(tsdl, KP_TY_ENUM);
	uint64_t next = 0;

	if (!type)
		return NULL;
	if (kp_tsdl_sign(&tsdl->lex, ':')) {
		kp_tsdl_next(&tsdl->lex);
		type->of = kp_tsdl_type(tsdl, NULL);
	} else {
		type->of = look_up(tsdl, 'a', "int");
		if (!type->of)
			kp_tsdl_fail(tsdl, "an enum has no type, and int is not defined");
	}
	if (!type->of)
		return NULL;
	if (type->of->kind != KP_TY_INTEGER) {
		kp_tsdl_fail(tsdl, "the type of an enum is not an integer");
		return NULL;
	}
	type->align = type->of->align;
	type->least = type->of->least;
	if (kp_tsdl_expect(tsdl, '{'))
		return NULL;
	while (!kp_tsdl_sign(&tsdl->lex, '}')) {
		if (take_label(tsdl, type, &next))
			return NULL;
		if (!kp_tsdl_sign(&tsdl->lex, ','))
			break;
		kp_tsdl_next(&tsdl->lex);
	}
	reverse_labels(type);
	return kp_tsdl_expect(tsdl, '}') || (name && add_name(tsdl, 'e', name, type)) ? NULL : type;
}

/* ---- the fields that lengths and tags refer to ---- */

struct kp_ty_field *kp_tsdl_find(const struct kp_ty *type, const char *path)
{
	const size_t len = strcspn(path, ".");
	struct kp_ty_field *field;

	if (!type || (type->kind != KP_TY_STRUCT && type->kind != KP_TY_VARIANT))
		return NULL;
	for (field = type->fields; field; field = field->next)
		if (strlen(field->name) == len && !memcmp(field->name, path, len))
			break;
	if (!field || !path[len])
		return field;
	return kp_tsdl_find(field->type, path + len + 1);
}

/* Takes a path: names with dots between them. */
static const char *take_path(struct kp_tsdl *tsdl)
{
	char path[256];
	size_t used = 0;

	while (tsdl->lex.word.kind == KP_TSDL_NAME && used + tsdl->lex.word.len + 2 < sizeof(path)) {
		memcpy(path + used, tsdl->lex.word.text, tsdl->lex.word.len);
		used += tsdl->lex.word.len;
		kp_tsdl_next(&tsdl->lex);
		if (!kp_tsdl_sign(&tsdl->lex, '.'))
			return kp_tsdl_copy(tsdl, path, used);
		path[used++] = '.';
		kp_tsdl_next(&tsdl->lex);
	}
	kp_tsdl_fail(tsdl, "the name of a field is missing or too long");
	return NULL;
}

/*
 * Finds the field @path that gives the length or tag of @type. Fields of the structs that are being parsed
 * are found now, all others when the block ends.
 */
static int refer(struct kp_tsdl *tsdl, struct kp_ty *type, const char *path)
{
	struct kp_tsdl_later *later;
	int i;

	if (!path)
		return -1;
	for (i = tsdl->depth - 1; i >= 0 && !type->by; i--)
		if (tsdl->building[i])
			type->by = kp_tsdl_find(tsdl->building[i], path);
	if (type->by)
		return 0;
	type->by_path = path;
	later = KP_PUSH(&tsdl->later);
	if (!later)
		return kp_tsdl_fail(tsdl, "no memory");
	later->type = type;
	return 0;
}

/* ---- struct and variant ---- */

/* Takes dimensions, "[3]" or "[length]", and returns the array or sequence of @type; without any, @type. */
static struct kp_ty *take_dimensions(struct kp_tsdl *tsdl, struct kp_ty *type)
{
	struct kp_ty *outer;

	if (!kp_tsdl_sign(&tsdl->lex, '['))
		return type;
	if (tsdl->depth == KP_TSDL_DEPTH) {
		kp_tsdl_fail(tsdl, "types are nested more than %d deep", KP_TSDL_DEPTH);
		return NULL;
	}
	kp_tsdl_next(&tsdl->lex);
	outer = new_type(tsdl, tsdl->lex.word.kind == KP_TSDL_NUMBER ? KP_TY_ARRAY : KP_TY_SEQUENCE);
	if (!outer)
		return NULL;
	if (outer->kind == KP_TY_ARRAY) {
		outer->count = tsdl->lex.word.number;
		kp_tsdl_next(&tsdl->lex);
		if (outer->count > ARRAY_MAX) {
			kp_tsdl_fail(tsdl, "an array of more than 2^40 elements");
			return NULL;
		}
	} else if (refer(tsdl, outer, take_path(tsdl))) {
		return NULL;
	}
	if (kp_tsdl_expect(tsdl, ']'))
		return NULL;
	tsdl->building[tsdl->depth++] = NULL;
	outer->of = take_dimensions(tsdl, type);
	tsdl->depth--;
	if (!outer->of)
		return NULL;
	if (!outer->of->least) {
		kp_tsdl_fail(tsdl, "the elements of an array may have no bits");
		return NULL;
	}
	outer->align = outer->of->align;
	outer->least = outer->count && outer->of->least > UINT32_MAX / outer->count ?
			       UINT32_MAX : outer->count * outer->of->least;
	return outer;
}

static int take_field(struct kp_tsdl *tsdl, struct kp_ty_field ***end)
{
	struct kp_ty_field *field;
	const char *name = NULL;
	struct kp_ty *type = kp_tsdl_type(tsdl, &name);

	if (!type || (!name && kp_tsdl_expect_name(tsdl, &name)))
		return -1;
	type = take_dimensions(tsdl, type);
	field = type ? kp_tsdl_memory(tsdl, sizeof(*field)) : NULL;
	if (!field)
		return -1;
	field->name = name;
	field->type = type;
	**end = field;
	*end = &field->next;
	return kp_tsdl_expect(tsdl, ';');
}

static int take_fields(struct kp_tsdl *tsdl, struct kp_ty *type)
{
	const size_t names = tsdl->names.count;
	struct kp_ty_field **end = &type->fields;

	if (tsdl->depth == KP_TSDL_DEPTH)
		return kp_tsdl_fail(tsdl, "types are nested more than %d deep", KP_TSDL_DEPTH);
	if (kp_tsdl_expect(tsdl, '{'))
		return -1;
	tsdl->building[tsdl->depth++] = type->kind == KP_TY_STRUCT ? type : NULL;
	while (!kp_tsdl_sign(&tsdl->lex, '}')) {
		if (kp_tsdl_is(&tsdl->lex, "typealias") || kp_tsdl_is(&tsdl->lex, "typedef")) {
			if (kp_tsdl_declare(tsdl))
				return -1;
		} else if (take_field(tsdl, &end)) {
			return -1;
		}
	}
	tsdl->depth--;
	tsdl->names.count = names;
	return kp_tsdl_expect(tsdl, '}');
}

static void measure(struct kp_ty *type)
{
	const struct kp_ty_field *field;

	if (type->kind == KP_TY_VARIANT)
		type->least = type->fields ? UINT64_MAX : 0;
	for (field = type->fields; field; field = field->next) {
		if (type->kind == KP_TY_VARIANT) {
			if (field->type->least < type->least)
				type->least = field->type->least;
			continue;
		}
		if (field->type->align > type->align)
			type->align = field->type->align;
		type->least += field->type->least;
		if (type->least > UINT32_MAX)
			type->least = UINT32_MAX;
	}
}

static struct kp_ty *structure(struct kp_tsdl *tsdl, const char *name)
{
	struct kp_ty *type = new_type(tsdl, KP_TY_STRUCT);

	if (!type || take_fields(tsdl, type))
		return NULL;
	measure(type);
	if (kp_tsdl_is(&tsdl->lex, "align")) {
		kp_tsdl_next(&tsdl->lex);
		if (kp_tsdl_expect(tsdl, '('))
			return NULL;
		if (tsdl->lex.word.kind != KP_TSDL_NUMBER || !is_align(tsdl->lex.word.number)) {
			kp_tsdl_fail(tsdl, "align is not a power of two up to 4096");
			return NULL;
		}
		if (tsdl->lex.word.number > type->align)
			type->align = (uint32_t)tsdl->lex.word.number;
		kp_tsdl_next(&tsdl->lex);
		if (kp_tsdl_expect(tsdl, ')'))
			return NULL;
	}
	return name && add_name(tsdl, 's', name, type) ? NULL : type;
}

static struct kp_ty *variant(struct kp_tsdl *tsdl, const char *name, const char *tag)
{
	struct kp_ty *type = new_type(tsdl, KP_TY_VARIANT), *old;

	if (!type)
		return NULL;
	if (kp_tsdl_sign(&tsdl->lex, '{')) {
		if (take_fields(tsdl, type))
			return NULL;
		if (name && add_name(tsdl, 'v', name, type))
			return NULL;
	} else {
		old = name ? look_up(tsdl, 'v', name) : NULL;
		if (!old) {
			kp_tsdl_fail(tsdl, "variant %s is not defined", name ? name : "?");
			return NULL;
		}
		type->fields = old->fields;
	}
	measure(type);
	return tag && refer(tsdl, type, tag) ? NULL : type;
}

/* Takes the name, tag and body that follow the word "struct", "variant" or "enum" (@what: s, v, e). */
static struct kp_ty *compound(struct kp_tsdl *tsdl, char what)
{
	const char *name = NULL, *tag = NULL;
	struct kp_ty *type;

	if (tsdl->lex.word.kind == KP_TSDL_NAME && !kp_tsdl_is(&tsdl->lex, "align") &&
	    kp_tsdl_expect_name(tsdl, &name))
		return NULL;
	if (what == 'v' && kp_tsdl_sign(&tsdl->lex, '<')) {
		kp_tsdl_next(&tsdl->lex);
		tag = take_path(tsdl);
		if (!tag || kp_tsdl_expect(tsdl, '>'))
			return NULL;
	}
	if (what == 'v')
		return variant(tsdl, name, tag);
	if (kp_tsdl_sign(&tsdl->lex, '{') || kp_tsdl_sign(&tsdl->lex, ':'))
		return what == 's' ? structure(tsdl, name) : enumeration(tsdl, name);
	type = name ? look_up(tsdl, what, name) : NULL;
	if (!type)
		kp_tsdl_fail(tsdl, "%s %s is not defined", what == 's' ? "struct" : "enum",
			     name ? name : "?");
	return type;
}

static struct kp_ty *any_type(struct kp_tsdl *tsdl, const char **declarator)
{
	static const struct { const char *word; char what; } compounds[] = {
		{ "struct", 's' }, { "variant", 'v' }, { "enum", 'e' },
	};
	const char *name;
	struct kp_ty *type;
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!kp_tsdl_is(&tsdl->lex, compounds[i].word))
			continue;
		kp_tsdl_next(&tsdl->lex);
		return compound(tsdl, compounds[i].what);
	}
	if (kp_tsdl_is(&tsdl->lex, "integer"))
		return scalar(tsdl, KP_TY_INTEGER);
	if (kp_tsdl_is(&tsdl->lex, "floating_point"))
		return scalar(tsdl, KP_TY_FLOAT);
	if (kp_tsdl_is(&tsdl->lex, "string"))
		return scalar(tsdl, KP_TY_STRING);
	name = take_names(tsdl, declarator);
	if (!name)
		return NULL;
	type = look_up(tsdl, 'a', name);
	if (!type)
		kp_tsdl_fail(tsdl, "type %s is not defined", name);
	return type;
}

struct kp_ty *kp_tsdl_type(struct kp_tsdl *tsdl, const char **declarator)
{
	struct kp_ty *type;

	if (tsdl->nest == 2 * KP_TSDL_DEPTH) {
		kp_tsdl_fail(tsdl, "types are nested more than %d deep", KP_TSDL_DEPTH);
		return NULL;
	}
	tsdl->nest++;
	type = any_type(tsdl, declarator);
	tsdl->nest--;
	return type;
}

/* ---- declarations ---- */

bool kp_tsdl_declares(const struct kp_tsdl *tsdl)
{
	static const char *const words[] = { "typealias", "typedef", "struct", "variant", "enum" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (kp_tsdl_is(&tsdl->lex, words[i]))
			return true;
	return false;
}

int kp_tsdl_declare(struct kp_tsdl *tsdl)
{
	const bool is_typedef = kp_tsdl_is(&tsdl->lex, "typedef");
	const bool is_alias = kp_tsdl_is(&tsdl->lex, "typealias");
	const char *name = NULL;
	struct kp_ty *type;

	if (is_typedef || is_alias)
		kp_tsdl_next(&tsdl->lex);
	type = kp_tsdl_type(tsdl, is_typedef ? &name : NULL);
	if (!type)
		return -1;
	if (is_alias) {
		if (tsdl->lex.word.kind != KP_TSDL_TYPE_IS)
			return kp_tsdl_fail(tsdl, ":= is missing");
		kp_tsdl_next(&tsdl->lex);
		name = take_names(tsdl, NULL);
		if (!name)
			return -1;
	} else if (is_typedef) {
		if (!name && kp_tsdl_expect_name(tsdl, &name))
			return -1;
		type = take_dimensions(tsdl, type);
		if (!type)
			return -1;
	}
	if (name && add_name(tsdl, 'a', name, type))
		return -1;
	return kp_tsdl_expect(tsdl, ';');
}
