/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events are called, by kutrace_events.def, and which of a trace's own names an event
 * goes by. Must never look a name up itself: each caller has a table of names of its own.
 * Used by the library (events read from the buffer) and the filters (event text).
 */
#ifndef KU_COMMON_EVENT_NAME_H
#define KU_COMMON_EVENT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_events.h"

/* Labels of the table; NULL: it has none for that number. */
const char *ku_point_label(uint32_t event);
const char *ku_name_label(uint32_t base);	/* of a kind of names */
const char *ku_trap_label(uint32_t number);
const char *ku_vector_label(uint32_t number);
const char *ku_softirq_label(uint32_t number);

/* A point event whose argument is six characters in base 40. */
static inline bool ku_event_is_mark_text(uint32_t event)
{
	return event >= KUTRACE_MARKA && event <= KUTRACE_MARKC;
}

/*
 * The kind of names (KUTRACE_NAME_x) by which the argument of a point event is named, 0: it
 * is just a number. Of KUTRACE_NAME_METHOD, the low 16 bits are the number.
 */
static inline uint16_t ku_point_arg_base(uint32_t event)
{
	switch (event) {
	case KUTRACE_USERPID:
	case KUTRACE_RUNNABLE:
	case KUTRACE_TASKEXIT:
		return KUTRACE_NAME_PID;
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
	case KUTRACE_RPCIDMID:
	case KUTRACE_RPCIDRXMSG:
	case KUTRACE_RPCIDTXMSG:
		return KUTRACE_NAME_METHOD;
	case KUTRACE_LOCKNOACQ:
	case KUTRACE_LOCKACQ:
	case KUTRACE_LOCKWAKEUP:
		return KUTRACE_NAME_LOCKNAME;
	case KUTRACE_ENQUEUE:
	case KUTRACE_DEQUEUE:
		return KUTRACE_NAME_QUEUENAME;
	case KUTRACE_RESOURCE:
		return KUTRACE_NAME_RESNAME;
	default:
		return 0;
	}
}

/* How to find the name of a call. */
struct ku_call_name {
	uint16_t base;		/* the kind of its names, 0: it has its label only */
	uint16_t other_base;	/* where it may be, too; 0: nowhere */
	uint32_t number;	/* in base */
	uint32_t other_number;	/* in other_base */
	const char *label;	/* for want of a name; NULL: there is none */
	const char *kind;	/* for want of both: "trap", "irq", "syscall", "syscall32" */
};

/* event is a call's, without KUTRACE_RETURN_BIT. CALL_BH is "BH", by its argument a softirq. */
struct ku_call_name ku_call_name(uint32_t event);

#endif
