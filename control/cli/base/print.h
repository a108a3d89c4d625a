/* SPDX-License-Identifier: BSD-3-Clause */
/* Output that several commands share. */
#ifndef KU_CLI_BASE_PRINT_H
#define KU_CLI_BASE_PRINT_H

#include "common/report.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* Print a text in quotes, escaped as in JSON. Control characters and invalid UTF-8 become ?. */
void cmd_print_quoted(const char *text);
void cmd_report_string(struct ku_report *r, const char *key, const char *text);
/* Adds a list of the names of the kinds. */
void cmd_report_kinds(struct ku_report *r, const char *key, uint64_t bits);
/* Adds the losses by cause. */
void cmd_report_lost(struct ku_report *r, const char *key, const struct kutrace_info *info);
/* Copies an untrusted text in printable form, cut at @size. Returns @str. */
const char *cmd_printable(const char *text, char *str, size_t size);
/* Prints the names of the kinds, separated by blanks. */
void cmd_print_kinds(uint64_t bits);
/*
 * Does the same, but prints the category for a category whose kinds are all set, and "all" for
 * all kinds.
 */
void cmd_print_kinds_short(uint64_t bits);
/* By enum kutrace_lost_cause: a key, and a description. */
extern const char *const cmd_lost_key[KUTRACE_LOST_CAUSES];
extern const char *const cmd_lost_text[KUTRACE_LOST_CAUSES];

#endif
