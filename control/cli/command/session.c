// SPDX-License-Identifier: BSD-3-Clause
/* kutrace_control session create, list, destroy. Must destroy only the named session. */

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"

static int create(int argc, char **argv)
{
	struct kutrace_session_options options = {.keep = 1};
	bool wrap = false, percpu = false;
	const struct cmd_option list[] = {
		{.name = "wrap", .flag = &wrap}, {.name = "per-cpu", .flag = &percpu},
		{.name = "size", .wants = "megabytes", .number = &options.mb, .min = 1, .max = 65536}, {0},
	};
	struct cmd_options o = {.what = "session create", .list = list};
	struct kutrace_handle *new;
	const char *name;
	int ret;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (percpu && !wrap)
		return cmd_usage_error("session create: --per-cpu: needs --wrap");
	if (argc - optind > 1)
		return cmd_usage_error("session create: %s: takes one name", argv[optind + 1]);
	if (optind == argc)
		return cmd_usage_error("session create: needs a name");
	name = argv[optind];
	ret = kutrace_session_create(name, &options, &new);
	if (ret)
		return cmd_session_error("session create", name, ret);
	kutrace_session_use(new);
	ret = wrap ? kutrace_do_reset(KUTRACE_GO_WRAP | (percpu ? KUTRACE_GO_PERCPU : 0)) : 0;
	kutrace_session_use(NULL);
	kutrace_session_close(new);
	return ret ? cmd_session_error("session create", name, ret) : CMD_OK;
}

static void print_session(const struct kutrace_session *s)
{
	char owner[20];

	printf("%-16s %-9s %5u MB %3llu %% used%s, of %s (uid %u, pid %u), ", s->name,
	       s->recording ? "recording" : "off", s->mb,
	       s->nblocks ? s->used_blocks * 100ULL / s->nblocks : 0ULL,
	       s->wrap ? ", wrap" : "",
	       s->owner_comm[0] ? cmd_printable(s->owner_comm, owner, sizeof(owner)) : "?",
	       s->owner_uid, s->owner_pid);
	cmd_print_kinds_short(s->kinds);
	putchar('\n');
}

static void report_session(struct ku_report *r, const struct kutrace_session *s)
{
	ku_report_object(r, NULL);
	cmd_report_string(r, "name", s->name);
	ku_report_unsigned(r, "id", s->id);
	ku_report_unsigned(r, "mb", s->mb);
	ku_report_bool(r, "recording", s->recording);
	ku_report_bool(r, "wrap", s->wrap);
	ku_report_bool(r, "keep", s->flags & KUTRACE_SESSION_KEEP);
	ku_report_unsigned(r, "blocks", s->nblocks);
	ku_report_unsigned(r, "used_blocks", s->used_blocks);
	ku_report_unsigned(r, "owner_uid", s->owner_uid);
	ku_report_unsigned(r, "owner_pid", s->owner_pid);
	cmd_report_string(r, "owner_comm", s->owner_comm);
	cmd_report_kinds(r, "kinds", s->kinds);
	ku_report_close(r);
}

static int list(int argc, char **argv)
{
	struct cmd_options o = {.what = "session list", .takes = "--json or nothing"};
	struct ku_report r = ku_report_begin(stdout);
	struct kutrace_session s;
	uint32_t id = 0;
	bool json;
	int ret;

	if (!cmd_json_only(&o, 0, argc, argv, &json))
		return o.status;
	for (; !(ret = kutrace_session_next(id, &s)); id = s.id + 1) {
		if (json && !r.depth)
			ku_report_lines(&r, NULL, '[', 0);
		if (json)
			report_session(&r, &s);
		else
			print_session(&s);
	}
	if (ret != -ESRCH)
		return cmd_error("session list", ret);
	if (json && !r.depth)
		puts("[]");
	if (json && r.depth) {
		ku_report_break(&r, 0);
		ku_report_end(&r);
	}
	return CMD_OK;
}

static int destroy(int argc, char **argv)
{
	struct cmd_options o = {.what = "session destroy"};
	int ret;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (argc - optind != 1)
		return cmd_usage_error("session destroy: needs one name");
	if (!strcmp(argv[optind], KUTRACE_SESSION_MAIN))
		return cmd_fail("session destroy: cannot destroy the main session: it exists as "
				"long as the module; try rmmod kutrace");
	ret = kutrace_session_destroy(argv[optind]);
	return ret ? cmd_session_error("session destroy", argv[optind], ret) : CMD_OK;
}

int cmd_session_command(int argc, char **argv)
{
	struct cmd_options o = {.what = "session", .in_order = true};
	const char *word;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	argc -= optind;
	argv += optind;
	word = argc ? argv[0] : "";
	if (!strcmp(word, "create"))
		return create(argc, argv);
	if (!strcmp(word, "list"))
		return list(argc, argv);
	if (!strcmp(word, "destroy"))
		return destroy(argc, argv);
	return cmd_usage_error("session: needs create NAME, list or destroy NAME");
}
