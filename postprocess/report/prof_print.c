// SPDX-License-Identifier: BSD-3-Clause
/* Prints a profile as text, as JSON or as folded stacks. */

#include "base/terminal.h"
#include "base/text.h"
#include "report/prof.h"

#define SAMPLES_SHOWN 10	/* maximum number of addresses of a process in the text */

static const char *const classes[] = { "cpu", "wait", "sample" };

/* Returns @part of @whole in tenths of a percent, rounded. */
static int64_t share(int64_t part, int64_t whole)
{
	return whole ? (int64_t)(((__int128)part * 1000 + whole / 2) / whole) : 0;
}

static void text_process(const struct kp_prof *p, uint32_t index, FILE *out)
{
	const struct kp_prof_process *process = &p->processes[index];
	int64_t part = share(process->cpu_time, p->last - p->first - p->paused - p->stopped);
	int64_t mhz = kp_prof_mhz(process);
	char time[KP_TIME_TEXT];

	fputs(kp_colour(KP_HEADING), out);
	kp_print_name(out, process->name->text, process->name->len);
	fputs(kp_colour(KP_PLAIN), out);
	if (process->threads)
		fprintf(out, " (%" PRIu64 " thread%s)", process->threads,
			process->threads == 1 ? "" : "s");
	fprintf(out, ": %s of CPU, %" PRId64 ".%" PRId64 " %% of one",
		kp_time_text(process->cpu_time, time), part / 10, part % 10);
	if (process->samples)
		fprintf(out, ", %" PRIu64 " PC samples", process->samples);
	if (mhz && process->pid)
		fprintf(out, ", at %" PRId64 " MHz (%" PRId64 " %% of %" PRId64 ")", mhz,
			mhz * 100 / p->mhz_most, p->mhz_most);
	if (process->idle)
		fprintf(out, ", %s idle", kp_time_text(process->idle, time));
	if (process->leaving_idle)
		fprintf(out, " (%s of it leaving deep idle, an estimate)",
			kp_time_text(process->leaving_idle, time));
	putc('\n', out);
}

/* Widths of the columns, and the number of decimals of the start time, of the table. */
struct layout {
	int time, count, longest, at, decimals;
	int before;		/* columns before the name of the kind */
	const char *cut;	/* text for the number of calls that were cut off */
	const char *(*time_text)(int64_t units, char text[KP_TIME_TEXT]);
};

static const struct layout wide = { 12, 9, 12, 16, 8, 93, " (+%" PRIu64 " cut off)", kp_time_text };
/* columns with shorter times, for terminals on which names would be cut to less than 16 columns */
static const struct layout narrow = { 8, 6, 10, 9, 3, 65, " +%" PRIu64 " cut", kp_time_short };

static const struct layout *layout(void)
{
	return kp_columns() && kp_columns() < (size_t)wide.before + 16 ? &narrow : &wide;
}

static void text_heading(FILE *out)
{
	const struct layout *l = layout();

	fprintf(out, "%s%*s %*s %*s %*s %*s %*s  %-*s %s%s\n", kp_colour(KP_HEADING), l->time, "on CPU", l->count, "count",
		l->longest, "longest", l->time, "p50", l->time, "p99", l->time, "elapsed", l->at, "at", "what",
		kp_colour(KP_PLAIN));
}

/* Prints the name of the kind, which ends the line. */
static void text_kind(const struct kp_prof_line *line, FILE *out)
{
	const struct layout *l = layout();
	size_t before = (size_t)l->before;
	char cut[40] = "";

	if (line->sum.cut)
		before += (size_t)snprintf(cut, sizeof(cut), l->cut, line->sum.cut);
	kp_print_end(out, line->kind->text, line->kind->len, kp_columns() > before ? kp_columns() - before : 0);
	if (line->sum.cut)
		fprintf(out, "%s%s%s", kp_colour(KP_CAVEAT), cut, kp_colour(KP_PLAIN));
}

/* Prints the number of samples at an address. Shortens the empty columns before a long address. */
static void text_sample(const struct kp_prof_line *line, FILE *out)
{
	const struct layout *l = layout();
	const int empty = l->before - l->time - l->count - 1;
	const int over = kp_columns() ? l->before + (int)line->kind->len - (int)kp_columns() : 0;

	fprintf(out, "%*s %*" PRIu64 "%*s", l->time, "", l->count, line->sum.count,
		over <= 0 ? empty : over < empty ? empty - over : 1, "");
	kp_print_plain(out, line->kind->text, line->kind->len);
}

