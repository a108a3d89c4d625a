// SPDX-License-Identifier: BSD-3-Clause
/*
 * Says whether a raw trace is sound: structure, order, coverage, loss, names. It
 * runs the whole reconstruction and looks at what comes out, in memory that does
 * not grow with the trace.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kp_coverage.h"
#include "kp_main.h"
#include "kp_map.h"
#include "kp_order.h"
#include "kp_raw.h"
#include "kp_reconstruct.h"
#include "kp_report.h"
#include "kp_utf8.h"

static const struct kp_tool tool = {
	.name = "checktrace",
	.usage = "[--strict] [--json] [file]",
	.help =
"Checks a raw trace (file, or standard input): its structure, that times do not\n"
"go back on any CPU, that each CPU's time from its first to its last event is\n"
"covered by execution spans without gap or overlap, what was lost, the names.\n"
"Prints a short report.\n"
"\n"
"  --strict       events lost at recording are a failure, too, and so is it when\n"
"                 half of the spans or more had to be inferred\n"
"  --json         the report as an object, for programs\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Exit status: 0 sound (what was lost or inferred is only reported), 1 not sound,\n"
"or I/O, 2 usage, 3 interrupted.\n",
};

/* What passes between raw trace and reconstruction. */
struct watch {
	struct kp_event_sink next;
	uint64_t events[256];
	int64_t first[256], last[256];	/* last: ends of merged calls included */
	int64_t before[256];		/* time of the last event that changes state */
	uint64_t back;			/* events earlier than the one before */
	struct kp_map named, unnamed;	/* pids */
	uint64_t names, bad_names;
	int err;
};

static void watch_pid(struct watch *watch, uint32_t pid)
{
	uint32_t unused;

	if (pid && !kp_map_get(&watch->named, pid, &unused) &&
	    kp_map_set(&watch->unnamed, pid, 0))
		watch->err = -1;
}

static int watch_event(void *self, const struct kp_event *event)
{
	struct watch *watch = self;
	int cpu = event->cpu;
	int64_t end = event->ts;

	watch_pid(watch, event->pid);
	/* What a block's header says is no event. */
	if (event->event == KUTRACE_USERPID && event->dur)
		return watch->next.event(watch->next.self, event);
	if (event->event >= KUTRACE_CALL_TRAP) {
		end += event->dur;
		watch->back += watch->events[cpu] && event->ts < watch->before[cpu];
		watch->before[cpu] = event->ts;
	}
	if (!watch->events[cpu]++) {
		watch->first[cpu] = event->ts;
		watch->last[cpu] = end;
	}
	/* A merged call ends at the latest with the next event: see clipped. */
	if (event->ts > watch->first[cpu] && event->event >= KUTRACE_CALL_TRAP)
		watch->last[cpu] = end;
	else if (end > watch->last[cpu])
		watch->last[cpu] = end;
	return watch->next.event(watch->next.self, event);
}

static int watch_namedef(void *self, const struct kp_namedef *def)
{
	struct watch *watch = self;
	size_t i = 0;

	if (def->ts < 0) {
		watch->names++;
		if (KP_NAME_BASE(def->event) == KUTRACE_NAME_PID &&
		    kp_map_set(&watch->named, def->number, 0))
			watch->err = -1;
		while (i < def->name_len) {
			size_t n = kp_utf8_sequence(def->name + i, def->name_len - i);

			if (!n)
				break;
			i += n;
		}
		watch->bad_names += i < def->name_len;
	}
	return watch->next.namedef(watch->next.self, def);
}

static int watch_comment(void *self, const char *text, size_t len)
{
	struct watch *watch = self;

	return watch->next.comment(watch->next.self, text, len);
}

/* ---- the report ---- */

