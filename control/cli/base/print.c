// SPDX-License-Identifier: BSD-3-Clause
/*
 * Output that several commands share, as JSON and as text. Must not print a name unchecked, because
 * any program can set names.
 */
#include "cli/base/base.h"

#include "common/utf8.h"

#define TEXT_MAX 512	/* maximum number of printed bytes of a text */

const char *const cmd_lost_key[KUTRACE_LOST_CAUSES] = KUTRACE_LOST_LABELS;

const char *const cmd_lost_text[KUTRACE_LOST_CAUSES] = {
	[KUTRACE_LOST_FULL] = "the buffer was full",
	[KUTRACE_LOST_NESTED] = "an NMI came while its CPU took a new block",
	[KUTRACE_LOST_NOBLOCK] = "all blocks were in use",
	[KUTRACE_LOST_NAMES] = "names: the name buffer was full",
	[KUTRACE_LOST_PROBE] = "no return probe was free",
	[KUTRACE_LOST_RATE] = "a user made more marks per second than marks_rate",
};

const char *cmd_printable(const char *text, char *str, size_t size)
{
	snprintf(str, size, "%s", text);
	ku_utf8_clean(str);
	return str;
}

void cmd_print_quoted(const char *text)
{
	char shown[TEXT_MAX], escaped[6 * TEXT_MAX];
	uint64_t replaced = 0;

	cmd_printable(text, shown, sizeof(shown));
	printf("\"%.*s\"", (int)ku_json_escape(shown, strlen(shown), escaped, &replaced), escaped);
}

void cmd_report_string(struct ku_report *r, const char *key, const char *text)
{
	char shown[TEXT_MAX];

	ku_report_string(r, key, cmd_printable(text, shown, sizeof(shown)));
}

void cmd_report_kinds(struct ku_report *r, const char *key, uint64_t bits)
{
	ku_report_list(r, key);
	for (unsigned int kind = 0; kind < KUTRACE_KINDS; kind++)
		if (bits >> kind & 1)
			ku_report_string(r, NULL, kutrace_kind_name(kind));
	ku_report_close(r);
}

void cmd_report_lost(struct ku_report *r, const char *key, const struct kutrace_info *info)
{
	ku_report_object(r, key);
	for (int i = 0; i < KUTRACE_LOST_CAUSES; i++)
		ku_report_unsigned(r, cmd_lost_key[i], info->lost[i]);
	ku_report_close(r);
}

void cmd_print_kinds(uint64_t bits)
{
	const char *separator = "";

	for (unsigned int kind = 0; kind < KUTRACE_KINDS; kind++) {
		if (!(bits >> kind & 1))
			continue;
		printf("%s%s", separator, kutrace_kind_name(kind));
		separator = " ";
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
		/* ignore kinds that cannot be switched */
		uint64_t on = bits & kinds & ~KUTRACE_KINDS_FIXED;

		if (!on)
			continue;
		fputs(separator, stdout);
		separator = " ";
		if (on == (kinds & ~KUTRACE_KINDS_FIXED))
			fputs(name, stdout);
		else
			cmd_print_kinds(on);
	}
	if (!*separator)
		fputs("none", stdout);
}
