// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control mask and filter: select the kinds of events, the tasks and the CPUs that a
 * session records. Must check all arguments before they change anything.
 *
 * kutrace_control tracepoints: lists every category and kind of event and every typed tracepoint,
 * with its state and its count in the buffer. kutrace_control tracepoint: switches them by name
 * or pattern, also while recording. The list must not switch anything.
 */
#include <fnmatch.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"

static int print_mask(bool json)
{
	struct ku_report r = ku_report_begin(stdout);
	uint64_t kinds, of;
	char name[32];
	int ret = kutrace_mask(0, 0, &kinds);

	if (ret)
		return cmd_error("mask", ret);
	kinds &= KUTRACE_KINDS_ALL;
	if (json) {
		ku_report_lines(&r, NULL, '{', 0);
		cmd_report_string(&r, "session",
				  cmd_session() ? cmd_session() : KUTRACE_SESSION_MAIN);
		snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)kinds);
		ku_report_string(&r, "mask", name);
		cmd_report_kinds(&r, "on", kinds);
		cmd_report_kinds(&r, "off", KUTRACE_KINDS_ALL & ~kinds);
		ku_report_break(&r, 0);
		ku_report_end(&r);
		return CMD_OK;
	}
	for (unsigned int category = 0; (of = kutrace_category(category, name, sizeof(name), NULL));
	     category++) {
		printf("%-9s %-3s ", name, (kinds & of) == of ? "on" : kinds & of ? "" : "off");
		if ((kinds & of) != of && kinds & of) {
			cmd_print_kinds(kinds & of);
			fputs("; off: ", stdout);
			cmd_print_kinds(of & ~kinds);
		} else {
			cmd_print_kinds(of);
		}
		putchar('\n');
	}
	return CMD_OK;
}

/* Returns whether the argument is a list with a minus sign, such as -irq,softirq, and no option. */
static bool is_list(const char *text)
{
	return text[0] == '-' && text[1] && text[1] != '-' && strcmp(text, "-h");
}

int cmd_mask(int argc, char **argv)
{
	bool json = false;
	const struct cmd_option options[] = {{.name = "json", .flag = &json}, {0}};
	struct cmd_options o = {.what = "mask", .list = options, .in_order = true};
	uint64_t value, mask;
	const char *bad;
	size_t length;
	int ret;

	optind = 1;
	if (argc > 1 && !is_list(argv[1]) && cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (optind == argc)
		return print_mask(json);
	if (json || argc - optind > 1)
		return cmd_usage_error("mask: %s: takes one list, with commas between names",
				       argv[argc - 1]);
	if (kutrace_kinds_parse(argv[optind], &value, &mask, &bad, &length))
		return cmd_usage_error("mask: %.*s: no such category or kind; try \"" CMD_TOOL
				       " mask\"", (int)length, bad);
	ret = kutrace_mask(value, mask, NULL);
	return ret ? cmd_error("mask", ret) : CMD_OK;
}

int cmd_filter(int argc, char **argv)
{
	static const struct cmd_option list[] = {CMD_FILTER_OPTIONS, {0}};
	struct cmd_options o = {.what = "filter", .list = list};
	struct kutrace_filter filter = {0};
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_filter_option("filter", option, optarg, &filter))
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	if (argc < 2)
		return cmd_usage_error("filter: needs --pid P,.. --group G,.. --cgroup PATH,.. "
				       "--cpus 0-3,7, or none");
	/* "none" excludes other arguments */
	if (optind < argc && (argc != 2 || strcmp(argv[optind], "none")))
		return cmd_usage_error("filter: %s: no such option", argv[optind]);
	ret = kutrace_filter(&filter);
	return ret ? cmd_error("filter", ret) : CMD_OK;
}

struct counts {
	int8_t kind_of[KUTRACE_EVENT_MASK + 1];	/* kind of each event number */
	uint64_t kind[KUTRACE_KINDS];
	uint64_t point[KUTRACE_POINT_IDS];
};

