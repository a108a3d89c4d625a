// SPDX-License-Identifier: BSD-3-Clause
/* Prints gaps, totals and the critical path (report/why.h) as text. */

#include "base/progress.h"
#include "base/terminal.h"
#include "base/text.h"
#include "common/report.h"
#include "kutrace_quota.h"
#include "report/why_words.h"

static void plain(FILE *out, const struct kp_str *text)
{
	kp_print_name(out, text->text, text->len);
}

static const struct kp_str *name_of(const struct kp_why *why, size_t index)
{
	return why->pids.items[index].name;
}

static void text_in(const struct kp_why_exec *exec, FILE *out)
{
	if (kp_why_is_user(exec))
		fprintf(out, "%s%s", kp_why_own_kind(exec), exec->pid ? " code" : "");
	else
		plain(out, exec->name);
}

/* Prints the priority of a thread in parentheses, if it differs from the priority of the gap's thread. */
static void text_priority(const struct kp_why *why, const struct kp_why_gap *gap, size_t index, FILE *out)
{
	const struct kp_str *own = kp_why_priority(why, why->pids.items[gap->pid].pid, gap->start);
	const struct kp_str *other = kp_why_priority(why, why->pids.items[index].pid, gap->runnable);

	if (!other || other == own || !why->pids.items[index].pid)
		return;
	fputs(" (", out);
	plain(out, other);
	putc(')', out);
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
		text_priority(why, gap, h->pid, out);
		fprintf(out, " %s", kp_time_text(h->time, time));
	}
	if (gap->holders.count > 3)
		fprintf(out, ", %zu more", gap->holders.count - 3);
}

/* Returns the reason of a wait without a known lock. */
static const char *reason_text(const struct kp_why_wait *wait)
{
	return wait && wait->event != KUTRACE_MADE_WAITZ ?
		kp_why_reason_name((int)(wait->event - KUTRACE_MADE_WAITA)) : "an unknown reason";
}

/* Returns the words before the name of a lock. Without a name of its own, a lock is "lock.NUMBER". */
static const char *before_lock(const struct kp_why_wait *lock)
{
	return strncmp(lock->name->text, "lock.", 5) ? "for the lock " : "for ";
}

/* Prints the request of a disk: " for disk vda: read of 16 KiB at sector 2048, queued 0.3 ms, served 3.9 ms". */
static void text_request(const struct kp_why_request *request, const struct kp_why_wait *wait, FILE *out)
{
	const struct ku_disk *disk = &request->disk;
	const bool kib = !(disk->bytes % 1024);
	char time[KP_TIME_TEXT];

	fputs(" for disk ", out);
	kp_print_name(out, disk->device, strlen(disk->device));
	fprintf(out, ": %s", ku_disk_op_label(disk->op));
	if (disk->bytes)
		fprintf(out, " of %" PRIu32 " %s at sector %" PRIu64, kib ? disk->bytes / 1024 : disk->bytes,
			kib ? "KiB" : "bytes", disk->sector);
	if (disk->error)
		fprintf(out, ", error %" PRIu32, disk->error);
	if (kp_why_is_inferred(wait))
		fputs(" (inferred)", out);
	if (request->queued)
		fprintf(out, ", queued %s", kp_time_text(request->queued, time));
	if (request->served)
		fprintf(out, ", served %s", kp_time_text(request->served, time));
}

/*
 * Prints the lock, the request of a disk or the reason of a wait, unless the line already shows a call as
 * the reason.
 */
static void text_reason(const struct kp_why *why, const struct kp_why_wait *wait, const struct kp_why_wait *lock,
			const struct kp_why_exec *in, FILE *out)
{
	const struct kp_why_request *request = kp_why_request(why, wait);

	if (request) {
		text_request(request, wait, out);
	} else if (lock) {
		fprintf(out, " %s", before_lock(lock));
		plain(out, lock->name);
	} else if (!kp_why_is_in_call(wait, lock, in)) {
		fprintf(out, " for %s", reason_text(wait));
	}
}

/*
 * Prints when the timer was due that ended a wait, and the five parts of its lateness: "due at 1.00000000, 52.50
 * us late: slack 50.00 us, ...". If the interrupt is not recorded, the second and the third part are one.
 */
