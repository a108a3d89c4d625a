// SPDX-License-Identifier: BSD-3-Clause
/* Collects rows of threads, and finds gaps (report/why.h). why_path.c has the critical path. */
#include "report/why.h"

#include "base/tool.h"
#include "kutrace_quota.h"

#define WAIT_CPU (KUTRACE_MADE_WAITA + ('c' - 'a'))
#define WAIT_DISK (KUTRACE_MADE_WAITA + ('d' - 'a'))
/* Maximum difference of the end of an arc from the start of the run, in traces of the original. */
#define ARC_SLACK 5

void kp_why_init(struct kp_why *why, int64_t from, int64_t to)
{
	memset(why, 0, sizeof(*why));
	why->from = from;
	why->to = to ? to : INT64_MAX;
	why->first = why->trace_first = INT64_MAX;
}

void kp_why_free(struct kp_why *why)
{
	for (uint32_t i = 0; i < why->cpu_count; i++) {
		if (!why->cpus[i])
			continue;
		free(why->cpus[i]->execs.items);
		free(why->cpus[i]->runs.items);
		free(why->cpus[i]);
	}
	for (size_t i = 0; i < why->pids.count; i++) {
		free(why->pids.items[i].runs.items);
		free(why->pids.items[i].gaps.items);
		free(why->pids.items[i].wakes.items);
		free(why->pids.items[i].waits.items);
		free(why->pids.items[i].tries.items);
		free(why->pids.items[i].holds.items);
		free(why->pids.items[i].throttles.items);
	}
	free(why->pids.items);
	kp_lives_free(&why->lives);
	kp_identities_free(&why->identities);
	free(why->pauses.items);
	kp_map_free(&why->by_pid);
	kp_map_free(&why->by_cgroup);
	free(why->cgroups.items);
	free(why->priorities.items);
	free(why->order.items);
	kp_map_free(&why->by_request);
	free(why->requests.items);
	kp_map_free(&why->by_timer);
	free(why->timers.items);
	kp_strings_free(&why->strings);
}

/* Returns the thread that has @pid now, or NULL without memory. */
static struct kp_why_pid *pid_of(struct kp_why *why, int64_t pid)
{
	const uint32_t life = kp_lives_of(&why->lives, pid);
	const uint64_t key = kp_life_key(pid, life);
	char name[32] = "-idle-";
	struct kp_why_pid *p;
	uint32_t index;

	if (kp_map_get(&why->by_pid, key, &index))
		return &why->pids.items[index];
	if (why->pids.count > UINT32_MAX ||
	    kp_map_set(&why->by_pid, key, (uint32_t)why->pids.count))
		return NULL;
	p = KP_PUSH(&why->pids);
	if (!p)
		return NULL;
	memset(p, 0, sizeof(*p));
	p->pid = pid;
	p->life = life;
	if (pid)
		snprintf(name, sizeof(name), "?.%" PRId64, pid);
	p->name = kp_strings_add(&why->strings, name, strlen(name));
	return p->name ? p : NULL;
}

static int add_run(struct kp_why *why, struct kp_why_cpu *cpu, uint32_t number,
		   const struct kp_why_exec *exec, struct kp_why_pid *pid)
{
	struct kp_why_run *run = cpu->runs.count ? &cpu->runs.items[cpu->runs.count - 1] : NULL;
	const int64_t stopped = kp_why_is_stopped(exec) ? exec->end - exec->start : 0;
	size_t index = (size_t)(pid - why->pids.items);
	struct kp_why_run *own = pid->runs.count ? &pid->runs.items[pid->runs.count - 1] : NULL;

	/* the thread has a copy of this run, as its last run unless rows overlap */
	if (run && run->pid == index && run->end == exec->start &&
	    (!pid->pid || (own && own->cpu == number && own->start == run->start))) {
		run->end = exec->end;
		run->stopped += stopped;
		run->last = cpu->execs.count - 1;
		if (pid->pid)
			*own = *run;
		return 0;
	}
	run = KP_PUSH(&cpu->runs);
	if (!run)
		return -1;
	*run = (struct kp_why_run){
		.start = exec->start, .end = exec->end, .cpu = number, .stopped = stopped,
		.first = cpu->execs.count - 1, .last = cpu->execs.count - 1, .pid = index,
	};
	if (!pid->pid)
		return 0;	/* pid 0 is the idle task of every CPU */
	return KP_APPEND(&pid->runs, *run);
}

