// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts spans (JSON) to a file of speedscope:
 *
 *	[ 12.07652033, 0.00000293, 0, 51, 0, 2087, 9849, 51, 0, "getpid"]
 *	becomes  {"type":"O","at":12076520330,"frame":4},{"type":"C","at":12076523260,"frame":4}
 *
 * Must not write the end of a file whose input was incomplete.
 */

#include "base/input.h"
#include "base/tool.h"
#include "export/exporters.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "spantospeedscope",
	.usage = "[file] [-o FILE]",
	.help =
"Convert spans (JSON from a file or standard input, in time order) to a file for\n"
"speedscope (https://www.speedscope.app). Each CPU becomes a profile of the\n"
"threads that ran on it, with the kernel code inside them. Idle time is left\n"
"out.\n"
"\n"
KP_HELP_OPTIONS
"\n"
"The profile of each CPU is collected in a temporary file in $TMPDIR or /tmp.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static struct kp_json_reader reader;
static struct kp_span_sink inner;

/* Writes the output, unless rows were out of order: inner.end() writes all of it. */
static int end_in_order(void *self)
{
	return reader.out_of_order_rows ? 0 : inner.end(self);
}

int main(int argc, char **argv)
{
	const char *path = NULL, *shown, *value;
	struct kp_speedscope *speedscope;
	enum kp_json_result result;
	struct kp_span_sink sink;
	const char *why;
	int status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, NULL, &value) > 0)
		kp_file_argument(value, &path);
	in = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	speedscope = kp_needed(kp_speedscope_new(stdout));
	inner = kp_speedscope_sink(speedscope);
	sink = inner;
	sink.end = end_in_order;
	result = kp_json_read(&reader, in, shown, &sink);
	why = kp_speedscope_message(speedscope);
	if (*why)
		kp_error("%s", why);
	if (kp_speedscope_overlaps(speedscope) && !reader.out_of_order_rows)
		kp_error("%s: %" PRIu64 " spans left out: they overlap an earlier one on their CPU",
			 shown, kp_speedscope_overlaps(speedscope));
	status = kp_json_ordered_status(&reader, result, shown);
	status = kp_finish(status);
	kp_speedscope_free(speedscope);
	return status;
}
