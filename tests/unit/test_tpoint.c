// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests typed tracepoints in a trace: definitions, payloads as text, hostile definitions and
 * payloads, and the path from a raw trace to events and spans.
 */
#include "raw_build.h"

#include <inttypes.h>

#include "common/tpoint_text.h"
#include "eventtext/eventtext.h"
#include "kutrace_point.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"
#include "reconstruct/reconstruct.h"

/* ---- definitions ---- */

static int parse(struct ku_tpoint_def *def, const char *text)
{
	/* the heap block has the exact length, so that a sanitizer detects a read beyond it */
	size_t len = strlen(text);
	char *exact = malloc(len + !len);
	int ret;

	memcpy(exact, text, len);
	ret = ku_tpoint_parse(def, exact, len);
	free(exact);
	return ret;
}

static void definitions_are_read(void **state)
{
	struct ku_tpoint_def def;

	(void)state;
	assert_int_equal(parse(&def, "disk_io u32 dev, u64 sector, str file|dev=%u %lu %s"), 0);
	assert_int_equal(def.name_len, 7);
	assert_int_equal(def.field_count, 3);
	assert_int_equal(def.fields[0].type, KU_TPOINT_U32);
	assert_int_equal(def.fields[2].type, KU_TPOINT_STR);
	assert_memory_equal(def.text + def.fields[1].name, "sector", 6);
	assert_string_equal(def.text + def.format, "dev=%u %lu %s");
	assert_true(def.formatted);
	assert_int_equal(parse(&def, "my.sub:tick-2|"), 0);
	assert_int_equal(def.field_count, 0);
	assert_int_equal(parse(&def, "a s8 a, s8 b, s8 c, s8 d, s8 e, s8 f, s8 g|"), 0);
	assert_int_equal(def.field_count, 7);
	assert_false(def.formatted);
}

static void an_invalid_definition_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "|", " ", "a", "a u8", "a u8 x", "9a|", "a u8|", "a u8 |", "a u9 x|",
		"a  u8 x|", "a u8 x,|", "a u8 x, |", "a u8 x,u8 y|", "a u8 x u8 y|", "a u8  x|",
		"a b|", ".a|", "a u8 x.y|", "a u8 1|", "a\n|", "a ufo x|", "a u x|", "a ,u8 x|",
		"a u8 a, u8 b, u8 c, u8 d, u8 e, u8 f, u8 g, u8 h|",
	};
	struct ku_tpoint_def def;
	char big[600];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!parse(&def, bad[i]))
			fail_msg("\"%s\" was taken", bad[i]);
	memset(big, 'x', sizeof(big));
	assert_int_equal(ku_tpoint_parse(&def, big, sizeof(big)), -1);
	assert_int_equal(ku_tpoint_parse(&def, big, sizeof(def.text)), -1);
}

/* ---- payloads ---- */

static char text[KU_TPOINT_TEXT_MAX];

static const char *show(const char *definition, size_t count, ...)
{
	uint64_t *words = calloc(count + !count, sizeof(*words));
	struct ku_tpoint_def def;
	size_t i, len;
	va_list ap;

	va_start(ap, count);
	for (i = 0; i < count; i++)
		words[i] = va_arg(ap, uint64_t);
	va_end(ap);
	if (parse(&def, definition))
		fail_msg("\"%s\" was not taken", definition);
	len = ku_tpoint_render(&def, words, count, text, sizeof(text));
	assert_int_equal(len, strlen(text));
	free(words);
	return text;
}

/* Packs eight characters into a word. */
static uint64_t chars(const char *from)
{
	uint64_t word = 0;

	memcpy(&word, from, strnlen(from, 8));
	return word;
}

static uint64_t bits(double number)
{
	uint64_t word;

	memcpy(&word, &number, sizeof(word));
	return word;
}

#define MINUS(n) ((uint64_t)-(int64_t)(n))
#define U(n) ((uint64_t)(n))

