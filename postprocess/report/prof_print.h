/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a profile, as text, as JSON or as folded stacks.
 */
#ifndef KP_REPORT_PROF_PRINT_H
#define KP_REPORT_PROF_PRINT_H

#include <stdio.h>

#include "common/report.h"
#include "report/prof.h"

void kp_prof_text(const struct kp_prof *prof, FILE *out);
void kp_prof_json(const struct kp_prof *prof, FILE *out);
/* Prints lines "process;frame;frame value". The value is in ns, or a number of samples. */
void kp_prof_folded(const struct kp_prof *prof, FILE *out);

/* Adds the members of the sum to the open object. */
void kp_call_sum_json(struct ku_report *r, const struct kp_call_sum *sum);

#endif
