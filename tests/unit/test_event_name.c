// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests common/event_name.h: labels, kinds of names and names of calls, at the edges of each
 * range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/entry.h"
#include "common/event_name.h"

static void test_labels(void **state)
{
	(void)state;
	assert_string_equal(ku_point_label(KUTRACE_MARKA), "mark_a");
	assert_string_equal(ku_point_label(KUTRACE_PC_OLD), "pc_old");
	assert_null(ku_point_label(KUTRACE_NAME_PID));
	assert_null(ku_point_label(0x2FF));
	assert_string_equal(ku_name_label(KUTRACE_NAME_LOCKNAME), "lock");
	assert_null(ku_name_label(KUTRACE_MARKA));
	assert_string_equal(ku_trap_label(14), "page_fault");
	assert_null(ku_trap_label(99));
	assert_string_equal(ku_vector_label(236), "local_timer");
	assert_string_equal(ku_softirq_label(1), "timer");
	assert_null(ku_softirq_label(10));
}

static void test_points(void **state)
{
	(void)state;
	assert_int_equal(ku_point_arg_base(KUTRACE_RUNNABLE), KUTRACE_NAME_PID);
	assert_int_equal(ku_point_arg_base(KUTRACE_RPCIDREQ), KUTRACE_NAME_METHOD);
	assert_int_equal(ku_point_arg_base(KUTRACE_LOCKACQ), KUTRACE_NAME_LOCKNAME);
	assert_int_equal(ku_point_arg_base(KUTRACE_DEQUEUE), KUTRACE_NAME_QUEUENAME);
	assert_int_equal(ku_point_arg_base(KUTRACE_RESOURCE), KUTRACE_NAME_RESNAME);
	assert_int_equal(ku_point_arg_base(KUTRACE_MARKD), 0);
	assert_true(ku_event_is_mark_text(KUTRACE_MARKC));
	assert_false(ku_event_is_mark_text(KUTRACE_MARKD));
}

static void check_call(uint32_t event, uint32_t base, uint32_t number, const char *label,
		       const char *kind)
{
	struct ku_call_name name = ku_call_name(event);

	assert_int_equal(name.base, base);
	assert_int_equal(name.number, number);
	assert_string_equal(name.kind, kind);
	if (label)
		assert_string_equal(name.label, label);
	else
		assert_null(name.label);
}

static void test_calls(void **state)
{
	struct ku_call_name name = ku_call_name(0xDFD);

	(void)state;
	check_call(0x40E, KUTRACE_NAME_TRAPNAME, 14, "page_fault", "trap");
	check_call(0x4FF, KUTRACE_NAME_TRAPNAME, 255, NULL, "trap");
	check_call(0x500, KUTRACE_NAME_IRQNAME, 0, NULL, "irq");
	check_call(0x5EC, KUTRACE_NAME_IRQNAME, 236, "local_timer", "irq");
	check_call(0x800, KUTRACE_NAME_SYS64NAME, 0, NULL, "syscall");
	check_call(0x9FF, KUTRACE_NAME_SYS64NAME, 511, NULL, "syscall");
	check_call(0xC00, KUTRACE_NAME_SYS32NAME, 0, NULL, "syscall32");
	check_call(KUTRACE_CALL_SYSOTHER, 0, 0, "syscall_other", "syscall");
	check_call(KUTRACE_CALL_SCHED, 0, 0, "-sched-", "syscall");
	assert_int_equal(name.other_base, KUTRACE_NAME_SYS64NAME);
	assert_int_equal(name.other_number, 512 + 0x1FD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
