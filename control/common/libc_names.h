/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of errors and signals, whichever C library there is. Called by library and filters.
 */
#ifndef KU_LIBC_NAMES_H
#define KU_LIBC_NAMES_H

/* "ENOENT", "No such file or directory" (never translated), "TERM"; NULL: there is no such. */
const char *ku_error_name(int error);
const char *ku_error_text(int error);
const char *ku_signal_name(int signal_number);

#endif
