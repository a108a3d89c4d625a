// SPDX-License-Identifier: BSD-3-Clause
/* Receives events and names, and passes each event to the file that handles it. */
#include "reconstruct/reconstruct.h"

#include "common/entry.h"
#include "eventtext/eventtext.h"
#include "reconstruct/state.h"

/*
 * ---- pauses of the recording ----
 *
 * Ends the state of all CPUs and tasks where a pause begins, as at the end of a trace. Events after
 * the pause create new state.
 *
 * A trace may have many pauses. So the work for a pause must depend only on the events since the
 * previous pause, plus two rows per CPU.
 */

/* Writes a row of pause @number; 0: the pause has ended, but the CPU's state is unknown. */
static void kp_pause_row(struct kp_reconstruct *rec, const struct kp_cpu *cpu, int64_t from,
			 int64_t to, uint64_t number)
{
	const struct kp_span row = {
		.start = from, .dur = to - from, .cpu = cpu->id, .event = KUTRACE_MADE_PAUSE,
		.arg0 = (int64_t)number,
	};

	if (row.dur <= 0)
		return;
	rec->stats.others++;
	kp_rec_row(rec, &row, rec->pause_name);
}

static void kp_pause_cpu(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			 const struct kp_pause *pause)
{
	if (cpu->started) {
		/* A task that the scheduler has chosen does not run before the pause. */
		cpu->switching = KP_SWITCH_NONE;
		kp_rec_close(rec, cpu, pause->off, 0, 0, false);
		cpu->last = pause->off;
		kp_rec_point_end(rec, cpu);
	} else if (cpu->paused >= 0) {
		kp_pause_row(rec, cpu, cpu->paused, pause->off, 0);
	}
	if (cpu->started || cpu->paused >= 0) {
		kp_pause_row(rec, cpu, pause->off, pause->on, rec->stats.pauses);
		cpu->paused = pause->on;
	}
	if (cpu->started || cpu->ipis.count || cpu->stores.count)
		kp_rec_cpu_reset(rec, cpu);
}

static void kp_pause_task(struct kp_reconstruct *rec, struct kp_task *task, int64_t off)
{
	kp_rec_task_end(rec, task);
	kp_rec_rpc_end(rec, task, off);
	kp_rec_packet_task_end(rec, task);
	kp_rec_task_reset(rec, task);
}

static void kp_pause(struct kp_reconstruct *rec, const struct kp_pause *pause)
{
	struct kp_task *task;

	rec->stats.pauses++;
	rec->stats.paused_units += pause->on - pause->off;
	/*
	 * The return of a merged call may be in the pause. It is not handled: the call ends where
	 * the pause begins.
	 */
	kp_rec_all_due(rec, pause->off, KUTRACE_CPUS);
	rec->due = NULL;
	for (int i = 0; i < KUTRACE_CPUS; i++)
		if (rec->cpus[i])
			kp_pause_cpu(rec, rec->cpus[i], pause);
	kp_rec_packet_end(rec);
	while ((task = rec->touched)) {
		rec->touched = task->next_touched;
		kp_pause_task(rec, task, pause->off);
	}
	kp_pause_task(rec, &rec->idle, pause->off);
	kp_rec_point_forget(rec);
	kp_rec_quota_forget(rec);
	kp_rec_disk_forget(rec);
	if (rec->stats.last < pause->off)
		rec->stats.last = pause->off;
	rec->resumes = pause->on;
	if (rec->ran_until < pause->on)
		rec->ran_until = pause->on;
}

/* Ends and forgets all state if a pause begins at or before @ts, the time of an event. */
static void kp_rec_pauses(struct kp_reconstruct *rec, int64_t ts)
{
	struct kp_pause pause;

	/* Skip a pause before the first event: a wrapped trace may have lost all earlier events. */
	while (kp_pauses_next(&rec->pauses, ts, &pause))
		if (rec->any || pause.on > ts)
			kp_pause(rec, &pause);
	rec->any = true;
}

