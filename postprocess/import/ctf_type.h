/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata of a CTF trace as data: types with their fields, classes of streams and of events, clock
 * and environment. The content of the file is not trusted: import/tsdl.c and import/ctf_read.c check it.
 */
#ifndef KP_IMPORT_CTF_TYPE_H
#define KP_IMPORT_CTF_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum kp_ty_kind {
	KP_TY_INTEGER, KP_TY_FLOAT, KP_TY_ENUM, KP_TY_STRING, KP_TY_STRUCT, KP_TY_VARIANT,
	KP_TY_ARRAY, KP_TY_SEQUENCE,
};

enum kp_ty_order { KP_TY_NATIVE, KP_TY_LITTLE, KP_TY_BIG };

/* A label of an enum, and its range of numbers, which are signed if the integer of the enum is signed. */
struct kp_ty_label {
	const char *name;
	uint64_t low, high;
	struct kp_ty_label *next;
};

struct kp_ty {
	enum kp_ty_kind kind;
	enum kp_ty_order order;
	bool is_signed;
	bool is_char;		/* a byte of text */
	bool is_clock;		/* its value is the low bits of the time */
	uint32_t align;		/* alignment in bits, a power of two */
	uint32_t size;		/* bits of a number */
	uint64_t count;		/* number of elements of an array */
	uint64_t least;		/* minimum size of a value in bits, capped at UINT32_MAX */
	struct kp_ty *of;	/* type of the elements of an array or sequence; integer of an enum */
	struct kp_ty_field *by;	/* field with the length of a sequence, or with the tag of a variant */
	const char *by_path;	/* path of that field, if it was not found while the struct was parsed */
	struct kp_ty_field *fields;	/* fields of a struct, options of a variant */
	struct kp_ty_label *labels;	/* labels of an enum */
	struct kp_ty *all;	/* next in the list of all types: the type created before this one */
};

struct kp_ty_field {
	const char *name;
	struct kp_ty *type;
	struct kp_ty_field *next;
	uint64_t value;		/* last value that was read, if it is a number */
	uint16_t want;		/* enum kp_want: index of the value in kp_ctf_values; 0: not wanted */
};

struct kp_ctf_event_class {
	const char *name;
	uint64_t id, stream;
	struct kp_ty *context, *fields;	/* NULL: the class has none */
	int meaning;		/* enum meaning of import/ctf_linux.c or import/ctf_ours.c */
	uint32_t number;	/* KUtrace event number, where the class alone determines it */
	uint64_t seen;
};

struct kp_ctf_stream_class {
	uint64_t id;
	struct kp_ty *packet_context, *event_header, *event_context;
	struct kp_map events;	/* event id to index in kp_ctf_meta.events */
	bool looks_back;	/* a length or tag refers to the packet's header or context from another struct */
};

struct kp_ctf_env {
	const char *key, *text;	/* also numbers are stored as text */
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
	struct kp_ty *types;	/* list of all types, the newest first */
	void *memory;		/* chunks that hold all texts and types */
	char message[300];	/* the error, in one line */
};

/* Returns the value of @key in the environment, or NULL. */
const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key);

/* Allocates @size zeroed bytes, which kp_ctf_meta_free() frees. NULL without memory. */
void *kp_ctf_meta_memory(struct kp_ctf_meta *meta, size_t size);
void kp_ctf_meta_free(struct kp_ctf_meta *meta);

#endif
