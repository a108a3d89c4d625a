// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to a CTF 1.8 trace, for babeltrace2 and Trace Compass:
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  syscall_entry_getpid { tid = 51 }, { arg0 = 9849 } and
 *            syscall_exit_getpid { tid = 51 }, { ret = 51 }
 *
 * An incomplete folder or archive must not get the name that -o requests.
 */

#include "base/input.h"
#include "base/progress.h"
#include "base/tool.h"
#include "export/exporters.h"

static const struct kp_tool tool = {
	.name = "rawtoctf",
	.usage = "[file] [-o DIR]",
	.help =
"Convert a raw trace (file, or standard input) to the Common Trace Format,\n"
"version 1.8, for babeltrace2, Trace Compass and other readers. Events and\n"
"fields that LTTng also has are named as there. A CTF trace is a folder:\n"
"\n"
"  rawtoctf -o slow.ctf slow.trace && babeltrace2 slow.ctf\n"
"\n"
"  -o DIR         write the folder DIR, which must not exist, or must be empty;\n"
"                 DIR appears when it is complete. Without -o an archive (tar)\n"
"                 of the folder goes to standard output\n"
"  -o FILE.tar    write the archive to FILE.tar\n"
"  --folder DIR   write the folder DIR, even if its name ends in .tar\n"
"  -h, --help     show this help\n"
"  -V, --version  show the version\n"
"\n"
"Input that cannot be read twice (a pipe), and the files of an archive, are kept\n"
"in temporary files in $TMPDIR or /tmp. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage. A trace with\n"
"damage inside its blocks gives a CTF trace of the rest, and 1.\n",
};

enum { FOLDER = KP_LONG(0), INTO };

#define FOLDER_WANTS "the name of a folder"

static const struct kp_option options[] = {
	{ "folder", FOLDER, FOLDER_WANTS, NULL },
	{ "into", INTO, FOLDER_WANTS, NULL },	/* old name of --folder (rawtoparquet has another --into) */
	{0},
};

static struct kp_folder folder;

static void close_folder(void)
{
	kp_folder_close(&folder);
}

static void print_summary(const struct kp_raw *raw, const struct kp_ctf *ctf)
{
	if (kp_output_unread())
		return;
	kp_progress_clear();
	fprintf(stderr, "rawtoctf: %" PRIu64 " events of a raw trace, %" PRIu64 " of CTF, %zu files%s\n",
		raw->events, kp_ctf_events(ctf), folder.count, raw->wrapped ? ", wrapped" : "");
	if (raw->has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", raw->lost);
}

int main(int argc, char **argv)
{
	const char *path = NULL, *into = NULL, *name = "", *value, *shown, *why;
	static struct kp_raw raw;
	struct kp_event_sink sink;
	struct kp_ctf *ctf;
	int option, status = KP_OK;
	FILE *file;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		if (option != FOLDER && option != INTO) {
			kp_file_argument(value, &path);
			continue;
		}
		name = option == INTO ? "--into" : "--folder";
		if (!*value)
			kp_usage_error("%s needs " FOLDER_WANTS, name);
		into = value;
	}
	if (into && kp_chosen_output())
		kp_usage_error("-o and %s both name the output", name);
	if (!into)
		kp_refuse_terminal("an archive");
	file = kp_open_format(path, KP_FORMAT_RAW_TRACE, &shown);
	if (!into)
		into = kp_folder_chosen();
	if (kp_raw_open(&raw, file, shown))
		kp_die(KP_BAD, "%s", raw.message);
	if (!raw.events)
		kp_die(KP_BAD, "%s: no events in it: an empty trace", shown);
	atexit(close_folder);
	if (kp_folder_open(&folder, into))
		kp_die(KP_BAD, "%s", folder.message);
	ctf = kp_needed(kp_ctf_new(&raw, &folder));
	sink = kp_ctf_sink(ctf);
	if (kp_raw_events(&raw, &sink, false, NULL) || kp_ctf_end(ctf) ||
	    kp_folder_archive(&folder, stdout)) {
		why = raw.message[0] ? raw.message : folder.message;
		if (!ferror(stdout) && !kp_interrupted())
			kp_error("%s", *why ? why : "no memory");
		status = KP_BAD;
	} else {
		print_summary(&raw, ctf);
		kp_retain_output();	/* retain the valid part of a damaged trace */
		status = kp_folder_end(&folder, kp_raw_exit_status(&raw));
	}
	status = kp_finish(status);
	kp_ctf_free(ctf);
	kp_raw_close(&raw);
	return status;
}
