/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed tracepoints: their definitions and switches (ku_point.c), and the bytes of
 * programs that follow these (ku_point_user.c). Process context, may sleep, but for
 * ku_point_match(). For kernel modules that have some: uapi/kutrace_point.h.
 */
#ifndef KU_POINT_H
#define KU_POINT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_aux;
struct ku_user;
struct kutrace_point;
struct mm_struct;

/*
 * A definition. It stays as long as an open file, a byte or a kernel module has it, or a
 * session may have an event of it, and then until its place is needed.
 */
struct ku_point {
	struct hlist_node node;
	struct list_head all;
	struct rcu_head rcu;
	struct kutrace_point *objects;	/* of kernel modules */
	struct list_head uses;	/* by open files */
	atomic_t bytes;		/* of programs that follow it; KU_POINT_DEAD: it goes */
	struct ku_user *user;	/* on whose account it is; NULL: of those who control */
	bool marker;		/* made by one who may only mark */
	u64 recorded;		/* ku_sessions_resets() + 1 when it last was; 0: never */
	u32 id;			/* from 1 on */
	u32 hash;
	u32 defined;		/* how often */
	bool on;		/* wanted, should a session record it */
	u8 flag;		/* on, and some session does: what its bytes follow */
	u8 name_len;		/* at the beginning of text */
	u16 len;
	char text[];
};

/* What an open file has to do with them. */
struct ku_point_file {
	const void *file;	/* its address: its bytes are known by it */
	struct ku_user *user;	/* who may only mark; NULL: the opener may control */
	struct list_head uses;	/* definitions that it has; under ku_point_lock */
};

int ku_point_init(void);
void ku_point_exit(void);
/*
 * KUTRACE_IOC_POINT*. Returns 0 or -errno: -EFAULT, -EINVAL, -EPERM, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINTR (the caller is being killed).
 */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file);
/* The file is being closed: what it has it has no more. */
void ku_point_release(struct ku_point_file *file);
/* Some session records typed tracepoints, or none does. ku_session_lock is held. */
void ku_point_changed(bool wanted);
/* All definitions into a session's names. ku_session_lock is held. */
void ku_point_name_all(struct ku_aux *aux, u64 counts);

/* Switches those whose name matches; how many. */
u32 ku_point_switch(const char *pattern, bool on);
/* The definition with the lowest id from id on; false: there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

/* ---- ku_point_text.c ---- */

/* "NAME TYPE FIELD, TYPE FIELD|FORMAT": the length of the name; 0: it is no definition. */
size_t ku_point_check(const char *text);
/* Whether len bytes of name are as pattern says; * is any number of them, ? is one. */
bool ku_point_match(const char *pattern, const char *name, size_t len);

/* ---- ku_point_user.c ---- */

/* One byte fewer has it. Any context. */
static inline void ku_point_byte_gone(struct ku_point *point)
{
	atomic_dec(&point->bytes);
}

int ku_point_user_init(void);
void ku_point_user_exit(void);
/*
 * The byte at that address of the calling process follows point from now on, and does so
 * when this returns. 0, -EFAULT, -ENOSPC, -ENOMEM, -EINTR; else it is one of point->bytes, until
 * ku_point_byte_gone().
 */
int ku_point_user_follow(const struct ku_point_file *file, struct ku_point *point,
			 unsigned long address);
/* It follows none any more: nothing writes there. 0, -ENOENT, -EINTR. */
int ku_point_user_forget(unsigned long address);
/*
 * The bytes that came by that file follow nothing any more: all of them, as it is closed,
 * or those of mm, which has unmapped it. mmap_lock may be held.
 */
void ku_point_user_release(const void *file, const struct mm_struct *mm);
/* Flags have changed. Any lock of ours may be held; it is others that write. */
void ku_point_user_changed(void);
/*
 * Waits until what was changed before has been written, one second at most. No lock may
 * be held: who writes takes mmap_lock, inside which our locks are taken.
 */
void ku_point_user_settle(void);
/*
 * How many bytes are not as they should be. Those are not counted that every thread of their
 * program writes before it executes another instruction of its own.
 */
u32 ku_point_user_behind(void);

#endif
