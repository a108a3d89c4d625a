/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Files in /dev/kutrace besides control, for scripts and for programs without ioctl. Opening them
 * needs control. See kutrace(4) and kutrace-trace(5).
 *
 *	ctl		text: what a session records, as a command that can be written back
 *	tracepoints	text: every kind and typed tracepoint, which can be switched
 *	aux		binary: the name table; struct kutrace_aux_file, then the buffer
 *	cpuNNN		binary: blocks of this CPU, each once
 *
 * Each open file has its own session, at first main. Writing "session NAME" to the file selects
 * another one.
 */
#ifndef KUTRACE_FILES_H
#define KUTRACE_FILES_H

#include <linux/types.h>

#define KUTRACE_AUX_MAGIC	0x0001020304050607ULL
#define KUTRACE_AUX_VERSION	0x00010000	/* major << 16 | minor */
#define KUTRACE_AUX_HEAD_BYTES	4096		/* for any page size of the kernel */

/*
 * Header of aux, padded with zeros to header_bytes. The buffer follows, as it is in memory: the
 * entry at running offset o (struct kutrace_aux_entry) is at byte header_bytes + (o & (buffer_bytes
 * - 1)), and may wrap from the end of the buffer to its start. The entries from first to last are
 * complete. They are not in order of time.
 */
struct kutrace_aux_file {
	__u64 magic;		/* in the machine's byte order */
	__u32 header_version;
	__u32 aux_version;	/* version of the entries */
	__u32 block_version;	/* version of the blocks in cpuNNN */
	__u32 ncpus;		/* highest possible CPU + 1 */
	__u64 header_bytes;	/* KUTRACE_AUX_HEAD_BYTES */
	__u64 buffer_bytes;	/* a power of two */
	__u64 first;		/* offset of the oldest entry */
	__u64 last;		/* offset after the newest entry */
	__u64 lost;		/* number of dropped entries */
	__u64 reserved[7];
};

#endif
