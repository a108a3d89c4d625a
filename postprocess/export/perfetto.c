// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts spans to Perfetto (export/exporters.h):
 *
 *	[ 12.07652033, 0.00000293, 0, 51, 0, 2087, 9849, 51, 0, "getpid"]
 *	becomes  a slice "getpid" on the track of CPU 0, and one on the track of thread 51
 *
 * Spans with the same start are handled together, because a wait that begins when a thread leaves
 * its CPU shows the thread's state. Slices of a track must nest: the track of a CPU omits an
 * overlapping span, and other tracks show it as an instant.
 */
#include "export/exporters.h"

#include "export/perfetto_parts.h"

static bool ends_earlier(void *self, const int64_t *a, const int64_t *b)
{
	(void)self;
	return *a < *b;
}

KP_HEAP(ends, int64_t, void *, ends_earlier)

/* event numbers of waits; FIRST_WAIT + 0 to 25: wait for reason a to z */
#define FIRST_WAIT	KUTRACE_MADE_WAITA
#define LAST_WAIT	KUTRACE_MADE_WAITZ
#define WAIT_FOR_CPU	(FIRST_WAIT + 'c' - 'a')
#define WAIT_FOR_DISK	(FIRST_WAIT + 'd' - 'a')
#define WAIT_FOR_MEMORY	(FIRST_WAIT + 'm' - 'a')

/* Task states of Linux. Linux has no state above 0x1FF, and Perfetto shows such a state as "?". */
enum { STATE_RUNNABLE, STATE_SLEEPING, STATE_UNINTERRUPTIBLE, STATE_DEAD = 16, STATE_UNKNOWN = 0x8000 };

struct kp_perfetto {
	struct kp_perfetto_options options;
	struct kp_pf_out out;
	struct kp_pf_tracks tracks;
	struct kp_pf_points points;
	struct kp_strings strings;		/* names of calls */
	KP_VECTOR(struct kp_span) group;	/* spans with the same start */
	KP_VECTOR(int64_t) waits;		/* heap: ends of the current waits for a CPU */
	int64_t first, last;			/* first and last time, units of 10 ns */
	int64_t paused;				/* start of the last pause row; 0: none */
	int64_t resumes;			/* no CPU ends its pause before this time */
	bool any;
	/* header of the spans, without the keys that depend on this machine or on chance */
	struct kp_header facts;
};

struct kp_perfetto *kp_perfetto_new(const struct kp_perfetto_options *options)
{
	struct kp_perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->options = *options;
	p->out.file = options->out;
	kp_pf_tracks_init(&p->tracks, &p->out, options->tasks);
	p->points.tracks = &p->tracks;
	p->resumes = INT64_MAX;
	return p;
}

static struct kp_pf_name call_name(const struct kp_call *call)
{
	return (struct kp_pf_name){ call->name->text, call->name->len };
}

/*
 * Returns the state of @pid when it leaves a CPU and @next runs there. A wait of @pid that begins
 * at the same time shows the state. At a pause of the recording, the state is unknown.
 */
static int64_t state_of(const struct kp_perfetto *p, int64_t pid, int64_t next)
{
	if (kp_pf_is_pause(pid) || kp_pf_is_pause(next))
		return STATE_UNKNOWN;
	for (size_t i = 0; i < p->group.count; i++) {
		const struct kp_span *span = &p->group.items[i];

		if (span->pid != pid || span->event < FIRST_WAIT || span->event > LAST_WAIT)
			continue;
		if (span->event == WAIT_FOR_CPU || span->event == KP_WAIT(KP_THROTTLED))
			return STATE_RUNNABLE;
		return span->event == WAIT_FOR_DISK || span->event == WAIT_FOR_MEMORY ?
			       STATE_UNINTERRUPTIBLE : STATE_SLEEPING;
	}
	if (kp_lives_exiting(&p->tracks.lives, pid))
		return STATE_DEAD;
	return pid ? STATE_SLEEPING : STATE_RUNNABLE;
}

/* Returns whether @span is execution of a thread whose number Perfetto can have. */
static bool can_run(const struct kp_span *span)
{
	return kp_span_is_execution(span) && span->pid >= 0 && span->pid <= INT32_MAX;
}

