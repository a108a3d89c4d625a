// SPDX-License-Identifier: BSD-3-Clause
/* Manages the tracks of a Perfetto trace (export/perfetto_parts.h). */
#include "export/perfetto_parts.h"

#include "kutrace_task.h"

void kp_pf_tracks_init(struct kp_pf_tracks *t, struct kp_pf_out *out, struct kp_tasks *tasks)
{
	memset(t, 0, sizeof(*t));
	t->out = out;
	t->tasks = tasks;
	for (size_t i = 0; i < KP_PF_CPUS; i++)
		t->cpus[i].pid = KP_PF_NO_PID;
}

void kp_pf_tracks_free(struct kp_pf_tracks *t)
{
	for (size_t i = 0; i < t->threads.count; i++)
		kp_calls_free(&t->threads.items[i].calls);
	kp_lives_free(&t->lives);
	kp_map_free(&t->thread_index);
	kp_map_free(&t->process_index);
	kp_map_free(&t->identity_index);
	kp_identities_free(&t->cgroups);
	kp_strings_free(&t->strings);
	free(t->identities.items);
	kp_map_free(&t->other_index);
	kp_map_free(&t->stated);
	free(t->seen.items);
	free(t->threads.items);
	free(t->others.items);
}

static struct kp_task *task_of(struct kp_pf_tracks *t, int64_t pid)
{
	struct kp_task *task = kp_tasks_get(t->tasks, (uint32_t)pid);

	t->out->failed |= !task;
	return task;
}

const char *kp_pf_task_name(struct kp_pf_tracks *t, int64_t pid)
{
	struct kp_task *task;

	if (kp_pf_is_pause(pid))
		return KP_PAUSE_NAME;
	task = pid > 0 ? task_of(t, pid) : NULL;
	return task ? task->name : "swapper";
}

struct kp_pf_task kp_pf_task(struct kp_pf_tracks *t, int64_t pid)
{
	const char *name = kp_pf_task_name(t, pid);
	const struct kp_task *task = pid > 0 && !kp_pf_is_pause(pid) ? task_of(t, pid) : NULL;

	return (struct kp_pf_task){ (uint32_t)pid, task ? task->priority : KP_PRIORITY_USUAL, name };
}

/* Returns the key of the thread that has @pid now. */
static uint64_t key_of(const struct kp_pf_tracks *t, int64_t pid)
{
	return kp_life_key(pid, kp_lives_of(&t->lives, pid));
}

void kp_pf_name_child(struct kp_pf_tracks *t, int64_t pid, const char *parent)
{
	char name[KP_TASK_NAME];
	struct kp_task *task;

	/* copy the name, because the list of tasks may move */
	snprintf(name, sizeof(name), "%s", parent);
	task = task_of(t, pid);
	if (!task)
		return;
	memcpy(task->name, name, sizeof(name));
	task->named = true;
	kp_task_forget_priority(task);
}

void kp_pf_take_name(struct kp_pf_tracks *t, const struct kp_span *span)
{
	const struct kp_pf_at at = kp_pf_at(t, span->cpu, span->start);
	char before[KP_TASK_NAME];
	size_t len = span->name_len;
	struct kp_task *task;
	uint32_t track;

	while (len && span->name[len - 1] != '.')
		len--;
	if (len < 2)
		return;
	task = task_of(t, span->pid);
	if (!task)
		return;
	memcpy(before, task->name, sizeof(before));
	kp_plain_text(task->name, sizeof(task->name), span->name, len - 1);
	if (task->named && strcmp(before, task->name))
		kp_pf_rename(t->out, &at, task->pid, before, task->name);
	else if (strcmp(before, task->name) &&
		 kp_map_get(&t->process_index, key_of(t, span->pid), &track))
		kp_pf_process_track(t->out, KP_PF_OTHER + track, task->pid, task->name);
	task->named = true;
}

/* ---- identities ---- */

/* Returns the identity of the present owner of @pid; NULL if it is unknown. */
static const struct kp_identity *identity_of(const struct kp_pf_tracks *t, int64_t pid)
{
	uint32_t index;

	return kp_map_get(&t->identity_index, (uint64_t)pid, &index) && t->identities.items[index].reason ?
		       &t->identities.items[index] : NULL;
}

