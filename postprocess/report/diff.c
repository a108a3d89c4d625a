// SPDX-License-Identifier: BSD-3-Clause
/* Aligns two traces, and prints their differences (report/diff.h). */
#include "report/diff.h"

#include "base/terminal.h"
#include "base/text.h"

/* Ends the current segment at @at. @off: time of the pauses before @at, which is not wall time. */
static void close_segment(struct kp_diff_side *side, int64_t at, int64_t off)
{
	if (side->current < 0)
		return;
	kp_call_sum_interval(&side->segments[side->current].wall, side->since,
			     at - side->since - (off - side->off));
}

/* Returns the time of the pauses before @at. All pauses must begin before @at, or at it. */
static int64_t off_before(const struct kp_prof *prof, int64_t at)
{
	return prof->off - (prof->paused_until > at ? prof->paused_until - at : 0);
}

/* Adds a call to the segment in which it began. */
static int on_call(void *self, const struct kp_prof_process *process, int32_t cpu,
		   const struct kp_joined_call *call)
{
	struct kp_diff_side *side = self;

	return call->tag < 0 ? 0 : kp_prof_call(&side->segments[call->tag].prof, process, cpu, call);
}

static int begin_segment(struct kp_diff *d, struct kp_diff_side *side, const struct kp_span *s)
{
	const struct kp_str *label = kp_strings_add(&d->strings, s->name, s->name_len);
	const int64_t off = off_before(&side->all, s->start);
	size_t i = 0;

	if (!label)
		return -1;
	while (i < side->segment_count && side->segments[i].label != label)
		i++;
	if (i == KP_DIFF_LABELS_MAX) {
		d->too_many_marks = true;
		return 0;
	}
	if (i == side->segment_count) {
		if (KP_ROOM(side->segments, i, side->segment_cap))
			return -1;
		memset(&side->segments[i], 0, sizeof(side->segments[i]));
		side->segments[i].label = label;
		side->segments[i].wall = (struct kp_call_sum)KP_CALL_SUM_NONE;
		side->segments[i].prof.rows_only = true;
		side->segments[i].prof.lives = &side->all.own_lives;
		side->segment_count++;
	}
	close_segment(side, s->start, off);
	side->current = (int64_t)i;
	side->since = s->start;
	side->off = off;
	return 0;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_diff *d = self;
	struct kp_diff_side *side = &d->side[d->reading];

	kp_lives_header(&side->all.own_lives, items, count);
	side->current = -1;
	side->all.on_call = on_call;
	side->all.on_call_self = side;
	return 0;
}

static int on_span(void *self, const struct kp_span *s)
{
	struct kp_diff *d = self;
	struct kp_diff_side *side = &d->side[d->reading];
	struct kp_span_sink sink = kp_prof_sink(&side->all);
	int status = 0;

	if (s->event >= KUTRACE_MARKA && s->event <= KUTRACE_MARKC)
		status = begin_segment(d, side, s);
	side->all.tag = side->current;
	if (!status)
		status = sink.span(sink.self, s);
	if (!status && side->current >= 0) {
		sink = kp_prof_sink(&side->segments[side->current].prof);
		status = sink.span(sink.self, s);
	}
	if (kp_span_is_execution(s) && s->start + s->dur > side->end)
		side->end = s->start + s->dur;
	d->no_memory |= status != 0;
	return status;
}

static int on_end(void *self)
{
	struct kp_diff *d = self;
	struct kp_diff_side *side = &d->side[d->reading];
	struct kp_span_sink sink = kp_prof_sink(&side->all);

	close_segment(side, side->end, side->all.off_before + side->all.paused);
	return sink.end(sink.self);
}

struct kp_span_sink kp_diff_sink(struct kp_diff *d)
{
	return (struct kp_span_sink){
		.header = on_header, .span = on_span, .end = on_end, .self = d,
	};
}

static int64_t group_of(struct kp_diff *d, bool mark, const char *name, size_t len)
{
	const struct kp_str *text = kp_strings_add(&d->strings, name, len);
	uint64_t key = (uint64_t)(uintptr_t)text << 1 | mark;
	uint32_t index;

	if (!text)
		return -1;
	if (kp_map_get(&d->by_group, key, &index))
		return index;
	if (KP_ROOM(d->groups, d->group_count, d->group_cap) ||
	    kp_map_set(&d->by_group, key, (uint32_t)d->group_count))
		return -1;
	d->groups[d->group_count] = (struct kp_diff_group){
		.mark = mark, .name = text, .part = { KP_CALL_SUM_NONE, KP_CALL_SUM_NONE } };
	return (int64_t)d->group_count++;
}

