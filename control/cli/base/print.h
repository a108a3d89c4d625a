/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What several commands print, see print.c.
 */
#ifndef KU_CLI_BASE_PRINT_H
#define KU_CLI_BASE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/report.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* In quotes, as JSON has it; control characters and what is no UTF-8 become ?. */
void cmd_print_quoted(const char *text);
void cmd_report_string(struct ku_report *r, const char *key, const char *text);
/* A list of the names of the kinds in bits. */
void cmd_report_kinds(struct ku_report *r, const char *key, uint64_t bits);
/* What was lost, by cause. */
void cmd_report_lost(struct ku_report *r, const char *key, const struct kutrace_info *info);
/* Text that comes from anybody, so that it can be printed; cut at size. Returns str. */
const char *cmd_shown(const char *text, char *str, size_t size);
/* Names of the kinds in bits, with blanks between them. */
void cmd_print_kinds(uint64_t bits);
/* The same, but categories where all of their kinds are in it; "all". */
void cmd_print_kinds_short(uint64_t bits);
/* By enum kutrace_lost_cause: a word, and words. */
extern const char *const cmd_lost_key[KUTRACE_LOST_CAUSES];
extern const char *const cmd_lost_text[KUTRACE_LOST_CAUSES];

#endif
