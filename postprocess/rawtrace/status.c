// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the mains that read raw traces say and return at the end. The one part of the
 * raw reader that prints; called by rawtoevent and rawtohtml.
 */
#include <inttypes.h>

#include "base/tool.h"
#include "rawtrace/status.h"

int kp_raw_exit_status(const struct kp_raw *raw)
{
	uint64_t count = raw->faults.bad_words + raw->faults.cut_entries +
			 raw->faults.bad_times;

	if (!count)
		return KP_OK;
	kp_error("%s: %s; %" PRIu64 " such left out: damaged, see checktrace", raw->shown,
		 raw->faults.first, count);
	return KP_BAD;
}