static void numbers_have_the_width_of_their_field(void **state)
{
	(void)state;
	assert_string_equal(show("a u8 x|%u", 1, U(0x1ff)), "a 255");
	assert_string_equal(show("a s8 x|%d", 1, U(0x1ff)), "a -1");
	assert_string_equal(show("a s16 x|%d", 1, MINUS(3)), "a -3");
	assert_string_equal(show("a s32 x|%x", 1, MINUS(1)), "a ffffffff");
	assert_string_equal(show("a u32 x|%u", 1, MINUS(1)), "a 4294967295");
	assert_string_equal(show("a s64 x|%lld", 1, MINUS(5)), "a -5");
	assert_string_equal(show("a u64 x|%lu", 1, MINUS(1)), "a 18446744073709551615");
	assert_string_equal(show("a u64 x|%hhd", 1, U(1) << 63), "a 9223372036854775808");
	assert_string_equal(show("a s32 x|[%+6d]", 1, U(42)), "a [   +42]");
	assert_string_equal(show("a u32 x|[%-6u|%%]", 1, U(42)), "a [42    |%]");
	assert_string_equal(show("a u32 x|%#08x", 1, U(42)), "a 0x00002a");
	assert_string_equal(show("a u32 x|%o", 1, U(8)), "a 10");
	assert_string_equal(show("a s8 x|<%c>", 1, chars("Q")), "a <Q>");
	assert_string_equal(show("a s8 x|<%c>", 1, U(0)), "a <>");
	assert_string_equal(show("a ptr x|%p", 1, U(0xffff880012345678)), "a 0xffff880012345678");
	assert_string_equal(show("a double x|%.3f", 1, bits(-2.5)), "a -2.500");
	assert_string_equal(show("a double x, double y|%g %e", 2, bits(1e300), bits(0)),
			    "a 1e+300 0.000000e+00");
}

static void texts_end_at_their_length(void **state)
{
	(void)state;
	assert_string_equal(show("a str s|%s", 1, chars("file.c")), "a file.c");
	assert_string_equal(show("a str s|%s", 1, U(0)), "a ");
	assert_string_equal(show("a str s|%s", 2, chars("12345678"), chars("9")), "a 123456789");
	/* a string that fills its words exactly, as the last field and before another field */
	assert_string_equal(show("a str s|%s", 1, chars("12345678")), "a 12345678");
	assert_string_equal(show("a str s, u8 n|%s %u", 3, chars("12345678"), U(0), U(7)),
			    "a 12345678 7");
	assert_string_equal(show("a str s, str t|%s,%s", 3, chars("one"), chars("twotwotw"),
				 chars("o")), "a one,twotwotwo");
	assert_string_equal(show("a str s|[%8s]", 1, chars("abc")), "a [     abc]");
	assert_string_equal(show("a str s|[%-8s]", 1, chars("abc")), "a [abc     ]");
	assert_string_equal(show("a str s|[%.2s]", 1, chars("abc")), "a [ab]");
}

static void without_a_format_fields_name_themselves(void **state)
{
	(void)state;
	assert_string_equal(show("a u8 x, s8 y, x16 z, ptr p, double d, str s|", 6, U(1), MINUS(1),
				 U(255), U(16), bits(0.5), chars("hi")),
			    "a x=1 y=-1 z=0xff p=0x10 d=0.5 s=hi");
	assert_string_equal(show("tick|", 0), "tick");
	assert_string_equal(show("tick|tock", 0), "tick tock");
	assert_string_equal(show("tick|100%%", 0), "tick 100%");
}

/*
 * Checks that none of these formats reaches printf(). The text shows the names and values of the
 * fields instead.
 */
static void hostile_formats_do_nothing(void **state)
{
	static const char *const bad[] = {
		"%n", "%s", "%d%n", "%*d", "%1$d", "%d%d", "", "%", "%d%", "%100d", "%.100d",
		"%99999999999999999999d", "%f", "%lc%", "%m", "%C", "%S", "%d %s", "%\x01", "% ",
		"%-+ #0-+ #0-+ #0-+ #0", "%hhhhhhhhhhhhhhhhhhhhhhhh",
	};
	char definition[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(definition, sizeof(definition), "a s32 x|%s", bad[i]);
		assert_string_equal(show(definition, 1, U(7)), "a x=7");
	}
	assert_string_equal(show("a str s|%d", 1, chars("text")), "a s=text");
	assert_string_equal(show("a double d|%s", 1, bits(1)), "a d=1");
	assert_string_equal(show("a s32 x|%-+ #0-+ #0-+ #0-+ #0d", 1, U(7)), "a +7");
}

