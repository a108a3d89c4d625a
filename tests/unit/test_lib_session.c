// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests sessions, switches and triggers of the library on the fake module: which session a call
 * applies to, what remains after a handle is closed, and calls that an old module lacks.
 */
#include <pthread.h>

#include "lib_fake.h"

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	fake_with_sessions();
	return 0;
}

static struct kutrace_handle *create(const char *name, uint32_t mb, uint32_t keep)
{
	struct kutrace_session_options options = {.mb = mb, .keep = keep};
	struct kutrace_handle *handle;

	assert_int_equal(kutrace_session_create(name, &options, &handle), 0);
	assert_non_null(handle);
	return handle;
}

static void calls_apply_to_the_session_in_use(void **state)
{
	struct kutrace_handle *one = create("one", 2, 0), *two = create("two", 3, 0);
	struct kutrace_info info;

	(void)state;
	assert_null(kutrace_session_use(one));
	assert_int_equal(kutrace_gowrap("x"), 0);
	assert_int_equal(kutrace_get_info(&info), 0);
	assert_string_equal(info.name, "one");
	assert_int_equal(info.nblocks, 32);
	assert_int_equal(info.recording, 1);
	assert_ptr_equal(kutrace_session_use(two), one);
	assert_int_equal(kutrace_do_test(), 0);
	assert_int_equal(kutrace_go("x"), 0);
	assert_int_equal(fake->session[1].info.flags, KUTRACE_RESET_WRAP);
	assert_int_equal(fake->session[2].info.flags, 0);
	kutrace_session_use(NULL);
	assert_int_equal(kutrace_do_test(), 0);
	assert_int_equal(fake->info.recording, 0);
	/* a new recording replaces the user's own recording, in each session */
	kutrace_session_use(two);
	assert_int_equal(kutrace_go("x"), 0);
	kutrace_session_use(one);
	assert_int_equal(kutrace_go("x"), 0);
	/* a session is no longer used after its handle is closed */
	kutrace_session_close(one);
	assert_int_equal(kutrace_get_info(&info), 0);
	assert_string_equal(info.name, "main");
	kutrace_session_close(two);
	fake_assert_no_leak();
}

static void *other_thread(void *arg)
{
	struct kutrace_info *info = arg;

	assert_int_equal(kutrace_get_info(info), 0);
	return NULL;
}

static void each_thread_has_its_own(void **state)
{
	struct kutrace_handle *one = create("one", 0, 0);
	struct kutrace_info info, others;
	pthread_t thread;

	(void)state;
	kutrace_session_use(one);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &others), 0);
	pthread_join(thread, NULL);
	assert_int_equal(kutrace_get_info(&info), 0);
	assert_string_equal(info.name, "one");
	assert_string_equal(others.name, "main");
	kutrace_session_close(one);
}

static void closing_a_handle_destroys_a_temporary_session(void **state)
{
	struct kutrace_handle *handle = create("temp", 0, 0);

	(void)state;
	assert_true(fake->session[1].used);
	kutrace_session_close(handle);
	assert_false(fake->session[1].used);
	kutrace_session_close(create("kept", 0, 1));
	assert_true(fake->session[1].used);
	assert_int_equal(kutrace_session_open("kept", &handle), 0);
	assert_string_equal(kutrace_session_name(handle), "kept");
	kutrace_session_close(handle);
	assert_true(fake->session[1].used);
	assert_int_equal(kutrace_session_destroy("kept"), 0);
	assert_false(fake->session[1].used);
	handle = create("later", 0, 0);
	assert_int_equal(kutrace_session_keep(handle), 0);
	kutrace_session_close(handle);
	assert_true(fake->session[1].used);
	fake_assert_no_leak();
}

