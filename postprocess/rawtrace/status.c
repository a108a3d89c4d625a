// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reports faults of a raw trace at the end of a main(). No other file of the raw reader prints.
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
