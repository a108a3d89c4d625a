// SPDX-License-Identifier: BSD-3-Clause
/*
 * Divides TSDL into words, see import/tsdl_lex.h. Must not read past the end of the text, which is
 * not NUL-terminated.
 */
#include "import/tsdl_lex.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

void kp_tsdl_open(struct kp_tsdl_lex *lex, const char *text, size_t len)
{
	memset(lex, 0, sizeof(*lex));
	lex->p = text;
	lex->end = text + len;
	lex->line = 1;
	kp_tsdl_next(lex);
}

static void bad(struct kp_tsdl_lex *lex, const char *why)
{
	lex->word.kind = KP_TSDL_BAD;
	lex->word.why = why;
	lex->p = lex->end;
}

/* Skips white space and comments. */
static void skip(struct kp_tsdl_lex *lex)
{
	const char *p = lex->p, *end = lex->end;

	while (p < end) {
		if (*p == '\n') {
			lex->line++;
			p++;
		} else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') {
			p++;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
			for (p += 2; end - p >= 2 && (p[0] != '*' || p[1] != '/'); p++)
				lex->line += *p == '\n';
			p = end - p >= 2 ? p + 2 : end;
		} else {
			break;
		}
	}
	lex->p = p;
}

static void take_text(struct kp_tsdl_lex *lex)
{
	const char *p = lex->p + 1;

	lex->word.text = p;
	while (p < lex->end && *p != '"' && *p != '\n')
		p += *p == '\\' && lex->end - p > 1 ? 2 : 1;
	if (p >= lex->end || *p != '"') {
		bad(lex, "the closing quote of a string is missing");
		return;
	}
	lex->word.kind = KP_TSDL_TEXT;
	lex->word.len = (size_t)(p - lex->word.text);
	lex->p = p + 1;
}

/* Takes a character in quotes as a number, whose value is not needed and stays 0. */
static void take_char(struct kp_tsdl_lex *lex)
{
	const char *p = lex->p + 1;

	while (p < lex->end && *p != '\'' && *p != '\n')
		p += *p == '\\' && lex->end - p > 1 ? 2 : 1;
	if (p >= lex->end || *p != '\'') {
		bad(lex, "the closing quote of a character is missing");
		return;
	}
	lex->word.kind = KP_TSDL_NUMBER;
	lex->p = p + 1;
}

static void take_number(struct kp_tsdl_lex *lex)
{
	const char *p = lex->p, *first;
	unsigned int base = 10;
	uint64_t number = 0;

	if (*p == '0' && lex->end - p > 1) {
		base = (p[1] | 0x20) == 'x' ? 16 : 8;
		p += base == 16 ? 2 : 0;
	}
	for (first = p; p < lex->end && digit_of(*p) < (int)base; p++) {
		if (number > (UINT64_MAX - 15) / base) {
			bad(lex, "a number of more than 64 bits");
			return;
		}
		number = number * base + (unsigned int)digit_of(*p);
	}
	if (p == first) {
		bad(lex, "a number has no digits");
		return;
	}
	while (p < lex->end && ((*p | 0x20) == 'u' || (*p | 0x20) == 'l'))
		p++;
	lex->word.kind = KP_TSDL_NUMBER;
	lex->word.number = number;
	lex->p = p;
}

void kp_tsdl_next(struct kp_tsdl_lex *lex)
{
	const char *p;

	skip(lex);
	p = lex->p;
	if (lex->word.kind == KP_TSDL_BAD)
		return;
	lex->word = (struct kp_tsdl_word){ .kind = KP_TSDL_END, .line = lex->line, .text = p };
	if (p == lex->end)
		return;
	if (is_letter(*p)) {
		while (p < lex->end && (is_letter(*p) || is_digit(*p)))
			p++;
		lex->word.kind = KP_TSDL_NAME;
		lex->word.len = (size_t)(p - lex->p);
		lex->p = p;
	} else if (is_digit(*p)) {
		take_number(lex);
	} else if (*p == '"') {
		take_text(lex);
	} else if (*p == '\'') {
		take_char(lex);
	} else if (lex->end - p >= 3 && !memcmp(p, "...", 3)) {
		lex->word.kind = KP_TSDL_DOTS;
		lex->p += 3;
	} else if (lex->end - p >= 2 && p[0] == ':' && p[1] == '=') {
		lex->word.kind = KP_TSDL_TYPE_IS;
		lex->p += 2;
	} else if (memchr("{}[]<>();:,.=*+-", *p, 16)) {
		lex->word.kind = KP_TSDL_SIGN;
		lex->word.sign = *p;
		lex->p++;
	} else {
		bad(lex, "invalid character");
	}
}

bool kp_tsdl_is(const struct kp_tsdl_lex *lex, const char *name)
{
	return lex->word.kind == KP_TSDL_NAME && strlen(name) == lex->word.len &&
	       !memcmp(name, lex->word.text, lex->word.len);
}

bool kp_tsdl_sign(const struct kp_tsdl_lex *lex, char sign)
{
	return lex->word.kind == KP_TSDL_SIGN && lex->word.sign == sign;
}

void kp_tsdl_unescape(const char *text, size_t len, char *out)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < len) {
			c = text[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		*out++ = c;
	}
	*out = '\0';
}