uint32_t kp_pf_process(const struct kp_pf_tracks *t, int64_t pid)
{
	const struct kp_identity *is = identity_of(t, pid);

	return is && is->process ? is->process : (uint32_t)pid;
}

static void add_number(struct kp_pf_tracks *t, struct kp_header *facts, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	if (number && kp_header_set(facts, key, text))
		t->out->failed = true;
}

/* Writes an identity on the track of its thread. The keys are the columns of the SQL table "task". */
static void put_identity(struct kp_pf_tracks *t, uint64_t track, int64_t time, const struct kp_identity *is)
{
	const struct kp_str *cgroup = kp_identities_cgroup(&t->cgroups, is->cgroup);
	struct kp_header facts = { .count = 0 };

	add_number(t, &facts, "parent", is->parent);
	add_number(t, &facts, "process", is->process);
	if (is->level)
		add_number(t, &facts, "ns_tid", is->own);
	add_number(t, &facts, "ns_level", is->level);
	add_number(t, &facts, "cgroup_id", is->cgroup);
	if (cgroup && kp_header_set(&facts, "cgroup", cgroup->text))
		t->out->failed = true;
	if (is->program && kp_header_set(&facts, "program", is->program->text))
		t->out->failed = true;
	add_number(t, &facts, "boot_ns", is->start);
	add_number(t, &facts, "before", is->before);
	kp_pf_facts(t->out, track, time * 10, kp_identity_word(is->reason), &facts);
	kp_header_free(&facts);
}

static void take_priority(struct kp_pf_tracks *t, const struct kp_span *row)
{
	struct kp_task *task = row->pid > 0 && row->pid <= INT32_MAX ? task_of(t, row->pid) : NULL;

	if (task)
		kp_task_set_priority(task, row->name, row->name_len);
}

void kp_pf_take_about(struct kp_pf_tracks *t, const struct kp_span *row)
{
	struct kp_identity new, *is;
	uint32_t index;
	size_t program;

	if (row->event == KUTRACE_MADE_PRIORITY_SPAN)
		take_priority(t, row);
	if (row->event == KUTRACE_NAME_CGROUP && kp_identities_row(&t->cgroups, &t->strings, row))
		t->out->failed = true;
	if (row->event != KUTRACE_NAME_TASK || row->pid <= 0 || row->pid > INT32_MAX ||
	    !kp_identity_parse(&new, (uint32_t)row->pid, row->name, row->name_len, &program))
		return;
	new.at = row->start;
	new.program = NULL;
	if (program < row->name_len)
		new.program = kp_strings_add(&t->strings, row->name + program, row->name_len - program);
	if (!kp_map_get(&t->identity_index, (uint64_t)row->pid, &index)) {
		index = (uint32_t)t->identities.count;
		is = KP_PUSH(&t->identities);
		if (!is || kp_map_set(&t->identity_index, (uint64_t)row->pid, index)) {
			t->out->failed = true;
			return;
		}
	}
	t->identities.items[index] = new;
	/* at a birth, and when a thread gets this pid by exec, a track of this pid is that of the earlier owner */
	if (new.reason != KUTRACE_TASK_PROCESS && new.reason != KUTRACE_TASK_THREAD && !new.before &&
	    kp_map_get(&t->thread_index, key_of(t, row->pid), &index))
		put_identity(t, t->threads.items[index].track, row->start, &new);
}

void kp_pf_forget_identity(struct kp_pf_tracks *t, int64_t pid)
{
	struct kp_task *task = pid > 0 && pid <= INT32_MAX ? task_of(t, pid) : NULL;
	uint32_t index;

	if (task)
		task->ended = true;
	if (kp_map_get(&t->identity_index, (uint64_t)pid, &index))
		t->identities.items[index].reason = 0;
}

/* Writes the track of a process, if it has none yet. */
static void add_process(struct kp_pf_tracks *t, uint32_t pid)
{
	const uint64_t key = key_of(t, pid);
	uint32_t track;

	if (kp_map_get(&t->process_index, key, &track))
		return;
	track = (uint32_t)t->track_count++;
	if (kp_map_set(&t->process_index, key, track))
		t->out->failed = true;
	kp_pf_process_track(t->out, KP_PF_OTHER + track, pid, kp_pf_task_name(t, pid));
}

