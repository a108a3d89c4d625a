/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the definition of a typed tracepoint, and prints an event's payload as text.
 *
 * Both inputs are untrusted. Must never pass a format from a trace to printf(), and never read
 * beyond the payload. If the format does not fit the fields, the fields are printed by name.
 * Words without a field are printed in hex.
 */
#ifndef KU_COMMON_TPOINT_TEXT_H
#define KU_COMMON_TPOINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_events.h"

#define KU_TPOINT_FIELDS	7
#define KU_TPOINT_TEXT_MAX	512	/* bytes of one event as text */

/* Type of a field. A string takes several words of the payload, any other type takes one. */
enum ku_tpoint_type {
	KU_TPOINT_U8, KU_TPOINT_U16, KU_TPOINT_U32, KU_TPOINT_U64,
	KU_TPOINT_S8, KU_TPOINT_S16, KU_TPOINT_S32, KU_TPOINT_S64,
	KU_TPOINT_X8, KU_TPOINT_X16, KU_TPOINT_X32, KU_TPOINT_X64,
	KU_TPOINT_PTR, KU_TPOINT_DOUBLE, KU_TPOINT_STR,
	KU_TPOINT_TYPES
};

struct ku_tpoint_field {
	enum ku_tpoint_type type;
	uint16_t name, name_len;	/* offset and length in text */
};

struct ku_tpoint_def {
	uint16_t name_len;		/* the name is at the beginning of text */
	uint16_t format;		/* offset in text; the format is the rest of text */
	bool formatted;			/* the conversions of the format fit the fields */
	uint32_t field_count;
	struct ku_tpoint_field fields[KU_TPOINT_FIELDS];
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES + 1];
};

/* Parses a definition. Returns 0, or -1 if the @len bytes at @text are not a definition. */
int ku_tpoint_parse(struct ku_tpoint_def *def, const char *text, size_t len);

/*
 * Writes for example "disk_io dev=8 sector=77 file=a.c" to @out, NUL-terminated. Text that does not
 * fit into @room bytes is cut and ends in "...". @count, the number of words, may be less or more
 * than the definition needs. Returns the length.
 */
size_t ku_tpoint_render(const struct ku_tpoint_def *def, const uint64_t *words, size_t count,
			char *out, size_t room);

/* Writes the event of an unknown definition, such as "point_12 0x8 0x4d". Returns the length. */
size_t ku_tpoint_render_unknown(uint32_t id, const uint64_t *words, size_t count, char *out,
				size_t room);

/*
 * Does the same as ku_tpoint_render(), except that it ignores the format, prints each field with
 * its name, and omits fields after the end of the payload.
 */
size_t ku_tpoint_render_fields(const struct ku_tpoint_def *def, const uint64_t *words,
			       size_t count, char *out, size_t room);

#endif