/* Writes the time from the end of the last pause to @ts, in which the state of @cpu is unknown. */
static void kp_rec_resume(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	kp_pause_row(rec, cpu, cpu->paused, ts, 0);
	cpu->paused = -1;
}

/* ---- events ---- */

/* Begins the execution of a CPU at its first event that is not a block header. */
static void kp_start(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		     const struct kp_event *event)
{
	struct kp_task *task;

	cpu->started = true;
	cpu->start = event->ts;
	cpu->last = event->ts;
	cpu->sampled = event->ts;
	cpu->span_rpc = event->rpc;
	cpu->rpc = event->rpc;
	if (cpu->paused >= 0)
		kp_rec_resume(rec, cpu, event->ts);
	else if (!rec->stats.cpus++ || event->ts < rec->stats.first)
		rec->stats.first = event->ts;
	/*
	 * A context switch does not show the previous task. A block header may have set cpu->task.
	 */
	if (event->event == KUTRACE_USERPID)
		return;
	task = kp_rec_task(rec, event->pid);
	if (!task)
		return;
	cpu->task = task;
	cpu->span_task = task;
	kp_rec_arrive(rec, task, cpu->id, event->ts);
}

/*
 * Handles a block header, which contains the running task. If the header has another task than the
 * CPU, a switch was not recorded. But just after a switch, the header may have the previous task.
 */
static void kp_block_header(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			    const struct kp_event *event)
{
	const int64_t just = 10000;	/* units of 10 ns */

	if (!cpu->started && cpu->paused >= 0) {
		/*
		 * This task has run since the end of the pause: a switch since then would have been
		 * recorded.
		 */
		struct kp_event since = *event;

		since.ts = rec->resumes;
		since.event = KUTRACE_MADE_PAUSE;
		kp_start(rec, cpu, &since);
		return;
	}
	if (!cpu->started) {
		struct kp_task *task = kp_rec_task(rec, event->pid);

		if (task) {
			cpu->task = task;
			cpu->span_task = task;
			if (task->cpu < 0)
				task->cpu = cpu->id;
		}
		return;
	}
	if (event->pid == cpu->task->pid ||
	    (cpu->switch_time >= 0 && event->ts - cpu->switch_time < just &&
	     (event->pid == cpu->switch_from || cpu->switch_from == UINT32_MAX)))
		return;
	kp_rec_due(rec, cpu, event->ts);
	cpu->rpc = event->rpc;
	kp_rec_gap(rec, cpu, event);
	cpu->last = event->ts;
	if (event->ts > rec->ran_until)
		rec->ran_until = event->ts;	/* a time before it without events has lost some */
}

/*
 * Ends the scheduler's span of a thread that has exited, if its CPU has switched away from it. Must be
 * called when another thread gets the pid.
 */
static void kp_leave(struct kp_reconstruct *rec, const struct kp_task *task)
{
	struct kp_cpu *cpu = task && task->exiting && task->cpu >= 0 ? rec->cpus[task->cpu] : NULL;

	if (cpu && cpu->span_task == task)
		kp_rec_leave_dead(rec, cpu);
}

static void kp_name(struct kp_reconstruct *rec, const struct kp_namedef *def,
		    enum kp_name_source source)
{
	const struct kp_task *task = kp_rec_task(rec, def->number);

	if (task && kp_rec_names_next(task, def, source))
		kp_leave(rec, task);
	kp_rec_task_name(rec, def, source);
}

/* Sets the name of a task from the text of a context switch, such as "work.51". */
static void kp_switch_name(struct kp_reconstruct *rec, const struct kp_event *event)
{
	const char *dot = memrchr(event->name, '.', event->name_len);
	struct kp_namedef def = { .number = event->pid, .name = event->name };

	if (!dot || dot == event->name)
		return;
	def.name_len = (size_t)(dot - event->name);
	if (dot - event->name == 3 && !memcmp(event->name, "pid", 3)) {
		kp_rec_task_unnamed(rec, event->pid);
		return;
	}
	kp_name(rec, &def, KP_NAMED_SWITCH);
}

