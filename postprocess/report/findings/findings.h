/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs all detectors, and prints their findings, the most expensive first. */
#ifndef KP_REPORT_FINDINGS_FINDINGS_H
#define KP_REPORT_FINDINGS_FINDINGS_H

#include "report/findings/finding.h"

/* Version of the JSON. It changes if a member gets another meaning. */
#define KP_FINDINGS_VERSION	1

/*
 * Finds all known faults in the selected time. The caller calls kp_findings_free(), also after an
 * error. Returns 0, or -1 without memory or after an interrupt.
 */
int kp_findings_find(struct kp_findings *findings, struct kp_why *why);
/* Removes all findings of which the thread @index is neither the victim nor the culprit. */
void kp_findings_of(struct kp_findings *findings, size_t index);
/*
 * Removes all findings that do not concern the program of the thread @index: a thread of its process,
 * or a descendant of this process, is the victim, the culprit or the thread of one of the first spans,
 * or everyone is delayed. Keeps all findings if the trace has no identities of tasks. Sets
 * findings->no_memory without memory.
 */
void kp_findings_of_program(struct kp_findings *findings, size_t index);
/*
 * Prints the @count most expensive findings in plain words, or one line if there is none; and what the
 * trace lacks. @asked: index of the thread whose program was asked for; -1: none.
 */
void kp_findings_worst(const struct kp_findings *findings, int64_t asked, size_t count, FILE *out);
void kp_findings_text(const struct kp_findings *findings, size_t top, FILE *out);
void kp_findings_json(const struct kp_findings *findings, FILE *out);
void kp_findings_free(struct kp_findings *findings);

#endif
