/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of tabulate: the sink of rows, and data of the trace besides its spans.
 */
#ifndef KP_EXPORT_TAB_OPTIONS_H
#define KP_EXPORT_TAB_OPTIONS_H

#include "export/schema.h"
#include "export/tasks.h"
#include "rawtrace/about.h"

struct kp_tabulate_options {
	struct kt_sink sink;
	const struct kp_raw_about *about;
	const struct kp_raw *raw;
	struct kp_tasks *tasks;		/* names of tasks at the start */
};

#endif