static void a_bound_recording_ends_with_its_program(void **state)
{
	struct kutrace_handle *handle, *other;

	(void)state;
	assert_int_equal(kutrace_session_open(NULL, &handle), 0);
	assert_int_equal(kutrace_session_attend(handle, 1), 0);
	assert_int_equal(kutrace_session_open(NULL, &other), 0);
	assert_int_equal(kutrace_session_attend(other, 1), -EBUSY);
	kutrace_session_close(other);
	assert_int_equal(kutrace_go("x"), 0);
	assert_int_equal(fake->info.recording, 1);
	kutrace_session_close(handle);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(kutrace_session_open("main", &handle), 0);
	assert_int_equal(kutrace_session_attend(handle, 1), 0);
	assert_int_equal(kutrace_go("x"), 0);
	assert_int_equal(kutrace_session_attend(handle, 0), 0);
	kutrace_session_close(handle);
	assert_int_equal(fake->info.recording, 1);
	fake_assert_no_leak();
}

static void a_destroyed_session_is_not_confused_with_a_new_one(void **state)
{
	struct kutrace_handle *one = create("one", 0, 1), *again;
	struct kutrace_info info;

	(void)state;
	kutrace_session_use(one);
	assert_int_equal(kutrace_session_destroy("one"), 0);
	assert_int_equal(kutrace_get_info(&info), -ESRCH);
	assert_int_equal(kutrace_go("x"), -ESRCH);
	assert_int_equal(kutrace_mask(0, 0, NULL), -ESRCH);
	again = create("one", 0, 1);
	assert_int_equal(kutrace_get_info(&info), -ESRCH);
	kutrace_session_close(one);
	kutrace_session_close(again);
	fake_assert_no_leak();
}

/*
 * Checks that a user who may not use the main session records in a separate session, through the
 * same calls. A call that changes or reads a recording makes the session. A query does not.
 */
static void a_user_without_the_main_session_gets_another_one(void **state)
{
	struct kutrace_handle *handle;
	struct kutrace_info info;
	char own[32];

	(void)state;
	snprintf(own, sizeof(own), "uid-%u", (unsigned int)geteuid());
	fake->main_is_others = true;
	assert_int_equal(kutrace_get_info(&info), 0);
	assert_string_equal(info.name, "main");
	assert_false(fake->session[1].used);
	assert_int_equal(kutrace_session_open("main", &handle), -EPERM);
	assert_int_equal(kutrace_go("x"), 0);
	assert_string_equal(fake->session[1].info.name, own);
	assert_int_equal(fake->session[1].info.recording, 1);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(kutrace_get_info(&info), 0);
	assert_string_equal(info.name, own);
	/* the recording of the other user is unchanged */
	fake->info.recording = 1;
	assert_int_equal(kutrace_do_off(), 0);
	assert_int_equal(fake->session[1].info.recording, 0);
	assert_int_equal(fake->info.recording, 1);
	/* the session exists already and is not made again */
	assert_int_equal(kutrace_session_open(NULL, &handle), 0);
	assert_string_equal(kutrace_session_name(handle), own);
	kutrace_session_close(handle);
	assert_true(fake->session[1].used);
	assert_false(fake->session[2].used);
	assert_int_equal(kutrace_session_destroy(own), 0);
	assert_int_equal(kutrace_mask(0, KUTRACE_KINDS_ALL, NULL), 0);
	assert_true(fake->session[1].used);
	fake_assert_no_leak();
}

