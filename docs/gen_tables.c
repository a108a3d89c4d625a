// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints docs/reference/tables.md from the list of tables. `make docs` builds and runs this program, and a
 * test compares its output with the file in the tree.
 */
#include <stdio.h>
#include <string.h>

static const char *type_name(const char *type)
{
	return !strcmp(type, "TEXT") ? "text" : !strcmp(type, "TIME") ? "time" : "integer";
}

int main(void)
{
	puts("<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
	     "<!-- Generated from postprocess/export/schema.def by `make docs`. -->\n\n"
	     "# Tables\n\n"
	     "For users of SQL who write their own queries of the tables that rawtosqlite and rawtoparquet make from\n"
	     "a trace. After reading it you know each column, its unit, and when it is NULL. [sql.md](../guide/sql.md)\n"
	     "has thirty queries to begin with.\n\n"
	     "- Each row begins with `trace_id`, a UUID. The same trace always has the same id.\n"
	     "- A time is in nanoseconds since 1970, UTC, and a multiple of 10.\n"
	     "- An integer has 64 bits.\n"
	     "- A column has a value in each row unless its type says \"or NULL\".\n"
	     "- Spans, calls and inferred spans: see [reconstruction.md](../design/reconstruction.md) and the [glossary](glossary.md#spans).");
#define KT_TABLE(id, name, text) \
	printf("\n## %s\n\n%s\n\n| column | type | meaning |\n|---|---|---|\n", name, text);
#define KT_COLUMN(table, id, name, type, null, text) \
	printf("| %s | %s%s | %s |\n", name, type_name(#type), null ? " or NULL" : "", text);
#include "export/schema.def"
	puts("\n## Views\n\nThe SQLite file has these views. For Parquet, create them by `create view` with the same query.\n\n"
	     "| view | query | meaning |\n|---|---|---|");
#define KT_VIEW(name, query, text) printf("| %s | `%s` | %s |\n", name, query, text);
#include "export/schema.def"
	return 0;
}
