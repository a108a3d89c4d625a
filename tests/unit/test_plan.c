// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the plan of dispatch: all combinations of sessions, filters, masks, counter bits, timed
 * calls and triggers, for each kind of event. The expected plan comes from the tables of
 * record/plan.h, which this file repeats as rows. The first row that fits decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define KU_ENV_STEPS
#include "core/env.h"
#include "record/plan.c"

#define FLAGS 6

/* Makes a session whose properties are the bits of @flags. */
static struct ku_settings settings_of(u32 flags, u32 kind, struct ku_session *session)
{
	return (struct ku_settings){
		.session = session,
		.kinds = flags & 1 ? 1ULL << kind : ~(1ULL << kind),
		.by_task = flags & 2,
		.by_cpu = flags & 4,
		.counted = flags & 8,
		.may_time = flags & 16,
		.shift = flags & 32 ? 7 : 6,
	};
}

static struct ku_session *session(u32 i)
{
	static char sessions[KUTRACE_SESSIONS];

	return (struct ku_session *)&sessions[i];
}

/* ---- the slots ---- */

static void check_slots(const struct ku_settings *all, u32 n, u32 primary, bool plain)
{
	struct ku_plan plan = ku_plan_for(all, n, primary < n ? session(primary) : NULL);
	bool may = n == 1 || (n == 2 && plain);

	if (!may) {
		assert_null(plan.first);
		assert_null(plan.second);
		assert_false(plan.timed);
		return;
	}
	/* A session in the primary slot stays there. */
	assert_ptr_equal(plan.first, &all[n == 2 && primary == 1]);
	assert_ptr_equal(plan.second, n == 2 ? &all[primary != 1] : NULL);
	assert_int_equal(plan.timed, n == 1 && all[0].may_time && !all[0].counted);
}

static void test_slots(void **state)
{
	struct ku_settings all[3];
	u32 a, b, n, primary;

	(void)state;
	for (a = 0; a < 1 << FLAGS; a++)
		for (b = 0; b < 1 << FLAGS; b++) {
			/* No filter, no counter bits, equal shifts. */
			bool plain = !((a | b) & (2 | 4 | 8)) && !((a ^ b) & 32);

			all[0] = settings_of(a, 0, session(0));
			all[1] = settings_of(b, 0, session(1));
			all[2] = settings_of(a, 0, session(2));
			for (n = 0; n <= 3; n++)
				for (primary = 0; primary <= n; primary++)
					check_slots(all, n, primary, plain);
		}
}

/* ---- the paths ---- */

enum { NO, YES, ANY };	/* values of a property in a row */

struct row {
	int event;		/* ANY, or a bit set of the event classes below */
	int two, trigger, in_mask, by_task, by_cpu, counted, timed;
	enum ku_path path;
};

#define NAME	4
#define SWITCH	8
#define WAKEUP	16
#define CALL	32
#define TIMER	64
#define OTHER	128

static int class_of(u32 kind)
{
	switch (kind) {
	case KUTRACE_KIND_NAME:
		return NAME;
	case KUTRACE_KIND_USERPID:
		return SWITCH;
	case KUTRACE_KIND_RUNNABLE:
		return WAKEUP;
	case KUTRACE_KIND_TIMER:
		return TIMER;
	case KUTRACE_KIND_CALL_SYSCALL64:
	case KUTRACE_KIND_CALL_SYSCALL32:
		return CALL;
	default:
		return OTHER;
	}
}

static const struct row rows[] = {
	/*		 two  trig mask task cpu  ctrs timed */
	{ NAME,		 ANY, ANY, ANY, ANY, ANY, ANY, ANY, KU_PATH_FAST },
	{ SWITCH,	 NO,  NO,  ANY, YES, NO,  NO,  ANY, KU_PATH_SWITCH },
	{ WAKEUP,	 NO,  NO,  YES, YES, NO,  NO,  ANY, KU_PATH_SWITCH },
	{ SWITCH,	 NO,  NO,  YES, ANY, NO,  NO,  YES, KU_PATH_SWITCH },
	{ SWITCH,	 NO,  ANY, ANY, ANY, ANY, ANY, YES, KU_PATH_INSPECTED },
	{ SWITCH | WAKEUP | TIMER, NO, ANY, ANY, YES, ANY, ANY, ANY, KU_PATH_INSPECTED },
	{ ANY,		 ANY, ANY, NO,  ANY, ANY, ANY, ANY, KU_PATH_INSPECTED },
	{ CALL,		 NO,  YES, ANY, ANY, ANY, ANY, YES, KU_PATH_TIMED },
	{ ANY,		 ANY, YES, ANY, ANY, ANY, ANY, ANY, KU_PATH_INSPECTED },
	{ ANY,		 NO,  ANY, ANY, ANY, ANY, YES, ANY, KU_PATH_COUNTED },
	{ ANY,		 YES, ANY, ANY, ANY, ANY, ANY, ANY, KU_PATH_DUAL },
	{ ANY,		 NO,  ANY, ANY, ANY, ANY, ANY, ANY, KU_PATH_FAST },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool is(int in_row, bool value)
{
	return in_row == ANY || in_row == value;
}

static void check_path(const struct ku_plan *plan, u32 kind, bool trigger, u32 *used)
{
	const struct ku_settings *first = plan->first, *second = plan->second;
	bool in_mask = first->kinds >> kind & 1 && (!second || second->kinds >> kind & 1);
	u32 i;

	for (i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];

		if ((row->event == ANY || row->event & class_of(kind)) && is(row->two, second) &&
		    is(row->trigger, trigger) && is(row->in_mask, in_mask) &&
		    is(row->by_task, first->by_task) && is(row->by_cpu, first->by_cpu) &&
		    is(row->counted, first->counted) && is(row->timed, plan->timed))
			break;
	}
	assert_in_range(i, 0, ROWS - 1);
	assert_int_equal(ku_plan_path(plan, kind, trigger), rows[i].path);
	used[i]++;
}

static void test_paths(void **state)
{
	struct ku_settings all[2];
	u32 used[ROWS] = { };
	u32 a, b, n, kind, trigger;

	(void)state;
	for (kind = 0; kind < KUTRACE_KINDS; kind++)
		for (a = 0; a < 1 << FLAGS; a++)
			for (b = 0; b < 1 << FLAGS; b++)
				for (n = 1; n <= 2; n++)
					for (trigger = 0; trigger < 2; trigger++) {
						struct ku_plan plan;

						all[0] = settings_of(a, kind, session(0));
						all[1] = settings_of(b, kind, session(1));
						plan = ku_plan_for(all, n, NULL);
						if (plan.first)
							check_path(&plan, kind, trigger, used);
					}
	for (a = 0; a < ROWS; a++)
		assert_true(used[a]);
}

/* ---- the filter's verdict ---- */

static void test_verdict(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 8; i++) {
		bool on_cpu = i & 4, decided = i & 2, task = i & 1;
		static const enum ku_verdict expected[8] = {
			KU_EXCLUDED, KU_EXCLUDED, KU_EXCLUDED, KU_EXCLUDED,
			KU_UNRESOLVED, KU_UNRESOLVED, KU_EXCLUDED, KU_SELECTED,
		};

		assert_int_equal(ku_plan_verdict(on_cpu, decided, task), expected[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
