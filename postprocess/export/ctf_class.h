/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes of CTF events: what each is called, of which fields it is made, and which of them an
 * event of a raw trace belongs to. Only describes; nothing here writes. Names and fields that
 * LTTng's kernel tracer has, too, are spelled as there, for analyses that look for them.
 * Used by export/ctf.c and export/ctf_metadata.c.
 */
#ifndef KP_EXPORT_CTF_CLASS_H
#define KP_EXPORT_CTF_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

#define KP_CTF_FIELDS		9	/* of an event at most */
#define KP_CTF_NAME_MAX		96	/* characters of a class's name */
#define KP_CTF_COMM		16	/* bytes of a process name */

enum kp_ctf_type {
	KP_CTF_END,		/* behind the last field */
	KP_CTF_U8, KP_CTF_U16, KP_CTF_U32, KP_CTF_I32, KP_CTF_I64,
	KP_CTF_NAME16,		/* KP_CTF_COMM bytes of text, padded with NULs */
	KP_CTF_STRING,		/* text and a NUL */
};

struct kp_ctf_field {
	enum kp_ctf_type type;
	const char *name;
};

enum kp_ctf_layout {
	KP_CTF_SWITCH,		/* sched_switch */
	KP_CTF_WAKING,		/* sched_waking */
	KP_CTF_EXIT,		/* sched_process_exit, sched_process_free */
	KP_CTF_FORK,		/* sched_process_fork */
	KP_CTF_STATE,		/* lttng_statedump_process_state */
	KP_CTF_RENAME,		/* task_rename */
	KP_CTF_RUNS,		/* who was running when a block was begun */
	KP_CTF_CALL,		/* arg0: system calls, the scheduler */
	KP_CTF_RETURN,		/* ret */
	KP_CTF_TRAP_CALL, KP_CTF_TRAP_RETURN,
	KP_CTF_VECTOR,		/* x86_irq_vectors_ of both kinds */
	KP_CTF_IRQ_CALL, KP_CTF_IRQ_RETURN,
	KP_CTF_SOFTIRQ,		/* of both kinds */
	KP_CTF_CPU_IDLE,
	KP_CTF_FREQUENCY,
	KP_CTF_POINT,		/* all others: argument, and what rawtoevent calls it */
	KP_CTF_LAYOUTS,
};

/* Its fields, up to one of type KP_CTF_END. */
const struct kp_ctf_field *kp_ctf_fields(enum kp_ctf_layout layout);

/*
 * Of which layout an event is, and what its class is called, by the event's number and
 * name: to name[KP_CTF_NAME_MAX], made of letters, digits and _ only.
 */
enum kp_ctf_layout kp_ctf_class(const struct kp_event *event, char *name);

#endif