static void text_timer(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	const struct kp_why_timer *timer = kp_why_timer(why, gap->wait);
	const struct ku_timer_parts *parts = &timer->parts;
	const int64_t late = kp_why_timer_late(timer), runnable = gap->end - gap->runnable;
	const int64_t latest = timer->woken - late + (int64_t)parts->slack_ns / 10;
	char time[KP_TIME_TEXT];

	fputs("due at ", out);
	ku_print_seconds(out, timer->woken - late);
	if (latest < gap->wait->start)
		fprintf(out, " (%s before the wait)", kp_time_text(gap->wait->start - (timer->woken - late), time));
	fprintf(out, ", %s late:", kp_time_text(late + runnable, time));
	fprintf(out, " %s %s,", parts->kind == KUTRACE_TIMER_WHEEL ? "rounded up to ticks" : "slack",
		kp_time_text((int64_t)parts->slack_ns / 10, time));
	if (parts->interrupt_ns >= 0)
		fprintf(out, " until the interrupt %s, earlier callbacks",
			kp_time_text(parts->interrupt_ns / 10, time));
	else
		fputs(" until the callback", out);
	fprintf(out, " %s,", kp_time_text((int64_t)parts->before_ns / 10, time));
	fprintf(out, " until the wakeup %s,", kp_time_text((int64_t)parts->wakeup_ns / 10, time));
	if (gap->throttled)
		fprintf(out, " throttled %s,", kp_time_text(gap->throttled, time));
	fprintf(out, " waited %s for a CPU", kp_time_text(runnable - gap->throttled, time));
}

/*
 * The sentences about a gap. {NAME} stands for a value (gap_value()). A part in brackets is left
 * out if the gap does not have the part's first value. < and > enclose the wait, which has a colour.
 */
static const char throttled[] = "{start} {length}  {where}: <{throttled}>"
	"[, woken by {waker}[ on CPU {cpu}][ in {waker-call}][ of {outer-call}]]; {queued} for CPU {next}{holders}\n";
static const char ready[] = "{start} {length}  {where}: [preempted by {preemptor}][runnable{no-preemptor}]"
	"[, woken by {waker}[ on CPU {cpu}][ in {waker-call}][ of {outer-call}]]; {queued} for CPU {next}{holders}\n";
static const char woken[] = "{start} {length}  {where}: <waited {waited}{reason}>, "
	"woken by {waker}[ on CPU {cpu}][ in {waker-call}][ of {outer-call}][; its timer was {timer}]"
	"[; <{throttled}>]; {queued} for CPU {next}{holders}\n";
static const char unwoken[] = "{start} {length}  {where}: <waited {waited}{reason}>, "
	"waker not recorded[; <{throttled}>]; {queued} for CPU {next}{holders}\n";

static const char *throttled_word(const struct kp_why_wait *throttle)
{
	return kp_why_is_inferred(throttle) ? "throttled?" : "throttled";
}

/* Returns the low bits of the id of a throttled cgroup. */
static uint32_t cgroup_id(const struct kp_why_wait *throttle)
{
	return (uint32_t)throttle->arg0 & KUTRACE_QUOTA_CGROUP;
}

static void text_cgroup(const struct kp_why *why, const struct kp_why_wait *throttle, FILE *out)
{
	const struct kp_str *cgroup = kp_why_cgroup(why, throttle);

	if (cgroup) {
		fputs(" by cgroup ", out);
		plain(out, cgroup);
	} else if (throttle->arg0) {
		fprintf(out, " by cgroup id %" PRIu32, cgroup_id(throttle));
	}
}

static void text_throttled(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	char time[KP_TIME_TEXT];

	fprintf(out, "%s %s", throttled_word(gap->throttle), kp_time_text(gap->throttled, time));
	text_cgroup(why, gap->throttle, out);
}

