// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the results of the selftest, as text and as JSON. Must not print the name of the machine, a
 * user or another program, because people publish the results.
 */
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/selftest/selftest.h"
#include "common/file.h"
#include "lib/names/sources.h"

#define CLOCK_FILE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

static const char *const operation_names[SELFTEST_OPERATIONS] = {
	[SELFTEST_CALL] = "getpid", [SELFTEST_FAULT] = "page fault",
	[SELFTEST_SWITCH] = "context switch", [SELFTEST_MARK] = "mark",
};

static const char *const caveat_names[32] = KUTRACE_CAVEAT_LABELS;

/* --- the machine --------------------------------------------------------------- */

struct machine {
	struct utsname system;
	char cpu[128], clock[64];
	bool virtual;
};

/* Returns whether the kernel has found a hypervisor. */
static bool is_virtual(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	bool found = !access("/proc/device-tree/hypervisor", F_OK) ||
		     !access("/sys/hypervisor/type", F_OK);
	char *text = NULL;
	size_t size = 0;

	while (f && !found && getline(&text, &size, f) > 0)
		found = !strncmp(text, "flags", 5) && strstr(text, " hypervisor");
	free(text);
	if (f)
		fclose(f);
	return found;
}

static void read_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	uname(&m->system);
	ku_cpu_model(m->cpu, sizeof(m->cpu));
	ku_read_line(CLOCK_FILE, m->clock, sizeof(m->clock));
	m->virtual = is_virtual();
}

static const char *backend(const struct selftest *t)
{
	return t->info.backend == KUTRACE_BACKEND_PATCHED ? "patched" : "tracepoint";
}

void selftest_print_machine(const struct selftest *t)
{
	struct machine m;

	read_machine(&m);
	printf("kernel      %s %s %s\n", m.system.sysname, m.system.release, m.system.machine);
	printf("CPUs        %u, %s%s\n", t->ncpus, m.cpu[0] ? m.cpu : "model unknown",
	       m.virtual ? ", of a virtual machine" : "");
	printf("clock       %s, %llu kHz\n", m.clock[0] ? m.clock : "unknown",
	       (unsigned long long)t->info.clock_khz);
	printf("module      version %llu, %s\n", (unsigned long long)kutrace_version_module(),
	       backend(t));
	fputs("not exact  ", stdout);
	for (unsigned int i = 0; i < 32 && caveat_names[i]; i++)
		if (t->info.caveats >> i & 1)
			printf(" %s", caveat_names[i]);
	puts(t->info.caveats ? "" : " nothing");
}

/* --- the parts as text --------------------------------------------------------- */

static const char *verdict(const struct selftest_count *row)
{
	return !row->differs ? "same" : row->inexact ? "not exact" : "different";
}

void selftest_print_counts(const struct selftest *t)
{
	char recorded[48];

	printf("\n%-33s %17s %9s\n", "events", "recorded", "counted");
	for (unsigned int i = 0; i < t->ncounts; i++) {
		const struct selftest_count *row = &t->counts[i];

		snprintf(recorded, sizeof(recorded), row->low == row->high ? "%llu" : "%llu to %llu",
			 (unsigned long long)row->low, (unsigned long long)row->high);
		printf("%-33s %17s %9llu  %s\n", row->what, recorded,
		       (unsigned long long)row->counted, verdict(row));
		if (row->differs && row->where[0])
			printf("%35s%s\n", "", row->where);
		if (row->differs && row->inexact)
			printf("%35s%s\n", "", row->inexact);
	}
	printf("%-33s %17llu\n", "lost events", (unsigned long long)t->lost);
}

static const char *clock_reason(const struct selftest *t)
{
	return t->info.caveats & KUTRACE_CAVEAT_CLOCK ?
	       "the time counter is unstable (clock)" : NULL;
}

void selftest_print_order(const struct selftest *t)
{
	const struct selftest_order *o = &t->order;

	printf("\n%-33s\n", "times between CPUs");
	if (!o->all_pairs) {
		puts("one CPU: there are no pairs");
		return;
	}
	printf("%-33s %9u of %u%s\n", "pairs of CPUs", o->pairs, o->all_pairs,
	       o->pairs < o->chosen_pairs ? ": the time of this part was over" : "");
	printf("%-33s %9llu\n", "passes through memory", (unsigned long long)o->passes);
	printf("%-33s %9llu\n", "wakeups with a switch", (unsigned long long)o->wakeups);
	printf("%-33s %9llu", "events before their cause", (unsigned long long)o->violations);
	if (o->violations)
		printf(", worst %llu ns%s%s", (unsigned long long)o->worst_ns,
		       clock_reason(t) ? ": not exact: " : "", clock_reason(t) ? clock_reason(t) : "");
	putchar('\n');
}