static int add_exec(struct kp_why *why, const struct kp_span *s, int64_t start, int64_t end)
{
	struct kp_why_cpu *cpu = why->cpus[s->cpu];
	struct kp_why_pid *pid = pid_of(why, s->pid);
	struct kp_why_exec *exec;

	if (!cpu) {
		cpu = why->cpus[s->cpu] = calloc(1, sizeof(*cpu));
		if (cpu && (uint32_t)s->cpu >= why->cpu_count)
			why->cpu_count = (uint32_t)s->cpu + 1;
	}
	if (!pid || !cpu)
		return -1;
	exec = KP_PUSH(&cpu->execs);
	if (!exec)
		return -1;
	*exec = (struct kp_why_exec){
		.start = start, .end = end, .pid = s->pid,
		.event = kp_is_old_sched_span(s) ? KUTRACE_CALL_SCHED : s->event,
		.name = kp_strings_add(&why->strings, s->name, s->name_len),
		.kernel = kp_span_is_kernel_thread(s), .retval = (uint16_t)s->retval,
	};
	if (!exec->name)
		return -1;
	why->any = true;
	return add_run(why, cpu, (uint32_t)s->cpu, exec, pid);
}

/*
 * Takes the thread's name from a row in or outside the selected time. Uses the last name until the
 * end of that time: before exec, a child has the name of its parent. Uses a later name only if
 * there is no other.
 */
static int take_name(struct kp_why *why, const struct kp_span *s)
{
	struct kp_why_pid *pid;

	if (!kp_span_is_execution(s) || s->event != KP_EVENT_USER + s->pid || !s->pid)
		return 0;
	pid = pid_of(why, s->pid);
	if (!pid)
		return -1;
	if (pid->named && s->start >= why->to)
		return 0;
	pid->named = true;
	pid->name = kp_strings_add(&why->strings, s->name, s->name_len);
	return pid->name ? 0 : -1;
}

static int add_wake(struct kp_why *why, const struct kp_span *s)
{
	struct kp_why_pid *pid = pid_of(why, s->retval);
	const struct kp_why_wake wake = { s->start, s->start + s->dur, s->cpu, s->pid };

	return pid ? KP_APPEND(&pid->wakes, wake) : -1;
}

/* Adds the part of a throttled interval after the previous one: the intervals do not overlap. */
static int add_throttle(struct kp_why_pid *pid, struct kp_why_wait throttle)
{
	const size_t count = pid->throttles.count;

	if (count && throttle.start < pid->throttles.items[count - 1].end)
		throttle.start = pid->throttles.items[count - 1].end;
	return throttle.start < throttle.end ? KP_APPEND(&pid->throttles, throttle) : 0;
}

static int add_wait(struct kp_why *why, const struct kp_span *s)
{
	struct kp_why_pid *pid = pid_of(why, s->pid);
	const struct kp_why_wait wait = { s->start, s->start + s->dur, s->event, s->arg0,
					  kp_strings_add(&why->strings, s->name, s->name_len) };

	if (!pid || !wait.name)
		return -1;
	if (s->event == KP_WAIT(KP_THROTTLED))
		return add_throttle(pid, wait);
	if (s->event == KUTRACE_MADE_LOCKHELD)
		return KP_APPEND(&pid->holds, wait);
	return s->event == KUTRACE_MADE_LOCKTRY ? KP_APPEND(&pid->tries, wait) : KP_APPEND(&pid->waits, wait);
}

