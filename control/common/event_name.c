// SPDX-License-Identifier: BSD-3-Clause
/* Labels of events in kutrace_events.def. Must not allocate. */
#include <stddef.h>

#include "common/event_name.h"

const char *ku_point_label(uint32_t event)
{
	switch (event) {
#define KU_POINT(id, code, cat, label, text) case (code): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *ku_name_label(uint32_t base)
{
	switch (base) {
#define KU_NAME(id, code, label, text) case (code): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *ku_trap_label(uint32_t number)
{
	switch (number) {
#define KU_TRAP(number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *ku_vector_label(uint32_t number)
{
	switch (number) {
#define KU_VECTOR(id, number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *ku_softirq_label(uint32_t number)
{
	switch (number) {
#define KU_SOFTIRQ(number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

/* Returns the label of a range of calls. @call is the first number of the range. */
static const char *span_label(uint32_t call)
{
	switch (call) {
#define KU_SPAN(id, call_, ret, count, cat, label, text) case (call_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

struct ku_call_name ku_call_name(uint32_t event)
{
	uint32_t code = event & 0xFF;
	/* unnamed numbers of 32-bit calls stand for 64-bit calls from 512 on */
	uint32_t call = event & 0x1FF;

	if (event == KUTRACE_CALL_SCHED || event == KUTRACE_CALL_SYSOTHER)
		return (struct ku_call_name){ .label = span_label(event), .kind = "syscall" };
	if (event >= KUTRACE_CALL_SYSCALL32)
		return (struct ku_call_name){
			.base = KUTRACE_NAME_SYS32NAME, .number = call,
			.other_base = KUTRACE_NAME_SYS64NAME,
			.other_number = call + KUTRACE_COUNT_SYSCALL64, .kind = "syscall32",
		};
	if (event >= KUTRACE_CALL_SYSCALL64)
		return (struct ku_call_name){
			.base = KUTRACE_NAME_SYS64NAME, .number = call, .kind = "syscall",
		};
	if (event >= KUTRACE_CALL_IRQ)
		return (struct ku_call_name){
			.base = KUTRACE_NAME_IRQNAME, .number = code,
			.label = ku_vector_label(code), .kind = "irq",
		};
	return (struct ku_call_name){
		.base = KUTRACE_NAME_TRAPNAME, .number = code, .label = ku_trap_label(code),
		.kind = "trap",
	};
}
