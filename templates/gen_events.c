// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints templates/js/base/events.js from the event table. Built and run by `make docs`; a test
 * compares the result with the file in the tree.
 */
#include <stdio.h>

int main(void)
{
	puts("// SPDX-License-Identifier: BSD-3-Clause\n"
	     "/**\n"
	     " * Event numbers, with the names that they have in the table.\n"
	     " * Generated from module/uapi/kutrace_events.def by `make docs`.\n"
	     " */\n\n"
	     "/* Names of things. */");
#define KU_NAME(id, code, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	puts("\n/* Events at a point in time. */");
#define KU_POINT(id, code, cat, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	puts("\n/* The first of COUNT calls, and the first of their returns. */");
#define KU_SPAN(id, call, ret, count, cat, label, text)					   \
	printf("export const %s = 0x%03x, %s_RETURN = 0x%03x, %s_COUNT = %d;\n", #id, call, \
	       #id, ret, #id, count);
#include "kutrace_events.def"
	puts("\n/* Events that the filters make. */");
#define KU_MADE(id, code, label, text) printf("export const %s = 0x%03x;\n", #id, code);
#include "kutrace_events.def"
	return 0;
}
