/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the differences between two traces, as text or as JSON.
 */
#ifndef KP_REPORT_DIFF_PRINT_H
#define KP_REPORT_DIFF_PRINT_H

#include <stdio.h>

#include "report/diff.h"

void kp_diff_text(const struct kp_diff *diff, FILE *out);
void kp_diff_json(const struct kp_diff *diff, FILE *out);

#endif
