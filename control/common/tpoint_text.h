/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed tracepoints: a definition as the trace has it, and an event's payload as
 * text by it. Both come from anywhere: a format is never handed to printf(), a text never
 * read beyond the payload, and what does not fit its definition is shown in hex.
 */
#ifndef KU_COMMON_TPOINT_TEXT_H
#define KU_COMMON_TPOINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_events.h"

#define KU_TPOINT_FIELDS	7
#define KU_TPOINT_TEXT_MAX	512	/* bytes of an event as text */

/* What a word (a text: several) of the payload is. */
enum ku_tpoint_type {
	KU_TPOINT_U8, KU_TPOINT_U16, KU_TPOINT_U32, KU_TPOINT_U64,
	KU_TPOINT_S8, KU_TPOINT_S16, KU_TPOINT_S32, KU_TPOINT_S64,
	KU_TPOINT_X8, KU_TPOINT_X16, KU_TPOINT_X32, KU_TPOINT_X64,
	KU_TPOINT_PTR, KU_TPOINT_DOUBLE, KU_TPOINT_STR,
	KU_TPOINT_TYPES
};

struct ku_tpoint_field {
	enum ku_tpoint_type type;
	uint16_t name, name_len;	/* where in text */
};

struct ku_tpoint_def {
	uint16_t name_len;		/* at the beginning of text */
	uint16_t format;		/* where in text; it ends with it */
	bool formatted;			/* its conversions are those of the fields */
	uint32_t field_count;
	struct ku_tpoint_field fields[KU_TPOINT_FIELDS];
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES + 1];
};

/* 0; -1: text of len bytes is no definition. */
int ku_tpoint_parse(struct ku_tpoint_def *def, const char *text, size_t len);

/*
 * "disk_io dev=8 sector=77 file=a.c" to out[room], NUL-terminated; cut, it ends in
 * "...". words may be fewer or more than the definition says. Returns its length.
 */
size_t ku_tpoint_render(const struct ku_tpoint_def *def, const uint64_t *words, size_t count,
			char *out, size_t room);

/* The same without a definition: "point_12 0x8 0x4d". */
size_t ku_tpoint_render_unknown(uint32_t id, const uint64_t *words, size_t count, char *out,
				size_t room);

/*
 * As ku_tpoint_render(), but by the names of the fields even if there is a format, and a
 * field that the payload does not reach is left out.
 */
size_t ku_tpoint_render_fields(const struct ku_tpoint_def *def, const uint64_t *words,
			       size_t count, char *out, size_t room);

#endif
