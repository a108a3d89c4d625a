/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of TSDL, the language of CTF 1.8's metadata: names, numbers, texts, signs. Used by
 * import/tsdl.c and import/tsdl_type.c.
 */
#ifndef KP_IMPORT_TSDL_LEX_H
#define KP_IMPORT_TSDL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kp_tsdl_kind {
	KP_TSDL_END, KP_TSDL_NAME, KP_TSDL_NUMBER, KP_TSDL_TEXT,
	KP_TSDL_SIGN,		/* one character: sign */
	KP_TSDL_DOTS,		/* ... */
	KP_TSDL_TYPE_IS,	/* := */
	KP_TSDL_BAD,		/* no word: why says what it is */
};

struct kp_tsdl_word {
	enum kp_tsdl_kind kind;
	char sign;
	uint64_t number;
	const char *text;	/* in the input; of a text without its quotes, escapes as they stand */
	size_t len;
	unsigned int line;
	const char *why;
};

struct kp_tsdl_lex {
	const char *p, *end;
	unsigned int line;
	struct kp_tsdl_word word;	/* the one at hand */
};

void kp_tsdl_open(struct kp_tsdl_lex *lex, const char *text, size_t len);
/* The next word becomes the one at hand; at the end, and behind a bad one, stays there. */
void kp_tsdl_next(struct kp_tsdl_lex *lex);

/* Is the word at hand that name, that sign? */
bool kp_tsdl_is(const struct kp_tsdl_lex *lex, const char *name);
bool kp_tsdl_sign(const struct kp_tsdl_lex *lex, char sign);

/* A text's escapes undone, to out, which has room for len + 1 bytes; NUL-terminated. */
void kp_tsdl_unescape(const char *text, size_t len, char *out);

#endif
