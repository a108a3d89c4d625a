/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of the TSDL parser, shared by the parser of types (import/tsdl_type.c) and the parser of
 * blocks (import/tsdl.c).
 */
#ifndef KP_IMPORT_TSDL_PARSE_H
#define KP_IMPORT_TSDL_PARSE_H

#include "import/ctf_type.h"
#include "import/tsdl_lex.h"

#define KP_TSDL_DEPTH		32	/* nesting of types */
#define KP_TSDL_NAMES_MAX	4096	/* names of types in scope at the same time */

/* A named type. "struct x" and the alias "x" are two names. */
struct kp_tsdl_name {
	char what;		/* s struct, v variant, e enum, a alias */
	const char *name;
	struct kp_ty *type;
};

/* A type whose length or tag is found at the end of the block, when all outer structs are known. */
struct kp_tsdl_later {
	struct kp_ty *type;
};

struct kp_tsdl {
	struct kp_ctf_meta *meta;
	struct kp_tsdl_lex lex;
	KP_VECTOR(struct kp_tsdl_name) names;
	KP_VECTOR(struct kp_tsdl_later) later;
	struct kp_ty *building[KP_TSDL_DEPTH];	/* structs that are being parsed, the outermost first; or NULL */
	int depth;
	int nest;		/* number of types that are being parsed */
	bool failed;		/* the reason is in meta->message */
};

/* Writes the first error, with its line, to meta->message. Returns -1. */
int kp_tsdl_fail(struct kp_tsdl *tsdl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Allocates @size zeroed bytes, which kp_ctf_meta_free() frees. NULL without memory, with meta->message. */
void *kp_tsdl_memory(struct kp_tsdl *tsdl, size_t size);
/* Allocates a copy of @text with a NUL, as kp_tsdl_memory() does. */
const char *kp_tsdl_copy(struct kp_tsdl *tsdl, const char *text, size_t len);

/* Take the sign @sign; take any name, and copy it to *@name. Return 0, or -1 with meta->message. */
int kp_tsdl_expect(struct kp_tsdl *tsdl, char sign);
int kp_tsdl_expect_name(struct kp_tsdl *tsdl, const char **name);

/*
 * Parses the type that begins at the current word. If @declarator is not NULL, the name of a field may
 * follow: in "unsigned int x", x goes to *@declarator, which otherwise stays as it is. Returns NULL on error.
 */
struct kp_ty *kp_tsdl_type(struct kp_tsdl *tsdl, const char **declarator);

/* Returns whether a declaration of a type begins at the current word. */
bool kp_tsdl_declares(const struct kp_tsdl *tsdl);
/* Parses that declaration. Returns 0, or -1 with meta->message. */
int kp_tsdl_declare(struct kp_tsdl *tsdl);

/* Returns the field with the path "a.b.c" in a struct or variant, or NULL. */
struct kp_ty_field *kp_tsdl_find(const struct kp_ty *type, const char *path);

#endif
