// SPDX-License-Identifier: BSD-3-Clause
/*
 * Proposes commands for a word that is no command: the nearest names, as git does, or the program that
 * has this command. Must not run a proposed command.
 */
#include "cli/base/base.h"

#define KUTRACE		"kutrace"
#define WORD_BYTES	24	/* longer words are not compared */
#define PROPOSALS	4
/* costs of the changes that turn the word into a name; a forgotten letter is likelier than a surplus one */
#define SUBSTITUTED	2
#define FORGOTTEN	1
#define SURPLUS		3
#define FAR		7	/* names of at least this cost are not proposed */

/* The commands of both programs. tests/cli/kutrace.sh compares them with the tables of the programs. */
static const struct {
	const char *tool;
	const char *names[48];
} known[] = {
	{KUTRACE, {"run", "record", "snapshot", "page", "why", "top", "diff", "events", "spans", "check",
		   "doctor", "selftest", "guest", "help"}},
	{CMD_TOOL, {"go", "goipc", "gowrap", "goipcwrap", "start", "stop", "dump", "snapshot", "reset", "init",
		    "on", "off", "flush", "stat", "status", "doctor", "mask", "filter", "tracepoints",
		    "tracepoint", "show", "wait", "watch", "session", "run", "record", "stream", "receive",
		    "selftest", "test", "quit", "exit", "help"}},
};
#define TOOLS (sizeof(known) / sizeof(known[0]))

/* Words that other tools use, and the command that does the same. */
static const struct {
	const char *word, *command;
} synonyms[] = {
	{"convert", KUTRACE " page"}, {"end", CMD_TOOL " stop"}, {"finish", CMD_TOOL " stop"},
	{"html", KUTRACE " page"}, {"info", CMD_TOOL " status"}, {"list", CMD_TOOL " session list"},
	{"open", KUTRACE " page"}, {"prof", KUTRACE " top"},
	{"profile", KUTRACE " top"}, {"report", KUTRACE " top"},
	{"trace", KUTRACE " record"}, {"version", KUTRACE " --version"}, {"view", KUTRACE " page"},
};

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Returns the cost of the changes that turn @word into @name. Swapping two neighbouring letters
 * costs nothing, as in git.
 * Both have less than WORD_BYTES bytes.
 */
static unsigned int distance(const char *word, const char *name)
{
	const size_t width = strlen(name);
	unsigned int rows[3][WORD_BYTES], *before = rows[0], *above = rows[1], *row = rows[2], *unused;

	for (size_t j = 0; j <= width; j++)
		above[j] = (unsigned int)j * FORGOTTEN;
	for (size_t i = 0; word[i]; i++) {
		row[0] = (unsigned int)(i + 1) * SURPLUS;
		for (size_t j = 0; j < width; j++) {
			row[j + 1] = above[j] + (word[i] == name[j] ? 0 : SUBSTITUTED);
			if (i && j && word[i - 1] == name[j] && word[i] == name[j - 1])
				row[j + 1] = least(row[j + 1], before[j - 1]);
			row[j + 1] = least(row[j + 1], above[j + 1] + SURPLUS);
			row[j + 1] = least(row[j + 1], row[j] + FORGOTTEN);
		}
		unused = before;
		before = above;
		above = row;
		row = unused;
	}
	return above[width];
}

/* Returns whether @word and @name begin alike, or at least half of the letters of the longer one are in both. */
static bool is_similar(const char *word, const char *name)
{
	const size_t length = strlen(word), size = strlen(name);
	unsigned char left[256] = {0};
	size_t common = 0;

	if (!strncmp(name, word, length))
		return true;
	for (; *name; name++)
		left[(unsigned char)*name]++;
	for (const char *at = word; *at; at++)
		if (left[(unsigned char)*at]) {
			left[(unsigned char)*at]--;
			common++;
		}
	return 2 * common >= (length > size ? length : size);
}

/* Finds the names of the least cost. Returns their number. */
static unsigned int nearest(const char *word, const char *const *names, const char *found[PROPOSALS])
{
	const size_t length = strlen(word);
	/* a word of two letters is near to many names */
	unsigned int best = length < 3 ? FORGOTTEN + 1 : FAR - 1, count = 0, cost;

	if (!length || length >= WORD_BYTES)
		return 0;
	for (; *names; names++) {
		cost = !strncmp(*names, word, length) ? 0 : distance(word, *names) + 1;
		if (cost > best || !strcmp(*names, word) || !is_similar(word, *names))
			continue;
		count = cost < best ? 0 : count;
		best = cost;
		if (count < PROPOSALS)
			found[count++] = *names;
	}
	return count;
}

/* Returns the other program (kutrace or kutrace_control) if it has the command @word; otherwise NULL. */
static const char *other_tool(const char *word)
{
	for (size_t i = 0; i < TOOLS; i++)
		for (const char *const *name = known[i].names; *name && strcmp(known[i].tool, cmd_tool()); name++)
			if (!strcmp(*name, word))
				return known[i].tool;
	return NULL;
}

/* Returns the command that does what @word means in other tools, or NULL. */
static const char *synonym(const char *word)
{
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (!strcmp(synonyms[i].word, word))
			return synonyms[i].command;
	return NULL;
}

bool cmd_is_known_elsewhere(const char *word)
{
	return other_tool(word) || synonym(word);
}

int cmd_no_command(const char *word)
{
	const char *other = other_tool(word), *same = synonym(word), *found[PROPOSALS];
	char text[200] = "";
	unsigned int count = 0;

	if (other)
		return cmd_usage_error("%s: no such command: it is a command of %s; try \"%s %s\"", word, other, other,
				       word);
	if (same)
		return cmd_usage_error("%s: no such command; try \"%s\"", word, same);
	for (size_t i = 0; i < TOOLS; i++)
		if (!strcmp(known[i].tool, cmd_tool()))
			count = nearest(word, known[i].names, found);
	for (unsigned int i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 !i ? "; did you mean " : i + 1 < count ? ", " : " or ", found[i]);
	return cmd_usage_error("%s: no such command%s%s", word, text, count ? "?" : "");
}
