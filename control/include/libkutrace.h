/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libkutrace: marks in a program's own code, and control of the recording.
 *
 * Thread-safe. Nothing here prints, exits or changes errno in a mark. Functions
 * that return int give 0 (or what their comment says) or a negative errno:
 *
 *   -ENODEV	the module is not loaded (no device, and no control system call)
 *   -EPERM	no permission for the device
 *   -EPROTO	the loaded module speaks another version of the interface
 *   -ENOSYS	the module found nothing in this kernel to attach to
 *   -EBUSY	a recording is running (somebody else's, or not stopped yet)
 *   -ENODATA	nothing has been recorded since the reset
 *   -EOPNOTSUPP this machine's counters cannot be had: it has none, or all are in use
 *   -ENOTCONN	needs the device; there is only the control system call
 *   -EBADMSG	what the module gave contradicts itself
 *   -ESTALE	the recording was changed by somebody during a dump
 *   -ECANCELED	the progress function asked to stop
 *   -ESRCH	there is no such session (any more)
 *   -E2BIG	a struct asks for something that this library does not know
 *   -ENOMEM	no memory for a session, for counters, or to attach to the kernel
 *   -EINVAL	a bad argument, or the module refused
 *
 * and for files the usual ones (-ENOSPC, -EACCES, -ENOENT ...), which are never
 * one of the first three. kutrace_explain() puts them into words.
 *
 * Where the device is not there or may not be opened, the control system call of
 * a patched kernel is used instead, if it is there: for all but snapshot and stream.
 *
 * Structs grow at their ends from one version to the next. Functions that read or fill
 * one are inline here and tell the library how long the program's is (the _sized ones,
 * which nobody else need call): so any program goes with any library. What the
 * library knows and the program does not is left out; what the program knows and the
 * library does not is 0, or, asked for by the program, -E2BIG. A length in a struct says
 * how much of it is filled in.
 *
 * The oldest standards supported are C11 and C++11. Link with -lkutrace (pkg-config libkutrace). 64-bit programs
 * only. A 32-bit program marks by KUTRACE_IOC_MARK_ENTRY (kutrace_abi.h).
 */
#ifndef LIBKUTRACE_H
#define LIBKUTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- marks ------------------------------------------------------------------
 *
 * While nothing is recorded a mark is a load of kutrace_active_word, a load
 * through it and a branch; by the control system call it is that call, though,
 * recording or not. The first mark opens the device; if there is none it
 * stays at that price for the life of the program (or until it calls one of the
 * control functions with success). While recording: one system call. The opened
 * device is inherited over fork() and works there.
 */

/* Points to a word that is 0 while nothing is recorded. Not to be written. */
extern const volatile uint32_t *kutrace_active_word;

/* The other half of the marks: call them through the inline functions. */
void kutrace_mark_label_on(int which, const char *label);
void kutrace_mark_number_on(uint64_t number);
int kutrace_addevent_on(uint64_t event, uint64_t arg);

static inline int kutrace_maybe_on(void)
{
	const volatile uint32_t *word =
		__atomic_load_n(&kutrace_active_word, __ATOMIC_RELAXED);

	return __builtin_expect(*word != 0, 0) != 0;
}

/*
 * A label of up to six characters of a-z 0-9 - . / ; upper case becomes lower,
 * any other character a dot, what follows the sixth is cut. a, b and c differ in
 * how they are shown; "x" ... "/x" is shown as a span. Errors are ignored: a
 * mark must not disturb the program it is in.
 */
static inline void kutrace_mark_a(const char *label)
{
	if (kutrace_maybe_on())
		kutrace_mark_label_on('a', label);
}

static inline void kutrace_mark_b(const char *label)
{
	if (kutrace_maybe_on())
		kutrace_mark_label_on('b', label);
}

static inline void kutrace_mark_c(const char *label)
{
	if (kutrace_maybe_on())
		kutrace_mark_label_on('c', label);
}

/* A number; its low 32 bits are recorded. */
static inline void kutrace_mark_d(uint64_t number)
{
	if (kutrace_maybe_on())
		kutrace_mark_number_on(number);
}

