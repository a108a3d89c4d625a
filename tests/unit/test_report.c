// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests byte by byte what common/report.h writes: lines, brackets and arbitrary strings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/report.h"

struct written {
	char *text;
	size_t bytes;
	struct ku_report r;
};

static struct written begin(void)
{
	struct written w = {0};

	return w;
}

static void check(struct written *w, const char *want)
{
	ku_report_end(&w->r);
	assert_int_equal(fclose(w->r.out), 0);
	assert_string_equal(w->text, want);
	free(w->text);
}

#define WRITTEN(w) \
	struct written w = begin(); \
	w.r = ku_report_begin(open_memstream(&w.text, &w.bytes))

static void test_kinds_of_values(void **state)
{
	(void)state;
	WRITTEN(w);
	ku_report_object(&w.r, NULL);
	ku_report_unsigned(&w.r, "most", UINT64_MAX);
	ku_report_signed(&w.r, "least", INT64_MIN);
	ku_report_bool(&w.r, "yes", true);
	ku_report_bool(&w.r, "no", false);
	ku_report_null(&w.r, "none");
	ku_report_seconds(&w.r, "at", 1108612461);
	ku_report_seconds(&w.r, "before", -1);
	ku_report_string(&w.r, "name", "a");
	ku_report_list(&w.r, "empty");
	ku_report_close(&w.r);
	ku_report_close(&w.r);
	check(&w, "{\"most\": 18446744073709551615, \"least\": -9223372036854775808, "
	      "\"yes\": true, \"no\": false, \"none\": null, \"at\": 11.08612461, "
	      "\"before\": -0.00000001, \"name\": \"a\", \"empty\": []}\n");
}

/* Tests items on separate lines, a line break within an item, and one before the bracket. */
static void test_lines(void **state)
{
	int i;

	(void)state;
	WRITTEN(w);
	ku_report_object(&w.r, NULL);
	ku_report_lines(&w.r, "cpus", '[', 2);
	for (i = 0; i < 2; i++) {
		ku_report_object(&w.r, NULL);
		ku_report_signed(&w.r, "cpu", i);
		ku_report_signed(&w.r, "late", 0);
		ku_report_close(&w.r);
	}
	ku_report_close(&w.r);
	ku_report_break(&w.r, 1);
	ku_report_unsigned(&w.r, "lost", 3);
	ku_report_break(&w.r, 0);
	ku_report_close(&w.r);
	check(&w, "{\"cpus\": [\n  {\"cpu\": 0, \"late\": 0},\n  {\"cpu\": 1, \"late\": 0}],\n"
	      " \"lost\": 3\n}\n");
}

static void test_strings(void **state)
{
	(void)state;
	WRITTEN(w);
	ku_report_list(&w.r, NULL);
	ku_report_string(&w.r, NULL, "\"\\\b\t\n\f\r\x1f\x7f");
	ku_report_text(&w.r, NULL, "\0", 1);
	ku_report_string(&w.r, NULL, "\xC3\xA9\xFF\xE2\x82");
	ku_report_close(&w.r);
	check(&w, "[\"\\\"\\\\\\b\\t\\n\\f\\r\\u001f\\u007f\", \"\\u0000\", "
	      "\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"]\n");
}

/*
 * Tests strings, which are written in parts. At the end of each part, a character of 2 to 4 bytes
 * stays complete.
 */
static void test_long_strings(void **state)
{
	static const char *const characters[] = { "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80" };
	char text[400], want[sizeof(text) + 8];
	size_t i, lead, bytes;

	(void)state;
	for (i = 0; i < 3; i++) {
		for (lead = 0; lead < 5; lead++) {
			WRITTEN(w);
			memset(text, 'x', lead);
			bytes = lead;
			while (bytes + 4 < sizeof(text)) {
				memcpy(text + bytes, characters[i], strlen(characters[i]));
				bytes += strlen(characters[i]);
			}
			snprintf(want, sizeof(want), "\"%.*s\"\n", (int)bytes, text);
			ku_report_text(&w.r, NULL, text, bytes);
			check(&w, want);
		}
	}
	WRITTEN(w);
	memset(text, 0x80, 200);
	ku_report_text(&w.r, NULL, text, 200);
	ku_report_end(&w.r);
	fclose(w.r.out);
	assert_int_equal(w.bytes, 200 * 3 + 3);
	free(w.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_values),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_long_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