struct kp_pf_thread *kp_pf_thread(struct kp_pf_tracks *t, int64_t pid)
{
	const struct kp_identity *is = identity_of(t, pid);
	const uint32_t process = kp_pf_process(t, pid);
	const uint64_t key = key_of(t, pid);
	struct kp_pf_thread *thread;
	uint32_t index;

	if (kp_map_get(&t->thread_index, key, &index))
		return &t->threads.items[index];
	index = (uint32_t)t->threads.count;
	thread = KP_PUSH(&t->threads);
	if (!thread || kp_map_set(&t->thread_index, key, index)) {
		t->out->failed = true;
		return NULL;
	}
	memset(thread, 0, sizeof(*thread));
	add_process(t, process);
	thread->track = KP_PF_OTHER + t->track_count++;
	kp_pf_thread_track(t->out, thread->track, process, (uint32_t)pid);
	if (is)
		put_identity(t, thread->track, is->at, is);
	return thread;
}

void kp_pf_state(struct kp_pf_tracks *t, int64_t pid, bool has)
{
	uint32_t *seen, before;

	if (pid <= 0 || kp_pf_is_pause(pid))
		return;
	if (!kp_map_get(&t->stated, (uint64_t)pid, &before)) {
		seen = KP_PUSH(&t->seen);
		if (!seen) {
			t->out->failed = true;
			return;
		}
		*seen = (uint32_t)pid;
		before = !has;
	}
	if (before != has && kp_map_set(&t->stated, (uint64_t)pid, has))
		t->out->failed = true;
}

uint32_t kp_pf_take_state(struct kp_pf_tracks *t)
{
	uint32_t pid, has;

	while (t->seen.count) {
		pid = t->seen.items[--t->seen.count];
		if (kp_map_get(&t->stated, pid, &has) && has)
			return pid;
	}
	kp_map_free(&t->stated);
	return 0;
}

struct kp_pf_cpu *kp_pf_cpu(struct kp_pf_tracks *t, int64_t number)
{
	struct kp_pf_cpu *cpu;
	char name[32];

	if (number < 0 || number >= KP_PF_CPUS)
		return NULL;
	cpu = &t->cpus[number];
	if (!cpu->seen) {
		snprintf(name, sizeof(name), "CPU %" PRId64, number);
		kp_pf_track(t->out, KP_PF_CPU + (uint64_t)number, KP_PF_KERNEL, name, false);
		cpu->seen = true;
	}
	return cpu;
}

struct kp_pf_at kp_pf_at(const struct kp_pf_tracks *t, int64_t number, int64_t time)
{
	const int64_t pid = number >= 0 && number < KP_PF_CPUS ? t->cpus[number].pid : KP_PF_NO_PID;

	return (struct kp_pf_at){ time * 10, (uint32_t)number, pid > 0 ? (uint32_t)pid : 0 };
}

/*
 * Returns the track on which @span becomes an instant: its thread's track, or its CPU's track for
 * the idle task.
 */
static uint64_t kp_pf_track_of(struct kp_pf_tracks *t, const struct kp_span *span)
{
	struct kp_pf_thread *thread;

	if (span->pid > 0) {
		thread = kp_pf_thread(t, span->pid);
		return thread ? thread->track : KP_PF_FACTS;
	}
	return kp_pf_cpu(t, span->cpu) ? KP_PF_CPU + (uint64_t)span->cpu : KP_PF_FACTS;
}

/* Returns true for a request of a disk and for a timer. Those of a thread share tracks, whatever their number. */
static bool shares_track(const struct kp_span *span)
{
	return span->event == KUTRACE_MADE_DISK_QUEUE || span->event == KUTRACE_MADE_DISK_SERVED ||
	       span->event == KUTRACE_MADE_TIMER_LATE;
}

/* Returns the track for kind, thread and number of @span, valid until the next call; or NULL. */
static struct kp_pf_other *kp_pf_other(struct kp_pf_tracks *t, const struct kp_span *span)
{
	const uint64_t key = (uint64_t)span->event << 52 ^ (uint64_t)span->pid << 28 ^
			     (uint64_t)(span->event == KUTRACE_RPCIDMID ? span->rpc : shares_track(span) ? 0 : span->arg0) ^
			     (uint64_t)kp_lives_of(&t->lives, span->pid) << 40;
	struct kp_pf_other *other;
	uint32_t index;
	char name[64];

