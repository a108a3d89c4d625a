// SPDX-License-Identifier: BSD-3-Clause
/*
 * What kp_why found, as text and as JSON. Called by spantowhy.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "kp_report.h"
#include "kp_why.h"
#include "kutrace_events.h"

static const char *const kinds[] = { "run", "cpu", "wait", "unknown" };

static void plain(FILE *out, const struct kp_str *text)
{
	kp_print_plain(out, text->text, text->len);
}

static void quoted(FILE *out, const struct kp_str *text)
{
	kp_print_string(out, text->text, text->len);
}

static const struct kp_str *name_of(const struct kp_why *why, size_t index)
{
	return why->pids.items[index].name;
}

/* What of a row's name says: user code has the thread's name there. */
static bool is_user(const struct kp_why_exec *exec)
{
	return exec->event >= KP_EVENT_USER;
}

static void text_in(const struct kp_why_exec *exec, FILE *out)
{
	if (is_user(exec))
		fputs(exec->pid ? "user code" : "idle", out);
	else
		plain(out, exec->name);
}

/* ---- totals ---- */

struct totals {
	int64_t run, cpu, wait[26], unknown;
};

static int sum(const struct kp_why *why, size_t index, struct totals *t)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	size_t gaps = kp_why_gap_count(why, index);

	*t = (struct totals){0};
	for (size_t i = 0; i < pid->runs.count; i++)
		t->run += pid->runs.items[i].end - pid->runs.items[i].start;
	for (size_t i = 0; i < gaps; i++) {
		struct kp_why_gap gap;
		int status = kp_why_gap(why, index, i, &gap);

		free(gap.holders.items);
		if (status)
			return -1;
		t->cpu += gap.end - gap.runnable;
		if (gap.wait)
			t->wait[gap.wait->event - KUTRACE_MADE_WAITA] += gap.runnable - gap.start;
		else
			t->unknown += gap.runnable - gap.start;
	}
	return 0;
}

static const char *reason_name(int letter)
{
	static const char *const names[26] = {
		['c' - 'a'] = "cpu", ['d' - 'a'] = "disk", ['k' - 'a'] = "task",
		['l' - 'a'] = "lock", ['m' - 'a'] = "mem", ['n' - 'a'] = "net",
		['p' - 'a'] = "pipe", ['r' - 'a'] = "rcu", ['s' - 'a'] = "sche",
		['t' - 'a'] = "time", ['z' - 'a'] = "unk",
	};

	return names[letter] ? names[letter] : "other";
}

/* ---- text ---- */

static void text_holders(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	char time[KP_TIME_TEXT];

	fprintf(out, " for CPU %" PRIu32, gap->next->cpu);
	for (size_t i = 0; i < gap->holders.count && i < 3; i++) {
		const struct kp_why_holder *h = &gap->holders.items[i];

		fputs(i ? ", " : ": ", out);
		if (why->pids.items[h->pid].pid)
			plain(out, name_of(why, h->pid));
		else
			fputs("idle", out);
		fprintf(out, " %s", kp_time_text(h->time, time));
	}
	if (gap->holders.count > 3)
		fprintf(out, ", %zu more", gap->holders.count - 3);
}

static void text_waker(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	int64_t waker = kp_why_find(why, gap->wake->waker);

	fputs(", woken by ", out);
	if (gap->wake->waker > 0 && waker >= 0)
		plain(out, name_of(why, (size_t)waker));
	else
		fputs(gap->wake->waker ? "somebody" : "idle", out);
	if (gap->wake->cpu >= 0)
		fprintf(out, " on CPU %" PRId32, gap->wake->cpu);
	if (gap->waker_in) {
		fputs(" in ", out);
		text_in(gap->waker_in, out);
	}
	if (gap->inside) {
		fputs(" of ", out);
		plain(out, gap->inside->name);
	}
}

static void text_gap(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	char time[KP_TIME_TEXT];

	kp_print_seconds(out, gap->start);
	fprintf(out, " %12s  ", kp_time_text(gap->end - gap->start, time));
	if (gap->in) {
		fputs("in ", out);
		text_in(gap->in, out);
		fputs(": ", out);
	} else {
		fputs("new: ", out);
	}
	if (gap->runnable > gap->start) {
		fprintf(out, "waited %s for ", kp_time_text(gap->runnable - gap->start, time));
		if (gap->wait)
			fputs(reason_name((int)(gap->wait->event - KUTRACE_MADE_WAITA)), out);
		else
			fputs("an unknown reason", out);
	} else {
		fputs("runnable", out);
	}
	if (gap->wake)
		text_waker(why, gap, out);
	else if (gap->runnable > gap->start)
		fputs(", woken by nobody recorded", out);
	fprintf(out, "; %s", kp_time_text(gap->end - gap->runnable, time));
	text_holders(why, gap, out);
	putc('\n', out);
}

