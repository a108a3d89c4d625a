/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The classes of a CTF trace, with the fields that the import uses. The reader compares names without the _
 * that LTTng puts before names of fields, and stores only the values of these fields.
 */
#ifndef KP_INTEROP_CTF_CLASS_H
#define KP_INTEROP_CTF_CLASS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum kp_want {
	KP_WANT_NOTHING,
	KP_WANT_RUNNING,	/* id of the running thread */
	KP_WANT_COUNTER,	/* rawtoctf's ipc, llc, ipc_llc */
	KP_WANT_PREV_COMM, KP_WANT_PREV_TID, KP_WANT_PREV_STATE, KP_WANT_NEXT_COMM, KP_WANT_NEXT_TID,
	KP_WANT_COMM, KP_WANT_NEW_COMM, KP_WANT_TID, KP_WANT_CHILD_COMM, KP_WANT_CHILD_TID,
	KP_WANT_PARENT_TID, KP_WANT_TYPE, KP_WANT_STATUS,
	KP_WANT_FILENAME, KP_WANT_NAME, KP_WANT_IRQ, KP_WANT_VEC, KP_WANT_VECTOR, KP_WANT_NUMBER,
	KP_WANT_TRAP, KP_WANT_RET, KP_WANT_STATE, KP_WANT_ON_CPU, KP_WANT_SAMPLED, KP_WANT_ERROR,
	KP_WANT_ARG, KP_WANT_ARG0, KP_WANT_SKB, KP_WANT_SYSCALL,
	KP_WANT_EVENT_CPU,	/* CPU of the event, if a packet has events of several CPUs */
	KP_WANT_FIRST,		/* first number of the event, with any name */
	KP_WANTS,
};

/* The value of a field. */
struct kp_ctf_value {
	uint64_t number;	/* sign-extended to 64 bits if it is signed */
	const char *text;	/* NULL: the value is a number */
	size_t len;
};

/* The wanted values of an event. Bit n of there is set if values[n] is valid. */
struct kp_ctf_values {
	uint64_t there;
	struct kp_ctf_value values[KP_WANTS];
};

struct kp_ctf_field {
	const char *name;	/* text that the library owns */
	bt_field_class_type type;
	enum kp_want want;
};

struct kp_ctf_fields {
	struct kp_ctf_field *items;
	size_t count, cap;
};

struct kp_ctf_stream_class {
	bool has_packets, has_cpu, has_clock;
	uint64_t cpu;		/* index of cpu_id in the context of a packet */
	uint64_t freq, offset;	/* clock: cycles per second, cycles to add */
	int64_t offset_s;
	struct kp_ctf_fields context;
};

struct kp_ctf_event_class {
	char *name;
	size_t stream;		/* index of its stream class */
	struct kp_ctf_fields context, fields;
	int meaning;		/* enum meaning of interop/ctf_linux.c or interop/ctf_ours.c */
	uint32_t number;	/* KUtrace event number, where the class alone determines it */
};

struct kp_ctf_env {
	const char *key;
	char *text;		/* also numbers are stored as text */
};

struct kp_ctf_meta {
	char trace_id[40];	/* "": none */
	KP_VECTOR(struct kp_ctf_env) env;
	KP_VECTOR(struct kp_ctf_stream_class) streams;
	KP_VECTOR(struct kp_ctf_event_class) events;
	struct kp_map by_class;	/* address of the library's event class to index in events */
};

/*
 * Reads the classes of @trace, which must outlive @meta. @mip: the version of the graph. Returns 0, or -1 without
 * memory.
 */
int kp_ctf_meta_read(struct kp_ctf_meta *meta, const bt_trace *trace, uint64_t mip);
void kp_ctf_meta_free(struct kp_ctf_meta *meta);

/* Returns the value of @key in the environment, or NULL. */
const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key);

/* Stores the wanted fields of the struct @from, which may be NULL. Texts are valid as long as @from. */
void kp_ctf_read_fields(struct kp_ctf_values *all, const struct kp_ctf_fields *fields, const bt_field *from);

bool kp_ctf_is_number(const struct kp_ctf_field *field);

static inline bool kp_ctf_has(const struct kp_ctf_values *all, enum kp_want want)
{
	return all->there >> want & 1;
}

/* Returns the number of a field, or @otherwise if the field is missing or a text. */
static inline uint64_t kp_ctf_number(const struct kp_ctf_values *all, enum kp_want want,
				     uint64_t otherwise)
{
	return kp_ctf_has(all, want) && !all->values[want].text ? all->values[want].number : otherwise;
}

#endif
