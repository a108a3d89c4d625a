/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints why threads did not run, as text or as JSON.
 */
#ifndef KP_REPORT_WHY_PRINT_H
#define KP_REPORT_WHY_PRINT_H

#include <stdio.h>

#include "report/why.h"

void kp_why_text(struct kp_why *why, int64_t pid, FILE *out);
void kp_why_json(struct kp_why *why, int64_t pid, FILE *out);

#endif
