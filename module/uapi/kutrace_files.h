/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Files in /dev/kutrace besides control, for scripts and for programs that want no
 * ioctl; those who control may open them. See kutrace(4) and kutrace-trace(5).
 *
 *	ctl		text: what a session records, as a command to write back
 *	tracepoints	text: every kind and typed tracepoint, to be switched
 *	aux		binary: names; struct kutrace_aux_file, then the buffer
 *	cpuNNN		binary: blocks of that CPU, each once
 *
 * Each open has a session of its own, main at first; "session NAME" written to any of
 * them chooses another.
 */
#ifndef KUTRACE_FILES_H
#define KUTRACE_FILES_H

#include <linux/types.h>

#define KUTRACE_AUX_MAGIC	0x0001020304050607ULL
#define KUTRACE_AUX_VERSION	0x00010000	/* major << 16 | minor */
#define KUTRACE_AUX_HEAD_BYTES	4096		/* however large the kernel's pages are */

/*
 * The head of aux, padded with zeros to header_bytes. Behind it the buffer as it lies in
 * memory: the entry at running offset o (struct kutrace_aux_entry) is at byte
 * header_bytes + (o & (buffer_bytes - 1)), and may run over the buffer's end to its
 * start. Entries from first to last; all of them are whole. They are not in order of time.
 */
struct kutrace_aux_file {
	__u64 magic;		/* in the machine's order of bytes */
	__u32 header_version;
	__u32 aux_version;	/* of the entries */
	__u32 block_version;	/* of the blocks that cpuNNN gives */
	__u32 ncpus;		/* highest possible CPU + 1 */
	__u64 header_bytes;	/* KUTRACE_AUX_HEAD_BYTES */
	__u64 buffer_bytes;	/* a power of two */
	__u64 first;		/* offset of the oldest entry */
	__u64 last;		/* and behind the newest */
	__u64 lost;		/* entries pushed out */
	__u64 reserved[7];
};

#endif