/*
 * Any one-word event, by its number in kutrace_events.h, with its low 32 bits of
 * argument. Events of categories mark, lock and net need no more permission
 * than a mark; for others the caller must be allowed to control recordings.
 * 0 (also when nothing is recorded), -EINVAL: not a one-word event, or as above.
 */
static inline int kutrace_addevent(uint64_t event, uint64_t arg)
{
	return kutrace_maybe_on() ? kutrace_addevent_on(event, arg) : 0;
}

/*
 * The same, and says whether it was recorded: 1 (word), 0 when nothing is recorded,
 * or negative, -ENODEV without a module. A call even while nothing is recorded.
 */
int kutrace_addevent_words(uint64_t event, uint64_t arg);

static inline int kutrace_do_event(uint64_t event, uint64_t arg)
{
	return kutrace_addevent(event, arg);
}

/* --- RPCs, locks, queues, resources -------------------------------------------
 *
 * As cheap as a mark while nothing is recorded; these return 0 then. While
 * recording: 0 when recorded, -EINVAL, -ENODEV (the module is gone), or -ENOSPC:
 * recorded, but without its name, because this process has put as many names into
 * this recording as one may (KUTRACE_KEPT_NAMES). None changes errno. Any thread,
 * signal handlers and children of a fork may call them.
 */

/*
 * The calling thread works on RPC id from here on: on its request, on its
 * response, or again after having worked on something else. 0 is no RPC. method
 * names it; NULL: has been named, or has no name. Methods are told apart by the low
 * 16 bits of id: use ids over again rather than counting up for ever.
 */
static inline int kutrace_rpc_request(uint32_t id, const char *method);
static inline int kutrace_rpc_response(uint32_t id, const char *method);
static inline int kutrace_rpc_middle(uint32_t id, const char *method);
/* The calling thread works on no RPC any more. */
static inline int kutrace_rpc_end(void);

/*
 * A lock of the program, known by where it is defined:
 *
 *	static struct kutrace_lock lock = KUTRACE_LOCK_HERE;
 *
 * file must stay; locks of the same file (without directory) and line are one.
 */
struct kutrace_lock {
	const char *file;
	uint32_t line;
	uint32_t number;	/* kutrace_lock_number(), once used; start with 0 */
	uint64_t reserved;	/* zero */
};

#define KUTRACE_LOCK_HERE {__FILE__, __LINE__, 0, 0}

/* Contended: the thread now waits. */
static inline int kutrace_lock_try(struct kutrace_lock *lock);
/* Acquired, after a try; or without one, if you want to see how long it is held. */
static inline int kutrace_lock_acquired(struct kutrace_lock *lock);
/* Released. Recorded if another thread waits for it. */
static inline int kutrace_lock_released(struct kutrace_lock *lock, int waiters);
/* What stands for a lock in the recording: a hash of "FILE:LINE", never 0. */
uint32_t kutrace_lock_number(const char *file, uint32_t line);

/* The RPC that the calling thread works on goes onto a queue, comes off it. */
static inline int kutrace_enqueue(uint32_t queue);
static inline int kutrace_dequeue(uint32_t queue);
/* The calling thread uses that resource. */
static inline int kutrace_resource(uint32_t resource);

/*
 * Names for numbers of those, given at any time: they are kept in this process,
 * and put into every recording during which one of the functions above is called,
 * if this process is allowed to control recordings; else somebody who is must do
 * it (kutrace_kept_names() says what). -ENOSPC: too many.
 */
int kutrace_name_queue(uint32_t queue, const char *name);
int kutrace_name_resource(uint32_t resource, const char *name);

#define KUTRACE_KEPT_NAMES	8192

struct kutrace_kept_name {
	uint64_t event;		/* name code, for kutrace_addname() */
	uint64_t number;
	char name[64];
};

/* Copies up to room of them, names of locks, RPCs ... included; how many there are. */
static inline size_t kutrace_kept_names(struct kutrace_kept_name *names, size_t room);
size_t kutrace_kept_names_sized(struct kutrace_kept_name *names, size_t room, size_t bytes);