/* Prints picoseconds as nanoseconds with one decimal. */
static const char *ns_text(uint64_t ps, char *str, size_t size)
{
	snprintf(str, size, "%llu.%llu", (unsigned long long)(ps + 50) / 1000,
		 (unsigned long long)(ps + 50) / 100 % 10);
	return str;
}

static const char *cycles_text(const struct selftest *t, uint64_t cycles, char *str, size_t size)
{
	snprintf(str, size, t->has_cycles ? "%llu" : "-", (unsigned long long)cycles);
	return str;
}

/* Returns the periods of the time counter in this time. */
static uint64_t periods(const struct selftest *t, uint64_t ps)
{
	return (uint64_t)((unsigned __int128)ps * t->info.clock_khz / 1000000000);
}

static void print_sample(const struct selftest *t, const char *what, const char *state,
			 const struct selftest_sample *s)
{
	char least[32], median[32], cycles[32];

	printf("%-16s %-16s %9s %9s %9s %9llu\n", what, state,
	       ns_text(s->min_ps, least, sizeof(least)), ns_text(s->median_ps, median, sizeof(median)),
	       cycles_text(t, s->cycles, cycles, sizeof(cycles)),
	       (unsigned long long)periods(t, s->min_ps));
}

void selftest_print_cost(const struct selftest *t)
{
	char text[32];

	printf("\n%-16s %-16s %9s %9s %9s %9s\n", "cost, each", "", "least ns", "median ns", "cycles",
	       "counter");
	for (int i = 0; i < SELFTEST_OPERATIONS; i++) {
		const struct selftest_cost *c = &t->cost[i];

		print_sample(t, operation_names[i], "not recording", &c->idle);
		print_sample(t, "", "recording", &c->recording);
		if (c->in_noise)
			printf("%-16s %-16s %9s\n", "", "added", "in noise");
		else
			printf("%-16s %-16s %s%8s\n", "", "added", c->added_ps < 0 ? "-" : " ",
			       ns_text((uint64_t)llabs(c->added_ps), text, sizeof(text)));
	}
	puts("A context switch includes its share of reading and writing a pipe. A loaded module has\n"
	     "no hooks while nothing is recorded.");
}

void selftest_print_rate(const struct selftest *t)
{
	const struct selftest_rate *r = &t->rate;

	printf("\n%-33s\n", "stream to another process");
	if (r->events_per_s)
		printf("%-33s %9llu events/s\n", "largest rate without loss",
		       (unsigned long long)r->events_per_s);
	if (r->late_at)
		printf("%-33s %9llu events/s\n", "falls behind at", (unsigned long long)r->late_at);
	else if (r->saturated)
		printf("%u processes, one on each CPU, could not cause more events\n", r->producers);
	else
		puts("the time of this part was over before a higher rate was tried");
}

/* --- the verdict --------------------------------------------------------------- */

unsigned int selftest_failures(const struct selftest *t, char *text, size_t size)
{
	unsigned int failures = 0;
	size_t used = 0;

#define FAILED(...) do { \
		if (used < size) \
			used += (size_t)snprintf(text + used, size - used, "%s", failures ? "; " : ""); \
		if (used < size) \
			used += (size_t)snprintf(text + used, size - used, __VA_ARGS__); \
		failures++; \
	} while (0)

	*text = '\0';
	if (t->lost)
		FAILED("%llu events were lost", (unsigned long long)t->lost);
	for (unsigned int i = 0; i < t->ncounts; i++)
		if (t->counts[i].differs && !t->counts[i].inexact)
			FAILED("%s", t->counts[i].what);
	if (t->order.lost)
		FAILED("%llu events were lost between pairs", (unsigned long long)t->order.lost);
	if (t->order.violations && !clock_reason(t))
		FAILED("events before their cause");
	if (t->order.all_pairs && !t->order.pairs)
		FAILED("no pair of CPUs was checked");
	else if (t->order.pairs && (!t->order.passes || !t->order.wakeups))
		FAILED("no %s between CPUs was recorded", t->order.passes ? "wakeup" : "mark");
#undef FAILED
	return failures;
}

/* --- JSON ---------------------------------------------------------------------- */

static void report_machine(const struct selftest *t, struct ku_report *r)
{
	struct machine m;

	read_machine(&m);
	ku_report_string(r, "tool", CMD_TOOL " " KUTRACE_VERSION);
	cmd_report_string(r, "kernel", m.system.release);
	cmd_report_string(r, "kernel_version", m.system.version);
	cmd_report_string(r, "arch", m.system.machine);
	cmd_report_string(r, "cpu_model", m.cpu);
	ku_report_unsigned(r, "cpus", t->ncpus);
	ku_report_bool(r, "hypervisor", m.virtual);
	cmd_report_string(r, "clock_source", m.clock);
	ku_report_unsigned(r, "clock_khz", t->info.clock_khz);
	ku_report_unsigned(r, "clock_shift", t->info.clock_shift);
	ku_report_unsigned(r, "module_version", kutrace_version_module());
	ku_report_string(r, "backend", backend(t));
	ku_report_list(r, "caveats");
	for (unsigned int i = 0; i < 32 && caveat_names[i]; i++)
		if (t->info.caveats >> i & 1)
			ku_report_string(r, NULL, caveat_names[i]);
	ku_report_close(r);
	ku_report_bool(r, "quick", t->quick);
}

