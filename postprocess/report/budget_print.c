// SPDX-License-Identifier: BSD-3-Clause
/* Prints a budget as text and JSON (report/budget.h). Must print all lines in JSON. */
#include "base/terminal.h"
#include "base/text.h"
#include "common/report.h"
#include "report/budget.h"

static void name(FILE *out, const struct kp_str *text)
{
	kp_print_name(out, text->text, text->len);
}

static void text_line(const struct kp_budget *budget, const struct kp_budget_line *line, FILE *out)
{
	const int64_t share = (int64_t)(((__int128)line->time * 1000 + budget->total / 2) / budget->total);
	char time[KP_TIME_TEXT], percent[48];

	snprintf(percent, sizeof(percent), "%" PRId64 ".%" PRId64 " %%", share / 10, share % 10);
	fprintf(out, "%12s %8s  %s", kp_time_text(line->time, time), percent, kp_category_text(line->category));
	if (line->what) {
		fputs(line->category == KP_CATEGORY_THROTTLED ? " by cgroup " :
		      line->category == KP_CATEGORY_UNKNOWN ? ", in " : " ", out);
		name(out, line->what);
	}
	if (line->inferred)
		fputs(" (inferred)", out);
	if (line->other >= 0) {
		const struct kp_why_pid *other = &budget->why->pids.items[line->other];

		fputs(line->category == KP_CATEGORY_LOCK || line->category == KP_CATEGORY_WAIT ||
		      line->category == KP_CATEGORY_UNKNOWN ? ", woken by " :
		      line->category < KP_CATEGORY_PREEMPTED ? ": " : " ", out);
		name(out, other->name);
	}
	fprintf(out, ", %" PRIu64 " part%s\n", line->count, line->count == 1 ? "" : "s");
}

void kp_budget_text(struct kp_budget *budget, int64_t index, const struct kp_str *call, int64_t start, int64_t end,
		    size_t top, FILE *out)
{
	char time[KP_TIME_TEXT];
	int64_t left = 0;

	kp_budget_sort(budget);
	fprintf(out, "%sbudget of ", kp_colour(KP_HEADING));
	if (call) {
		name(out, call);
		fputs(" of ", out);
	}
	if (index >= 0)
		name(out, budget->why->pids.items[index].name);
	else
		fputs("all CPUs", out);
	fputs(" from ", out);
	ku_print_seconds(out, start);
	fputs(" to ", out);
	ku_print_seconds(out, end);
	fprintf(out, " s, %s in all:%s\n", kp_time_text(budget->total, time), kp_colour(KP_PLAIN));
	for (size_t i = 0; i < budget->lines.count; i++) {
		if (i < top)
			text_line(budget, &budget->lines.items[i], out);
		else
			left += budget->lines.items[i].time;
	}
	if (budget->lines.count > top)
		fprintf(out, "left out: %zu line%s, %s in all\n", budget->lines.count - top,
			budget->lines.count - top == 1 ? "" : "s", kp_time_text(left, time));
}

void kp_budget_json(struct kp_budget *budget, int64_t index, const struct kp_str *call, int64_t start, int64_t end,
		    FILE *out)
{
	struct ku_report r = ku_report_begin(out);

	kp_budget_sort(budget);
	ku_report_object(&r, NULL);
	ku_report_unsigned(&r, "version", 1);
	ku_report_seconds(&r, "from", start);
	ku_report_seconds(&r, "to", end);
	if (index >= 0) {
		ku_report_signed(&r, "pid", budget->why->pids.items[index].pid);
		ku_report_text(&r, "name", budget->why->pids.items[index].name->text,
			       budget->why->pids.items[index].name->len);
	}
	if (call)
		ku_report_text(&r, "call", call->text, call->len);
	ku_report_seconds(&r, "total", budget->total);
	ku_report_lines(&r, "budget", '[', 2);
	for (size_t i = 0; i < budget->lines.count; i++) {
		const struct kp_budget_line *line = &budget->lines.items[i];

		ku_report_object(&r, NULL);
		ku_report_string(&r, "category", kp_category_key(line->category));
		ku_report_seconds(&r, "time", line->time);
		ku_report_unsigned(&r, "parts", line->count);
		if (line->inferred)
			ku_report_bool(&r, "inferred", true);
		if (line->what)
			ku_report_text(&r, "what", line->what->text, line->what->len);
		if (line->other >= 0) {
			ku_report_signed(&r, "pid", budget->why->pids.items[line->other].pid);
			ku_report_text(&r, "name", budget->why->pids.items[line->other].name->text,
				       budget->why->pids.items[line->other].name->len);
		}
		ku_report_close(&r);
	}
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}
