// SPDX-License-Identifier: BSD-3-Clause
/* Tests the order of libkutrace's commands to the module, and the errors of refused commands. */
#include "lib_fake.h"

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static void expect_commands(const uint64_t *commands, int count)
{
	int i;

	assert_int_equal(fake->commands, count);
	for (i = 0; i < count; i++)
		assert_int_equal(fake->command[i], commands[i]);
	fake->commands = 0;
}

static void go_resets_and_turns_on(void **state)
{
	static const uint64_t order[] = {KUTRACE_CMD_RESET, KUTRACE_CMD_ON};

	(void)state;
	assert_int_equal(kutrace_go("x"), 0);
	assert_int_equal(fake->command_arg[0], 0);
	expect_commands(order, 2);
	assert_int_equal(kutrace_test(), 1);
	assert_int_equal(kutrace_do_test(), 1);
	assert_int_equal(kutrace_do_off(), 0);
	fake->commands = 0;
	assert_int_equal(kutrace_gowrap("x"), 0);
	assert_int_equal(fake->command_arg[0], KUTRACE_RESET_WRAP);
	expect_commands(order, 2);
	fake_assert_no_leak();
}

static void reset_requests_the_counters(void **state)
{
	static const uint64_t order[] = {KUTRACE_CMD_RESET, KUTRACE_CMD_ON};

	(void)state;
	assert_int_equal(kutrace_goipc("x"), 0);
	assert_int_equal(fake->command_arg[0], KUTRACE_RESET_IPC);
	expect_commands(order, 2);
	assert_int_equal(kutrace_do_off(), 0);
	fake->commands = 0;
	assert_int_equal(kutrace_goipcwrap("x"), 0);
	assert_int_equal(fake->command_arg[0], KUTRACE_RESET_IPC | KUTRACE_RESET_WRAP);
	assert_int_equal(kutrace_do_off(), 0);
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_LLC), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_LLC);
	fake->commands = 0;
	assert_int_equal(kutrace_do_reset(64), -EINVAL);
	assert_int_equal(fake->commands, 0);
	fake_assert_no_leak();
}

/* Checks that shares of the CPUs need wrap mode, and that an older module does not have them. */
static void shares_are_for_wrap_mode(void **state)
{
	(void)state;
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_WRAP | KUTRACE_GO_PERCPU), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU);
	fake->commands = 0;
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_PERCPU), -EINVAL);
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_PERCPU | KUTRACE_GO_IPC), -EINVAL);
	assert_int_equal(fake->commands, 0);
	fake->refuse = 1 << KUTRACE_CMD_RESET;
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_WRAP | KUTRACE_GO_PERCPU), -EPROTO);
	fake_assert_no_leak();
}

/* Checks that nothing is recorded if the counters are missing, or missing on some CPU. */
static void missing_counters_refuse_a_recording(void **state)
{
	(void)state;
	fake->refuse = 1 << KUTRACE_CMD_RESET;
	assert_int_equal(kutrace_goipc("x"), -EOPNOTSUPP);
	assert_int_equal(kutrace_goipcwrap("x"), -EOPNOTSUPP);
	assert_int_equal(kutrace_do_reset(KUTRACE_GO_LLC), -EOPNOTSUPP);
	assert_int_equal(kutrace_go("x"), -EINVAL);
	fake->refuse = 1 << KUTRACE_CMD_ON;
	assert_int_equal(kutrace_goipc("x"), -EOPNOTSUPP);
	assert_int_equal(kutrace_go("x"), -ENOSYS);
	assert_int_equal(fake->info.recording, 0);
	fake_assert_no_leak();
}

