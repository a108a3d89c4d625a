/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes in programs that follow the flags of their typed tracepoints. */
#ifndef KU_POINT_BYTES_H
#define KU_POINT_BYTES_H

#include <linux/types.h>

struct ku_point;
struct ku_point_file;
struct mm_struct;

int ku_point_bytes_init(void);
void ku_point_bytes_exit(void);
/*
 * Lets the byte at @address of the calling process follow @point; on return it has the right value.
 * Returns 0, -EFAULT, -ENOSPC, -ENOMEM or -EINTR. On success the byte keeps its reference in
 * point->bytes until it calls ku_point_byte_gone().
 */
int ku_point_bytes_follow(const struct ku_point_file *file, struct ku_point *point,
			  unsigned long address);
/* Stops writing to the byte at @address of the calling process. Returns 0 or -ENOENT. */
int ku_point_bytes_forget(unsigned long address);
/*
 * Drops the bytes that were registered by @file: all if @mm is NULL (the file is being closed), or
 * those of @mm (it has unmapped the file). mmap_lock may be held.
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
u32 ku_point_bytes_behind(void);

#endif
