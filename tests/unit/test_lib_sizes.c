// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests libkutrace with programs of another version, whose structs are shorter or longer than the
 * library's. No byte beyond a struct is touched, and no value is invented. Programs that were compiled
 * before structs had lengths still find their functions, which fill structs of the old lengths.
 */
#include "kutrace_events.h"
#include "lib_recording.h"

#define FILLED	0xAA	/* byte value of memory that was not written */
#define MORE	64	/* number of bytes by which a newer program's structs are longer */

/* The functions that old programs call: their structs have the old lengths. */
int old_get_info(void *info) __asm__("kutrace_get_info");
int old_lost(uint64_t *kinds) __asm__("kutrace_lost");
int old_fired(void *fired) __asm__("kutrace_fired");
int old_wait(int timeout_ms, void *fired) __asm__("kutrace_wait");
int old_trigger(void *trigger) __asm__("kutrace_trigger");
int old_parse(const char *spec, void *trigger, char *message, size_t size)
	__asm__("kutrace_trigger_parse");
int old_session_next(uint32_t id, void *session) __asm__("kutrace_session_next");
int old_points_next(uint32_t id, void *def) __asm__("kutrace_points_next");
int old_dump(const char *fname, const void *options, void *result) __asm__("kutrace_dump");
int old_snapshot(const char *fname, const void *options, void *result)
	__asm__("kutrace_snapshot");
int old_stream(const void *options, void *state, void *result) __asm__("kutrace_stream");
int old_read(const void *options, void *result) __asm__("kutrace_read");
size_t old_kept_names(void *names, size_t room) __asm__("kutrace_kept_names");

static unsigned char room[8192], whole[8192];

/* Copies the @bytes bytes of @with to room, and fills the rest with FILLED. Returns room. */
static void *fill_room(const void *with, size_t bytes)
{
	memset(room, FILLED, sizeof(room));
	if (bytes)
		memcpy(room, with, bytes);
	return room;
}

static void untouched_from(size_t bytes)
{
	size_t i;

	for (i = bytes; i < sizeof(room); i++)
		if (room[i] != FILLED) {
			print_error("byte %zu of a struct of %zu was written\n", i, bytes);
			fail();
		}
}

static int with_session(void **state)
{
	int ret = fresh(state);
	uint32_t i;

	fake_with_sessions();
	fake->points = 1;
	for (i = 0; i < KUTRACE_KINDS; i++)
		fake->lost_kinds[i] = i + 1;
	add_block(0, 1, 1, START, 4711, "starter");
	return ret;
}

/* Functions that each fill a struct of @bytes bytes at @to. */
static int get_info(void *to, size_t bytes)
{
	return kutrace_get_info_sized(to, bytes);
}

static int get_fired(void *to, size_t bytes)
{
	return kutrace_fired_sized(to, bytes);
}

static int wait_fired(void *to, size_t bytes)
{
	memset(to, 0, 8);
	fake->info.recording = 1;
	return kutrace_wait_sized(0, to, bytes);
}

static int get_session(void *to, size_t bytes)
{
	return kutrace_session_next_sized(0, to, bytes);
}

static int parse_trigger(void *to, size_t bytes)
{
	char message[100];

	return kutrace_trigger_parse_sized("syscall>5ms@77", to, bytes, message,
					   sizeof(message));
}

static int dump(void *to, size_t bytes)
{
	unlink(path);
	return kutrace_dump_sized(path, NULL, 0, to, bytes);
}

static int snapshot(void *to, size_t bytes)
{
	unlink(path);
	return kutrace_snapshot_sized(path, NULL, 0, to, bytes);
}

static int no_event(void *arg, const struct kutrace_seen *seen)
{
	(void)arg;
	return !seen;
}

static int read_all(void *to, size_t bytes)
{
	struct kutrace_read_options options = {.event = no_event};

	return kutrace_read_sized(&options, sizeof(options), to, bytes,
				  sizeof(struct kutrace_seen));
}

static const struct {
	const char *name;
	int (*get)(void *to, size_t bytes);
	size_t bytes;
	bool has_length;
} calls[] = {
	{"get_info", get_info, sizeof(struct kutrace_info), true},
	{"fired", get_fired, sizeof(struct kutrace_fired), true},
	{"wait", wait_fired, sizeof(struct kutrace_fired), true},
	{"session_next", get_session, sizeof(struct kutrace_session), true},
	{"trigger_parse", parse_trigger, sizeof(struct kutrace_trigger), true},
	{"dump", dump, sizeof(struct kutrace_dump_result), false},
	{"snapshot", snapshot, sizeof(struct kutrace_dump_result), false},
	{"read", read_all, sizeof(struct kutrace_read_result), false},
};

