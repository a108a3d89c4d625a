// SPDX-License-Identifier: BSD-3-Clause
/*
 * Explains why a thread did not run (report/why.h):
 *
 *   [  7.97775329, 0.00001393, -1, 109, 0, 783, 0, 0, 0, "wait_pipe"],   and the rows around it
 *   become  7.97775329  28.91 us  in read: waited 13.93 us for pipe, woken by ...
 */

#include "base/input.h"
#include "base/number.h"
#include "base/terminal.h"
#include "report/budget.h"
#include "report/findings/findings.h"
#include "report/longest.h"
#include "report/why.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "spantowhy",
	.usage = "[JSON] [--pid P] [--from A --to B] [--budget] [--call NAME]\n"
"       [--findings] [--worst N] [--json] [--top N] [--color WHEN] [--no-pager] [-o FILE]",
	.help =
"Read span JSON (file, or standard input), and explain why threads did not run.\n"
"\n"
"  --pid P        explain each gap of thread P (number or name): the call in which\n"
"                 it stopped, what it waited for, the waker and its call, how long\n"
"                 it then waited for a CPU, and which threads ran there meanwhile.\n"
"                 If several threads have the name, explain the one with the\n"
"                 longest time from first to last run in the selected time\n"
"                 (default: choose a thread, and print totals of all threads)\n"
"  --from A --to B   explain only this time, in seconds from the start minute\n"
"  --budget       print where the time of thread P went, by category; without\n"
"                 --pid, where the time of all CPUs went\n"
"  --call NAME    print the budget of the longest call with this name, of thread P\n"
"                 or of any thread\n"
"  --findings     print known faults that the trace shows, most expensive first;\n"
"                 with --pid, only those of thread P\n"
"  --worst N      print the N most expensive known faults of a program in plain words:\n"
"                 of thread P, its process, and their children; without --pid, of the\n"
"                 program that kutrace_control run ran. With --json, add these lines\n"
"                 to the explanation\n"
"  --json         print the result as JSON\n"
"  --top N        of each list, print only the N rows with the most time, and a\n"
"                 line with the number and the sum of the rest\n"
KP_HELP_REPORT
KP_HELP_OPTIONS
"\n"
"The critical path of P comes first: its sums, and its steps from the start of P\n"
"to its end. If P waited for another thread, the path shows what that thread did\n"
"meanwhile. Without --pid, it is the path of the thread that fired the trigger,\n"
"otherwise of the program that kutrace_control run ran, otherwise of the thread\n"
"that ran last.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

#define PID_WANTS "the number or the name of a thread"
#define TIME_WANTS "a time in seconds"
#define WORST_WANTS "a number of findings (1 or more)"

enum { PID = KP_LONG(1), FROM, TO, WORST };

static bool json, budget_wanted, findings_wanted;
static const char *call_name;

static const struct kp_option options[] = {
	{ "json", KP_LONG(0), NULL, &json }, { "budget", KP_LONG(10), NULL, &budget_wanted },
	{ "call", KP_LONG(11), "the name of a call", &call_name }, { "findings", KP_LONG(12), NULL, &findings_wanted },
	{ "pid", PID, PID_WANTS, NULL }, { "from", FROM, TIME_WANTS, NULL }, { "to", TO, TIME_WANTS, NULL },
	{ "worst", WORST, WORST_WANTS, NULL }, KP_TOP_OPTION, KP_REPORT_OPTIONS, {0},
};

static int64_t seconds(const char *option, const char *text)
{
	int64_t value;

	if (kp_number_argument(text, 8, &value) || value < 0 || value > KP_JSON_TIME_MAX)
		kp_usage_error("%s: bad number \"%s\" of seconds (0 to 9999999999)", option, text);
	return value;
}

/* Reports that the trace has no row in the selected time. */
static void nothing_selected(const struct kp_why *why, const char *shown)
{
	kp_error("%s: the trace has nothing in the selected time: it is from %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s",
		 shown, why->trace_first / 100000000, why->trace_first % 100000000,
		 why->trace_last / 100000000, why->trace_last % 100000000);
}

