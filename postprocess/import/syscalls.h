/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds system calls by number or name in Linux's tables for several architectures. A table has the
 * calls of the headers with which the tools were built.
 */
#ifndef KP_IMPORT_SYSCALLS_H
#define KP_IMPORT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

enum kp_calls_of {
	KP_CALLS_64,		/* calls of this machine; on x86, calls of 64-bit programs */
	KP_CALLS_32,		/* calls of 32-bit programs on x86; elsewhere empty */
	KP_CALLS_GENERIC,	/* calls of arm64, riscv64 and loongarch64 */
};

/* Returns the name of a call, or NULL. */
const char *kp_syscall_name(enum kp_calls_of of, uint64_t number);
/* Returns the number of a call, or -1. */
int kp_syscall_number(enum kp_calls_of of, const char *name, size_t len);

/*
 * Returns the table for a machine and a program of @bits (32 or 64) bits. @machine: output of uname
 * -m; "": unknown.
 */
enum kp_calls_of kp_syscalls_of(const char *machine, int bits);

#endif
