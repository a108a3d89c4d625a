// SPDX-License-Identifier: BSD-3-Clause
/* Checks the events and spans of a raw trace (report/check.h). Must not change them. */
#include "report/check.h"

#include <stdarg.h>

#include "base/terminal.h"
#include "common/entry.h"
#include "common/report.h"
#include "common/utf8.h"

static void watch_pid(struct kp_check *check, uint32_t pid)
{
	uint32_t unused;

	if (pid && !kp_map_get(&check->named, pid, &unused) && kp_map_set(&check->unnamed, pid, 0))
		check->err = -1;
}

static int watch_event(void *self, const struct kp_event *event)
{
	struct kp_check *check = self;
	int cpu = event->cpu;
	int64_t end = event->ts;
	struct kp_pause pause;

	watch_pid(check, event->pid);
	while (kp_pauses_next(&check->pauses, event->ts, &pause))
		check->resumes = pause.on;
	/* the header of a block is no event */
	if (event->event == KUTRACE_USERPID && event->dur)
		return check->next.event(check->next.self, event);
	if (event->ts < check->resumes) {
		check->in_pause[cpu]++;
		return check->next.event(check->next.self, event);
	}
	if (event->event >= KUTRACE_CALL_TRAP) {
		end += event->dur;
		check->back += check->events[cpu] && event->ts < check->before[cpu];
		check->before[cpu] = event->ts;
	}
	if (!check->events[cpu]++) {
		check->first[cpu] = event->ts;
		check->last[cpu] = end;
	}
	/*
	 * a merged call ends at the next event at the latest (the statistics count it as clipped)
	 */
	if (event->ts > check->first[cpu] && event->event >= KUTRACE_CALL_TRAP)
		check->last[cpu] = end;
	else if (end > check->last[cpu])
		check->last[cpu] = end;
	return check->next.event(check->next.self, event);
}

static int watch_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_check *check = self;
	struct kp_pause pause;
	size_t i = 0;

	if (KU_NAME_BASE(def->event) == KUTRACE_NAME_META &&
	    kp_pause_parse(KUTRACE_META_PAUSE, def->name, def->name_len, &pause) &&
	    kp_pauses_add(&check->pauses, &pause))
		check->err = -1;
	if (def->ts < 0) {
		check->names++;
		if (KU_NAME_BASE(def->event) == KUTRACE_NAME_PID &&
		    kp_map_set(&check->named, def->number, 0))
			check->err = -1;
		while (i < def->name_len) {
			size_t n = ku_utf8_sequence(def->name + i, def->name_len - i);

			if (!n)
				break;
			i += n;
		}
		check->bad_names += i < def->name_len;
	}
	return check->next.namedef(check->next.self, def);
}

static int watch_comment(void *self, const char *text, size_t len)
{
	struct kp_check *check = self;

	return check->next.comment(check->next.self, text, len);
}

struct kp_event_sink kp_check_sink(struct kp_check *check, const struct kp_event_sink *next)
{
	check->next = *next;
	return (struct kp_event_sink){ watch_event, watch_namedef, watch_comment, check };
}

void kp_check_free(struct kp_check *check)
{
	kp_coverage_free(&check->coverage);
	kp_pauses_free(&check->pauses);
	kp_map_free(&check->named);
	kp_map_free(&check->unnamed);
}

/*
 * Returns the time up to which spans must cover the CPU: the end of its last event or of its last
 * pause, whichever is later.
 */
static int64_t kp_check_last(const struct kp_check *check, int cpu)
{
	int64_t paused_until = check->coverage.cpu[cpu].paused_until;

	return check->last[cpu] > paused_until ? check->last[cpu] : paused_until;
}

struct kp_check_inferred kp_check_inferred(const struct kp_check *check,
					const struct kp_reconstruct_stats *stats)
{
	struct kp_check_inferred inferred = { .spans = stats->inferred, .units = stats->inferred_units };

	for (int i = 0; i < 256; i++) {
		inferred.all_spans += check->coverage.cpu[i].spans;
		if (check->events[i])
			inferred.all_units += kp_check_last(check, i) - check->first[i] -
					     check->coverage.cpu[i].paused;
	}
	return inferred;
}

