// SPDX-License-Identifier: BSD-3-Clause
/* Makes a page (page/page.h) of span JSON. Must not end the page if the JSON is incomplete. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/input.h"
#include "base/temp.h"
#include "base/tool.h"
#include "page/page.h"
#include "page/template.h"
#include "report/findings/paged.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "makeself",
	.usage = "[trace.json | template.html [trace.json trace.html]] [--d3 FILE] [--views FILE] [--no-findings]\n"
"       [-o FILE]",
	.help =
"Read span JSON (from eventtospan, spantotrim or spantospan), and write a page\n"
"that shows it and needs no other file. Rows of RPCs and disk blocks, from\n"
"programs of KUtrace 3 (Sites), become spans, except in a template of KUtrace 3.\n"
"A profile from its spantoprof needs such a template.\n"
"\n"
"  template.html  fill this template, of KUtrace or of KUtrace 3 (default: the\n"
"                 one that was built or installed with this program)\n"
"  trace.json trace.html   read trace.json, and write trace.html like -o\n"
"  --d3 FILE      in a template of KUtrace 3, insert this d3 library (version 4)\n"
"                 instead of the link to one on the network\n"
"  --views FILE   insert the views and notes in FILE, which the page saved or a\n"
"                 page of KUtrace 3 exported; they replace those in the JSON\n"
"  --no-findings  leave out the findings (spantowhy), which need about 50 bytes of\n"
"                 memory for each span\n"
KP_HELP_OPTIONS
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static const char *d3_path, *views_path;
static bool ignored, no_findings;

static const struct kp_option known[] = {
	{ "d3", KP_LONG(0), "the name of a file", &d3_path },
	{ "views", KP_LONG(1), "the name of a file", &views_path },
	{ "no-findings", KP_LONG(3), NULL, &no_findings },
	/* ignored option of KUtrace 3 (Sites): a d3 library is inserted only with --d3 */
	{ "nod3", KP_LONG(2), NULL, &ignored }, {0},
};

/* Converts rows that are not spans to spans, and returns a temporary file with them. */
static FILE *as_spans(struct kp_foreign *foreign, FILE *in, const char *shown)
{
	FILE *spans = kp_temp_file();

	if (!spans)
		kp_die(KP_BAD, "cannot create a temporary file: %s%s", strerror(errno),
		       kp_temp_remedy(errno));
	if (kp_foreign_spans(foreign, in, shown, spans))
		exit(kp_finish(KP_BAD));
	if (fflush(spans) || ferror(spans))
		kp_die(KP_BAD, "cannot write a temporary file: %s%s", strerror(errno),
		       kp_temp_remedy(errno));
	rewind(spans);
	return spans;
}

int main(int argc, char **argv)
{
	struct kp_page_options options = {0};
	struct kp_foreign foreign = { .kind = KP_FOREIGN_NONE };
	struct kp_json_reader reader = {0};
	struct kp_span_sink sink;
	struct kp_views views = {0};
	struct kp_paged *paged;
	struct kp_page *page;
	enum kp_json_result result;
	enum kp_format format;
	char text[512];
	const char *shown, *value, *files[3] = {0};
	int count = 0;
	FILE *input, *peeked, *in;
	int status;

	kp_begin(&tool, argc, argv);
	kp_page_begin();
	options.out = stdout;
	options.start_width = &reader.start_width;
	while (kp_next_option(argc, argv, known, &value) > 0) {
		if (count == 3)
			kp_usage_error("too many arguments: %s", value);
		files[count++] = value;
	}
	format = count ? kp_path_format(files[0]) : KP_FORMAT_NONE;
	if (count == 1 && format != KP_FORMAT_PAGE && kp_can_convert(format, KP_FORMAT_SPAN_JSON)) {
		files[1] = files[0];
		files[0] = NULL;
	}
	if (count == 2 && format != KP_FORMAT_PAGE && kp_can_convert(format, KP_FORMAT_SPAN_JSON) &&
	    !access(files[1], F_OK) && kp_path_format(files[1]) != KP_FORMAT_PAGE)
		kp_usage_error("more than one file: %s, %s", files[0], files[1]);
	if (count == 2 && format == KP_FORMAT_SPAN_JSON)
		kp_usage_error("too many arguments: %s; to write a page: makeself %s -o %s", files[1], files[0], files[1]);
	if (count == 2)
		kp_usage_error("too many arguments: %s (one template; the JSON is read from standard input)", files[1]);
	if (count == 3 && kp_chosen_output())
		kp_usage_error("-o and %s both name the output", files[2]);
	if (count == 3)
		kp_choose_output(files[2]);
	options.template_path = files[0];
	options.d3_path = d3_path;
	kp_refuse_terminal("a page");
	page = kp_page_open(&options, text, sizeof(text));
	if (!page)
		kp_die(KP_BAD, "%s", text);
	if (views_path && kp_views_read(&views, views_path))
		kp_die(KP_BAD, "%s", views.error);
	input = kp_open_format(files[1], KP_FORMAT_SPAN_JSON, &shown);
	if (options.template_path)
		kp_record_input(options.template_path);
	if (d3_path)
		kp_record_input(d3_path);
	if (views_path)
		kp_record_input(views_path);
	kp_open_output();
	in = peeked = kp_needed(kp_foreign_detect(input, &foreign.kind));
	if (foreign.kind == KP_FOREIGN_PROFILE && !kp_page_is_original(page))
		kp_die(KP_BAD, "cannot show %s: rows of a profile go into templates of KUtrace 3 only; try its show_cpu.html",
		       shown);
	if (foreign.kind && !kp_page_is_original(page)) {
		in = as_spans(&foreign, in, shown);
	} else if (foreign.kind) {
		if (views_path)
			kp_die(KP_BAD, "cannot add views to %s: only pages of CPUs have views", shown);
		status = kp_page_foreign(page, &foreign, in, shown);
		if (kp_page_error(page)[0] && !ferror(stdout))
			kp_error("%s: %s", shown, kp_page_error(page));
		kp_page_close(page);
		if (peeked != input)
			fclose(peeked);
		return kp_finish(status);
	}
	paged = kp_needed(kp_paged_open(page, !no_findings));
	sink = kp_paged_sink(paged);
	if (views_path) {
		struct kp_span_sink to = sink;

		sink = kp_views_sink(&views, &to);
	}
	result = kp_json_read(&reader, in, shown, &sink);
	if (result == KP_JSON_STOPPED) {
		/* kp_finish() reports errors of standard output */
		kp_json_where(&reader, text, sizeof(text));
		if (!ferror(stdout))
			kp_error("%s: %s", text, views.error[0] ? views.error : kp_page_error(page));
		status = KP_BAD;
	} else {
		status = kp_json_exit_status(&reader, result);
		if (status == KP_OK)
			kp_page_print_large(kp_page_spans(page), stderr);
	}
	kp_paged_close(paged);
	kp_page_close(page);
	kp_views_free(&views);
	if (in != peeked)
		fclose(in);
	if (peeked != input)
		fclose(peeked);
	return kp_finish(status);
}
