// SPDX-License-Identifier: BSD-3-Clause
/*
 * Replaces the addresses of PC samples in span JSON by names (report/sym.h):
 *
 *   [  7.84383524, 0.00061937, 1, 104, 0, 641, 61663, 0, 0, "PC=ffffffff8d7c37f0"],
 *   becomes [  7.84383524, 0.00061937, 1, 104, 0, 641, 61663, 0, 0, "PC=clear_page_rep"],
 */

#include "base/input.h"
#include "base/tool.h"
#include "report/sym.h"
#include "report/sym_user.h"
#include "spanjson/json.h"

static struct kp_tool tool = {
	.name = "samptoname",
	.usage = "[--kallsyms FILE] [--root DIR] [--debug DIR] [--maps PIDS FILE]... [-o FILE] <in.json >out.json",
	.help =
"Read span JSON on standard input, and write it with names in place of the\n"
"addresses of PC samples: PC=outer>inlined. Addresses without a name stay.\n"
"\n"
"  --kallsyms FILE   find names of kernel functions in FILE, a copy of\n"
"                    /proc/kallsyms that root made in the same boot of the machine\n"
"                    as the trace\n"
"  --maps PIDS FILE  find names for the threads PIDS (51,52 or all) with FILE, a\n"
"                    copy of /proc/PID/maps; with all, FILE can contain several\n"
"                    processes, each after a line \"==== /proc/PID/maps\"\n"
"  --root DIR        prefix the paths in each --maps after this option with DIR,\n"
"                    for a container (/proc/PID/root) or a copied disk\n"
"  --debug DIR       for each --maps after this option, also search DIR for\n"
"                    separate debug files (always searched: .debug and\n"
"                    /usr/lib/debug)\n"
"  -o FILE           write to FILE, which appears when it is complete (default:\n"
"                    standard output)\n"
"  -h, --help        show this help\n"
"  -V, --version     show the version\n"
"\n"
"samptoname_k FILE is the same as samptoname --kallsyms FILE, and samptoname_u\n"
"FILE as samptoname --maps all FILE: the names of KUtrace 3 (Sites).\n"
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static struct kp_json_reader reader;
static struct kp_json_writer writer;

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	kp_json_writer_set_width(self, reader.start_width);
	return kp_json_write_header(self, items, count);
}

static FILE *open_file(const char *path, const char **shown)
{
	if (!strcmp(path, "-"))
		kp_usage_error("standard input has the JSON: name a file instead of -");
	return kp_open_input(path, shown);
}

#define MAPS_WANTS "pids and a file"

enum { KALLSYMS = KP_LONG(0), MAPS };

static const char *root, *debug;

static const struct kp_option options[] = {
	{ "kallsyms", KALLSYMS, "a value", NULL }, { "maps", MAPS, MAPS_WANTS, NULL },
	{ "root", KP_LONG(2), "a value", &root }, { "debug", KP_LONG(3), "a value", &debug }, {0},
};

/* Returns the option to which a program named @name assigns an argument without an option. */
static int option_of_argument(const char *name)
{
	return !strcmp(name, "samptoname_k") ? KALLSYMS : !strcmp(name, "samptoname_u") ? MAPS :
	       KP_ARGUMENT;
}

static void parse(struct kp_sym *sym, int argc, char **argv)
{
	const char *shown, *value, *path;
	const int bare = option_of_argument(tool.name);
	int option, status = 0;
	bool argument, any = false;
	FILE *file;

	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		argument = option == KP_ARGUMENT;
		switch (argument ? bare : option) {
		case KALLSYMS:
			file = open_file(value, &shown);
			status = kp_sym_kallsyms(sym, file, shown);
			fclose(file);
			break;
		case MAPS:
			path = argument ? value : kp_next_value(argc, argv, "--maps", MAPS_WANTS);
			file = open_file(path, &shown);
			status = kp_sym_maps(sym, argument ? "all" : value, file, shown, root, debug);
			fclose(file);
			if (!status && sym->note[0])
				kp_error("%s", sym->note);
			break;
		default:
			kp_usage_error("unexpected argument %s; the JSON is read from standard input: samptoname ... <%s", value, value);
		}
		if (status)
			kp_die(KP_BAD, "%s", sym->message);
		any = true;
	}
	/* samptoname_k and samptoname_u need a file */
	if (bare != KP_ARGUMENT && !any)
		kp_usage_error("needs the name of a file");
}

/* Reports the files of programs that could not be read. */
static void report_unread(const struct kp_sym *sym)
{
	const char *first;
	uint64_t unread = sym->files ? kp_sym_files_unread(sym->files, &first) : 0;

	if (unread == 1)
		kp_error("cannot read a file of the maps: %s", first);
	else if (unread)
		kp_error("cannot read %" PRIu64 " files of the maps; the first: %s", unread, first);
}

int main(int argc, char **argv)
{
	static struct kp_sym sym;
	const struct kp_span_sink out = {
		on_header, kp_json_write_span, kp_json_write_end, &writer, kp_json_write_trailing,
	};
	enum kp_json_result result;
	struct kp_span_sink sink;
	const char *shown;
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	int status;
	FILE *in;

	if (option_of_argument(name) != KP_ARGUMENT)
		tool.name = name;
	kp_begin(&tool, argc, argv);
	parse(&sym, argc, argv);
	in = kp_open_format(NULL, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	kp_json_writer_init(&writer, stdout);
	sym.next = &out;
	sink = kp_sym_sink(&sym);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_exit_status(&reader, result);
	if (result == KP_JSON_STOPPED && sym.message[0])
		kp_error("%s", sym.message);
	report_unread(&sym);
	if (result == KP_JSON_OK)
		kp_error("%" PRIu64 " of %" PRIu64 " PC samples have names", sym.named,
			 sym.samples);
	kp_json_writer_free(&writer);
	kp_sym_free(&sym);
	return kp_finish(status);
}
