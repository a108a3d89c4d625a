// SPDX-License-Identifier: BSD-3-Clause
/* Labels of events in kutrace_events.def. Must not allocate. */
#include <stddef.h>

#include "common/event_name.h"

#define KEY(table, number) ((uint64_t)(table) << 32 | (number))

const char *ku_label(enum ku_label_table table, uint32_t number)
{
	switch (KEY(table, number)) {
#define KU_POINT(id, code, cat, label, text) case KEY(KU_LABEL_POINT, code): return label;
#define KU_NAME(id, code, label, text) case KEY(KU_LABEL_NAME, code): return label;
#define KU_TRAP(number_, label) case KEY(KU_LABEL_TRAP, number_): return label;
#define KU_VECTOR(id, number_, label) case KEY(KU_LABEL_VECTOR, number_): return label;
#define KU_SOFTIRQ(number_, label) case KEY(KU_LABEL_SOFTIRQ, number_): return label;
#define KU_SPAN(id, call, ret, count, cat, label, text) case KEY(KU_LABEL_SPAN, call): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

struct ku_call_name ku_call_name(uint32_t event)
{
	uint32_t code = event & 0xFF;
	/* 64-bit calls from 512 on use the numbers of 32-bit calls */
	uint32_t call = event & 0x1FF;

	if (event == KUTRACE_CALL_SCHED || event == KUTRACE_CALL_SYSOTHER)
		return (struct ku_call_name){
			.label = ku_label(KU_LABEL_SPAN, event), .kind = "syscall",
		};
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