static void names_are_checked_and_errors_distinguished(void **state)
{
	struct kutrace_handle *handle, *others[FAKE_SESSIONS];
	struct kutrace_session_options big = {.mb = 5000};
	int i;

	(void)state;
	assert_int_equal(kutrace_session_create("a b", NULL, &handle), -EINVAL);
	assert_null(handle);
	assert_int_equal(kutrace_session_create("../x", NULL, &handle), -EINVAL);
	assert_int_equal(kutrace_session_create("0123456789012345678901234567890x", NULL,
						&handle), -EINVAL);
	assert_int_equal(kutrace_session_create("main", NULL, &handle), -EEXIST);
	assert_int_equal(kutrace_session_create("big", &big, &handle), -ENOMEM);
	assert_int_equal(kutrace_session_open("nobody", &handle), -ESRCH);
	assert_int_equal(kutrace_session_destroy("nobody"), -ESRCH);
	assert_int_equal(kutrace_session_destroy("main"), -EPERM);
	assert_int_equal(kutrace_session_destroy(""), -EINVAL);
	for (i = 1; i < FAKE_SESSIONS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%d", i);
		others[i] = create(name, 0, 0);
	}
	assert_int_equal(kutrace_session_create("more", NULL, &handle), -ENOSPC);
	for (i = 1; i < FAKE_SESSIONS; i++)
		kutrace_session_close(others[i]);
	fake->sessions = false;		/* an older module */
	assert_int_equal(kutrace_session_open(NULL, &handle), -EPROTO);
	assert_int_equal(kutrace_mask(0, 0, NULL), -EPROTO);
	fake_assert_no_leak();
}

static void sessions_are_listed_by_number(void **state)
{
	struct kutrace_handle *a = create("a", 0, 0), *b = create("b", 0, 1);
	struct kutrace_session s;

	(void)state;
	assert_int_equal(kutrace_session_next(0, &s), 0);
	assert_string_equal(s.name, "main");
	assert_int_equal(kutrace_session_next(s.id + 1, &s), 0);
	assert_string_equal(s.name, "a");
	assert_int_equal(kutrace_session_next(s.id + 1, &s), 0);
	assert_string_equal(s.name, "b");
	assert_int_equal(s.flags, KUTRACE_SESSION_KEEP);
	assert_int_equal(kutrace_session_next(s.id + 1, &s), -ESRCH);
	kutrace_session_close(a);
	kutrace_session_close(b);
}

static void masks_and_filters_go_to_their_session(void **state)
{
	struct kutrace_handle *one = create("one", 0, 0);
	struct kutrace_filter filter = {.npids = 1, .pids = {77}};
	uint64_t kinds;

	(void)state;
	kutrace_session_use(one);
	assert_int_equal(kutrace_mask(0, 1ULL << KUTRACE_KIND_CALL_BH, &kinds), 0);
	assert_int_equal(kinds, KUTRACE_KINDS_ALL & ~(1ULL << KUTRACE_KIND_CALL_BH));
	assert_int_equal(kutrace_filter(&filter), 0);
	assert_int_equal(fake->session[1].filter.pids[0], 77);
	kutrace_session_use(NULL);
	assert_int_equal(kutrace_mask(0, 0, &kinds), 0);
	assert_int_equal(kinds, KUTRACE_KINDS_ALL);
	assert_int_equal(fake->info.filtered, 0);
	kutrace_session_use(one);
	assert_int_equal(kutrace_filter(NULL), 0);
	assert_int_equal(fake->session[1].info.filtered, 0);
	kutrace_session_close(one);
}

static void waiting_for_a_trigger(void **state)
{
	struct kutrace_trigger trigger = {.kind = KUTRACE_TRIGGER_SYSCALL, .over_ns = 5000000,
					  .number = ~0U};
	struct kutrace_fired fired = {0};
	int i;

	(void)state;
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_WRAP), 0);
	for (i = 0; i < KUTRACE_TRIGGERS; i++)
		assert_int_equal(kutrace_trigger(&trigger), 0);
	assert_int_equal(kutrace_trigger(&trigger), -ENOSPC);
	assert_int_equal(fake->session[0].trigger[0].over_ns, 5000000);
	assert_int_equal(kutrace_do_on(), 0);
	assert_int_equal(kutrace_wait(50, &fired), 0);
	assert_int_equal(fired.fired, 0);
	fake->fire_after = 3;
	assert_int_equal(kutrace_wait(-1, &fired), 1);
	assert_int_equal(fired.fired, 1);
	assert_int_equal(fired.pid, 1234);
	assert_int_equal(fake->info.recording, 0);
	/* no more firings can follow, because the recording has ended */
	assert_int_equal(kutrace_wait(-1, &fired), -ESTALE);
	/* an earlier firing is still reported */
	fired.fired = 0;
	assert_int_equal(kutrace_wait(0, &fired), 1);
	assert_int_equal(kutrace_trigger(NULL), 0);
	assert_int_equal(fake->info.triggers, 0);
	fake_assert_no_leak();
}

