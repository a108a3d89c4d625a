/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of programs that follow their tracepoints' flags. Called by the device's calls, by
 * definition.c when flags change, and by ctl/ before it says that something is done.
 */
#ifndef KU_POINT_BYTES_H
#define KU_POINT_BYTES_H

#include <linux/types.h>

struct ku_point;
struct ku_point_file;
struct mm_struct;

int ku_point_bytes_init(void);
void ku_point_bytes_exit(void);
/*
 * The byte at that address of the calling process follows point from now on, and does so
 * when this returns. 0, -EFAULT, -ENOSPC, -ENOMEM, -EINTR; else it is one of point->bytes, until
 * ku_point_byte_gone().
 */
int ku_point_bytes_follow(const struct ku_point_file *file, struct ku_point *point,
			  unsigned long address);
/* It follows none any more: nothing writes there. 0, -ENOENT, -EINTR. */
int ku_point_bytes_forget(unsigned long address);
/*
 * The bytes that came by that file follow nothing any more: all of them, as it is closed,
 * or those of mm, which has unmapped it. mmap_lock may be held.
 */
void ku_point_bytes_release(const void *file, const struct mm_struct *mm);
/* Flags have changed: has the bytes written. Any lock of ours may be held; work items write. */
void ku_point_bytes_changed(void);
/*
 * Waits until what was changed before has been written, one second at most. No lock may be
 * held: writing takes mmap_lock, inside which our locks are taken.
 */
void ku_point_bytes_flush(void);
/*
 * How many bytes do not follow their flag yet. Not those that every thread of the program will
 * write before it executes another instruction of its own.
 */
u32 ku_point_bytes_behind(void);

#endif