bool kp_check_half_inferred(const struct kp_check_inferred *inferred)
{
	return inferred->spans && inferred->spans * 2 >= inferred->all_spans;
}

/* ---- the result as text; kp_error() also reports each fault ---- */

static FILE *report;	/* stream of the text; NULL: only report faults */

static void __attribute__((format(printf, 1, 2))) print(const char *fmt, ...)
{
	va_list ap;

	if (!report)
		return;
	va_start(ap, fmt);
	vfprintf(report, fmt, ap);
	va_end(ap);
}

static void print_time(int64_t units)
{
	print("%" PRId64 ".%08" PRId64, units / 100000000, units % 100000000);
}

/*
 * Prints @part of @whole as a percentage, rounded down: 100 % means all. If @whole is 0, prints
 * @of_none, a percentage in units of 0.000001 %.
 */
static void print_percent(int64_t part, int64_t whole, int64_t of_none)
{
	int64_t share = whole ? (int64_t)((__int128)part * 100000000 / whole) : of_none;

	print("%" PRId64 ".%06" PRId64 " %%", share / 1000000, share % 1000000);
}

static unsigned int report_cpu(const struct kp_raw *raw, const struct kp_check *check, int cpu)
{
	const struct kp_coverage *coverage = &check->coverage;
	const struct kp_cpu_coverage *covered = &coverage->cpu[cpu];
	int64_t first = check->first[cpu], last = kp_check_last(check, cpu);
	int64_t recorded = last - first - covered->paused;
	struct kp_gaps gaps = kp_coverage_gaps(coverage, cpu, first, last);

	print("CPU %d: ", cpu);
	print_time(first);
	print(" to ");
	print_time(last);
	print(" s, %" PRIu64 " events, %" PRIu64 " spans, covered ",
	       check->events[cpu] + check->in_pause[cpu], covered->spans);
	print_percent(recorded - gaps.units, recorded, 100000000);
	print(", %" PRIu64 " gaps, %" PRIu64 " overlaps, %" PRIu64 " late\n", gaps.count,
	       covered->overlaps, raw->cpu_late[cpu]);
	if (gaps.count)
		kp_error("%s: CPU %d: %" PRIu64 " gaps, %" PRId64 "0 ns in all, the first at %" PRId64 ".%08" PRId64 " s",
			 raw->shown, cpu, gaps.count, gaps.units, gaps.at / 100000000,
			 gaps.at % 100000000);
	if (covered->overlaps)
		kp_error("%s: CPU %d: %" PRIu64 " overlaps, %" PRId64 "0 ns in all, the first at %" PRId64 ".%08" PRId64 " s",
			 raw->shown, cpu, covered->overlaps, covered->overlap,
			 covered->overlap_at / 100000000, covered->overlap_at % 100000000);
	if (gaps.outside)
		kp_error("%s: CPU %d: spans for %" PRId64 "0 ns before its first or after its last event",
			 raw->shown, cpu, gaps.outside);
	return (gaps.count != 0) + (covered->overlaps != 0) + (gaps.outside != 0);
}

static unsigned int report_structure(const struct kp_raw *raw)
{
	const struct kp_raw_faults *faults = &raw->faults;
	uint64_t bad = faults->bad_words + faults->cut_entries + faults->bad_times;
	char date[32];

	kp_raw_date(raw->start_usec, date);
	print("%s: %s, version %u, %zu blocks, %s%s%s\n", raw->shown, date,
	       raw->flags & KUTRACE_FLAG_VERSION, raw->block_count,
	       raw->wrapped ? "wrapped" : "not wrapped",
	       raw->flags & KUTRACE_FLAG_IPC ? ", IPC" : "",
	       raw->flags & KUTRACE_FLAG_LLC ? ", LLC" : "");
	print("structure: %" PRIu64 " words that are no entry, %" PRIu64 " entries cut off, %" PRIu64 " times far outside\n",
	       faults->bad_words, faults->cut_entries, faults->bad_times);
	if (bad)
		kp_error("%s: %s%s", raw->shown, faults->first, bad > 1 ? "; and more" : "");
	return bad != 0;
}