/* Counts an event. Does not count a return, because its call was counted. */
static int count(void *arg, const struct kutrace_seen *record)
{
	struct counts *counts = arg;
	int kind = counts->kind_of[record->event & KUTRACE_EVENT_MASK];
	bool is_return = record->event >= KUTRACE_CALL_TRAP && record->event & KUTRACE_RETURN_BIT;

	if (kind == KUTRACE_KIND_PC_U && record->words[0] >> 63)
		kind = KUTRACE_KIND_PC_K;
	if (record->event == KUTRACE_NAME_TPOINT) {
		counts->kind[KUTRACE_KIND_TPOINT]++;
		counts->point[record->arg & 0xFFFF]++;
	} else if (kind >= 0 && !is_return) {
		counts->kind[kind]++;
	}
	return 0;
}

static const char *state(const struct kutrace_info *info, uint64_t kinds, unsigned int kind)
{
	if (!(kinds >> kind & 1))
		return "off";
	/* events of programs need no hooks */
	if (info->categories && !(info->categories >> kutrace_kind_category(kind) & 1) &&
	    kutrace_kind_category(kind) != KUTRACE_CAT_MARK)
		return "none";
	return "on";
}

struct listing {
	const char *pattern;
	bool json;
	struct ku_report report;	/* report in JSON; used with --json */
	bool any;
	struct kutrace_info info;
	uint64_t kinds;
	uint64_t lost[KUTRACE_KINDS];
	struct counts counts;
};

static bool wanted(const struct listing *l, const char *name, const char *category)
{
	return !l->pattern || !fnmatch(l->pattern, name, 0) ||
	       (category && !fnmatch(l->pattern, category, 0));
}

static void print(struct listing *l, const char *name, const char *category,
		  const char *what, uint64_t hits, uint64_t lost)
{
	l->any = true;
	if (!l->json) {
		printf("%-24s %-9s %-5s %12llu %8llu\n", name, category, what,
		       (unsigned long long)hits, (unsigned long long)lost);
		return;
	}
	ku_report_object(&l->report, NULL);
	cmd_report_string(&l->report, "name", name);
	ku_report_string(&l->report, "category", category);
	ku_report_string(&l->report, "state", what);
	ku_report_unsigned(&l->report, "hits", hits);
	ku_report_unsigned(&l->report, "lost", lost);
	ku_report_close(&l->report);
}

static void print_category(struct listing *l, const char *name, uint64_t of)
{
	uint64_t hits = 0, lost = 0;
	bool on = false, off = false;

	for (unsigned int kind = 0; kind < KUTRACE_KINDS; kind++) {
		if (!(of >> kind & 1))
			continue;
		hits += l->counts.kind[kind];
		lost += l->lost[kind];
		if (strcmp(state(&l->info, l->kinds, kind), "on"))
			off = true;
		else
			on = true;
	}
	if (wanted(l, name, NULL))
		print(l, name, "", on && off ? "some" : on ? "on" : "off", hits, lost);
	for (unsigned int kind = 0; kind < KUTRACE_KINDS; kind++)
		if (of >> kind & 1 && wanted(l, kutrace_kind_name(kind), name))
			print(l, kutrace_kind_name(kind), name,
			      state(&l->info, l->kinds, kind), l->counts.kind[kind],
			      l->lost[kind]);
}

static int print_points(struct listing *l)
{
	struct kutrace_point_def def;
	uint32_t id = 0;
	int ret;

	while (!(ret = kutrace_points_next(id, &def))) {
		id = def.id + 1;
		def.text[strcspn(def.text, " |")] = '\0';
		if (wanted(l, def.text, "point"))
			print(l, def.text, "point", def.on ? "on" : "off",
			      l->counts.point[def.id & 0xFFFF], 0);
	}
	/* not an error: no tracepoint is defined, or the module does not support them */
	return ret == -ESRCH || ret == -EPROTO || ret == -ENOTCONN ? 0 : ret;
}

static void print_totals(struct listing *l, const struct kutrace_read_result *read)
{
	if (l->json) {
		ku_report_break(&l->report, 0);
		ku_report_close(&l->report);
		cmd_report_lost(&l->report, "lost_by_cause", &l->info);
		ku_report_unsigned(&l->report, "unread_blocks", read->lost_blocks);
		ku_report_break(&l->report, 0);
		ku_report_end(&l->report);
		return;
	}
	for (int i = 0; i < KUTRACE_LOST_CAUSES; i++)
		if (l->info.lost[i])
			printf("lost: %llu (%s)\n", (unsigned long long)l->info.lost[i],
			       cmd_lost_text[i]);
	if (read->lost_blocks)
		printf("overwritten while they were counted: %llu blocks\n",
		       (unsigned long long)read->lost_blocks);
}