static void text_line(const struct kp_prof_line *line, FILE *out)
{
	const struct kp_call_sum *sum = &line->sum;
	const int64_t times[] = { sum->longest, sum->p50, sum->p99, sum->elapsed };
	const struct layout *l = layout();
	char time[KP_TIME_TEXT], cell[KP_TIME_TEXT + 2];
	int64_t at = sum->longest_at / 100000000, units = sum->longest_at % 100000000;

	if (line->class == KP_PROF_WAIT)
		fputs(kp_colour(KP_WAITING), out);
	fprintf(out, "%*s %*" PRIu64, l->time, l->time_text(sum->time, time), l->count, sum->count);
	for (int i = 0; i < 4; i++) {
		snprintf(cell, sizeof(cell), "%s%s", !i && sum->bound ? ">=" : "",
			 times[i] < 0 ? "" : l->time_text(times[i], time));
		fprintf(out, " %*s", i ? l->time : l->longest, cell);
	}
	for (int i = 8; i > l->decimals; i--)
		units /= 10;
	fprintf(out, "  %*" PRId64 ".%0*" PRId64 " ", l->at - 1 - l->decimals, at, l->decimals, units);
	text_kind(line, out);
	if (line->class == KP_PROF_WAIT)
		fputs(kp_colour(KP_PLAIN), out);
}

/* Prints how many kinds of a process are left out, if any are, by class. */
static void text_left_kinds(const struct kp_prof_line *line, size_t count, size_t top, FILE *out)
{
	static const char *const words[] = {
		[KP_PROF_CPU] = "%zu kinds of execution, %s", [KP_PROF_WAIT] = "%zu kinds of waiting, %s",
	};
	const char *before = "  left out: ";
	char time[KP_TIME_TEXT];

	for (enum kp_prof_class class = KP_PROF_CPU; class < KP_PROF_SAMPLE; class++) {
		size_t all = 0;
		int64_t units = 0;

		for (size_t i = 0; i < count; i++)
			if (line[i].class == class && all++ >= top)
				units += line[i].sum.time;
		if (all <= top)
			continue;
		fputs(before, out);
		fprintf(out, words[class], all - top, kp_time_text(units, time));
		before = "; ";
	}
	if (*before == ';')
		putc('\n', out);
}

/* Prints the rows of a process. */
static void text_rows(const struct kp_prof_line *line, size_t count, size_t top, FILE *out)
{
	size_t shown = 0, most;

	for (size_t i = 0; i < count; i++) {
		if (i && line[i].class != line[i - 1].class)
			shown = 0;
		most = line[i].class == KP_PROF_SAMPLE && top > SAMPLES_SHOWN ? SAMPLES_SHOWN : top;
		if (shown++ >= most)
			continue;
		if (line[i].class == KP_PROF_SAMPLE)
			text_sample(&line[i], out);
		else
			text_line(&line[i], out);
		putc('\n', out);
	}
	text_left_kinds(line, count, top, out);
}

void kp_prof_text(const struct kp_prof *p, size_t top, FILE *out)
{
	size_t shown = 0, left_count = 0, idle_tasks = 0, end;
	int64_t left = 0, idle = 0;
	char time[KP_TIME_TEXT];

	text_heading(out);
	for (size_t i = 0; i < p->line_count; i = end) {
		const uint32_t process = p->lines[i].process;

		for (end = i; end < p->line_count && p->lines[end].process == process; end++)
			;
		if (shown == top && !p->processes[process].pid && !p->processes[process].threads) {
			idle_tasks++;
			idle += p->processes[process].cpu_time;
			continue;
		}
		if (shown == top) {
			left_count++;
			left += p->processes[process].cpu_time;
			continue;
		}
		shown++;
		text_process(p, process, out);
		text_rows(&p->lines[i], end - i, top, out);
	}
	if (left_count)
		fprintf(out, "left out: %zu processes, %s of CPU\n", left_count, kp_time_text(left, time));
	if (idle_tasks)
		fprintf(out, "left out: idle tasks of %zu CPUs, %s\n", idle_tasks, kp_time_text(idle, time));
	if (p->paused)
		fprintf(out, "%srecording was off for %s in between: percentages do not contain that time%s\n",
			kp_colour(KP_CAVEAT), kp_time_text(p->paused, time), kp_colour(KP_PLAIN));
	if (p->stopped)
		fprintf(out, "%sthe machine did not run for %s in between%s: CPU times and percentages do not contain that time%s\n",
			kp_colour(KP_CAVEAT), kp_time_text(p->stopped, time), p->stopped_inferred ? " (inferred)" : "",
			kp_colour(KP_PLAIN));
	if (p->stolen)
		fprintf(out, "%ssingle CPUs did not run for %s (inferred): CPU times do not contain that time%s\n",
			kp_colour(KP_CAVEAT), kp_time_text(p->stolen, time), kp_colour(KP_PLAIN));
}