static int add_line(struct kp_diff *d, int side, int64_t group, const struct kp_prof_line *line)
{
	const struct kp_str *kind = kp_strings_add(&d->strings, line->kind->text, line->kind->len);
	uint64_t key;
	uint32_t index;

	if (!kind)
		return -1;
	key = ((uint64_t)(uintptr_t)kind << 16 ^ (uint64_t)group << 2) | line->class;
	for (; kp_map_get(&d->by_line, key, &index); key += KP_NEXT_KEY) {
		struct kp_diff_line *at = &d->lines[index];

		if (at->kind == kind && at->group == group && at->class == line->class)
			return kp_call_sum_add(&at->part[side], &line->sum);
	}
	if (KP_ROOM(d->lines, d->line_count, d->line_cap) ||
	    kp_map_set(&d->by_line, key, (uint32_t)d->line_count))
		return -1;
	d->lines[d->line_count] = (struct kp_diff_line){
		.group = (uint32_t)group, .class = line->class, .kind = kind,
		.part = { KP_CALL_SUM_NONE, KP_CALL_SUM_NONE } };
	return kp_call_sum_add(&d->lines[d->line_count++].part[side], &line->sum);
}

/* Returns the length of the name without its pid, for example 4 for "work.51". */
static size_t base_length(const struct kp_str *name)
{
	size_t len = name->len;

	while (len && name->text[len - 1] >= '0' && name->text[len - 1] <= '9')
		len--;
	return len > 1 && len < name->len && name->text[len - 1] == '.' ? len - 1 : name->len;
}

/*
 * Adds all lines of @prof, except samples and idle. @mark: index of the group of all lines; if
 * negative, the group of a line is the name of its process.
 */
static int add_profile(struct kp_diff *d, int side, const struct kp_prof *prof, int64_t mark)
{
	for (size_t i = 0; i < prof->line_count; i++) {
		const struct kp_prof_line *line = &prof->lines[i];
		const struct kp_prof_process *process = &prof->processes[line->process];
		int64_t group = mark;

		if (line->class == KP_PROF_SAMPLE || !process->pid)
			continue;
		if (group < 0)
			group = group_of(d, false, process->name->text, base_length(process->name));
		if (group < 0 || add_line(d, side, group, line))
			return -1;
	}
	for (size_t i = 0; i < prof->process_count && mark < 0; i++) {
		const struct kp_prof_process *process = &prof->processes[i];
		int64_t group;

		if (!process->pid || !process->cpu_time)
			continue;
		group = group_of(d, false, process->name->text, base_length(process->name));
		if (group < 0)
			return -1;
		d->groups[group].part[side].time += process->cpu_time;
		d->groups[group].part[side].count++;
	}
	return 0;
}

static const struct kp_diff *sorting;

/* Returns the increase of the time from part[0] to part[1], the second trace. */
static int64_t increase(const struct kp_call_sum *part)
{
	return part[1].time - part[0].time;
}

static int compare_parts(const struct kp_call_sum x[2], const struct kp_call_sum y[2])
{
	return (increase(x) < increase(y)) - (increase(x) > increase(y));
}

static int by_increase(const void *a, const void *b)
{
	const struct kp_diff_line *x = a, *y = b;
	const struct kp_diff_group *gx = &sorting->groups[x->group];
	const struct kp_diff_group *gy = &sorting->groups[y->group];
	int order;

	if (x->group == y->group) {
		order = compare_parts(x->part, y->part);
		return order ? order : strcmp(x->kind->text, y->kind->text);
	}
	if (gx->mark != gy->mark)
		return gx->mark ? -1 : 1;
	order = compare_parts(gx->part, gy->part);
	order = order ? order : strcmp(gx->name->text, gy->name->text);
	return order ? order : x->group < y->group ? -1 : 1;
}

int kp_diff_align(struct kp_diff *d)
{
	for (int side = 0; side < 2; side++) {
		struct kp_diff_side *s = &d->side[side];

		for (size_t i = 0; i < s->segment_count; i++) {
			const struct kp_diff_segment *segment = &s->segments[i];
			int64_t group = group_of(d, true, segment->label->text,
						 segment->label->len);

			if (group < 0 || add_profile(d, side, &segment->prof, group))
				return -1;
			d->groups[group].part[side] = segment->wall;
		}
		if (add_profile(d, side, &s->all, -1))
			return -1;
	}
	for (size_t i = 0; i < d->line_count; i++)
		for (int side = 0; side < 2; side++)
			kp_call_sum_end(&d->lines[i].part[side]);
	sorting = d;
	if (d->line_count)
		qsort(d->lines, d->line_count, sizeof(*d->lines), by_increase);
	return 0;
}

void kp_diff_free(struct kp_diff *d)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < d->side[side].segment_count; i++)
			kp_prof_free(&d->side[side].segments[i].prof);
		free(d->side[side].segments);
		kp_prof_free(&d->side[side].all);
	}
	for (size_t i = 0; i < d->line_count; i++)
		for (int side = 0; side < 2; side++)
			kp_call_sum_free(&d->lines[i].part[side]);
	free(d->groups);
	free(d->lines);
	kp_strings_free(&d->strings);
	kp_map_free(&d->by_group);
	kp_map_free(&d->by_line);
}