/* Prints the pauses, which are no faults. */
static void report_pauses(const struct kp_reconstruct_stats *stats)
{
	if (stats->bad_pause)
		print(KP_BAD_PAUSE);
	if (!stats->pauses)
		return;
	print("%srecording was off: %" PRIu64 " pauses, ", kp_colour(KP_CAVEAT), stats->pauses);
	print_time(stats->paused_units);
	print(" seconds; nothing above counts that time%s\n", kp_colour(KP_PLAIN));
}

/* Prints the times in which the machine or a CPU did not run. */
static void report_stopped(const struct kp_reconstruct_stats *stats)
{
	if (stats->stops) {
		print("%sthe machine did not run: %" PRIu64 " times, ", kp_colour(KP_CAVEAT), stats->stops);
		if (stats->stops_inferred)
			print("%" PRIu64 " of them inferred, ", stats->stops_inferred);
		print_time(stats->stopped_units);
		print(" seconds; no CPU time contains that time%s\n", kp_colour(KP_PLAIN));
	}
	if (stats->stolen) {
		print("%ssingle CPUs did not run (inferred): %" PRIu64 " times, ", kp_colour(KP_CAVEAT), stats->stolen);
		print_time(stats->stolen_units);
		print(" seconds; no CPU time contains that time%s\n", kp_colour(KP_PLAIN));
	}
}

/* Prints the requests of disks. */
static void report_disk(const struct kp_reconstruct_stats *stats)
{
	if (!stats->disk_requests && !stats->disk_unmatched && !stats->disk_open)
		return;
	print("requests of disks: %" PRIu64, stats->disk_requests);
	if (stats->disk_unmatched)
		print(", and %" PRIu64 " ends without a beginning", stats->disk_unmatched);
	if (stats->disk_open)
		print(", and %" PRIu64 " beginnings without an end", stats->disk_open);
	print("\n");
}

/* Prints the time in which events of some CPUs are missing. */
static void report_partial(const struct kp_reconstruct_stats *stats)
{
	if (stats->bad_partial)
		print(KP_BAD_PARTIAL);
	if (!stats->partial.on)
		return;
	print("%spartial: from ", kp_colour(KP_CAVEAT));
	print_time(stats->partial.off);
	print(" to ");
	print_time(stats->partial.on);
	print(" s the trace lacks events of some CPUs%s\n", kp_colour(KP_PLAIN));
}

static void report_inferred(const struct kp_reconstruct_stats *stats,
			    const struct kp_check_inferred *inferred, const char *shown)
{
	print("inferred spans: %" PRIu64 " of %" PRIu64 ", ", inferred->spans, inferred->all_spans);
	print_percent((int64_t)inferred->spans, (int64_t)inferred->all_spans, 0);
	print("; ");
	print_percent(inferred->units, inferred->all_units, 0);
	print(" of the time\n");
	if (kp_check_half_inferred(inferred))
		kp_error("%s: half of its spans or more were inferred: %" PRIu64 " of %" PRIu64,
			 shown, inferred->spans, inferred->all_spans);
	print("inferred: %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " context switches; ignored: %" PRIu64 " returns; cut off: %" PRIu64 " merged calls; nested too deep: %" PRIu64 "\n",
	       stats->missing_returns, stats->missing_calls, stats->gaps,
	       stats->stray_returns, stats->clipped, stats->too_deep);
	if (stats->made_events)
		print(KP_MADE_EVENTS, stats->made_events);
}

/*
 * Prints steps of the wall clock. Times in the trace do not contain these steps: only time 0 is
 * taken from the wall clock.
 */
