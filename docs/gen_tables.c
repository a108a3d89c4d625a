// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints docs/tables.md from the list of tables. Built and run by `make docs`; a test compares
 * the result with the file in the tree.
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
	     "What rawtosqlite and rawtoparquet make of a trace; questions to ask of them are in [sql.md](sql.md).\n"
	     "Each row begins with `trace_id`, a UUID, the same each time for the same trace. A time is in ns since 1970, UTC,\n"
	     "in steps of 10. Numbers are 64-bit integers. Where \"or NULL\" is not said, there is always a value.");
#define KT_TABLE(id, name, text) \
	printf("\n## %s\n\n%s\n\n| column | type | |\n|---|---|---|\n", name, text);
#define KT_COLUMN(table, id, name, type, null, text) \
	printf("| %s | %s%s | %s |\n", name, type_name(#type), null ? " or NULL" : "", text);
#include "export/schema.def"
	puts("\n## Views\n\nIn SQLite they are there. For Parquet, `create view` makes them over the files' tables.\n\n"
	     "| view | query | |\n|---|---|---|");
#define KT_VIEW(name, query, text) printf("| %s | `%s` | %s |\n", name, query, text);
#include "export/schema.def"
	return 0;
}
