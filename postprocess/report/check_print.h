/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the result of the check of a raw trace, as text or as JSON.
 */
#ifndef KP_REPORT_CHECK_PRINT_H
#define KP_REPORT_CHECK_PRINT_H

#include "rawtrace/raw.h"
#include "report/check.h"

/* Prints the result as text, or only its errors. Returns the number of faults. */
unsigned int kp_check_text(const struct kp_raw *raw, const struct kp_check *check,
			   const struct kp_reconstruct_stats *stats,
			   const struct kp_check_guessed *guessed, bool only_errors);

void kp_check_json(const struct kp_raw *raw, const struct kp_check *check,
		   const struct kp_reconstruct_stats *stats,
		   const struct kp_check_guessed *guessed, bool sound);
/* Prints JSON for a trace that cannot be read. @why: the cause. */
void kp_check_json_unreadable(const char *shown, const char *why);

#endif
