// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions that the parsers of types and of blocks share, see import/tsdl_parse.h.
 */
#include "import/tsdl_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int kp_tsdl_fail(struct kp_tsdl *tsdl, const char *fmt, ...)
{
	struct kp_ctf_meta *meta = tsdl->meta;
	char what[200];
	va_list ap;

	if (tsdl->failed)
		return -1;
	tsdl->failed = true;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(meta->message, sizeof(meta->message), "metadata, line %u: %s", tsdl->lex.word.line,
		 tsdl->lex.word.kind == KP_TSDL_BAD ? tsdl->lex.word.why : what);
	return -1;
}

void *kp_tsdl_memory(struct kp_tsdl *tsdl, size_t size)
{
	void *memory = kp_ctf_meta_memory(tsdl->meta, size);

	if (!memory)
		kp_tsdl_fail(tsdl, "no memory");
	return memory;
}

const char *kp_tsdl_copy(struct kp_tsdl *tsdl, const char *text, size_t len)
{
	char *copy = kp_tsdl_memory(tsdl, len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

int kp_tsdl_expect(struct kp_tsdl *tsdl, char sign)
{
	if (!kp_tsdl_sign(&tsdl->lex, sign))
		return kp_tsdl_fail(tsdl, tsdl->lex.word.kind == KP_TSDL_END ?
				    "the file is cut off: %c is missing" : "%c is missing", sign);
	kp_tsdl_next(&tsdl->lex);
	return 0;
}

int kp_tsdl_expect_name(struct kp_tsdl *tsdl, const char **name)
{
	if (tsdl->lex.word.kind != KP_TSDL_NAME)
		return kp_tsdl_fail(tsdl, "a name is missing");
	*name = kp_tsdl_copy(tsdl, tsdl->lex.word.text, tsdl->lex.word.len);
	if (!*name)
		return -1;
	kp_tsdl_next(&tsdl->lex);
	return 0;
}