static void own_recording_is_replaced_others_are_not(void **state)
{
	static const uint64_t again[] = {
		KUTRACE_CMD_OFF, KUTRACE_CMD_RESET, KUTRACE_CMD_ON
	};

	(void)state;
	assert_int_equal(kutrace_go("x"), 0);
	fake->commands = 0;
	assert_int_equal(kutrace_go("x"), 0);
	expect_commands(again, 3);
	/* another user stops the recording and starts a new one */
	fake->info.start.counts += 1000;
	assert_int_equal(kutrace_go("x"), -EBUSY);
	assert_int_equal(kutrace_gowrap("x"), -EBUSY);
	assert_int_equal(kutrace_do_reset(0), -EBUSY);
	assert_int_equal(kutrace_do_flush(), -EBUSY);
	assert_int_equal(kutrace_dump("unused.trace", NULL, NULL), -EBUSY);
	assert_int_equal(fake->info.recording, 1);
	/* the stop command still works */
	assert_int_equal(kutrace_do_off(), 0);
	assert_int_equal(fake->info.recording, 0);
	fake_assert_no_leak();
}

static void device_errors_are_distinguished(void **state)
{
	static const struct {
		int from, to;
	} errors[] = {
		{ENOENT, ENODEV}, {ENXIO, ENODEV}, {ENODEV, ENODEV}, {ENOTDIR, ENODEV},
		{EACCES, EPERM}, {EPERM, EPERM}, {EMFILE, EMFILE},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake->open_error = errors[i].from;
		assert_int_equal(kutrace_go("x"), -errors[i].to);
		assert_int_equal(kutrace_do_off(), -errors[i].to);
		assert_int_equal(kutrace_do_init("x"), -errors[i].to);
		assert_int_equal(kutrace_do_stat(), -errors[i].to);
		assert_int_equal(kutrace_do_test(), -errors[i].to);
		assert_int_equal(kutrace_stop("unused.trace"), -errors[i].to);
		assert_int_equal(kutrace_dump("unused.trace", NULL, NULL), -errors[i].to);
		assert_int_equal(kutrace_addname(KUTRACE_NAME_LOCKNAME, 1, "x"),
				 -errors[i].to);
	}
	assert_int_equal(kutrace_test(), 0);
	assert_int_equal(kutrace_test_module(), 0);
	assert_true(kutrace_version_module() == ~0ULL);
	assert_true(kutrace_do_control(KUTRACE_CMD_STAT, 0) == ~0ULL);
	fake->open_error = 0;
	fake->ioctl_error = ENOTTY;
	assert_int_equal(kutrace_go("x"), -EPROTO);
	fake->ioctl_error = EPERM;
	assert_int_equal(kutrace_go("x"), -EPERM);
	fake_assert_no_leak();
}

static void a_capability_permits_read_only_access(void **state)
{
	(void)state;
	fake->open_write_error = EACCES;
	assert_int_equal(kutrace_go("x"), 0);
	fake_assert_no_leak();
}

static void a_module_of_another_version_gets_no_command(void **state)
{
	(void)state;
	fake->info.abi_version++;
	assert_int_equal(kutrace_go("x"), -EPROTO);
	assert_int_equal(fake->commands, 0);
	assert_int_equal(kutrace_test_module(), 0);
	fake->info.abi_version--;
	assert_int_equal(kutrace_test_module(), 1);
	fake->info.length -= 8;
	assert_int_equal(kutrace_test_module(), 0);
	fake_assert_no_leak();
}

static void a_module_without_hooks_means_the_kernel_is_not_supported(void **state)
{
	(void)state;
	fake->info.backend = KUTRACE_BACKEND_NONE;
	assert_int_equal(kutrace_go("x"), -ENOSYS);
	fake->refuse = 1 << KUTRACE_CMD_ON;
	assert_int_equal(kutrace_do_on(), -ENOSYS);
	fake->info.backend = KUTRACE_BACKEND_TRACEPOINTS;
	assert_int_equal(kutrace_do_on(), -ENOSYS);
	assert_int_equal(kutrace_go("x"), -ENOSYS);
	fake_assert_no_leak();
}

static void stat_prints_bytes(void **state)
{
	(void)state;
	fake->info.used_blocks = 3;
	assert_int_equal(kutrace_do_stat(), 3 * 65536);
	assert_int_equal(kutrace_version_module(), KUTRACE_MODULE_VERSION);
}

