// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a page back to the span JSON from which makeself made it (page/elements.h):
 *
 *   <script ... data-kutrace="gap" ...>eAEV1I1tBDEIBGD...</script>
 *   becomes  [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 */

#include "base/input.h"
#include "base/tool.h"
#include "page/elements.h"

static const struct kp_tool tool = {
	.name = "unmakeself",
	.usage = "[page.html] [-o FILE] >trace.json",
	.help =
"Read a page that makeself of KUtrace or KUtrace 3 (Sites) made (file, or\n"
"standard input), and write the span JSON from which it was made: the same bytes\n"
"that eventtospan, sort and the filters after them printed. For a page of KUtrace\n"
"3 with RPCs, disk blocks or a profile, write their rows.\n"
"\n"
KP_HELP_OPTIONS
"\n"
"Input that cannot be read twice (a pipe) is kept in a temporary file in $TMPDIR\n"
"or /tmp.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static struct kp_unpage unpage;
static struct kp_json_writer writer;

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	kp_json_writer_set_width(self, unpage.start_width);
	return kp_json_write_header(self, items, count);
}

int main(int argc, char **argv)
{
	const struct kp_span_sink sink = {
		on_header, kp_json_write_span, kp_json_write_end, &writer, kp_json_write_trailing,
	};
	const char *path = NULL, *shown, *value;
	enum kp_json_result result;
	int status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, NULL, &value) > 0) {
		if (path)
			kp_usage_error("more than one page: %s", value);
		path = value;
	}
	in = kp_open_format(path, KP_FORMAT_PAGE, &shown);
	kp_open_output();
	kp_json_writer_init(&writer, stdout);
	unpage.foreign_out = stdout;
	result = kp_unpage_read(&unpage, in, shown, &sink);
	if (result == KP_JSON_BAD)
		memcpy(unpage.reader.message, unpage.message, sizeof(unpage.reader.message) - 1);
	status = kp_json_exit_status(&unpage.reader, result);
	if (unpage.foreign.kind)
		status = unpage.foreign_status;
	if (unpage.out_of_order_rows)
		kp_error("%" PRIu64 " rows start before the previous row, because the page does not store the order between CPUs; try LC_ALL=C sort",
			 unpage.out_of_order_rows);
	kp_json_writer_free(&writer);
	return kp_finish(status);
}