/* --- kinds by name ---------------------------------------------------------------- */

static uint64_t value_of(const char *list, uint64_t *mask)
{
	uint64_t value;

	assert_int_equal(kutrace_kinds_parse(list, &value, mask, NULL, NULL), 0);
	return value;
}

static void kinds_have_names(void **state)
{
	uint64_t all = 0, of, value, mask, point = 1ULL << KUTRACE_KIND_MARKA;
	unsigned int i, j;
	const char *bad;
	size_t length;
	char name[32];

	(void)state;
	/* each kind is in one category, and a category's name gives its kinds */
	for (i = 0; (of = kutrace_category(i, name, sizeof(name), NULL)); i++) {
		assert_int_equal(all & of, 0);
		all |= of;
		assert_int_equal(value_of(name, &mask), of);
	}
	assert_int_equal(i, KUTRACE_CATS);
	assert_int_equal(all, KUTRACE_KINDS_ALL);
	for (i = 0; i < KUTRACE_KINDS; i++) {
		for (j = 0; j < i; j++)
			assert_string_not_equal(kutrace_kind_name(i), kutrace_kind_name(j));
		value = value_of(kutrace_kind_name(i), &mask);
		assert_int_equal(mask, KUTRACE_KINDS_ALL);
		/* The name selects the kind, or its whole category if that has the same name. */
		assert_true(value == kutrace_kind_bits(i) ||
			    value == kutrace_category(kutrace_kind_category(i), NULL, 0, NULL));
		assert_true(value >> i & 1);
	}
	assert_null(kutrace_kind_name(KUTRACE_KINDS));
	assert_int_equal(value_of("all", &mask), KUTRACE_KINDS_ALL);
	assert_int_equal(value_of("none", &mask), 0);
	assert_int_equal(mask, KUTRACE_KINDS_ALL);
	assert_int_equal(value_of("+mark_a", &mask), point);
	assert_int_equal(mask, point);
	assert_int_equal(value_of("-mark_a,softirq", &mask), 0);
	assert_int_equal(mask, point | 1ULL << KUTRACE_KIND_CALL_BH);
	assert_int_equal(kutrace_kinds_parse("irq,wat,x", &value, &mask, &bad, &length), -EINVAL);
	assert_int_equal(length, 3);
	assert_memory_equal(bad, "wat", 3);
	assert_int_equal(kutrace_kinds_parse("", &value, &mask, NULL, NULL), -EINVAL);
	assert_int_equal(kutrace_kinds_parse("irq,", &value, &mask, NULL, NULL), -EINVAL);
	assert_int_equal(kutrace_kinds_parse("+", &value, &mask, NULL, NULL), -EINVAL);
}

static void events_have_kinds(void **state)
{
	(void)state;
	assert_int_equal(kutrace_event_kind(KUTRACE_USERPID), KUTRACE_KIND_USERPID);
	assert_int_equal(kutrace_event_kind(KUTRACE_CALL_SYSCALL64 + 39),
			 KUTRACE_KIND_CALL_SYSCALL64);
	assert_int_equal(kutrace_event_kind(KUTRACE_RET_SYSCALL64 + 39),
			 KUTRACE_KIND_CALL_SYSCALL64);
	assert_int_equal(kutrace_event_kind(KUTRACE_CALL_BH), KUTRACE_KIND_CALL_BH);
	assert_int_equal(kutrace_event_kind(KUTRACE_CALL_SCHED), KUTRACE_KIND_CALL_SCHED);
	assert_int_equal(kutrace_event_kind(KUTRACE_RET_SCHED), KUTRACE_KIND_CALL_SCHED);
	assert_int_equal(kutrace_event_kind(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_RESCHEDULE),
			 KUTRACE_KIND_CALL_IPI);
	assert_int_equal(kutrace_event_kind(KUTRACE_RET_IRQ + KUTRACE_VECTOR_RESCHEDULE),
			 KUTRACE_KIND_CALL_IPI);
	assert_int_equal(kutrace_event_kind(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER),
			 KUTRACE_KIND_CALL_IRQ);
	assert_int_equal(kutrace_event_kind(KUTRACE_NAME_TPOINT | 3 << 4), KUTRACE_KIND_TPOINT);
	assert_int_equal(kutrace_event_kind(KUTRACE_NAME_PID | 3 << 4), KUTRACE_KIND_NAME);
	assert_int_equal(kutrace_event_kind(KUTRACE_PC_OLD), KUTRACE_KIND_PC_OLD);
	assert_int_equal(kutrace_event_kind(0x2FE), -1);
	assert_int_equal(kutrace_event_kind(0x1000), -1);
}