#define SHOWN 6		/* maximum number of kinds that the text shows of a group */

static void text_part(const struct kp_call_sum *part, FILE *out)
{
	char a[KP_TIME_TEXT], b[KP_TIME_TEXT], more[KP_TIME_TEXT];
	int64_t d = increase(part);

	kp_time_text(d, more);
	fprintf(out, "%s%s%s", kp_time_text(part[0].time, a), " -> ",
		kp_time_text(part[1].time, b));
	fprintf(out, " (%s%s", d >= 0 ? "+" : "", more);
	if (part[0].time > 0)
		fprintf(out, ", %+" PRId64 " %%", (int64_t)((__int128)d * 100 / part[0].time));
	fputs(")", out);
}

static bool in_both(const struct kp_diff_group *group)
{
	return group->part[0].count && group->part[1].count;
}

static void text_group(const struct kp_diff_group *group, FILE *out)
{
	kp_print_name(out, group->name->text, group->name->len);
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

/* Rows that --top leaves out of a list, and the sum of their increases. */
struct left {
	size_t count;
	int64_t increase;
};

static void text_left(const struct left *left, const char *indent, const char *what, FILE *out)
{
	char time[KP_TIME_TEXT];

	if (!left->count)
		return;
	kp_time_text(left->increase, time);
	fprintf(out, "%sleft out: %zu %s, %s%s in all\n", indent, left->count, what, left->increase < 0 ? "" : "+", time);
}

static void text_kind(const struct kp_diff_line *line, FILE *out)
{
	if (line->class == KP_PROF_WAIT)
		fputs(kp_colour(KP_WAITING), out);
	fputs("  ", out);
	kp_print_name(out, line->kind->text, line->kind->len);
	fputs(": ", out);
	text_part(line->part, out);
	text_side("A", &line->part[0], out);
	text_side("B", &line->part[1], out);
	if (line->class == KP_PROF_WAIT)
		fputs(kp_colour(KP_PLAIN), out);
	putc('\n', out);
}

/* Prints the kinds of a group that take longer in the second trace. */
static void text_kinds(const struct kp_diff_line *line, size_t count, size_t top, FILE *out)
{
	const size_t most = top == SIZE_MAX ? SHOWN : top;
	struct left left = {0};
	size_t shown = 0;

	for (size_t i = 0; i < count; i++) {
		if (increase(line[i].part) <= 0)
			continue;
		if (shown++ < most) {
			text_kind(&line[i], out);
			continue;
		}
		left.count++;
		left.increase += increase(line[i].part);
	}
	if (top != SIZE_MAX)
		text_left(&left, "  ", "kinds", out);
}

static void text_paused(const struct kp_diff *d, FILE *out)
{
	const int64_t a = d->side[0].all.paused, b = d->side[1].all.paused;
	char time[KP_TIME_TEXT];

	if (!a && !b)
		return;
	fprintf(out, "%srecording was off for %s in the first trace", kp_colour(KP_CAVEAT), kp_time_text(a, time));
	fprintf(out, " and for %s in the second trace: times do not contain that%s\n", kp_time_text(b, time),
		kp_colour(KP_PLAIN));
}

void kp_diff_text(const struct kp_diff *d, size_t top, FILE *out)
{
	const struct kp_diff_group *before = NULL;
	struct left left = {0};
	size_t shown = 0, end;

	for (size_t i = 0; i < d->line_count; i = end) {
		const struct kp_diff_group *group = &d->groups[d->lines[i].group];

		for (end = i; end < d->line_count && &d->groups[d->lines[end].group] == group; end++)
			;
		if (!before || before->mark != group->mark) {
			text_left(&left, "", "marks", out);
			left = (struct left){0};
			shown = 0;
			fprintf(out, "%s%s%s\n", kp_colour(KP_HEADING), group->mark ?
				"from mark to next mark, wall time; in it, by kind:" :
				"by process, CPU time; in it, by kind:", kp_colour(KP_PLAIN));
		}
		before = group;
		if (shown++ >= top) {
			left.count++;
			left.increase += increase(group->part);
			continue;
		}
		text_group(group, out);
		if (in_both(group))
			text_kinds(&d->lines[i], end - i, top, out);
	}
	text_left(&left, "", before && before->mark ? "marks" : "processes", out);
	text_paused(d, out);
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
	const int64_t a = d->side[0].all.paused, b = d->side[1].all.paused;
	struct ku_report r = ku_report_begin(out);

	ku_report_object(&r, NULL);
	if (a || b) {
		ku_report_object(&r, "paused");
		ku_report_seconds(&r, "a", a);
		ku_report_seconds(&r, "b", b);
		ku_report_close(&r);
	}
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
