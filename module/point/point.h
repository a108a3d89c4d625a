/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A typed tracepoint's definition, and an open file that has some: the structs that all of
 * point/ shares. definition.c makes and frees them.
 */
#ifndef KU_POINT_H
#define KU_POINT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct ku_user;
struct kutrace_point;

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

/* One byte fewer has it. Any context. */
static inline void ku_point_byte_gone(struct ku_point *point)
{
	atomic_dec(&point->bytes);
}

#endif
