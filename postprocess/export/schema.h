/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a trace, as data from export/schema.def; a row of a table; and the sink that takes
 * rows.
 */
#ifndef KP_EXPORT_SCHEMA_H
#define KP_EXPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_table {
#define KT_TABLE(id, name, text) KT_##id,
#include "export/schema.def"
	KT_TABLES
};

/* The columns of all tables, one after the other. */
enum kt_column_id {
#define KT_TABLE(id, name, text) KC_##id##_FIRST, KC_##id##_TRACE_ID = KC_##id##_FIRST,
#define KT_COLUMN(table, id, name, type, null, text) KC_##table##_##id,
#define KT_TABLE_END(id) KC_##id##_END, KC_##id##_LAST = KC_##id##_END - 1,
#include "export/schema.def"
	KC_COLUMNS
};

#define KT_COLUMNS_MAX	24	/* of a table */

enum kt_type { KT_TEXT, KT_INT, KT_TIME };

struct kt_column {
	const char *name;
	enum kt_type type;
	bool null;
};

struct kt_table_info {
	const char *name;
	const struct kt_column *columns;	/* the first is trace_id */
	size_t count;
};

extern const struct kt_table_info kt_tables[KT_TABLES];

enum kt_cell_kind { KT_NO_VALUE, KT_NUMBER, KT_STRING };

struct kt_cell {
	enum kt_cell_kind kind;
	int64_t number;
	const char *text;	/* UTF-8, not NUL-terminated; must not change until the end */
	size_t len;
};

/*
 * Takes the next row of a table, with one cell for each column. A column without NULLs has a value
 * in each row. The first column, trace_id, is the same in all rows. Returns 0 or -1.
 */
struct kt_sink {
	int (*row)(void *self, enum kt_table table, const struct kt_cell *cells);
	void *self;
};

#endif