/* Takes the name of a throttled cgroup from the row of the event: "throttled=/pod (20 ms of 100 ms)". */
static int add_cgroup(struct kp_why *why, const struct kp_span *s)
{
	const char *name = memchr(s->name, '=', s->name_len);
	const uint64_t key = (uint64_t)s->arg0 & KUTRACE_QUOTA_CGROUP;
	const struct kp_str *text;
	uint32_t index;

	if (!name || kp_map_get(&why->by_cgroup, key, &index))
		return 0;
	text = kp_strings_add(&why->strings, name + 1, s->name_len - (size_t)(name + 1 - s->name));
	return text && !KP_APPEND(&why->cgroups, text) &&
	       !kp_map_set(&why->by_cgroup, key, (uint32_t)why->cgroups.count - 1) ? 0 : -1;
}

/* Adds a row of a request of a disk: the time in its queue, or the time in which it was served. */
static int add_request(struct kp_why *why, const struct kp_span *s)
{
	struct kp_why_request *request;
	struct ku_disk disk;
	uint32_t index;

	if (s->arg0 <= 0 || !ku_disk_parse(&disk, s->name, s->name_len))
		return 0;
	if (!kp_map_get(&why->by_request, (uint64_t)s->arg0, &index)) {
		index = (uint32_t)why->requests.count;
		if (KP_APPEND(&why->requests, (struct kp_why_request){ .disk = disk }) ||
		    kp_map_set(&why->by_request, (uint64_t)s->arg0, index))
			return -1;
	}
	request = &why->requests.items[index];
	if (s->event == KUTRACE_MADE_DISK_QUEUE)
		request->queued = s->dur;
	else
		request->served = s->dur;
	return 0;
}

const struct kp_why_request *kp_why_request(const struct kp_why *why, const struct kp_why_wait *wait)
{
	uint32_t index;

	return wait && wait->event == WAIT_DISK && wait->arg0 &&
		       kp_map_get(&why->by_request, (uint64_t)wait->arg0, &index) ?
		       &why->requests.items[index] : NULL;
}

/* Adds a row of a timer that woke a thread. */
static int add_timer(struct kp_why *why, const struct kp_span *s)
{
	struct kp_why_timer timer = { .woken = s->start + s->dur };

	if (s->arg0 <= 0 || !ku_timer_parse_parts(&timer.parts, s->name, s->name_len))
		return 0;
	return KP_APPEND(&why->timers, timer) ||
	       kp_map_set(&why->by_timer, (uint64_t)s->arg0, (uint32_t)why->timers.count - 1) ? -1 : 0;
}

const struct kp_why_timer *kp_why_timer(const struct kp_why *why, const struct kp_why_wait *wait)
{
	uint32_t index;

	return wait && wait->event != WAIT_DISK && wait->event != KP_WAIT(KP_THROTTLED) && wait->arg0 &&
		       kp_map_get(&why->by_timer, (uint64_t)wait->arg0, &index) ?
		       &why->timers.items[index] : NULL;
}

int64_t kp_why_timer_late(const struct kp_why_timer *timer)
{
	return ku_timer_late_ns(&timer->parts) / 10;
}

const struct kp_str *kp_why_cgroup(const struct kp_why *why, const struct kp_why_wait *throttle)
{
	uint32_t index;

	return throttle->arg0 && kp_map_get(&why->by_cgroup, (uint64_t)throttle->arg0 & KUTRACE_QUOTA_CGROUP, &index) ?
		       why->cgroups.items[index] : NULL;
}

static int add_priority(struct kp_why *why, const struct kp_span *s)
{
	const struct kp_str *name = kp_strings_add(&why->strings, s->name, s->name_len);

	return name ? KP_APPEND(&why->priorities, (struct kp_why_priority){ s->pid, s->start, s->start + s->dur, name }) : -1;
}

static int by_pid_and_start(const void *a, const void *b)
{
	const struct kp_why_priority *x = a, *y = b;

	KP_COMPARE(x->pid, y->pid);
	KP_COMPARE(x->start, y->start);
	return 0;
}

