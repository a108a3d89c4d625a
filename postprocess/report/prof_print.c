// SPDX-License-Identifier: BSD-3-Clause
/* Prints a profile as text, as JSON or as folded stacks. */

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
	int64_t part = share(process->cpu_time, p->last - p->first - p->paused);
	int64_t mhz = kp_prof_mhz(process);
	char time[KP_TIME_TEXT];

	kp_print_plain(out, process->name->text, process->name->len);
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

static void text_line(const struct kp_prof_line *line, FILE *out)
{
	const struct kp_call_sum *sum = &line->sum;
	const int64_t times[] = { sum->longest, sum->p50, sum->p99, sum->elapsed };
	char time[KP_TIME_TEXT], cell[KP_TIME_TEXT + 2];

	if (line->class == KP_PROF_SAMPLE) {
		fprintf(out, "%12s %9" PRIu64 " %12s %12s %12s %12s  %-16s ", "", sum->count,
			"", "", "", "", "");
	} else {
		fprintf(out, "%12s %9" PRIu64, kp_time_text(sum->time, time), sum->count);
		for (int i = 0; i < 4; i++) {
			snprintf(cell, sizeof(cell), "%s%s", !i && sum->bound ? ">=" : "",
				 times[i] < 0 ? "" : kp_time_text(times[i], time));
			fprintf(out, " %12s", cell);
		}
		fprintf(out, "  %7" PRId64 ".%08" PRId64 " ", sum->longest_at / 100000000,
			sum->longest_at % 100000000);
	}
	kp_print_plain(out, line->kind->text, line->kind->len);
	if (sum->cut)
		fprintf(out, " (+%" PRIu64 " cut off)", sum->cut);
	putc('\n', out);
}

void kp_prof_text(const struct kp_prof *p, FILE *out)
{
	unsigned int samples = 0;
	char time[KP_TIME_TEXT];

	fprintf(out, "%12s %9s %12s %12s %12s %12s  %-16s %s\n", "on CPU", "count", "longest",
		"p50", "p99", "elapsed", "at", "what");
	for (size_t i = 0; i < p->line_count; i++) {
		const struct kp_prof_line *line = &p->lines[i];

		if (!i || line->process != p->lines[i - 1].process) {
			text_process(p, line->process, out);
			samples = 0;
		}
		if (line->class == KP_PROF_SAMPLE && samples++ >= SAMPLES_SHOWN)
			continue;
		text_line(line, out);
	}
	if (p->paused)
		fprintf(out, "recording was off for %s in between: percentages do not contain that time\n",
			kp_time_text(p->paused, time));
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