static void put_switch(struct kp_perfetto *p, struct kp_pf_cpu *cpu, const struct kp_span *span)
{
	char before[KP_TASK_NAME];
	struct kp_pf_switch s = {
		.time_ns = span->start * 10, .cpu = (uint32_t)span->cpu,
	};
	struct kp_pf_at at;

	if (cpu->pid == span->pid)
		return;
	if (cpu->pid > 0) {
		s.prev_state = state_of(p, cpu->pid, span->pid);
		kp_pf_state(&p->tracks, cpu->pid, s.prev_state != STATE_DEAD && s.prev_state != STATE_UNKNOWN);
	}
	kp_pf_state(&p->tracks, span->pid, true);
	s.prev = kp_pf_task(&p->tracks, cpu->pid > 0 ? cpu->pid : 0);
	snprintf(before, sizeof(before), "%s", s.prev.name);
	s.prev.name = before;
	s.next = kp_pf_task(&p->tracks, span->pid);
	kp_pf_switch(&p->out, &s);
	cpu->pid = span->pid;
	at = kp_pf_at(&p->tracks, span->cpu, span->start);
	if (s.prev_state == STATE_DEAD)
		kp_pf_free(&p->out, &at, &s.prev);
}

/* Ends the idle state of the CPU at the start of @span. */
static void end_idle(struct kp_perfetto *p, struct kp_pf_cpu *cpu, const struct kp_span *span)
{
	const struct kp_pf_at at = kp_pf_at(&p->tracks, span->cpu, span->start);

	if (cpu->idling)
		kp_pf_idle(&p->out, &at, KP_PF_IDLE_END);
	cpu->idling = false;
}

/* Writes the switch to the thread of an execution span, if this thread does not run yet. */
static void run_span(struct kp_perfetto *p, struct kp_pf_cpu *cpu, const struct kp_span *span)
{
	if (span->event >= KP_EVENT_USER && span->pid)
		kp_pf_take_name(&p->tracks, span);
	if (!kp_span_is_idle(span))
		end_idle(p, cpu, span);
	put_switch(p, cpu, span);
}

/*
 * Writes the switch to the waker of @waking, if the waker gets its CPU at the same time. Otherwise
 * the event's pid would not be the running thread.
 */
static void run_waker(struct kp_perfetto *p, const struct kp_span *waking)
{
	struct kp_pf_cpu *cpu = kp_pf_cpu(&p->tracks, waking->cpu);

	for (size_t i = 0; cpu && cpu->pid != waking->pid && i < p->group.count; i++) {
		const struct kp_span *span = &p->group.items[i];

		if (span->cpu == waking->cpu && span->pid == waking->pid && can_run(span))
			run_span(p, cpu, span);
	}
}

/* Returns the wakeup of @pid in the current group; NULL: none. */
static const struct kp_span *wakeup_of(const struct kp_perfetto *p, int64_t pid)
{
	for (size_t i = 0; i < p->group.count; i++)
		if (p->group.items[i].event == KP_EVENT_WAKEUP && p->group.items[i].retval == pid)
			return &p->group.items[i];
	return NULL;
}

/*
 * Writes the creation of a task if the span shows that another thread has the pid now. The wakeup of
 * the new thread, if recorded, shows its parent.
 */
static void take_life(struct kp_perfetto *p, const struct kp_span *span)
{
	const int64_t pid = span->event == KP_EVENT_WAKEUP ? span->retval : span->pid;
	const uint32_t before = kp_lives_of(&p->tracks.lives, pid);
	const struct kp_span *arc, *at;
	const char *parent;
	uint32_t maker, process;

	if (kp_lives_row(&p->tracks.lives, span) < 0)
		p->out.failed = true;
	if (kp_lives_of(&p->tracks.lives, pid) == before || pid > INT32_MAX)
		return;
	arc = wakeup_of(p, pid);
	at = arc ? arc : span;
	if (!kp_pf_cpu(&p->tracks, at->cpu))
		return;
	parent = kp_pf_task_name(&p->tracks, arc ? arc->pid : pid);
	process = kp_pf_process(&p->tracks, pid);
	maker = arc ? (uint32_t)arc->pid : process != pid ? process : 0;
	kp_pf_new_task(&p->out, at->start * 10, (uint32_t)at->cpu, maker, (uint32_t)pid, parent,
		       process != pid && kp_pf_process(&p->tracks, maker) == process);
	kp_pf_name_child(&p->tracks, pid, parent);
}

struct calls_to {
	struct kp_pf_out *out;
	uint64_t track;
};

static void begin_call(void *self, const struct kp_call *call)
{
	const struct calls_to *to = self;
	const struct kp_pf_extra more = { .has_arg0 = true, .arg0 = (uint64_t)call->arg0 };

	kp_pf_begin(to->out, to->track, call->at * 10, call_name(call), &more);
}

