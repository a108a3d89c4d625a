/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs between two traces, as text and as JSON. Called by spandiff.
 */
#ifndef KP_REPORT_DIFF_PRINT_H
#define KP_REPORT_DIFF_PRINT_H

#include <stdio.h>

#include "report/diff.h"

void kp_diff_text(const struct kp_diff *diff, FILE *out);
void kp_diff_json(const struct kp_diff *diff, FILE *out);

#endif
