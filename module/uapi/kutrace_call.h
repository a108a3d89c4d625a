/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The control system call of a patched kernel: the commands of KUTRACE_IOC_CONTROL (kutrace_abi.h)
 * without a file, for the main session.
 *
 * Arguments: command, arg. CAP_PERFMON or CAP_SYS_ADMIN is required, except that everyone may
 * execute TEST and VERSION, and INSERT1 if everyone may mark. ~0 means refused.
 *
 * RESET and FLUSH also end the recording; by ioctl they are refused while recording. A recording
 * that was reset by this call counts time in units of the counter shifted by
 * KUTRACE_CALL_CLOCK_SHIFT.
 */
#ifndef KUTRACE_CALL_H
#define KUTRACE_CALL_H

#define KUTRACE_CALL		1023
#define KUTRACE_CALL_CLOCK_SHIFT 6

#endif