/* The other half of these. */
int kutrace_rpc_on(int which, uint32_t id, const char *method);
int kutrace_lock_on(int which, struct kutrace_lock *lock);
int kutrace_queue_on(int which, uint32_t number);

static inline size_t kutrace_kept_names(struct kutrace_kept_name *names, size_t room)
{
	return kutrace_kept_names_sized(names, room, sizeof(*names));
}

static inline int kutrace_rpc_request(uint32_t id, const char *method)
{
	return kutrace_maybe_on() ? kutrace_rpc_on('q', id, method) : 0;
}

static inline int kutrace_rpc_response(uint32_t id, const char *method)
{
	return kutrace_maybe_on() ? kutrace_rpc_on('r', id, method) : 0;
}

static inline int kutrace_rpc_middle(uint32_t id, const char *method)
{
	return kutrace_maybe_on() ? kutrace_rpc_on('m', id, method) : 0;
}

static inline int kutrace_rpc_end(void)
{
	return kutrace_maybe_on() ? kutrace_rpc_on('m', 0, NULL) : 0;
}

static inline int kutrace_lock_try(struct kutrace_lock *lock)
{
	return kutrace_maybe_on() ? kutrace_lock_on('t', lock) : 0;
}

static inline int kutrace_lock_acquired(struct kutrace_lock *lock)
{
	return kutrace_maybe_on() ? kutrace_lock_on('a', lock) : 0;
}

static inline int kutrace_lock_released(struct kutrace_lock *lock, int waiters)
{
	return waiters && kutrace_maybe_on() ? kutrace_lock_on('r', lock) : 0;
}

static inline int kutrace_enqueue(uint32_t queue)
{
	return kutrace_maybe_on() ? kutrace_queue_on('e', queue) : 0;
}

static inline int kutrace_dequeue(uint32_t queue)
{
	return kutrace_maybe_on() ? kutrace_queue_on('d', queue) : 0;
}

static inline int kutrace_resource(uint32_t resource)
{
	return kutrace_maybe_on() ? kutrace_queue_on('u', resource) : 0;
}

/* --- recording --------------------------------------------------------------
 *
 * A recording outlives the program that started it. There may be several at once, one
 * in each session: these functions are about the session that the calling thread uses
 * (kutrace_session_use(), below), which is the main one unless it says otherwise.
 */

/*
 * Empties the buffer and records until it is full (go) or over and over
 * (gowrap). process_name is how the calling process is shown at the start (its
 * last path component is used); NULL or empty: as the kernel knows it. If this
 * program itself is recording already, that recording is given up; somebody
 * else's is not: -EBUSY.
 */
int kutrace_go(const char *process_name);
int kutrace_gowrap(const char *process_name);
/* With instructions per cycle: -EOPNOTSUPP with this module. */
int kutrace_goipc(const char *process_name);
int kutrace_goipcwrap(const char *process_name);

/*
 * Ends the recording, whoever started it, if it has not ended already, and
 * writes it to fname (see kutrace_do_dump). -ENODATA also when go was refused and
 * nothing has been begun since: what is there then is the recording before, which
 * kutrace_do_dump() writes. kutrace_do_flush() says the same.
 */
int kutrace_stop(const char *fname);

/* The single steps: go = reset, init, on; stop = off, flush, dump. */
#define KUTRACE_GO_IPC	1	/* bits of control_flags; numbers of the format */
#define KUTRACE_GO_WRAP	2
#define KUTRACE_GO_LLC	4
#define KUTRACE_GO_PERCPU 8	/* with WRAP: each CPU overwrites the oldest events of its share */
int kutrace_do_reset(uint64_t control_flags);
int kutrace_do_init(const char *process_name);
int kutrace_do_on(void);
/* Waits 20 ms for the CPUs to finish their stores. */
int kutrace_do_off(void);
int kutrace_do_flush(void);
int kutrace_do_dump(const char *fname);
/* Turns recording off; the trace is given up. Does not exit. */
int kutrace_do_quit(void);
/* Bytes of trace buffer in use, or negative. */
int64_t kutrace_do_stat(void);
/* 1 recording, 0 not recording, or negative. */
int kutrace_do_test(void);
/* 1 recording, 0 not recording or not to be known. */
int kutrace_test(void);

