/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes of CTF events: the name and the fields of each class, and the class of each event of a
 * raw trace. Names and fields that LTTng's kernel tracer also has are spelled as there, for
 * analyses that search for them. Must not write anything.
 */
#ifndef KP_EXPORT_CTF_CLASS_H
#define KP_EXPORT_CTF_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

#define KP_CTF_FIELDS		9	/* most fields of an event */
#define KP_CTF_NAME_MAX		96	/* size of a class name */
#define KP_CTF_COMM		16	/* size of a process name */

enum kp_ctf_type {
	KP_CTF_END,		/* after the last field */
	KP_CTF_U8, KP_CTF_U16, KP_CTF_U32, KP_CTF_I32, KP_CTF_I64,
	KP_CTF_NAME16,		/* KP_CTF_COMM bytes, padded with NULs */
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
	KP_CTF_RUNS,		/* the running task at the start of a block */
	KP_CTF_CALL,		/* arg0: system calls, the scheduler */
	KP_CTF_RETURN,		/* ret */
	KP_CTF_TRAP_CALL, KP_CTF_TRAP_RETURN,
	KP_CTF_VECTOR,		/* x86_irq_vectors_*, entry and exit */
	KP_CTF_IRQ_CALL, KP_CTF_IRQ_RETURN,
	KP_CTF_SOFTIRQ,		/* entry and exit */
	KP_CTF_CPU_IDLE,
	KP_CTF_FREQUENCY,
	KP_CTF_POINT,		/* all others: argument, and the name in rawtoevent */
	KP_CTF_LAYOUTS,
};

/* Returns the fields of a layout; the last one has type KP_CTF_END. */
const struct kp_ctf_field *kp_ctf_fields(enum kp_ctf_layout layout);

/*
 * Returns the layout of an event. Writes the name of its class to @name[KP_CTF_NAME_MAX], in
 * letters, digits and _ only. Both depend on the event's number and name.
 */
enum kp_ctf_layout kp_ctf_class(const struct kp_event *event, char *name);

#endif
