/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the metadata of a CTF trace says, as data: types made of fields, classes of streams and of
 * events, clock, environment. Filled by import/tsdl.c, followed by import/ctf_read.c; believed by
 * neither, since whoever wrote a trace may have written anything.
 */
#ifndef KP_IMPORT_CTF_TYPE_H
#define KP_IMPORT_CTF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

enum kp_ty_kind {
	KP_TY_INTEGER, KP_TY_FLOAT, KP_TY_ENUM, KP_TY_STRING, KP_TY_STRUCT, KP_TY_VARIANT,
	KP_TY_ARRAY, KP_TY_SEQUENCE,
};

enum kp_ty_order { KP_TY_NATIVE, KP_TY_LITTLE, KP_TY_BIG };

/* A label of an enum: the numbers it stands for, as bits of 64. */
struct kp_ty_label {
	const char *name;
	uint64_t low, high;
	struct kp_ty_label *next;
};

struct kp_ty {
	enum kp_ty_kind kind;
	enum kp_ty_order order;
	bool is_signed;
	bool is_char;		/* text, one to a byte */
	bool is_clock;		/* the low bits of the time */
	uint32_t align;		/* bits, a power of two */
	uint32_t size;		/* of a number: bits */
	uint64_t count;		/* of an array: elements */
	uint64_t least;		/* bits that any value of it takes at least */
	struct kp_ty *of;	/* elements of an array or sequence; the integer of an enum */
	struct kp_ty_field *by;	/* how many elements a sequence has, which option a variant is */
	const char *by_path;	/* the same, before it is looked up; NULL: it is found, or needs none */
	struct kp_ty_field *fields;	/* of a struct; a variant's options */
	struct kp_ty_label *labels;	/* of an enum */
	struct kp_ty *all;	/* the type made before it */
};

struct kp_ty_field {
	const char *name;
	struct kp_ty *type;
	struct kp_ty_field *next;
	uint64_t value;		/* the last one read, if it is a number */
	uint16_t want;		/* enum kp_want: where it goes to; 0: nobody wants it */
};

struct kp_ctf_event_class {
	const char *name;
	uint64_t id, stream;
	struct kp_ty *context, *fields;	/* NULL: it has none */
	int meaning;		/* for import/ctf_import.c: what it becomes */
	uint32_t number;	/* and which call it is */
	uint64_t seen;
};

struct kp_ctf_stream_class {
	uint64_t id;
	struct kp_ty *packet_context, *event_header, *event_context;
	struct kp_map events;	/* by id: the place in all classes of events */
	bool looks_back;	/* events look at their packet's context */
};

struct kp_ctf_env {
	const char *key, *text;	/* numbers as text, too */
};

struct kp_ctf_clock {
	bool known;
	uint64_t freq, offset;
	int64_t offset_s;
};

struct kp_ctf_meta {
	bool big_endian;
	bool has_uuid;
	uint8_t uuid[16];
	struct kp_ty *packet_header;
	struct kp_ctf_clock clock;
	KP_VECTOR(struct kp_ctf_env) env;
	KP_VECTOR(struct kp_ctf_stream_class) streams;
	KP_VECTOR(struct kp_ctf_event_class) events;
	struct kp_ty *types;	/* the last one made */
	void *memory;		/* of all texts and types */
	char message[300];	/* one line, when it could not be read */
};

/* The value of env key, or NULL. */
const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key);

/* size bytes, zeroed, that stay as long as it; NULL without memory. */
void *kp_ctf_meta_memory(struct kp_ctf_meta *meta, size_t size);
void kp_ctf_meta_free(struct kp_ctf_meta *meta);

#endif
