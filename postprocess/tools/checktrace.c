// SPDX-License-Identifier: BSD-3-Clause
/* Checks whether a raw trace is sound. Must not store spans: a trace can have any number. */

#include "base/input.h"
#include "base/terminal.h"
#include "reconstruct/reconstruct.h"
#include "report/check.h"
#include "transform/order.h"

static const struct kp_tool tool = {
	.name = "checktrace",
	.usage = "[--strict] [--json] [-q] [--color WHEN] [--no-pager] [-o FILE] [file]",
	.help =
"Check a raw trace (file, or standard input): its structure, that times do not\n"
"go back on any CPU, that execution spans cover each CPU's time from its first\n"
"to its last event without gap or overlap, losses, the names. Print a\n"
"short report.\n"
"\n"
"  --strict       also fail if events were lost at recording, or if half of the\n"
"                 spans or more had to be inferred\n"
"  --json         print the report as a JSON object\n"
"  -q             print only the verdict and the faults\n"
KP_HELP_REPORT
KP_HELP_OPTIONS
"\n"
"Exit status: 0 sound (lost events and inferred spans are only reported), 1 not\n"
"sound, or I/O error, 2 usage.\n",
};

static bool strict, json, quiet, ignored;

static const struct kp_option options[] = {
	{ "strict", KP_LONG(0), NULL, &strict }, { "json", KP_LONG(1), NULL, &json },
	{ NULL, 'q', NULL, &quiet }, KP_REPORT_OPTIONS,
	/* ignored options of KUtrace 3 (Sites) */
	{ NULL, 'v', NULL, &ignored }, { "nopf", KP_LONG(2), NULL, &ignored }, {0},
};

/* Reports that a trace cannot be read, and so is not sound, and exits. */
_Noreturn static void unreadable(const char *shown, const char *why)
{
	if (json)
		kp_check_json_unreadable(shown, why);
	kp_error("%s", why);
	exit(kp_finish(KP_BAD));
}

static void print_verdict(bool bad, bool half_inferred, const struct kp_reconstruct_stats *stats, FILE *out)
{
	const char *but = half_inferred ? "half of its spans or more are inferred" :
			  stats->pauses ? "recording was off in between" :
			  stats->stops ? "the machine did not run in between" :
			  stats->stolen ? "a CPU did not run in between" : NULL;

	fprintf(out, "%s%s%s%s%s\n", kp_colour(bad ? KP_LOST : but ? KP_CAVEAT : KP_HEADING),
		bad ? "not sound" : "sound", !bad && but ? ", but " : "", !bad && but ? but : "",
		kp_colour(KP_PLAIN));
}

int main(int argc, char **argv)
{
	static struct kp_check check;
	static struct kp_raw raw;
	struct kp_span_sink spans = kp_coverage_sink(&check.coverage);
	const struct kp_reconstruct_stats *stats;
	struct kp_event_sink sink;
	struct kp_reconstruct *rec;
	struct kp_order *order;
	struct kp_check_inferred inferred;
	const char *path = NULL, *shown, *why, *value;
	unsigned int bad;
	FILE *file, *out;
	int err;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, options, &value) > 0)
		kp_file_argument(value, &path);
	file = kp_open_format(path, KP_FORMAT_RAW_TRACE, &shown);
	kp_open_output();
	kp_retain_output();	/* retain the output, because an unsound trace also has a report */
	if (kp_raw_open(&raw, file, shown))
		unreadable(shown, raw.message);
	rec = kp_needed(kp_reconstruct_new("", &spans));
	sink = kp_reconstruct_sink(rec);
	sink = kp_check_sink(&check, &sink);
	order = kp_needed(kp_order_new(&sink));
	sink = kp_order_sink(order);

	err = kp_raw_events(&raw, &sink, false, &check.summary);
	if (!err)
		err = kp_order_end(order);
	if (!err)
		err = kp_reconstruct_end(rec);
	if (err || check.err || check.coverage.failed) {
		why = raw.message[0] ? raw.message : kp_order_message(order);
		if (!*why)
			why = kp_reconstruct_message(rec);
		kp_die(KP_BAD, "%s: %s", shown, *why ? why : "no memory");
	}
	stats = kp_reconstruct_stats(rec);
	inferred = kp_check_inferred(&check, stats);
	out = json ? stdout : kp_report_open();
	bad = kp_check_text(&raw, &check, stats, &inferred, json || quiet ? NULL : out);
	if (strict && raw.lost) {
		kp_error("%s: %" PRIu64 " events lost", shown, raw.lost);
		bad++;
	}
	bad += strict && kp_check_half_inferred(&inferred);
	if (json)
		kp_check_json(&raw, &check, stats, &inferred, !bad);
	else
		print_verdict(bad, kp_check_half_inferred(&inferred), stats, out);
	kp_report_close(out);
	err = kp_finish(bad ? KP_BAD : KP_OK);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	kp_check_free(&check);
	kp_raw_close(&raw);
	return err;
}