/* Prints the thread that took the CPU, with its priority, and the priority of the gap's thread. */
static void text_preemptor(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	const size_t index = gap->preemptor->pid;
	const struct kp_str *own = kp_why_priority(why, why->pids.items[gap->pid].pid, gap->start);
	const struct kp_str *other = kp_why_priority(why, why->pids.items[index].pid, gap->preemptor->start);

	plain(out, name_of(why, index));
	if (!own || !other)
		return;
	fputs(" (", out);
	plain(out, other);
	fputs("; itself ", out);
	plain(out, own);
	putc(')', out);
}

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
	if ((IS("throttled") && !gap->throttle) || (IS("timer") && !kp_why_timer(why, gap->wait)) || (IS("preemptor") && !gap->preemptor) ||
	    (IS("no-preemptor") && gap->preemptor))
		return false;
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
		text_reason(why, gap->wait, gap->lock, gap->in, out);
	else if (IS("waker"))
		text_waker(why, gap, out);
	else if (IS("cpu"))
		fprintf(out, "%" PRId32, gap->wake->cpu);
	else if (IS("waker-call"))
		text_in(gap->waker_in, out);
	else if (IS("outer-call"))
		plain(out, gap->inside->name);
	else if (IS("queued"))
		fputs(kp_time_text(gap->end - gap->runnable - gap->throttled, time), out);
	else if (IS("throttled"))
		text_throttled(why, gap, out);
	else if (IS("timer"))
		text_timer(why, gap, out);
	else if (IS("preemptor"))
		text_preemptor(why, gap, out);
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
		} else if (out && (*s == '<' || *s == '>')) {
			fputs(kp_colour(*s == '<' ? KP_WAITING : KP_PLAIN), out);
		} else if (out) {
			putc(*s, out);
		}
	}
	return s;
}

static void text_gap(const struct kp_why *why, const struct kp_why_gap *gap, FILE *out)
{
	const char *waited = gap->wake ? woken : unwoken;

	text_sentence(gap->runnable > gap->start ? waited : gap->throttle ? throttled : ready, why, gap, out);
}

/* ---- --top ---- */

/* A list of which only the rows with the most time are printed. */
struct list {
	const int64_t *times;
	size_t count;
	bool *shown;		/* whether each row is printed; NULL: all are */
};

static const int64_t *sorting;

static int by_time(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	KP_COMPARE(sorting[y], sorting[x]);
	return x < y ? -1 : x > y;
}

/* Selects the @top of @count rows with the most time. Without memory, all rows are printed. */
static struct list select_rows(const int64_t *times, size_t count, size_t top)
{
	struct list list = { times, count, NULL };
	size_t *order;

	if (count <= top)
		return list;
	order = kp_allocated(malloc(count * sizeof(*order)));
	list.shown = order ? kp_allocated(calloc(count, sizeof(*list.shown))) : NULL;
	for (size_t i = 0; list.shown && i < count; i++)
		order[i] = i;
	if (list.shown) {
		sorting = times;
		qsort(order, count, sizeof(*order), by_time);
	}
	for (size_t i = 0; list.shown && i < top; i++)
		list.shown[order[i]] = true;
	free(order);
	return list;
}

static bool is_shown(const struct list *list, size_t i)
{
	return !list->shown || list->shown[i];
}

/* Prints the number of the other rows and the sum of their times, and frees the list. */
static void text_left(struct list *list, const char *what, FILE *out)
{
	char time[KP_TIME_TEXT];
	int64_t sum = 0;
	size_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_shown(list, i))
			continue;
		left++;
		sum += list->times[i];
	}
	if (left)
		fprintf(out, "left out: %zu %s %s in all\n", left, what, kp_time_text(sum, time));
	free(list->shown);
}

/* ---- totals of threads ---- */

static void text_totals(const struct kp_why *why, size_t index, struct kp_why_explained *explained, FILE *out)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	char time[KP_TIME_TEXT];
	struct kp_why_totals t;

	if (kp_why_sum_up(why, index, explained, &t))
		goto done;
	plain(out, pid->name);
	fprintf(out, ": %zu runs, %s;", pid->runs.count, kp_time_text(t.run, time));
	if (t.stopped)
		fprintf(out, " its CPU did not run for %s;", kp_time_text(t.stopped, time));
	fprintf(out, " %zu gaps", kp_why_gap_count(why, index));
	t.unknown += t.wait['z' - 'a'];
	t.wait['z' - 'a'] = 0;
	for (int i = 0; i < 26; i++)
		if (t.wait[i])
			fprintf(out, ", %s%s %s", kp_why_reason_name(i), i == KP_THROTTLED - 'a' && t.throttled_inferred ? "?" : "",
				kp_time_text(t.wait[i], time));
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