static void payloads_of_any_length_are_shown(void **state)
{
	(void)state;
	assert_string_equal(show("a u8 x, str s, u8 y|%u %s %u", 0), "a ? ? ?");
	assert_string_equal(show("a u8 x, str s, u8 y|%u %s %u", 1, U(5)), "a 5 ? ?");
	assert_string_equal(show("a u8 x, str s, u8 y|%u %s %u", 2, U(5), chars("12345678")),
			    "a 5 12345678 ?");
	assert_string_equal(show("a u8 x|%u", 3, U(5), U(6), U(0x4d)), "a 5 0x6 0x4d");
	assert_string_equal(show("a|", 1, U(1)), "a 0x1");
}

static void text_that_is_too_long_is_cut(void **state)
{
	struct ku_tpoint_def def;
	uint64_t word = bits(1e300);
	char small[12], format[200];
	int i;

	(void)state;
	/* seven doubles, 400 characters each */
	strcpy(format, "a double a, double b, double c, double d, double e, double f, double g|");
	for (i = 0; i < 7; i++)
		strcat(format, "%99.99f");
	show(format, 7, word, word, word, word, word, word, word);
	assert_int_equal(strlen(text), sizeof(text) - 1);
	assert_string_equal(text + strlen(text) - 3, "...");
	assert_int_equal(parse(&def, "tick|123456789"), 0);
	assert_int_equal(ku_tpoint_render(&def, NULL, 0, small, sizeof(small)), 11);
	assert_string_equal(small, "tick 123...");
	/* a cut does not divide a character of two bytes */
	assert_int_equal(parse(&def, "tick|12\xc3\xa4\xc3\xa4\xc3\xa4"), 0);
	assert_int_equal(ku_tpoint_render(&def, NULL, 0, small, sizeof(small)), 10);
	assert_string_equal(small, "tick 12...");
}

/* ---- the reader shows what the macro packs ---- */

static void macro_and_reader_agree(void **state)
{
	static const char long_text[] = "0123456789012345678901234567890123456789012345678901234567";
	static const struct {
		const char *first, *second, *shown;
	} pairs[] = {
		{ "", "", "a <> 7 <>" },
		{ "x", "y", "a <x> 7 <y>" },
		{ "1234567", "12345678", "a <1234567> 7 <12345678>" },
		{ "12345678", "123456781234567", "a <12345678> 7 <123456781234567>" },
		{ NULL, long_text, "a <(null)> 7 <0123456789012345678901234567890123456...>" },
		{ long_text, long_text, "a <012345678901234567890123456789012345...> 7 <01234...>" },
		{ "12345678901234567890123456789012345678\xc3\xa4", "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
		  "a <123456789012345678901234567890123456...> 7 <\xe2\x82\xac...>" },
	};
	struct ku_tpoint_def def;
	size_t i;

	(void)state;
	assert_int_equal(parse(&def, "a str s, u8 n, str t|<%s> %u <%s>"), 0);
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct kutrace_point_payload to = { .after = 3 };

		memset(to.word, 0xAA, sizeof(to.word));
		kutrace_point_put_text(&to, pairs[i].first);
		kutrace_point_put_number(&to, 7);
		kutrace_point_put_text(&to, pairs[i].second);
		assert_in_range(to.used, 3, 7);
		assert_int_equal(to.after, 0);
		ku_tpoint_render(&def, to.word, to.used, text, sizeof(text));
		assert_string_equal(text, pairs[i].shown);
	}
	assert_int_equal(parse(&def, "a str s|%s"), 0);
	for (i = 0; i < 56; i++) {
		struct kutrace_point_payload to = { .after = 1 };

		snprintf(text, sizeof(text), "%.*s", (int)i, long_text);
		kutrace_point_put_text(&to, text);
		assert_int_equal(to.used, i ? (i + 7) / 8 : 1);
		ku_tpoint_render(&def, to.word, to.used, text, sizeof(text));
		assert_memory_equal(text, "a ", 2);
		assert_int_equal(strlen(text), i + 2);
		assert_memory_equal(text + 2, long_text, i);
	}
}

/* ---- from a raw trace ---- */

static void define(struct trace *t, uint64_t count, uint32_t id, const char *definition)
{
	uint32_t piece;

	for (piece = 0; *definition || !piece; piece++) {
		char part[KUTRACE_NAME_MAX_BYTES + 1];

		snprintf(part, sizeof(part), "%s", definition);
		name(t, count, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(id, piece), part);
		definition += strlen(part);
	}
}

static void point(struct trace *t, uint64_t count, uint32_t id, unsigned int words, ...)
{
	va_list ap;

	entry(t, count, KUTRACE_NAME_TPOINT | (words + 1) << 4, id);
	va_start(ap, words);
	while (words--)
		word(t, va_arg(ap, uint64_t));
	va_end(ap);
}

