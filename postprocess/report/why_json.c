// SPDX-License-Identifier: BSD-3-Clause
/* Prints gaps, totals and the critical path (report/why.h) as JSON. */

#include "base/progress.h"
#include "common/report.h"
#include "report/why_words.h"

static const char *const kinds[] = { "run", "cpu", "wait", "unknown", "off", "stopped", "throttled" };

static void json_name(struct ku_report *r, const char *key, const struct kp_str *text)
{
	ku_report_text(r, key, text->text, text->len);
}

static void json_exec(struct ku_report *r, const char *key, const struct kp_why_exec *exec)
{
	if (!exec)
		ku_report_null(r, key);
	else if (kp_why_is_user(exec))
		ku_report_string(r, key, kp_why_own_kind(exec));
	else
		json_name(r, key, exec->name);
}

/* Prints the policy and the priority of a thread, if the trace has it. */
static void json_priority(struct ku_report *r, const struct kp_why *why, size_t index, int64_t at)
{
	const struct kp_str *name = kp_why_priority(why, why->pids.items[index].pid, at);

	if (name && why->pids.items[index].pid)
		json_name(r, "priority", name);
}

static void json_pid(struct ku_report *r, const struct kp_why *why, int64_t index)
{
	ku_report_signed(r, "pid", why->pids.items[index].pid);
	json_name(r, "name", why->pids.items[index].name);
}

/* Prints the request of a disk that ended the wait, if it is known. */
static void json_request(struct ku_report *r, const struct kp_why *why, const struct kp_why_wait *wait)
{
	const struct kp_why_request *request = kp_why_request(why, wait);

	if (!request)
		return;
	ku_report_object(r, "disk");
	ku_report_text(r, "device", request->disk.device, strlen(request->disk.device));
	ku_report_string(r, "operation", ku_disk_op_label(request->disk.op));
	ku_report_unsigned(r, "bytes", request->disk.bytes);
	ku_report_unsigned(r, "sector", request->disk.sector);
	if (request->disk.error)
		ku_report_unsigned(r, "error", request->disk.error);
	ku_report_seconds(r, "queued", request->queued);
	ku_report_seconds(r, "served", request->served);
	ku_report_bool(r, "inferred", kp_why_is_inferred(wait));
	ku_report_close(r);
}

/* Prints the timer that ended the wait, if it is recorded. */
static void json_timer(struct ku_report *r, const struct kp_why *why, const struct kp_why_gap *gap)
{
	const struct kp_why_timer *timer = kp_why_timer(why, gap->wait);
	int64_t late;

	if (!timer)
		return;
	late = kp_why_timer_late(timer);
	ku_report_object(r, "timer");
	ku_report_string(r, "kind", ku_timer_kind_label(timer->parts.kind));
	ku_report_seconds(r, "due", timer->woken - late);
	ku_report_seconds(r, "late", late + gap->end - gap->runnable);
	ku_report_seconds(r, "slack", (int64_t)timer->parts.slack_ns / 10);
	if (timer->parts.interrupt_ns >= 0)
		ku_report_seconds(r, "interrupt", timer->parts.interrupt_ns / 10);
	ku_report_seconds(r, "before", (int64_t)timer->parts.before_ns / 10);
	ku_report_seconds(r, "wakeup", (int64_t)timer->parts.wakeup_ns / 10);
	ku_report_seconds(r, "runnable", gap->end - gap->runnable - gap->throttled);
	ku_report_close(r);
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
				 kp_why_reason_name((int)(gap->wait->event - KUTRACE_MADE_WAITA)));
	else
		ku_report_null(r, "for");
	if (gap->lock)
		json_name(r, "lock", gap->lock->name);
	json_request(r, why, gap->wait);
	json_timer(r, why, gap);
	if (gap->wake)
		json_waker(r, why, gap);
	else
		ku_report_null(r, "waker");
	if (gap->throttle) {
		ku_report_seconds(r, "throttled", gap->throttled);
		ku_report_bool(r, "throttled_inferred", kp_why_is_inferred(gap->throttle));
		if (kp_why_cgroup(why, gap->throttle))
			json_name(r, "cgroup", kp_why_cgroup(why, gap->throttle));
	}
	json_priority(r, why, gap->pid, gap->start);
	if (gap->preemptor) {
		ku_report_object(r, "preempted_by");
		json_pid(r, why, (int64_t)gap->preemptor->pid);
		json_priority(r, why, gap->preemptor->pid, gap->preemptor->start);
		ku_report_close(r);
	}
	ku_report_seconds(r, "runnable", gap->end - gap->runnable - gap->throttled);
	ku_report_unsigned(r, "cpu", gap->next->cpu);
	ku_report_list(r, "held_by");
	for (size_t i = 0; i < gap->holders.count; i++) {
		ku_report_object(r, NULL);
		json_pid(r, why, (int64_t)gap->holders.items[i].pid);
		json_priority(r, why, gap->holders.items[i].pid, gap->runnable);
		ku_report_seconds(r, "time", gap->holders.items[i].time);
		ku_report_close(r);
	}
	ku_report_close(r);
	ku_report_close(r);
}

