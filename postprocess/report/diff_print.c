// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the differences between two traces, as text or as JSON.
 */
#include <inttypes.h>

#include "base/text.h"
#include "common/report.h"
#include "report/diff_print.h"
#include "report/prof_print.h"

#define SHOWN 6		/* kinds of a group in the text */

/* @part: the first trace's part and the second one's. */
static int64_t increase(const struct kp_call_sum *part)
{
	return part[1].time - part[0].time;
}

static void text_part(const struct kp_call_sum *part, FILE *out)
{
	char a[KP_TIME_TEXT], b[KP_TIME_TEXT], more[KP_TIME_TEXT];
	int64_t d = increase(part);

	kp_time_text(d, more);
	fprintf(out, "%s%s%s", kp_time_text(part[0].time, a), " -> ",
		kp_time_text(part[1].time, b));
	fprintf(out, " (%s%s", d >= 0 ? "+" : "", more);
	if (part[0].time > 0)
		fprintf(out, ", %+" PRId64 " %%",
			(int64_t)((__int128)d * 100 / part[0].time));
	fputs(")", out);
}

static bool in_both(const struct kp_diff_group *group)
{
	return group->part[0].count && group->part[1].count;
}

static void text_group(const struct kp_diff_group *group, FILE *out)
{
	kp_print_plain(out, group->name->text, group->name->len);
	fputs(": ", out);
	if (!in_both(group)) {
		fprintf(out, "only in the %s trace\n", group->part[0].count ? "first" : "second");
		return;
	}
	text_part(group->part, out);
	fprintf(out, group->mark ? ", %" PRIu64 " and %" PRIu64 " times\n" :
		", %" PRIu64 " and %" PRIu64 " threads\n", group->part[0].count,
		group->part[1].count);
}

static void text_side(const char *name, const struct kp_call_sum *part, FILE *out)
{
	char time[KP_TIME_TEXT];

	if (!part->count && !part->cut)
		return;
	fprintf(out, "; %s: %" PRIu64 " times, ", name, part->count);
	if (part->p50 >= 0) {
		fprintf(out, "p50 %s, ", kp_time_text(part->p50, time));
		fprintf(out, "p99 %s, ", kp_time_text(part->p99, time));
	}
	fprintf(out, "longest %s%s at ", part->bound ? ">=" : "",
		kp_time_text(part->longest, time));
	ku_print_seconds(out, part->longest_at);
	if (part->cut)
		fprintf(out, ", %" PRIu64 " cut off", part->cut);
}

void kp_diff_text(const struct kp_diff *d, FILE *out)
{
	const struct kp_diff_group *before = NULL;
	unsigned int shown = 0;

	for (size_t i = 0; i < d->line_count; i++) {
		const struct kp_diff_line *line = &d->lines[i];
		const struct kp_diff_group *group = &d->groups[line->group];

		if (group != before) {
			if (!before || before->mark != group->mark)
				fputs(group->mark ? "from mark to next mark, wall time; in it, by kind:\n" :
				      "by process, CPU time; in it, by kind:\n", out);
			text_group(group, out);
			shown = 0;
		}
		before = group;
		if (!in_both(group) || increase(line->part) <= 0 || shown++ >= SHOWN)
			continue;
		fputs("  ", out);
		kp_print_plain(out, line->kind->text, line->kind->len);
		fputs(": ", out);
		text_part(line->part, out);
		text_side("A", &line->part[0], out);
		text_side("B", &line->part[1], out);
		putc('\n', out);
	}
}

static void json_part(struct ku_report *r, const char *key, const struct kp_call_sum *part)
{
	ku_report_object(r, key);
	kp_call_sum_json(r, part);
	ku_report_close(r);
}

static void json_group(struct ku_report *r, const struct kp_diff_group *group)
{
	ku_report_object(r, NULL);
	ku_report_string(r, "by", group->mark ? "mark" : "process");
	ku_report_text(r, "name", group->name->text, group->name->len);
	json_part(r, "a", &group->part[0]);
	json_part(r, "b", &group->part[1]);
	ku_report_lines(r, "kinds", '[', 2);
}

static void json_line(struct ku_report *r, const struct kp_diff_line *line)
{
	ku_report_object(r, NULL);
	ku_report_string(r, "class", line->class == KP_PROF_WAIT ? "wait" : "cpu");
	ku_report_text(r, "kind", line->kind->text, line->kind->len);
	json_part(r, "a", &line->part[0]);
	json_part(r, "b", &line->part[1]);
	ku_report_close(r);
}

void kp_diff_json(const struct kp_diff *d, FILE *out)
{
	struct ku_report r = ku_report_begin(out);

	ku_report_object(&r, NULL);
	ku_report_lines(&r, "groups", '[', 1);
	for (size_t i = 0; i < d->line_count; ) {
		const struct kp_diff_group *group = &d->groups[d->lines[i].group];

		json_group(&r, group);
		for (; i < d->line_count && &d->groups[d->lines[i].group] == group; i++)
			json_line(&r, &d->lines[i]);
		ku_report_close(&r);
		ku_report_close(&r);
	}
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}
