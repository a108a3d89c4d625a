// SPDX-License-Identifier: BSD-3-Clause
/* Prints gaps and the critical path (report/why.h) as text or as JSON. */

#include "base/progress.h"
#include "base/text.h"
#include "base/tool.h"
#include "common/report.h"
#include "report/why.h"

static const char *const kinds[] = { "run", "cpu", "wait", "unknown", "off" };

static void plain(FILE *out, const struct kp_str *text)
{
	kp_print_plain(out, text->text, text->len);
}

static const struct kp_str *name_of(const struct kp_why *why, size_t index)
{
	return why->pids.items[index].name;
}

/* Returns the kind of own code or idle, as --json prints it. kp_why_is_user() must be true. */
static const char *own_kind(const struct kp_why_exec *exec)
{
	return !exec->pid ? "idle" : exec->kernel ? "kernel" : "user";
}

static void text_in(const struct kp_why_exec *exec, FILE *out)
{
	if (kp_why_is_user(exec))
		fprintf(out, "%s%s", own_kind(exec), exec->pid ? " code" : "");
	else
		plain(out, exec->name);
}

/*
 * Returns whether the call @in is printed as the reason, because the reason of the wait is unknown.
 */
static bool is_in_call(const struct kp_why_wait *wait, const struct kp_why_exec *in)
{
	return (!wait || wait->event == KUTRACE_MADE_WAITZ) && in && !kp_why_is_user(in);
}

/* Number of explained gaps or written steps, and total number. */
struct explained {
	uint64_t done, total;
};

static struct explained begin_explaining(const struct kp_why *why, int64_t index)
{
	struct explained explained = {0};

	for (size_t i = 0; i < why->pids.count; i++)
		if (index < 0 || (size_t)index == i)
			explained.total += kp_why_gap_count(why, i);
	kp_progress_phase("explaining", "gaps");
	return explained;
}

/* Counts one more gap or step. Returns whether to continue. */
static bool go_on(struct explained *explained)
{
	if (explained->done++ % KP_WHY_CHECK)
		return true;
	kp_progress(explained->done, explained->total);
	return !kp_interrupted();
}

struct totals {
	int64_t run, cpu, wait[26], unknown;
	struct kp_why_sums in;	/* time by call; contained in wait['z' - 'a'] and unknown */
};