static void names_are_inserted_as_entries(void **state)
{
	static const struct kutrace_num_name pairs[] = {
		{7, "first"}, {0x12345678, "a lock with a name"}, {0, NULL}
	};
	char longest[100];

	(void)state;
	/* recording is off: the complement of the command's number is sent */
	assert_int_equal(kutrace_emit_names(pairs, KUTRACE_NAME_LOCKNAME), 2);
	assert_int_equal(fake->commands, 2);
	assert_true(fake->command[0] == ~(uint64_t)KUTRACE_CMD_INSERTN);
	assert_int_equal(fake->inserted[0], 0x00000047ULL << 32 | 0x12345678);
	assert_memory_equal(fake->inserted + 1, "a lock with a name\0\0\0\0\0\0", 24);
	assert_int_equal(kutrace_go("x"), 0);
	fake->commands = 0;
	memset(longest, 'y', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(kutrace_addname(KUTRACE_NAME_QUEUENAME, 1, longest), 0);
	assert_int_equal(fake->command[0], KUTRACE_CMD_INSERTN);
	assert_int_equal(fake->inserted[0], 0x00000185ULL << 32 | 1);
	assert_memory_equal(fake->inserted + 1, longest, 56);
	assert_int_equal(kutrace_addname(0x123, 1, "x"), -EINVAL);
	assert_int_equal(kutrace_addname(0x800, 1, "x"), -EINVAL);
	assert_int_equal(kutrace_emit_names(NULL, KUTRACE_NAME_LOCKNAME), -EINVAL);
	fake_assert_no_leak();
}

static void without_a_recording_a_dump_is_refused(void **state)
{
	(void)state;
	assert_int_equal(kutrace_dump("unused.trace", NULL, NULL), -ENODATA);
	fake->refuse = 1 << KUTRACE_CMD_FLUSH;
	assert_int_equal(kutrace_do_flush(), -ENODATA);
	assert_int_equal(access("unused.trace", F_OK), -1);
}

static void stop_does_not_write_the_recording_before_a_refused_go(void **state)
{
	static int (*const go[])(const char *) = {kutrace_goipc, kutrace_goipcwrap};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		fake_reset();
		assert_int_equal(kutrace_go("old"), 0);
		assert_int_equal(kutrace_do_off(), 0);
		fake->refuse = 1 << KUTRACE_CMD_RESET;
		assert_int_equal(go[i]("new"), -EOPNOTSUPP);
		assert_int_equal(kutrace_stop("/dev/null"), -ENODATA);
		assert_int_equal(kutrace_do_dump("/dev/null"), 0);
		/* meanwhile another user has begun and ended a recording */
		fake->info.start.counts += 1000;
		fake->info.stop.counts += 1000;
		assert_int_equal(kutrace_stop("/dev/null"), 0);
		fake->info.start.counts -= 1000;
		assert_int_equal(kutrace_stop("/dev/null"), -ENODATA);
		/* the recording continues */
		assert_int_equal(kutrace_do_on(), 0);
		assert_int_equal(kutrace_stop("/dev/null"), 0);
	}
	fake_assert_no_leak();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(go_resets_and_turns_on, fresh),
		cmocka_unit_test_setup(reset_requests_the_counters, fresh),
		cmocka_unit_test_setup(shares_are_for_wrap_mode, fresh),
		cmocka_unit_test_setup(missing_counters_refuse_a_recording, fresh),
		cmocka_unit_test_setup(own_recording_is_replaced_others_are_not, fresh),
		cmocka_unit_test_setup(device_errors_are_distinguished, fresh),
		cmocka_unit_test_setup(a_capability_permits_read_only_access, fresh),
		cmocka_unit_test_setup(a_module_of_another_version_gets_no_command, fresh),
		cmocka_unit_test_setup(
			a_module_without_hooks_means_the_kernel_is_not_supported, fresh),
		cmocka_unit_test_setup(stat_prints_bytes, fresh),
		cmocka_unit_test_setup(names_are_inserted_as_entries, fresh),
		cmocka_unit_test_setup(without_a_recording_a_dump_is_refused, fresh),
		cmocka_unit_test_setup(stop_does_not_write_the_recording_before_a_refused_go,
				       fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
