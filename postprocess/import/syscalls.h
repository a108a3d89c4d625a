/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls by number and name, for each table of them that Linux has on the architectures that
 * traces come from: as far as this machine's headers know them.
 */
#ifndef KP_IMPORT_SYSCALLS_H
#define KP_IMPORT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

enum kp_calls_of {
	KP_CALLS_64,		/* of this machine: on x86, of 64-bit programs */
	KP_CALLS_32,		/* of 32-bit programs there; empty elsewhere */
	KP_CALLS_GENERIC,	/* of arm64, riscv64, loongarch64 */
};

/* NULL: it has no name. */
const char *kp_syscall_name(enum kp_calls_of of, uint64_t number);
/* -1: there is none of that name. */
int kp_syscall_number(enum kp_calls_of of, const char *name, size_t len);

/* By what uname -m says ("" = not known); bits: 32 or 64, of the program. */
enum kp_calls_of kp_syscalls_of(const char *machine, int bits);

#endif
