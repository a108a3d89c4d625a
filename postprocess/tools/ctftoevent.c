// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a CTF trace, of LTTng's kernel tracer or of rawtoctf, to event text:
 *
 *	syscall_entry_getpid: { cpu_id = 0 }, { }
 *	becomes  1207652033 0 2087 0  51 0  0 0 0 getpid (827)
 *
 * Must not print any event of a trace that cannot be read to its end.
 */
#include <sys/stat.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"
#include "eventtext/eventtext.h"
#include "interop/ctf.h"

static const struct kp_tool tool = {
	.name = "ctftoevent",
	.usage = "[folder or file] [-o FILE]",
	.help =
"Print a trace in the Common Trace Format, of LTTng's kernel tracer or of rawtoctf,\n"
"as event text. libbabeltrace2 reads it: version 2.0 reads CTF 1.8, and version 2.1\n"
"also CTF 2. The input is a folder, an archive (tar) of one, or an archive on\n"
"standard input. A page of an existing trace is made like this:\n"
"\n"
"  ctftoevent ~/lttng-traces/auto-20261120 | eventtospan | LC_ALL=C sort | \\\n"
"    makeself >foo.html\n"
"\n"
"If a folder has several traces, the kernel's is read. The page shows what the\n"
"trace recorded in part or not at all, and its losses.\n"
"\n"
KP_HELP_OPTIONS
"\n"
"An archive is unpacked to a temporary folder in $TMPDIR or /tmp. A summary goes to\n"
"standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static struct kp_ctf_source source;

static void open_trace(const char *path)
{
	struct kp_ctf_files files;
	const char *shown = path;
	struct stat st;
	FILE *file;
	int err;

	if (path && !stat(path, &st) && S_ISDIR(st.st_mode)) {
		err = kp_ctf_files_folder(&files, path);
		if (!err)
			kp_open_output();
	} else {
		file = kp_open_input(path, &shown);
		kp_open_output();
		file = kp_seekable(file, shown);
		err = kp_ctf_files_archive(&files, file, shown);
	}
	if (err)
		kp_die(KP_BAD, "%s", files.message);
	if (kp_ctf_source_open(&source, &files))
		kp_die(KP_BAD, "%s: %s", shown, source.message);
}

static void print_summary(const struct kp_import_counts *counts)
{
	if (kp_output_unread())
		return;
	kp_progress_clear();
	fprintf(stderr, "%s: %" PRIu64 " events of CTF, %" PRIu64 " packets of %" PRIu64 " streams; %" PRIu64 " events%s\n",
		tool.name, counts->read, source.packets, (uint64_t)source.streams.count, counts->events,
		counts->ours ? ", as rawtoctf had them" : "");
	kp_print_count(counts->others,
		       "events of kinds that the page cannot show, or without a necessary field, are left out");
	kp_print_count(counts->numberless,
		       "events of tasks with numbers below 0 or above 2147483647 are left out");
	kp_print_count(counts->nameless,
		       "returns of calls that began before the trace have no name");
	kp_print_count(counts->far_cpus, "events of CPUs above 255 are left out");
	kp_print_count(source.packets_lost, "packets missing");
	fprintf(stderr, "  %s%" PRIu64 " events lost\n", source.lost_unknown ? "at least " : "", counts->lost);
}

int main(int argc, char **argv)
{
	static struct kp_event_writer writer;
	struct kp_import_counts counts;
	const char *path = NULL, *value;
	struct kp_event_sink sink;
	int status = KP_OK;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, NULL, &value) > 0)
		kp_file_argument(value, &path);
	open_trace(path);
	kp_event_writer_init(&writer, stdout);
	sink = kp_event_writer_sink(&writer);
	if (kp_ctf_import(&source, &sink, &counts) || kp_event_writer_flush(&writer)) {
		if (source.message[0] && !kp_interrupted())
			kp_error("%s: %s", path ? path : "standard input", source.message);
		status = KP_BAD;	/* otherwise writing failed, which kp_finish() reports */
	} else {
		print_summary(&counts);
	}
	kp_ctf_source_close(&source);
	return kp_finish(status);
}
