/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed tracepoints: their definitions and switches (ku_point.c), and the bytes of
 * programs that follow these (ku_point_user.c). Process context, may sleep, but for
 * ku_point_match(). For kernel modules that have some: uapi/kutrace_point.h.
 */
#ifndef KU_POINT_H
#define KU_POINT_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_aux;
struct kutrace_point;
struct mm_struct;

/* A definition. It never goes while the module is loaded. */
struct ku_point {
	struct hlist_node node;
	struct kutrace_point *objects;	/* of kernel modules */
	u32 id;			/* from 1 on */
	u32 hash;
	u32 defined;		/* how often */
	bool on;		/* wanted, should a session record it */
	u8 flag;		/* on, and some session does: what its bytes follow */
	u8 name_len;		/* at the beginning of text */
	u16 len;
	char text[];
};

int ku_point_init(void);
void ku_point_exit(void);
/*
 * KUTRACE_IOC_POINT*; control: the caller may switch; file: any address that is that
 * open file's own. Returns 0 or -errno: -EFAULT, -EINVAL, -EPERM, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINTR (the caller is being killed).
 */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, bool control, const void *file);
/* Some session records typed tracepoints, or none does. ku_session_lock is held. */
void ku_point_changed(bool wanted);
/* All definitions into a session's names. ku_session_lock is held. */
void ku_point_name_all(struct ku_aux *aux, u64 counts);

/* Whether len bytes of name are as pattern says, in which * and ? stand for others. */
bool ku_point_match(const char *pattern, const char *name, size_t len);
/* Switches those whose name matches; how many. */
u32 ku_point_switch(const char *pattern, bool on);
/* The definition with the lowest id from id on; false: there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

/* ---- ku_point_user.c ---- */

int ku_point_user_init(void);
void ku_point_user_exit(void);
/*
 * The byte at that address of the calling process follows point from now on, and does so
 * when this returns. 0, -EFAULT, -ENOSPC, -ENOMEM, -EINTR.
 */
int ku_point_user_follow(const void *file, bool control, const struct ku_point *point,
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
/* How many bytes are not as they should be. */
u32 ku_point_user_behind(void);

#endif