static void end_call(void *self, const struct kp_call *call)
{
	const struct calls_to *to = self;
	/* retval has only the low 16 bits of the result; errors become negative */
	const int64_t ret = call->retval >= 0xF001 && call->retval <= 0xFFFF ?
				    call->retval - 0x10000 : call->retval;
	const struct kp_pf_extra more = {
		.has_ret = ret != 0, .ret = ret, .inferred = call->inferred,
	};

	kp_pf_end(to->out, to->track, call->at * 10, &more);
}

/* Adds the next span of the thread. NULL ends the thread. */
static void put_calls(struct kp_perfetto *p, struct kp_pf_thread *thread, const struct kp_span *span)
{
	struct calls_to to = { &p->out, thread->track };
	const struct kp_calls_sink sink = { begin_call, end_call, &to };

	if (span ? kp_calls_span(&thread->calls, span, p->paused, &p->strings, &sink) : kp_calls_end(&thread->calls, &sink))
		p->out.failed = true;
}

static void put_ipc(struct kp_perfetto *p, struct kp_pf_cpu *cpu, const struct kp_span *span)
{
	/* eighths of an instruction per cycle, by the four recorded bits */
	static const uint8_t eighths[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28,
	};
	const uint64_t track = KP_PF_IPC + (uint64_t)span->cpu;
	const bool counted = (p->options.raw->flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) == KUTRACE_FLAG_IPC;
	char name[64];

	if (!counted || (cpu->has_ipc_track && cpu->ipc == span->ipc))
		return;
	if (!cpu->has_ipc_track) {
		snprintf(name, sizeof(name), "CPU %d instructions a cycle, in eighths", span->cpu);
		kp_pf_track(&p->out, track, KP_PF_KERNEL, name, true);
		cpu->has_ipc_track = true;
	}
	cpu->ipc = span->ipc;
	kp_pf_counter(&p->out, track, span->start * 10, eighths[span->ipc & 15]);
}

static void put_execution(struct kp_perfetto *p, const struct kp_span *span)
{
	struct kp_pf_cpu *cpu = kp_pf_cpu(&p->tracks, span->cpu);
	const bool user = span->event >= KP_EVENT_USER;
	const bool inferred = kp_is_inferred(span->name, span->name_len);
	const struct kp_pf_extra more = { .inferred = inferred };
	struct kp_pf_thread *thread;

	if (!cpu || !can_run(span))
		return;
	run_span(p, cpu, span);
	put_ipc(p, cpu, span);
	thread = span->pid ? kp_pf_thread(&p->tracks, span->pid) : NULL;
	if (thread)
		put_calls(p, thread, span);
	if (user || span->start < cpu->end)
		return;
	kp_pf_begin(&p->out, KP_PF_CPU + (uint64_t)span->cpu, span->start * 10, kp_pf_span_name(span), NULL);
	kp_pf_end(&p->out, KP_PF_CPU + (uint64_t)span->cpu, (span->start + span->dur) * 10,
		  inferred ? &more : NULL);
	cpu->end = span->start + span->dur;
}

/*
 * Writes a pause of the recording as the run of a thread -pause-, which does not exist: in
 * Perfetto, only the next thread ends the state of a thread. Returns whether the row begins a
 * pause.
 */
static bool put_pause(struct kp_perfetto *p, const struct kp_span *span)
{
	struct kp_pf_cpu *cpu = kp_pf_cpu(&p->tracks, span->cpu);
	const struct kp_span paused = {
		.start = span->start, .cpu = span->cpu, .pid = KP_PAUSE_PID + span->cpu,
	};

	p->paused = span->start;
	if (!cpu)
		return false;
	end_idle(p, cpu, span);
	put_switch(p, cpu, &paused);
	kp_pf_begin(&p->out, KP_PF_CPU + (uint64_t)span->cpu, span->start * 10, kp_pf_span_name(span), NULL);
	cpu->resumes = span->start + span->dur;
	if (p->resumes > cpu->resumes)
		p->resumes = cpu->resumes;
	kp_pf_end(&p->out, KP_PF_CPU + (uint64_t)span->cpu, cpu->resumes * 10, NULL);
	return span->arg0;
}

/*
 * Writes a time in which the CPU did not run as a slice of the CPU. The thread keeps the CPU, and its
 * calls continue afterwards.
 */
static void put_stopped(struct kp_perfetto *p, const struct kp_span *span)
{
	struct kp_pf_cpu *cpu = kp_pf_cpu(&p->tracks, span->cpu);
	struct kp_pf_thread *thread = span->pid > 0 && span->pid <= INT32_MAX ? kp_pf_thread(&p->tracks, span->pid) : NULL;

	if (!cpu || span->start < cpu->end)
		return;
	if (thread)
		kp_joiner_stopped(&thread->calls.joiner, span);
	kp_pf_begin(&p->out, KP_PF_CPU + (uint64_t)span->cpu, span->start * 10, kp_pf_span_name(span), NULL);
	cpu->end = span->start + span->dur;
	kp_pf_end(&p->out, KP_PF_CPU + (uint64_t)span->cpu, cpu->end * 10, NULL);
}

