// SPDX-License-Identifier: BSD-3-Clause
/*
 * A raw trace as a SQLite database: docs/sql.md.
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  a row of table call: start_ns, elapsed_ns, ..., 'getpid', ...
 *
 * Must never give a name to a file that is not whole.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/options.h"
#include "base/tool.h"
#include "export/sqlite.h"
#include "export/tabulate.h"
#include "rawtrace/status.h"
#include "transform/trace.h"

static const struct kp_tool tool = {
	.name = "rawtosqlite",
	.usage = "[file] [-o FILE]",
	.help =
"Makes a SQLite database of a raw trace (file, or standard input): who ran where,\n"
"what each thread waited for and who woke it, each system call, fault, interrupt\n"
"and softirq, locks, packets, marks; what was lost. Its tables are those of\n"
"rawtoparquet; docs/sql.md has them, and questions to ask.\n"
"\n"
"  rawtosqlite -o slow.db slow.trace && sqlite3 slow.db\n"
"\n"
"  -o FILE        write to FILE instead of standard output; it is there when\n"
"                 it is whole, and not before\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"The database is made in a temporary file in $TMPDIR or /tmp, and so are spans\n"
"beyond about a million sorted. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O, 2 usage, 3 interrupted. A trace with\n"
"damage inside its blocks gives a database of the rest, and 1.\n",
};

static void report_failure(const struct kp_trace *trace, const struct kp_sqlite *db)
{
	const char *why = kp_sqlite_message(db);

	if (!*why)
		why = kp_rows_message(trace->rows);
	if (!ferror(stdout) && !kp_interrupted())
		kp_error("%s", *why ? why : "no memory");
}

static void print_summary(const struct kp_trace *trace, const struct kp_tabulate *tab)
{
	fprintf(stderr, "rawtosqlite: %" PRIu64 " events, %" PRIu64 " spans, %" PRIu64 " rows%s\n",
		trace->raw.events, kp_reconstruct_stats(trace->rec)->spans,
		kp_tabulate_rows(tab), trace->raw.wrapped ? ", wrapped" : "");
	if (trace->raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", trace->raw.lost);
}

static int name_task(void *self, const struct kp_namedef *def)
{
	return def->ts < 0 ? kp_tasks_name(self, def) : 0;
}

int main(int argc, char **argv)
{
	static struct kp_tasks tasks;
	static struct kp_trace trace = { .names = name_task, .names_self = &tasks };
	struct kp_raw_about about;
	struct kp_tabulate_options how = { .about = &about, .raw = &trace.raw, .tasks = &tasks };
	const char *path = NULL, *value, *shown;
	struct kp_tabulate *tab;
	struct kp_span_sink sink;
	struct kp_sqlite *db;
	int status;
	FILE *file;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, NULL, &value) > 0)
		kp_file_argument(value, &path);
	file = kp_open_input(path, &shown);
	kp_open_output();
	if (kp_trace_open(&trace, file, shown))
		kp_die(KP_BAD, "%s", kp_trace_message(&trace));
	kp_raw_about(&trace.raw, &about);
	if (kp_trace_read(&trace))
		kp_die(KP_BAD, "%s", kp_trace_message(&trace));
	db = kp_sqlite_new(about.trace_id);
	if (!db || *kp_sqlite_message(db))
		kp_die(KP_BAD, "%s", db ? kp_sqlite_message(db) : "no memory");
	how.sink = kp_sqlite_sink(db);
	tab = kp_tabulate_new(&how);
	if (!tab)
		kp_die(KP_BAD, "no memory");
	sink = kp_tabulate_sink(tab);
	if (kp_trace_replay(&trace, &sink) || kp_sqlite_finish(db, stdout)) {
		report_failure(&trace, db);
		status = KP_BAD;
	} else {
		print_summary(&trace, tab);
		kp_keep_output();	/* of a damaged trace, the rest */
		status = kp_raw_exit_status(&trace.raw);
	}
	status = kp_finish(status);
	kp_tabulate_free(tab);
	kp_sqlite_free(db);
	kp_tasks_free(&tasks);
	kp_trace_free(&trace);
	return status;
}