static void report_clock(const struct kp_raw *raw)
{
	int64_t step_us = kp_raw_clock_step_us(raw);
	char step[KP_CLOCK_STEP_CHARS];

	if (kp_raw_clock_is_bad(raw))
		print("clock: during the recording the time counter jumped, or the kernel marked it unstable; times of different CPUs, and durations, may be wrong\n");
	if (!step_us)
		return;
	kp_clock_step_text(step_us, step);
	print("clock: during the recording the wall clock moved %s against the time counter; times begin with the wall clock, and continue with the counter\n",
	      step);
}

static void report_lost(const struct kp_raw *raw)
{
	print("%slost: %" PRIu64 " events%s", raw->lost ? kp_colour(KP_LOST) : "", raw->lost,
	       raw->has_meta ? "" : " (this trace does not count them)");
	for (size_t i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KU_NAME_BASE(name->event) == KUTRACE_NAME_META &&
		    !strncmp(name->text, "lost_", 5))
			print(", %.40s", name->text + 5);
	}
	print("%s; stale entries of the first block dropped: %" PRIu64 "\n",
	      raw->lost ? kp_colour(KP_PLAIN) : "", raw->dropped_first_block);
}

/* Prints the number of typed tracepoints, and how many have no definition in the trace. */
static void report_points(const struct kp_raw_summary *summary)
{
	if (summary->points)
		print("typed tracepoints: %" PRIu64 " events, %" PRIu64 " of them not defined\n",
		      summary->points, summary->unknown_points);
}

unsigned int kp_check_text(const struct kp_raw *raw, const struct kp_check *check,
			   const struct kp_reconstruct_stats *stats,
			   const struct kp_check_inferred *inferred, FILE *out)
{
	unsigned int bad, cpus = 0;

	report = out;
	bad = report_structure(raw);
	for (int i = 0; i < 256; i++) {
		if (!check->events[i])
			continue;
		cpus++;
		bad += report_cpu(raw, check, i);
	}
	print("order: %" PRIu64 " late entries put back, %" PRIu64 " out of order\n",
	       raw->late_entries, check->back);
	if (check->back) {
		kp_error("%s: %" PRIu64 " events out of order", raw->shown, check->back);
		bad++;
	}
	if (!cpus) {
		kp_error("%s: no events in it", raw->shown);
		bad++;
	}
	report_pauses(stats);
	report_stopped(stats);
	report_disk(stats);
	report_partial(stats);
	report_clock(raw);
	report_inferred(stats, inferred, raw->shown);
	report_lost(raw);
	report_points(&check->summary);
	print("names: %" PRIu64 " definitions, %" PRIu64 " not UTF-8, %zu pids without one\n",
	       check->names, check->bad_names, check->unnamed.count);
	return bad;
}

/* ---- the result as JSON ---- */

static void json_cpu(struct ku_report *r, const struct kp_raw *raw,
		     const struct kp_check *check, int cpu)
{
	int64_t first = check->first[cpu], last = kp_check_last(check, cpu);
	int64_t paused = check->coverage.cpu[cpu].paused;
	struct kp_gaps gaps = kp_coverage_gaps(&check->coverage, cpu, first, last);

	ku_report_object(r, NULL);
	ku_report_signed(r, "cpu", cpu);
	ku_report_seconds(r, "first", first);
	ku_report_seconds(r, "last", last);
	ku_report_unsigned(r, "events", check->events[cpu] + check->in_pause[cpu]);
	ku_report_unsigned(r, "spans", check->coverage.cpu[cpu].spans);
	ku_report_seconds(r, "covered", last - first - paused - gaps.units);
	if (paused)
		ku_report_seconds(r, "paused", paused);
	ku_report_unsigned(r, "gaps", gaps.count);
	ku_report_unsigned(r, "overlaps", check->coverage.cpu[cpu].overlaps);
	ku_report_unsigned(r, "outside_ns", (uint64_t)gaps.outside * 10);
	ku_report_unsigned(r, "late", raw->cpu_late[cpu]);
	ku_report_close(r);
}