/* Prints the totals of all threads; with --top, of those that ran longest. */
static void text_threads(const struct kp_why *why, size_t top, FILE *out)
{
	struct kp_why_explained explained = kp_why_begin_explaining(why, -1);
	int64_t *times = kp_allocated(calloc(why->pids.count + 1, sizeof(*times)));
	size_t *threads = kp_allocated(calloc(why->pids.count + 1, sizeof(*threads))), count = 0;
	struct list list;

	for (size_t i = 0; times && threads && i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];

		if (!pid->pid || !pid->runs.count)
			continue;
		for (size_t k = 0; k < pid->runs.count; k++)
			times[count] += pid->runs.items[k].end - pid->runs.items[k].start - pid->runs.items[k].stopped;
		threads[count++] = i;
	}
	list = select_rows(times, count, top);
	if (count)
		fprintf(out, "%sall threads:%s\n", kp_colour(KP_HEADING), kp_colour(KP_PLAIN));
	for (size_t i = 0; i < count; i++)
		if (is_shown(&list, i))
			text_totals(why, threads[i], &explained, out);
	text_left(&list, "threads, which ran", out);
	free(times);
	free(threads);
}

/* Prints the gaps of a thread; with --top, the longest. */
static void text_gaps(struct kp_why *why, size_t index, size_t top, FILE *out)
{
	struct kp_why_explained explained = kp_why_begin_explaining(why, (int64_t)index);
	const size_t count = kp_why_gap_count(why, index);
	int64_t *times = kp_allocated(calloc(count + 1, sizeof(*times)));
	struct kp_why_gap gap;
	struct list list;
	int status = times ? 0 : -1;

	for (size_t i = 0; i < count && !status; i++) {
		kp_why_gap(why, index, i, &gap);
		times[i] = gap.end - gap.start;
	}
	list = select_rows(times, status ? 0 : count, top);
	if (count) {
		fprintf(out, "%sgaps of ", kp_colour(KP_HEADING));
		plain(out, name_of(why, index));
		fprintf(out, ", oldest first:%s\n", kp_colour(KP_PLAIN));
	}
	for (size_t i = 0; i < count && !status && kp_why_go_on(&explained); i++) {
		if (!is_shown(&list, i))
			continue;
		kp_why_gap(why, index, i, &gap);
		status = kp_why_holders(why, &gap);
		if (!status)
			text_gap(why, &gap, out);
		free(gap.holders.items);
	}
	text_left(&list, "shorter gaps,", out);
	free(times);
}

/* ---- the critical path ---- */

/* Prints why the trace does not show the thread in a step. */
static void text_off(const struct kp_why *why, const struct kp_why_step *s, FILE *out)
{
	const int64_t paused = kp_why_paused(why, s->start, s->end);
	char time[KP_TIME_TEXT];

	fprintf(out, "%s is not in the trace: ", kp_colour(KP_CAVEAT));
	if (paused || s->start >= why->complete) {
		fprintf(out, "recording was off for %s of that", kp_time_text(paused, time));
	} else {
		fputs("events of some CPUs are missing until ", out);
		ku_print_seconds(out, why->complete);
		fputs(" s", out);
	}
	fputs(kp_colour(KP_PLAIN), out);
}

/* Returns whether a step is a time in which only the CPU of the thread did not run. */
static bool is_one_cpu(const struct kp_why_step *s)
{
	return s->what && strstr(s->what->text, "stolen");
}

/* Returns whether the filters inferred the stop: its name has a ? at the end. */
static bool is_inferred_stop(const struct kp_why_step *s)
{
	return s->what && kp_is_inferred(s->what->text, s->what->len);
}

/* Writes the cause under which the time of a step is added up. */
static void cause_text(const struct kp_why *why, const struct kp_why_step *s, char *text, size_t size)
{
	static const char *const words[] = {
		[KP_WHY_RUN] = "ran", [KP_WHY_CPU] = "waited for a CPU", [KP_WHY_OFF] = "is not in the trace",
	};
	const struct kp_str *cgroup = s->kind == KP_WHY_THROTTLED ? kp_why_cgroup(why, s->wait) : NULL;
	const struct kp_why_request *request = s->kind == KP_WHY_WAIT ? kp_why_request(why, s->wait) : NULL;

	if (s->kind == KP_WHY_STOPPED)
		snprintf(text, size, "the %s did not run%s", is_one_cpu(s) ? "CPU" : "machine",
			 is_inferred_stop(s) ? " (inferred)" : "");
	else if (s->kind == KP_WHY_THROTTLED && cgroup)
		snprintf(text, size, "was %s by cgroup %s", throttled_word(s->wait), cgroup->text);
	else if (s->kind == KP_WHY_THROTTLED && s->wait->arg0)
		snprintf(text, size, "was %s by cgroup id %" PRIu32, throttled_word(s->wait), cgroup_id(s->wait));
	else if (s->kind == KP_WHY_THROTTLED)
		snprintf(text, size, "was %s", throttled_word(s->wait));
	else if (s->kind != KP_WHY_WAIT && s->kind != KP_WHY_UNKNOWN)
		snprintf(text, size, "%s", words[s->kind]);
	else if (request)
		snprintf(text, size, "waited for disk %s: %s", request->disk.device, ku_disk_op_label(request->disk.op));
	else if (s->lock)
		snprintf(text, size, "waited %s%s", before_lock(s->lock), s->lock->name->text);
	else if (kp_why_is_in_call(s->wait, s->lock, s->in))
		snprintf(text, size, "waited in %s", s->in->name->text);
	else
		snprintf(text, size, "%s for %s", s->wait ? "waited" : "did not run", reason_text(s->wait));
}