/* 1 if a module is loaded that this library can work with, else 0. */
int kutrace_test_module(void);
/* The module's version number, or ~0. */
uint64_t kutrace_version_module(void);

/*
 * One control command (enum kutrace_command in kutrace_abi.h). Returns the
 * command's result; ~0: refused, no module, or no permission.
 */
uint64_t kutrace_do_control(uint64_t command, uint64_t arg);

/*
 * All that the module says about itself and the recording. The struct is that of
 * kutrace_abi.h; its length field is set here.
 */
int kutrace_get_info_sized(struct kutrace_info *info, size_t bytes);

static inline int kutrace_get_info(struct kutrace_info *info)
{
	return kutrace_get_info_sized(info, sizeof(*info));
}

/* --- dump ------------------------------------------------------------------- */

struct kutrace_dump_options {
	const char *tool;	/* who dumps, for the trace; NULL: libkutrace */
	/*
	 * Called now and then from the dumping thread, also while that waits for the
	 * reader of a pipe; anything but 0 cancels. NULL: not called.
	 */
	int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_arg;
	/* a new file is theirs, if root writes it; 0: nobody else's */
	uint32_t owner_uid, owner_gid;
	uint64_t reserved[4];	/* zero */
};

/* What is in the file, or would be: zero where the dump failed before. */
struct kutrace_dump_result {
	uint64_t bytes;		/* length of the file */
	uint64_t data_blocks;	/* blocks of 64 KiB that CPUs have filled */
	uint64_t name_blocks;	/* blocks of names in front of them */
	uint64_t names;		/* names in those */
	uint64_t bad_names;	/* names of the kernel that could not be read */
	uint64_t bad_blocks;	/* blocks left out for an impossible header */
	uint64_t duration_ns;	/* start to stop */
	uint64_t wrapped;	/* 1: older events were overwritten */
	uint64_t lost[8];	/* events lost, by enum kutrace_lost_cause */
	uint64_t overwritten_blocks;	/* while a snapshot was taken: left out */
	uint64_t reserved[7];
};

/*
 * Writes what was recorded to the file fname, as a version-3 raw trace; NULL or
 * empty: a name like kutrace_20180606_121314_dclab-1_3456.trace in the current
 * directory. The file appears under its name only when it is whole: until then
 * it is a hidden file beside it, which is removed on failure. (Devices and pipes
 * are written directly.) A new file has mode 0600; one that is overwritten keeps its
 * mode. The recording must be off; it is kept, so a failed dump can be repeated
 * elsewhere. options and result may be NULL.
 */
int kutrace_dump_sized(const char *fname, const struct kutrace_dump_options *options,
		       size_t options_bytes, struct kutrace_dump_result *result,
		       size_t result_bytes);

static inline int kutrace_dump(const char *fname, const struct kutrace_dump_options *options,
			       struct kutrace_dump_result *result)
{
	return kutrace_dump_sized(fname, options, sizeof(*options), result, sizeof(*result));
}

/*
 * The same while recording goes on: what is in the buffer now, without stopping
 * anything. Full blocks are written from the mapping, those that CPUs write to are
 * copied as far as they are filled, each checked by its number afterwards. What was
 * overwritten meanwhile is left out, with all that is older, and counted; if that
 * goes on and on, because the buffer is too small for what is recorded: -EAGAIN. With
 * recording off it is a dump. -ESTALE: another recording began meanwhile.
 */
int kutrace_snapshot_sized(const char *fname, const struct kutrace_dump_options *options,
			   size_t options_bytes, struct kutrace_dump_result *result,
			   size_t result_bytes);

static inline int kutrace_snapshot(const char *fname,
				   const struct kutrace_dump_options *options,
				   struct kutrace_dump_result *result)
{
	return kutrace_snapshot_sized(fname, options, sizeof(*options), result,
				      sizeof(*result));
}

