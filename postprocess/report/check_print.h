/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was found of a raw trace's soundness, as text and as JSON. Called by checktrace.
 */
#ifndef KP_REPORT_CHECK_PRINT_H
#define KP_REPORT_CHECK_PRINT_H

#include "rawtrace/raw.h"
#include "report/check.h"

/* As text, or only the errors. Returns how many things are wrong. */
unsigned int kp_check_text(const struct kp_raw *raw, const struct kp_check *check,
			   const struct kp_reconstruct_stats *stats,
			   const struct kp_check_guessed *guessed, bool only_errors);

void kp_check_json(const struct kp_raw *raw, const struct kp_check *check,
		   const struct kp_reconstruct_stats *stats,
		   const struct kp_check_guessed *guessed, bool sound);
/* Of a trace that cannot even be read, and why. */
void kp_check_json_unreadable(const char *shown, const char *why);

#endif