static void report_counts(const struct selftest *t, struct ku_report *r)
{
	ku_report_lines(r, "counts", '[', 1);
	for (unsigned int i = 0; i < t->ncounts; i++) {
		const struct selftest_count *row = &t->counts[i];

		ku_report_object(r, NULL);
		ku_report_string(r, "what", row->what);
		ku_report_unsigned(r, "recorded_low", row->low);
		ku_report_unsigned(r, "recorded_high", row->high);
		ku_report_unsigned(r, "counted", row->counted);
		ku_report_string(r, "verdict", verdict(row));
		if (row->differs && row->where[0])
			ku_report_string(r, "where", row->where);
		if (row->differs && row->inexact)
			ku_report_string(r, "reason", row->inexact);
		ku_report_close(r);
	}
	ku_report_close(r);
	ku_report_unsigned(r, "lost_events", t->lost);
}

static void report_order(const struct selftest_order *o, struct ku_report *r)
{
	ku_report_object(r, "order");
	ku_report_unsigned(r, "pairs", o->pairs);
	ku_report_unsigned(r, "chosen_pairs", o->chosen_pairs);
	ku_report_unsigned(r, "all_pairs", o->all_pairs);
	ku_report_unsigned(r, "passes", o->passes);
	ku_report_unsigned(r, "wakeups", o->wakeups);
	ku_report_unsigned(r, "before_cause", o->violations);
	ku_report_unsigned(r, "worst_ns", o->worst_ns);
	ku_report_unsigned(r, "lost_events", o->lost);
	ku_report_close(r);
}

static void report_sample(const struct selftest *t, struct ku_report *r, const char *key,
			  const struct selftest_sample *s)
{
	ku_report_object(r, key);
	ku_report_unsigned(r, "least_ps", s->min_ps);
	ku_report_unsigned(r, "median_ps", s->median_ps);
	ku_report_unsigned(r, "noise_ps", s->noise_ps);
	if (t->has_cycles)
		ku_report_unsigned(r, "cycles", s->cycles);
	else
		ku_report_null(r, "cycles");
	ku_report_unsigned(r, "counter_periods", periods(t, s->min_ps));
	ku_report_close(r);
}

static void report_cost(const struct selftest *t, struct ku_report *r)
{
	ku_report_unsigned(r, "cost_rounds", t->rounds);
	ku_report_lines(r, "costs", '[', 1);
	for (int i = 0; i < SELFTEST_OPERATIONS; i++) {
		ku_report_object(r, NULL);
		ku_report_string(r, "what", operation_names[i]);
		report_sample(t, r, "not_recording", &t->cost[i].idle);
		report_sample(t, r, "recording", &t->cost[i].recording);
		ku_report_signed(r, "added_ps", t->cost[i].added_ps);
		ku_report_bool(r, "in_noise", t->cost[i].in_noise);
		ku_report_close(r);
	}
	ku_report_close(r);
}

static void report_rate(const struct selftest_rate *rate, struct ku_report *r)
{
	ku_report_object(r, "stream");
	ku_report_unsigned(r, "kept_events_per_s", rate->events_per_s);
	if (rate->late_at)
		ku_report_unsigned(r, "late_at_events_per_s", rate->late_at);
	else
		ku_report_null(r, "late_at_events_per_s");
	ku_report_bool(r, "saturated", rate->saturated);
	ku_report_unsigned(r, "producers", rate->producers);
	ku_report_close(r);
}

void selftest_report(const struct selftest *t, FILE *out)
{
	struct ku_report r = ku_report_begin(out);
	char text[1000];

	ku_report_lines(&r, NULL, '{', 0);
	report_machine(t, &r);
	if (t->parts & SELFTEST_COUNT_PART)
		report_counts(t, &r);
	if (t->parts & SELFTEST_ORDER_PART)
		report_order(&t->order, &r);
	if (t->parts & SELFTEST_COST_PART)
		report_cost(t, &r);
	if (t->parts & SELFTEST_RATE_PART)
		report_rate(&t->rate, &r);
	ku_report_bool(&r, "passed", !selftest_failures(t, text, sizeof(text)));
	ku_report_string(&r, "failed", text);
	ku_report_break(&r, 0);
	ku_report_end(&r);
}