/* --- stream -----------------------------------------------------------------
 *
 * A trace that grows while recording goes on: block by block as they are filled.
 */

/* Which blocks of which recording have been sent; zero: none. To go on later. */
struct kutrace_stream_state {
	uint64_t start_counts;	/* the recording */
	uint64_t next;		/* all blocks before this number, but those below */
	uint32_t waiting;	/* how many were still being filled: */
	uint32_t reserved;	/* zero */
	uint64_t number[256];	/* theirs */
	/* Numbers up to first_taken are from before the stream's beginning. Both are zero when next is greater. */
	uint64_t first_taken;
	uint64_t first_left;	/* how many numbers from next to first_taken had a block */
};

struct kutrace_stream_options {
	const char *tool;	/* as for a dump */
	/*
	 * Called before every write and several times a second, also while a write waits
	 * for its reader: where to? 0: go on as before; 1: to *fd, as a new trace (the
	 * first time: always this; what was written to before stays open until
	 * complete(); what was waiting is sent there from its beginning); negative: no
	 * more. bytes: written to this trace so far.
	 */
	int (*output)(void *arg, uint64_t bytes, int *fd);
	/*
	 * Called when a trace has its end; NULL: not called. words belong at byte 32
	 * of it, where that can be written still.
	 */
	void (*complete)(void *arg, const uint64_t words[2]);
	void *arg;
	/*
	 * Called when a block has been written, by its number, and how many bytes of the
	 * trace there are with it; NULL: not called. Who must know what has arrived
	 * puts the numbers of what has not back into the state's waiting ones.
	 */
	void (*sent)(void *arg, uint64_t number, uint64_t bytes);
	uint64_t reserved[3];	/* zero */
};

struct kutrace_stream_result {
	uint64_t bytes;		/* of all traces */
	uint64_t data_blocks;
	uint64_t lost_blocks;	/* overwritten before they were sent */
	uint64_t cut_bytes;	/* of the block in the middle of which the last trace ends */
	uint64_t reserved[4];
};

/*
 * Sends blocks until recording ends (0), output() says so (what it says), or a write
 * fails. Full blocks only, until recording has ended. In *state what has been sent by
 * then; what it says at the beginning is not sent again. All may be read anew with
 * state zero. result and state may be NULL. The clock of a trace is complete before
 * its end is known: its stop time is far ahead, unless it is corrected (complete()).
 */
int kutrace_stream_sized(const struct kutrace_stream_options *options, size_t options_bytes,
			 struct kutrace_stream_state *state, size_t state_bytes,
			 struct kutrace_stream_result *result, size_t result_bytes);

static inline int kutrace_stream(const struct kutrace_stream_options *options,
				 struct kutrace_stream_state *state,
				 struct kutrace_stream_result *result)
{
	return kutrace_stream_sized(options, sizeof(*options), state, sizeof(*state), result,
				    sizeof(*result));
}

/* --- sessions ---------------------------------------------------------------
 *
 * A session is a recording with a buffer, a mode, a mask and filters of its own. The
 * main one is there as long as the module is. They need the device (-ENOTCONN).
 *
 * A handle stands for an open session. It keeps a file open, and so the module from
 * being unloaded, until it is closed. Handles may be used by several threads, but not
 * while one closes them; they are not for the children of a fork().
 */

struct kutrace_handle;

struct kutrace_session_options {
	uint32_t mb;		/* size; 0: as the main one's */
	uint32_t keep;		/* 1: outlives the handle; 0: is destroyed with it */
	uint64_t kinds;		/* what it records, see kutrace_mask(); 0: everything */
	uint64_t reserved[6];	/* zero */
};

/*
 * name: up to 31 of a-z A-Z 0-9 . _ -; NULL or empty: one is made up. options may be
 * NULL. -EEXIST: there is one of that name, -ENOSPC: there are as many as there may
 * be, -ENOMEM: no room for its buffer, -EINVAL: not a name, or a size.
 */
int kutrace_session_create_sized(const char *name,
				 const struct kutrace_session_options *options, size_t bytes,
				 struct kutrace_handle **handle);

