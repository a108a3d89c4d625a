/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed tracepoints: structs that all files of point/ share, and functions for other folders.
 * Process context, may sleep, if not stated.
 */
#ifndef KU_POINT_H
#define KU_POINT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "uapi/kutrace_abi.h"

struct ku_point;
struct ku_point_file;
struct ku_user;
struct kutrace_point;
struct mm_struct;

/*
 * A definition. It exists while an open file, a byte or a kernel module uses it, or a session may
 * have an event of it. Afterwards, it is freed when a new definition needs room.
 */
struct ku_point {
	struct hlist_node node;
	struct list_head all;
	struct rcu_head rcu;
	struct kutrace_point *objects;	/* objects of kernel modules */
	struct list_head uses;	/* uses by open files */
	u32 control_uses;	/* number of uses by files whose opener may control */
	atomic_t bytes;		/* number of bytes that follow @flag; KU_POINT_DEAD: being freed */
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
	struct rb_root uses;	/* definitions that the file uses; changes under ku_point_lock */
};

/* Drops the reference of a byte to @point. Any context. */
static inline void ku_point_byte_gone(struct ku_point *point)
{
	atomic_dec(&point->bytes);
}

/* ---- text.c: texts of typed tracepoints; any context ---- */

/* Checks "NAME TYPE FIELD, TYPE FIELD|FORMAT". Returns the length of the name; 0: not valid. */
size_t ku_point_check(const char *text);
/* Returns whether the @len bytes of @name match @pattern, which may contain * and ?. */
bool ku_point_match(const char *pattern, const char *name, size_t len);

/* ---- definition.c: definitions and their switches ---- */

int ku_point_init(void);
void ku_point_exit(void);

/*
 * Returns the id of the definition with this text, and makes it if necessary. Records its use by
 * @file or @object; the other one is NULL. On error: -EINVAL, -ENOSPC, -ENOMEM or -EINTR.
 */
int ku_point_define(const char *text, struct ku_point_file *file,
		    struct kutrace_point *object);
/* Returns definition @id (from 1 on), or NULL. Under rcu_read_lock() or ku_point_lock. */
struct ku_point *ku_point_get(u32 id);
/* Ends the use of a definition by @object of a kernel module. */
void ku_point_detach(struct kutrace_point *object);
/* Ends the use of all definitions by @file, which is being closed. */
void ku_point_release(struct ku_point_file *file);

/* Switches the definitions whose name matches @pattern. Returns their number. */
u32 ku_point_switch(const char *pattern, bool on);
/* Gets the definition with the lowest id that is @id or higher. Returns false if there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

/* ---- bytes.c: bytes in programs that follow the flags of their typed tracepoints ---- */

int ku_point_bytes_init(void);
void ku_point_bytes_exit(void);
/*
 * Makes the byte at @address of the calling process follow the flag of @point. On return the byte
 * has the right value. Returns 0, -EFAULT, -ENOSPC, -ENOMEM or -EINTR. On success the byte owns the
 * caller's reference in point->bytes until it calls ku_point_byte_gone().
 */
int ku_point_bytes_follow(const struct ku_point_file *file, struct ku_point *point,
			  unsigned long address);
/* Stops writing to the byte at @address of the calling process. Returns 0 or -ENOENT. */
int ku_point_bytes_forget(unsigned long address);
/*
 * Drops the bytes that were registered by @file: all bytes if @mm is NULL (the file is being
 * closed), or the bytes of @mm (the process has unmapped the file). mmap_lock may be held.
 */
void ku_point_bytes_release(const void *file, const struct mm_struct *mm);
/* Queues the sets whose flags have changed. Other locks of the module may be held. */
void ku_point_bytes_changed(void);
/*
 * Waits until all earlier changes are written, for at most a second. No lock may be held: the write
 * takes mmap_lock, inside which locks of the module are taken.
 */
void ku_point_bytes_flush(void);
/*
 * Returns the number of bytes that do not follow their flag yet. Does not count bytes that every
 * thread of their program will write before it executes another instruction in user space.
 */
u32 ku_point_bytes_late(void);

/* ---- kernel.c ---- */

/* Records an event. @nwords: at most KUTRACE_POINT_WORDS. Context: any except NMI. */
void ku_point_emit(u32 id, const u64 *payload, u32 nwords);

/* ---- device.c ---- */

/*
 * Executes KUTRACE_IOC_POINT*. Returns 0 or -errno: -EFAULT, -EINVAL, -EPERM, -ENOENT, -ENOSPC,
 * -ENOMEM, -EINTR (the caller is being killed), -ENOTTY.
 */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file);

#endif
