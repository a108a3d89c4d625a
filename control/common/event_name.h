/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns the labels of events in kutrace_events.def, and the kind of name that a trace may have
 * for an event. Must not look a name up: each caller has its own table of names.
 */
#ifndef KU_COMMON_EVENT_NAME_H
#define KU_COMMON_EVENT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_events.h"

/*
 * The tables of kutrace_events.def that have labels. SPAN has one entry for each range of calls,
 * with the range's first number.
 */
enum ku_label_table {
	KU_LABEL_POINT, KU_LABEL_NAME, KU_LABEL_TRAP,
	KU_LABEL_VECTOR, KU_LABEL_SOFTIRQ, KU_LABEL_SPAN,
};

/* Returns the label in @table, or NULL if it has none for the event or kind of names. */
const char *ku_label(enum ku_label_table table, uint32_t number);

#define ku_point_label(event)		ku_label(KU_LABEL_POINT, event)
#define ku_name_label(base)		ku_label(KU_LABEL_NAME, base)
#define ku_trap_label(number)		ku_label(KU_LABEL_TRAP, number)
#define ku_vector_label(number)		ku_label(KU_LABEL_VECTOR, number)
#define ku_softirq_label(number)	ku_label(KU_LABEL_SOFTIRQ, number)

/* Returns whether the argument of the point event is a label of six characters in base 40. */
static inline bool ku_event_is_mark_text(uint32_t event)
{
	return event >= KUTRACE_MARKA && event <= KUTRACE_MARKC;
}

/*
 * Returns the kind of names (KUTRACE_NAME_x) to which the argument of a point event belongs, or 0
 * if the argument is only a number. For KUTRACE_NAME_METHOD, the low 16 bits of the argument are
 * the number, and for KUTRACE_NAME_CGROUP the bits of KUTRACE_QUOTA_CGROUP.
 */
static inline uint16_t ku_point_arg_base(uint32_t event)
{
	switch (event) {
	case KUTRACE_USERPID:
	case KUTRACE_RUNNABLE:
	case KUTRACE_TASKEXIT:
	case KUTRACE_TIMER:
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
	case KUTRACE_THROTTLE:
	case KUTRACE_UNTHROTTLE:
	case KUTRACE_THROTTLE_TASK:
		return KUTRACE_NAME_CGROUP;
	case KUTRACE_DISK_QUEUED:
	case KUTRACE_DISK_ISSUED:
	case KUTRACE_DISK_DONE:
	case KUTRACE_DISK_REQUEUED:
	case KUTRACE_DISK_MERGED:
		return KUTRACE_NAME_DISKNAME;
	default:
		return 0;
	}
}

/* The sources of a call's name, in the order of the search: base, other_base, label, kind. */
struct ku_call_name {
	uint16_t base;		/* kind of names that is searched first; 0: only the label */
	uint16_t other_base;	/* kind of names that is searched next; 0: none */
	uint32_t number;	/* number in base */
	uint32_t other_number;	/* number in other_base */
	const char *label;	/* used if no name is found; NULL: no label */
	const char *kind;	/* used last: "trap", "irq", "syscall" or "syscall32" */
};

/*
 * Returns the sources of the name of call @event, which has no KUTRACE_RETURN_BIT. The name of
 * CALL_BH is "BH"; its argument is the number of the softirq.
 */
struct ku_call_name ku_call_name(uint32_t event);

#endif