static inline int kutrace_session_create(const char *name,
					 const struct kutrace_session_options *options,
					 struct kutrace_handle **handle)
{
	return kutrace_session_create_sized(name, options, sizeof(*options), handle);
}

/*
 * NULL or empty: the main one; for who may not use that, the session uid-NUMBER (libkutrace(3)).
 * -ESRCH; -EPERM: another user's.
 */
int kutrace_session_open(const char *name, struct kutrace_handle **handle);
/* Of a session that is not kept it is the end, if it was created by this handle. */
void kutrace_session_close(struct kutrace_handle *handle);
/* Ends its recording, which is given up. -EPERM: the main one, or another user's. */
int kutrace_session_destroy(const char *name);
const char *kutrace_session_name(const struct kutrace_handle *handle);
/* It outlives its handle, after all. */
int kutrace_session_keep(struct kutrace_handle *handle);
/*
 * on: its recording ends when the handle is closed, however that comes about, be it
 * that this process is killed. Off again: it does not. Attend what is your own:
 * somebody else's recording would end as well. -EBUSY: it is bound to another handle.
 */
int kutrace_session_attend(struct kutrace_handle *handle, int on);
/*
 * The calling thread's calls are about that session from here on; NULL: about the main
 * one. Returns what it was before. Marks and other events of programs go to every
 * session that records them, whatever is used.
 */
struct kutrace_handle *kutrace_session_use(struct kutrace_handle *handle);
/*
 * The session with the lowest number that is not below id; -ESRCH: there is none. The
 * struct is that of kutrace_abi.h.
 */
int kutrace_session_next_sized(uint32_t id, struct kutrace_session *session, size_t bytes);

static inline int kutrace_session_next(uint32_t id, struct kutrace_session *session)
{
	return kutrace_session_next_sized(id, session, sizeof(*session));
}

/*
 * What the session records: kinds of events, a bit each (enum kutrace_kind in
 * kutrace_events.h). Bits of mask become those of value, also while recording; mask 0
 * asks. *kinds (may be NULL) are those from then on. -EINVAL: value or mask has the bit of an
 * unknown kind.
 */
int kutrace_mask(uint64_t value, uint64_t mask, uint64_t *kinds);
/*
 * What the session lost of each kind since its reset, whatever the cause, to
 * kinds[KUTRACE_KINDS] (of kutrace_events.h, which the program includes); only the device
 * can tell (-ENOTCONN).
 */
#define kutrace_lost(kinds) kutrace_lost_sized((kinds), KUTRACE_KINDS)
int kutrace_lost_sized(uint64_t *kinds, size_t count);
/*
 * Names of categories and kinds, separated by commas: exactly these; with + or - in
 * front, these on or off. all, none. For kutrace_mask(). -EINVAL: *bad (may be NULL)
 * is the word that is none, of *bad_length characters.
 */
int kutrace_kinds_parse(const char *list, uint64_t *value, uint64_t *mask,
			const char **bad, size_t *bad_length);
/* NULL: there is no such kind. */
const char *kutrace_kind_name(unsigned int kind);
/* Its bit, with those of kinds that can only be switched together with it. */
uint64_t kutrace_kind_bits(unsigned int kind);
/* A kind's category, an event's kind (-1: it has none). */
unsigned int kutrace_kind_category(unsigned int kind);
int kutrace_event_kind(uint64_t event);
/* The kinds of a category, 0: there is none such; its name, and what it is about. */
uint64_t kutrace_category(unsigned int category, char *name, size_t size, const char **text);

/*
 * In C++ a function with the name of a struct hides the constructor of the struct. This is intended for the
 * functions below.
 */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* Whose events, on which CPUs (kutrace_abi.h; length is set here). NULL: no filter. */
int kutrace_filter_sized(const struct kutrace_filter *filter, size_t bytes);

static inline int kutrace_filter(const struct kutrace_filter *filter)
{
	return kutrace_filter_sized(filter, sizeof(*filter));
}

