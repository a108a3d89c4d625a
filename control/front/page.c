// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace page: makes a page, from a trace by rawtohtml, or from span JSON or event text by makeself. If FILE is the only
 * argument at a terminal, writes the page beside it. Must not replace a page that the user did not name.
 */
#include <ctype.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/front.h"

/* The folder that a guest of "make guest" shares with the host. KUTRACE_GUEST_SHARE is its path on the host. */
#define GUEST_FOLDER	"/share/"

/* Prints a path as a part of a URL. */
static void print_url_path(const char *path)
{
	for (; *path; path++)
		fprintf(stderr, isalnum((unsigned char)*path) || strchr("/._~-", *path) ? "%c" : "%%%02X", (unsigned char)*path);
}

/* Prints HOST or USER@HOST, by which another machine can reach this machine. */
static void print_host(void)
{
	const char *user = cmd_is_set("SUDO_USER") ? getenv("SUDO_USER") : getenv("USER"), *ssh = getenv("SSH_CONNECTION");
	char host[256] = "HOST", address[100];

	/* "CLIENT PORT SERVER PORT" */
	if (ssh && sscanf(ssh, "%*s %*s %99s", address) == 1)
		snprintf(host, sizeof(host), strchr(address, ':') ? "[%s]" : "%s", address);
	else
		gethostname(host, sizeof(host) - 1);
	fprintf(stderr, "%s%s%s", user ? user : "", user ? "@" : "", host);
}

void front_print_how_to_open(const char *page)
{
	const char *shared = getenv("KUTRACE_GUEST_SHARE");
	char whole[PATH_MAX];

	if (!realpath(page, whole))
		return;
	if (shared && !strncmp(whole, GUEST_FOLDER, strlen(GUEST_FOLDER))) {
		fprintf(stderr, "to see the page, open %s/%s on the host\n", shared, whole + strlen(GUEST_FOLDER));
		return;
	}
	fputs("to see the page, open file://", stderr);
	print_url_path(whole);
	fputs(" in a browser;\nif the browser is on another machine, first copy the page there: scp ", stderr);
	print_host();
	fputs(":", stderr);
	cmd_print_word(whole);
	fputs(" .\n", stderr);
}

enum kind { OTHER, PAGE, TEXT };

/* Returns PAGE for a page, and TEXT for a file that only makeself reads: span JSON or event text. */
static enum kind kind_of(const char *word)
{
	static const char *const packed[] = {".json.xz", ".json.gz", ".json.zst"};
	char head[64] = "", *at = head;
	struct stat st;
	FILE *f;

	/* the first bytes of a pipe cannot be read twice */
	if (stat(word, &st) || !S_ISREG(st.st_mode))
		return OTHER;
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (front_ends_with(word, packed[i]))
			return TEXT;
	f = fopen(word, "re");
	if (f) {
		head[fread(head, 1, sizeof(head) - 1, f)] = '\0';
		fclose(f);
	}
	at += strncmp(at, "\xEF\xBB\xBF", 3) ? 0 : 3;
	at += strspn(at, " \t\r\n");
	return *at == '<' ? PAGE : *at == '{' || !strncmp(at, "# ## ", 5) ? TEXT : OTHER;
}

/* Makes the page beside the file. Returns an exit status. */
static int make_beside(char *file, enum kind kind, char *page)
{
	char tool[4200], *title = strrchr(file, '/');
	char *raw[] = {tool, (char[]){"--title"}, title ? title + 1 : file, (char[]){"-o"}, page, (char[]){"--"}, file, NULL};
	char *text[] = {tool, (char[]){"-o"}, page, (char[]){"--"}, file, NULL};
	int status;

	if (!front_find_program("page", kind == TEXT ? "makeself" : "rawtohtml", tool, sizeof(tool)))
		return CMD_RUN_NOT_FOUND;
	/* the program uses this name in its messages */
	setenv("KUTRACE_COMMAND", "kutrace page", 1);
	status = front_wait(front_start(kind == TEXT ? text : raw, -1, NULL));
	if (!status)
		front_print_how_to_open(page);
	return status;
}

int front_page(int argc, char **argv)
{
	char *file = argc == 2 && argv[1][0] != '-' ? argv[1] : NULL, page[4200];
	enum kind kind = OTHER;
	struct stat st;

	if (file && kind_of(file) == PAGE) {
		fprintf(stderr, "%s: this is a page already\n", file);
		front_print_how_to_open(file);
		return CMD_USAGE;
	}
	for (int i = 1; i < argc; i++)
		if (kind_of(argv[i]) == TEXT)
			kind = TEXT;
	/* the programs report every other case */
	if (!file || !isatty(STDOUT_FILENO) || stat(file, &st) || !S_ISREG(st.st_mode) ||
	    !cmd_page_name(file, page, sizeof(page)))
		return front_exec(kind == TEXT ? "makeself" : "rawtohtml", NULL, argc, argv);
	if (!lstat(page, &st))
		return cmd_fail("page: %s exists; try \"kutrace page %s -o %s\", which replaces it", page, file, page);
	return make_beside(file, kind, page);
}
