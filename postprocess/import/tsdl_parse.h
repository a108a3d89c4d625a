/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two halves of the reader of TSDL share: types (import/tsdl_type.c) and the blocks that
 * say what they are of (import/tsdl.c). Nothing here is for others.
 */
#ifndef KP_IMPORT_TSDL_PARSE_H
#define KP_IMPORT_TSDL_PARSE_H

#include "import/ctf_type.h"
#include "import/tsdl_lex.h"

#define KP_TSDL_DEPTH		32	/* types in types */
#define KP_TSDL_NAMES_MAX	4096	/* of types in sight at a time */

/* What a type of a name is: "struct x" and "x" are two. */
struct kp_tsdl_name {
	char what;		/* s struct, v variant, e enum, a alias */
	const char *name;
	struct kp_ty *type;
};

/* A length or tag that is looked up when all that it may mean is known. */
struct kp_tsdl_later {
	struct kp_ty *type;
};

struct kp_tsdl {
	struct kp_ctf_meta *meta;
	struct kp_tsdl_lex lex;
	KP_VECTOR(struct kp_tsdl_name) names;
	KP_VECTOR(struct kp_tsdl_later) later;
	struct kp_ty *building[KP_TSDL_DEPTH];	/* structs that are being read, the outermost first */
	int depth;
	int nest;		/* types begun and not ended */
	bool failed;		/* meta->message says why */
};

/* Notes the first thing that is wrong, with its line; returns -1. */
int kp_tsdl_fail(struct kp_tsdl *tsdl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* size bytes, zeroed, that stay until kp_ctf_meta_free(); NULL without memory, which is noted. */
void *kp_tsdl_memory(struct kp_tsdl *tsdl, size_t size);
/* A copy of text with a NUL; as above. */
const char *kp_tsdl_copy(struct kp_tsdl *tsdl, const char *text, size_t len);

/* Takes that sign, that name; or fails. */
int kp_tsdl_expect(struct kp_tsdl *tsdl, char sign);
int kp_tsdl_expect_name(struct kp_tsdl *tsdl, const char **name);

/*
 * A type at the word at hand. declarator: where the name of a field may follow; then of a row of
 * names the last one is not the type's, and goes to *declarator, which else is left alone.
 * NULL: it failed.
 */
struct kp_ty *kp_tsdl_type(struct kp_tsdl *tsdl, const char **declarator);

/* Does a declaration of types begin at the word at hand? Takes it: 0, or -1. */
bool kp_tsdl_declares(const struct kp_tsdl *tsdl);
int kp_tsdl_declare(struct kp_tsdl *tsdl);

/* The field of that path in a struct: "a.b.c"; NULL: there is none. */
struct kp_ty_field *kp_tsdl_find(const struct kp_ty *type, const char *path);

#endif
