/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the attempts of all threads to take a lock, sorted by lock. */
#ifndef KP_REPORT_FINDINGS_LOCKS_H
#define KP_REPORT_FINDINGS_LOCKS_H

#include "report/findings/finding.h"

struct kp_lock_try {
	int64_t lock, start, end;
	size_t pid;			/* index of the thread that waited */
	const struct kp_str *name;
};

struct kp_lock_tries {
	KP_VECTOR(struct kp_lock_try) list;	/* sorted by lock, then by start */
};

/* The caller calls kp_lock_tries_free(). Returns 0, or -1 without memory. */
int kp_lock_tries_find(struct kp_lock_tries *tries, const struct kp_why *why);
void kp_lock_tries_free(struct kp_lock_tries *tries);

#endif