/* Ends the pauses that end before @now, with idle: their CPUs have no row after the pause. */
static void end_pauses(struct kp_perfetto *p, int64_t now)
{
	struct kp_span idle = { .cpu = 0 };

	if (p->resumes >= now)
		return;
	p->resumes = INT64_MAX;
	for (; idle.cpu < KP_PF_CPUS; idle.cpu++) {
		struct kp_pf_cpu *cpu = &p->tracks.cpus[idle.cpu];

		idle.start = cpu->resumes;
		if (!kp_pf_is_pause(cpu->pid))
			continue;
		if (idle.start < now)
			put_switch(p, cpu, &idle);
		else if (idle.start < p->resumes)
			p->resumes = idle.start;
	}
}

/*
 * Ends the states of all threads at a pause. For each thread, writes a switch to the thread, and at
 * the same time a switch away from it in an unknown state.
 */
static void end_states(struct kp_perfetto *p, const struct kp_span *pause)
{
	struct kp_span thread = { .start = pause->start, .cpu = pause->cpu };
	struct kp_pf_cpu *cpu = kp_pf_cpu(&p->tracks, pause->cpu);
	const int64_t paused = KP_PAUSE_PID + pause->cpu;

	while (cpu && (thread.pid = kp_pf_take_state(&p->tracks))) {
		put_switch(p, cpu, &thread);
		thread.pid = paused;
		put_switch(p, cpu, &thread);
	}
}

/* ---- threads that wait for a CPU ---- */

static void say_waiting(struct kp_perfetto *p, int64_t at)
{
	kp_pf_counter(&p->out, KP_PF_WAITING, at * 10, (int64_t)p->waits.count);
}

/*
 * Ends the waits up to @now, and writes how many waits remain after each end before @now. Returns
 * whether waits ended exactly at @now. The caller writes the number at @now, because other waits
 * may begin then.
 */
static bool end_waits(struct kp_perfetto *p, int64_t now)
{
	int64_t *ends = p->waits.items;
	bool fewer_now = false;

	while (p->waits.count && ends[0] <= now) {
		const int64_t at = ends[0];

		ends[0] = ends[--p->waits.count];
		ends_down(NULL, ends, p->waits.count, 0);
		fewer_now = at == now;
		/* several waits may end at the same time */
		if (!fewer_now && !(p->waits.count && ends[0] == at))
			say_waiting(p, at);
	}
	return fewer_now;
}

/* Updates the number of threads that wait for a CPU: ends waits, and adds the group's waits. */
static void count_waits(struct kp_perfetto *p, int64_t now)
{
	bool changed = end_waits(p, now);
	int64_t *end;

	for (size_t i = 0; i < p->group.count; i++) {
		const struct kp_span *span = &p->group.items[i];

		if (span->event != WAIT_FOR_CPU || span->cpu >= 0)
			continue;
		end = KP_PUSH(&p->waits);
		if (!end) {
			p->out.failed = true;
			return;
		}
		*end = span->start + span->dur;
		ends_up(NULL, p->waits.items, p->waits.count - 1);
		changed = true;
	}
	if (changed)
		say_waiting(p, now);
}

static void put_point(struct kp_perfetto *p, const struct kp_span *span)
{
	if (span->event == KUTRACE_RUNNABLE)
		run_waker(p, span);
	kp_pf_point(&p->points, span, p->group.items, p->group.count);
}

static int put_group(struct kp_perfetto *p)
{
	const struct kp_span *pause = NULL;
	const int64_t now = p->group.count ? p->group.items[0].start : 0;

	end_pauses(p, now);
	for (size_t i = 0; i < p->group.count; i++)
		kp_pf_take_about(&p->tracks, &p->group.items[i]);
	for (size_t i = 0; i < p->group.count; i++)
		if (p->group.items[i].event == KP_EVENT_WAKEUP)
			take_life(p, &p->group.items[i]);
	for (size_t i = 0; i < p->group.count; i++)
		if (p->group.items[i].event != KP_EVENT_WAKEUP)
			take_life(p, &p->group.items[i]);
	if (p->group.count)
		count_waits(p, now);
	for (size_t i = 0; i < p->group.count; i++)
		if (kp_span_is_execution(&p->group.items[i]))
			put_execution(p, &p->group.items[i]);
		else if (kp_span_is_stopped(&p->group.items[i]))
			put_stopped(p, &p->group.items[i]);
		else if (p->group.items[i].event != KUTRACE_MADE_PAUSE)
			put_point(p, &p->group.items[i]);
		else if (put_pause(p, &p->group.items[i]))
			pause = &p->group.items[i];
	if (pause)
		end_states(p, pause);
	p->group.count = 0;
	return p->out.failed ? -1 : 0;
}

