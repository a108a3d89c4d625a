/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Typed tracepoints for programs (C11 with GNU extensions, C++11; link with -lkutrace) and for
 * kernel modules (kutrace.ko must be loaded before).
 *
 *	KUTRACE_POINT(disk_io, "dev=%u sector=%lu file=%s",
 *		      (uint32_t, dev), (uint64_t, sector), (const char *, file));
 *
 * in one source file defines
 *
 *	static inline void kutrace_point_disk_io(uint32_t dev, uint64_t sector,
 *						 const char *file);
 *
 * A build of a program can leave out tracepoints, without code and data, if one of these macros is
 * defined as 1: KUTRACE_POINT_OFF (all), KUTRACE_POINT_OFF_disk_io (that one), or
 * KUTRACE_POINT_OFF_disk (those that KUTRACE_POINT_IN(disk, ...) makes). Calls still compile, and
 * are still checked.
 *
 * For several source files, put KUTRACE_POINT_DECLARE(...) with the same arguments into a header,
 * and KUTRACE_POINT_DEFINE(disk_io) into one source file. A tracepoint has up to seven fields:
 * integers, bool, char, float and double (not in the kernel), void * (its value), char * (its
 * text). The compiler checks the calls and the format against the fields. The format is the one of
 * printf() without * and %n. It is used only when a trace is read.
 *
 * A tracepoint that is off costs a load of a byte of its object, and a branch: the module writes
 * this byte when the tracepoint is switched. One that is on costs a system call (not in the
 * kernel). Any context, including signal handlers; in the kernel any context except NMI.
 *
 * A program need not do anything else. Tracepoints are registered when their program or library is
 * loaded. If kutrace.ko is loaded later, they are registered in every child of a fork, whenever the
 * program controls a recording, and by kutrace_points_look(). A kernel module calls
 * kutrace_point_define(disk_io) when it is loaded.
 *
 * In an entry of a trace, a number takes a word. A text takes up to the remaining words of the
 * seven, padded with NUL, except that each later field needs one word. A text that does not fit is
 * cut, and ends with "...". A text ends at its first NUL or at the end of the entry.
 */
#ifndef KUTRACE_POINT_H
#define KUTRACE_POINT_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#define KUTRACE_POINT_FIELDS	7	/* also the number of words of payload */
#define KUTRACE_POINT_TEXT_BYTES 400	/* longest definition, with its NUL */

