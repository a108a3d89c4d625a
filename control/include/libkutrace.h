/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libkutrace: marks in a program's own code, and control of recordings.
 *
 * Thread-safe. No function prints or exits. Marks do not change errno. A function that returns int
 * returns 0, the value that its comment describes, or a negative errno:
 *
 *   -ENODEV	the module is not loaded (no device, and no control system call)
 *   -EPERM	no permission for the device
 *   -EPROTO	the loaded module has another version of the interface
 *   -ENOSYS	the module found nothing in this kernel to attach to
 *   -EBUSY	a recording is running (another program's, or not stopped yet)
 *   -ENODATA	nothing has been recorded since the reset
 *   -EOPNOTSUPP	this machine has no hardware counters, or all are in use
 *   -ENOTCONN	needs the device; only the control system call is available
 *   -EBADMSG	the module's data contradict each other
 *   -ESTALE	another program changed the recording during a dump
 *   -ECANCELED	the progress function ended the dump
 *   -ESRCH	the session does not exist, or exists no longer
 *   -E2BIG	a struct requests something that this library does not support
 *   -ENOMEM	no memory for a session, for counters, or to attach to the kernel
 *   -EINVAL	an invalid argument, or the module refused the request
 *
 * Functions that write files also return the usual errors (-ENOSPC, -EACCES, -ENOENT ...), but
 * never -ENODEV, -EPERM or -EPROTO for a file. kutrace_explain() describes an error and its remedy.
 *
 * If the device does not exist or may not be opened, the library uses the control system call of a
 * patched kernel, if there is one. The call offers marks, the control of one recording, and dumps.
 * Functions that need the device return -ENOTCONN.
 *
 * Structs grow at their ends from version to version. The functions that read or fill a struct are
 * inline here, and pass its length to the library (in the _sized functions, which programs need not
 * call). So any program works with any version of the library. The library does not fill members
 * that the program's version lacks. Members that the library's version lacks must be 0: if the
 * program has set such a member, the result is -E2BIG. A length member holds the number of filled
 * bytes.
 *
 * The oldest supported standards are C11 and C++11. Link with -lkutrace (pkg-config libkutrace).
 * 64-bit programs only; a 32-bit program records marks by KUTRACE_IOC_MARK_ENTRY (kutrace_abi.h).
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
 * While nothing is recorded, a mark costs two loads and a branch: kutrace_active_word, the word it
 * points to, and the test. If only the control system call is available, each mark is this call,
 * also while nothing is recorded. The first mark opens the device. If there is no device, later
 * marks keep the low cost, until a control function of this program succeeds. While recording, a
 * mark is one system call. The opened device is inherited over fork() and works in the child.
 */

/* Points to a word that is 0 while nothing is recorded. Read-only. */
extern const volatile uint32_t *kutrace_active_word;

/* Internal part of the marks. Programs call the inline functions. */
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
 * Records a label of up to six characters of a-z 0-9 - . / . Upper case becomes lower case, any
 * other character becomes a dot, and characters after the sixth are cut.
 *
 * The page shows a, b and c differently, and shows "x" ... "/x" as a span. Errors are ignored, so
 * a mark cannot disturb the program.
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

/* Records the low 32 bits of a number. */
static inline void kutrace_mark_d(uint64_t number)
{
	if (kutrace_maybe_on())
		kutrace_mark_number_on(number);
}

/*
 * Records a one-word event, by its number in kutrace_events.h, with the low 32 bits of @arg.
 *
 * Events of categories mark, lock and net need the same permission as a mark. For other events,
 * the caller must be permitted to control recordings.
 *
 * Returns 0, also when nothing is recorded; -EINVAL if it is not a one-word event; or an error
 * listed above.
 */
static inline int kutrace_addevent(uint64_t event, uint64_t arg)
{
	return kutrace_maybe_on() ? kutrace_addevent_on(event, arg) : 0;
}

/*
 * Records an event as kutrace_addevent() does, and returns the number of recorded words: 1, or 0
 * when nothing is recorded. Returns a negative errno, for example -ENODEV without a module. Costs
 * a function call even while nothing is recorded.
 */
int kutrace_addevent_words(uint64_t event, uint64_t arg);

static inline int kutrace_do_event(uint64_t event, uint64_t arg)
{
	return kutrace_addevent(event, arg);
}

/* --- RPCs, locks, queues, resources -------------------------------------------
 *
 * While nothing is recorded, these functions cost as little as a mark and return 0. While
 * recording, they return 0, -EINVAL, -ENODEV (the module was unloaded) or -ENOSPC. After -ENOSPC,
 * the event was recorded without its name, because this process has put KUTRACE_KEPT_NAMES names
 * into this recording.
 *
 * None of these functions changes errno. Any thread, signal handlers and children of a fork may
 * call them.
 */

/*
 * Records that from now on the calling thread works on RPC @id: on its request, on its response, or
 * again after other work. An @id of 0 means no RPC. @method is the name of the RPC's method; NULL:
 * the method has been named already, or has no name.
 *
 * The low 16 bits of @id identify the method. Programs should reuse ids instead of counting up
 * without end.
 */
static inline int kutrace_rpc_request(uint32_t id, const char *method);
static inline int kutrace_rpc_response(uint32_t id, const char *method);
static inline int kutrace_rpc_middle(uint32_t id, const char *method);
/* Records that from now on the calling thread works on no RPC. */
static inline int kutrace_rpc_end(void);

/*
 * A lock of the program. Its place in the source identifies it:
 *
 *	static struct kutrace_lock lock = KUTRACE_LOCK_HERE;
 *
 * The string in file must stay valid. Locks with the same file (without its directory) and line
 * are the same lock.
 */
struct kutrace_lock {
	const char *file;
	uint32_t line;
	/* 0 at first; the result of kutrace_lock_number() after the first use */
	uint32_t number;
	uint64_t reserved;	/* zero */
};

#define KUTRACE_LOCK_HERE {__FILE__, __LINE__, 0, 0}

/* Records that the calling thread found the lock taken, and waits for it. */
static inline int kutrace_lock_try(struct kutrace_lock *lock);
/*
 * Records that the calling thread acquired the lock. After an acquisition without a wait, the call
 * is optional: it shows when the thread got the lock.
 */
static inline int kutrace_lock_acquired(struct kutrace_lock *lock);
/* Records that the calling thread released the lock, if @waiters is not 0 (threads wait). */
static inline int kutrace_lock_released(struct kutrace_lock *lock, int waiters);
/* Returns the number of the lock in the recording: a hash of "FILE:LINE", never 0. */
uint32_t kutrace_lock_number(const char *file, uint32_t line);

/* Record that the RPC of the calling thread goes onto the queue, or comes off it. */
static inline int kutrace_enqueue(uint32_t queue);
static inline int kutrace_dequeue(uint32_t queue);
/* Records that the calling thread uses the resource. */
static inline int kutrace_resource(uint32_t resource);

/*
 * Name a queue or a resource, at any time. This process retains the names. It puts them into every
 * recording in which one of the functions above is called, if it is permitted to control
 * recordings. Otherwise a permitted program must put them there: kutrace_kept_names() lists the
 * names. Return -ENOSPC if there are too many names.
 */
int kutrace_name_queue(uint32_t queue, const char *name);
int kutrace_name_resource(uint32_t resource, const char *name);

#define KUTRACE_KEPT_NAMES	8192

struct kutrace_kept_name {
	uint64_t event;		/* kind of name, for kutrace_addname() */
	uint64_t number;
	char name[64];
};

/*
 * Copies up to @room retained names, including names of locks and RPCs. Returns the number of
 * retained names.
 */
static inline size_t kutrace_kept_names(struct kutrace_kept_name *names, size_t room);
size_t kutrace_kept_names_sized(struct kutrace_kept_name *names, size_t room, size_t bytes);

/* Internal. Programs call the inline functions above. */
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
 * A recording does not end with the program that started it. Each session has its own recording,
 * so several can run at the same time. These functions apply to the session that the calling
 * thread uses (kutrace_session_use(), below). By default this is the main session.
 */

/*
 * Empties the buffer and records, until the buffer is full (go) or in wrap mode (gowrap).
 *
 * @process_name: name of the calling process at the start of the trace (only the last path
 * component); NULL or empty: the kernel's name of the process. If this program is already
 * recording, its recording is discarded. If another program is recording, returns -EBUSY.
 */
int kutrace_go(const char *process_name);
int kutrace_gowrap(const char *process_name);
/*
 * Does the same as kutrace_go(), and records instructions per cycle. Returns -EOPNOTSUPP if this
 * machine's counters are not available.
 */
int kutrace_goipc(const char *process_name);
int kutrace_goipcwrap(const char *process_name);

/*
 * Ends the recording, whichever program started it, and writes it to @fname (see
 * kutrace_do_dump()). The recording may have ended already.
 *
 * Returns -ENODATA also if the last start was refused and no recording has started since. The
 * buffer then still holds the previous recording, which kutrace_do_dump() writes.
 * kutrace_do_flush() returns -ENODATA in the same case.
 */
int kutrace_stop(const char *fname);

/* The single steps of go (reset, init, on) and of stop (off, flush, dump). */
#define KUTRACE_GO_IPC	1	/* bits of control_flags; these values are fixed */
#define KUTRACE_GO_WRAP	2
#define KUTRACE_GO_LLC	4
#define KUTRACE_GO_PERCPU 8	/* with WRAP: each CPU overwrites the oldest events of its share */
int kutrace_do_reset(uint64_t control_flags);
int kutrace_do_init(const char *process_name);
int kutrace_do_on(void);
/* Turns the recording off, then waits 20 ms for the CPUs to finish their stores. */
int kutrace_do_off(void);
int kutrace_do_flush(void);
int kutrace_do_dump(const char *fname);
/* Turns the recording off and discards the trace. Does not exit. */
int kutrace_do_quit(void);
/* Returns the number of bytes of trace buffer in use, or a negative errno. */
int64_t kutrace_do_stat(void);
/* Returns 1 while recording, 0 while not recording, or a negative errno. */
int kutrace_do_test(void);
/* Returns 1 while recording, 0 while not recording or after an error. */
int kutrace_test(void);

/* Returns 1 if a module is loaded that this library supports, otherwise 0. */
int kutrace_test_module(void);
/* Returns the module's version number, or ~0. */
uint64_t kutrace_version_module(void);

/*
 * Executes a control command (enum kutrace_command in kutrace_abi.h). Returns its result, or ~0 if
 * the module refused it, there is no module, or there is no permission.
 */
uint64_t kutrace_do_control(uint64_t command, uint64_t arg);

/*
 * Returns information about the module and the recording. The struct is defined in kutrace_abi.h.
 * This function sets its length member.
 */
int kutrace_get_info_sized(struct kutrace_info *info, size_t bytes);

static inline int kutrace_get_info(struct kutrace_info *info)
{
	return kutrace_get_info_sized(info, sizeof(*info));
}

/* --- dump ------------------------------------------------------------------- */

struct kutrace_dump_options {
	const char *tool;	/* name of the dumping tool, for the trace; NULL: libkutrace */
	/*
	 * Called from the dumping thread from time to time, also while it waits for the reader of
	 * a pipe. Any result except 0 cancels the dump. NULL: not called.
	 */
	int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
	void *progress_arg;
	/* owner of a new file, if root writes it; 0: root owns the file */
	uint32_t owner_uid, owner_gid;
	/* pid of the recorded program, for the fact "run" of the trace; 0: none */
	uint32_t program_pid;
	uint32_t reserved32;	/* zero */
	uint64_t reserved[3];	/* zero */
};

/* Properties of the written file. After an early error, members are zero. */
struct kutrace_dump_result {
	uint64_t bytes;		/* length of the file */
	uint64_t data_blocks;	/* number of blocks of 64 KiB, filled by CPUs */
	uint64_t name_blocks;	/* number of blocks of names, which precede the data blocks */
	uint64_t names;		/* number of names in the name blocks */
	uint64_t bad_names;	/* number of names in the module's buffer that could not be read */
	uint64_t bad_blocks;	/* number of blocks with an invalid header, which are left out */
	uint64_t duration_ns;	/* time from the start to the stop of the recording */
	uint64_t wrapped;	/* 1: older events were overwritten, 0: none */
	uint64_t lost[8];	/* numbers of lost events, by enum kutrace_lost_cause */
	/* number of blocks that were overwritten during a snapshot, and left out */
	uint64_t overwritten_blocks;
	uint64_t reserved[7];
};

/*
 * Writes the recording to the file @fname, as a version-3 raw trace. NULL or empty: a name such
 * as kutrace_20180606_121314_dclab-1_3456.trace in the current directory.
 *
 * The file gets its name only when it is complete. Until then it is a hidden file in the same
 * folder, which is removed after an error. Devices and pipes are written directly. A new file has
 * mode 0600; a replaced file keeps its mode.
 *
 * The recording must be off. The dump does not change it, so a failed dump can be repeated
 * elsewhere. @options and @result may be NULL.
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
 * Writes a trace of the present content of the buffer. The recording goes on meanwhile.
 *
 * Full blocks are written from the mapping. If a CPU is still filling a block, the filled part is
 * copied. After the writing, this function checks the number of each block. Blocks that were
 * overwritten meanwhile, and all older blocks, are left out and counted.
 *
 * Returns -EAGAIN if blocks are overwritten faster than they can be written, because the buffer
 * is too small; -ESTALE if another recording began meanwhile. If the recording is off, this is a
 * dump.
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
 * A trace that grows while recording goes on: it gets each block when the block is full.
 */

/* Which blocks have been sent, for a later call that continues the stream. All zero: none. */
struct kutrace_stream_state {
	uint64_t start_counts;	/* start of the recording */
	uint64_t next;		/* all earlier blocks were sent or lost, except the waiting ones */
	uint32_t waiting;	/* number of blocks that were still being filled */
	uint32_t reserved;	/* zero */
	uint64_t number[256];	/* numbers of the waiting blocks */
	/*
	 * CPUs took the blocks up to number first_taken before the stream began. first_taken and
	 * first_left are zero when next is greater than first_taken.
	 */
	uint64_t first_taken;
	uint64_t first_left;	/* number of blocks from next to first_taken */
};

struct kutrace_stream_options {
	const char *tool;	/* name of the tool, as in struct kutrace_dump_options */
	/*
	 * Returns the output. Called before every write and several times a second, also while a
	 * write waits for its reader.
	 *
	 *   0		go on with the same output
	 *   1		begin a new trace in *fd
	 *   negative	end the stream
	 *
	 * The first call must return 1. After a change, the old descriptor must stay open until
	 * complete() is called for it. Blocks whose write was waiting are sent to the new output
	 * from their beginning. @bytes: bytes written to this trace so far.
	 */
	int (*output)(void *arg, uint64_t bytes, int *fd);
	/*
	 * Called when a trace is complete. NULL: not called. @words are its stop time. The caller
	 * may write them at byte 32 of the trace, if that is still possible.
	 */
	void (*complete)(void *arg, const uint64_t words[2]);
	void *arg;
	/*
	 * Called when a block has been written. @number: block number. @bytes: size of the trace
	 * including this block. NULL: not called. A caller that uses acknowledgements puts the
	 * numbers of unacknowledged blocks back into the state's waiting blocks.
	 */
	void (*sent)(void *arg, uint64_t number, uint64_t bytes);
	uint64_t reserved[3];	/* zero */
};

struct kutrace_stream_result {
	uint64_t bytes;		/* size of all traces together */
	uint64_t data_blocks;
	uint64_t lost_blocks;	/* number of blocks that were overwritten before they were sent */
	uint64_t cut_bytes;	/* number of bytes of the block within which the last trace ends */
	uint64_t reserved[4];
};

/*
 * Sends full blocks until the recording ends (0), output() ends the stream (its result), or a
 * write fails. When the recording has ended, it also sends the blocks that are not full.
 *
 * @state: blocks that have been sent; they are not sent again. With a state of zero, all blocks
 * are sent. @result and @state may be NULL.
 *
 * The stop time is not known when the beginning of a trace is written. The trace gets a stop time
 * far in the future, which complete() may correct.
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
 * A session is a recording with its own buffer, mode, mask, filter and triggers. The main session
 * exists as long as the module is loaded. Sessions need the device (-ENOTCONN).
 *
 * A handle stands for an open session. The handle keeps a file open, so the module cannot be
 * unloaded until the handle is closed. Several threads may use a handle, except while one closes
 * it. Children of a fork() must not use it.
 */

struct kutrace_handle;

struct kutrace_session_options {
	uint32_t mb;		/* size of the buffer; 0: the size of the main session's buffer */
	uint32_t keep;	/* 1: the session outlives the handle; 0: closing the handle destroys it */
	uint64_t kinds;		/* kinds to record, see kutrace_mask(); 0: all kinds */
	uint64_t reserved[6];	/* zero */
};

/*
 * Creates a session. @name: up to 31 of a-z A-Z 0-9 . _ -; NULL or empty: the module chooses a
 * name. @options may be NULL.
 *
 * Returns -EEXIST if the name is in use, -ENOSPC if there is no free session, -ENOMEM if there is
 * no memory for the buffer, -EINVAL for an invalid name or size.
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
 * Opens a session. If @name is NULL or empty, opens the main session. For users without permission
 * for the main session, it opens the session uid-NUMBER (libkutrace(3)). Returns -ESRCH if the
 * session does not exist, -EPERM if it belongs to another user.
 */
int kutrace_session_open(const char *name, struct kutrace_handle **handle);
/* Closes the handle. Destroys the session if this handle created the session without keep. */
void kutrace_session_close(struct kutrace_handle *handle);
/*
 * Destroys the session and discards its recording. Returns -EPERM for the main session and for
 * another user's.
 */
int kutrace_session_destroy(const char *name);
const char *kutrace_session_name(const struct kutrace_handle *handle);
/* Makes the session outlive its handle. */
int kutrace_session_keep(struct kutrace_handle *handle);
/*
 * If @on is not 0, binds the recording to the handle: the recording then ends when the handle is
 * closed, even if this process is killed. If @on is 0, unbinds it. Programs should bind only their
 * own recordings. Returns -EBUSY if the recording is bound to another handle. The symbol in the
 * library has an older name.
 */
int kutrace_session_attend(struct kutrace_handle *handle, int on);

static inline int kutrace_session_bind(struct kutrace_handle *handle, int on)
{
	return kutrace_session_attend(handle, on);
}

/*
 * Selects the session for the calling thread's calls. If the handle is NULL, selects the main
 * session. Returns the previous selection.
 *
 * Marks and other events of programs go to every session that records them, even if another session
 * is selected.
 */
struct kutrace_handle *kutrace_session_use(struct kutrace_handle *handle);
/*
 * Returns the session with the lowest number that is at least @id; -ESRCH if there is none. The
 * struct is defined in kutrace_abi.h.
 */
int kutrace_session_next_sized(uint32_t id, struct kutrace_session *session, size_t bytes);

static inline int kutrace_session_next(uint32_t id, struct kutrace_session *session)
{
	return kutrace_session_next_sized(id, session, sizeof(*session));
}

/*
 * Selects the kinds of events that the session records, one bit for each (enum kutrace_kind in
 * kutrace_events.h). The bits in @mask get the value that they have in @value, also while
 * recording. With @mask 0 nothing changes. *@kinds (may be NULL) gets the resulting kinds. Returns
 * -EINVAL if @value or @mask has the bit of an unknown kind.
 */
int kutrace_mask(uint64_t value, uint64_t mask, uint64_t *kinds);
/*
 * Returns the losses of the session since its reset, by kind and for all causes, in
 * @kinds[KUTRACE_KINDS] (of kutrace_events.h, which the program includes). Needs the device
 * (-ENOTCONN).
 */
#define kutrace_lost(kinds) kutrace_lost_sized((kinds), KUTRACE_KINDS)
int kutrace_lost_sized(uint64_t *kinds, size_t count);
/*
 * Converts a list of names of categories and kinds, separated by commas, into the arguments of
 * kutrace_mask(). A list without a sign selects exactly these kinds. A list after + or - turns
 * these kinds on or off. "all" and "none" are names too.
 *
 * Returns -EINVAL for an unknown name. *@bad (may be NULL) then points to this name, which has
 * *@bad_length characters.
 */
int kutrace_kinds_parse(const char *list, uint64_t *value, uint64_t *mask,
			const char **bad, size_t *bad_length);
/* Returns the name of the kind; NULL: unknown kind. */
const char *kutrace_kind_name(unsigned int kind);
/* Returns the bit of the kind, and the bits of kinds that can only be switched together with it. */
uint64_t kutrace_kind_bits(unsigned int kind);
/* Return the category of a kind, and the kind of an event (-1: none). */
unsigned int kutrace_kind_category(unsigned int kind);
int kutrace_event_kind(uint64_t event);
/* Returns the kinds of a category (0: unknown category), its name, and its description. */
uint64_t kutrace_category(unsigned int category, char *name, size_t size, const char **text);

/*
 * In C++, a function with the name of a struct hides the constructor of the struct. This is
 * intended for the functions below.
 */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/*
 * Selects the tasks and CPUs to record (kutrace_abi.h). NULL removes the filter. This function sets
 * the member length.
 */
int kutrace_filter_sized(const struct kutrace_filter *filter, size_t bytes);

static inline int kutrace_filter(const struct kutrace_filter *filter)
{
	return kutrace_filter_sized(filter, sizeof(*filter));
}

/*
 * Adds a trigger (kutrace_abi.h) for the recording that is running or starts next. This function
 * sets the member length. NULL removes all triggers; a reset, for example by kutrace_go(), also
 * removes them. Returns -ENOSPC for too many triggers, -EOPNOTSUPP if this kernel does not show
 * such an event.
 */
int kutrace_trigger_sized(struct kutrace_trigger *trigger, size_t bytes);

static inline int kutrace_trigger(struct kutrace_trigger *trigger)
{
	return kutrace_trigger_sized(trigger, sizeof(*trigger));
}

/* Returns the last firing. Its member fired is 0 if no trigger has fired. */
int kutrace_fired_sized(struct kutrace_fired *fired, size_t bytes);

static inline int kutrace_fired(struct kutrace_fired *fired)
{
	return kutrace_fired_sized(fired, sizeof(*fired));
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/*
 * Waits until more triggers have fired than fired->fired, and the events after them have been
 * recorded. Returns 1 then, 0 after @timeout_ms (-1: no limit), and -ESTALE if the recording ended
 * without such a firing. Fills @fired.
 */
int kutrace_wait_sized(int timeout_ms, struct kutrace_fired *fired, size_t bytes);

static inline int kutrace_wait(int timeout_ms, struct kutrace_fired *fired)
{
	return kutrace_wait_sized(timeout_ms, fired, sizeof(*fired));
}

/*
 * Converts the text of a trigger, as in kutrace_control's --trigger: "syscall:futex>10ms",
 * "exit!=0@1234" ... Returns -EINVAL for an invalid text; @message then describes the error, cut
 * at @size.
 */
int kutrace_trigger_parse_sized(const char *spec, struct kutrace_trigger *trigger,
				size_t bytes, char *message, size_t size);

static inline int kutrace_trigger_parse(const char *spec, struct kutrace_trigger *trigger,
					char *message, size_t size)
{
	return kutrace_trigger_parse_sized(spec, trigger, sizeof(*trigger), message, size);
}

/* Convert a trigger, or a firing, to text, cut at @size. Both return @str. */
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
 * List and switch the typed tracepoints that programs have defined.
 *
 * kutrace_points_next() returns the tracepoint with the lowest id that is at least @id; -ESRCH if
 * there is none (kutrace_abi.h).
 *
 * kutrace_points_switch() switches tracepoints on or off by name. In @pattern, * and ? match other
 * characters. *@count gets the number of switched tracepoints. Returns -ESRCH if no name matches.
 * The function returns when the programs' switches have been written, after at most a second.
 * *@behind (may be NULL) gets the number of switches that could not be written, for all
 * tracepoints. A failed switch is written again when its tracepoint is switched again. After an
 * error both numbers are 0.
 */
int kutrace_points_next_sized(uint32_t id, struct kutrace_point_def *def, size_t bytes);

static inline int kutrace_points_next(uint32_t id, struct kutrace_point_def *def)
{
	return kutrace_points_next_sized(id, def, sizeof(*def));
}

int kutrace_points_switch(const char *pattern, int on, uint32_t *count, uint32_t *behind);

/* --- reading ----------------------------------------------------------------
 *
 * Reads the events in the session's buffer one by one in the order of their times, also while
 * recording goes on.
 */

struct kutrace_reader;

struct kutrace_seen {
	uint64_t counts;	/* time in counts */
	uint64_t real_ns;	/* time in nanoseconds since 1970 */
	uint32_t cpu;
	uint32_t pid;		/* pid of the task that runs on the CPU */
	/* event number; for names and typed tracepoints, without the length digit */
	uint32_t event;
	uint32_t arg;		/* argument; for a call, the low 16 bits of its first argument */
	int32_t value;		/* return value */
	uint32_t took_ns;	/* duration of the call, if returned is 1 */
	uint32_t returned;	/* 1: the return is in this entry; 0: the return is another event */
	uint32_t nwords;	/* number of words after the first */
	uint64_t words[7];
	const struct kutrace_reader *reader;
	uint64_t reserved[3];
};

struct kutrace_read_options {
	/* Called for each event. Any result except 0 ends kutrace_read(), which returns it. */
	int (*event)(void *arg, const struct kutrace_seen *seen);
	/*
	 * Called when all available events have been passed to event(). Returns the milliseconds to
	 * wait at most before reading on; 0 to end; a negative number to end with that result.
	 * After the recording has ended, the function is called once. NULL: reading ends instead.
	 */
	int (*more)(void *arg, int recording);
	void *arg;
	uint64_t reserved[4];	/* zero */
};

struct kutrace_read_result {
	uint64_t events;
	uint64_t lost_blocks;	/* number of blocks that were overwritten before they were read */
	uint64_t bad_words;	/* number of words that are not an entry */
	uint64_t names;		/* number of names in the name buffer */
	uint64_t reserved[4];
};

/*
 * Reads events. @result may be NULL. Returns -ENODATA if nothing was recorded; -ESTALE if another
 * recording has begun.
 */
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
 * Return the event with its argument as text, and the name of the running task, cut at @size. They
 * may be called only while kutrace_read() runs. Both return @str.
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
	int64_t number;		/* number of the object; only the low 32 bits are recorded */
	const char *name;	/* NULL ends a list */
};

/*
 * Put names into the recording. @event: kind of name (KUTRACE_NAME_*, e.g. of locks, queues, RPC
 * methods). Names are cut at 56 bytes. The caller must be permitted to control recordings.
 * kutrace_emit_names() returns the number of names, or a negative errno.
 *
 * The dump adds the names of system calls, traps, interrupts and errors.
 */
int kutrace_addname(uint64_t event, uint64_t number, const char *name);
int kutrace_emit_names(const struct kutrace_num_name *pairs, uint64_t event);

/* --- tools ------------------------------------------------------------------ */

/* Packs a label of up to six characters (see the marks) into 32 bits. @label NULL: returns 0. */
uint64_t kutrace_char_to_base40(const char *label);
/* Unpacks a label. @str has room for KUTRACE_LABEL_BYTES. Returns @str. */
#define KUTRACE_LABEL_BYTES 8
const char *kutrace_base40_to_char(uint64_t base40, char *str);

/*
 * Returns NAME_YYYYMMDD_HHMMSS_HOST_PID.trace in @str, which has room for KUTRACE_FILE_NAME_BYTES.
 * If @name is NULL, uses "kutrace".
 */
#define KUTRACE_FILE_NAME_BYTES 512
const char *kutrace_make_trace_file_name(const char *name, char *str);

/* Returns microseconds since 1970. */
int64_t kutrace_get_usec(void);
/*
 * Returns the present time of the trace's clock in counts. Without a module, returns the time
 * counter without a shift.
 */
int64_t kutrace_readtime(void);
void kutrace_msleep(int msec);

/*
 * Returns the meaning of an error (positive or negative errno) of a function above, and what to
 * do about it, in one line without newline, cut at @size. Returns @str.
 */
const char *kutrace_explain(int error, char *str, size_t size);
const char *kutrace_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