static bool json;	/* then the text is not printed, what is wrong is told all the same */

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *fmt, ...)
{
	va_list ap;

	if (json)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

static void print_time(int64_t units)
{
	say("%" PRId64 ".%08" PRId64, units / 100000000, units % 100000000);
}

/*
 * Parts per 100,000,000 as a percentage, rounded down: 100 % means all of it. of_none is
 * what it is of nothing.
 */
static void print_percent(int64_t part, int64_t whole, int64_t of_none)
{
	int64_t share = whole ? (int64_t)((__int128)part * 100000000 / whole) : of_none;

	say("%" PRId64 ".%06" PRId64 " %%", share / 1000000, share % 1000000);
}

static unsigned int report_cpu(const struct kp_raw *raw, const struct watch *watch,
			       const struct kp_coverage *coverage, int cpu)
{
	const struct kp_cpu_coverage *covered = &coverage->cpu[cpu];
	int64_t first = watch->first[cpu], last = watch->last[cpu];
	struct kp_gaps gaps = kp_coverage_gaps(coverage, cpu, first, last);

	say("CPU %d: ", cpu);
	print_time(first);
	say(" to ");
	print_time(last);
	say(" s, %" PRIu64 " events, %" PRIu64 " spans, covered ", watch->events[cpu],
	       covered->spans);
	print_percent(last - first - gaps.units, last - first, 100000000);
	say(", %" PRIu64 " gaps, %" PRIu64 " overlaps, %" PRIu64 " late\n", gaps.count,
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
	say("%s: %s, version %u, %zu blocks, %s%s%s\n", raw->shown, date,
	       raw->flags & KUTRACE_FLAG_VERSION, raw->block_count,
	       raw->wrapped ? "wrapped" : "not wrapped",
	       raw->flags & KUTRACE_FLAG_IPC ? ", IPC" : "",
	       raw->flags & KUTRACE_FLAG_LLC ? ", LLC" : "");
	say("structure: %" PRIu64 " words that are no entry, %" PRIu64 " entries cut off, %" PRIu64 " times far outside\n",
	       faults->bad_words, faults->cut_entries, faults->bad_times);
	if (bad)
		kp_error("%s: %s%s", raw->shown, faults->first,
			 bad > 1 ? "; and more" : "");
	return bad != 0;
}

/* Of the whole trace, how much is inferred: in execution spans and in time. */
struct guessed {
	uint64_t spans, all_spans;
	int64_t units, all_units;	/* 10 ns units, of all CPUs */
};

static struct guessed measure(const struct watch *watch, const struct kp_coverage *coverage,
			      const struct kp_reconstruct_stats *stats)
{
	struct guessed guessed = { .spans = stats->inferred, .units = stats->inferred_units };
	int i;

	for (i = 0; i < 256; i++) {
		guessed.all_spans += coverage->cpu[i].spans;
		if (watch->events[i])
			guessed.all_units += watch->last[i] - watch->first[i];
	}
	return guessed;
}

/*
 * Then something that the reconstruction goes by was not recorded, or not understood. Time
 * does not tell: in a wrapped trace, one inferred span may be as long as all others.
 */
static bool half_guessed(const struct guessed *guessed)
{
	return guessed->spans && guessed->spans * 2 >= guessed->all_spans;
}

static void report_guesses(const struct kp_reconstruct_stats *stats,
			   const struct guessed *guessed, const char *shown)
{
	say("inferred spans: %" PRIu64 " of %" PRIu64 ", ", guessed->spans, guessed->all_spans);
	print_percent((int64_t)guessed->spans, (int64_t)guessed->all_spans, 0);
	say("; ");
	print_percent(guessed->units, guessed->all_units, 0);
	say(" of the time\n");
	if (half_guessed(guessed))
		kp_error("%s: half of its spans or more had to be inferred: %" PRIu64 " of %" PRIu64,
			 shown, guessed->spans, guessed->all_spans);
	say("inferred: %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " context switches; ignored: %" PRIu64 " returns; cut off: %" PRIu64 " merged calls; nested too deep: %" PRIu64 "\n",
	       stats->missing_returns, stats->missing_calls, stats->gaps,
	       stats->stray_returns, stats->clipped, stats->too_deep);
}

static void report_lost(const struct kp_raw *raw)
{
	size_t i;

	say("lost: %" PRIu64 " events%s", raw->lost,
	       raw->has_meta ? "" : " (this trace does not count them)");
	for (i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KP_NAME_BASE(name->event) == KUTRACE_NAME_META &&
		    !strncmp(name->text, "lost_", 5))
			say(", %.40s", name->text + 5);
	}
	say("; stale entries of the first block dropped: %" PRIu64 "\n",
	       raw->dropped_first_block);
}

static struct kp_raw_summary summary;

/* Events of tracepoints that the trace does not define can be seen, but not read. */
static void report_points(void)
{
	if (summary.points)
		say("typed tracepoints: %" PRIu64 " events, %" PRIu64 " of them not defined\n",
		    summary.points, summary.unknown_points);
}

static unsigned int report(const struct kp_raw *raw, struct watch *watch,
			   const struct kp_coverage *coverage,
			   const struct kp_reconstruct *rec, const struct guessed *guessed)
{
	unsigned int bad = report_structure(raw), cpus = 0;
	int i;

	for (i = 0; i < 256; i++) {
		if (!watch->events[i])
			continue;
		cpus++;
		bad += report_cpu(raw, watch, coverage, i);
	}
	say("order: %" PRIu64 " late entries put back, %" PRIu64 " out of order\n",
	       raw->late_entries, watch->back);
	if (watch->back) {
		kp_error("%s: %" PRIu64 " events out of order", raw->shown, watch->back);
		bad++;
	}
	if (!cpus) {
		kp_error("%s: no events in it", raw->shown);
		bad++;
	}
	report_guesses(kp_reconstruct_stats(rec), guessed, raw->shown);
	report_lost(raw);
	report_points();
	say("names: %" PRIu64 " definitions, %" PRIu64 " not UTF-8, %zu pids without one\n",
	       watch->names, watch->bad_names, watch->unnamed.count);
	return bad;
}

/* ---- the same as JSON ---- */

static void json_number(const char *lead, uint64_t value)
{
	printf("%s\": %" PRIu64, lead, value);
}

static void json_cpu(const struct kp_raw *raw, const struct watch *watch,
		     const struct kp_coverage *coverage, int cpu)
{
	int64_t first = watch->first[cpu], last = watch->last[cpu];
	struct kp_gaps gaps = kp_coverage_gaps(coverage, cpu, first, last);

	printf("{\"cpu\": %d, \"first\": ", cpu);
	kp_print_seconds(stdout, first);
	printf(", \"last\": ");
	kp_print_seconds(stdout, last);
	json_number(", \"events", watch->events[cpu]);
	json_number(", \"spans", coverage->cpu[cpu].spans);
	printf(", \"covered\": ");
	kp_print_seconds(stdout, last - first - gaps.units);
	json_number(", \"gaps", gaps.count);
	json_number(", \"overlaps", coverage->cpu[cpu].overlaps);
	json_number(", \"outside_ns", (uint64_t)gaps.outside * 10);
	json_number(", \"late", raw->cpu_late[cpu]);
	putchar('}');
}

static void json_lost(const struct kp_raw *raw)
{
	json_number("{\"total", raw->lost);
	printf(", \"counted\": %s", raw->has_meta ? "true" : "false");
	json_number(", \"first_block", raw->dropped_first_block);
	printf(", \"causes\": [");
	for (size_t i = 0, n = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KP_NAME_BASE(name->event) != KUTRACE_NAME_META ||
		    strncmp(name->text, "lost_", 5))
			continue;
		fputs(n++ ? ", " : "", stdout);
		kp_print_string(stdout, name->text + 5, strlen(name->text + 5));
	}
	fputs("]}", stdout);
}