static int by_cost(const void *a, const void *b)
{
	const struct kp_why_sum *x = a, *y = b;

	KP_COMPARE(y->time, x->time);
	return strcmp(x->name->text, y->name->text);
}

/* Prints a table of sums, the largest first, and frees them. */
static void text_sums(struct kp_why_sums *sums, size_t top, const char *heading, const char *what, FILE *out)
{
	char time[KP_TIME_TEXT], share[48];
	int64_t all = 0, left = 0;

	if (sums->list.count)
		qsort(sums->list.items, sums->list.count, sizeof(*sums->list.items), by_cost);
	for (size_t i = 0; i < sums->list.count; i++)
		all += sums->list.items[i].time;
	fprintf(out, "%s%s%s\n", kp_colour(KP_HEADING), heading, kp_colour(KP_PLAIN));
	for (size_t i = 0; i < sums->list.count; i++) {
		const struct kp_why_sum *sum = &sums->list.items[i];
		const int64_t part = (int64_t)(((__int128)sum->time * 1000 + all / 2) / all);
		const bool waits = !strncmp(sum->name->text, "waited ", 7) || !strncmp(sum->name->text, "was ", 4);

		if (i >= top) {
			left += sum->time;
			continue;
		}
		snprintf(share, sizeof(share), "%" PRId64 ".%" PRId64 " %%", part / 10, part % 10);
		fprintf(out, "%s%12s %8s  ", waits ? kp_colour(KP_WAITING) : "", kp_time_text(sum->time, time), share);
		kp_print_name(out, sum->name->text, sum->name->len);
		fprintf(out, ", %" PRIu64 " step%s%s\n", sum->count, sum->count == 1 ? "" : "s",
			waits ? kp_colour(KP_PLAIN) : "");
	}
	if (sums->list.count > top)
		fprintf(out, "left out: %zu %s, %s in all\n", sums->list.count - top, what, kp_time_text(left, time));
	kp_why_sums_free(sums);
}

/* Prints the time of the path by cause and by thread. */
static void text_path_sums(struct kp_why *why, const kp_why_steps *steps, size_t top, FILE *out)
{
	struct kp_why_sums causes = {0}, threads = {0};
	char text[400], heading[120], time[KP_TIME_TEXT];
	const struct kp_str *name;
	int status = 0;

	if (!steps->count)
		return;
	for (size_t i = 0; i < steps->count && !status; i++) {
		const struct kp_why_step *s = &steps->items[i];

		cause_text(why, s, text, sizeof(text));
		name = kp_strings_add(&why->strings, text, strlen(text));
		status = !name || kp_why_sums_add(&causes, name, s->end - s->start) ||
			 kp_why_sums_add(&threads, name_of(why, s->pid), s->end - s->start);
	}
	kp_time_text(steps->items[steps->count - 1].end - steps->items[0].start, time);
	snprintf(heading, sizeof(heading), "time of the critical path by cause, %s in all:", time);
	text_sums(&causes, top, heading, "causes", out);
	text_sums(&threads, top, "by thread:", "threads", out);
}