/*
 * Adds something that the session waits for (kutrace_abi.h; length is set here), for
 * the recording that is running or is turned on next; kutrace_go() and others that
 * reset take all triggers away, as NULL does. -ENOSPC: too many, -EOPNOTSUPP: this
 * kernel does not show such a thing.
 */
int kutrace_trigger_sized(struct kutrace_trigger *trigger, size_t bytes);

static inline int kutrace_trigger(struct kutrace_trigger *trigger)
{
	return kutrace_trigger_sized(trigger, sizeof(*trigger));
}

/* What fired last; fired is 0 in it: nothing has. */
int kutrace_fired_sized(struct kutrace_fired *fired, size_t bytes);

static inline int kutrace_fired(struct kutrace_fired *fired)
{
	return kutrace_fired_sized(fired, sizeof(*fired));
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/*
 * Waits until more have fired than fired->fired, and what was to be recorded after
 * that has been: 1. 0: not within so long (-1: for ever). -ESTALE: the recording has
 * ended without. Fills fired.
 */
int kutrace_wait_sized(int timeout_ms, struct kutrace_fired *fired, size_t bytes);

static inline int kutrace_wait(int timeout_ms, struct kutrace_fired *fired)
{
	return kutrace_wait_sized(timeout_ms, fired, sizeof(*fired));
}

/*
 * As kutrace_control's --trigger: "syscall:futex>10ms", "exit!=0@1234" ... -EINVAL:
 * message, cut at size, says what is wrong.
 */
int kutrace_trigger_parse_sized(const char *spec, struct kutrace_trigger *trigger,
				size_t bytes, char *message, size_t size);

static inline int kutrace_trigger_parse(const char *spec, struct kutrace_trigger *trigger,
					char *message, size_t size)
{
	return kutrace_trigger_parse_sized(spec, trigger, sizeof(*trigger), message, size);
}

/* Back, and what has fired in words; cut at size. Both return str. */
const char *kutrace_trigger_text_sized(const struct kutrace_trigger *trigger, size_t bytes,
				       char *str, size_t size);
const char *kutrace_fired_text_sized(const struct kutrace_fired *fired, size_t bytes,
				     char *str, size_t size);

static inline const char *kutrace_trigger_text(const struct kutrace_trigger *trigger,
					       char *str, size_t size)
{
	return kutrace_trigger_text_sized(trigger, sizeof(*trigger), str, size);
}

static inline const char *kutrace_fired_text(const struct kutrace_fired *fired, char *str,
					     size_t size)
{
	return kutrace_fired_text_sized(fired, sizeof(*fired), str, size);
}

/*
 * Typed tracepoints that programs have defined: the one with the lowest id that is not
 * below id, -ESRCH: there is none (kutrace_abi.h). On or off by name, in which * and ?
 * are patterns; *count of them: -ESRCH: none. Returns when programs have been told, a
 * second later at most; *behind (may be NULL): of how many of their objects, whatever the
 * pattern, the byte that says whether to record could not be written: tried again when
 * theirs is switched again. 0 for both after an error.
 */
int kutrace_points_next_sized(uint32_t id, struct kutrace_point_def *def, size_t bytes);

static inline int kutrace_points_next(uint32_t id, struct kutrace_point_def *def)
{
	return kutrace_points_next_sized(id, def, sizeof(*def));
}

int kutrace_points_switch(const char *pattern, int on, uint32_t *count, uint32_t *behind);

/* --- reading ----------------------------------------------------------------
 *
 * What is in the session's buffer, event by event in the order of their times, also
 * while recording goes on.
 */

struct kutrace_reader;

struct kutrace_seen {
	uint64_t counts;	/* when */
	uint64_t real_ns;	/* the same as nanoseconds since 1970 */
	uint32_t cpu;
	uint32_t pid;		/* of the task that runs there */
	uint32_t event;		/* its number; of names and points without their length */
	uint32_t arg;		/* of a call its first argument, 16 bits */
	int32_t value;		/* what the call returned */
	uint32_t took_ns;	/* the call, and */
	uint32_t returned;	/* 1: it has its return; 0: that is another event */
	uint32_t nwords;	/* behind the first: */
	uint64_t words[7];
	const struct kutrace_reader *reader;
	uint64_t reserved[3];
};

struct kutrace_read_options {
	/* Called for each; anything but 0 ends it, with that. */
	int (*event)(void *arg, const struct kutrace_seen *seen);
	/*
	 * Called when all that is there has been handed out: how many milliseconds to
	 * wait at most before looking again; 0: enough; negative: enough, with that.
	 * After recording has ended it is called once. NULL: enough.
	 */
	int (*more)(void *arg, int recording);
	void *arg;
	uint64_t reserved[4];	/* zero */
};

struct kutrace_read_result {
	uint64_t events;
	uint64_t lost_blocks;	/* overwritten before they were read */
	uint64_t bad_words;	/* that are no entry */
	uint64_t names;		/* in the buffer that names have of their own */
	uint64_t reserved[4];
};

/* result may be NULL. -ENODATA; -ESTALE: another recording has begun. */
int kutrace_read_sized(const struct kutrace_read_options *options, size_t options_bytes,
		       struct kutrace_read_result *result, size_t result_bytes,
		       size_t seen_bytes);

static inline int kutrace_read(const struct kutrace_read_options *options,
			       struct kutrace_read_result *result)
{
	return kutrace_read_sized(options, sizeof(*options), result, sizeof(*result),
				  sizeof(struct kutrace_seen));
}

/*
 * The event with its argument, the name of the task that runs; cut at size. To be
 * called while kutrace_read() has not returned. Both return str.
 */
const char *kutrace_seen_text_sized(const struct kutrace_seen *seen, size_t bytes, char *str,
				    size_t size);
const char *kutrace_seen_process_sized(const struct kutrace_seen *seen, size_t bytes,
				       char *str, size_t size);

static inline const char *kutrace_seen_text(const struct kutrace_seen *seen, char *str,
					    size_t size)
{
	return kutrace_seen_text_sized(seen, sizeof(*seen), str, size);
}

static inline const char *kutrace_seen_process(const struct kutrace_seen *seen, char *str,
					       size_t size)
{
	return kutrace_seen_process_sized(seen, sizeof(*seen), str, size);
}

/* --- names ------------------------------------------------------------------ */

struct kutrace_num_name {
	int64_t number;		/* its low 32 bits are recorded */
	const char *name;	/* NULL ends a list */
};

/*
 * Puts names into the recording: event is a name code (KUTRACE_NAME_*, e.g. of
 * locks, queues, RPC methods). Names are cut at 56 bytes. Needs the permission
 * to control recordings. emit_names: how many were put in, or negative.
 * (The names of system calls, traps, interrupts and errors come with the dump.)
 */
int kutrace_addname(uint64_t event, uint64_t number, const char *name);
int kutrace_emit_names(const struct kutrace_num_name *pairs, uint64_t event);

/* --- tools ------------------------------------------------------------------ */

/* Six characters a label (see the marks) packed into 32 bits. NULL: 0. */
uint64_t kutrace_char_to_base40(const char *label);
/* Back; str has room for KUTRACE_LABEL_BYTES. Returns str. */
#define KUTRACE_LABEL_BYTES 8
const char *kutrace_base40_to_char(uint64_t base40, char *str);

/*
 * NAME_YYYYMMDD_HHMMSS_HOST_PID.trace; str has room for KUTRACE_FILE_NAME_BYTES.
 * NULL: "kutrace". Returns str.
 */
#define KUTRACE_FILE_NAME_BYTES 512
const char *kutrace_make_trace_file_name(const char *name, char *str);

/* Microseconds since 1970. */
int64_t kutrace_get_usec(void);
/* Counts of the trace's clock now; without a module, of the unshifted counter. */
int64_t kutrace_readtime(void);
void kutrace_msleep(int msec);

/*
 * What the error (positive or negative errno) of a function above means and
 * what to do about it, in one line without newline, cut at size. Returns str.
 */
const char *kutrace_explain(int error, char *str, size_t size);
const char *kutrace_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