#ifdef __cplusplus
extern "C" {
#endif

/* Properties that are known at compile time. */
struct kutrace_point_desc {
	const char *name;
	const char *format;
	uint32_t nfields;
	uint32_t reserved;
	const char *field[KUTRACE_POINT_FIELDS];
	const char *type[KUTRACE_POINT_FIELDS];	/* u8 ... s64, double, ptr, str */
};

/*
 * One for each tracepoint. Changed only by the functions below and by the module.
 *
 * If the layout changes, the names of the object (KUTRACE_POINT_OBJ_) and of the functions that
 * take it change too. Then code that was compiled for another layout does not link or load, instead
 * of failing at run time.
 */
struct kutrace_point {
	unsigned char on;	/* not 0: record; the module writes it at any time */
	unsigned char known;	/* the module has registered it, and writes @on */
	unsigned char reserved[2];
	uint32_t id;
	const struct kutrace_point_desc *desc;
	struct kutrace_point *next;
	uint64_t reserved2[3];
};

#define KUTRACE_POINT_OBJ_(name) kutrace_point_with_byte_##name

/* The payload under construction. @after: number of fields that are still to come. */
struct kutrace_point_payload {
	uint64_t word[KUTRACE_POINT_FIELDS];
	uint32_t used;
	uint32_t after;
};

#ifdef __KERNEL__
/*
 * Registers a tracepoint. Returns 0, -EINVAL, -ENOSPC, -ENOMEM. The object must exist until it is
 * detached. Recorded events remain readable afterwards. Both functions may sleep.
 */
int kutrace_point_attach_kernel(struct kutrace_point *point);
void kutrace_point_detach_kernel(struct kutrace_point *point);
void kutrace_point_emit_kernel(const struct kutrace_point *point, const u64 *words,
			       u32 nwords);

#define kutrace_point_define(name)	kutrace_point_attach_kernel(&KUTRACE_POINT_OBJ_(name))
#define kutrace_point_undefine(name)	kutrace_point_detach_kernel(&KUTRACE_POINT_OBJ_(name))
#define kutrace_point_record		kutrace_point_emit_kernel
#define KUTRACE_POINT_VISIBLE_
#define KUTRACE_POINT_CTOR_(name)
/* The kernel's macro. Empty if ftrace needs another alignment of functions (arm64). */
#define KUTRACE_POINT_COLD_	__cold
#define KUTRACE_POINT_UNUSED_	__maybe_unused
#else
/*
 * Called when a tracepoint's program or library is loaded and unloaded. Thread-safe. When detach
 * returns, nothing writes to the object any more.
 */
void kutrace_point_attach(struct kutrace_point *point);
void kutrace_point_detach(struct kutrace_point *point);
/* Records an event if the tracepoint is on. Async-signal-safe; preserves errno. @nwords: 0 to 7. */
void kutrace_point_record(const struct kutrace_point *point, const uint64_t *words,
			  uint32_t nwords);
/*
 * Looks for the module if it has not been found yet. Returns the number of the program's
 * tracepoints that are registered, or -ENODEV, -EPERM, -EPROTO. A program that may start before
 * kutrace.ko is loaded calls this from time to time, or after a signal.
 */
int kutrace_points_look(void);

/* Hidden: each program and library has its own object, which is reached without indirection. */
#define KUTRACE_POINT_VISIBLE_	__attribute__((__visibility__("hidden")))
#define KUTRACE_POINT_COLD_	__attribute__((__cold__))
#define KUTRACE_POINT_UNUSED_	__attribute__((__unused__))
#define KUTRACE_POINT_CTOR_(name) \
	__attribute__((__constructor__)) static void kutrace_point_ctor_##name(void) \
	{ \
		kutrace_point_attach(&KUTRACE_POINT_OBJ_(name)); \
	} \
	__attribute__((__destructor__)) static void kutrace_point_dtor_##name(void) \
	{ \
		kutrace_point_detach(&KUTRACE_POINT_OBJ_(name)); \
	}
#endif

__attribute__((__format__(__printf__, 1, 2), __unused__))
static inline void kutrace_point_check(const char *format, ...)
{
	(void)format;
}

/* ---- building the payload ---- */

KUTRACE_POINT_UNUSED_
static inline void kutrace_point_put_number(struct kutrace_point_payload *to, uint64_t value)
{
	to->word[to->used++] = value;
	to->after--;
}

KUTRACE_POINT_UNUSED_
static inline void kutrace_point_put_signed(struct kutrace_point_payload *to, int64_t value)
{
	kutrace_point_put_number(to, (uint64_t)value);
}

KUTRACE_POINT_UNUSED_
static inline void kutrace_point_put_pointer(struct kutrace_point_payload *to,
					     const void *value)
{
	kutrace_point_put_number(to, (uint64_t)(uintptr_t)value);
}

#ifndef __KERNEL__
KUTRACE_POINT_UNUSED_
static inline void kutrace_point_put_double(struct kutrace_point_payload *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	kutrace_point_put_number(to, bits);
}
#endif

/* Does not cut a text within a UTF-8 sequence. The last field needs no NUL. */
KUTRACE_POINT_UNUSED_
static inline void kutrace_point_put_text(struct kutrace_point_payload *to, const char *text)
{
	const uint32_t nul = to->after > 1;
	const uint32_t room = (KUTRACE_POINT_FIELDS + 1 - to->used - to->after) * 8;
	char *out = (char *)&to->word[to->used];
	uint32_t length = 0, words = room / 8;
	int cut;

	if (!text)
		text = "(null)";
	while (length <= room && text[length])
		length++;
	cut = length + nul > room;
	if (cut) {
		length = room - nul - 3;
		while (length && ((unsigned char)text[length] & 0xC0) == 0x80)
			length--;
	} else {
		words = (length + nul + 7) / 8 + !(length + nul);
	}
	memset(out, 0, words * 8);
	memcpy(out, text, length);
	if (cut)
		memcpy(out + length, "...", 3);
	to->used += words;
	to->after--;
}

/* ---- the definition's text, for the library and the module ---- */

KUTRACE_POINT_UNUSED_
static inline uint32_t kutrace_point_append(char *out, uint32_t used, const char *text)
{
	while (*text && used < KUTRACE_POINT_TEXT_BYTES) {
		/* control characters become spaces: the text is one line */
		out[used++] = (unsigned char)*text < ' ' || *text == 0x7F ? ' ' : *text;
		text++;
	}
	return used;
}

/*
 * Writes "NAME TYPE FIELD, TYPE FIELD|FORMAT" to out[KUTRACE_POINT_TEXT_BYTES], NUL-terminated.
 * Returns its length, or 0 if it does not fit.
 */
KUTRACE_POINT_UNUSED_
static inline uint32_t kutrace_point_text(const struct kutrace_point_desc *desc, char *out)
{
	uint32_t used = kutrace_point_append(out, 0, desc->name), i;

	for (i = 0; i < desc->nfields && i < KUTRACE_POINT_FIELDS; i++) {
		used = kutrace_point_append(out, used, i ? ", " : " ");
		used = kutrace_point_append(out, used, desc->type[i]);
		used = kutrace_point_append(out, used, " ");
		used = kutrace_point_append(out, used, desc->field[i]);
	}
	used = kutrace_point_append(out, used, "|");
	used = kutrace_point_append(out, used, desc->format);
	if (used >= KUTRACE_POINT_TEXT_BYTES)
		used = 0;
	out[used] = 0;
	return used;
}

#ifdef __cplusplus
}	/* extern "C" */