/* Replaces the scheduler's old event number by today's number, see model/span.h. */
static void kp_renumber_sched(struct kp_reconstruct *rec, struct kp_event *event)
{
	rec->new_sched |= kp_is_sched(event);
	if (!rec->new_sched && !rec->meta_count && kp_is_old_sched(event))
		event->event += KUTRACE_CALL_SCHED - KP_CALL_OLD_SCHED;
}

/*
 * Returns true for events that may have the time of an earlier timer interrupt instead of their
 * own.
 */
static bool kp_moved_back(const struct kp_event *event)
{
	return event->event == KUTRACE_PC_U || event->event == KUTRACE_PC_K ||
	       event->event == KUTRACE_PC_OLD || event->event == KUTRACE_PSTATE;
}

/* Handles a call. If the call is an IPI, also ends the arcs of IPIs to this CPU. */
static void kp_dispatch_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			     const struct kp_event *event)
{
	kp_rec_call(rec, cpu, event);
	if (!kp_is_irq(event->event))
		return;
	kp_rec_irq_begins(rec, cpu);
	if (event->event != KUTRACE_CALL_BH)
		kp_rec_timer_irq(cpu, event->ts, kp_rec_reason(rec, cpu) == 't');
	kp_rec_ipi_taken(rec, cpu, event->ts);
}

static int kp_rec_event(void *self, const struct kp_event *given)
{
	struct kp_event copy = *given, *event = &copy;
	struct kp_reconstruct *rec = self;
	struct kp_cpu *cpu;
	int64_t ts = event->ts;

	if (!rec->begun)
		kp_rec_header(rec);
	kp_rec_identities(rec, ts);
	kp_renumber_sched(rec, event);
	cpu = kp_rec_cpu(rec, event->cpu);
	if (rec->err || !cpu)
		return kp_rec_fail(rec, "impossible CPU");
	kp_rec_pauses(rec, ts);
	if (ts < rec->resumes) {
		if (event->event < KUTRACE_CALL_TRAP && event->event != KUTRACE_USERPID)
			kp_rec_point_alone(rec, event);
		return rec->err;
	}
	kp_rec_all_due(rec, ts, cpu->id);
	if (event->event == KUTRACE_USERPID) {
		kp_switch_name(rec, event);
		if (event->dur) {
			kp_block_header(rec, cpu, event);
			return rec->err;
		}
	}
	kp_rec_stopped(rec, cpu, event);
	kp_rec_tick(rec, cpu, event);
	if (!cpu->started)
		kp_start(rec, cpu, event);
	if (cpu->stores.count && !kp_moved_back(event))
		kp_rec_stores_seen(rec, cpu, ts);
	if (ts < cpu->last && event->event >= KUTRACE_CALL_TRAP && !cpu->due)
		return kp_rec_fail(rec, "time goes back: sort with sort -n first");

	if (event->event < KUTRACE_CALL_TRAP && event->event != KUTRACE_USERPID) {
		/* A point event inside a merged call does not end the call. */
		if (cpu->due && cpu->due_ts <= ts)
			kp_rec_due(rec, cpu, ts);
		cpu->rpc = event->rpc;
		if (event->event == KUTRACE_RUNNABLE && kp_rec_makes_tasks(rec, cpu))
			kp_leave(rec, kp_rec_task(rec, event->arg0));
		kp_rec_point(rec, cpu, event);
	} else {
		kp_rec_due(rec, cpu, ts);
		cpu->rpc = event->rpc;
		cpu->timer.pid = 0;
		if (event->event == KUTRACE_USERPID)
			kp_rec_switch(rec, cpu, event);
		else if (event->event & KUTRACE_RETURN_BIT)
			kp_rec_return(rec, cpu, event, ts,
				      event->event & ~(uint32_t)KUTRACE_RETURN_BIT,
				      event->retval & 0xFFFF, event->ipc & 15);
		else
			kp_dispatch_call(rec, cpu, event);
	}
	if (ts > cpu->last)
		cpu->last = ts;
	return rec->err;
}

