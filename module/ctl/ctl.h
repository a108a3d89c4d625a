/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of ctl/ and main.c use. Process context, may sleep, if not stated. */
#ifndef KU_CTL_H
#define KU_CTL_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "point/point.h"
#include "session/sessions.h"
#include "session/state.h"
#include "uapi/kutrace_abi.h"

struct file;
struct ku_user;
struct ku_view;
struct vm_area_struct;

/* ---- access.c: rights ---- */

/* @marks_all: everyone may mark. @gid: the group that may control in this case. */
void ku_access_init(bool marks_all, kgid_t gid);
bool ku_access_all_mark(void);
/* Allows device files to be opened. The initialization must not fail afterwards. */
void ku_access_allow(void);
bool ku_access_allowed(void);
/* Returns true if the opener of @file may control and read all sessions. */
bool ku_access_capable(struct file *file);
/*
 * Returns true if the opener of @file may control and read @session: the opener owns it or is
 * capable. The user who loaded the module owns the main session.
 */
bool ku_access_owns(struct file *file, const struct ku_session *session);
/*
 * Returns true if the opener of @file may make a session of that name, of up to @size bytes. Each
 * user's commands look for that user's session under the name "uid-NUMBER", so nobody else may use
 * such a name. NUMBER is the user id outside of all user namespaces.
 */
bool ku_access_may_name(struct file *file, const char *name, size_t size);
/* Returns true if the opener of @file may control. Call it from open() only. */
bool ku_access_may_control(struct file *file);
/* Returns true if kernel lockdown forbids tracing, also for root. */
bool ku_access_locked_down(void);

/* ---- open files of /dev/kutrace/control: device.c and map.c ---- */

/* An open file. Refers to one session, and holds a reference to it. */
struct ku_file {
	struct ku_session *session;
	bool control;		/* may change and read recordings of its own sessions */
	bool owns_main;		/* may also change and read the main session; from open() */
	bool used;		/* mapped or polled: cannot change its session */
	bool created;		/* the file created the session, which may end with it */
	u64 seen_blocks;	/* number of taken blocks at the last INFO */
	u32 seen_fired;		/* number of completed triggers at the last FIRED */
	/*
	 * Protects @session and @created. ku_session_lock is taken inside this lock, so this lock
	 * must not be taken inside mmap_lock.
	 */
	struct mutex lock;
	/* Protects @session and @used for mmap(), which must not sleep. Innermost lock. */
	spinlock_t use;
	struct ku_point_file points;
};

/*
 * Returns true if the file may change and read the recording of @session. Ownership of any other
 * session than the main session was checked when the file selected it.
 */
static inline bool ku_file_owns(const struct ku_file *mine, const struct ku_session *session)
{
	return mine->owns_main || session != ku_session_main();
}

/* Returns the file's session, which the file can no longer change. mmap_lock may be held. */
static inline struct ku_session *ku_file_use(struct ku_file *mine)
{
	struct ku_session *session;

	spin_lock(&mine->use);
	session = mine->session;
	mine->used = true;
	spin_unlock(&mine->use);
	return session;
}

/* ---- device.c: /dev/kutrace/control, with the interface of uapi/kutrace_abi.h ---- */

/* @mode: permission bits of the node, ignored if everyone may mark. Returns 0 or -errno. */
int ku_dev_init(unsigned int mode);
void ku_dev_exit(void);

/* ---- map.c: maps a session into a program, read-only ---- */

int ku_map(struct file *file, struct vm_area_struct *vma);

/* ---- files.c: the nodes for scripts in /dev/kutrace (uapi/kutrace_files.h) ---- */

/*
 * Creates the nodes, after the sessions were initialized. @mode, @gid: permission bits and group of
 * the nodes. Returns 0 or -errno.
 */
int ku_files_init(umode_t mode, kgid_t gid);
void ku_files_exit(void);

/* An open file of a node, for files.c and files_cpu.c. */
struct ku_open {
	struct mutex lock;	/* protects the following fields, except owns_main, minor and cpu */
	struct ku_session *session;
	bool owns_main;		/* may control and read the main session; decided at open() */
	u32 minor;		/* KU_NODE_*; KU_NODE_CPU + N for CPU N */
	u32 cpu;
	char *data;		/* content to read; from vmalloc() */
	size_t len, used;	/* bytes in @data; bytes of a cpuNNN block already returned */

