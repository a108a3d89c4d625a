// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control doctor: lists what prevents recording on this machine, each with one command
 * that fixes it. Must not change anything.
 */

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/doctor/doctor.h"

static const struct {
	const char *name;
	void (*check)(const struct cmd_machine *m, struct cmd_check *c);
} checks[] = {
	{"kernel", cmd_check_kernel},
	{"cpus", cmd_check_cpus},
	{"clock", cmd_check_clock},
	{"lockdown", cmd_check_lockdown},
	{"headers", cmd_check_headers},
	{"signature", cmd_check_signature},
	{"module", cmd_check_module},
	{"permission", cmd_check_permission},
	{"counters", cmd_check_counters},
	{"page", cmd_check_page},
	{"unload", cmd_check_unload},
};

static const char *const verdicts[] = {
	[CMD_GOOD] = "good", [CMD_LIMIT] = "limit", [CMD_WRONG] = "wrong",
};

static void print_check(const char *name, const struct cmd_check *c)
{
	printf("%-6s %-11s %s\n", verdicts[c->verdict], name, c->found);
	if (c->fix[0])
		printf("%-18s -> %s\n", "", c->fix);
}

static void report_fix(struct ku_report *r, const char *key, const char *fix)
{
	if (fix[0])
		cmd_report_string(r, key, fix);
	else
		ku_report_null(r, key);
}

static void report_check(struct ku_report *r, const char *name, const struct cmd_check *c)
{
	ku_report_object(r, NULL);
	ku_report_string(r, "name", name);
	ku_report_string(r, "verdict", verdicts[c->verdict]);
	cmd_report_string(r, "found", c->found);
	report_fix(r, "fix", c->fix);
	report_fix(r, "mend", c->fix);	/* old name of the key */
	ku_report_close(r);
}

int cmd_doctor(int argc, char **argv)
{
	struct cmd_options o = {.what = "doctor", .takes = "--json or nothing"};
	struct ku_report r = ku_report_begin(stdout);
	struct cmd_machine machine;
	unsigned int wrong = 0;
	bool json;

	if (!cmd_json_only(&o, 0, argc, argv, &json))
		return o.status;
	cmd_machine_here(&machine);
	if (json) {
		ku_report_object(&r, NULL);
		ku_report_lines(&r, "checks", '[', 1);
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct cmd_check c = {0};

		checks[i].check(&machine, &c);
		if (!c.found[0])	/* the check does not apply to this machine */
			continue;
		wrong += c.verdict == CMD_WRONG;
		if (json)
			report_check(&r, checks[i].name, &c);
		else
			print_check(checks[i].name, &c);
	}
	if (json) {
		ku_report_close(&r);
		ku_report_unsigned(&r, "wrong", wrong);
		ku_report_end(&r);
	} else if (!wrong) {
		puts("\nready to record: " CMD_TOOL " run -- PROGRAM");
	} else {
		printf(wrong == 1 ? "\n%u check prevents recording: fix it first\n" :
		       "\n%u checks prevent recording: fix the first one first\n", wrong);
	}
	return wrong ? CMD_FAILED : CMD_OK;
}
