// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints docs/events.md from the event table. Built and run by `make docs`;
 * a test compares the result with the file in the tree.
 */
#include <stdio.h>

int main(void)
{
	puts("<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
	     "<!-- Generated from module/uapi/kutrace_events.def by `make docs`. -->\n\n"
	     "# Events\n\n"
	     "Every event number of a trace, in hex. The layout of an entry is in\n"
	     "kutrace-trace(5).\n\n"
	     "## Categories\n\n| bit | mask | category | what |\n|---|---|---|---|");
#define KU_CAT(id, bit, text) \
	printf("| %d | %04x | %s | %s |\n", bit, 1 << (bit), #id, text);
#include "kutrace_events.def"
	puts("\n## Names\n\nThe middle digit of the event in an entry is its length in words,\n"
	     "1 to 8.\n\n| code | names | what |\n|---|---|---|");
#define KU_NAME(id, code, label, text) printf("| %03x | %s | %s |\n", code, label, text);
#include "kutrace_events.def"
	puts("\n## Points\n\n| code | name | category | what |\n|---|---|---|---|");
#define KU_POINT(id, code, cat, label, text) \
	printf("| %03x | %s | %s | %s |\n", code, label, #cat, text);
#include "kutrace_events.def"
	puts("\n## Calls and returns\n\n"
	     "| calls | returns | name | category | what |\n|---|---|---|---|---|");
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	printf("| %03x..%03x | %03x..%03x | %s | %s | %s |\n", call, (call) + (count) - 1, \
	       ret, (ret) + (count) - 1, label, #cat, text);
#include "kutrace_events.def"
	puts("\n## Made by the filters\n\n| code | name | what |\n|---|---|---|");
#define KU_MADE(id, code, label, text) printf("| %03x | %s | %s |\n", code, label, text);
#include "kutrace_events.def"
	puts("\n## Traps (x86)\n\n| number | name |\n|---|---|");
#define KU_TRAP(number, label) printf("| %d | %s |\n", number, label);
#include "kutrace_events.def"
	puts("\n## Interrupt numbers with a meaning of their own (x86)\n\n"
	     "| number | name |\n|---|---|");
#define KU_VECTOR(id, number, label) printf("| %d | %s |\n", number, label);
#include "kutrace_events.def"
	puts("\n## Softirqs\n\n| number | name |\n|---|---|");
#define KU_SOFTIRQ(number, label) printf("| %d | BH:%s |\n", number, label);
#include "kutrace_events.def"
	return 0;
}