namespace kutrace_point_detail {
inline constexpr const char *type_name(bool) { return "u8"; }
inline constexpr const char *type_name(char) { return static_cast<char>(-1) < 0 ? "s8" : "u8"; }
inline constexpr const char *type_name(signed char) { return "s8"; }
inline constexpr const char *type_name(unsigned char) { return "u8"; }
inline constexpr const char *type_name(short) { return "s16"; }
inline constexpr const char *type_name(unsigned short) { return "u16"; }
inline constexpr const char *type_name(int) { return "s32"; }
inline constexpr const char *type_name(unsigned int) { return "u32"; }
inline constexpr const char *type_name(long) { return sizeof(long) == 8 ? "s64" : "s32"; }
inline constexpr const char *type_name(unsigned long) { return sizeof(long) == 8 ? "u64" : "u32"; }
inline constexpr const char *type_name(long long) { return "s64"; }
inline constexpr const char *type_name(unsigned long long) { return "u64"; }
inline constexpr const char *type_name(float) { return "double"; }
inline constexpr const char *type_name(double) { return "double"; }
inline constexpr const char *type_name(const char *) { return "str"; }
inline constexpr const char *type_name(const void *) { return "ptr"; }
template <typename T>
inline constexpr const char *type_of() { return type_name(T()); }

template <typename T>
inline void put(struct kutrace_point_payload *to, T value)
{
	kutrace_point_put_number(to, static_cast<uint64_t>(value));
}

inline void put(struct kutrace_point_payload *to, float value)
{
	kutrace_point_put_double(to, value);
}

inline void put(struct kutrace_point_payload *to, double value)
{
	kutrace_point_put_double(to, value);
}

inline void put(struct kutrace_point_payload *to, const char *value)
{
	kutrace_point_put_text(to, value);
}

inline void put(struct kutrace_point_payload *to, char *value)
{
	kutrace_point_put_text(to, value);
}

template <typename T>
inline void put(struct kutrace_point_payload *to, T *value)
{
	kutrace_point_put_pointer(to, value);
}

}	/* namespace */

#define KUTRACE_POINT_TYPE_NAME_(type) kutrace_point_detail::type_of<type>()
#define KUTRACE_POINT_PUT_(to, value) kutrace_point_detail::put(to, value)
#define KUTRACE_POINT_EXTERN_ extern "C"
#define KUTRACE_POINT_ASSERT_ static_assert
#else

#ifdef __KERNEL__
#define KUTRACE_POINT_FLOAT_TYPES_
#define KUTRACE_POINT_FLOAT_PUTS_
#else
#define KUTRACE_POINT_FLOAT_TYPES_ float: "double", double: "double",
#define KUTRACE_POINT_FLOAT_PUTS_ \
	float: kutrace_point_put_double, double: kutrace_point_put_double,
#endif

/* For other pointers, use (const void *) or (const char *). */
#define KUTRACE_POINT_TYPE_NAME_(type_) _Generic((type_)0, \
	_Bool: "u8", char: (char)-1 < 0 ? "s8" : "u8", \
	signed char: "s8", unsigned char: "u8", short: "s16", unsigned short: "u16", \
	int: "s32", unsigned int: "u32", \
	long: sizeof(long) == 8 ? "s64" : "s32", \
	unsigned long: sizeof(long) == 8 ? "u64" : "u32", \
	long long: "s64", unsigned long long: "u64", \
	KUTRACE_POINT_FLOAT_TYPES_ \
	char *: "str", const char *: "str", void *: "ptr", const void *: "ptr")