/* Returns the index of the thread that --pid names. Reports that there is none, and returns -1. */
static int64_t selected_thread(const struct kp_why *why, int64_t pid, const char *name, const char *shown,
			       const char *when)
{
	size_t count;
	int64_t index = name ? kp_why_named(why, name, &count) : kp_why_find(why, pid);

	if (name && index < 0)
		kp_error("%s: no thread with the name %s runs in %s", shown, name, when);
	else if (name && count > 1)
		kp_error("%s: %zu threads have the name %s; this is %s", shown, count, name,
			 why->pids.items[index].name->text);
	if (!name && (index < 0 || !why->pids.items[index].runs.count)) {
		kp_error("%s: pid %" PRId64 " does not run in %s", shown, pid, when);
		return -1;
	}
	return index;
}

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t at_least(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Prints the budget of the thread @index between two times; -1: of all CPUs. */
static int print_interval(struct kp_why *why, int64_t index, const struct kp_str *call, int64_t from, int64_t to,
			  size_t top, FILE *out)
{
	struct kp_budget budget;
	struct kp_idle idle;
	int status = kp_idle_find(&idle, why);

	kp_budget_init(&budget, why, &idle);
	if (!status)
		status = index >= 0 ? kp_budget_thread(&budget, (size_t)index, from, to) : kp_budget_cpus(&budget, from, to);
	if (!status && json)
		kp_budget_json(&budget, index, call, from, to, out);
	else if (!status)
		kp_budget_text(&budget, index, call, from, to, top, out);
	kp_budget_free(&budget);
	kp_idle_free(&idle);
	return status ? KP_BAD : KP_OK;
}

/* Prints the budget of the longest call, of the thread, or of all CPUs. 0 is no limit of the time. */
static int print_budget(const struct kp_longest *longest, int64_t index, int64_t from, int64_t to, size_t top,
			const char *shown, FILE *out)
{
	struct kp_why *why = longest->why;
	const struct kp_longest_call *call;
	const struct kp_str *name;
	int64_t last;

	if (!call_name) {
		if (index >= 0 && !from)
			from = kp_why_beginning(why, (size_t)index);
		from = at_least(from, why->from);
		last = index >= 0 ? why->pids.items[index].runs.items[why->pids.items[index].runs.count - 1].end : 0;
		/* a time after the last run of the thread is selected: it ends with the trace */
		to = at_most(to ? to : last > from ? last : why->to, why->to);
		if (to <= from)
			nothing_selected(why, shown);
		return print_interval(why, index, NULL, from, at_least(from, to), top, out);
	}
	call = kp_longest_call(longest, index, &index);
	if (!call) {
		kp_error("%s: the selected time has no complete call %s", shown, call_name);
		return KP_BAD;
	}
	name = kp_strings_add(&why->strings, call_name, strlen(call_name));
	return name ? print_interval(why, index, name, call->start, call->end, top, out) : KP_BAD;
}

/* Prints the findings of the thread @index; -1: of all threads. */
static int print_findings(struct kp_why *why, int64_t index, size_t top, FILE *out)
{
	struct kp_findings findings;
	int status = kp_findings_find(&findings, why);

	if (!status && index >= 0)
		kp_findings_of(&findings, (size_t)index);
	if (!status && json)
		kp_findings_json(&findings, out);
	else if (!status)
		kp_findings_text(&findings, top, out);
	kp_findings_free(&findings);
	return status ? KP_BAD : KP_OK;
}

/*
 * Prints the @count most expensive findings of the program of the thread @index; -1: of the recorded program, or if the
 * trace has none, of all threads.
 */
static int print_worst(struct kp_why *why, int64_t index, size_t count, FILE *out)
{
	struct kp_findings findings;
	int status = kp_findings_find(&findings, why);

	if (index < 0)
		index = kp_why_program(why).index;
	if (!status && index >= 0)
		kp_findings_of_program(&findings, (size_t)index);
	if (findings.no_memory)
		status = -1;
	if (!status)
		kp_findings_worst(&findings, index, count, out);
	else
		kp_error("no memory");
	kp_findings_free(&findings);
	return status ? KP_BAD : KP_OK;
}

/* Prints the explanation as JSON, with the @worst most expensive findings; 0: without findings. */
static int print_json(struct kp_why *why, struct kp_why_choice choice, int64_t index, size_t worst, FILE *out)
{
	char *lines = NULL;
	size_t size;
	FILE *memory = worst ? open_memstream(&lines, &size) : NULL;
	int status = memory ? print_worst(why, index, worst, memory) : KP_OK;

	if (worst && (!memory || fclose(memory))) {
		kp_error("no memory");
		status = KP_BAD;
	}
	if (status == KP_OK)
		kp_why_json(why, choice, lines, out);
	free(lines);
	return status;
}

int main(int argc, char **argv)
{
	static struct kp_json_reader reader;
	static struct kp_why why;
	static struct kp_longest longest;
	const char *path = NULL, *name = NULL, *shown, *value;
	int64_t pid = -1, from = 0, to = 0, index = -1, worst = 0;
	enum kp_json_result result;
	struct kp_span_sink sink;
	struct kp_why_choice choice;
	int option, status;
	FILE *in, *out;
	size_t top;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case PID:
			name = kp_number_argument(value, 0, &pid) ? value : NULL;
			if (name ? !*name : pid < 1)
				kp_usage_error("--pid needs " PID_WANTS);
			break;
		case FROM:
			from = seconds("--from", value);
			break;
		case TO:
			to = seconds("--to", value);
			break;
		case WORST:
			if (kp_number_argument(value, 0, &worst) || worst < 1)
				kp_usage_error("--worst needs " WORST_WANTS);
			break;
		default:
			kp_file_argument(value, &path);
		}
	}
	if (findings_wanted && (budget_wanted || call_name))
		kp_usage_error("--findings and %s cannot be combined", call_name ? "--call" : "--budget");
	if (worst && (findings_wanted || budget_wanted || call_name))
		kp_usage_error("--worst and %s cannot be combined",
			       call_name ? "--call" : budget_wanted ? "--budget" : "--findings");
	if (to && to <= from)
		kp_usage_error("--to is not after --from");
	top = kp_top(json ? "--json" : NULL);
	in = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	out = json ? stdout : kp_report_open();
	budget_wanted |= call_name != NULL;
	/* a budget also needs the waits that begin before the selected time */
	kp_why_init(&why, budget_wanted ? 0 : from, budget_wanted ? 0 : to);
	longest = (struct kp_longest){ .why = &why, .name = call_name, .from = from, .to = to ? to : INT64_MAX };
	sink = call_name ? kp_longest_sink(&longest) : kp_why_sink(&why);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (why.no_memory)
		kp_error("%s: no memory; trim the trace, or use --from and --to", shown);
	if (result != KP_JSON_OK || status != KP_OK) {
		/* the error has been reported already */
	} else if ((name || pid >= 0) && (why.any || !(from || to)) &&
		   (index = selected_thread(&why, pid, name, shown, from || to ? "the selected time" : "this trace")) < 0) {
		status = KP_BAD;
	} else {
		if (!why.any && why.trace_last && !kp_why_paused(&why, why.from, why.to))
			nothing_selected(&why, shown);
		if (budget_wanted) {
			status = print_budget(&longest, index, from, to, top, shown, out);
			goto done;
		}
		if (findings_wanted) {
			status = print_findings(&why, index, top, out);
			goto done;
		}
		if (worst && !json) {
			status = print_worst(&why, index, (size_t)worst, out);
			goto done;
		}
		choice = index >= 0 ? (struct kp_why_choice){ index, KP_WHY_CHOSEN } : kp_why_choose(&why);
		if (json)
			status = print_json(&why, choice, index, (size_t)worst, out);
		else
			kp_why_text(&why, choice, top, out);
	}
done:
	kp_report_close(out);
	kp_longest_free(&longest);
	kp_why_free(&why);
	return kp_finish(status);
}
