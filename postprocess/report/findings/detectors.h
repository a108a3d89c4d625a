/* SPDX-License-Identifier: BSD-3-Clause */
/* All detectors. Each is in a file of this folder. */
#ifndef KP_REPORT_FINDINGS_DETECTORS_H
#define KP_REPORT_FINDINGS_DETECTORS_H

#include "report/findings/finding.h"

extern const struct kp_detector kp_detect_beside, kp_detect_convoy, kp_detect_crowded, kp_detect_exit,
	kp_detect_faults, kp_detect_herd, kp_detect_holder, kp_detect_interrupts, kp_detect_ping_pong,
	kp_detect_polling, kp_detect_recorder, kp_detect_spawn, kp_detect_stopped, kp_detect_throttled;

#endif
