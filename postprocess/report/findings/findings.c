// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs the detectors over the gaps of all threads, and sorts the findings by cost
 * (report/findings/findings.h). Must not explain a gap twice.
 */
#include "report/findings/findings.h"

#include "base/progress.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/tool.h"
#include "common/report.h"
#include "report/findings/detectors.h"

static const struct kp_detector *const detectors[] = {
	&kp_detect_stopped, &kp_detect_throttled, &kp_detect_holder, &kp_detect_convoy, &kp_detect_beside,
	&kp_detect_crowded, &kp_detect_herd, &kp_detect_ping_pong, &kp_detect_interrupts, &kp_detect_faults,
	&kp_detect_spawn, &kp_detect_polling, &kp_detect_exit, &kp_detect_recorder,
};

#define DETECTORS (sizeof(detectors) / sizeof(detectors[0]))

static int by_cost(const void *a, const void *b)
{
	const struct kp_finding *x = a, *y = b;

	KP_COMPARE(y->cost, x->cost);
	KP_COMPARE(x->victim, y->victim);
	return strcmp(x->detector->key, y->detector->key);
}

/* Shows the gaps of all threads to the detectors. @sums: of each detector, or NULL. */
static int show_gaps(struct kp_findings *findings, struct kp_finding_sum **sums)
{
	struct kp_why *why = findings->why;
	uint64_t done = 0;

	kp_progress_phase("finding", "threads");
	for (size_t i = 0; i < why->pids.count; i++) {
		const size_t count = why->pids.items[i].pid ? kp_why_gap_count(why, i) : 0;

		kp_progress(i, why->pids.count);
		for (size_t n = 0; n < count; n++) {
			struct kp_why_gap gap;

			if (!(++done % KP_WHY_CHECK) && kp_interrupted())
				return -1;
			kp_why_gap(why, i, n, &gap);
			for (size_t d = 0; d < DETECTORS; d++)
				if (detectors[d]->gap)
					detectors[d]->gap(findings, sums[d], &gap);
		}
	}
	return 0;
}

int kp_findings_find(struct kp_findings *findings, struct kp_why *why)
{
	struct kp_finding_sum *sums[DETECTORS] = {0};
	int status;

	*findings = (struct kp_findings){ .why = why, .program = -1 };
	status = kp_idle_find(&findings->idle, why);
	for (size_t d = 0; d < DETECTORS && !status; d++) {
		sums[d] = calloc(why->pids.count + 1, sizeof(*sums[d]));
		status = sums[d] ? 0 : -1;
	}
	if (!status)
		status = show_gaps(findings, sums);
	for (size_t d = 0; d < DETECTORS && !status; d++) {
		detectors[d]->end(findings, sums[d]);
		status = findings->no_memory || kp_interrupted() ? -1 : 0;
	}
	for (size_t d = 0; d < DETECTORS; d++)
		free(sums[d]);
	if (findings->list.count)
		qsort(findings->list.items, findings->list.count, sizeof(*findings->list.items), by_cost);
	return status;
}

void kp_findings_of(struct kp_findings *findings, size_t index)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->list.count; i++) {
		const struct kp_finding *finding = &findings->list.items[i];

		if (finding->victim == index || finding->culprit == (int64_t)index)
			findings->list.items[count++] = *finding;
	}
	findings->list.count = count;
}

void kp_findings_free(struct kp_findings *findings)
{
	free(findings->list.items);
	kp_idle_free(&findings->idle);
}

/* Returns the share of the time, in tenths of a percent. */
static int64_t share(const struct kp_findings *findings, int64_t cost)
{
	const int64_t all = findings->why->to - findings->why->from;

	return all > 0 ? (int64_t)(((__int128)cost * 1000 + all / 2) / all) : 0;
}

void kp_findings_text(const struct kp_findings *findings, size_t top, FILE *out)
{
	char time[KP_TIME_TEXT];

	if (!findings->list.count)
		fputs("no findings: the trace shows none of the known faults (docs/reference/findings.md)\n", out);
	for (size_t i = 0; i < findings->list.count && i < top; i++) {
		const struct kp_finding *finding = &findings->list.items[i];
		const int64_t part = share(findings, finding->cost);

		fprintf(out, "%s%zu. %s: %s, %" PRId64 ".%" PRId64 " %% of the time%s\n   ", kp_colour(KP_HEADING), i + 1,
			finding->detector->key, kp_time_text(finding->cost, time), part / 10, part % 10, kp_colour(KP_PLAIN));
		kp_print_plain(out, finding->sentence->text, finding->sentence->len);
		fprintf(out, "\n   Try: %s\n   from ", finding->detector->advice);
		ku_print_seconds(out, finding->start);
		fputs(" to ", out);
		ku_print_seconds(out, finding->end);
		fputs(" s; spans:", out);
		for (size_t k = 0; k < KP_FINDING_SPANS && finding->spans[k].start; k++) {
			fprintf(out, "%s pid %" PRId64 " at ", k ? "," : "", findings->why->pids.items[finding->spans[k].thread].pid);
			ku_print_seconds(out, finding->spans[k].start);
		}
		putc('\n', out);
	}
	if (findings->list.count > top)
		fprintf(out, "left out: %zu finding%s less\n", findings->list.count - top,
			findings->list.count - top == 1 ? " that costs" : "s that cost");
}

