/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile, as text and as JSON. Called by spantoprof and diff_print.c.
 */
#ifndef KP_REPORT_PROF_PRINT_H
#define KP_REPORT_PROF_PRINT_H

#include <stdio.h>

#include "common/report.h"
#include "report/prof.h"

void kp_prof_text(const struct kp_prof *prof, FILE *out);
void kp_prof_json(const struct kp_prof *prof, FILE *out);
/* "process;frame;frame value", value in ns, or samples. */
void kp_prof_folded(const struct kp_prof *prof, FILE *out);

/* The sum's members, into the object that is open. */
void kp_call_sum_json(struct ku_report *r, const struct kp_call_sum *sum);

#endif
