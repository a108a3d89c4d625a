// SPDX-License-Identifier: BSD-3-Clause
/* Tests labels, file names, error texts and clocks of libkutrace. */
#include <regex.h>

#include "lib/trace/recording.h"
#include "lib_fake.h"

static void labels_pack_as_the_format_says(void **state)
{
	char text[KUTRACE_LABEL_BYTES];
	const char *all = "abcdefghijklmnopqrstuvwxyz0123456789-./";
	int i;

	(void)state;
	assert_int_equal(kutrace_char_to_base40(""), 0);
	assert_int_equal(kutrace_char_to_base40(NULL), 0);
	for (i = 0; all[i]; i++) {
		char one[2] = {all[i], 0};

		assert_int_equal(kutrace_char_to_base40(one), i + 1);
	}
	/* the first character is the lowest digit */
	assert_int_equal(kutrace_char_to_base40("ab"), 1 + 2 * 40);
	/* "getpid" is 433696207 in the reference trace */
	assert_int_equal(kutrace_char_to_base40("getpid"), 433696207);
	assert_int_equal(kutrace_char_to_base40("GetPid"), 433696207);
	assert_int_equal(kutrace_char_to_base40("getpids"), 433696207);
	assert_int_equal(kutrace_char_to_base40("//////"), 4095999999ULL);
	assert_string_equal(kutrace_base40_to_char(433696207, text), "getpid");
	assert_string_equal(kutrace_base40_to_char(4095999999ULL, text), "//////");
	assert_string_equal(kutrace_base40_to_char(~0ULL, text), text);
	assert_true(strlen(text) <= 6);
	assert_string_equal(kutrace_base40_to_char(0, text), "");
	assert_string_equal(kutrace_base40_to_char(kutrace_char_to_base40("a_b c\xc3"), text),
			    "a.b.c.");
}

static void labels_round_trip(void **state)
{
	static const char *const labels[] = {
		"a", "/a", "x-1", "0", "zzzzzz", "9./-a", "/getpi", NULL
	};
	char text[KUTRACE_LABEL_BYTES];
	int i;

	(void)state;
	for (i = 0; labels[i]; i++) {
		assert_true(kutrace_char_to_base40(labels[i]) <= UINT32_MAX);
		assert_string_equal(kutrace_base40_to_char(
			kutrace_char_to_base40(labels[i]), text), labels[i]);
	}
}

static bool matches(const char *text, const char *pattern)
{
	regex_t re;
	bool yes;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	yes = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return yes;
}

static void file_names_look_like_the_guides(void **state)
{
	char name[KUTRACE_FILE_NAME_BYTES], end[40];
	char huge[1000];

	(void)state;
	assert_ptr_equal(kutrace_make_trace_file_name(NULL, name), name);
	assert_true(matches(name, "^kutrace_[0-9]{8}_[0-9]{6}_[A-Za-z0-9._-]+_[0-9]+\\.trace$"));
	snprintf(end, sizeof(end), "_%ld.trace", (long)getpid());
	assert_string_equal(name + strlen(name) - strlen(end), end);
	kutrace_make_trace_file_name("some/where", name);
	assert_true(matches(name, "^some/where_2"));
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	kutrace_make_trace_file_name(huge, name);
	assert_string_equal(name + strlen(name) - strlen(end), end);
}

static void errors_say_what_to_do(void **state)
{
	static const int errors[] = {
		ENODEV, EPERM, EPROTO, ENOSYS, EBUSY, ENODATA, EOPNOTSUPP, EBADMSG, ESTALE,
		ECANCELED, EINVAL, ENOSPC, EDQUOT, EACCES, EROFS, ENOENT, EISDIR, ENOMEM, ETIME
	};
	char text[200], again[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		kutrace_explain(-errors[i], text, sizeof(text));
		/* ":" or "," separates the cause and the remedy */
		assert_non_null(strpbrk(text, ":,"));
		assert_null(strchr(text, '\n'));
		assert_string_equal(text, kutrace_explain(errors[i], again, sizeof(again)));
	}
	assert_string_equal(kutrace_explain(-ENODEV, text, sizeof(text)),
		"module not loaded: run \"sudo modprobe kutrace\" or \"sudo make load\"; if that fails, "
		"\"kutrace_control doctor\" names the cause");
	assert_string_equal(kutrace_explain(-EPERM, text, sizeof(text)),
		"no permission: run as root, or have root put you into group tracing "
		"(usermod -aG), and log in again");
	/*
	 * The module returns the same error for an unknown kind of kutrace_mask() and for "on"
	 * after a refused reset.
	 */
	kutrace_explain(-EINVAL, text, sizeof(text));
	assert_true(matches(text, "argument is unknown.*, or .*must be reset first: .*try kutrace_control reset$"));
	assert_string_equal(kutrace_explain(-EIO, text, sizeof(text)), "Input/output error");
	assert_string_equal(kutrace_explain(-99999, text, sizeof(text)), "unknown error");
	kutrace_explain(-ENODEV, text, 10);
	assert_int_equal(strlen(text), 9);
}

static void clocks_run(void **state)
{
	int64_t a, b, us;

	(void)state;
	fake_reset();
	us = kutrace_get_usec();
	assert_true(us > 1600000000LL * 1000000);
	a = kutrace_readtime();
	kutrace_msleep(20);
	b = kutrace_readtime();
	assert_true(b > a);
	us = kutrace_get_usec() - us;
	assert_true(us >= 20000);
	/* fewer counts than a shifted counter of 100 GHz would give */
	assert_true(b - a < us * 100000 / (1 << 6));
	kutrace_msleep(0);
	kutrace_msleep(-5);
	fake_assert_no_leak();
}

/* Checks names in events, and the name of the task that made a trigger fire. */
static void names_are_shown_as_they_are(void **state)
{
	static const struct {
		const char *name, *shown;
	} names[] = {
		{"se\u00f1or", "se\u00f1or"}, {"\u6f22\u5b57", "\u6f22\u5b57"},
		{"\xc2\x9b" "1m", "?1m"}, {"\x1b[m\xff", "?[m?"}, {"12345678901234\xc3", "12345678901234?"},
	};
	struct kutrace_fired fired = {.fired = 1, .trigger.kind = KUTRACE_TRIGGER_MARK};
	char text[300], expected[100];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct kutrace_reader reader = {.names.count = 0};
		struct kutrace_seen seen = {.pid = 5, .reader = &reader};

		assert_int_equal(ku_names_add(&reader.names, KUTRACE_NAME_PID, 5, names[i].name,
					      strlen(names[i].name)), 0);
		kutrace_seen_process(&seen, text, sizeof(text));
		ku_names_free(&reader.names);
		assert_string_equal(text, names[i].shown);
		strcpy(fired.comm, names[i].name);
		kutrace_fired_text(&fired, text, sizeof(text));
		snprintf(expected, sizeof(expected), ", %s.0 on CPU 0", names[i].shown);
		assert_non_null(strstr(text, expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_pack_as_the_format_says),
		cmocka_unit_test(labels_round_trip),
		cmocka_unit_test(file_names_look_like_the_guides),
		cmocka_unit_test(errors_say_what_to_do),
		cmocka_unit_test(clocks_run),
		cmocka_unit_test(names_are_shown_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
