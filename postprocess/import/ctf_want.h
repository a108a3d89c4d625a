/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which fields of a CTF trace somebody wants, by their names. A field that begins with _ is meant
 * without it: LTTng puts one in front of all. Used by import/tsdl.c, which marks them,
 * import/ctf_read.c, which fills them in, and who takes events.
 */
#ifndef KP_IMPORT_CTF_WANT_H
#define KP_IMPORT_CTF_WANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/ctf_type.h"

/* In which struct a field stands. */
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
	KP_WANT_RUNNING,	/* whose thread's id: event contexts have it */
	KP_WANT_COUNTER,	/* rawtoctf's ipc, llc, ipc_llc */
	KP_WANT_EVENT,		/* from here on: of the event itself */
	KP_WANT_PREV_COMM = KP_WANT_EVENT, KP_WANT_PREV_TID, KP_WANT_PREV_STATE, KP_WANT_NEXT_COMM,
	KP_WANT_NEXT_TID,
	KP_WANT_COMM, KP_WANT_NEW_COMM, KP_WANT_TID, KP_WANT_CHILD_COMM, KP_WANT_CHILD_TID,
	KP_WANT_FILENAME, KP_WANT_NAME, KP_WANT_IRQ, KP_WANT_VEC, KP_WANT_VECTOR, KP_WANT_NUMBER,
	KP_WANT_TRAP, KP_WANT_RET, KP_WANT_STATE, KP_WANT_ON_CPU, KP_WANT_SAMPLED, KP_WANT_ERROR,
	KP_WANT_ARG, KP_WANT_ARG0, KP_WANT_SKB, KP_WANT_SYSCALL,
	KP_WANT_EVENT_CPU,	/* the event's CPU, if packets are of several CPUs */
	KP_WANT_FIRST,		/* the event's first number, whatever it is called */
	KP_WANTS,
};

/* What a field held. */
struct kp_ctf_value {
	uint64_t number;	/* signed ones have their sign in all 64 bits */
	const char *text;	/* of texts and arrays of bytes; NULL: it is a number */
	size_t len;
};

/* A packet's and an event's fields, as far as somebody wants them: bit n of there is of values[n]. */
struct kp_ctf_values {
	uint64_t there;
	struct kp_ctf_value values[KP_WANTS];
};

static inline bool kp_ctf_has(const struct kp_ctf_values *all, enum kp_want want)
{
	return all->there >> want & 1;
}

/* The number of a field; otherwise, when it is not there. */
static inline uint64_t kp_ctf_number(const struct kp_ctf_values *all, enum kp_want want,
				     uint64_t otherwise)
{
	return kp_ctf_has(all, want) && !all->values[want].text ? all->values[want].number : otherwise;
}

/* Marks the fields of a struct that are wanted there; may be NULL. */
void kp_ctf_mark(struct kp_ty *type, enum kp_want_where where);
bool kp_ctf_is_number(const struct kp_ty *type);
/* Marks the first field of an event that is a number, in place of what it is. */
void kp_ctf_mark_first(struct kp_ty *fields);

#endif
