// SPDX-License-Identifier: BSD-3-Clause
/*
 * Options of a command, and numbers. getopt_long() must not print: this file prints its errors in
 * the form of all messages. Must not accept a part of a word as a number.
 */
#include "cli/base/base.h"

bool cmd_next_number(const char **text, uint32_t max, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value > max)
		return false;
	*number = (uint32_t)value;
	*text = end;
	return true;
}

bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	uint32_t value;

	if (!cmd_next_number(&text, max, &value) || *text || value < min)
		return false;
	*number = value;
	return true;
}

enum {
	HELP = 'h',
	VERSION = 'V',
	FIRST = 1000,		/* first id for options of the list that have no id */
};

/* The options in the form that getopt_long() needs. */
struct known {
	struct option list[CMD_OPTIONS_MAX + 3];
	char letters[2 * CMD_OPTIONS_MAX + 8];
};

static void add(struct known *k, struct option **to, const char *name, int id, bool value)
{
	if (name)
		*(*to)++ = (struct option){
			.name = name, .has_arg = value ? required_argument : no_argument, .val = id,
		};
	if (id < 256)
		sprintf(k->letters + strlen(k->letters), "%c%s", id, value ? ":" : "");
}

static bool is_option(const struct cmd_option *option)
{
	return option && (option->name || option->id);
}

static int id_of(const struct cmd_options *o, const struct cmd_option *option)
{
	return option->id ? option->id : FIRST + (int)(option - o->list);
}

static void fill_getopt(struct known *k, const struct cmd_options *o)
{
	const struct cmd_option *option;
	struct option *to = k->list;

	memset(k, 0, sizeof(*k));
	strcpy(k->letters, o->in_order ? "+:" : ":");
	for (option = o->list; is_option(option); option++)
		add(k, &to, option->name, id_of(o, option), option->wants);
	add(k, &to, "help", HELP, false);
	add(k, &to, "version", VERSION, false);
}

static const struct cmd_option *find(const struct cmd_options *o, int id)
{
	for (const struct cmd_option *option = o->list; is_option(option); option++)
		if (id_of(o, option) == id)
			return option;
	return NULL;
}

/* Prints an error message. @got: result of getopt_long() for the option at the end of @argument. */
static int refuse(struct cmd_options *o, int got, const char *argument)
{
	const struct cmd_option *option = find(o, optopt);
	bool surplus = got == '?' && (option || optopt == HELP || optopt == VERSION);
	bool is_long = surplus || !optopt || (got == ':' && !strncmp(argument, "--", 2));
	char text[200], what[40] = "";

	/* the option as typed: a long option without its value, or one letter */
	if (is_long)
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(argument, "="), argument);
	else
		snprintf(text, sizeof(text), "-%c", optopt);
	if (o->what)
		snprintf(what, sizeof(what), "%s: ", o->what);
	if (got == ':')
		o->status = cmd_usage_error("%s%s: needs %s", what, text, option->wants);
	else if (surplus)
		o->status = cmd_usage_error("%s%s: takes no value", what, text);
	else if (o->takes)
		o->status = cmd_usage_error("%s%s: takes %s", what, text, o->takes);
	else
		o->status = cmd_usage_error("%s%s: no such option", what, text);
	return CMD_OPTION_STOP;
}

/* Prints the error message for an invalid value. No command accepts an empty value. */
static int refuse_value(struct cmd_options *o, const struct cmd_option *option)
{
	char name[80], value[300] = "", limits[40] = "";

	if (option->id && option->id < 256)
		snprintf(name, sizeof(name), "-%c", option->id);
	else
		snprintf(name, sizeof(name), "--%s", option->name);
	if (*optarg) {
		snprintf(value, sizeof(value), "%s: ", optarg);
		snprintf(limits, sizeof(limits), ", %u to %u", option->min, option->max);
	}
	o->status = cmd_usage_error("%s: %s: %sneeds %s%s", o->what, name, value, option->wants,
				    limits);
	return CMD_OPTION_STOP;
}

/* Stores the option's value. Returns false if the value is not valid. */
static bool store(const struct cmd_option *option)
{
	if (option->flag)
		return *option->flag = true;
	if (option->text)
		return (*option->text = optarg);
	return cmd_number(optarg, option->min, option->max, option->number);
}

int cmd_next_option(struct cmd_options *o, int argc, char **argv)
{
	const struct cmd_option *option;
	const char *argument;
	struct known known;
	int got;

	fill_getopt(&known, o);
	if (!o->begun)
		optind = 0;	/* the prompt parses many lines: restart getopt_long() */
	o->begun = true;
	opterr = 0;
	got = getopt_long(argc, argv, known.letters, known.list, NULL);
	argument = optind > 0 ? argv[optind - 1] : "";
	switch (got) {
	case '?':
	case ':':
		return refuse(o, got, argument);
	case HELP:
		cmd_help(o->what);
		o->status = CMD_OK;
		return CMD_OPTION_STOP;
	case VERSION:
		printf("%s %s\n", cmd_tool(), KUTRACE_VERSION);
		o->status = CMD_OK;
		return CMD_OPTION_STOP;
	default:
		option = find(o, got);
		if (!option)
			return got;
		if (option->wants && !*optarg && o->what)
			return refuse_value(o, option);
		if (!option->flag && !option->text && !option->number)
			return got;
		return store(option) ? cmd_next_option(o, argc, argv) : refuse_value(o, option);
	}
}

bool cmd_json_only(struct cmd_options *o, int most, int argc, char **argv, bool *json)
{
	const struct cmd_option list[] = {{.name = "json", .flag = json}, {0}};
	int option;

	o->list = list;
	*json = false;
	option = cmd_next_option(o, argc, argv);
	o->list = NULL;
	if (option == CMD_OPTION_STOP)
		return false;
	if (argc - optind > most) {
		o->status = cmd_usage_error("%s: %s: takes %s", o->what, argv[optind + most],
					    o->takes);
		return false;
	}
	return true;
}
