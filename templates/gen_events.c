// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints templates/js/base/events.ts from the event table. `make docs` builds and runs it.
 * tests/golden/test_events_doc.sh compares the result with the file in the tree.
 */
#include <stdio.h>

int main(void)
{
	puts("// SPDX-License-Identifier: BSD-3-Clause\n"
	     "/**\n"
	     " * Event numbers, with the names that they have in the table.\n"
	     " * Generated from module/uapi/kutrace_events.def by `make docs`.\n"
	     " */\n\n"
	     "/* Entries that name something. */");
#define KU_NAME(id, code, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	puts("\n/* Events without a duration. */");
#define KU_POINT(id, code, cat, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	puts("\n/* The numbers of COUNT calls begin here, and the numbers of their returns at _RETURN. */");
#define KU_SPAN(id, call, ret, count, cat, label, text)					   \
	printf("export const %s = 0x%03x, %s_RETURN = 0x%03x, %s_COUNT = %d;\n", #id, call, \
	       #id, ret, #id, count);
#include "kutrace_events.def"
	puts("\n/* Events that only the filters make. */");
#define KU_MADE(id, code, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	return 0;
}
