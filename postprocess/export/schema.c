// SPDX-License-Identifier: BSD-3-Clause
/*
 * The tables of a trace (export/schema.h).
 */
#include "export/schema.h"

static const struct kt_column columns[KC_COLUMNS] = {
#define KT_TABLE(id, name, text) [KC_##id##_FIRST] = { "trace_id", KT_TEXT, false },
#define KT_COLUMN(table, id, name, type, null, text) [KC_##table##_##id] = { name, KT_##type, null },
#include "export/schema.def"
};

const struct kt_table_info kt_tables[KT_TABLES] = {
#define KT_TABLE(id, name, text) \
	[KT_##id] = { name, &columns[KC_##id##_FIRST], KC_##id##_END - KC_##id##_FIRST },
#include "export/schema.def"
};

#define KT_TABLE(id, name, text) \
	_Static_assert(KC_##id##_END - KC_##id##_FIRST <= KT_COLUMNS_MAX, "too many columns: " name);
#include "export/schema.def"
