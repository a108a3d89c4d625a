// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions for programs that were compiled before these functions had a length parameter
 * (LIBKUTRACE_1 in libkutrace.map). Must not change.
 */
#include "libkutrace.h"

/* sizes that the structs had then, not their present sizeof */
enum {
	INFO = 328,
	FIRED = 208,
	TRIGGER = 88,
	FILTER = 816,
	SESSION = 144,
	SESSION_OPTIONS = 64,
	POINT_DEF = 448,
	DUMP_OPTIONS = 64,
	DUMP_RESULT = 192,
	STREAM_OPTIONS = 64,
	STREAM_STATE = 2072,
	STREAM_RESULT = 64,
	READ_OPTIONS = 56,
	READ_RESULT = 64,
	SEEN = 136,
	KEPT_NAME = 80,
	LOST_KINDS = 43,
};

/*
 * Defines the symbol kutrace_@name for old programs. libkutrace.h uses the same name in C, so the C
 * name is old_@name. It passes the old sizes to the function with the suffix _sized.
 */
#define OLD(type, name, parameters, arguments) \
	type old_##name parameters __asm__("kutrace_" #name); \
	type old_##name parameters \
	{ \
		return kutrace_##name##_sized arguments; \
	}

OLD(int, get_info, (struct kutrace_info *info), (info, INFO))
OLD(int, lost, (uint64_t *kinds), (kinds, LOST_KINDS))
OLD(int, fired, (struct kutrace_fired *fired), (fired, FIRED))
OLD(int, wait, (int timeout_ms, struct kutrace_fired *fired), (timeout_ms, fired, FIRED))
OLD(int, trigger, (struct kutrace_trigger *trigger), (trigger, TRIGGER))
OLD(int, trigger_parse, (const char *spec, struct kutrace_trigger *trigger, char *message,
    size_t size),
    (spec, trigger, TRIGGER, message, size))
OLD(const char *, trigger_text, (const struct kutrace_trigger *trigger, char *str, size_t size),
    (trigger, TRIGGER, str, size))
OLD(const char *, fired_text, (const struct kutrace_fired *fired, char *str, size_t size),
    (fired, FIRED, str, size))
OLD(int, filter, (const struct kutrace_filter *filter), (filter, FILTER))
OLD(int, session_create, (const char *name, const struct kutrace_session_options *options,
    struct kutrace_handle **handle),
    (name, options, SESSION_OPTIONS, handle))
OLD(int, session_next, (uint32_t id, struct kutrace_session *session), (id, session, SESSION))
OLD(int, points_next, (uint32_t id, struct kutrace_point_def *def), (id, def, POINT_DEF))
OLD(int, dump, (const char *fname, const struct kutrace_dump_options *options,
    struct kutrace_dump_result *result),
    (fname, options, DUMP_OPTIONS, result, DUMP_RESULT))
OLD(int, snapshot, (const char *fname, const struct kutrace_dump_options *options,
    struct kutrace_dump_result *result),
    (fname, options, DUMP_OPTIONS, result, DUMP_RESULT))
OLD(int, stream, (const struct kutrace_stream_options *options,
    struct kutrace_stream_state *state, struct kutrace_stream_result *result),
    (options, STREAM_OPTIONS, state, STREAM_STATE, result, STREAM_RESULT))
OLD(int, read, (const struct kutrace_read_options *options, struct kutrace_read_result *result),
    (options, READ_OPTIONS, result, READ_RESULT, SEEN))
OLD(const char *, seen_text, (const struct kutrace_seen *seen, char *str, size_t size),
    (seen, SEEN, str, size))
OLD(const char *, seen_process, (const struct kutrace_seen *seen, char *str, size_t size),
    (seen, SEEN, str, size))
OLD(size_t, kept_names, (struct kutrace_kept_name *names, size_t room), (names, room, KEPT_NAME))
