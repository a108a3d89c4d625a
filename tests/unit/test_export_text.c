// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests small parts of exports byte by byte: protocol buffers, and the speedscope file of a few
 * spans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/bytes.h"
#include "export/exporters.h"

static void test_proto(void **state)
{
	static const uint8_t want[] = {
		0x0A, 7, 0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i',
	};
	uint8_t bytes[600], *inner, *p = kp_proto_open(bytes, 1, &inner);
	char text[300];
	int i;

	(void)state;
	p = kp_proto_number(p, 1, 150);
	p = kp_proto_text(p, 2, "hi", 2);
	p = kp_proto_close(p, inner);
	assert_int_equal(p - bytes, sizeof(want));
	assert_memory_equal(bytes, want, sizeof(want));

	/* -1 takes ten bytes, a fixed number eight; the tag of a field above 15 takes two */
	p = kp_proto_number(bytes, 1, (uint64_t)-1);
	assert_int_equal(p - bytes, 11);
	assert_int_equal(bytes[10], 1);
	p = kp_proto_fixed64(bytes, 47, 0x0102030405060708ull);
	assert_int_equal(p - bytes, 10);
	assert_int_equal(bytes[0], 0xF9);
	assert_int_equal(bytes[1], 0x02);
	assert_int_equal(bytes[2], 8);

	/* a message moves if its length needs two bytes */
	memset(text, 'x', sizeof(text));
	p = kp_proto_close(kp_proto_text(kp_proto_open(bytes, 1, &inner), 1, text, sizeof(text)), inner);
	assert_int_equal(p - bytes, 1 + 2 + 1 + 2 + 300);
	assert_int_equal(bytes[1], 0xAF);
	assert_int_equal(bytes[2], 0x02);
	assert_int_equal(bytes[3], 0x0A);
	for (i = 6; i < 306; i++)
		assert_int_equal(bytes[i], 'x');
}

static int span(const struct kp_span_sink *sink, int64_t start, int64_t dur, int cpu, int64_t pid,
		int64_t event, const char *name)
{
	const struct kp_span s = {
		.start = start, .dur = dur, .cpu = cpu, .pid = pid, .event = event, .name = name,
		.name_len = strlen(name),
	};

	return sink->span(sink->self, &s);
}

static void test_speedscope(void **state)
{
	struct kp_header_item title = { "title", "\"a \\\"title\\\"\"" };
	struct kp_speedscope *s;
	struct kp_span_sink sink;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	s = kp_speedscope_new(out);
	assert_non_null(s);
	sink = kp_speedscope_sink(s);
	assert_int_equal(sink.header(sink.self, &title, 1), 0);
	span(&sink, 1, 4, 2, 7, 0x827, "getpid");	/* the thread has no name yet */
	span(&sink, 2, 9, -1, 7, 0x302, "wait_cpu");
	span(&sink, 5, 5, 2, 7, 65543, "a\"b.7");
	span(&sink, 8, 5, 2, 7, 65543, "a\"b.7");	/* this span overlaps the previous one */
	span(&sink, 10, 10, 2, 0, 65536, "-idle-");
	span(&sink, 11, 1, 0, 0, 0x5EC, "timer");
	span(&sink, 20, 5, 2, 7, 65543, "a\"b.7");
	assert_int_equal(sink.end(sink.self), 0);
	assert_int_equal(kp_speedscope_overlaps(s), 1);
	kp_speedscope_free(s);
	fclose(out);
	assert_string_equal(text,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"kutrace spantospeedscope\",\"activeProfileIndex\":0,"
		"\"name\":\"a \\\"title\\\"\",\n\"profiles\":[\n"
		"{\"type\":\"evented\",\"name\":\"CPU 0\",\"unit\":\"nanoseconds\","
		"\"startValue\":10,\"endValue\":250,\"events\":[\n"
		"{\"type\":\"O\",\"at\":110,\"frame\":2},\n{\"type\":\"O\",\"at\":110,\"frame\":3},\n"
		"{\"type\":\"C\",\"at\":120,\"frame\":3},\n{\"type\":\"C\",\"at\":120,\"frame\":2}\n]},\n"
		"{\"type\":\"evented\",\"name\":\"CPU 2\",\"unit\":\"nanoseconds\","
		"\"startValue\":10,\"endValue\":250,\"events\":[\n"
		"{\"type\":\"O\",\"at\":10,\"frame\":0},\n{\"type\":\"O\",\"at\":10,\"frame\":1},\n"
		"{\"type\":\"C\",\"at\":50,\"frame\":1},\n{\"type\":\"C\",\"at\":100,\"frame\":0},\n"
		"{\"type\":\"O\",\"at\":200,\"frame\":0},\n{\"type\":\"C\",\"at\":250,\"frame\":0}\n]}],\n"
		"\"shared\":{\"frames\":[\n{\"name\":\"a\\\"b.7\"},\n{\"name\":\"getpid\"},\n"
		"{\"name\":\"-idle-\"},\n{\"name\":\"timer\"}\n]}}\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proto),
		cmocka_unit_test(test_speedscope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
