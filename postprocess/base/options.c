// SPDX-License-Identifier: BSD-3-Clause
/* Parses arguments, see base/tool.h. Must not treat the value of an option as an option. */
#include "base/tool.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

#define OPTIONS_MAX	16

/* Options of every filter, for abbreviations (--he). kp_begin() has handled the full words. */
static const struct option all[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
};

/* Tables for getopt_long(). */
struct tables {
	char letters[3 * OPTIONS_MAX + 8];
	struct option names[OPTIONS_MAX + 3];
};

static void fill(struct tables *t, const struct kp_option *table)
{
	/* "-": report arguments in their order; ":": report a missing value as ':' */
	char *p = stpcpy(t->letters, "-:hVo:");
	struct option *name = t->names;

	for (; table && table->letter; table++) {
		if (table->letter < 256) {
			*p++ = (char)table->letter;
			if (table->wants)
				*p++ = ':';
		}
		if (table->name)
			*name++ = (struct option){ table->name,
				table->wants ? required_argument : no_argument, NULL,
				table->letter };
	}
	*p = '\0';
	*name++ = all[0];
	*name++ = all[1];
	*name = (struct option){0};
}

static const struct kp_option *find(const struct kp_option *table, int letter)
{
	for (; table && table->letter; table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

static _Noreturn void value_missing(const struct kp_option *table, int letter, const char *word)
{
	const struct kp_option *option = find(table, letter);

	kp_usage_error("%s needs %s", word, option ? option->wants : "the name of a file");
}

static _Noreturn void refuse(const char *word)
{
	if (word[0] == '-' && word[1] == '-')
		kp_usage_error(strchr(word, '=') ? "no such option, or it takes no value: %s" :
			       "unknown option %s", word);
	if (word[0] == '-' && word[1] && word[2])
		kp_usage_error("unknown option -%c in %s", optopt, word);
	kp_usage_error("unknown option -%c", optopt);
}

/* Returns the option that @word spells with one dash, such as -rel0 or -maxblock=2, or NULL. */
static const struct kp_option *one_dash(const char *word, const struct kp_option *table)
{
	size_t len;

	if (word[0] != '-' || !word[1] || !word[2])
		return NULL;
	len = strcspn(word + 1, "=");
	for (; table && table->letter; table++)
		if (table->name && strlen(table->name) == len &&
		    !strncmp(word + 1, table->name, len) && (table->wants || !word[1 + len]))
			return table;
	return NULL;
}

static bool only_arguments;	/* the remaining words are not options */

/* Returns the letter of the next option, also of -o, or KP_ARGUMENT, or -1 at the end. */
static int next(int argc, char **argv, const struct kp_option *table, const char **value)
{
	static struct tables t;
	const char *word = optind < argc ? argv[optind] : "";
	const struct kp_option *old = only_arguments ? NULL : one_dash(word, table);
	int letter;

	if (!t.letters[0])
		fill(&t, table);
	opterr = 0;
	if (old) {
		optind++;
		*value = strchr(word, '=');
		if (*value)
			(*value)++;
		else if (old->wants)
			*value = kp_next_value(argc, argv, word, old->wants);
		return old->letter;
	}
	letter = only_arguments ? -1 : getopt_long(argc, argv, t.letters, t.names, NULL);
	*value = optarg;
	switch (letter) {
	case 'o':
		kp_choose_output(optarg);
		return letter;
	case 'h':
		kp_answer_help();
	case 'V':
		kp_answer_version();
	case ':':
		value_missing(table, optopt, word);
	case '?':
		refuse(word);
	case -1:
		if (optind == argc)
			return -1;
		only_arguments = true;	/* there was a "--" */
		*value = argv[optind++];
		return KP_ARGUMENT;
	default:
		return letter;
	}
}

/*
 * Stores the value of an option that has a member "store". Returns true for such an option and for
 * -o, which the caller must not handle.
 */
static bool is_done(const struct kp_option *table, int letter, const char *value)
{
	const struct kp_option *option = find(table, letter);

	if (option && option->store && option->wants)
		*(const char **)option->store = value;
	else if (option && option->store)
		*(bool *)option->store = true;
	return letter == 'o' || (option && option->store);
}

int kp_next_option(int argc, char **argv, const struct kp_option *table, const char **value)
{
	int letter;

	do
		letter = next(argc, argv, table, value);
	while (is_done(table, letter, *value));
	return letter;
}

/* Returns whether @word is an option of @table, or an option of every filter. */
static bool is_option(const char *word, const struct kp_option *table)
{
	size_t len = strcspn(word, "=");

	if (word[0] != '-' || !word[1])
		return false;
	if (!strcmp(word, "--") || !strcmp(word, "-o") || !strcmp(word, "-h") ||
	    !strcmp(word, "--help") || !strcmp(word, "--version"))
		return true;
	for (; table && table->letter; table++) {
		if (table->name && len == 2 + strlen(table->name) && word[1] == '-' &&
		    !strncmp(word + 2, table->name, len - 2))
			return true;
		if (word[1] == table->letter && !word[2])
			return true;
	}
	return false;
}

int kp_next_dashed(int argc, char **argv, const struct kp_option *table, const char **value)
{
	int letter;

	while (optind < argc && !only_arguments && is_option(argv[optind], table)) {
		only_arguments = !strcmp(argv[optind], "--");
		if (only_arguments) {
			optind++;
			break;
		}
		letter = next(argc, argv, table, value);
		if (!is_done(table, letter, *value))
			return letter;
	}
	if (optind >= argc)
		return -1;
	*value = argv[optind++];
	return !only_arguments && !strncmp(*value, "--", 2) && isalpha((unsigned char)(*value)[2]) ? KP_UNKNOWN :
	       KP_ARGUMENT;
}

const char *kp_next_value(int argc, char **argv, const char *option, const char *wants)
{
	if (optind >= argc)
		kp_usage_error("%s needs %s", option, wants);
	return argv[optind++];
}