/* --- parsing triggers --------------------------------------------------------------- */

static void parse(const char *spec, uint32_t kind, uint64_t over_ns, uint32_t number,
		  uint32_t number2, uint32_t pid, const char *back)
{
	struct kutrace_trigger t;
	char message[400] = "", text[400];

	if (kutrace_trigger_parse(spec, &t, message, sizeof(message)))
		print_error("%s: %s\n", spec, message);
	assert_string_equal(message, "");
	assert_int_equal(t.kind, kind);
	assert_int_equal(t.over_ns, over_ns);
	assert_int_equal(t.number, number);
	assert_int_equal(t.number2, number2);
	assert_int_equal(t.pid, pid);
	assert_string_equal(kutrace_trigger_text(&t, text, sizeof(text)), back ? back : spec);
}

static void triggers_are_understood(void **state)
{
	const uint32_t any = ~0U;

	(void)state;
	parse("syscall>5ms", KUTRACE_TRIGGER_SYSCALL, 5000000, any, 0, 0, NULL);
	parse("syscall:futex>10ms@42", KUTRACE_TRIGGER_SYSCALL, 10000000, 0x800 + 202, 0, 42,
	      NULL);
	parse("syscall:35>1.5s", KUTRACE_TRIGGER_SYSCALL, 1500000000, 0x800 + 35, 0, 0,
	      "syscall:nanosleep>1.5s");
	parse("softirq:net_rx>1ms", KUTRACE_TRIGGER_SOFTIRQ, 1000000, 3, 0, 0, NULL);
	parse("softirq:rx>1000us", KUTRACE_TRIGGER_SOFTIRQ, 1000000, 3, 0, 0,
	      "softirq:net_rx>1ms");
	parse("irq>100us", KUTRACE_TRIGGER_IRQ, 100000, any, 0, 0, NULL);
	parse("irq:local_timer>7ns", KUTRACE_TRIGGER_IRQ, 7, 236, 0, 0, NULL);
	parse("trap:page_fault>1ms", KUTRACE_TRIGGER_TRAP, 1000000, 14, 0, 0, NULL);
	parse("runq>20ms", KUTRACE_TRIGGER_RUNQ, 20000000, any, 0, 0, NULL);
	parse("mark:abc", KUTRACE_TRIGGER_MARK, 0, 1 + 2 * 40 + 3 * 1600, 0, 0, NULL);
	parse("marks:a..b>3ms", KUTRACE_TRIGGER_MARKS, 3000000, 1, 2, 0, NULL);
	parse("signal:SIGSEGV", KUTRACE_TRIGGER_SIGNAL, 0, 11, 0, 0, NULL);
	parse("signal:segv@7", KUTRACE_TRIGGER_SIGNAL, 0, 11, 0, 7, "signal:SIGSEGV@7");
	parse("signal", KUTRACE_TRIGGER_SIGNAL, 0, any, 0, 0, NULL);
	parse("exit!=0", KUTRACE_TRIGGER_EXIT, 0, any, 0, 0, NULL);
	parse("exit:3@12", KUTRACE_TRIGGER_EXIT, 0, 3 << 8, 0, 12, NULL);
}

