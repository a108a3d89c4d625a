// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control: what several commands print, as JSON and for people.
 */
#include <stdio.h>

#include "cmd.h"
#include "ku_utf8.h"

const char *const cmd_lost_key[KUTRACE_LOST_CAUSES] = KUTRACE_LOST_LABELS;

const char *const cmd_lost_text[KUTRACE_LOST_CAUSES] = {
	[KUTRACE_LOST_FULL] = "the buffer was full",
	[KUTRACE_LOST_NESTED] = "an NMI hit a block switch",
	[KUTRACE_LOST_NOBLOCK] = "all blocks were in use",
	[KUTRACE_LOST_NAMES] = "names: the name buffer was full",
	[KUTRACE_LOST_PROBE] = "no return probe was free",
	[KUTRACE_LOST_RATE] = "marks of users who made too many",
};

void cmd_print_json_string(const char *text)
{
	int bytes;

	putchar('"');
	for (; (bytes = ku_utf8_bytes(text)); text += bytes < 0 ? -bytes : bytes) {
		if (bytes < 0)
			putchar('?');
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			fwrite(text, 1, (size_t)bytes, stdout);
	}
	putchar('"');
}

const char *cmd_shown(const char *text, char *str, size_t size)
{
	snprintf(str, size, "%s", text);
	ku_utf8_clean(str);
	return str;
}

void cmd_print_kinds(uint64_t bits, const char *quote, const char *between)
{
	const char *separator = "";
	unsigned int kind;

	for (kind = 0; kind < KUTRACE_KINDS; kind++) {
		if (!(bits >> kind & 1))
			continue;
		printf("%s%s%s%s", separator, quote, kutrace_kind_name(kind), quote);
		separator = between;
	}
}

void cmd_print_kinds_short(uint64_t bits)
{
	const char *separator = "";
	unsigned int category;
	uint64_t kinds;
	char name[32];

	bits &= KUTRACE_KINDS_ALL;
	if (bits == KUTRACE_KINDS_ALL) {
		fputs("all", stdout);
		return;
	}
	for (category = 0; (kinds = kutrace_category(category, name, sizeof(name), NULL));
	     category++) {
		/* what cannot be switched says nothing */
		uint64_t on = bits & kinds & ~KUTRACE_KINDS_FIXED;

		if (!on)
			continue;
		fputs(separator, stdout);
		separator = " ";
		if (on == (kinds & ~KUTRACE_KINDS_FIXED))
			fputs(name, stdout);
		else
			cmd_print_kinds(on, "", " ");
	}
	if (!*separator)
		fputs("none", stdout);
}