/* Returns the priority that rows of the pid itself have at @at, or NULL. */
static const struct kp_str *priority_row(const struct kp_why *why, int64_t pid, int64_t at)
{
	const struct kp_why_priority *list = why->priorities.items;
	size_t low;

	KP_FIND(low, why->priorities.count, list[low].pid < pid || (list[low].pid == pid && list[low].start <= at));
	return low && list[low - 1].pid == pid && list[low - 1].end >= at ? list[low - 1].name : NULL;
}

const struct kp_str *kp_why_priority(const struct kp_why *why, int64_t pid, int64_t at)
{
	return priority_row(why, pid, at) ?: priority_row(why, 0, at);
}

/*
 * Adds a pause once, although each CPU has a row of it. If arg0 is 0, recording was on, but the
 * state of the CPU is unknown: adds a pause of length 0.
 */
static int add_pause(struct kp_why *why, const struct kp_span *s, int64_t start, int64_t end)
{
	const size_t count = why->pauses.count;
	struct kp_why_pause *last = count ? &why->pauses.items[count - 1] : NULL;

	if (!s->arg0)
		end = start;
	if (last && last->start >= start) {
		if (last->start == start && last->end < end)
			last->end = end;
		return 0;
	}
	return KP_APPEND(&why->pauses, (struct kp_why_pause){ start, end });
}

static int find_gaps(const struct kp_why *why, struct kp_why_pid *pid);

static void extend(int64_t *first, int64_t *last, int64_t start, int64_t end)
{
	if (start < *first)
		*first = start;
	if (end > *last)
		*last = end;
}

static int on_span(void *self, const struct kp_span *s)
{
	const bool pause = s->event == KUTRACE_MADE_PAUSE, stopped = kp_span_is_stopped(s),
		covers = pause || stopped || kp_span_is_execution(s);
	struct kp_why *why = self;
	int64_t start = s->start < why->from ? why->from : s->start;
	int64_t end = s->start + s->dur > why->to ? why->to : s->start + s->dur;
	int status = 0;

	if (covers)
		extend(&why->trace_first, &why->trace_last, s->start, s->start + s->dur);
	if (end < start || s->dur == 0)
		return 0;
	if (covers && end > start)
		extend(&why->first, &why->last, start, end);
	if (pause)
		status = add_pause(why, s, start, end);
	else if (stopped && end > start)
		status = add_exec(why, s, start, end);
	else if (kp_span_is_execution(s) && !kp_span_leaves_idle(s) && end > start)
		status = add_exec(why, s, start, end);
	else if (kp_span_is_execution(s) && end > start)
		status = add_exec(why, &(struct kp_span){
			.cpu = s->cpu, .event = KP_EVENT_USER, .name = s->name,
			.name_len = s->name_len }, start, end);
	else if (s->event == KP_EVENT_WAKEUP)
		status = add_wake(why, s);
	else if (s->event == KUTRACE_THROTTLE)
		status = add_cgroup(why, s);
	else if (s->event == KUTRACE_MADE_PRIORITY_SPAN)
		status = add_priority(why, s);
	else if (s->event == KUTRACE_MADE_DISK_QUEUE || s->event == KUTRACE_MADE_DISK_SERVED)
		status = add_request(why, s);
	else if (s->event == KUTRACE_MADE_TIMER_LATE)
		status = add_timer(why, s);
	else if (s->cpu < 0 && s->event >= KUTRACE_MADE_WAITA &&
		 s->event <= KUTRACE_MADE_WAITZ && s->event != WAIT_CPU)
		status = add_wait(why, s);
	else if (s->event == KUTRACE_MADE_LOCKTRY || s->event == KUTRACE_MADE_LOCKHELD)
		status = add_wait(why, s);
	why->no_memory |= status != 0;
	return status;
}

