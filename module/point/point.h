/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Structs that all files of point/ share: the definition of a typed tracepoint, and an open file
 * that uses definitions. definition.c makes and frees definitions.
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
 * A definition. It stays as long as an open file, a byte or a kernel module uses it or a session
 * may have an event of it, and then until its place is needed.
 */
struct ku_point {
	struct hlist_node node;
	struct list_head all;
	struct rcu_head rcu;
	struct kutrace_point *objects;	/* objects of kernel modules */
	struct list_head uses;	/* uses by open files */
	atomic_t bytes;		/* bytes that follow it; KU_POINT_DEAD: being freed */
	struct ku_user *user;	/* user whose limit counts it; NULL: nobody */
	bool marker;		/* counts against the limit of all users who may only mark */
	u64 recorded;		/* ku_sessions_resets() + 1 when it was last recorded; 0: never */
	u32 id;			/* from 1 on */
	u32 hash;
	u32 defined;		/* number of times it was defined */
	bool on;		/* switched on */
	u8 flag;		/* on, and some session records this kind; bytes follow it */
	u8 name_len;		/* the name is the beginning of @text */
	u16 len;
	char text[];
};

/* State of an open file for typed tracepoints. */
struct ku_point_file {
	const void *file;	/* address of the file, which identifies its bytes */
	struct ku_user *user;	/* the opener, if the opener may only mark; otherwise NULL */
	struct list_head uses;	/* definitions that the file uses; under ku_point_lock */
};

/* A byte no longer follows @point. Any context. */
static inline void ku_point_byte_gone(struct ku_point *point)
{
	atomic_dec(&point->bytes);
}

#endif