	/* The following fields are for cpuNNN. */
	u64 recording;		/* start time of the recording that the next fields describe */
	u64 after;		/* sequence number of the last returned block */
	u64 expected;		/* sequence number of the next block; 0: unknown */
	u64 stored;		/* finished blocks up to this number have no pending stores */
	u64 since;		/* skip blocks whose latest entry is before this time (counts) */
	bool since_passed;	/* a block was returned: later blocks are not before @since */
	bool lost;		/* blocks were overwritten before they were read */
	bool polled;		/* the file can no longer select another session */
};

enum { KU_NODE_CTL, KU_NODE_LIST, KU_NODE_AUX, KU_NODE_CPU };

/* ---- files_cpu.c: reads /dev/kutrace/cpuNNN; the file's lock is held ---- */

ssize_t ku_files_cpu_read(struct ku_open *mine, char __user *to, size_t count);
__poll_t ku_files_cpu_poll(struct ku_open *mine);

/* ---- files_list.c: /dev/kutrace/tracepoints ---- */

/* Returns the content, which the caller frees with vfree(), or NULL: out of memory, or killed. */
char *ku_files_list(struct ku_session *session, size_t *len);
/*
 * Switches the kinds and the typed tracepoints whose names match @pattern. Returns 0, -ENOENT, or
 * an error of ku_session_set_kinds().
 */
int ku_files_switch(struct ku_session *session, const char *pattern, bool on);

/* ---- call.c: commands of KUTRACE_IOC_CONTROL, where ~0 means refused ---- */

u64 ku_call(struct ku_session *session, u64 command, u64 arg);
/*
 * Returns true if @command needs only the right to control, not ownership of the session: a query,
 * or the insertion of a point or name.
 */
bool ku_call_is_open(u64 command);
/* Executes KUTRACE_CMD_RESET. Returns the result of ku_session_reset(). */
int ku_call_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/* Makes KUTRACE_CMD_ON of the main session fail until a reset of that session succeeds. */
void ku_call_refuse_on(void);
/* Executes KUTRACE_CMD_ON. Returns -EINVAL after a refused reset, otherwise as ku_session_on(). */
int ku_call_on(struct ku_session *session);
int ku_call_info(struct ku_session *session, struct kutrace_info __user *user,
		 u64 *taken_blocks);

/* ---- call_read.c: commands that read a recording ---- */

#define KU_REFUSED	(~0ULL)

u64 ku_call_flush(struct ku_session *session);
u64 ku_call_count(struct ku_session *session);
u64 ku_call_word(struct ku_session *session, u64 index);
u64 ku_call_ipc_word(struct ku_session *session, u64 index);
u64 ku_call_set(struct ku_session *session, u64 index);
u64 ku_call_get(struct ku_session *session, u64 pointer);
u64 ku_call_get_ipc(struct ku_session *session, u64 pointer);

/* ---- insert.c: marks, other points and names from user space ---- */

/* Categories of the events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/*
 * Records a point of one of @categories. @entry: its low 44 bits. Returns 1 if recorded, 0 if no
 * session records, -EINVAL if this is not such a point.
 */
int ku_call_point(u64 entry, u32 categories);
/* Implements KUTRACE_CMD_INSERT1. Returns the number of recorded words, or ~0. */
u64 ku_call_insert1(u64 entry, u32 categories);
/* Records the point also while recording is off. Returns 1 or ~0. */
u64 ku_call_insert1_off(struct ku_session *session, u64 entry);
/*
 * Records a name from user memory at @pointer. @while_off: also while recording is off. Returns the
 * length of the entry in words, 0 if recording is off, or ~0.
 */
u64 ku_call_insertn(struct ku_session *session, u64 pointer, bool while_off);

/* Returns true if the user's next mark may be recorded. Otherwise counts a lost event of @kind. */
bool ku_rate_allows(struct ku_user *user, u32 kind);

/* ---- view.c: a recording as one sequence of words ---- */

/* Holds the session and returns its view. NULL: not available; the session is not held. */
struct ku_view *ku_view_begin(struct ku_session *session);
/* Returns the number of words. */
u64 ku_view_count(struct ku_view *view);
/* Returns the address of word @index, which must be below the count. */
const u64 *ku_view_word(struct ku_view *view, u64 index);
/*
 * Returns the address of group @index of eight counter bytes, which must be below an eighth of the
 * count. NULL for a name block, which has no counter bytes.
 */
const u64 *ku_view_bytes(struct ku_view *view, u64 index);
/*
 * Sets and returns the index of a word for the calling process. ku_view_at() returns ~0 if the
 * process has set no index, or another process has set one since.
 */
void ku_view_set_at(struct ku_view *view, u64 index);
u64 ku_view_at(const struct ku_view *view);

#endif