static void json_structure(struct ku_report *r, const struct kp_raw_faults *faults)
{
	ku_report_break(r, 1);
	ku_report_object(r, "structure");
	ku_report_unsigned(r, "bad_words", faults->bad_words);
	ku_report_unsigned(r, "cut_entries", faults->cut_entries);
	ku_report_unsigned(r, "bad_times", faults->bad_times);
	ku_report_string(r, "first", faults->first);
	ku_report_close(r);
}

static void json_inferred(struct ku_report *r, const struct kp_reconstruct_stats *stats,
			  const struct kp_check_inferred *inferred)
{
	ku_report_break(r, 1);
	ku_report_object(r, "inferred");
	ku_report_unsigned(r, "returns", stats->missing_returns);
	ku_report_unsigned(r, "calls", stats->missing_calls);
	ku_report_unsigned(r, "context_switches", stats->gaps);
	ku_report_unsigned(r, "ignored_returns", stats->stray_returns);
	if (stats->made_events)
		ku_report_unsigned(r, "ignored_events", stats->made_events);
	ku_report_unsigned(r, "cut_off", stats->clipped);
	ku_report_unsigned(r, "too_deep", stats->too_deep);
	ku_report_unsigned(r, "spans", inferred->spans);
	ku_report_unsigned(r, "of_spans", inferred->all_spans);
	ku_report_unsigned(r, "ns", (uint64_t)inferred->units * 10);
	ku_report_unsigned(r, "of_ns", (uint64_t)inferred->all_units * 10);
	ku_report_bool(r, "half", kp_check_half_inferred(inferred));
	ku_report_close(r);
}

static void json_lost(struct ku_report *r, const struct kp_raw *raw)
{
	ku_report_break(r, 1);
	ku_report_object(r, "lost");
	ku_report_unsigned(r, "total", raw->lost);
	ku_report_bool(r, "counted", raw->has_meta);
	ku_report_unsigned(r, "first_block", raw->dropped_first_block);
	ku_report_list(r, "causes");
	for (size_t i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KU_NAME_BASE(name->event) == KUTRACE_NAME_META &&
		    !strncmp(name->text, "lost_", 5))
			ku_report_string(r, NULL, name->text + 5);
	}
	ku_report_close(r);
	ku_report_close(r);
}

static void json_clock(struct ku_report *r, const struct kp_raw *raw)
{
	int64_t step_us = kp_raw_clock_step_us(raw);
	bool bad = kp_raw_clock_is_bad(raw);

	if (!step_us && !bad)
		return;
	ku_report_break(r, 1);
	ku_report_object(r, "clock");
	if (step_us)
		ku_report_signed(r, "step_us", step_us);
	if (bad)
		ku_report_bool(r, "unreliable", true);
	ku_report_close(r);
}

static void json_disk(struct ku_report *r, const struct kp_reconstruct_stats *stats)
{
	if (!stats->disk_requests && !stats->disk_unmatched && !stats->disk_open)
		return;
	ku_report_break(r, 1);
	ku_report_object(r, "disk_requests");
	ku_report_unsigned(r, "count", stats->disk_requests);
	ku_report_unsigned(r, "without_beginning", stats->disk_unmatched);
	ku_report_unsigned(r, "without_end", stats->disk_open);
	ku_report_close(r);
}

static void json_stopped(struct ku_report *r, const char *key, uint64_t count, uint64_t inferred, int64_t units)
{
	if (!count)
		return;
	ku_report_break(r, 1);
	ku_report_object(r, key);
	ku_report_unsigned(r, "count", count);
	ku_report_unsigned(r, "inferred", inferred);
	ku_report_seconds(r, "time", units);
	ku_report_close(r);
}