static int sum(const struct kp_why *why, size_t index, struct explained *explained, struct totals *t)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	size_t gaps = kp_why_gap_count(why, index);

	*t = (struct totals){0};
	for (size_t i = 0; i < pid->runs.count; i++)
		t->run += pid->runs.items[i].end - pid->runs.items[i].start;
	for (size_t i = 0; i < gaps; i++) {
		struct kp_why_gap gap;

		if (!go_on(explained))
			return -1;
		kp_why_gap(why, index, i, &gap);
		t->cpu += gap.end - gap.runnable;
		if (gap.wait)
			t->wait[gap.wait->event - KUTRACE_MADE_WAITA] += gap.runnable - gap.start;
		else
			t->unknown += gap.runnable - gap.start;
		if (gap.runnable > gap.start && is_in_call(gap.wait, gap.in) &&
		    kp_why_sums_add(&t->in, gap.in->name, gap.runnable - gap.start))
			return -1;
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

static void text_holders(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	char time[KP_TIME_TEXT];

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

/* Prints the reason of a wait, unless the line already shows a call as the reason. */
static void text_reason(const struct kp_why_wait *wait, const struct kp_why_exec *in, FILE *out)
{
	if (is_in_call(wait, in))
		return;
	fprintf(out, " for %s", wait && wait->event != KUTRACE_MADE_WAITZ ?
		reason_name((int)(wait->event - KUTRACE_MADE_WAITA)) : "an unknown reason");
}

/*
 * The sentences about a gap. {NAME} stands for a value (gap_value()). A part in brackets is left
 * out if the gap does not have the part's first value.
 */
static const char ready[] = "{start} {length}  {where}: runnable"
	"[, woken by {waker}[ on CPU {cpu}][ in {waker-call}][ of {outer-call}]]; {queued} for CPU {next}{holders}\n";
static const char woken[] = "{start} {length}  {where}: waited {waited}{reason}, "
	"woken by {waker}[ on CPU {cpu}][ in {waker-call}][ of {outer-call}]; {queued} for CPU {next}{holders}\n";
static const char unwoken[] = "{start} {length}  {where}: waited {waited}{reason}, "
	"waker not recorded; {queued} for CPU {next}{holders}\n";

static void text_where(const struct kp_why_gap *gap, FILE *out)
{
	fputs(gap->in ? "in " : gap->is_new ? "new" : "in an unknown call", out);
	if (gap->in)
		text_in(gap->in, out);
}

static void text_waker(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	int64_t waker = kp_why_at(why, gap->wake->waker, gap->wake->at);

	if (gap->wake->waker > 0 && waker >= 0)
		plain(out, name_of(why, (size_t)waker));
	else
		fputs(gap->wake->waker ? "an unknown thread" : "idle", out);
}

/* Returns whether a gap has the value @name. Prints the value, unless @out is NULL. */
static bool gap_value(const char *name, const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	size_t len = strcspn(name, "}");
	char time[KP_TIME_TEXT];

#define IS(text) (len == sizeof(text) - 1 && !memcmp(name, text, len))
	if (IS("waker") || IS("cpu") || IS("waker-call") || IS("outer-call")) {
		if (!gap->wake || (IS("cpu") && gap->wake->cpu < 0) ||
		    (IS("waker-call") && !gap->waker_in) || (IS("outer-call") && !gap->inside))
			return false;
	}
	if (!out)
		return true;
	if (IS("start"))
		ku_print_seconds(out, gap->start);
	else if (IS("length"))
		fprintf(out, "%12s", kp_time_text(gap->end - gap->start, time));
	else if (IS("where"))
		text_where(gap, out);
	else if (IS("waited"))
		fputs(kp_time_text(gap->runnable - gap->start, time), out);
	else if (IS("reason"))
		text_reason(gap->wait, gap->in, out);
	else if (IS("waker"))
		text_waker(why, gap, out);
	else if (IS("cpu"))
		fprintf(out, "%" PRId32, gap->wake->cpu);
	else if (IS("waker-call"))
		text_in(gap->waker_in, out);
	else if (IS("outer-call"))
		plain(out, gap->inside->name);
	else if (IS("queued"))
		fputs(kp_time_text(gap->end - gap->runnable, time), out);
	else if (IS("next"))
		fprintf(out, "%" PRIu32, gap->next->cpu);
	else if (IS("holders"))
		text_holders(why, gap, out);
#undef IS
	return true;
}

/* Prints a sentence or a part of one, unless @out is NULL. Returns the part's end. */
static const char *text_sentence(const char *s, const struct kp_why *why,
				 const struct kp_why_gap *gap, FILE *out)
{
	for (; *s && *s != ']'; s++) {
		if (*s == '[') {
			bool has = gap_value(strchr(s, '{') + 1, why, gap, NULL);

			s = text_sentence(s + 1, why, gap, has ? out : NULL);
		} else if (*s == '{') {
			if (out)
				gap_value(s + 1, why, gap, out);
			s = strchr(s, '}');
		} else if (out) {
			putc(*s, out);
		}
	}
	return s;
}

static void text_gap(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	const char *waited = gap->wake ? woken : unwoken;

	text_sentence(gap->runnable > gap->start ? waited : ready, why, gap, out);
}

static void text_totals(const struct kp_why *why, size_t index, struct explained *explained, FILE *out)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	char time[KP_TIME_TEXT];
	struct totals t;

	if (sum(why, index, explained, &t))
		goto done;
	plain(out, pid->name);
	fprintf(out, ": %zu runs, %s;", pid->runs.count, kp_time_text(t.run, time));
	fprintf(out, " %zu gaps", kp_why_gap_count(why, index));
	t.unknown += t.wait['z' - 'a'];
	t.wait['z' - 'a'] = 0;
	for (int i = 0; i < 26; i++)
		if (t.wait[i])
			fprintf(out, ", %s %s", reason_name(i), kp_time_text(t.wait[i], time));
	for (size_t i = 0; i < t.in.list.count; i++) {
		fputs(", in ", out);
		plain(out, t.in.list.items[i].name);
		fprintf(out, " %s", kp_time_text(t.in.list.items[i].time, time));
		t.unknown -= t.in.list.items[i].time;
	}
	if (t.unknown)
		fprintf(out, ", unknown %s", kp_time_text(t.unknown, time));
	fprintf(out, ", waiting for a CPU %s\n", kp_time_text(t.cpu, time));
done:
	kp_why_sums_free(&t.in);
}

/* Prints why the trace does not show the thread in a step. */
static void text_off(const struct kp_why *why, const struct kp_why_step *s, FILE *out)
{
	const int64_t paused = kp_why_paused(why, s->start, s->end);
	char time[KP_TIME_TEXT];

	fputs(" is not in the trace: ", out);
	if (paused || s->start >= why->complete) {
		fprintf(out, "recording was off for %s of that", kp_time_text(paused, time));
		return;
	}
	fputs("events of some CPUs are missing until ", out);
	ku_print_seconds(out, why->complete);
	fputs(" s", out);
}

static void text_path(const struct kp_why *why, size_t index, FILE *out)
{
	struct explained written = {0};
	kp_why_steps steps;
	char time[KP_TIME_TEXT];

	if (!kp_why_path(why, index, &steps)) {
		fputs("critical path of ", out);
		plain(out, name_of(why, index));
		fputs(", from its end back:\n", out);
	}
	written.total = steps.count;
	kp_progress_phase("writing", "steps");
	for (size_t i = 0; i < steps.count && go_on(&written); i++) {
		const struct kp_why_step *s = &steps.items[i];

		ku_print_seconds(out, s->start);
		fprintf(out, " %12s  ", kp_time_text(s->end - s->start, time));
		plain(out, name_of(why, s->pid));
		switch (s->kind) {
		case KP_WHY_RUN:
			fprintf(out, " ran on CPU %" PRIu32 ", mostly ", s->cpu);
			if (s->what == name_of(why, s->pid))
				fputs(s->kernel ? "kernel code" : "user code", out);
			else if (s->what)
				plain(out, s->what);
			break;
		case KP_WHY_CPU:
			fprintf(out, " waited for CPU %" PRIu32, s->cpu);
			break;
		case KP_WHY_WAIT:
		case KP_WHY_UNKNOWN:
			fputs(s->wait || is_in_call(s->wait, s->in) ? " waited" : " did not run", out);
			if (is_in_call(s->wait, s->in)) {
				fputs(" in ", out);
				text_in(s->in, out);
			}
			text_reason(s->wait, s->in, out);
			break;
		case KP_WHY_OFF:
			text_off(why, s, out);
			break;
		}
		putc('\n', out);
	}
	free(steps.items);
}

static void text_unknown(const struct kp_why *why, FILE *out)
{
	int64_t paused = kp_why_paused(why, why->from, why->to);
	char time[KP_TIME_TEXT];

	if (paused && paused == why->to - why->from) {
		fputs("recording was off from ", out);
		ku_print_seconds(out, why->from);
		fputs(" to ", out);
		ku_print_seconds(out, why->to);
		fputs(" s, in all of the selected time\n", out);
	} else if (paused) {
		fprintf(out, "recording was off for %s in between: that time is no gap and no wait\n",
			kp_time_text(paused, time));
	}
	if (why->complete <= why->from)
		return;
	fputs("events of some CPUs are missing until ", out);
	ku_print_seconds(out, why->complete);
	fputs(" s: gaps and waits that begin earlier are not counted\n", out);
}

void kp_why_text(struct kp_why *why, int64_t index, FILE *out)
{
	struct explained explained = begin_explaining(why, index);
	int64_t last = kp_why_last(why);
	int status = 0;

	if (index < 0) {
		for (size_t i = 0; i < why->pids.count; i++)
			if (why->pids.items[i].pid && why->pids.items[i].runs.count)
				text_totals(why, i, &explained, out);
		if (last >= 0)
			text_path(why, (size_t)last, out);
		text_unknown(why, out);
		return;
	}
	for (size_t i = 0, n = explained.total; i < n && !status && go_on(&explained); i++) {
		struct kp_why_gap gap;

		kp_why_gap(why, (size_t)index, i, &gap);
		status = kp_why_holders(why, &gap);
		if (!status)
			text_gap(why, &gap, out);
		free(gap.holders.items);
	}
	explained.done = 0;
	kp_progress_phase("adding up", "gaps");
	text_totals(why, (size_t)index, &explained, out);
	text_path(why, (size_t)index, out);
	text_unknown(why, out);
}

/* ---- JSON ---- */

static void json_name(struct ku_report *r, const char *key, const struct kp_str *text)
{
	ku_report_text(r, key, text->text, text->len);
}

static void json_exec(struct ku_report *r, const char *key, const struct kp_why_exec *exec)
{
	if (!exec)
		ku_report_null(r, key);
	else if (kp_why_is_user(exec))
		ku_report_string(r, key, own_kind(exec));
	else
		json_name(r, key, exec->name);
}

static void json_pid(struct ku_report *r, const struct kp_why *why, int64_t index)
{
	ku_report_signed(r, "pid", why->pids.items[index].pid);
	json_name(r, "name", name_of(why, (size_t)index));
}

static void json_waker(struct ku_report *r, const struct kp_why *why,
		       const struct kp_why_gap *gap)
{
	int64_t waker = kp_why_at(why, gap->wake->waker, gap->wake->at);

	ku_report_object(r, "waker");
	if (waker >= 0)
		json_pid(r, why, waker);
	else
		ku_report_signed(r, "pid", gap->wake->waker);
	ku_report_signed(r, "cpu", gap->wake->cpu);
	ku_report_seconds(r, "at", gap->wake->at);
	json_exec(r, "in", gap->waker_in);
	if (gap->inside)
		json_exec(r, "of", gap->inside);
	ku_report_close(r);
}

static void json_gap(struct ku_report *r, const struct kp_why *why,
		     const struct kp_why_gap *gap)
{
	ku_report_object(r, NULL);
	ku_report_seconds(r, "start", gap->start);
	ku_report_seconds(r, "end", gap->end);
	json_exec(r, "in", gap->in);
	ku_report_seconds(r, "waited", gap->runnable - gap->start);
	if (gap->wait)
		ku_report_string(r, "for",
				 reason_name((int)(gap->wait->event - KUTRACE_MADE_WAITA)));
	else
		ku_report_null(r, "for");
	if (gap->wake)
		json_waker(r, why, gap);
	else
		ku_report_null(r, "waker");
	ku_report_seconds(r, "runnable", gap->end - gap->runnable);
	ku_report_unsigned(r, "cpu", gap->next->cpu);
	ku_report_list(r, "held_by");
	for (size_t i = 0; i < gap->holders.count; i++) {
		ku_report_object(r, NULL);
		json_pid(r, why, (int64_t)gap->holders.items[i].pid);
		ku_report_seconds(r, "time", gap->holders.items[i].time);
		ku_report_close(r);
	}
	ku_report_close(r);
	ku_report_close(r);
}

static void json_totals(struct ku_report *r, const struct kp_why *why, size_t index,
			struct explained *explained)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct totals t;
	int status = sum(why, index, explained, &t);

	kp_why_sums_free(&t.in);
	if (status)
		return;
	ku_report_object(r, NULL);
	json_pid(r, why, (int64_t)index);
	ku_report_unsigned(r, "runs", pid->runs.count);
	ku_report_unsigned(r, "gaps", kp_why_gap_count(why, index));
	ku_report_seconds(r, "run", t.run);
	ku_report_seconds(r, "runnable", t.cpu);
	ku_report_seconds(r, "unknown", t.unknown);
	ku_report_object(r, "waited");
	for (int i = 0; i < 26; i++)
		if (t.wait[i])
			ku_report_seconds(r, reason_name(i), t.wait[i]);
	ku_report_close(r);
	ku_report_close(r);
}