static int take_span(void *self, const struct kp_span *span)
{
	struct kp_perfetto *p = self;
	struct kp_span *copy;

	if (p->group.count && p->group.items[0].start != span->start && put_group(p))
		return -1;
	if (!p->any)
		p->first = span->start;
	p->any = true;
	if (span->start + span->dur > p->last)
		p->last = span->start + span->dur;
	copy = KP_PUSH(&p->group);
	if (!copy)
		return -1;
	*copy = *span;
	return 0;
}

/*
 * Stores the header, which is written when the first time is known. Writes the machine, the clocks
 * and the common tracks.
 */
static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_perfetto *p = self;
	const struct kp_raw_about *about = p->options.about;
	const size_t release = strcspn(about->kernel, " ");
	char text[sizeof(about->kernel)];
	size_t at = 0, i;
	const char *zone = kp_raw_meta(p->options.raw, "utc_offset_s", &at);

	kp_lives_header(&p->tracks.lives, items, count);
	for (i = 0; i < count; i++)
		/* tracebase depends on this machine's time zone, randomid is random */
		if (strcmp(items[i].key, "tracebase") && strcmp(items[i].key, "randomid") &&
		    kp_header_set(&p->facts, items[i].key, items[i].value))
			return -1;
	snprintf(text, sizeof(text), "%.*s", (int)release, about->kernel);
	kp_pf_system(&p->out, text, about->kernel + release + (about->kernel[release] == ' '),
		     about->arch, zone ? strtol(zone, NULL, 10) : 0);
	kp_pf_clocks(&p->out, 0, about->start_s * 1000000000);
	kp_pf_track(&p->out, KP_PF_FACTS, 0, "KUtrace: facts and losses of the trace", false);
	kp_pf_track(&p->out, KP_PF_KERNEL, 0, "KUtrace: kernel code on each CPU", false);
	kp_pf_track(&p->out, KP_PF_WAITING, 0, "threads that wait for a CPU", true);
	return 0;
}

/*
 * Writes the header and the losses. The losses become a slice as long as the trace, because their
 * times are unknown.
 */
static void put_facts(struct kp_perfetto *p)
{
	const struct kp_raw *raw = p->options.raw;
	const uint64_t damaged = raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times;
	static char lost[100];

	kp_pf_facts(&p->out, KP_PF_FACTS, p->first * 10, "KUtrace", &p->facts);
	kp_pf_metadata(&p->out, raw->lost, damaged, &p->facts);
	if (!raw->lost && !damaged)
		return;
	snprintf(lost, sizeof(lost), "%" PRIu64 " events lost, %" PRIu64 " damaged, somewhere from here to the end",
		 raw->lost, damaged);
	kp_pf_begin(&p->out, KP_PF_FACTS, p->first * 10, (struct kp_pf_name){ lost, strlen(lost) }, NULL);
	kp_pf_end(&p->out, KP_PF_FACTS, p->last * 10, NULL);
}

static int take_end(void *self)
{
	struct kp_perfetto *p = self;

	if (put_group(p))
		return -1;
	end_pauses(p, INT64_MAX);
	count_waits(p, INT64_MAX);
	for (size_t i = 0; i < p->tracks.threads.count; i++)
		put_calls(p, &p->tracks.threads.items[i], NULL);
	put_facts(p);
	return kp_pf_flush(&p->out);
}

struct kp_span_sink kp_perfetto_sink(struct kp_perfetto *p)
{
	return (struct kp_span_sink){
		.header = take_header, .span = take_span, .end = take_end, .self = p,
	};
}

uint64_t kp_perfetto_packets(const struct kp_perfetto *p)
{
	return p->out.packets;
}

void kp_perfetto_free(struct kp_perfetto *p)
{
	if (!p)
		return;
	kp_pf_tracks_free(&p->tracks);
	kp_strings_free(&p->strings);
	kp_rpc_flows_free(&p->points.rpcs);
	kp_header_free(&p->facts);
	kp_pf_close(&p->out);
	free(p->group.items);
	free(p->waits.items);
	free(p);
}
