// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the description of a whole raw trace: its start, its names and its id. The id is the
 * same whenever and wherever the trace is read.
 */
#include <time.h>

#include "raw_build.h"

#include "rawtrace/raw.h"

static void about(const struct trace *t, struct kp_raw_about *about)
{
	struct kp_raw raw;

	assert_int_equal(kp_raw_open(&raw, as_file(t), "test"), 0);
	kp_raw_about(&raw, about);
	kp_raw_close(&raw);
}

static void named(struct trace *t)
{
	begin(t, 3);
	name(t, 1, 0x104, 0, "host");
	name(t, 2, 0x102, 0, "6.1.0 #1 SMP");
	name(t, 3, 0x103, 0, "a CPU");
	name(t, 4, 0x10F, 0, "arch=x86_64");
	name(t, 5, 0x10F, 0, "boot_id=one");
	name(t, 6, 0x10F, 0, "archer=no");
	entry(t, 10, 0x20D, 1);
}

static void test_facts(void **state)
{
	struct kp_raw_about it;
	struct trace t;
	size_t i;

	(void)state;
	named(&t);
	name(&t, 20, 0x104, 0, "renamed");
	about(&t, &it);
	assert_int_equal(it.start_s, US0 / 60000000 * 60);
	assert_string_equal(it.host, "host");
	assert_string_equal(it.kernel, "6.1.0 #1 SMP");
	assert_string_equal(it.cpu_model, "a CPU");
	assert_string_equal(it.arch, "x86_64");
	assert_string_equal(it.boot_id, "one");
	assert_int_equal(strlen(it.trace_id), KP_TRACE_ID_CHARS);
	for (i = 0; i < 16; i++) {
		char hex[3];

		snprintf(hex, sizeof(hex), "%02x", it.trace_uuid[i]);
		assert_non_null(strstr(it.trace_id, hex));
	}
	assert_int_equal(it.trace_id[14], '8');	/* version of the UUID */
	assert_non_null(strchr("89ab", it.trace_id[19]));	/* variant of the UUID */
	done(&t);

	/* a trace without facts */
	begin(&t, 3);
	entry(&t, 10, 0x20D, 1);
	about(&t, &it);
	assert_string_equal(it.host, "");
	assert_string_equal(it.arch, "");
	assert_int_equal(strlen(it.trace_id), KP_TRACE_ID_CHARS);
	done(&t);
}

static void test_id(void **state)
{
	struct kp_raw_about first, again, other;
	struct trace t;

	(void)state;
	named(&t);
	about(&t, &first);
	setenv("TZ", "NPT-5:45", 1);
	tzset();
	about(&t, &again);
	unsetenv("TZ");
	tzset();
	assert_memory_equal(&first, &again, sizeof(first));

	/* another recording with the same start, as in wrap mode */
	t.words[4]++;
	about(&t, &other);
	assert_string_not_equal(first.trace_id, other.trace_id);
	t.words[4]--;
	/* another host, then another boot */
	memcpy(&t.words[13], "hosf", 4);
	about(&t, &other);
	assert_string_equal(other.host, "hosf");
	assert_string_not_equal(first.trace_id, other.trace_id);
	done(&t);
	named(&t);
	about(&t, &again);
	assert_string_equal(first.trace_id, again.trace_id);
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