/*
 * Checks that triggers accept every softirq of the event table. A new softirq needs no line in
 * trigger.c.
 */
static void a_trigger_accepts_each_softirq_of_the_event_table(void **state)
{
	static const struct {
		uint32_t number;
		const char *label;
	} softirqs[] = {
#define KU_SOFTIRQ(number_, label_) {number_, label_},
#include "kutrace_events.def"
	};
	static const char *const in_proc[] = {
		"hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched",
		"hrtimer", "rcu",
	};
	struct kutrace_trigger t;
	char spec[40], back[40], message[100];
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof(softirqs) / sizeof(softirqs[0]); i++) {
		snprintf(back, sizeof(back), "softirq:%s>1ms", i < 10 ? in_proc[i] : softirqs[i].label);
		parse(back, KUTRACE_TRIGGER_SOFTIRQ, 1000000, softirqs[i].number, 0, 0, NULL);
		snprintf(spec, sizeof(spec), "softirq:%s>1ms", softirqs[i].label);
		parse(spec, KUTRACE_TRIGGER_SOFTIRQ, 1000000, softirqs[i].number, 0, 0, back);
		snprintf(spec, sizeof(spec), "softirq:%u>1ms", softirqs[i].number);
		parse(spec, KUTRACE_TRIGGER_SOFTIRQ, 1000000, softirqs[i].number, 0, 0, back);
	}
	snprintf(spec, sizeof(spec), "softirq:%u>1ms", i);
	assert_int_equal(kutrace_trigger_parse(spec, &t, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, ": no such name: needs softirq[:NAME]>TIME"));
}

static void an_invalid_trigger_gives_a_reason(void **state)
{
	static const struct {
		const char *spec, *says;
	} wrong[] = {
		{"syscal>5ms", "syscal>5ms: no such kind of trigger: needs syscall[:NAME]>TIME, "},
		{"", ": no such kind of trigger: needs "},
		{"syscall", "syscall: no time limit (quote the trigger: a shell takes an unquoted > for a redirection): needs syscall[:NAME]>TIME"},
		{"syscall>5", "syscall>5: invalid time (example: 10ms): "},
		{"syscall>0ms", "syscall>0ms: invalid time (example: 10ms): "},
		{"syscall>-5ms", "syscall>-5ms: invalid time (example: 10ms): "},
		{"syscall>5ms ", "syscall>5ms : invalid time (example: 10ms): "},
		{"syscall>0x5ms", "syscall>0x5ms: invalid time (example: 10ms): "},
		{"syscall>infs", "syscall>infs: invalid time (example: 10ms): "},
		{"syscall:nosuch>5ms", "syscall:nosuch>5ms: no such name: needs syscall"},
		{"syscall:512>5ms", "syscall:512>5ms: no such name: "},
		{"softirq:nosuch>5ms", "softirq:nosuch>5ms: no such name: "},
		{"irq:256>5ms", "irq:256>5ms: no such name: "},
		{"runq:x>5ms", "runq:x>5ms: text before >: needs runq>TIME"},
		{"mark:toolong", "mark:toolong: invalid label of a mark: needs mark:TEXT"},
		{"mark:a b", "mark:a b: invalid label of a mark: "},
		{"mark:", "mark:: invalid label of a mark: "},
		{"mark", "mark: incomplete: needs mark:TEXT"},
		{"marks:a>3ms", "marks:a>3ms: incomplete: needs marks:FROM..TO>TIME"},
		{"marks:a..>3ms", "marks:a..>3ms: invalid label of a mark: "},
		{"signal:SIGNOTHING", "signal:SIGNOTHING: no such signal: needs signal[:NAME]"},
		{"exit", "exit: invalid exit status: needs exit!=0, exit:STATUS"},
		{"exit:256", "exit:256: invalid exit status: "},
		{"exit!=1", "exit!=1: invalid exit status: "},
		{"runq>5ms@", "runq>5ms@: invalid PID: needs @PID at its end"},
		{"runq>5ms@0", "runq>5ms@0: invalid PID: "},
		{"runq>5ms@x", "runq>5ms@x: invalid PID: "},
	};
	struct kutrace_trigger t;
	char message[400], longest[300];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(kutrace_trigger_parse(wrong[i].spec, &t, message,
						       sizeof(message)), -EINVAL);
		if (strncmp(message, wrong[i].says, strlen(wrong[i].says)))
			print_error("'%s' does not begin with '%s'\n", message, wrong[i].says);
		assert_int_equal(strncmp(message, wrong[i].says, strlen(wrong[i].says)), 0);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(kutrace_trigger_parse(longest, &t, message, sizeof(message)), -EINVAL);
	assert_int_equal(kutrace_trigger_parse(longest, &t, NULL, 0), -EINVAL);
}

