/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides TSDL, the language of CTF 1.8's metadata, into words: names, numbers, texts and signs.
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
	KP_TSDL_BAD,		/* not a word of TSDL; the reason is in why */
};

struct kp_tsdl_word {
	enum kp_tsdl_kind kind;
	char sign;
	uint64_t number;
	const char *text;	/* in the input; of a text: without quotes, escapes not resolved */
	size_t len;
	unsigned int line;
	const char *why;
};

struct kp_tsdl_lex {
	const char *p, *end;
	unsigned int line;
	struct kp_tsdl_word word;	/* the current word */
};

void kp_tsdl_open(struct kp_tsdl_lex *lex, const char *text, size_t len);
/* Goes to the next word. The last word is KP_TSDL_END, or KP_TSDL_BAD after an error: then it does nothing. */
void kp_tsdl_next(struct kp_tsdl_lex *lex);

/* Return whether the current word is that name, or that sign. */
bool kp_tsdl_is(const struct kp_tsdl_lex *lex, const char *name);
bool kp_tsdl_sign(const struct kp_tsdl_lex *lex, char sign);

/* Writes @text to @out with its escapes resolved and a NUL at the end. @out has room for @len + 1 bytes. */
void kp_tsdl_unescape(const char *text, size_t len, char *out);

#endif