static void text_totals(const struct kp_why *why, size_t index, FILE *out)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	char time[KP_TIME_TEXT];
	struct totals t;

	if (sum(why, index, &t))
		return;
	plain(out, pid->name);
	fprintf(out, ": %zu runs, %s;", pid->runs.count, kp_time_text(t.run, time));
	fprintf(out, " %zu gaps", kp_why_gap_count(why, index));
	for (int i = 0; i < 26; i++)
		if (t.wait[i])
			fprintf(out, ", %s %s", reason_name(i), kp_time_text(t.wait[i], time));
	if (t.unknown)
		fprintf(out, ", unknown %s", kp_time_text(t.unknown, time));
	fprintf(out, ", waiting for a CPU %s\n", kp_time_text(t.cpu, time));
}

static void text_path(const struct kp_why *why, size_t index, FILE *out)
{
	kp_why_steps steps;
	char time[KP_TIME_TEXT];

	if (!kp_why_path(why, index, &steps)) {
		fputs("critical path of ", out);
		plain(out, name_of(why, index));
		fputs(", from its end back:\n", out);
	}
	for (size_t i = 0; i < steps.count; i++) {
		const struct kp_why_step *s = &steps.items[i];

		kp_print_seconds(out, s->start);
		fprintf(out, " %12s  ", kp_time_text(s->end - s->start, time));
		plain(out, name_of(why, s->pid));
		switch (s->kind) {
		case KP_WHY_RUN:
			fprintf(out, " ran on CPU %" PRIu32 ", mostly ", s->cpu);
			if (s->what == name_of(why, s->pid))
				fputs("user code", out);
			else if (s->what)
				plain(out, s->what);
			break;
		case KP_WHY_CPU:
			fprintf(out, " waited for CPU %" PRIu32, s->cpu);
			break;
		case KP_WHY_WAIT:
			fputs(": ", out);
			plain(out, s->what);
			break;
		case KP_WHY_UNKNOWN:
			fputs(" did not run, for an unknown reason", out);
			break;
		}
		putc('\n', out);
	}
	free(steps.items);
}

void kp_why_text(const struct kp_why *why, int64_t index, FILE *out)
{
	int64_t last = kp_why_last(why);

	if (index < 0) {
		for (size_t i = 0; i < why->pids.count; i++)
			if (why->pids.items[i].pid && why->pids.items[i].runs.count)
				text_totals(why, i, out);
		if (last >= 0)
			text_path(why, (size_t)last, out);
		return;
	}
	for (size_t i = 0, n = kp_why_gap_count(why, (size_t)index); i < n; i++) {
		struct kp_why_gap gap;

		if (!kp_why_gap(why, (size_t)index, i, &gap))
			text_gap(why, &gap, out);
		free(gap.holders.items);
	}
	text_totals(why, (size_t)index, out);
	text_path(why, (size_t)index, out);
}

/* ---- JSON ---- */

/* lead: what stands in front of the key, its quote included */
static void json_time(FILE *out, const char *lead, int64_t units)
{
	fprintf(out, "%s\": ", lead);
	kp_print_seconds(out, units);
}

static void json_exec(const struct kp_why_exec *exec, FILE *out)
{
	if (!exec)
		fputs("null", out);
	else if (is_user(exec))
		fputs(exec->pid ? "\"user\"" : "\"idle\"", out);
	else
		quoted(out, exec->name);
}

static void json_pid(const struct kp_why *why, int64_t index, FILE *out)
{
	fprintf(out, "\"pid\": %" PRId64 ", \"name\": ", why->pids.items[index].pid);
	quoted(out, name_of(why, (size_t)index));
}