#define KUTRACE_POINT_PUT_(to, value) _Generic((value), \
	KUTRACE_POINT_FLOAT_PUTS_ \
	char *: kutrace_point_put_text, const char *: kutrace_point_put_text, \
	void *: kutrace_point_put_pointer, const void *: kutrace_point_put_pointer, \
	char: kutrace_point_put_signed, signed char: kutrace_point_put_signed, \
	short: kutrace_point_put_signed, int: kutrace_point_put_signed, \
	long: kutrace_point_put_signed, long long: kutrace_point_put_signed, \
	default: kutrace_point_put_number)(to, value)
#define KUTRACE_POINT_EXTERN_ extern
#define KUTRACE_POINT_ASSERT_ _Static_assert
#endif

/* ---- the macros ---- */

#define KUTRACE_POINT_PICK_(_0, _1, _2, _3, _4, _5, _6, _7, n, ...) n
/*
 * The lists of the macros begin with the format, because ISO C does not allow an empty list. COUNT_
 * gives the number of fields, FORMAT_ the format alone.
 */
#define KUTRACE_POINT_COUNT_(...) \
	KUTRACE_POINT_PICK_(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define KUTRACE_POINT_FIRST_(format, ...) format
#define KUTRACE_POINT_FORMAT_(...) KUTRACE_POINT_FIRST_(__VA_ARGS__, 0)
#define KUTRACE_POINT_PASTE__(a, b) a##b
#define KUTRACE_POINT_PASTE_(a, b) KUTRACE_POINT_PASTE__(a, b)

/* each(type, name) for all fields, separated by commas, or each followed by ; */
#define KUTRACE_POINT_LIST_0(each, f)
#define KUTRACE_POINT_LIST_1(each, f, a) each a
#define KUTRACE_POINT_LIST_2(each, f, a, ...) each a, KUTRACE_POINT_LIST_1(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_3(each, f, a, ...) each a, KUTRACE_POINT_LIST_2(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_4(each, f, a, ...) each a, KUTRACE_POINT_LIST_3(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_5(each, f, a, ...) each a, KUTRACE_POINT_LIST_4(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_6(each, f, a, ...) each a, KUTRACE_POINT_LIST_5(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_7(each, f, a, ...) each a, KUTRACE_POINT_LIST_6(each, f, __VA_ARGS__)
#define KUTRACE_POINT_LIST_(each, ...) \
	KUTRACE_POINT_PASTE_(KUTRACE_POINT_LIST_, \
			     KUTRACE_POINT_COUNT_(__VA_ARGS__))(each, __VA_ARGS__)

#define KUTRACE_POINT_DO_0(each, f)
#define KUTRACE_POINT_DO_1(each, f, a) each a;
#define KUTRACE_POINT_DO_2(each, f, a, ...) each a; KUTRACE_POINT_DO_1(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_3(each, f, a, ...) each a; KUTRACE_POINT_DO_2(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_4(each, f, a, ...) each a; KUTRACE_POINT_DO_3(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_5(each, f, a, ...) each a; KUTRACE_POINT_DO_4(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_6(each, f, a, ...) each a; KUTRACE_POINT_DO_5(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_7(each, f, a, ...) each a; KUTRACE_POINT_DO_6(each, f, __VA_ARGS__)
#define KUTRACE_POINT_DO_(each, ...) \
	KUTRACE_POINT_PASTE_(KUTRACE_POINT_DO_, \
			     KUTRACE_POINT_COUNT_(__VA_ARGS__))(each, __VA_ARGS__)

/* Arguments after a format: begin with a comma, unless there are none. */
#define KUTRACE_POINT_ALSO_0(each, f)
#define KUTRACE_POINT_ALSO_N(each, ...) , KUTRACE_POINT_LIST_(each, __VA_ARGS__)
#define KUTRACE_POINT_ALSO_1 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_2 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_3 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_4 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_5 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_6 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_7 KUTRACE_POINT_ALSO_N
#define KUTRACE_POINT_ALSO_(each, ...) \
	KUTRACE_POINT_PASTE_(KUTRACE_POINT_ALSO_, \
			     KUTRACE_POINT_COUNT_(__VA_ARGS__))(each, __VA_ARGS__)

#define KUTRACE_POINT_PARAM_(type, name) type name
#define KUTRACE_POINT_ARG_(type, name) name
#define KUTRACE_POINT_FIELD_(type, name) #name
#define KUTRACE_POINT_TYPE_(type, name) KUTRACE_POINT_TYPE_NAME_(type)
#define KUTRACE_POINT_PUT_FIELD_(type, name) \
	KUTRACE_POINT_PUT_(&kutrace_point_to, name)
/* Parameters: void without fields. Initializers: NULL without fields. */
#define KUTRACE_POINT_PARAMS_0(each, f) void
#define KUTRACE_POINT_PARAMS_N(each, ...) KUTRACE_POINT_LIST_(each, __VA_ARGS__)
#define KUTRACE_POINT_PARAMS_1 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_2 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_3 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_4 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_5 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_6 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_7 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_PARAMS_(...) \
	KUTRACE_POINT_PASTE_(KUTRACE_POINT_PARAMS_, \
			     KUTRACE_POINT_COUNT_(__VA_ARGS__)) \
		(KUTRACE_POINT_PARAM_, __VA_ARGS__)
#define KUTRACE_POINT_INIT_0(each, f) NULL
#define KUTRACE_POINT_INIT_1 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_2 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_3 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_4 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_5 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_6 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_7 KUTRACE_POINT_PARAMS_N
#define KUTRACE_POINT_INIT_(each, ...) \
	KUTRACE_POINT_PASTE_(KUTRACE_POINT_INIT_, \
			     KUTRACE_POINT_COUNT_(__VA_ARGS__))(each, __VA_ARGS__)

/* Upper limit of the definition's length: fields as written are longer than in the definition. */
#define KUTRACE_POINT_TEXT__(format, ...) #format
#define KUTRACE_POINT_TEXT_(...) KUTRACE_POINT_TEXT__(__VA_ARGS__, 0)
#define KUTRACE_POINT_FITS_(name, ...) \
	(sizeof(#name) + sizeof(KUTRACE_POINT_FORMAT_(__VA_ARGS__)) + sizeof(#__VA_ARGS__) - \
	 sizeof(KUTRACE_POINT_TEXT_(__VA_ARGS__)) < KUTRACE_POINT_TEXT_BYTES)

/* 1 if the macro is defined as 1, otherwise 0. */
#define KUTRACE_POINT_SECOND_(a, b, ...) b
#define KUTRACE_POINT_ONE_1 0, 1
#define KUTRACE_POINT_IS_1_(macro) \
	KUTRACE_POINT_SECOND__(KUTRACE_POINT_PASTE_(KUTRACE_POINT_ONE_, macro), 0, 0)
#define KUTRACE_POINT_SECOND__(...) KUTRACE_POINT_SECOND_(__VA_ARGS__)

/*
 * Each digit is 1 if a build leaves out: all tracepoints; the category's tracepoints; this
 * tracepoint.
 */
#define KUTRACE_POINT_BUILT_000(real, none) real
#define KUTRACE_POINT_BUILT_001(real, none) none
#define KUTRACE_POINT_BUILT_010(real, none) none
#define KUTRACE_POINT_BUILT_011(real, none) none
#define KUTRACE_POINT_BUILT_100(real, none) none
#define KUTRACE_POINT_BUILT_101(real, none) none
#define KUTRACE_POINT_BUILT_110(real, none) none
#define KUTRACE_POINT_BUILT_111(real, none) none
#define KUTRACE_POINT_PASTE4__(a, b, c, d) a##b##c##d
#define KUTRACE_POINT_PASTE4_(a, b, c, d) KUTRACE_POINT_PASTE4__(a, b, c, d)
#define KUTRACE_POINT_BUILT_(category, point, real, none) \
	KUTRACE_POINT_PASTE4_(KUTRACE_POINT_BUILT_, \
			      KUTRACE_POINT_IS_1_(KUTRACE_POINT_OFF), \
			      KUTRACE_POINT_IS_1_(KUTRACE_POINT_OFF_##category), \
			      KUTRACE_POINT_IS_1_(KUTRACE_POINT_OFF_##point))(real, none)

/*
 * The compiler checks the arguments against the format, and generates no code. For an empty format
 * it gets a variable, against which it checks nothing: such a tracepoint may have any arguments.
 */
#define KUTRACE_POINT_CHECK_(...) \
		if (0) { \
			const char *kutrace_point_any = " "; \
			kutrace_point_check(sizeof(KUTRACE_POINT_FORMAT_(__VA_ARGS__)) > 1 || \
				!KUTRACE_POINT_COUNT_(__VA_ARGS__) ? \
				" " KUTRACE_POINT_FORMAT_(__VA_ARGS__) : kutrace_point_any \
				KUTRACE_POINT_ALSO_(KUTRACE_POINT_ARG_, __VA_ARGS__)); \
		}

#define KUTRACE_POINT_DECLARE_REAL_(point, ...) \
	KUTRACE_POINT_EXTERN_ struct kutrace_point KUTRACE_POINT_OBJ_(point) \
		KUTRACE_POINT_VISIBLE_; \
	KUTRACE_POINT_ASSERT_(KUTRACE_POINT_FITS_(point, __VA_ARGS__), \
			      "tracepoint " #point " has too long a definition"); \
	KUTRACE_POINT_UNUSED_ static const struct kutrace_point_desc \
	kutrace_point_desc_##point = { \
		#point, KUTRACE_POINT_FORMAT_(__VA_ARGS__), \
		KUTRACE_POINT_COUNT_(__VA_ARGS__), 0, \
		{ KUTRACE_POINT_INIT_(KUTRACE_POINT_FIELD_, __VA_ARGS__) }, \
		{ KUTRACE_POINT_INIT_(KUTRACE_POINT_TYPE_, __VA_ARGS__) }, \
	}; \
	__attribute__((__noinline__, __unused__)) KUTRACE_POINT_COLD_ \
	static void kutrace_point_emit_##point(KUTRACE_POINT_PARAMS_(__VA_ARGS__)) \
	{ \
		struct kutrace_point_payload kutrace_point_to; \
		kutrace_point_to.used = 0; \
		kutrace_point_to.after = KUTRACE_POINT_COUNT_(__VA_ARGS__); \
		KUTRACE_POINT_DO_(KUTRACE_POINT_PUT_FIELD_, __VA_ARGS__) \
		kutrace_point_record(&KUTRACE_POINT_OBJ_(point), kutrace_point_to.word, \
				     kutrace_point_to.used); \
	} \
	KUTRACE_POINT_UNUSED_ \
	static inline void kutrace_point_##point(KUTRACE_POINT_PARAMS_(__VA_ARGS__)) \
	{ \
		KUTRACE_POINT_CHECK_(__VA_ARGS__) \
		if (__builtin_expect(__atomic_load_n(&KUTRACE_POINT_OBJ_(point).on, \
						     __ATOMIC_RELAXED), 0)) \
			kutrace_point_emit_##point( \
				KUTRACE_POINT_LIST_(KUTRACE_POINT_ARG_, __VA_ARGS__)); \
	} \
	struct kutrace_point

#define KUTRACE_POINT_DECLARE_NONE_(point, ...) \
	KUTRACE_POINT_UNUSED_ \
	static inline void kutrace_point_##point(KUTRACE_POINT_PARAMS_(__VA_ARGS__)) \
	{ \
		KUTRACE_POINT_CHECK_(__VA_ARGS__) \
	} \
	struct kutrace_point

#define KUTRACE_POINT_DEFINE_REAL_(point) \
	struct kutrace_point KUTRACE_POINT_OBJ_(point) = { \
		0, 0, { 0 }, 0, &kutrace_point_desc_##point, NULL, { 0 }, \
	}; \
	KUTRACE_POINT_CTOR_(point) \
	struct kutrace_point

#define KUTRACE_POINT_DEFINE_NONE_(point) struct kutrace_point

/* With a category: a build can leave out all tracepoints of a category. */
#define KUTRACE_POINT_DECLARE_IN(category, point, ...) \
	KUTRACE_POINT_BUILT_(category, point, KUTRACE_POINT_DECLARE_REAL_, \
			     KUTRACE_POINT_DECLARE_NONE_)(point, __VA_ARGS__)
#define KUTRACE_POINT_DEFINE_IN(category, point) \
	KUTRACE_POINT_BUILT_(category, point, KUTRACE_POINT_DEFINE_REAL_, \
			     KUTRACE_POINT_DEFINE_NONE_)(point)
#define KUTRACE_POINT_IN(category, point, ...) \
	KUTRACE_POINT_DECLARE_IN(category, point, __VA_ARGS__); \
	KUTRACE_POINT_DEFINE_IN(category, point)

#define KUTRACE_POINT_DECLARE(point, ...) KUTRACE_POINT_DECLARE_IN(point, point, __VA_ARGS__)
#define KUTRACE_POINT_DEFINE(point) KUTRACE_POINT_DEFINE_IN(point, point)
#define KUTRACE_POINT(point, ...) KUTRACE_POINT_IN(point, point, __VA_ARGS__)

#endif
