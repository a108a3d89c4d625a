/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* The three words of the events KUTRACE_DISK_QUEUED to KUTRACE_DISK_MERGED. */
#ifndef KUTRACE_DISK_H
#define KUTRACE_DISK_H

/*
 * The argument in the first word is the device number of the whole disk: major << 20 | minor. The
 * next words are:
 *
 *   63                    32 31                     0
 *   +-----------------------+-----------------------+
 *   | number of the request | bytes                 |
 *   +-----------------------+-----------------------+
 *
 *   63     56 55 52 51                              0
 *   +--------+-----+--------------------------------+
 *   | error  | op  | sector                         |
 *   +--------+-----+--------------------------------+
 *
 * Number: distinguishes the requests that a disk has at the same time, from DISK_ISSUED to
 * DISK_DONE.
 * In DISK_QUEUED it is 0: the request has none yet, and its first sector identifies it.
 * In DISK_MERGED, it is 0 if sectors are added before the first sector of a request: the request
 * then begins at "sector", and had begun "bytes" later. It is 1 if the request at "sector" becomes
 * a part of another one.
 * Bytes: in DISK_DONE the completed bytes, otherwise those of the request.
 * Error: number of the error, such as 5 for EIO; 0: none.
 * Op: enum kutrace_disk_op; OTHER is a command to the disk, or the management of a zone.
 * Sector: in units of 512 bytes; 0 for flushes and for commands.
 */
#define KUTRACE_DISK_WORDS		3
#define KUTRACE_DISK_MAJOR_SHIFT	20
#define KUTRACE_DISK_NUMBER_SHIFT	32
#define KUTRACE_DISK_ERROR_SHIFT	56
#define KUTRACE_DISK_OP_SHIFT		52
#define KUTRACE_DISK_OP_MASK		0xFU
#define KUTRACE_DISK_SECTOR_MASK	((1ULL << KUTRACE_DISK_OP_SHIFT) - 1)
#define KUTRACE_DISK_SECTOR_BYTES	512

enum kutrace_disk_op {
	KUTRACE_DISK_OTHER,
	KUTRACE_DISK_READ,
	KUTRACE_DISK_WRITE,
	KUTRACE_DISK_FLUSH,
	KUTRACE_DISK_DISCARD,
	KUTRACE_DISK_OPS
};

/* Names of the operations in traces and programs, by number. */
#define KUTRACE_DISK_OP_LABELS	{ "other", "read", "write", "flush", "discard" }

#endif
