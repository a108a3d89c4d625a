// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints docs/reference/events.md from the event table. `make docs` builds and runs this program, and a
 * test compares its output with the file in the tree.
 */
#include <stdio.h>

int main(void)
{
	puts("<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
	     "<!-- Generated from module/uapi/kutrace_events.def by `make docs`. -->\n\n"
	     "# Events\n\n"
	     "For programmers who read event text, span JSON or raw traces. After reading it you can find the\n"
	     "meaning of each event number and argument. Codes are hexadecimal; event text and span JSON have\n"
	     "them in decimal. kutrace-trace(5) has the layout of an entry.\n"
	     "ARG is the 32-bit argument of an event, ARG0 the low 16 bits of the first argument of a call.\n\n"
	     "## Categories\n\nEach category has one bit. The fact `cats` of a trace is the OR of the recorded\n"
	     "categories' masks.\n\n"
	     "| bit | mask | category | events |\n|---|---|---|---|");
#define KU_CAT(id, bit, text) \
	printf("| %d | %04x | %s | %s |\n", bit, 1 << (bit), #id, text);
#include "kutrace_events.def"
	puts("\n## Names\n\nThese entries name an object, except 109, which is an event. The middle digit is 0 here; in an\n"
	     "entry it is the length in words, 1 to 8.\n\n| code | name | object |\n|---|---|---|");
#define KU_NAME(id, code, label, text) printf("| %03x | %s | %s |\n", code, label, text);
#include "kutrace_events.def"
	puts("\n## Point events\n\nThese events have no return.\n\n"
	     "| code | name | category | meaning |\n|---|---|---|---|");
#define KU_POINT(id, code, cat, label, text) \
	printf("| %03x | %s | %s | %s |\n", code, label, #cat, text);
#include "kutrace_events.def"
	puts("\n## Calls and returns\n\nThe low digits of a call are the number of the trap, interrupt or system call. The return has the\n"
	     "number of the call plus 200.\n\n"
	     "| calls | returns | name | category | meaning |\n|---|---|---|---|---|");
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	printf("| %03x..%03x | %03x..%03x | %s | %s | %s |\n", call, (call) + (count) - 1, \
	       ret, (ret) + (count) - 1, label, #cat, text);
#include "kutrace_events.def"
	puts("\n## Made by the filters\n\nThese numbers are in span JSON only; the module does not record them.\n\n"
	     "| code | name | meaning |\n|---|---|---|");
#define KU_MADE(id, code, label, text) printf("| %03x | %s | %s |\n", code, label, text);
#include "kutrace_events.def"
	puts("\n## Traps\n\nNumbers below 64 are vectors of x86, 64 to 127 are exception classes of arm64 plus 64, and numbers\n"
	     "from 128 on are exception causes of riscv64 plus 128.\n\n| number | name |\n|---|---|");
#define KU_TRAP(number, label) printf("| %d | %s |\n", number, label);
#include "kutrace_events.def"
	puts("\n## Interrupts with fixed numbers\n\nMost numbers are vectors of x86. Other architectures use the same numbers for the same interrupts.\n\n"
	     "| number | name |\n|---|---|");
#define KU_VECTOR(id, number, label) printf("| %d | %s |\n", number, label);
#include "kutrace_events.def"
	puts("\n## Softirqs\n\n| number | name |\n|---|---|");
#define KU_SOFTIRQ(number, label) printf("| %d | BH:%s |\n", number, label);
#include "kutrace_events.def"
	return 0;
}