/* Returns whether the fact shows that the trace can lack wakeups. */
static bool kp_excludes_wakeups(const struct kp_namedef *def)
{
	char text[64], *value;

	snprintf(text, sizeof(text), "%.*s", (int)def->name_len, def->name);
	value = strchr(text, '=');
	if (!value)
		return false;
	*value++ = '\0';
	if (!strncmp(text, "lost_", 5) || !strcmp(text, "filtered"))
		return strtoull(value, NULL, 10);
	if (!strcmp(text, "cats"))
		return !(strtoull(value, NULL, 16) & KUTRACE_MASK_WAKEUP);
	return !strcmp(text, "kinds") && !(strtoull(value, NULL, 16) >> KUTRACE_KIND_RUNNABLE & 1);
}

static int kp_rec_other_namedef(struct kp_reconstruct *rec, const struct kp_namedef *def, uint32_t base)
{
	const struct kp_name *known = kp_names_get(&rec->names, base, def->number);
	struct kp_pause pause;

	kp_rec_identities(rec, def->ts);
	/* The order of several names at time -1 is unknown: use the alphabetically first. */
	if (def->ts < 0 && known) {
		size_t len = known->len < def->name_len ? known->len : def->name_len;
		int diff = memcmp(known->text, def->name, len);

		/* A name may occur with and without a kind: a block header has no kind. */
		if (!diff && known->len == def->name_len && known->kind < def->kind)
			kp_names_set_kind(&rec->names, base, def->number, def->kind);
		if (diff < 0 || (!diff && known->len <= def->name_len))
			goto meta;
	}
	if (kp_names_set(&rec->names, base, def->number, def->name, def->name_len))
		return kp_rec_no_memory(rec);
	if (def->kind)
		kp_names_set_kind(&rec->names, base, def->number, def->kind);
	if (base == KUTRACE_NAME_PID && def->ts >= 0)
		kp_name(rec, def, KP_NAMED_TIME);
	if (base == KUTRACE_NAME_PRIORITY && def->ts >= 0)
		kp_rec_priority_name(rec, def);
meta:
	if (base != KUTRACE_NAME_META)
		return rec->err;
	rec->wakeups_missing |= kp_excludes_wakeups(def);
	if (kp_pause_parse(KUTRACE_META_PAUSE, def->name, def->name_len, &pause)) {
		if (pause.off >= pause.on || pause.on > KP_EVENT_TIME_MAX)
			rec->stats.bad_pause = true;
		else if (kp_pauses_add(&rec->pauses, &pause))
			return kp_rec_no_memory(rec);
		return rec->err;
	}
	if (kp_pause_parse(KUTRACE_META_PARTIAL, def->name, def->name_len, &pause)) {
		if (pause.off >= pause.on || pause.on > KP_EVENT_TIME_MAX) {
			rec->stats.bad_partial = true;
			return rec->err;
		}
		rec->stats.partial = pause;
	}
	if (!rec->begun)
		kp_rec_meta(rec, def->name, def->name_len);
	return rec->err;
}

static int kp_rec_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_reconstruct *rec = self;
	uint32_t base = KU_NAME_BASE(def->event);

	if (base == KUTRACE_NAME_TASK) {
		if (def->ts >= 0)
			kp_rec_identity(rec, def);
		return rec->err;
	}
	return kp_rec_other_namedef(rec, def, base);
}

static int kp_rec_take_comment(void *self, const char *text, size_t len)
{
	struct kp_reconstruct *rec = self;

	kp_rec_comment(rec, text, len);
	return rec->err;
}

struct kp_event_sink kp_reconstruct_sink(struct kp_reconstruct *rec)
{
	return (struct kp_event_sink){
		.event = kp_rec_event,
		.namedef = kp_rec_namedef,
		.comment = kp_rec_take_comment,
		.self = rec,
	};
}