	if (kp_map_get(&t->other_index, key, &index))
		return &t->others.items[index];
	index = (uint32_t)t->others.count;
	other = KP_PUSH(&t->others);
	if (!other || kp_map_set(&t->other_index, key, index)) {
		t->out->failed = true;
		return NULL;
	}
	*other = (struct kp_pf_other){ .track = KP_PF_OTHER + t->track_count++, .end = INT64_MIN };
	snprintf(name, sizeof(name), "%.*s", (int)(span->name_len < 60 ? span->name_len : 60),
		 span->name);
	kp_pf_track(t->out, other->track, span->pid > 0 ? kp_pf_track_of(t, span) : 0, name, false);
	return other;
}

/*
 * ---- numbers of RPCs ----
 *
 * The work, queues and messages of one RPC have the same number. Later, a program may use the
 * number for another RPC.
 */

/*
 * Returns the RPC number of the span, or 0. Returns 0 for a received message, because its start is
 * computed and may be before the request. The flow contains the work after the message instead.
 */
static uint32_t rpc_of(const struct kp_span *span)
{
	switch (span->event) {
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
		return (uint32_t)span->arg0 & 0xFFFF;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
	case KUTRACE_RPCIDTXMSG:
		return (uint32_t)span->rpc & 0xFFFF;
	default:
		return 0;
	}
}

/*
 * Sets *@flow to the flow of the span's RPC, or to 0 if it has none. A new RPC gets flow ++*@flows.
 * Spans must come in time order. Returns 0, or -1 without memory.
 */
static int kp_rpc_flow(struct kp_rpc_flows *rpcs, const struct kp_span *span, uint64_t *flows,
		       uint64_t *flow)
{
	const uint32_t number = rpc_of(span);
	struct kp_rpc_flow *rpc;
	uint32_t index;

	*flow = 0;
	if (!number)
		return 0;
	if (!kp_map_get(&rpcs->index, number, &index)) {
		index = (uint32_t)rpcs->list.count;
		rpc = KP_PUSH(&rpcs->list);
		if (!rpc || kp_map_set(&rpcs->index, number, index))
			return -1;
		*rpc = (struct kp_rpc_flow){ .flow = 0 };
	}
	rpc = &rpcs->list.items[index];
	if (!rpc->flow || (rpc->answered && span->event == KUTRACE_RPCIDREQ))
		*rpc = (struct kp_rpc_flow){ .flow = ++*flows };
	rpc->answered |= span->event == KUTRACE_RPCIDRESP;
	*flow = rpc->flow;
	return 0;
}

void kp_rpc_flows_free(struct kp_rpc_flows *rpcs)
{
	kp_map_free(&rpcs->index);
	free(rpcs->list.items);
}

static void put_arc(struct kp_pf_points *p, const struct kp_span *span)
{
	struct kp_pf_extra more = { .flow = p->flows + 1 };
	struct kp_pf_out *out = p->tracks->out;

	if (!kp_pf_cpu(p->tracks, span->cpu) || !kp_pf_cpu(p->tracks, span->arg0))
		return;
	p->flows++;
	kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->cpu, span->start * 10, kp_pf_span_name(span), &more);
	more.flow_ends = true;
	kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->arg0, (span->start + span->dur) * 10,
		      kp_pf_span_name(span), &more);
}

static void put_waking(struct kp_pf_points *p, const struct kp_span *span, const struct kp_span *group,
		       size_t count)
{
	int32_t target = span->cpu;
	struct kp_pf_task woken;

	if (!kp_pf_cpu(p->tracks, span->cpu) || span->arg0 <= 0 || span->arg0 > INT32_MAX || span->pid < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct kp_span *arc = &group[i];

		if (arc->event == KP_EVENT_WAKEUP && arc->cpu == span->cpu &&
		    arc->retval == span->arg0)
			target = (int32_t)arc->arg0;
	}
	woken = kp_pf_task(p->tracks, span->arg0);
	kp_pf_waking(p->tracks->out, span->start * 10, (uint32_t)span->cpu, (uint32_t)span->pid, &woken, target);
	kp_pf_state(p->tracks, span->arg0, true);
}