static int by_pid(const void *a, const void *b)
{
	const struct kp_why_life *x = a, *y = b;

	KP_COMPARE(x->pid, y->pid);
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts the threads for kp_why_at(). A later thread with the same pid has a higher index. */
static int sort_lives(struct kp_why *why)
{
	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];

		if (KP_APPEND(&why->order, (struct kp_why_life){
				pid->pid, pid->runs.count ? pid->runs.items[0].start : INT64_MAX, i }))
			return -1;
	}
	if (why->order.count)
		qsort(why->order.items, why->order.count, sizeof(*why->order.items), by_pid);
	for (size_t i = why->order.count; i-- > 1;) {
		struct kp_why_life *life = &why->order.items[i - 1];

		if (life->begin == INT64_MAX && life[1].pid == life->pid)
			life->begin = life[1].begin;
	}
	return 0;
}

static int on_end(void *self)
{
	struct kp_why *why = self;

	if (why->from < why->first && why->last)
		why->from = why->first;
	if (why->to > why->last && why->last)
		why->to = why->last;
	if (why->to == INT64_MAX)
		why->to = why->from;
	if (why->priorities.count)
		qsort(why->priorities.items, why->priorities.count, sizeof(*why->priorities.items), by_pid_and_start);
	why->no_memory |= sort_lives(why) != 0;
	for (size_t i = 0; i < why->pids.count; i++)
		why->no_memory |= find_gaps(why, &why->pids.items[i]) != 0;
	return why->no_memory ? -1 : 0;
}

/* Reads the candidates of kp_why_choose() from the header. */
static void take_facts(struct kp_why *why, const struct kp_header_item *items, size_t count)
{
	const char *run = kp_header_fact(items, count, "run"), *pid = kp_header_fact(items, count, "fired_pid");
	const char *fired = kp_header_fact(items, count, "fired"), *wrapped = kp_header_fact(items, count, "wrapped");

	why->run_pid = run ? strtoll(run, NULL, 10) : 0;
	why->wrapped = wrapped && strtol(wrapped, NULL, 10);
	why->fired_pid = pid ? strtoll(pid, NULL, 10) : 0;
	if (fired && *fired == '"')
		snprintf(why->trigger, sizeof(why->trigger), "%.*s", (int)strcspn(fired + 1, "\""), fired + 1);
}

/* Finds a child of the recorder: its row with all names of the thread begins with the recorder's name. */
static void take_started(struct kp_why *why, const struct kp_span *s)
{
	static const char started[] = KP_WHY_RECORDER "+";

	if (s->event == KUTRACE_MADE_LEFTMARK && !why->started_pid && s->name_len >= sizeof(started) - 1 &&
	    !memcmp(s->name, started, sizeof(started) - 1))
		why->started_pid = s->pid;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_why *why = self;
	struct kp_pause partial;

	kp_lives_header(&why->lives, items, count);
	take_facts(why, items, count);
	why->lost = kp_header_lost(items, count);
	if (kp_header_partial(items, count, &partial))
		why->complete = partial.on;
	return 0;
}

static void take_exit(struct kp_why *why, const struct kp_span *s)
{
	uint32_t index;

	if (s->event == KUTRACE_TASKEXIT &&
	    kp_map_get(&why->by_pid, kp_life_key(s->arg0, kp_lives_of(&why->lives, s->arg0)), &index))
		why->pids.items[index].ended = s->start;
}

/* Adds a row. First updates which thread has the row's pid, and the thread's name. */
static int on_row(void *self, const struct kp_span *s)
{
	struct kp_why *why = self;

	take_started(why, s);
	take_exit(why, s);
	if (kp_lives_row(&why->lives, s) >= 0 && !take_name(why, s) &&
	    !kp_identities_row(&why->identities, &why->strings, s))
		return on_span(why, s);
	why->no_memory = true;
	return -1;
}

struct kp_span_sink kp_why_sink(struct kp_why *why)
{
	return (struct kp_span_sink){
		.header = on_header, .span = on_row, .end = on_end, .self = why,
	};
}

int64_t kp_why_at(const struct kp_why *why, int64_t pid, int64_t at)
{
	const struct kp_why_life *order = why->order.items;
	size_t first, after;
	uint32_t index;

	if (!kp_lives_of(&why->lives, pid))
		return kp_map_get(&why->by_pid, kp_life_key(pid, 0), &index) ? (int64_t)index : -1;
	KP_FIND(first, why->order.count, order[first].pid < pid);
	KP_FIND(after, why->order.count, order[after].pid < pid ||
		(order[after].pid == pid && order[after].begin <= at && order[after].begin != INT64_MAX));
	if (after > first)
		return (int64_t)order[after - 1].index;
	return first < why->order.count && order[first].pid == pid ? (int64_t)order[first].index : -1;
}