/* Ends the unresolved spans, RPCs and messages of all tasks. Writes the tasks' names. */
static void kp_tasks_end(struct kp_reconstruct *rec)
{
	for (size_t i = 0; i < rec->task_count; i++) {
		kp_rec_task_end(rec, rec->tasks[i]);
		kp_rec_rpc_end(rec, rec->tasks[i], rec->stats.last);
		kp_rec_packet_task_end(rec, rec->tasks[i]);
		kp_rec_task_names(rec, rec->tasks[i]);
	}
}

int kp_reconstruct_end(struct kp_reconstruct *rec)
{
	int i, err;

	if (!rec->begun && !rec->err)
		kp_rec_header(rec);
	kp_rec_identities(rec, INT64_MAX);
	kp_rec_all_due(rec, INT64_MAX, KUTRACE_CPUS);
	for (i = 0; i < KUTRACE_CPUS; i++) {
		struct kp_cpu *cpu = rec->cpus[i];

		if (!cpu || !cpu->started)
			continue;
		kp_rec_close(rec, cpu, cpu->last, 0, 0, false);
		kp_rec_point_end(rec, cpu);
		if (cpu->last > rec->stats.last)
			rec->stats.last = cpu->last;
	}
	kp_rec_packet_end(rec);
	kp_rec_disk_forget(rec);
	kp_rec_packet_task_end(rec, &rec->idle);
	kp_tasks_end(rec);
	kp_rec_priorities_end(rec);
	if (rec->err)
		return rec->err;
	err = rec->sink.end(rec->sink.self);
	if (err)
		rec->err = err;
	return rec->err;
}

struct kp_reconstruct *kp_reconstruct_new(const char *title,
					  const struct kp_span_sink *sink)
{
	struct kp_reconstruct *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return NULL;
	rec->sink = *sink;
	rec->title = strdup(title);
	rec->mbit = 1000;
	rec->version = KUTRACE_FILE_VERSION;
	rec->idle.ran = true;
	rec->idle.cpu = -1;
	rec->idle.away.off = -1;
	rec->idle.away.woken = -1;
	rec->idle_name = kp_rec_str(rec, "-idle-", 6);
	rec->lowpower_name = kp_rec_str(rec, "-idlelp-", 8);
	rec->cexit_name = kp_rec_str(rec, "-c-exit-", 8);
	rec->ipi_name = kp_rec_str(rec, "-ipi-", 5);
	rec->wakeup_name = kp_rec_str(rec, "-wakeup-", 8);
	rec->pause_name = kp_rec_str(rec, "-pause-", 7);
	rec->stopped_name = kp_rec_str(rec, "-stopped-", 9);
	rec->maybe_stopped_name = kp_rec_str(rec, "-stopped-?", 10);
	rec->stolen_name = kp_rec_str(rec, "-stolen-?", 9);
	rec->idle.name = rec->idle_name;
	if (!rec->title || rec->err) {
		kp_reconstruct_free(rec);
		return NULL;
	}
	return rec;
}

const char *kp_reconstruct_message(const struct kp_reconstruct *rec)
{
	return rec->message;
}

const struct kp_reconstruct_stats *kp_reconstruct_stats(const struct kp_reconstruct *rec)
{
	return &rec->stats;
}

void kp_reconstruct_trace(struct kp_reconstruct *rec, FILE *trace)
{
	rec->trace = trace;
}

int64_t kp_reconstruct_announced_last(const struct kp_reconstruct *rec)
{
	return rec->announced_last;
}

const char *kp_reconstruct_base(const struct kp_reconstruct *rec)
{
	return rec->base;
}

void kp_reconstruct_free(struct kp_reconstruct *rec)
{
	if (!rec)
		return;
	for (int i = 0; i < KUTRACE_CPUS; i++)
		free(rec->cpus[i]);
	kp_rec_task_free(rec);
	kp_rec_identities_free(rec);
	kp_rec_point_free(rec);
	kp_rec_quota_free(rec);
	kp_rec_disk_free(rec);
	kp_rec_priorities_free(rec);
	kp_rec_header_free(rec);
	kp_pauses_free(&rec->pauses);
	kp_names_free(&rec->names);
	kp_strings_free(&rec->strings);
	free(rec);
}