static void json_process(struct ku_report *r, const struct kp_prof_process *process)
{
	ku_report_object(r, NULL);
	if (process->threads)
		ku_report_unsigned(r, "threads", process->threads);
	else
		ku_report_signed(r, "pid", process->pid);
	ku_report_text(r, "name", process->name->text, process->name->len);
	ku_report_seconds(r, "cpu", process->cpu_time);
	ku_report_unsigned(r, "samples", process->samples);
	if (process->idle) {
		ku_report_seconds(r, "idle", process->idle);
		ku_report_seconds(r, "leaving_idle", process->leaving_idle);
	}
	if (kp_prof_mhz(process))
		ku_report_signed(r, "mhz", kp_prof_mhz(process));
	ku_report_lines(r, "kinds", '[', 2);
}

void kp_call_sum_json(struct ku_report *r, const struct kp_call_sum *sum)
{
	ku_report_seconds(r, "time", sum->time);
	ku_report_unsigned(r, "count", sum->count);
	ku_report_unsigned(r, "cut", sum->cut);
	ku_report_seconds(r, "elapsed", sum->elapsed);
	ku_report_seconds(r, "longest", sum->longest > 0 ? sum->longest : 0);
	ku_report_seconds(r, "at", sum->longest_at);
	if (sum->p50 < 0)
		return;
	ku_report_seconds(r, "p50", sum->p50);
	ku_report_seconds(r, "p99", sum->p99);
}

static void json_line(struct ku_report *r, const struct kp_prof_line *line)
{
	ku_report_object(r, NULL);
	ku_report_string(r, "class", classes[line->class]);
	ku_report_text(r, "kind", line->kind->text, line->kind->len);
	kp_call_sum_json(r, &line->sum);
	ku_report_close(r);
}

void kp_prof_json(const struct kp_prof *p, FILE *out)
{
	struct ku_report r = ku_report_begin(out);

	ku_report_object(&r, NULL);
	ku_report_seconds(&r, "from", p->first);
	ku_report_seconds(&r, "to", p->last);
	if (p->paused)
		ku_report_seconds(&r, "paused", p->paused);
	if (p->stopped)
		ku_report_seconds(&r, "stopped", p->stopped);
	if (p->stopped)
		ku_report_bool(&r, "stopped_inferred", p->stopped_inferred);
	if (p->stolen)
		ku_report_seconds(&r, "stolen", p->stolen);
	if (p->mhz_most)
		ku_report_signed(&r, "mhz", p->mhz_most);
	ku_report_lines(&r, "processes", '[', 1);
	for (size_t i = 0; i < p->line_count; ) {
		uint32_t process = p->lines[i].process;

		json_process(&r, &p->processes[process]);
		for (; i < p->line_count && p->lines[i].process == process; i++)
			json_line(&r, &p->lines[i]);
		ku_report_close(&r);
		ku_report_close(&r);
	}
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}

void kp_prof_folded(const struct kp_prof *p, FILE *out)
{
	for (size_t i = 0; i < p->fold_count; i++) {
		const struct kp_prof_fold *fold = &p->folds[i];
		const struct kp_str *name = p->processes[fold->process].name;

		for (size_t k = 0; k < name->len; k++)
			putc(name->text[k] == ';' || (unsigned char)name->text[k] <= ' ' ? '_' :
			     name->text[k], out);
		if (fold->stack->len)
			putc(';', out);
		kp_print_plain(out, fold->stack->text, fold->stack->len);
		fprintf(out, " %" PRIu64 "\n", p->fold_samples ? fold->value : fold->value * 10);
	}
}