int64_t kp_why_find(const struct kp_why *why, int64_t pid)
{
	return kp_why_at(why, pid, INT64_MAX);
}

int64_t kp_why_named(const struct kp_why *why, const char *name, size_t *count)
{
	int64_t best = -1, longest = -1;

	*count = 0;
	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];
		int64_t time;

		if (!pid->runs.count || !kp_is_name_of(pid->name->text, pid->name->len, name))
			continue;
		(*count)++;
		time = pid->runs.items[pid->runs.count - 1].end - pid->runs.items[0].start;
		if (time <= longest)
			continue;
		longest = time;
		best = (int64_t)i;
	}
	return best;
}

const struct kp_why_exec *kp_why_exec_at(const struct kp_why *why, int32_t number, int64_t at)
{
	const struct kp_why_cpu *cpu = number >= 0 ? why->cpus[number] : NULL;
	size_t low;

	KP_FIND(low, cpu ? cpu->execs.count : 0, cpu->execs.items[low].start <= at);
	if (!low || cpu->execs.items[low - 1].end < at)
		return NULL;
	/* if one row ends at @at and another begins there, this is the row that begins */
	return &cpu->execs.items[low - 1];
}

size_t kp_why_run_after(const struct kp_why_run *runs, size_t count, int64_t at)
{
	size_t first;

	KP_FIND(first, count, runs[first].end <= at);
	return first;
}

static const struct kp_why_wake *wake_for(const struct kp_why_pid *pid, int64_t start,
					  int64_t end)
{
	size_t low;

	KP_FIND(low, pid->wakes.count, pid->wakes.items[low].at <= end);
	/* prefer an arc that ends at @end; it may begin before the gap */
	for (size_t i = low; i > 0 && low - i < 16; i--) {
		const struct kp_why_wake *w = &pid->wakes.items[i - 1];

		if (w->end >= end - ARC_SLACK && w->end <= end + ARC_SLACK)
			return w;
	}
	return low && pid->wakes.items[low - 1].at >= start ? &pid->wakes.items[low - 1] : NULL;
}

static const struct kp_why_wait *wait_for(const struct kp_why_pid *pid, int64_t start,
					  int64_t end)
{
	size_t low;

	KP_FIND(low, pid->waits.count, pid->waits.items[low].start < end);
	return low && pid->waits.items[low - 1].end > start ? &pid->waits.items[low - 1] : NULL;
}

/* Returns the attempt to take a lock during which the thread waited, or NULL. */
static const struct kp_why_wait *lock_for(const struct kp_why_pid *pid, int64_t start, int64_t end)
{
	size_t low;

	KP_FIND(low, pid->tries.count, pid->tries.items[low].start <= start);
	return low && pid->tries.items[low - 1].end >= end ? &pid->tries.items[low - 1] : NULL;
}

int64_t kp_why_throttled(const struct kp_why_pid *pid, int64_t start, int64_t end,
			 const struct kp_why_wait **last)
{
	int64_t time = 0;
	size_t i;

	if (last)
		*last = NULL;
	KP_FIND(i, pid->throttles.count, pid->throttles.items[i].end <= start);
	for (; i < pid->throttles.count && pid->throttles.items[i].start < end; i++) {
		const struct kp_why_wait *throttle = &pid->throttles.items[i];

		time += (throttle->end < end ? throttle->end : end) - (throttle->start > start ? throttle->start : start);
		if (last)
			*last = throttle;
	}
	return time;
}