static void print_name(const struct kp_findings *findings, int64_t index, FILE *out)
{
	const struct kp_str *name = findings->why->pids.items[index].name;

	kp_print_plain(out, name->text, name->len);
}

/* Prints whether there are findings, and which threads they concern. */
static void print_concerned(const struct kp_findings *findings, int64_t asked, FILE *out)
{
	const size_t count = findings->list.count;

	fputs(count ? "known faults" : "no known fault was found", out);
	if (findings->program >= 0) {
		fputs(count ? " that concern " : " that concerns ", out);
		print_name(findings, findings->program, out);
		fprintf(out, ", its threads %s its children", count ? "and" : "or");
	} else {
		fputs(count ? " of all threads" : " in any thread", out);
		if (asked >= 0) {
			fputs(" (the trace does not show which threads belong to ", out);
			print_name(findings, asked, out);
			putc(')', out);
		}
	}
	fputs(count > 1 ? ", the most expensive first:\n" : count ? ":\n" : "\n", out);
}

/* Prints why a fault can be missing: losses and times without events. */
static void print_limits(const struct kp_why *why, FILE *out)
{
	const int64_t paused = kp_why_paused(why, why->from, why->to);
	const char *between = "not searched: ";
	char time[KP_TIME_TEXT];

	if (why->lost > 0) {
		fprintf(out, "%s%" PRId64 " lost event%s", between, why->lost, why->lost == 1 ? "" : "s");
		between = "; ";
	}
	if (why->wrapped) {
		fprintf(out, "%sthe time before the trace begins, whose events were overwritten", between);
		between = "; ";
	}
	if (paused) {
		fprintf(out, "%s%s in which recording was off", between, kp_time_text(paused, time));
		between = "; ";
	}
	if (why->complete > why->from) {
		fprintf(out, "%ssome CPUs before ", between);
		ku_print_seconds(out, why->complete);
		fputs(" s, whose events were overwritten", out);
		between = "; ";
	}
	if (*between == ';')
		putc('\n', out);
}

void kp_findings_worst(const struct kp_findings *findings, int64_t asked, size_t count, FILE *out)
{
	const size_t all = findings->list.count;
	char time[KP_TIME_TEXT];

	print_concerned(findings, asked, out);
	for (size_t i = 0; i < all && i < count; i++) {
		const struct kp_finding *finding = &findings->list.items[i];
		const int64_t part = share(findings, finding->cost);

		fprintf(out, "%zu. %s, %" PRId64 ".%" PRId64 " %% of the time, from ", i + 1, kp_time_text(finding->cost, time),
			part / 10, part % 10);
		ku_print_seconds(out, finding->start);
		fputs(" to ", out);
		ku_print_seconds(out, finding->end);
		fputs(" s:\n   ", out);
		kp_print_plain(out, finding->sentence->text, finding->sentence->len);
		fprintf(out, "\n   Try: %s\n", finding->detector->advice);
	}
	if (all > count)
		fprintf(out, "left out: %zu that cost%s less (spantowhy --findings)\n", all - count, all - count == 1 ? "s" : "");
	print_limits(findings->why, out);
}

static void json_thread(struct ku_report *r, const char *key, const struct kp_why_pid *pid)
{
	ku_report_object(r, key);
	ku_report_signed(r, "pid", pid->pid);
	ku_report_text(r, "name", pid->name->text, pid->name->len);
	ku_report_close(r);
}

void kp_findings_json(const struct kp_findings *findings, FILE *out)
{
	struct ku_report r = ku_report_begin(out);

	ku_report_object(&r, NULL);
	ku_report_unsigned(&r, "version", KP_FINDINGS_VERSION);
	ku_report_seconds(&r, "from", findings->why->from);
	ku_report_seconds(&r, "to", findings->why->to);
	ku_report_lines(&r, "findings", '[', 2);
	for (size_t i = 0; i < findings->list.count; i++) {
		const struct kp_finding *finding = &findings->list.items[i];

		ku_report_object(&r, NULL);
		ku_report_string(&r, "finding", finding->detector->key);
		ku_report_seconds(&r, "cost", finding->cost);
		ku_report_unsigned(&r, "count", finding->count);
		ku_report_seconds(&r, "start", finding->start);
		ku_report_seconds(&r, "end", finding->end);
		json_thread(&r, "victim", &findings->why->pids.items[finding->victim]);
		if (finding->culprit >= 0)
			json_thread(&r, "culprit", &findings->why->pids.items[finding->culprit]);
		ku_report_text(&r, "sentence", finding->sentence->text, finding->sentence->len);
		ku_report_string(&r, "try", finding->detector->advice);
		ku_report_list(&r, "spans");
		for (size_t k = 0; k < KP_FINDING_SPANS && finding->spans[k].start; k++) {
			ku_report_object(&r, NULL);
			ku_report_signed(&r, "pid", findings->why->pids.items[finding->spans[k].thread].pid);
			ku_report_seconds(&r, "start", finding->spans[k].start);
			ku_report_close(&r);
		}
		ku_report_close(&r);
		ku_report_close(&r);
	}
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}
