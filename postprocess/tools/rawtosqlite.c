// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to a SQLite database (docs/guide/sql.md):
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  a row of table call: start_ns, elapsed_ns, ..., 'getpid', ...
 *
 * An incomplete file must not get the name that -o requests.
 */
#include "base/tool.h"
#include "export/exporters.h"

static const struct kp_tool tool = {
	.name = "rawtosqlite",
	.usage = "[file] [--no-findings] [-o FILE]",
	.help =
"Convert a raw trace (file, or standard input) to a SQLite database: which\n"
"thread ran where, what each thread waited for and its waker, each system call,\n"
"fault, interrupt and softirq, locks, packets, marks, known faults, and losses.\n"
"The tables are those of rawtoparquet; docs/guide/sql.md describes them, with queries.\n"
"\n"
"  rawtosqlite -o slow.db slow.trace && sqlite3 slow.db\n"
"\n"
"  --no-findings  do not search for known faults (table finding); the search needs up\n"
"                 to 300 MB more memory. A trace of more than 5,000,000 spans is\n"
"                 not searched\n"
KP_HELP_OPTIONS
"\n"
"The database is made in a temporary file in $TMPDIR or /tmp. Input that cannot\n"
"be read twice (a pipe), and spans beyond about a million, are also kept there.\n"
"A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage. A trace with\n"
"damage inside its blocks gives a database of the rest, and 1.\n",
};

static bool no_findings;

static const struct kp_option options[] = { { "no-findings", KP_LONG(0), NULL, &no_findings }, {0} };

int main(int argc, char **argv)
{
	static struct kp_source source;
	struct kp_tabulate_options how = {
		.about = &source.about, .raw = &source.trace.raw, .tasks = &source.tasks,
	};
	const char *path = NULL, *value;
	struct kp_tabulate *tab;
	struct kp_span_sink sink;
	struct kp_sqlite *db;
	int err, status;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, options, &value) > 0)
		kp_file_argument(value, &path);
	kp_refuse_terminal("a database");
	kp_source_open(&source, path);
	kp_open_output();
	kp_source_read(&source);
	db = kp_needed(kp_sqlite_new(source.about.trace_id));
	how.search = !no_findings && kp_rows_count(source.trace.rows) <= KP_TAB_SEARCHED;
	how.sink = kp_sqlite_sink(db);
	if (*how.sink.message)
		kp_die(KP_BAD, "%s", how.sink.message);
	tab = kp_needed(kp_tabulate_new(&how));
	sink = kp_tabulate_sink(tab);
	err = kp_trace_replay(&source.trace, &sink) || kp_sqlite_finish(db, stdout);
	status = kp_finish(kp_source_status(&source, err, how.sink.message, tool.name,
					    tab->rows, "rows"));
	kp_tabulate_free(tab);
	kp_sqlite_free(db);
	kp_source_free(&source);
	return status;
}
