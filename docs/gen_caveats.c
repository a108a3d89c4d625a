// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the caveats of docs/caveats.def:
 *
 *	gen_caveats page|man|kernels	the module of the page; the lists in kutrace-trace(5) and kernels.md
 *
 * `make docs` puts them into the tree. tests/golden/test_caveats_doc.sh compares them, and checks that
 * the kernel module's caveats are all here. Exit status: 0; 1 if one of those is missing; 2 usage.
 */
#include <stdio.h>
#include <string.h>

#include "kutrace_abi.h"

enum group { KERNEL, SETTING, IMPORT };

static const struct caveat {
	enum group group;
	const char *name, *what, *line, *meaning;
} caveats[] = {
#define CAVEAT(group, name, what, line, meaning) { group, #name, what, line, meaning },
#include "caveats.def"
};

#define COUNT (sizeof(caveats) / sizeof(caveats[0]))

static void print_page(void)
{
	puts("// SPDX-License-Identifier: BSD-3-Clause\n"
	     "/**\n"
	     " * For each caveat: the events that are recorded only partly, and what differs.\n"
	     " * Generated from docs/caveats.def by `make docs`.\n"
	     " */\n"
	     "export const CAVEATS: Record<string, [string, string]> = {");
	for (size_t i = 0; i < COUNT; i++)
		printf("\t%s: ['%s', '%s'],\n", caveats[i].name, caveats[i].what, caveats[i].line);
	puts("};");
}

/* Prints @text as roff. Words between ` are bold. */
static void print_roff(const char *text)
{
	int bold = 0;

	for (; *text; text++)
		if (*text == '`')
			fputs((bold = !bold) ? "\\fB" : "\\fP", stdout);
		else if (text[0] == '.' && text[1] == ' ')
			fputs(".\n", stdout), text++;
		else
			putchar(*text);
	putchar('\n');
}

static void print_man(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (i && caveats[i].group == IMPORT && caveats[i - 1].group != IMPORT)
			puts(".PP\nTraces of other tracers that\n.BR ctftoevent (1)\nor\n"
			     ".BR perfettotoevent (1)\nread also have:");
		printf(".TP\n.B %s\n", caveats[i].name);
		print_roff(caveats[i].meaning);
	}
}

static void print_kernels(void)
{
	puts("| Caveat | Meaning |\n|---|---|");
	for (size_t i = 0; i < COUNT && caveats[i].group != IMPORT; i++) {
		if (i && caveats[i].group != caveats[i - 1].group)
			puts("\nOther caveats depend on parameters, the configuration or the machine:\n\n"
			     "| Caveat | Meaning |\n|---|---|");
		printf("| `%s` | %s |\n", caveats[i].name, caveats[i].meaning);
	}
}

/* Returns whether each caveat of the kernel module has a text. */
static int complete(void)
{
	static const char *const labels[] = KUTRACE_CAVEAT_LABELS;
	int all = 1;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		size_t at = 0;

		while (at < COUNT && strcmp(labels[i], caveats[at].name))
			at++;
		if (at == COUNT)
			all = 0, fprintf(stderr, "docs/caveats.def lacks %s\n", labels[i]);
	}
	return all;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "page"))
		print_page();
	else if (argc == 2 && !strcmp(argv[1], "man"))
		print_man();
	else if (argc == 2 && !strcmp(argv[1], "kernels"))
		print_kernels();
	else
		return 2;
	return !complete();
}