/* Writes a lock, a queue or RPC work on its own track. @flow: the flow of the RPC; 0: none. */
static void put_lasting(struct kp_pf_points *p, const struct kp_span *span, uint64_t flow)
{
	const struct kp_pf_extra more = {
		.has_arg0 = true, .arg0 = (uint64_t)span->arg0, .flow = flow,
	};
	struct kp_pf_out *out = p->tracks->out;
	struct kp_pf_other *other = kp_pf_other(p->tracks, span);

	if (!other)
		return;
	if (span->start < other->end) {
		kp_pf_instant(out, other->track, span->start * 10, kp_pf_span_name(span), &more);
		return;
	}
	kp_pf_begin(out, other->track, span->start * 10, kp_pf_span_name(span), &more);
	kp_pf_end(out, other->track, (span->start + span->dur) * 10, NULL);
	other->end = span->start + span->dur;
}

void kp_pf_point(struct kp_pf_points *p, const struct kp_span *span, const struct kp_span *group, size_t count)
{
	struct kp_pf_extra more = { .has_arg0 = true, .arg0 = (uint64_t)span->arg0 };
	const struct kp_pf_at here = kp_pf_at(p->tracks, span->cpu, span->start);
	struct kp_pf_out *out = p->tracks->out;
	struct kp_pf_task task;
	int64_t at = span->start;

	if (kp_rpc_flow(&p->rpcs, span, &p->flows, &more.flow))
		p->tracks->out->failed = true;
	switch (span->event) {
	case KP_EVENT_WAKEUP:
	case KP_EVENT_IPI:
		put_arc(p, span);
		return;
	case KUTRACE_RUNNABLE:
		put_waking(p, span, group, count);
		return;
	case KUTRACE_TASKEXIT:
		if (kp_pf_cpu(p->tracks, span->cpu) && span->arg0 > 0 && span->arg0 <= INT32_MAX) {
			task = kp_pf_task(p->tracks, span->arg0);
			kp_pf_exit(out, &here, kp_pf_process(p->tracks, span->arg0), &task);
		}
		kp_pf_forget_identity(p->tracks, span->arg0);
		break;
	case KUTRACE_IPI:		/* the arc KP_EVENT_IPI shows the IPI */
	case KUTRACE_MADE_LEFTMARK:		/* has all names of a task; not written */
	case KUTRACE_NAME_TASK:		/* kp_pf_take_about() takes these */
	case KUTRACE_NAME_CGROUP:
	case KUTRACE_MADE_PRIORITY_SPAN:
	case KUTRACE_MADE_RIGHTMARK:
		return;
	case KUTRACE_MWAIT:
		if (kp_pf_cpu(p->tracks, span->cpu)) {
			kp_pf_idle(out, &here, (uint32_t)span->arg0);
			p->tracks->cpus[span->cpu].idling = true;
		}
		return;
	case KUTRACE_PSTATE:
	case KUTRACE_PSTATE2:
		if (kp_pf_cpu(p->tracks, span->cpu) && span->arg0 >= 0 && span->arg0 < 4000000)
			kp_pf_frequency(out, &here, (uint32_t)span->arg0 * 1000);
		return;
	case KUTRACE_PC_U:		/* the sample was taken at the end of its span */
	case KUTRACE_PC_K:
		more.has_arg0 = false;
		if (kp_pf_cpu(p->tracks, span->cpu))
			kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->cpu,
				      (at + span->dur) * 10, kp_pf_span_name(span), &more);
		return;
	/* the message is complete at the end of its span */
	case KUTRACE_RPCIDRXMSG:
		at += span->dur;
		break;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
	case KUTRACE_MADE_LOCKHELD:
	case KUTRACE_MADE_LOCKTRY:
	case KUTRACE_MADE_DISK_QUEUE:
	case KUTRACE_MADE_DISK_SERVED:
	case KUTRACE_MADE_RECLAIMED:
	case KUTRACE_MADE_TIMER_LATE:
		if (span->dur > 1) {
			put_lasting(p, span, more.flow);
			return;
		}
		break;
	case KP_WAIT(KP_THROTTLED):	/* Perfetto has no such state: the thread is runnable */
		put_lasting(p, span, 0);
		return;
	default:
		if (span->event >= KUTRACE_MADE_WAITA && span->event <= KUTRACE_MADE_WAITZ)
			return;		/* thread states show waits */
		break;
	}
	kp_pf_instant(out, kp_pf_track_of(p->tracks, span), at * 10, kp_pf_span_name(span), &more);
}