static void json_totals(struct ku_report *r, struct kp_why *why, size_t index,
			struct kp_why_explained *explained)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct kp_why_totals t;
	int status = kp_why_sum_up(why, index, explained, &t);

	kp_why_sums_free(&t.in);
	if (status)
		return;
	ku_report_object(r, NULL);
	json_pid(r, why, (int64_t)index);
	kp_why_identity_json(r, why, index);
	ku_report_unsigned(r, "runs", pid->runs.count);
	ku_report_unsigned(r, "gaps", kp_why_gap_count(why, index));
	ku_report_seconds(r, "run", t.run);
	if (t.stopped)
		ku_report_seconds(r, "stopped", t.stopped);
	ku_report_seconds(r, "runnable", t.cpu);
	ku_report_seconds(r, "unknown", t.unknown);
	ku_report_object(r, "waited");
	for (int i = 0; i < 26; i++)
		if (t.wait[i])
			ku_report_seconds(r, kp_why_reason_name(i), t.wait[i]);
	ku_report_close(r);
	if (t.wait[KP_THROTTLED - 'a'])
		ku_report_bool(r, "throttled_inferred", t.throttled_inferred);
	ku_report_close(r);
}

static void json_path(struct ku_report *r, const struct kp_why *why, size_t index)
{
	struct kp_why_explained written = {0};
	kp_why_steps steps;
	int status = kp_why_path(why, index, &steps);

	written.total = steps.count;
	kp_progress_phase("writing", "steps");
	for (size_t i = 0; i < steps.count && !status && kp_why_go_on(&written); i++) {
		const struct kp_why_step *s = &steps.items[i];

		ku_report_object(r, NULL);
		ku_report_seconds(r, "start", s->start);
		ku_report_seconds(r, "end", s->end);
		ku_report_string(r, "kind", kinds[s->kind]);
		json_pid(r, why, (int64_t)s->pid);
		if (s->kind == KP_WHY_RUN || s->kind == KP_WHY_CPU || s->kind == KP_WHY_STOPPED)
			ku_report_unsigned(r, "cpu", s->cpu);
		if (s->kind == KP_WHY_OFF)
			ku_report_seconds(r, "paused", kp_why_paused(why, s->start, s->end));
		if (s->what)
			json_name(r, "what", s->what);
		if (s->lock)
			json_name(r, "lock", s->lock->name);
		if (s->kind == KP_WHY_WAIT)
			json_request(r, why, s->wait);
		if (s->kind == KP_WHY_THROTTLED && kp_why_cgroup(why, s->wait))
			json_name(r, "cgroup", kp_why_cgroup(why, s->wait));
		ku_report_close(r);
	}
	free(steps.items);
}

/* Prints the thread whose path follows, and the reason for choosing this thread. */
static void json_choice(struct ku_report *r, const struct kp_why *why, struct kp_why_choice choice)
{
	static const char *const reasons[] = {
		[KP_WHY_CHOSEN] = "pid", [KP_WHY_FIRED] = "fired", [KP_WHY_RUN_BY] = "run",
		[KP_WHY_STARTED_BY] = "started", [KP_WHY_LAST] = "last",
	};

	ku_report_object(r, "path_of");
	json_pid(r, why, choice.index);
	ku_report_string(r, "because", reasons[choice.reason]);
	ku_report_close(r);
	ku_report_break(r, 1);
}

/* Prints each line of the text as a string. */
static void json_worst(struct ku_report *r, const char *text)
{
	ku_report_lines(r, "worst", '[', 2);
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		ku_report_text(r, NULL, text, len);
	}
	ku_report_close(r);
	ku_report_break(r, 1);
}

void kp_why_json(struct kp_why *why, struct kp_why_choice choice, const char *worst, FILE *out)
{
	const int64_t index = choice.reason == KP_WHY_CHOSEN ? choice.index : -1;
	size_t gaps = index < 0 ? 0 : kp_why_gap_count(why, (size_t)index);
	struct kp_why_explained explained = kp_why_begin_explaining(why, index);
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
	for (size_t i = 0; i < gaps && !status && kp_why_go_on(&explained); i++) {
		struct kp_why_gap gap;

		kp_why_gap(why, (size_t)index, i, &gap);
		status = kp_why_holders(why, &gap);
		if (!status)
			json_gap(&r, why, &gap);
		free(gap.holders.items);
	}
	ku_report_close(&r);
	ku_report_break(&r, 1);
	if (worst)
		json_worst(&r, worst);
	if (choice.index >= 0)
		json_choice(&r, why, choice);
	ku_report_lines(&r, "path", '[', 2);
	if (choice.index >= 0)
		json_path(&r, why, (size_t)choice.index);
	ku_report_close(&r);
	ku_report_close(&r);
	ku_report_end(&r);
}
