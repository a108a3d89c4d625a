// SPDX-License-Identifier: BSD-3-Clause
/*
 * samptoname: names for the sampled addresses. A thin main over kp_sym.
 *
 *   [  7.84383524, 0.00061937, 1, 104, 0, 641, 61663, 0, 0, "PC=ffffffff8d7c37f0"],
 *   becomes [  7.84383524, 0.00061937, 1, 104, 0, 641, 61663, 0, 0, "PC=clear_page_rep"],
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "kp_json.h"
#include "kp_main.h"
#include "kp_sym.h"

static const struct kp_tool tool = {
	.name = "samptoname",
	.usage = "[--kallsyms FILE] [--root DIR] [--debug DIR] [--maps PIDS FILE]... <in.json >out.json",
	.help =
"Reads span JSON on standard input and writes it with names in place of the\n"
"addresses of PC samples: PC=outer>inlined. What has no name stays as it is.\n"
"\n"
"  --kallsyms FILE   functions of the kernel: a copy of /proc/kallsyms, read by\n"
"                    root on the machine and boot of the trace\n"
"  --maps PIDS FILE  the maps of a process: a copy of /proc/PID/maps; PIDS are its\n"
"                    threads with commas between, or all\n"
"  --root DIR        where the files that following --maps name are, for a\n"
"                    container (such as /proc/PID/root) or another machine's disk\n"
"  --debug DIR       look for separate debug files there, besides .debug and\n"
"                    /usr/lib/debug, for following --maps\n"
"  -h, --help        this text\n"
"  --version         the version\n"
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage, 3 interrupted.\n",
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
		kp_usage_error("standard input is the JSON: give a file");
	return kp_open_input(path, shown);
}

static const char *value(int argc, char **argv, int *i)
{
	if (*i + 1 >= argc)
		kp_usage_error("%s wants a value", argv[*i]);
	return argv[++*i];
}

static void parse(struct kp_sym *sym, int argc, char **argv)
{
	const char *root = NULL, *debug = NULL, *shown, *pids;
	int status = 0;
	FILE *file;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--kallsyms")) {
			file = open_file(value(argc, argv, &i), &shown);
			status = kp_sym_kallsyms(sym, file, shown);
			fclose(file);
		} else if (!strcmp(argv[i], "--maps")) {
			if (i + 2 >= argc)
				kp_usage_error("--maps wants pids and a file");
			pids = argv[++i];
			file = open_file(argv[++i], &shown);
			status = kp_sym_maps(sym, pids, file, shown, root, debug);
			fclose(file);
		} else if (!strcmp(argv[i], "--root")) {
			root = value(argc, argv, &i);
		} else if (!strcmp(argv[i], "--debug")) {
			debug = value(argc, argv, &i);
		} else if (argv[i][0] == '-') {
			kp_usage_error("unknown option %s", argv[i]);
		} else {
			kp_usage_error("the JSON comes on standard input: %s", argv[i]);
		}
		if (status)
			kp_die(KP_BAD, "%s", sym->message);
	}
}

int main(int argc, char **argv)
{
	static struct kp_sym sym;
	const struct kp_span_sink out = {
		on_header, kp_json_write_span, kp_json_write_end, &writer, kp_json_write_behind,
	};
	enum kp_json_result result;
	struct kp_span_sink sink;
	const char *shown;
	int status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	parse(&sym, argc, argv);
	in = kp_open_input(NULL, &shown);
	kp_json_writer_init(&writer, stdout);
	sym.next = &out;
	sink = kp_sym_sink(&sym);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_exit_status(&reader, result);
	if (result == KP_JSON_STOPPED && sym.message[0])
		kp_error("%s", sym.message);
	if (result == KP_JSON_OK)
		kp_error("%" PRIu64 " of %" PRIu64 " PC samples have names", sym.named,
			 sym.samples);
	kp_json_writer_free(&writer);
	kp_sym_free(&sym);
	return kp_finish(status);
}