static void json_waker(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	int64_t waker = kp_why_find(why, gap->wake->waker);

	fputs("{", out);
	if (waker >= 0)
		json_pid(why, waker, out);
	else
		fprintf(out, "\"pid\": %" PRId64, gap->wake->waker);
	fprintf(out, ", \"cpu\": %" PRId32 ", ", gap->wake->cpu);
	json_time(out, "\"at", gap->wake->at);
	fputs(", \"in\": ", out);
	json_exec(gap->waker_in, out);
	if (gap->inside) {
		fputs(", \"of\": ", out);
		json_exec(gap->inside, out);
	}
	fputs("}", out);
}

static void json_gap(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	json_time(out, "  {\"start", gap->start);
	json_time(out, ", \"end", gap->end);
	fputs(", \"in\": ", out);
	json_exec(gap->in, out);
	json_time(out, ", \"waited", gap->runnable - gap->start);
	fputs(", \"for\": ", out);
	if (gap->wait)
		fprintf(out, "\"%s\"",
			reason_name((int)(gap->wait->event - KUTRACE_MADE_WAITA)));
	else
		fputs("null", out);
	fputs(", \"waker\": ", out);
	if (gap->wake)
		json_waker(why, gap, out);
	else
		fputs("null", out);
	json_time(out, ", \"runnable", gap->end - gap->runnable);
	fprintf(out, ", \"cpu\": %" PRIu32 ", \"held_by\": [", gap->next->cpu);
	for (size_t i = 0; i < gap->holders.count; i++) {
		fputs(i ? ", {" : "{", out);
		json_pid(why, (int64_t)gap->holders.items[i].pid, out);
		json_time(out, ", \"time", gap->holders.items[i].time);
		fputs("}", out);
	}
	fputs("]}", out);
}

static void json_totals(const struct kp_why *why, size_t index, FILE *out)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	const char *comma = "";
	struct totals t;

	if (sum(why, index, &t))
		return;
	fputs("{", out);
	json_pid(why, (int64_t)index, out);
	fprintf(out, ", \"runs\": %zu, \"gaps\": %zu, ", pid->runs.count,
		kp_why_gap_count(why, index));
	json_time(out, "\"run", t.run);
	json_time(out, ", \"runnable", t.cpu);
	json_time(out, ", \"unknown", t.unknown);
	fputs(", \"waited\": {", out);
	for (int i = 0; i < 26; i++) {
		if (!t.wait[i])
			continue;
		fprintf(out, "%s\"%s", comma, reason_name(i));
		json_time(out, "", t.wait[i]);
		comma = ", ";
	}
	fputs("}}", out);
}

static void json_path(const struct kp_why *why, size_t index, FILE *out)
{
	kp_why_steps steps;
	int status = kp_why_path(why, index, &steps);

	for (size_t i = 0; i < steps.count && !status; i++) {
		const struct kp_why_step *s = &steps.items[i];

		json_time(out, i ? ",\n  {\"start" : "\n  {\"start", s->start);
		json_time(out, ", \"end", s->end);
		fprintf(out, ", \"kind\": \"%s\", ", kinds[s->kind]);
		json_pid(why, (int64_t)s->pid, out);
		if (s->kind == KP_WHY_RUN || s->kind == KP_WHY_CPU)
			fprintf(out, ", \"cpu\": %" PRIu32, s->cpu);
		if (s->what) {
			fputs(", \"what\": ", out);
			quoted(out, s->what);
		}
		fputs("}", out);
	}
	free(steps.items);
}

void kp_why_json(const struct kp_why *why, int64_t index, FILE *out)
{
	int64_t of = index < 0 ? kp_why_last(why) : index;
	const char *comma = "\n  ";

	json_time(out, "{\"from", why->from);
	json_time(out, ", \"to", why->to);
	fputs(", \"threads\": [", out);
	for (size_t i = 0; i < why->pids.count; i++) {
		if (!why->pids.items[i].pid || !why->pids.items[i].runs.count ||
		    (index >= 0 && (size_t)index != i))
			continue;
		fputs(comma, out);
		json_totals(why, i, out);
		comma = ",\n  ";
	}
	fputs("],\n \"gaps\": [", out);
	for (size_t i = 0, n = index < 0 ? 0 : kp_why_gap_count(why, (size_t)index); i < n; i++) {
		struct kp_why_gap gap;

		fputs(i ? ",\n" : "\n", out);
		if (!kp_why_gap(why, (size_t)index, i, &gap))
			json_gap(why, &gap, out);
		free(gap.holders.items);
	}
	fputs("],\n \"path\": [", out);
	if (of >= 0)
		json_path(why, (size_t)of, out);
	fputs("]}\n", out);
}
