// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests that the two parsers of event text agree: the quick one for usual lines and the careful
 * one for all others. Leading zeros make a line unusual but do not change its meaning.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "eventtext/eventtext.h"

#include "sample.h"

#define ZEROS	"000000000000000000000000000000000000000000000000000000000000"
#define LINE	400

struct seen {
	int status;
	unsigned int events, namedefs, comments;
	struct kp_event event;
	struct kp_namedef def;
	char name[LINE];
	char message[512];
};

static int see_event(void *self, const struct kp_event *event)
{
	struct seen *seen = self;

	seen->events++;
	seen->event = *event;
	memcpy(seen->name, event->name, event->name_len);
	seen->event.name = NULL;
	return 0;
}

static int see_namedef(void *self, const struct kp_namedef *def)
{
	struct seen *seen = self;

	seen->namedefs++;
	seen->def = *def;
	memcpy(seen->name, def->name, def->name_len);
	seen->def.name = NULL;
	return 0;
}

static int see_comment(void *self, const char *text, size_t len)
{
	struct seen *seen = self;

	seen->comments++;
	memcpy(seen->name, text, len);
	return 0;
}

static void see(const char *line, struct seen *seen)
{
	const struct kp_event_sink sink = {
		.event = see_event, .namedef = see_namedef, .comment = see_comment,
		.self = seen,
	};
	struct kp_event_reader reader;
	FILE *in = fmemopen((void *)(uintptr_t)line, strlen(line), "r");

	memset(seen, 0, sizeof(*seen));
	assert_non_null(in);
	seen->status = kp_event_text_read(&reader, in, "test", &sink);
	strcpy(seen->message, reader.message);
	fclose(in);
}

/* Reads the line with both parsers. Returns true if it was an event. */
static bool both_ways(const char *line)
{
	static struct seen quick, careful;
	char slow[LINE + sizeof(ZEROS)];
	size_t blanks = strspn(line, " ");

	see(line, &quick);
	/* leading zeros before the first number send a line to the careful parser */
	if (line[blanks] < '0' || line[blanks] > '9')
		return false;
	snprintf(slow, sizeof(slow), "%.*s" ZEROS "%s", (int)blanks, line, line + blanks);
	see(slow, &careful);
	if (memcmp(&quick, &careful, sizeof(quick)))
		fail_msg("two ways to see %sstatus %d and %d, events %u and %u, \"%s\" and \"%s\"",
			 line, quick.status, careful.status, quick.events, careful.events,
			 quick.message, careful.message);
	return quick.events == 1;
}

static void test_fields_of_a_line(void **state)
{
	struct seen seen;

	(void)state;
	see("1207652033 293 2087 0  51 7  44495 51 3 getpid (827)\n", &seen);
	assert_int_equal(seen.status, 0);
	assert_int_equal(seen.events, 1);
	assert_int_equal(seen.event.ts, 1207652033);
	assert_int_equal(seen.event.dur, 293);
	assert_int_equal(seen.event.event, 2087);
	assert_int_equal(seen.event.cpu, 0);
	assert_int_equal(seen.event.pid, 51);
	assert_int_equal(seen.event.rpc, 7);
	assert_int_equal(seen.event.arg0, 44495);
	assert_int_equal(seen.event.retval, 51);
	assert_int_equal(seen.event.ipc, 3);
	assert_string_equal(seen.name, "getpid");
}

/* Checks that 2^64 + 100 is not read as 100. */
static void test_too_large(void **state)
{
	struct seen seen;

	(void)state;
	see("100 1 2087 0  51 0  18446744073709551716 6 0 name (827)\n", &seen);
	assert_int_equal(seen.status, -1);
	assert_int_equal(seen.events, 0);
	assert_string_equal(seen.message, "test (line 1): ARG0 is too large");
}

/* Tries each field at and beyond its limits. */
static void test_bounds(void **state)
{
	static const char *const values[] = {
		"0", "1", "9", "10", "255", "256", "511", "512", "4095", "4096", "65535",
		"65536", "2147483647", "2147483648", "4294967295", "4294967296",
		"99999999999999999", "400000000000000000", "400000000000000001",
		"999999999999999999", "1000000000000000000", "9223372036854775807",
		"99999999999999999999", "18446744073709551716", "-1", "-0", "-2147483648", "-2147483649", "+1", "1x",
		"x", "", "0x10", "1.5", "\t1",
	};
	unsigned int events = 0;
	size_t field, value;

	(void)state;
	for (field = 0; field < 9; field++) {
		for (value = 0; value < sizeof(values) / sizeof(*values); value++) {
			const char *v[9] = { "100", "1", "2087", "0", "51", "0", "5", "6", "0" };
			char line[LINE];

			v[field] = values[value];
			snprintf(line, sizeof(line), "%s %s %s %s  %s %s  %s %s %s name (827)\n",
				 v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
			events += both_ways(line);
		}
	}
	/* more than 80 of the lines are valid, counted by hand */
	assert_true(events > 80);
}

static void test_shapes(void **state)
{
	static const char *const lines[] = {
		"100 1 2087 0  51 0  5 6 0 name (827)\n",
		"   100   1   2087   0   51   0   5   6   0   name (827)\n",
		"100 1 2087 0  51 0  5 6 0 name\n",
		"100 1 2087 0  51 0  5 6 0 \n",
		"100 1 2087 0  51 0  5 6 0\n",
		"100 1 2087 0  51 0  5 6\n",
		"100 1 2087\n",
		"100\n",
		"100 1 2087 0  51 0  5 6 0 na\\x41me\\x0a (827)\n",
		"100 1 2087 0  51 0  5 6 0 na\\xZZme\\ (827)\n",
		"100 1 2087 0  51 0  5 6 0 (827)\n",
		"100 1 2087 0  51 0  5 6 0  (827)\n",
		"100 1 2087 0  51 0  5 6 0 a name of words (12) (827)\n",
		"100 1 2087 0  51 0  5 6 0 100 1 2 3\n",
		"100 1 40 39 getpid\n",
		"100 1 40 39\n",
		"100 1 2087 0  51 0  5 6 0 cut off",
		"100 1 2087 0  51 0  5 6 0 name (827)\n100 1 2087 0\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		both_ways(lines[i]);
	assert_true(both_ways(lines[0]));
	assert_true(both_ways(lines[1]));
	assert_true(both_ways(lines[2]));
	assert_false(both_ways(lines[5]));
}

/* Changes one byte of a usual line to every other value. */
static void test_changed_bytes(void **state)
{
	static const char usual[] = "1207652033 293 2087 0  51 7  44495 51 3 get\\x41 (827)\n";
	char line[sizeof(usual)];
	unsigned int tried = 0, events = 0;
	size_t at, c;

	(void)state;
	for (at = 0; at < sizeof(usual) - 1; at++) {
		for (c = 1 + at % sample_step(); c < 256; c += sample_step()) {
			memcpy(line, usual, sizeof(usual));
			line[at] = (char)c;
			events += both_ways(line);
			tried++;
		}
	}
	assert_true(events > tried / 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_of_a_line),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_changed_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