static void json_pauses(struct ku_report *r, const struct kp_reconstruct_stats *stats)
{
	if (!stats->pauses && !stats->bad_pause)
		return;
	ku_report_break(r, 1);
	ku_report_object(r, "pauses");
	ku_report_unsigned(r, "count", stats->pauses);
	ku_report_seconds(r, "time", stats->paused_units);
	if (stats->bad_pause)
		ku_report_bool(r, "ignored", true);
	ku_report_close(r);
}

static void json_partial(struct ku_report *r, const struct kp_reconstruct_stats *stats)
{
	if (!stats->partial.on && !stats->bad_partial)
		return;
	ku_report_break(r, 1);
	ku_report_object(r, "partial");
	if (stats->partial.on) {
		ku_report_seconds(r, "from", stats->partial.off);
		ku_report_seconds(r, "to", stats->partial.on);
	}
	if (stats->bad_partial)
		ku_report_bool(r, "ignored", true);
	ku_report_close(r);
}

static void json_points(struct ku_report *r, const struct kp_check *check)
{
	if (check->summary.points) {
		ku_report_break(r, 1);
		ku_report_object(r, "points");
		ku_report_unsigned(r, "events", check->summary.points);
		ku_report_unsigned(r, "undefined", check->summary.unknown_points);
		ku_report_close(r);
	}
}

static void json_names(struct ku_report *r, const struct kp_check *check)
{
	ku_report_break(r, 1);
	ku_report_object(r, "names");
	ku_report_unsigned(r, "definitions", check->names);
	ku_report_unsigned(r, "not_utf8", check->bad_names);
	ku_report_unsigned(r, "pids_without", check->unnamed.count);
	ku_report_close(r);
}

void kp_check_json(const struct kp_raw *raw, const struct kp_check *check,
		   const struct kp_reconstruct_stats *stats,
		   const struct kp_check_inferred *inferred, bool sound)
{
	struct ku_report r = ku_report_begin(stdout);
	char date[32];

	kp_raw_date(raw->start_usec, date);
	ku_report_object(&r, NULL);
	ku_report_bool(&r, "sound", sound);
	ku_report_string(&r, "file", raw->shown);
	ku_report_string(&r, "start", date);
	ku_report_unsigned(&r, "version", raw->flags & KUTRACE_FLAG_VERSION);
	ku_report_unsigned(&r, "blocks", raw->block_count);
	ku_report_bool(&r, "wrapped", raw->wrapped);
	ku_report_bool(&r, "ipc", raw->flags & KUTRACE_FLAG_IPC);
	ku_report_bool(&r, "llc", raw->flags & KUTRACE_FLAG_LLC);
	json_structure(&r, &raw->faults);
	ku_report_break(&r, 1);
	ku_report_lines(&r, "cpus", '[', 2);
	for (int i = 0; i < 256; i++)
		if (check->events[i])
			json_cpu(&r, raw, check, i);
	ku_report_close(&r);
	ku_report_break(&r, 1);
	ku_report_object(&r, "order");
	ku_report_unsigned(&r, "late", raw->late_entries);
	ku_report_unsigned(&r, "back", check->back);
	ku_report_close(&r);
	json_pauses(&r, stats);
	json_stopped(&r, "stopped", stats->stops, stats->stops_inferred, stats->stopped_units);
	json_stopped(&r, "stolen", stats->stolen, stats->stolen, stats->stolen_units);
	json_disk(&r, stats);
	json_partial(&r, stats);
	json_clock(&r, raw);
	json_inferred(&r, stats, inferred);
	json_points(&r, check);
	json_lost(&r, raw);
	json_names(&r, check);
	ku_report_close(&r);
	ku_report_end(&r);
}

void kp_check_json_unreadable(const char *shown, const char *why)
{
	struct ku_report r = ku_report_begin(stdout);

	ku_report_object(&r, NULL);
	ku_report_bool(&r, "sound", false);
	ku_report_string(&r, "file", shown);
	ku_report_string(&r, "error", why);
	ku_report_close(&r);
	ku_report_end(&r);
}
