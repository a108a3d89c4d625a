// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests that libkutrace parses and prints the same in a locale with a decimal comma. The test
 * makes the locale itself, because a machine may have none: the C library loads it from a file
 * of six values.
 */
#include <locale.h>

#include "lib/trace/recording.h"
#include "lib_fake.h"

static char dir[] = "/tmp/kutrace_locale.XXXXXX";

/* Returns the magic number of LC_NUMERIC, from a file of the C library if it is installed. */
static uint32_t magic(void)
{
	FILE *f = fopen("/usr/lib/locale/C.utf8/LC_NUMERIC", "r");
	uint32_t number = 0;

	if (f) {
		if (fread(&number, sizeof(number), 1, f) != 1)
			number = 0;
		fclose(f);
	}
	return number ? number : 0x20031115 ^ LC_NUMERIC;
}

/* Writes LC_NUMERIC in the format of glibc: magic, count, offsets, values. */
static void make_locale(void)
{
	const struct {
		uint32_t magic, count, at[6], point, separator;
		char text[16];
	} file = {
		.magic = magic(),
		.count = 6,
		/*
		 * offsets of: decimal point, thousands separator, grouping, wide decimal point,
		 * wide separator, charset
		 */
		.at = {40, 42, 44, 32, 36, 47},
		.point = ',',
		.separator = '.',
		.text = ",\0.\0\3\3\0UTF-8",
	};
	char name[100];
	FILE *f;

	snprintf(name, sizeof(name), "%s/comma", dir);
	assert_int_equal(mkdir(name, 0700), 0);
	strcat(name, "/LC_NUMERIC");
	f = fopen(name, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(&file, sizeof(file), 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

static int use_locale(void **state)
{
	char text[20];

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_locale();
	setenv("LOCPATH", dir, 1);
	assert_non_null(setlocale(LC_NUMERIC, "comma"));
	/* the locale is in use */
	snprintf(text, sizeof(text), "%.1f", 2.5);
	assert_string_equal(text, "2,5");
	return 0;
}

static int remove_locale(void **state)
{
	char name[100];

	(void)state;
	setlocale(LC_NUMERIC, "C");
	snprintf(name, sizeof(name), "%s/comma/LC_NUMERIC", dir);
	unlink(name);
	*strrchr(name, '/') = '\0';
	rmdir(name);
	return rmdir(dir);
}

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

static void times_of_triggers_have_a_decimal_point(void **state)
{
	static const struct {
		const char *spec;
		uint64_t ns;
	} times[] = {
		{"syscall>2.5ms", 2500000}, {"runq>0.001s", 1000000}, {"syscall>10ms", 10000000},
		{"syscall>1.234567us", 1235}, {"syscall>12.3456ms", 12345600},
		{"syscall>1.234567891s", 1234567891},
	};
	struct kutrace_trigger trigger;
	char text[100], message[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_int_equal(kutrace_trigger_parse(times[i].spec, &trigger, message,
						       sizeof(message)), 0);
		assert_int_equal(trigger.over_ns, times[i].ns);
	}
	kutrace_trigger_text(&trigger, text, sizeof(text));
	assert_string_equal(text, "syscall>1.23456789s");
	assert_int_equal(kutrace_trigger_parse("syscall>12.3456ms@7", &trigger, message,
					       sizeof(message)), 0);
	kutrace_trigger_text(&trigger, text, sizeof(text));
	assert_string_equal(text, "syscall>12.3456ms@7");
	/* the notation of the locale is also rejected */
	assert_int_equal(kutrace_trigger_parse("syscall>2,5ms", &trigger, message,
					       sizeof(message)), -EINVAL);
	assert_int_equal(kutrace_trigger_parse("syscall>1.000,5ms", &trigger, message,
					       sizeof(message)), -EINVAL);
}

static void the_text_of_a_firing_has_a_decimal_point(void **state)
{
	struct kutrace_fired fired = {
		.fired = 1, .ns = 2500000, .number = KUTRACE_CALL_SYSCALL64 + 39, .comm = "x",
		.trigger = {.kind = KUTRACE_TRIGGER_SYSCALL, .number = UINT32_MAX,
			    .over_ns = 1500000},
	};
	char text[200];

	(void)state;
	kutrace_fired_text(&fired, text, sizeof(text));
	assert_non_null(strstr(text, "syscall>1.5ms: "));
	assert_non_null(strstr(text, " took 2.5ms, "));
}

/* Tests "%g" for a field of a typed tracepoint. */
static void fields_of_tracepoints_have_a_decimal_point(void **state)
{
	struct kutrace_reader reader = {.names.count = 0};
	struct kutrace_seen seen = {.event = KUTRACE_NAME_TPOINT, .arg = 5, .nwords = 1,
				    .reader = &reader};
	double value = 0.25;
	char text[100];

	(void)state;
	memcpy(&seen.words[0], &value, sizeof(value));
	assert_int_equal(ku_names_add_point(&reader.names, 5, "load double share|%g"), 0);
	kutrace_seen_text(&seen, text, sizeof(text));
	ku_names_free(&reader.names);
	assert_string_equal(text, "load share=0.25");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(times_of_triggers_have_a_decimal_point, fresh),
		cmocka_unit_test_setup(the_text_of_a_firing_has_a_decimal_point, fresh),
		cmocka_unit_test_setup(fields_of_tracepoints_have_a_decimal_point, fresh),
	};

	return cmocka_run_group_tests(tests, use_locale, remove_locale);
}