static void text_step(const struct kp_why *why, const struct kp_why_step *s, FILE *out)
{
	char time[KP_TIME_TEXT];

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
		fprintf(out, "%s waited for CPU %" PRIu32 "%s", kp_colour(KP_WAITING), s->cpu, kp_colour(KP_PLAIN));
		break;
	case KP_WHY_WAIT:
	case KP_WHY_UNKNOWN:
		fputs(kp_colour(KP_WAITING), out);
		fputs(s->wait || s->lock || kp_why_is_in_call(s->wait, s->lock, s->in) ? " waited" : " did not run", out);
		if (kp_why_is_in_call(s->wait, s->lock, s->in)) {
			fputs(" in ", out);
			text_in(s->in, out);
		}
		text_reason(why, s->wait, s->lock, s->in, out);
		fputs(kp_colour(KP_PLAIN), out);
		break;
	case KP_WHY_THROTTLED:
		fprintf(out, "%s was %s", kp_colour(KP_WAITING), throttled_word(s->wait));
		text_cgroup(why, s->wait, out);
		fputs(kp_colour(KP_PLAIN), out);
		break;
	case KP_WHY_OFF:
		text_off(why, s, out);
		break;
	case KP_WHY_STOPPED:
		fprintf(out, " had CPU %" PRIu32 ", but %s%s did not run%s%s", s->cpu, kp_colour(KP_CAVEAT),
			is_one_cpu(s) ? "the CPU" : "the machine",
			is_inferred_stop(s) ? " (inferred)" : "", kp_colour(KP_PLAIN));
		break;
	}
	putc('\n', out);
}

static void text_path(struct kp_why *why, size_t index, size_t top, FILE *out)
{
	struct kp_why_explained written = {0};
	kp_why_steps steps;
	int64_t *times;
	struct list list;

	if (kp_why_path(why, index, &steps) || !(times = kp_allocated(malloc((steps.count + 1) * sizeof(*times))))) {
		free(steps.items);
		return;
	}
	for (size_t i = 0; i < steps.count; i++)
		times[i] = steps.items[i].end - steps.items[i].start;
	list = select_rows(times, steps.count, top);
	text_path_sums(why, &steps, top, out);
	fprintf(out, "%scritical path of ", kp_colour(KP_HEADING));
	plain(out, name_of(why, index));
	fprintf(out, ", %soldest step first:%s\n", kp_why_beginning(why, index) > why->from ? "from its start, " : "",
		kp_colour(KP_PLAIN));
	written.total = steps.count;
	kp_progress_phase("writing", "steps");
	for (size_t i = 0; i < steps.count && kp_why_go_on(&written); i++)
		if (is_shown(&list, i))
			text_step(why, &steps.items[i], out);
	text_left(&list, "shorter steps,", out);
	free(times);
	free(steps.items);
}

static void text_unknown(const struct kp_why *why, FILE *out)
{
	int64_t paused = kp_why_paused(why, why->from, why->to);
	char time[KP_TIME_TEXT];

	fputs(kp_colour(KP_CAVEAT), out);
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
	if (why->complete > why->from) {
		fputs("events of some CPUs are missing until ", out);
		ku_print_seconds(out, why->complete);
		fputs(" s: gaps and waits that begin earlier are not counted\n", out);
	}
	fputs(kp_colour(KP_PLAIN), out);
}

/* Prints which thread is explained, why this one, and how to choose another. */
static void text_choice(const struct kp_why *why, struct kp_why_choice choice, FILE *out)
{
	static const char *const reasons[] = {
		[KP_WHY_FIRED] = "it fired the trigger", [KP_WHY_RUN_BY] = "it is the recorded program",
		[KP_WHY_STARTED_BY] = "kutrace_control started it", [KP_WHY_LAST] = "of all threads, it ran last",
	};

	if (choice.index < 0) {
		if (why->any)
			fputs("no thread ran, except idle and kutrace_control\n", out);
		return;
	}
	fprintf(out, "%sexplains ", kp_colour(KP_HEADING));
	plain(out, name_of(why, (size_t)choice.index));
	fprintf(out, ": %s", reasons[choice.reason]);
	if (choice.reason == KP_WHY_FIRED && *why->trigger) {
		putc(' ', out);
		kp_print_name(out, why->trigger, strlen(why->trigger));
	}
	fprintf(out, "; try --pid NAME for another thread%s\n", kp_colour(KP_PLAIN));
}

void kp_why_text(struct kp_why *why, struct kp_why_choice choice, size_t top, FILE *out)
{
	const bool chosen = choice.reason == KP_WHY_CHOSEN;

	if (chosen) {
		struct kp_why_explained explained = kp_why_begin_explaining(why, choice.index);

		text_totals(why, (size_t)choice.index, &explained, out);
	} else {
		text_choice(why, choice, out);
	}
	if (choice.index >= 0)
		kp_why_identity_text(why, (size_t)choice.index, top, out);
	if (choice.index >= 0)
		text_path(why, (size_t)choice.index, top, out);
	if (chosen)
		text_gaps(why, (size_t)choice.index, top, out);
	else
		text_threads(why, top, out);
	text_unknown(why, out);
}