static void json_report(const struct kp_raw *raw, const struct watch *watch,
			const struct kp_coverage *coverage,
			const struct kp_reconstruct_stats *stats,
			const struct guessed *guessed, bool sound)
{
	const char *comma = "\n  ";
	char date[32];

	kp_raw_date(raw->start_usec, date);
	printf("{\"sound\": %s, \"file\": ", sound ? "true" : "false");
	kp_print_string(stdout, raw->shown, strlen(raw->shown));
	printf(", \"start\": \"%s\"", date);
	json_number(", \"version", raw->flags & KUTRACE_FLAG_VERSION);
	json_number(", \"blocks", raw->block_count);
	printf(", \"wrapped\": %s, \"ipc\": %s, \"llc\": %s", raw->wrapped ? "true" : "false",
	       raw->flags & KUTRACE_FLAG_IPC ? "true" : "false",
	       raw->flags & KUTRACE_FLAG_LLC ? "true" : "false");
	json_number(",\n \"structure\": {\"bad_words", raw->faults.bad_words);
	json_number(", \"cut_entries", raw->faults.cut_entries);
	json_number(", \"bad_times", raw->faults.bad_times);
	printf(", \"first\": ");
	kp_print_string(stdout, raw->faults.first, strlen(raw->faults.first));
	printf("},\n \"cpus\": [");
	for (int i = 0; i < 256; i++) {
		if (!watch->events[i])
			continue;
		fputs(comma, stdout);
		json_cpu(raw, watch, coverage, i);
		comma = ",\n  ";
	}
	json_number("],\n \"order\": {\"late", raw->late_entries);
	json_number(", \"back", watch->back);
	json_number("},\n \"inferred\": {\"returns", stats->missing_returns);
	json_number(", \"calls", stats->missing_calls);
	json_number(", \"context_switches", stats->gaps);
	json_number(", \"ignored_returns", stats->stray_returns);
	json_number(", \"cut_off", stats->clipped);
	json_number(", \"too_deep", stats->too_deep);
	json_number(", \"spans", guessed->spans);
	json_number(", \"of_spans", guessed->all_spans);
	json_number(", \"ns", (uint64_t)guessed->units * 10);
	json_number(", \"of_ns", (uint64_t)guessed->all_units * 10);
	printf(", \"half\": %s", half_guessed(guessed) ? "true" : "false");
	if (summary.points) {
		json_number("},\n \"points\": {\"events", summary.points);
		json_number(", \"undefined", summary.unknown_points);
	}
	printf("},\n \"lost\": ");
	json_lost(raw);
	json_number(",\n \"names\": {\"definitions", watch->names);
	json_number(", \"not_utf8", watch->bad_names);
	json_number(", \"pids_without", watch->unnamed.count);
	printf("}}\n");
}

