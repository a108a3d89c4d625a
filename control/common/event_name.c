// SPDX-License-Identifier: BSD-3-Clause
/* Labels of events in kutrace_events.def. Must not allocate. */
#include <stddef.h>

#include "common/event_name.h"

/*
 * The tables of kutrace_events.def that have labels. SPAN has one entry for each range of calls,
 * with the range's first number.
 */
enum table { POINT, NAME, TRAP, VECTOR, SOFTIRQ, SPAN };

#define KEY(table, number) ((uint64_t)(table) << 32 | (number))

static const char *label_of(enum table table, uint32_t number)
{
	switch (KEY(table, number)) {
#define KU_POINT(id, code, cat, label, text) case KEY(POINT, code): return label;
#define KU_NAME(id, code, label, text) case KEY(NAME, code): return label;
#define KU_TRAP(number_, label) case KEY(TRAP, number_): return label;
#define KU_VECTOR(id, number_, label) case KEY(VECTOR, number_): return label;
#define KU_SOFTIRQ(number_, label) case KEY(SOFTIRQ, number_): return label;
#define KU_SPAN(id, call, ret, count, cat, label, text) case KEY(SPAN, call): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *ku_point_label(uint32_t event)
{
	return label_of(POINT, event);
}

const char *ku_name_label(uint32_t base)
{
	return label_of(NAME, base);
}

const char *ku_trap_label(uint32_t number)
{
	return label_of(TRAP, number);
}

const char *ku_vector_label(uint32_t number)
{
	return label_of(VECTOR, number);
}

const char *ku_softirq_label(uint32_t number)
{
	return label_of(SOFTIRQ, number);
}

struct ku_call_name ku_call_name(uint32_t event)
{
	uint32_t code = event & 0xFF;
	/* 64-bit calls from 512 on use the numbers of 32-bit calls */
	uint32_t call = event & 0x1FF;

	if (event == KUTRACE_CALL_SCHED || event == KUTRACE_CALL_SYSOTHER)
		return (struct ku_call_name){ .label = label_of(SPAN, event), .kind = "syscall" };
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