static void the_text_of_a_firing_is_complete(void **state)
{
	struct kutrace_fired fired = {
		.fired = 1, .ns = 12345678, .cpu = 3, .pid = 99, .comm = "bash",
		.trigger = {.kind = KUTRACE_TRIGGER_SYSCALL, .number = ~0U, .over_ns = 5000000},
		.number = KUTRACE_CALL_SYSCALL64 + 35,
	};
	char text[400];

	(void)state;
	assert_string_equal(kutrace_fired_text(&fired, text, sizeof(text)),
			    "syscall>5ms: nanosleep took 12.3457ms, bash.99 on CPU 3");
	fired.trigger = (struct kutrace_trigger){.kind = KUTRACE_TRIGGER_EXIT, .number = ~0U};
	fired.number = 3 << 8;
	assert_string_equal(kutrace_fired_text(&fired, text, sizeof(text)),
			    "exit!=0: exit status 3, bash.99 on CPU 3");
	fired.number = 11;
	assert_string_equal(kutrace_fired_text(&fired, text, sizeof(text)),
			    "exit!=0: ended by signal 11, bash.99 on CPU 3");
	fired.trigger = (struct kutrace_trigger){.kind = KUTRACE_TRIGGER_RUNQ, .over_ns = 1000};
	assert_string_equal(kutrace_fired_text(&fired, text, sizeof(text)),
			    "runq>1us: bash.99 waited 12.3457ms for CPU 3");
	fired.trigger = (struct kutrace_trigger){.kind = KUTRACE_TRIGGER_SIGNAL, .number = 11};
	assert_string_equal(kutrace_fired_text(&fired, text, sizeof(text)),
			    "signal:SIGSEGV: SIGSEGV, bash.99 on CPU 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(calls_apply_to_the_session_in_use, fresh),
		cmocka_unit_test_setup(each_thread_has_its_own, fresh),
		cmocka_unit_test_setup(closing_a_handle_destroys_a_temporary_session, fresh),
		cmocka_unit_test_setup(a_bound_recording_ends_with_its_program, fresh),
		cmocka_unit_test_setup(a_destroyed_session_is_not_confused_with_a_new_one, fresh),
		cmocka_unit_test_setup(a_user_without_the_main_session_gets_another_one, fresh),
		cmocka_unit_test_setup(names_are_checked_and_errors_distinguished, fresh),
		cmocka_unit_test_setup(sessions_are_listed_by_number, fresh),
		cmocka_unit_test_setup(masks_and_filters_go_to_their_session, fresh),
		cmocka_unit_test_setup(waiting_for_a_trigger, fresh),
		cmocka_unit_test(kinds_have_names),
		cmocka_unit_test(events_have_kinds),
		cmocka_unit_test_setup(triggers_are_understood, fresh),
		cmocka_unit_test_setup(a_trigger_accepts_each_softirq_of_the_event_table, fresh),
		cmocka_unit_test_setup(an_invalid_trigger_gives_a_reason, fresh),
		cmocka_unit_test(the_text_of_a_firing_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