struct seen {
	char text[1 << 14];
	size_t used;
};

static int see_event(void *self, const struct kp_event *e)
{
	struct seen *seen = self;

	if (e->event != KUTRACE_USERPID)
		seen->used += (size_t)snprintf(seen->text + seen->used,
					       sizeof(seen->text) - seen->used,
					       "+%" PRId64 " %" PRId64 " %03x c%d p%u %u %.*s\n",
					       e->ts - AT(0), e->dur, e->event, e->cpu, e->pid,
					       e->arg0, (int)e->name_len, e->name);
	return 0;
}

static int see_nothing(void *self, const struct kp_namedef *def)
{
	(void)self;
	(void)def;
	return 0;
}

static int see_no_comment(void *self, const char *comment, size_t len)
{
	(void)self;
	(void)comment;
	(void)len;
	return 0;
}

static void expect(struct trace *t, const char *lines, uint64_t points, uint64_t unknown)
{
	static struct seen seen;
	struct kp_event_sink sink = { see_event, see_nothing, see_no_comment, &seen };
	struct kp_raw_summary summary;
	struct kp_raw raw;

	memset(&seen, 0, sizeof(seen));
	if (kp_raw_open(&raw, as_file(t), "test") || kp_raw_events(&raw, &sink, false, &summary))
		fail_msg("%s", raw.message);
	assert_int_equal(raw.faults.bad_words, 0);
	kp_raw_close(&raw);
	done(t);
	assert_string_equal(seen.text, lines);
	assert_int_equal(summary.points, points);
	assert_int_equal(summary.unknown_points, unknown);
}

#define LONG_NAME "a_tracepoint_with_a_name_that_alone_fills_all_of_the_first_piece"

static void a_trace_has_tracepoints_among_its_events(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	define(&t, 1, 5, "disk_io u32 dev, u64 sector, str file|dev=%u sector=%lu file=%s");
	define(&t, 2, 65535, LONG_NAME " u8 with, u16 two, u32 more, u64 fields|%u and %u");
	entry(&t, 10, 0x827, 7);
	point(&t, 20, 5, 3, U(8), U(77), chars("a.c"));
	/* payloads that look like entries */
	point(&t, 30, 5, 4, U(0), ~U(0), chars("12345678"), chars("x"));
	point(&t, 40, 65535, 4, U(1), U(2), U(3), U(4));
	/* a definition also applies to earlier events */
	point(&t, 50, 9, 0);
	define(&t, 60, 9, "late|too");
	point(&t, 70, 77, 2, U(1), U(0x4d));
	/* the module was loaded again, and another tracepoint got the id */
	define(&t, 71, 9, "other u8 x|%u");
	point(&t, 72, 9, 1, U(3));
	entry(&t, 80, 0xA27, 7);
	expect(&t,
	       "+10 0 827 c0 p1 7 syscall#39\n"
	       "+20 1 109 c0 p1 5 disk_io dev=8 sector=77 file=a.c\n"
	       "+30 1 109 c0 p1 5 disk_io dev=0 sector=18446744073709551615 file=12345678x\n"
	       "+40 1 109 c0 p1 65535 " LONG_NAME " with=1 two=2 more=3 fields=4\n"
	       "+50 1 109 c0 p1 9 late too\n"
	       "+70 1 109 c0 p1 77 point_77 0x1 0x4d\n"
	       "+72 1 109 c0 p1 9 other 3\n"
	       "+80 0 a27 c0 p1 0 /syscall#39\n", 6, 1);
}