/* What cannot even be read is not sound either, and says so. */
_Noreturn static void unreadable(const char *shown, const char *why)
{
	if (json) {
		printf("{\"sound\": false, \"file\": ");
		kp_print_string(stdout, shown, strlen(shown));
		printf(", \"error\": ");
		kp_print_string(stdout, why, strlen(why));
		printf("}\n");
	}
	kp_error("%s", why);
	exit(kp_finish(KP_BAD));
}

int main(int argc, char **argv)
{
	static struct kp_coverage coverage;
	static struct kp_raw raw;
	static struct watch watch;
	struct kp_span_sink spans = kp_coverage_sink(&coverage);
	struct kp_event_sink sink;
	struct kp_reconstruct *rec;
	struct kp_order *order;
	struct guessed guessed;
	const char *path = NULL, *shown, *why;
	bool strict = false;
	unsigned int bad;
	FILE *file;
	int i, err;

	kp_begin(&tool, argc, argv);
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--strict"))
			strict = true;
		else if (!strcmp(argv[i], "--json"))
			json = true;
		else
			kp_file_argument(argv[i], &path);
	}
	file = kp_open_input(path, &shown);
	if (kp_raw_open(&raw, file, shown))
		unreadable(shown, raw.message);
	rec = kp_reconstruct_new("", &spans);
	if (!rec)
		kp_die(KP_BAD, "no memory");
	watch.next = kp_reconstruct_sink(rec);
	sink = (struct kp_event_sink){ watch_event, watch_namedef, watch_comment, &watch };
	order = kp_order_new(&sink);
	if (!order)
		kp_die(KP_BAD, "no memory");
	sink = kp_order_sink(order);

	err = kp_raw_events(&raw, &sink, false, &summary);
	if (!err)
		err = kp_order_end(order);
	if (!err)
		err = kp_reconstruct_end(rec);
	if (err || watch.err || coverage.failed) {
		why = raw.message[0] ? raw.message : kp_order_message(order);
		if (!*why)
			why = kp_reconstruct_message(rec);
		kp_die(KP_BAD, "%s: %s", shown, *why ? why : "no memory");
	}
	guessed = measure(&watch, &coverage, kp_reconstruct_stats(rec));
	bad = report(&raw, &watch, &coverage, rec, &guessed);
	if (strict && raw.lost) {
		kp_error("%s: %" PRIu64 " events lost", shown, raw.lost);
		bad++;
	}
	bad += strict && half_guessed(&guessed);
	say("%s\n", bad ? "not sound" :
	    half_guessed(&guessed) ? "sound, but half of its spans or more are inferred" : "sound");
	if (json)
		json_report(&raw, &watch, &coverage, kp_reconstruct_stats(rec), &guessed, !bad);
	err = kp_finish(bad ? KP_BAD : KP_OK);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	kp_coverage_free(&coverage);
	kp_map_free(&watch.named);
	kp_map_free(&watch.unnamed);
	kp_raw_close(&raw);
	return err;
}
