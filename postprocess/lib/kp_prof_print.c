// SPDX-License-Identifier: BSD-3-Clause
/*
 * A profile as text, as JSON, and as folded stacks. Called by spantoprof.
 */
#include <inttypes.h>

#include "kp_prof.h"
#include "kp_report.h"

#define SAMPLES_SHOWN 10	/* addresses of a process in the text */

static const char *const classes[] = { "cpu", "wait", "sample" };

/* Tenths of a percent, rounded. */
static int64_t share(int64_t part, int64_t whole)
{
	return whole ? (int64_t)(((__int128)part * 1000 + whole / 2) / whole) : 0;
}

static void text_process(const struct kp_prof *p, uint32_t index, FILE *out)
{
	const struct kp_prof_process *process = &p->processes[index];
	int64_t part = share(process->cpu_time, p->last - p->first);
	int64_t mhz = kp_prof_mhz(process);
	char time[KP_TIME_TEXT];

	kp_print_plain(out, process->name->text, process->name->len);
	fprintf(out, ": %s of CPU, %" PRId64 ".%" PRId64 " %% of one",
		kp_time_text(process->cpu_time, time), part / 10, part % 10);
	if (process->samples)
		fprintf(out, ", %" PRIu64 " PC samples", process->samples);
	if (mhz && process->pid)
		fprintf(out, ", at %" PRId64 " MHz (%" PRId64 " %% of %" PRId64 ")", mhz,
			mhz * 100 / p->mhz_most, p->mhz_most);
	putc('\n', out);
}

void kp_prof_text(const struct kp_prof *p, FILE *out)
{
	char time[KP_TIME_TEXT], longest[KP_TIME_TEXT];
	unsigned int samples = 0;

	fprintf(out, "%12s %9s %12s  %-16s %s\n", "time", "count", "longest", "at", "what");
	for (size_t i = 0; i < p->line_count; i++) {
		const struct kp_prof_line *line = &p->lines[i];

		if (!i || line->process != p->lines[i - 1].process) {
			text_process(p, line->process, out);
			samples = 0;
		}
		if (line->class == KP_PROF_SAMPLE && samples++ >= SAMPLES_SHOWN)
			continue;
		if (line->class == KP_PROF_SAMPLE)
			fprintf(out, "%12s %9" PRIu64 " %12s  %-16s ", "", line->count, "", "");
		else
			fprintf(out, "%12s %9" PRIu64 " %12s  %7" PRId64 ".%08" PRId64 " ",
				kp_time_text(line->time, time), line->count,
				kp_time_text(line->longest, longest),
				line->longest_at / 100000000, line->longest_at % 100000000);
		kp_print_plain(out, line->kind->text, line->kind->len);
		putc('\n', out);
	}
}

static void json_time(FILE *out, const char *key, int64_t units)
{
	fprintf(out, ", \"%s\": ", key);
	kp_print_seconds(out, units);
}

void kp_prof_json(const struct kp_prof *p, FILE *out)
{
	fputs("{\"from\": ", out);
	kp_print_seconds(out, p->first);
	json_time(out, "to", p->last);
	if (p->mhz_most)
		fprintf(out, ", \"mhz\": %" PRId64, p->mhz_most);
	fputs(", \"processes\": [", out);
	for (size_t i = 0; i < p->line_count; i++) {
		const struct kp_prof_line *line = &p->lines[i];
		const struct kp_prof_process *process = &p->processes[line->process];

		if (!i || line->process != p->lines[i - 1].process) {
			fprintf(out, "%s\n {\"pid\": %" PRId64 ", \"name\": ", i ? "]}," : "",
				process->pid);
			kp_print_string(out, process->name->text, process->name->len);
			json_time(out, "cpu", process->cpu_time);
			fprintf(out, ", \"samples\": %" PRIu64, process->samples);
			if (kp_prof_mhz(process))
				fprintf(out, ", \"mhz\": %" PRId64, kp_prof_mhz(process));
			fputs(", \"kinds\": [", out);
		} else {
			putc(',', out);
		}
		fprintf(out, "\n  {\"class\": \"%s\", \"kind\": ", classes[line->class]);
		kp_print_string(out, line->kind->text, line->kind->len);
		fprintf(out, ", \"count\": %" PRIu64, line->count);
		json_time(out, "time", line->time);
		json_time(out, "longest", line->longest);
		json_time(out, "at", line->longest_at);
		putc('}', out);
	}
	fputs(p->line_count ? "]}]}\n" : "]}\n", out);
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