static void broken_definitions_leave_hex(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	define(&t, 1, 1, "no format u8 x");
	/* the second part of the definition is missing */
	name(&t, 1, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(2, 0),
	     "twotwotwotwotwotwotwotwotwotwotwotwotwotwotwo u8 xxxxxxx");
	/* the first part of the definition is missing */
	name(&t, 1, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(3, 1), "three u8 x|%u");
	/* more parts than permitted */
	name(&t, 1, KUTRACE_NAME_EVENTDEF, 0xFFFF0004, "four|");
	define(&t, 1, 6, "evil u8 x, str s|%n%n%n%n \x1b[2J");
	point(&t, 10, 1, 1, U(1));
	point(&t, 20, 2, 1, U(2));
	point(&t, 30, 3, 1, U(3));
	point(&t, 40, 4, 1, U(4));
	point(&t, 50, 0, 7, U(1), U(2), U(3), U(4), U(5), U(6), ~U(0));
	point(&t, 60, 6, 2, U(1), chars("\x1b[31m</s"));
	/* the upper half of the argument does not belong to the id */
	point(&t, 70, 0x10006, 2, U(1), chars("x"));
	expect(&t,
	       "+10 1 109 c0 p1 1 point_1 0x1\n"
	       "+20 1 109 c0 p1 2 point_2 0x2\n"
	       "+30 1 109 c0 p1 3 point_3 0x3\n"
	       "+40 1 109 c0 p1 4 point_4 0x4\n"
	       "+50 1 109 c0 p1 0 point_0 0x1 0x2 0x3 0x4 0x5 0x6 0xffffffffffffffff\n"
	       "+60 1 109 c0 p1 6 evil x=1 s=\x1b[31m</s\n"
	       "+70 1 109 c0 p1 6 evil x=1 s=x\n", 7, 5);
}

/* ---- event text and spans ---- */

static char *written;
static size_t written_size;

static int take_span(void *self, const struct kp_span *span)
{
	if (span->event == KUTRACE_NAME_TPOINT)
		fprintf(self, "%" PRId64 " %" PRId64 " c%d p%" PRId64 " %" PRId64 " %.*s\n", span->start - AT(0),
			span->dur, span->cpu, span->pid, span->arg0, (int)span->name_len,
			span->name);
	return 0;
}

static int no_end(void *self)
{
	(void)self;
	return 0;
}

/* Converts a raw trace to event text, reads the text again and makes spans. */
static void text_and_spans_carry_the_name(void **state)
{
	static struct kp_event_writer writer;
	static struct kp_event_reader reader;
	struct kp_event_sink sink;
	struct kp_reconstruct *rec;
	struct kp_span_sink spans;
	struct kp_raw raw;
	FILE *lines = tmpfile(), *out = open_memstream(&written, &written_size);
	char line[512];
	bool found = false;
	struct trace t;

	(void)state;
	begin(&t, 3);
	define(&t, 1, 5, "disk_io u32 dev, str file|dev=%u, file \"%s\" (ab)");
	entry(&t, 10, 0x827, 7);
	point(&t, 20, 5, 2, U(8), chars("a\nb \\c"));
	entry(&t, 80, 0xA27, 7);
	kp_event_writer_init(&writer, lines);
	sink = kp_event_writer_sink(&writer);
	assert_int_equal(kp_raw_open(&raw, as_file(&t), "test"), 0);
	assert_int_equal(kp_raw_events(&raw, &sink, true, NULL), 0);
	assert_int_equal(kp_event_writer_flush(&writer), 0);
	kp_raw_close(&raw);
	done(&t);
	rewind(lines);
	while (fgets(line, sizeof(line), lines))
		found |= !strcmp(line, "1100000020 1 265 0  1 0  5 0 0 "
				       "disk_io dev=8, file \"a\\x0ab \\x5cc\" (ab) (109)\n");
	assert_true(found);
	rewind(lines);
	spans = (struct kp_span_sink){ .header = kp_span_ignore_header, .span = take_span,
				       .end = no_end, .self = out };
	rec = kp_reconstruct_new("", &spans);
	sink = kp_reconstruct_sink(rec);
	if (kp_event_text_read(&reader, lines, "test", &sink) || kp_reconstruct_end(rec))
		fail_msg("%s %s", reader.message, kp_reconstruct_message(rec));
	kp_reconstruct_free(rec);
	fclose(out);
	fclose(lines);
	assert_string_equal(written, "20 1 c0 p1 5 disk_io dev=8, file \"a\nb \\c\" (ab)\n");
	free(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_are_read),
		cmocka_unit_test(an_invalid_definition_is_refused),
		cmocka_unit_test(numbers_have_the_width_of_their_field),
		cmocka_unit_test(texts_end_at_their_length),
		cmocka_unit_test(without_a_format_fields_name_themselves),
		cmocka_unit_test(hostile_formats_do_nothing),
		cmocka_unit_test(payloads_of_any_length_are_shown),
		cmocka_unit_test(text_that_is_too_long_is_cut),
		cmocka_unit_test(macro_and_reader_agree),
		cmocka_unit_test(a_trace_has_tracepoints_among_its_events),
		cmocka_unit_test(broken_definitions_leave_hex),
		cmocka_unit_test(text_and_spans_carry_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
