/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of errors and signals, with any C library. */
#ifndef KU_LIBC_NAMES_H
#define KU_LIBC_NAMES_H

/*
 * Return "ENOENT", "No such file or directory" (never translated) and "TERM" for example. NULL:
 * unknown number.
 */
const char *ku_error_name(int error);
const char *ku_error_text(int error);
const char *ku_signal_name(int signal_number);

#endif
