// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reports the JSON reader's result, see spanjson/status.h. All corrections and omissions must be
 * mentioned.
 */
#include "spanjson/status.h"

#include <inttypes.h>

#include "base/tool.h"

int kp_json_exit_status(const struct kp_json_reader *r, enum kp_json_result result)
{
	if (r->replaced_bytes)
		kp_error("%" PRIu64 " bytes of text were no valid UTF-8, replaced by U+FFFD",
			 r->replaced_bytes);
	if (r->control_chars)
		kp_error("%" PRIu64 " bare control characters in strings, now escaped",
			 r->control_chars);
	if (r->rounded_times)
		kp_error("%" PRIu64 " times finer than 10 ns, rounded", r->rounded_times);
	if (r->negative_rows)
		kp_error("%" PRIu64 " rows with a negative start or duration left out",
			 r->negative_rows);
	if (r->trailer_misplaced)
		kp_error("the trailer [999.0, ...] came before rows after 999 s; put last");
	switch (result) {
	case KP_JSON_OK:
	case KP_JSON_INTERRUPTED:	/* kp_finish() reports it */
		return KP_OK;
	case KP_JSON_STOPPED:
		return KP_BAD;
	case KP_JSON_BAD:
		break;
	}
	kp_error("%s", r->message);
	return KP_BAD;
}

int kp_json_ordered_status(const struct kp_json_reader *r, enum kp_json_result result,
			   const char *shown)
{
	int status = kp_json_exit_status(r, result);

	if (result != KP_JSON_OK || !r->out_of_order_rows)
		return status;
	kp_error("%s: rows are not in time order; put LC_ALL=C sort in front", shown);
	return KP_BAD;
}
