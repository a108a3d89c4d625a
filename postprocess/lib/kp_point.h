/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed tracepoints: a definition as the trace has it, and an event's payload as
 * text by it. Both come from anywhere: a format is never handed to printf(), a text never
 * read beyond the payload, and what does not fit its definition is shown in hex.
 */
#ifndef KP_POINT_H
#define KP_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kp_names.h"
#include "kutrace_events.h"

#define KP_POINT_FIELDS		7
#define KP_POINT_TEXT_MAX	512	/* bytes of an event as text */

/* What a word (a text: several) of the payload is. */
enum kp_point_type {
	KP_POINT_U8, KP_POINT_U16, KP_POINT_U32, KP_POINT_U64,
	KP_POINT_S8, KP_POINT_S16, KP_POINT_S32, KP_POINT_S64,
	KP_POINT_X8, KP_POINT_X16, KP_POINT_X32, KP_POINT_X64,
	KP_POINT_PTR, KP_POINT_DOUBLE, KP_POINT_STR,
	KP_POINT_TYPES
};

struct kp_point_field {
	enum kp_point_type type;
	uint16_t name, name_len;	/* where in text */
};

struct kp_point_def {
	uint16_t name_len;		/* at the beginning of text */
	uint16_t format;		/* where in text; it ends with it */
	bool formatted;			/* its conversions are those of the fields */
	uint32_t field_count;
	struct kp_point_field fields[KP_POINT_FIELDS];
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES + 1];
};

/* 0; -1: text of len bytes is no definition. */
int kp_point_parse(struct kp_point_def *def, const char *text, size_t len);

/*
 * "disk_io dev=8 sector=77 file=a.c" to out[room], NUL-terminated; cut, it ends in
 * "...". words may be fewer or more than the definition says. Returns its length.
 */
size_t kp_point_render(const struct kp_point_def *def, const uint64_t *words, size_t count,
		       char *out, size_t room);

/* The same without a definition: "point_12 0x8 0x4d". */
size_t kp_point_render_unknown(uint32_t id, const uint64_t *words, size_t count, char *out,
			       size_t room);

/* Definitions by id, as far as asked for. Zeroed, it is empty. */
struct kp_points {
	struct kp_point_def **defs;	/* by id, NULL = not looked up, or changed */
	uint64_t unknown;		/* events without a definition */
};

/* A name has been defined or changed: if it is a piece of a definition, forget that. */
void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number);

/* Definition id out of names, NULL: there is none. */
const struct kp_point_def *kp_points_get(struct kp_points *points,
					 const struct kp_names *names, uint32_t id);

void kp_points_free(struct kp_points *points);

#endif
