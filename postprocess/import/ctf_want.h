/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fields of a CTF trace that the import uses, by name. import/tsdl.c marks these fields, and
 * import/ctf_read.c stores only their values. Names are compared without a leading _, which LTTng adds
 * to all fields.
 */
#ifndef KP_IMPORT_CTF_WANT_H
#define KP_IMPORT_CTF_WANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/ctf_type.h"

/* The struct that has the field. */
enum kp_want_where {
	KP_IN_PACKET_HEADER = 1, KP_IN_PACKET_CONTEXT = 2, KP_IN_EVENT_HEADER = 4,
	KP_IN_EVENT_CONTEXT = 8, KP_IN_EVENT = 16,
};

enum kp_want {
	KP_WANT_NOTHING,
	KP_WANT_MAGIC, KP_WANT_UUID, KP_WANT_STREAM, KP_WANT_INSTANCE,
	KP_WANT_BEGIN, KP_WANT_END, KP_WANT_CONTENT, KP_WANT_PACKET, KP_WANT_SEQUENCE,
	KP_WANT_DISCARDED, KP_WANT_CPU,
	KP_WANT_ID,
	KP_WANT_RUNNING,	/* id of the running thread */
	KP_WANT_COUNTER,	/* rawtoctf's ipc, llc, ipc_llc */
	KP_WANT_EVENT,		/* first value of the event's own fields */
	KP_WANT_PREV_COMM = KP_WANT_EVENT, KP_WANT_PREV_TID, KP_WANT_PREV_STATE, KP_WANT_NEXT_COMM,
	KP_WANT_NEXT_TID,
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
	const char *text;	/* text or array of bytes; NULL: the value is a number */
	size_t len;
};

/* The wanted values of a packet and an event. Bit n of there is set if values[n] is valid. */
struct kp_ctf_values {
	uint64_t there;
	struct kp_ctf_value values[KP_WANTS];
};

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

/* Marks the wanted fields of a struct, which may be NULL. */
void kp_ctf_mark(struct kp_ty *type, enum kp_want_where where);
bool kp_ctf_is_number(const struct kp_ty *type);
/* Marks the first field that is a number as KP_WANT_FIRST, instead of by its name. */
void kp_ctf_mark_first(struct kp_ty *fields);

#endif