static int by_time(const void *a, const void *b)
{
	const struct kp_why_holder *x = a, *y = b;

	KP_COMPARE(y->time, x->time);
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Needs one step for each run. During the call, kp_why_pid.holder is the index + 1 of a thread in
 * the list.
 */
int kp_why_holders(struct kp_why *why, struct kp_why_gap *gap)
{
	const struct kp_why_cpu *cpu = why->cpus[gap->next->cpu];
	const int64_t start = gap->runnable, end = gap->end;
	size_t i = kp_why_run_after(cpu->runs.items, cpu->runs.count, start);
	uint64_t steps = 0;
	int status = 0;

	for (; i < cpu->runs.count && cpu->runs.items[i].start < end && !status; i++) {
		const struct kp_why_run *run = &cpu->runs.items[i];
		struct kp_why_pid *pid = &why->pids.items[run->pid];
		int64_t from = run->start > start ? run->start : start;
		int64_t to = run->end < end ? run->end : end;
		int64_t throttled = kp_why_throttled(&why->pids.items[gap->pid], from, to, NULL);

		if (throttled == to - from)
			continue;	/* the thread did not wait for this CPU */
		if (!pid->holder) {
			if (KP_APPEND(&gap->holders, (struct kp_why_holder){ run->pid, 0 })) {
				status = -1;
				break;
			}
			pid->holder = gap->holders.count;
		}
		gap->holders.items[pid->holder - 1].time += to - from - throttled;
		if (!(++steps % KP_WHY_CHECK) && kp_interrupted())
			status = -1;
	}
	for (i = 0; i < gap->holders.count; i++)
		why->pids.items[gap->holders.items[i].pid].holder = 0;
	if (gap->holders.count)
		qsort(gap->holders.items, gap->holders.count, sizeof(*gap->holders.items), by_time);
	return status;
}

/* Returns the index of the first pause that begins at or after @at. */
static size_t pause_from(const struct kp_why *why, int64_t at)
{
	size_t first;

	KP_FIND(first, why->pauses.count, why->pauses.items[first].start < at);
	return first;
}

bool kp_why_paused_between(const struct kp_why *why, int64_t start, int64_t end)
{
	size_t i = pause_from(why, start);

	return i < why->pauses.count && why->pauses.items[i].start < end;
}

int64_t kp_why_paused(const struct kp_why *why, int64_t start, int64_t end)
{
	int64_t time = 0;

	for (size_t i = pause_from(why, start); i < why->pauses.count && why->pauses.items[i].start < end; i++) {
		const struct kp_why_pause *pause = &why->pauses.items[i];

		time += (pause->end < end ? pause->end : end) - pause->start;
	}
	return time;
}

/*
 * Returns the start of the gap before the run @next: the end of the previous run. If there is none,
 * or if events since then are missing, the gap begins at the wakeup, but not before all events are
 * recorded. Without a wakeup, returns the start of @next.
 */
static int64_t gap_start(const struct kp_why *why, const struct kp_why_pid *pid, size_t next)
{
	const int64_t before = next ? pid->runs.items[next - 1].end : INT64_MIN;
	const int64_t end = pid->runs.items[next].start;
	const size_t pauses = pause_from(why, end);
	const struct kp_why_pause *pause = pauses ? &why->pauses.items[pauses - 1] : NULL;
	int64_t complete = before > why->complete ? before : why->complete;
	const struct kp_why_wake *wake;

	if (pause && pause->start >= before && pause->end > complete)
		complete = pause->end;
	if (complete == before)
		return before;
	wake = wake_for(pid, complete, end);
	if (!wake)
		return end;
	return wake->at > complete ? wake->at : complete;
}

bool kp_why_is_gap(const struct kp_why *why, const struct kp_why_pid *pid, size_t next)
{
	return pid->runs.items[next].start > gap_start(why, pid, next);
}

size_t kp_why_gap_count(const struct kp_why *why, size_t index)
{
	return why->pids.items[index].gaps.count;
}

static int find_gaps(const struct kp_why *why, struct kp_why_pid *pid)
{
	for (size_t i = 0; i < pid->runs.count; i++) {
		if (!kp_why_is_gap(why, pid, i))
			continue;
		if (KP_APPEND(&pid->gaps, i))
			return -1;
	}
	return 0;
}

static void find_waker(const struct kp_why *why, struct kp_why_gap *gap)
{
	const struct kp_why_exec *in = kp_why_exec_at(why, gap->wake->cpu, gap->wake->at);

	gap->waker_in = in;
	if (!in || in->event != KUTRACE_CALL_BH || in == why->cpus[gap->wake->cpu]->execs.items)
		return;
	/* a softirq immediately after a system call of the thread runs inside this call */
	if (in[-1].event >= KUTRACE_CALL_SYSCALL64 && in[-1].event < KUTRACE_CALL_SCHED &&
	    in[-1].pid == in->pid && in[-1].end == in->start)
		gap->inside = in - 1;
}

/* Returns whether the row can be on top of a call: interrupt, softirq or scheduler. */
static bool is_on_top(const struct kp_why_exec *exec)
{
	return exec->event == KUTRACE_CALL_SCHED || kp_why_is_stopped(exec) ||
	       (exec->event >= KUTRACE_CALL_IRQ && exec->event <= KUTRACE_CALL_BH);
}

/*
 * Returns the innermost call, fault or user code at the end of the run; NULL: the run has no such
 * row.
 */
static const struct kp_why_exec *stopped_in(const struct kp_why *why, const struct kp_why_run *run)
{
	const struct kp_why_exec *execs = why->cpus[run->cpu]->execs.items;

	for (size_t i = run->last + 1; i-- > run->first;)
		if (!is_on_top(&execs[i]))
			return &execs[i];
	return NULL;
}

/*
 * Returns the run that followed the run @before on its CPU, if its thread took the CPU: the thread of
 * @before was runnable, and did not yield. NULL: it did not, or the trace has no priorities.
 */
static const struct kp_why_run *preemptor_of(const struct kp_why *why, const struct kp_why_run *before,
					     const struct kp_why_gap *gap)
{
	const struct kp_why_cpu *cpu = why->cpus[before->cpu];
	const size_t i = kp_why_run_after(cpu->runs.items, cpu->runs.count, before->end);
	const struct kp_why_run *run = i < cpu->runs.count ? &cpu->runs.items[i] : NULL;

	if (!why->priorities.count || gap->wake || gap->wait || gap->throttle || !run || run->start != before->end ||
	    run->pid == gap->pid || !why->pids.items[run->pid].pid ||
	    (gap->in && !strncmp(gap->in->name->text, "sched_yield", 11)))
		return NULL;
	return run;
}

void kp_why_explain(const struct kp_why *why, size_t index, size_t next, struct kp_why_gap *gap)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	const struct kp_why_run *run = &pid->runs.items[next];

	memset(gap, 0, sizeof(*gap));
	gap->pid = index;
	gap->next = run;
	gap->end = run->start;
	gap->start = gap_start(why, pid, next);
	gap->wake = wake_for(pid, gap->start, gap->end);
	gap->is_new = !next;
	if (next && gap->start == run[-1].end) {
		gap->in = stopped_in(why, &run[-1]);
		gap->wait = wait_for(pid, gap->start, gap->end);
	}
	gap->runnable = gap->start;
	if (gap->wake) {
		if (gap->wake->at > gap->start)
			gap->runnable = gap->wake->at;
		find_waker(why, gap);
	} else if (gap->wait) {
		/* with merged spans, the wait may end after the gap */
		gap->runnable = gap->wait->end < gap->end ? gap->wait->end : gap->end;
	}
	if (gap->in && gap->runnable > gap->start)
		gap->lock = lock_for(pid, gap->start, gap->runnable);
	gap->throttled = kp_why_throttled(pid, gap->runnable, gap->end, &gap->throttle);
	if (next && gap->start == run[-1].end)
		gap->preemptor = preemptor_of(why, &run[-1], gap);
}

void kp_why_gap(const struct kp_why *why, size_t index, size_t n, struct kp_why_gap *gap)
{
	kp_why_explain(why, index, why->pids.items[index].gaps.items[n], gap);
}
