// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the event numbers of the event table as lines EV_NAME=NUMBER, for the guest tests (lib.sh).
 */
#include <ctype.h>
#include <stdio.h>
#include "kutrace_events.h"

static void number(const char *name, const char *suffix, int code)
{
	printf("EV_");
	for (; *name; name++)
		putchar(isalnum((unsigned char)*name) ? toupper((unsigned char)*name) : '_');
	printf("%s=%d\n", suffix, code);
}

static void call(const char *name, int code)
{
	number(name, "", code);
	number(name, "_RETURN", code | KUTRACE_RETURN_BIT);
}

int main(void)
{
	/* Names have the numbers below the first point event. */
	number("FIRST", "", KUTRACE_USERPID);
	number("RETURN_BIT", "", KUTRACE_RETURN_BIT);
#define KU_NAME(id, code, label, text) number(#id, "", code);
#define KU_POINT(id, code, cat, label, text) number(#id, "", code);
#define KU_SPAN(id, code, ret, count, cat, label, text) call(#id, code);
#define KU_MADE(id, code, label, text) number(#id, "", code);
#define KU_TRAP(trap, label) call(label, KUTRACE_CALL_TRAP + trap);
#define KU_VECTOR(id, vector, label) call(#id, KUTRACE_CALL_IRQ + vector);
#include "kutrace_events.def"
	return 0;
}