static int list(struct listing *l)
{
	struct kutrace_read_options options = {.event = count, .arg = &l->counts};
	struct kutrace_read_result read = {0};
	uint64_t of;
	char name[32];
	int ret = kutrace_get_info(&l->info);

	for (unsigned int event = 0; event <= KUTRACE_EVENT_MASK; event++)
		l->counts.kind_of[event] = (int8_t)kutrace_event_kind(event);
	ret = ret ?: kutrace_mask(0, 0, &l->kinds);
	ret = ret ?: kutrace_lost(l->lost);
	ret = ret ?: kutrace_read(&options, &read);
	if (ret == -ENODATA)
		ret = 0;
	if (ret)
		return cmd_error("tracepoints", ret);
	l->counts.kind[KUTRACE_KIND_NAME] += read.names;
	if (l->json) {
		l->report = ku_report_begin(stdout);
		ku_report_lines(&l->report, NULL, '{', 0);
		ku_report_lines(&l->report, "tracepoints", '[', 0);
	} else {
		printf("%-24s %-9s %-5s %12s %8s\n", "name", "category", "state", "hits",
		       "lost");
	}
	for (unsigned int category = 0; (of = kutrace_category(category, name, sizeof(name), NULL));
	     category++)
		print_category(l, name, of);
	ret = print_points(l);
	if (ret)
		return cmd_error("tracepoints", ret);
	print_totals(l, &read);
	if (l->pattern && !l->any)
		return cmd_fail("tracepoints: %s: no such category, kind or tracepoint", l->pattern);
	return CMD_OK;
}

int cmd_tracepoints(int argc, char **argv)
{
	struct cmd_options o = {.what = "tracepoints", .takes = "--json and one pattern"};
	struct listing *l;
	bool json;
	int ret;

	if (!cmd_json_only(&o, 1, argc, argv, &json))
		return o.status;
	l = calloc(1, sizeof(*l));
	if (!l)
		return cmd_error("tracepoints", -ENOMEM);
	l->json = json;
	l->pattern = argv[optind];
	ret = list(l);
	free(l);
	return ret;
}

/*
 * Warns that switches could not be written. The number includes tracepoints that were switched on
 * and tracepoints that were switched off, so the message covers both.
 */
static void warn_unwritten(uint32_t unwritten)
{
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": tracepoint: cannot switch %u tracepoint%s of running programs "
		"yet: their memory cannot be written. If switched on, events are missing: switch "
		"off and on again later, or restart the programs. If switched off, nothing is "
		"recorded, but each hit costs a system call\n", unwritten,
		unwritten == 1 ? "" : "s");
}

int cmd_tracepoint(int argc, char **argv)
{
	struct cmd_options o = {.what = "tracepoint"};
	const char *pattern, *state_word;
	bool on;
	uint64_t bits = 0, of;
	uint32_t points = 0, unwritten = 0;
	char name[32];
	int ret = 0;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	pattern = optind < argc ? argv[optind] : "";
	state_word = argc - optind == 2 ? argv[optind + 1] : "";
	on = !strcmp(state_word, "on");
	if ((!on && strcmp(state_word, "off")) || !*pattern)
		return cmd_usage_error("tracepoint: needs a name or pattern, and on or off");
	for (unsigned int i = 0; (of = kutrace_category(i, name, sizeof(name), NULL)); i++)
		if (!fnmatch(pattern, name, 0))
			bits |= of;
	for (unsigned int i = 0; i < KUTRACE_KINDS; i++)
		if (!fnmatch(pattern, kutrace_kind_name(i), 0))
			bits |= kutrace_kind_bits(i);
	if (bits)
		ret = kutrace_mask(on ? bits : 0, bits, NULL);
	if (ret)
		return cmd_error("tracepoint", ret);
	ret = kutrace_points_switch(pattern, on, &points, &unwritten);
	if (ret == -ESRCH || ret == -EPROTO || (bits && ret == -ENOTCONN))
		ret = 0;	/* no such tracepoint, or a module without typed tracepoints */
	if (ret)
		return cmd_error("tracepoint", ret);
	if (!bits && !points)
		return cmd_fail("tracepoint: %s: no such category, kind or tracepoint: \"" CMD_TOOL
				" tracepoints\" lists them", pattern);
	if (unwritten)
		warn_unwritten(unwritten);
	return CMD_OK;
}
