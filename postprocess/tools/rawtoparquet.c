// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to Parquet files (docs/guide/sql.md):
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  a row of call.parquet: start_ns, elapsed_ns, ..., "getpid", ...
 *
 * An incomplete folder or archive must not get the name that -o requests.
 */

#include "base/tool.h"
#include "export/exporters.h"

static const struct kp_tool tool = {
	.name = "rawtoparquet",
	.usage = "[file] [--no-findings] [-o DIR | --into DIR]",
	.help =
"Convert a raw trace (file, or standard input) to Parquet files, one per table:\n"
"which thread ran where, what each thread waited for and its waker, each system\n"
"call, fault, interrupt and softirq, locks, packets, marks, known faults, losses.\n"
"The tables are those of rawtosqlite; docs/guide/sql.md describes them, with queries\n"
"for one trace or many.\n"
"\n"
"  rawtoparquet -o slow slow.trace && duckdb -c \"select * from 'slow/trace.parquet'\"\n"
"\n"
"  -o DIR         write the folder DIR, which must not exist, or must be empty;\n"
"                 DIR appears when it is complete. Without -o an archive (tar)\n"
"                 of the folder goes to standard output\n"
"  -o FILE.tar    write the archive to FILE.tar\n"
"  --into DIR     add the trace to the collection DIR, as\n"
"                 DIR/TABLE/date=D/host=H/ID.parquet. A trace that is added\n"
"                 again replaces itself\n"
"  --no-findings  do not search for known faults (table finding); the search needs up\n"
"                 to 300 MB more memory. A trace of more than 5,000,000 spans is\n"
"                 not searched\n"
"  -h, --help     show this help\n"
"  -V, --version  show the version\n"
"\n"
"Input that cannot be read twice (a pipe), the files of an archive, and spans\n"
"beyond about a million are kept in temporary files in $TMPDIR or /tmp. A\n"
"summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage. A trace with\n"
"damage inside its blocks gives files of the rest, and 1.\n",
};

enum { INTO = KP_LONG(0) };

static bool no_findings;

#define INTO_WANTS "the name of a folder"

static const struct kp_option options[] = {
	{ "into", INTO, INTO_WANTS, NULL }, { "no-findings", KP_LONG(1), NULL, &no_findings }, {0},
};

static struct kp_folder folder;

static void close_folder(void)
{
	kp_folder_close(&folder);
}

/* Opens the output: part of a collection, a folder or an archive. */
static int open_folder(const struct kp_partition *partition)
{
	return partition->dir ? kp_partition_open(&folder, partition) :
				kp_folder_open(&folder, kp_folder_chosen());
}

int main(int argc, char **argv)
{
	static struct kp_source source;
	struct kp_tabulate_options how = {
		.about = &source.about, .raw = &source.trace.raw, .tasks = &source.tasks,
	};
	struct kp_partition partition = {
		.host = source.about.host, .id = source.about.trace_id,
	};
	const char *path = NULL, *value, *why;
	struct kp_parquet *parquet;
	struct kp_tabulate *tab;
	struct kp_span_sink sink;
	int option, err, status;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		if (option == INTO && !*value)
			kp_usage_error("--into needs " INTO_WANTS);
		else if (option == INTO)
			partition.dir = value;
		else
			kp_file_argument(value, &path);
	}
	if (partition.dir && kp_chosen_output())
		kp_usage_error("-o and --into both name the output");
	if (!partition.dir)
		kp_refuse_terminal("an archive");
	kp_source_open(&source, path);
	kp_source_read(&source);
	atexit(close_folder);
	partition.start_s = (int64_t)(source.trace.raw.start_usec / 1000000);
	if (open_folder(&partition))
		kp_die(KP_BAD, "%s", folder.message);
	parquet = kp_needed(kp_parquet_new(&folder));
	how.search = !no_findings && kp_rows_count(source.trace.rows) <= KP_TAB_SEARCHED;
	how.sink = kp_parquet_sink(parquet);
	if (*how.sink.message)
		kp_die(KP_BAD, "%s", how.sink.message);
	tab = kp_needed(kp_tabulate_new(&how));
	sink = kp_tabulate_sink(tab);
	err = kp_trace_replay(&source.trace, &sink) || kp_parquet_finish(parquet) ||
	      kp_folder_archive(&folder, stdout);
	why = how.sink.message;
	status = kp_source_status(&source, err, *why ? why : folder.message, tool.name, tab->rows,
				  "rows");
	status = kp_finish(err ? status : kp_folder_end(&folder, status));
	kp_tabulate_free(tab);
	kp_parquet_free(parquet);
	kp_source_free(&source);
	return status;
}
