// SPDX-License-Identifier: BSD-3-Clause
/*
 * What differs between two traces, as text and as JSON. Called by spandiff.
 */
#include <inttypes.h>

#include "kp_diff.h"
#include "kp_report.h"

#define SHOWN 6		/* kinds of a group in the text */

static int64_t increase(const struct kp_diff_part part[2])
{
	return part[1].time - part[0].time;
}

static void text_part(const struct kp_diff_part part[2], FILE *out)
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

static void text_side(const char *name, const struct kp_diff_part *part, FILE *out)
{
	char time[KP_TIME_TEXT];

	if (!part->count)
		return;
	fprintf(out, "; %s: %" PRIu64 " times, longest %s at ", name, part->count,
		kp_time_text(part->longest, time));
	kp_print_seconds(out, part->longest_at);
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

static void json_part(const char *lead, const struct kp_diff_part *part, FILE *out)
{
	fprintf(out, "%s {\"time\": ", lead);
	kp_print_seconds(out, part->time);
	fprintf(out, ", \"count\": %" PRIu64 ", \"longest\": ", part->count);
	kp_print_seconds(out, part->longest);
	fputs(", \"at\": ", out);
	kp_print_seconds(out, part->longest_at);
	putc('}', out);
}

void kp_diff_json(const struct kp_diff *d, FILE *out)
{
	const struct kp_diff_group *before = NULL;

	fputs("{\"groups\": [", out);
	for (size_t i = 0; i < d->line_count; i++) {
		const struct kp_diff_line *line = &d->lines[i];
		const struct kp_diff_group *group = &d->groups[line->group];

		if (group != before) {
			fprintf(out, "%s\n {\"by\": \"%s\", \"name\": ", before ? "]}," : "",
				group->mark ? "mark" : "process");
			kp_print_string(out, group->name->text, group->name->len);
			json_part(", \"a\":", &group->part[0], out);
			json_part(", \"b\":", &group->part[1], out);
			fputs(", \"kinds\": [", out);
		} else {
			putc(',', out);
		}
		before = group;
		fprintf(out, "\n  {\"class\": \"%s\", \"kind\": ",
			line->class == KP_PROF_WAIT ? "wait" : "cpu");
		kp_print_string(out, line->kind->text, line->kind->len);
		json_part(", \"a\":", &line->part[0], out);
		json_part(", \"b\":", &line->part[1], out);
		putc('}', out);
	}
	fputs(d->line_count ? "]}]}\n" : "]}\n", out);
}