static void json_path(struct ku_report *r, const struct kp_why *why, size_t index)
{
	struct explained written = {0};
	kp_why_steps steps;
	int status = kp_why_path(why, index, &steps);

	written.total = steps.count;
	kp_progress_phase("writing", "steps");
	for (size_t i = 0; i < steps.count && !status && go_on(&written); i++) {
		const struct kp_why_step *s = &steps.items[i];

		ku_report_object(r, NULL);
		ku_report_seconds(r, "start", s->start);
		ku_report_seconds(r, "end", s->end);
		ku_report_string(r, "kind", kinds[s->kind]);
		json_pid(r, why, (int64_t)s->pid);
		if (s->kind == KP_WHY_RUN || s->kind == KP_WHY_CPU)
			ku_report_unsigned(r, "cpu", s->cpu);
		if (s->kind == KP_WHY_OFF)
			ku_report_seconds(r, "paused", kp_why_paused(why, s->start, s->end));
		if (s->what)
			json_name(r, "what", s->what);
		ku_report_close(r);
	}
	free(steps.items);
}

void kp_why_json(struct kp_why *why, int64_t index, FILE *out)
{
	size_t gaps = index < 0 ? 0 : kp_why_gap_count(why, (size_t)index);
	int64_t of = index < 0 ? kp_why_last(why) : index;
	struct explained explained = begin_explaining(why, index);
	struct ku_report r = ku_report_begin(out);
	int64_t paused = kp_why_paused(why, why->from, why->to);
	int status = 0;

	ku_report_object(&r, NULL);
	ku_report_seconds(&r, "from", why->from);
	ku_report_seconds(&r, "to", why->to);
	if (paused)
		ku_report_seconds(&r, "paused", paused);
	if (why->complete > why->from)
		ku_report_seconds(&r, "partial_to", why->complete);
	ku_report_lines(&r, "threads", '[', 2);
	for (size_t i = 0; i < why->pids.count; i++)
		if (why->pids.items[i].pid && why->pids.items[i].runs.count &&
		    (index < 0 || (size_t)index == i))
			json_totals(&r, why, i, &explained);
	ku_report_close(&r);
	ku_report_break(&r, 1);
	ku_report_lines(&r, "gaps", '[', 2);
	explained.done = 0;
	kp_progress_phase("writing", "gaps");
	for (size_t i = 0; i < gaps && !status && go_on(&explained); i++) {
		struct kp_why_gap gap;

		kp_why_gap(why, (size_t)index, i, &gap);
		status = kp_why_holders(why, &gap);
		if (!status)
			json_gap(&r, why, &gap);
		free(gap.holders.items);
	}
	ku_report_close(&r);
	ku_report_break(&r, 1);
	ku_report_lines(&r, "path", '[', 2);
	if (of >= 0)
		json_path(&r, why, (size_t)of);
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}