static void shorter_and_longer_structs_are_filled(void **state)
{
	size_t i, bytes, at;
	uint32_t length;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		with_session(state);
		fill_room(NULL, 0);
		assert_int_equal(calls[i].get(room, calls[i].bytes), 0);
		untouched_from(calls[i].bytes);
		memcpy(whole, room, calls[i].bytes);
		for (bytes = 8; bytes <= calls[i].bytes + MORE; bytes += 8) {
			with_session(state);
			fill_room(NULL, 0);
			if (calls[i].get(room, bytes)) {
				print_error("%s: %zu bytes\n", calls[i].name, bytes);
				fail();
			}
			untouched_from(bytes);
			/*
			 * the length field has the smaller length, the common part is equal, the
			 * rest is 0
			 */
			at = 0;
			if (calls[i].has_length) {
				memcpy(&length, room, sizeof(length));
				assert_int_equal(length, bytes < calls[i].bytes
						 ? bytes : calls[i].bytes);
				at = sizeof(length);
			}
			for (; at < bytes; at++)
				assert_int_equal(room[at],
						 at < calls[i].bytes ? whole[at] : 0);
		}
	}
}

static void arrays_have_the_given_length(void **state)
{
	uint64_t *kinds = (uint64_t *)room;
	size_t i;

	(void)state;
	fill_room(NULL, 0);
	assert_int_equal(kutrace_lost_sized(kinds, 3), 0);
	assert_int_equal(kinds[2], 3);
	untouched_from(24);
	fill_room(NULL, 0);
	assert_int_equal(kutrace_lost_sized(kinds, 100), 0);
	assert_int_equal(kinds[KUTRACE_KINDS - 1], KUTRACE_KINDS);
	for (i = KUTRACE_KINDS; i < 100; i++)
		assert_int_equal(kinds[i], 0);
	untouched_from(800);
}

/* Checks that names in an array are as far apart as the program's struct is long. */
static void kept_names_have_the_distance_of_the_programs_structs(void **state)
{
	static const size_t bytes[] = {40, sizeof(struct kutrace_kept_name), 144};
	size_t i, n;

	(void)state;
	assert_int_equal(kutrace_name_queue(1, "first"), 0);
	assert_int_equal(kutrace_name_queue(2, "second"), 0);
	for (i = 0; i < 3; i++) {
		fill_room(NULL, 0);
		n = kutrace_kept_names_sized((struct kutrace_kept_name *)room, 2, bytes[i]);
		assert_int_equal(n, 2);
		untouched_from(2 * bytes[i]);
		for (n = 0; n < 2; n++) {
			const char *name = (char *)room + n * bytes[i] + 16;
			uint64_t number;

			memcpy(&number, name - 8, sizeof(number));
			assert_string_equal(name, number == 1 ? "first" : "second");
		}
	}
}

/*
 * Checks that shorter options are accepted, and that longer options are refused if an unknown field
 * is set.
 */
static void an_unknown_option_of_a_newer_program_is_refused(void **state)
{
	struct kutrace_dump_options options = {.tool = "older"};
	struct kutrace_filter filter = {.npids = 1, .pids = {5}};
	struct kutrace_trigger trigger = {.kind = KUTRACE_TRIGGER_MARK, .number = 5};
	size_t bytes;
	struct trace t;

	(void)state;
	assert_int_equal(kutrace_dump_sized(path, &options, 8, NULL, 0), 0);
	assert_true(trace_read(&t, path, 1));
	assert_true(trace_has_meta(&t, "tool=older"));
	trace_free(&t);
	assert_int_equal(kutrace_filter_sized(&filter, 20), 0);
	assert_int_equal(fake->session[0].filter.pids[0], 5);
	assert_int_equal(fake->session[0].filter.length, sizeof(filter));
	fill_room(&trigger, 24);
	assert_int_equal(kutrace_trigger_sized((void *)room, 24), 0);
	untouched_from(24);
	assert_int_equal(fake->session[0].trigger[0].length, sizeof(trigger));
	/* longer options with zeros in the unknown part */
	bytes = sizeof(options);
	fill_room(&options, bytes);
	memset(room + bytes, 0, MORE);
	assert_int_equal(kutrace_dump_sized(path, (void *)room, bytes + MORE, NULL, 0), 0);
	/* longer options with a value in the unknown part */
	room[bytes + MORE - 1] = 1;
	assert_int_equal(kutrace_dump_sized(path, (void *)room, bytes + MORE, NULL, 0), -E2BIG);
	assert_int_equal(kutrace_snapshot_sized(path, (void *)room, bytes + MORE, NULL, 0),
			 -E2BIG);
	memset(room + bytes, 0, MORE);
	fill_room(&filter, sizeof(filter));
	assert_int_equal(kutrace_filter_sized((void *)room, sizeof(filter) + 8), -E2BIG);
}

static const unsigned char *seen_at;
static uint32_t seen_event;

static int look_at_all(void *arg, const struct kutrace_seen *seen)
{
	size_t bytes = *(size_t *)arg, i;

	seen_event = seen->event;
	for (i = sizeof(*seen), seen_at = (const void *)seen; i < bytes; i++)
		assert_int_equal(seen_at[i], 0);	/* ASan checks that the memory exists */
	return 1;
}

static void seen_events_have_the_length_that_the_program_knows(void **state)
{
	size_t bytes = sizeof(struct kutrace_seen) + MORE;
	struct kutrace_read_options options = {.event = look_at_all, .arg = &bytes};
	struct kutrace_seen seen = {.event = KUTRACE_MARKD, .arg = 7};
	char text[100];
	unsigned char *copy;

	(void)state;
	seen_event = 0;
	assert_int_equal(kutrace_read_sized(&options, sizeof(options), NULL, 0, bytes), 0);
	assert_int_equal(seen_event, KUTRACE_MARKD);
	/* an older program copies a shorter part */
	copy = malloc(72);
	assert_non_null(copy);
	memcpy(copy, &seen, 72);
	kutrace_seen_text_sized((void *)copy, 72, text, sizeof(text));
	free(copy);
	assert_string_equal(text, "mark_d=7");
}

/* --- programs compiled before structs had lengths ------------------------------- */

static int old_output(void *arg, uint64_t bytes, int *fd)
{
	*fd = *(int *)arg;
	return bytes == 0;
}

static void old_programs_get_the_structs_that_they_know(void **state)
{
	struct kutrace_stream_options stream = {.output = old_output};
	struct kutrace_read_options read = {.event = no_event};
	int fd = open("/dev/null", O_WRONLY);
	char message[100];

	(void)state;
	fill_room(NULL, 0);
	assert_int_equal(old_get_info(room), 0);
	untouched_from(328);
	assert_int_equal(((struct kutrace_info *)room)->start.counts, START);
	fill_room(NULL, 0);
	assert_int_equal(old_lost((uint64_t *)room), 0);
	untouched_from(43 * 8);
	fill_room(NULL, 0);
	assert_int_equal(old_fired(room), 0);
	untouched_from(208);
	fill_room("\0\0\0\0\0\0\0\0", 8);
	assert_int_equal(old_wait(0, room), -ESTALE);
	untouched_from(208);
	fill_room(NULL, 0);
	assert_int_equal(old_parse("mark:abc", room, message, sizeof(message)), 0);
	untouched_from(88);
	assert_int_equal(old_trigger(room), 0);
	untouched_from(88);
	fill_room(NULL, 0);
	assert_int_equal(old_session_next(0, room), 0);
	untouched_from(144);
	fill_room(NULL, 0);
	assert_int_equal(old_points_next(0, room), -EPROTO);	/* the fake has no list */
	untouched_from(448);
	fill_room(NULL, 0);
	assert_int_equal(old_dump(path, NULL, room), 0);
	untouched_from(192);
	assert_int_equal(((struct kutrace_dump_result *)room)->data_blocks, 1);
	fill_room(NULL, 0);
	assert_int_equal(old_snapshot(path, NULL, room), 0);
	untouched_from(192);
	fill_room(NULL, 0);
	stream.arg = &fd;
	assert_int_equal(old_stream(&stream, NULL, room), 0);
	untouched_from(64);
	memset(whole, 0, sizeof(whole));
	fill_room(whole, 2072);
	assert_int_equal(old_stream(&stream, room, NULL), 0);
	untouched_from(2072);
	fill_room(NULL, 0);
	assert_int_equal(old_read(&read, room), 0);
	untouched_from(64);
	fill_room(NULL, 0);
	assert_int_equal(old_kept_names(room, 2), 2);
	untouched_from(160);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(shorter_and_longer_structs_are_filled, with_session),
		cmocka_unit_test_setup(arrays_have_the_given_length, with_session),
		cmocka_unit_test_setup(kept_names_have_the_distance_of_the_programs_structs, with_session),
		cmocka_unit_test_setup(an_unknown_option_of_a_newer_program_is_refused,
				       with_session),
		cmocka_unit_test_setup(seen_events_have_the_length_that_the_program_knows,
				       with_session),
		cmocka_unit_test_setup(old_programs_get_the_structs_that_they_know, with_session),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
