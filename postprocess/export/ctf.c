// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts events to CTF (export/exporters.h):
 *
 *	1207652033 293 2087 0  51 0  44495 51 9 getpid
 *	becomes  12076520330 syscall_entry_getpid { tid 51, ipc 9 } { arg0 44495 }
 *	         12076523260 syscall_exit_getpid { tid 51, ipc 0 } { ret 51 }
 *
 * The exporter infers two things that a raw trace does not record:
 *
 * - The state in which a task left a CPU: 0 (runnable) if the task runs again without a wakeup, 16
 *   if it has exited and does not run again, otherwise 1. The exporter writes 0 first, and
 *   overwrites this byte when the state is known.
 * - The time from which another task has a pid: rules 1 and 2 of docs/design/reconstruction.md, "A
 *   pid that is used again".
 */
#include "export/exporters.h"

#include "base/text.h"
#include "common/entry.h"
#include "export/bytes.h"
#include "export/ctf_format.h"
#include "kutrace_priority.h"
#include "model/identity.h"

#define CPUS		256
/* slot of the class KP_CTF_RUNS; lower slots belong to event numbers */
#define SLOT_RUNS	4096
#define SLOT_STATE	4097
#define SLOT_RENAME	4098
#define SLOT_FREE	4099
#define SLOT_FORK	4100
#define SLOTS		4101
#define NO_PID		0xFFFFFFFFu
#define RT_PRIORITIES	100	/* LTTng subtracts these from the kernel's number of a priority */
#define KTHREADD	2
#define STATE_RUNS	0	/* prev_state */
#define STATE_SLEEPS	1
#define STATE_DEAD	16
#define ERRNO_FIRST	0xF001u	/* the low 16 bits of -4095 */

/* The return of a merged call. It is written before the first event that is later. */
struct later {
	bool due;
	struct kp_event event;	/* the return as a separate event, with the name of the call */
	char name[KP_CTF_NAME_MAX];
};

struct cpu {
	struct kp_ctf_stream *stream;	/* stream of the CPU; NULL: no event yet */
	uint32_t pid;
	/* The running task has exited, and another task has its pid already. */
	bool replaced;
	char old_name[KP_TASK_NAME];	/* replaced: name of the running task */
	uint16_t arg0[256];		/* latest argument of each interrupt of the CPU */
	struct later later;
};

struct kp_ctf {
	const struct kp_raw *raw;
	struct kp_raw_about about;
	struct kp_folder *folder;
	bool counted;			/* each event has a byte of counter bits */
	bool begun;
	int32_t last_cpu;		/* CPU of the last event */
	uint64_t events;
	int64_t first_ns, last_ns;
	struct kp_tasks tasks;
	struct cpu cpus[CPUS];
	KP_VECTOR(struct kp_ctf_class) classes;
	uint16_t ids[SLOTS];		/* class id + 1 of each slot; 0: no class yet */
	uint8_t layouts[SLOTS];
	char *names[KP_CTF_CALLS];	/* call names by event number; NULL: not seen */
};

struct kp_ctf *kp_ctf_new(const struct kp_raw *raw, struct kp_folder *folder)
{
	struct kp_ctf *ctf = calloc(1, sizeof(*ctf));

	if (!ctf)
		return NULL;
	ctf->raw = raw;
	ctf->folder = folder;
	ctf->counted = kp_ctf_counter(raw);
	kp_raw_about(raw, &ctf->about);
	for (size_t i = 0; i < CPUS; i++)
		ctf->cpus[i].pid = NO_PID;
	return ctf;
}

static int no_memory(struct kp_ctf *ctf)
{
	return kp_message(ctf->folder->message, sizeof(ctf->folder->message), "no memory");
}

static int find_class(struct kp_ctf *ctf, const char *name, enum kp_ctf_layout layout,
		      size_t slot)
{
	struct kp_ctf_class *class;
	size_t i;

	for (i = 0; i < ctf->classes.count; i++)
		if (ctf->classes.items[i].layout == layout &&
		    !strcmp(ctf->classes.items[i].name, name))
			break;
	if (i == ctf->classes.count) {
		class = KP_PUSH(&ctf->classes);
		if (!class)
			return no_memory(ctf);
		snprintf(class->name, sizeof(class->name), "%s", name);
		class->layout = layout;
	}
	ctf->ids[slot] = (uint16_t)(i + 1);
	ctf->layouts[slot] = (uint8_t)layout;
	return 0;
}

/* Stores the full name of a call. The name of a return is the name of its call after a slash. */
static int keep_name(struct kp_ctf *ctf, const struct kp_event *event)
{
	const bool slash = event->event & KUTRACE_RETURN_BIT && event->name_len && event->name[0] == '/';
	char **name = &ctf->names[event->event & ~(uint32_t)KUTRACE_RETURN_BIT];

	if (*name)
		return 0;
	*name = strndup(event->name + slash, event->name_len - slash);
	return *name ? 0 : no_memory(ctf);
}

static int class_of(struct kp_ctf *ctf, const struct kp_event *event, size_t *slot)
{
	char name[KP_CTF_NAME_MAX];
	enum kp_ctf_layout layout;

	*slot = event->event & 4095;
	if (*slot == KUTRACE_USERPID && event->dur)
		*slot = SLOT_RUNS;
	if (ctf->ids[*slot])
		return 0;
	layout = kp_ctf_class(event, name);
	if (event->event >= KUTRACE_CALL_TRAP && keep_name(ctf, event))
		return -1;
	return find_class(ctf, name, layout, *slot);
}

static struct kp_ctf_stream *stream_of(struct kp_ctf *ctf, int cpu)
{
	struct kp_ctf_stream *stream = ctf->cpus[cpu].stream;
	char name[KP_FOLDER_NAME_MAX];

	if (stream)
		return stream;
	stream = malloc(sizeof(*stream));
	if (!stream) {
		no_memory(ctf);
		return NULL;
	}
	snprintf(name, sizeof(name), "channel0_%d", cpu);
	ctf->cpus[cpu].stream = stream;
	return kp_ctf_stream_open(stream, ctf->folder, name, (uint32_t)cpu, (uint64_t)cpu,
				  ctf->about.trace_uuid) ? NULL : stream;
}

/* Writes the class id, the time and the context of an event. */
static uint8_t *put_header(const struct kp_ctf *ctf, uint8_t *p, size_t slot, int64_t time_ns,
			   uint32_t pid, uint32_t counter)
{
	p = kp_put_le16(p, (uint16_t)(ctf->ids[slot] - 1));
	p = kp_put_le64(p, (uint64_t)time_ns);
	p = kp_put_le32(p, pid);
	if (ctf->counted)
		*p++ = (uint8_t)counter;
	return p;
}

static uint8_t *put_name16(uint8_t *p, const char *name)
{
	memcpy(p, name, KP_CTF_COMM);
	return p + KP_CTF_COMM;
}

/* Writes the name of a task. The name of an idle task has the number of its CPU, as in LTTng. */
static uint8_t *put_task_name(struct kp_ctf *ctf, uint8_t *p, uint32_t pid, int cpu)
{
	char idle[32] = "";
	struct kp_task *task;

	if (!pid) {
		snprintf(idle, sizeof(idle), "swapper/%d", cpu);
		return put_name16(p, idle);
	}
	task = kp_tasks_get(&ctf->tasks, pid);
	if (!task) {
		no_memory(ctf);
		return put_name16(p, idle);
	}
	return put_name16(p, task->name);
}

static uint8_t *put_task(struct kp_ctf *ctf, uint8_t *p, uint32_t pid, int cpu)
{
	return kp_put_le32(put_task_name(ctf, p, pid, cpu), pid);
}

/* Writes name and pid of the task that runs on the CPU. */
static uint8_t *put_running(struct kp_ctf *ctf, uint8_t *p, uint32_t pid, int cpu)
{
	if (!ctf->cpus[cpu].replaced || pid != ctf->cpus[cpu].pid)
		return put_task(ctf, p, pid, cpu);
	return kp_put_le32(put_name16(p, ctf->cpus[cpu].old_name), pid);
}

static uint8_t *put_string(uint8_t *p, const char *text, size_t len)
{
	const size_t room = len < KP_CTF_EVENT_MAX / 2 ? len + 1 : KP_CTF_EVENT_MAX / 2;

	return p + kp_plain_text((char *)p, room, text, len) + 1;
}

/* Returns the low 16 bits of a return value; values from -4095 to -1 become negative. */
static uint64_t retval_of(const struct kp_event *event)
{
	const uint32_t low = (uint32_t)event->retval & 0xFFFF;

	return low >= ERRNO_FIRST ? (uint64_t)((int64_t)low - 65536) : low;
}

/*
 * Overwrites the state 0 that was written when the task left its CPU, unless it was overwritten
 * before. If @state is STATE_RUNS, 0 remains.
 */
static int forget_away(struct kp_ctf *ctf, struct kp_task *task, uint8_t state)
{
	const uint64_t at = task->away_at;

	task->away_at = UINT64_MAX;
	if (at == UINT64_MAX || state == STATE_RUNS)
		return 0;
	if (!kp_ctf_stream_patch(ctf->cpus[task->away_cpu].stream, at, state))
		return 0;
	return kp_message(ctf->folder->message, sizeof(ctf->folder->message),
			  "cannot write the same data again");
}

/* Writes the priority of @pid as LTTng does: -101 deadline, -100 to -2 RT 99 to 1, 0 to 39 nice -20 to 19. */
static uint8_t *put_priority(struct kp_ctf *ctf, uint8_t *p, uint32_t pid)
{
	const struct kp_task *task = pid && pid != NO_PID ? kp_tasks_get(&ctf->tasks, pid) : NULL;
	int32_t priority = KP_PRIORITY_USUAL;

	if (task)
		priority = task->inherited == KUTRACE_PRIORITY_OWN ? task->priority : task->inherited - 1;
	return kp_put_le32(p, (uint32_t)(priority - RT_PRIORITIES));
}

static uint8_t *put_switch(struct kp_ctf *ctf, const struct kp_event *event, uint8_t *p,
			   const struct kp_ctf_stream *stream)
{
	struct cpu *cpu = &ctf->cpus[event->cpu];
	const uint32_t before = cpu->pid, after = event->arg0;
	const bool replaced = cpu->replaced;
	struct kp_task *task;

	if (before == NO_PID)
		p = kp_put_le32(put_name16(p, "?\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), before);
	else
		p = put_running(ctf, p, before, event->cpu);
	cpu->replaced = false;
	p = put_priority(ctf, p, replaced ? 0 : before);
	if (before && before != NO_PID && !replaced) {
		task = kp_tasks_get(&ctf->tasks, before);
		if (!task || forget_away(ctf, task, STATE_RUNS))
			return NULL;
		task->off = true;
		task->away_at = stream->written + (uint64_t)(p - stream->packet);
		task->away_cpu = event->cpu;
	}
	p = kp_put_le64(p, replaced ? STATE_DEAD : STATE_RUNS);
	task = kp_tasks_get(&ctf->tasks, after);
	if (!task || forget_away(ctf, task, STATE_RUNS))
		return NULL;
	task->off = task->made = false;
	task->last_cpu = event->cpu;
	return put_priority(ctf, put_task(ctf, p, after, event->cpu), after);
}

static uint8_t *put_waking(struct kp_ctf *ctf, const struct kp_event *event, uint8_t *p)
{
	struct kp_task *task = kp_tasks_get(&ctf->tasks, event->arg0);

	if (!task || forget_away(ctf, task, STATE_SLEEPS))
		return NULL;
	p = put_priority(ctf, put_task(ctf, p, event->arg0, event->cpu), event->arg0);
	return kp_put_le32(p, (uint32_t)(task->last_cpu < 0 ? event->cpu : task->last_cpu));
}

static uint8_t *put_fields(struct kp_ctf *ctf, const struct kp_event *event, uint8_t *p,
			   const struct kp_ctf_stream *stream, enum kp_ctf_layout layout)
{
	const uint8_t number = (uint8_t)event->event;
	uint16_t *arg0 = &ctf->cpus[event->cpu].arg0[number];

	switch (layout) {
	case KP_CTF_SWITCH:
		return put_switch(ctf, event, p, stream);
	case KP_CTF_WAKING:
		return put_waking(ctf, event, p);
	case KP_CTF_EXIT:
		return put_priority(ctf, put_task(ctf, p, event->arg0, event->cpu), event->arg0);
	case KP_CTF_RUNS:
		return put_running(ctf, p, event->pid, event->cpu);
	case KP_CTF_CALL:
		return kp_put_le16(p, (uint16_t)event->arg0);
	case KP_CTF_RETURN:
		return kp_put_le64(p, retval_of(event));
	case KP_CTF_TRAP_CALL:
		*p++ = number;
		return kp_put_le16(p, (uint16_t)event->arg0);
	case KP_CTF_TRAP_RETURN:
		*p++ = number;
		return kp_put_le64(p, retval_of(event));
	case KP_CTF_VECTOR:
		return kp_put_le32(p, number);
	case KP_CTF_IRQ_CALL:
		*arg0 = (uint16_t)event->arg0;
		p = put_string(kp_put_le32(p, *arg0), event->name, event->name_len);
		*p++ = number;
		return p;
	case KP_CTF_IRQ_RETURN:
		p = kp_put_le32(kp_put_le32(p, *arg0), (uint32_t)retval_of(event));
		*p++ = number;
		return p;
	case KP_CTF_SOFTIRQ:
		if (!(event->event & KUTRACE_RETURN_BIT))
			*arg0 = (uint16_t)event->arg0;
		return kp_put_le32(p, *arg0);
	case KP_CTF_CPU_IDLE:
		return kp_put_le32(kp_put_le32(p, event->arg0), (uint32_t)event->cpu);
	case KP_CTF_FREQUENCY:
		p = kp_put_le32(p, event->arg0 > UINT32_MAX / 1000 ? UINT32_MAX :
							     event->arg0 * 1000);
		p = kp_put_le32(p, (uint32_t)event->cpu);
		*p++ = event->event == KUTRACE_PSTATE;
		return p;
	default:
		return put_string(kp_put_le32(p, event->arg0), event->name, event->name_len);
	}
}

static int put_event(struct kp_ctf *ctf, const struct kp_event *event, uint32_t pid)
{
	struct kp_ctf_stream *stream = stream_of(ctf, event->cpu);
	int64_t time_ns = event->ts * 10;
	uint8_t *p, *end;
	size_t slot;

	if (!stream || class_of(ctf, event, &slot))
		return -1;
	p = kp_ctf_stream_event(stream, ctf->folder, time_ns);
	if (!p)
		return -1;
	end = put_header(ctf, p, slot, time_ns, pid, event->ipc);
	end = put_fields(ctf, event, end, stream, ctf->layouts[slot]);
	if (!end && !ctf->folder->message[0])
		no_memory(ctf);
	if (ctf->folder->message[0])
		return -1;
	stream->used += (uint32_t)(end - p);
	if (time_ns > ctf->last_ns)
		ctf->last_ns = time_ns;
	ctf->events++;
	return 0;
}

/* Writes the return of the CPU's merged call, with a time of at most @until. */
static int put_later(struct kp_ctf *ctf, struct cpu *cpu, int64_t until)
{
	struct later *later = &cpu->later;

	if (!later->due)
		return 0;
	later->due = false;
	if (later->event.ts > until)
		later->event.ts = until;
	return put_event(ctf, &later->event, later->event.pid);
}

/* ---- tasks: names, ends, beginnings ---- */

/*
 * Begins an event that is not in the raw trace, at time @ts on @cpu. The caller writes its fields
 * and calls end_own(). Returns NULL with an error.
 */
static uint8_t *begin_own(struct kp_ctf *ctf, struct cpu *cpu, int64_t ts, const char *name,
			  enum kp_ctf_layout layout, size_t slot)
{
	uint8_t *p;

	if (cpu->later.due && cpu->later.event.ts <= ts && put_later(ctf, cpu, ts))
		return NULL;
	if (find_class(ctf, name, layout, slot))
		return NULL;
	p = kp_ctf_stream_event(cpu->stream, ctf->folder, ts * 10);
	return p ? put_header(ctf, p, slot, ts * 10, cpu->pid, 0) : NULL;
}

static void end_own(struct kp_ctf *ctf, struct cpu *cpu, const uint8_t *end)
{
	cpu->stream->used = (uint32_t)(end - cpu->stream->packet);
	ctf->events++;
}

/*
 * Writes a task's new name, to the stream of the last event's CPU, because a raw trace has no CPU
 * for a name.
 */
static int put_rename(struct kp_ctf *ctf, int64_t ts, const struct kp_task *task, const char *before)
{
	struct cpu *cpu = &ctf->cpus[ctf->last_cpu];
	uint8_t *p = begin_own(ctf, cpu, ts, "task_rename", KP_CTF_RENAME, SLOT_RENAME);

	if (!p)
		return -1;
	p = kp_put_le32(p, task->pid);
	end_own(ctf, cpu, put_name16(put_name16(p, before), task->name));
	return 0;
}

/* Writes the end of the task @name, because another task has the pid now. */
static int put_free(struct kp_ctf *ctf, struct cpu *cpu, int64_t ts, uint32_t pid, const char *name)
{
	struct kp_task *task = kp_tasks_get(&ctf->tasks, pid);
	uint8_t *p;

	if (!task)
		return no_memory(ctf);
	if (forget_away(ctf, task, STATE_DEAD))
		return -1;
	task->exiting = false;
	task->made = true;
	kp_task_forget_priority(task);
	p = begin_own(ctf, cpu, ts, "sched_process_free", KP_CTF_EXIT, SLOT_FREE);
	if (!p)
		return -1;
	p = kp_put_le32(put_name16(p, name), pid);
	end_own(ctf, cpu, put_priority(ctf, p, 0));
	return 0;
}

/*
 * Gives the pid of an exited task to a new task, although the exited task has not left its CPU.
 * free_replaced() writes the end of the exited task, whose name is @name.
 */
static void replace(struct cpu *cpu, struct kp_task *task, const char *name)
{
	cpu->replaced = true;
	memcpy(cpu->old_name, name, sizeof(cpu->old_name));
	task->exiting = false;
	task->made = true;
	kp_task_forget_priority(task);
}

/*
 * Writes the end of a replaced task, which has just left @cpu. If the new task has been woken or
 * has run, the pid belongs to this task in the output: writes nothing.
 */
static int free_replaced(struct kp_ctf *ctf, struct cpu *cpu, int64_t ts, uint32_t pid)
{
	const struct kp_task *task = kp_tasks_get(&ctf->tasks, pid);

	if (!task)
		return no_memory(ctf);
	return task->made ? put_free(ctf, cpu, ts, pid, cpu->old_name) : 0;
}

/* Writes the process of @pid; @pid itself if the process is unknown. */
static uint8_t *put_process(struct kp_ctf *ctf, uint8_t *p, uint32_t pid)
{
	const struct kp_task *task = kp_tasks_get(&ctf->tasks, pid);

	if (!task)
		no_memory(ctf);
	return kp_put_le32(p, task && task->process ? task->process : pid);
}

/* Writes the creation of a new task, at the time when its parent wakes it. */
static int put_fork(struct kp_ctf *ctf, const struct kp_event *event)
{
	struct cpu *cpu = &ctf->cpus[event->cpu];
	uint8_t *p;

	if (!stream_of(ctf, event->cpu))
		return -1;
	p = begin_own(ctf, cpu, event->ts, "sched_process_fork", KP_CTF_FORK, SLOT_FORK);
	if (!p)
		return -1;
	p = put_process(ctf, put_task(ctf, p, event->pid, event->cpu), event->pid);
	end_own(ctf, cpu, put_process(ctf, put_task(ctf, p, event->arg0, event->cpu), event->arg0));
	return ctf->folder->message[0] ? -1 : 0;
}

/* Sets making of the running task while it is in a call that creates a task. */
static int note_making(struct kp_ctf *ctf, const struct kp_event *event)
{
	static const char *const calls[] = { "clone", "clone3", "fork", "vfork" };
	const bool back = event->event & KUTRACE_RETURN_BIT;
	struct kp_task *task;

	if (event->event < KUTRACE_CALL_SYSCALL64 || event->dur || event->name_len < 4u + back ||
	    event->name_len > 6u + back)
		return 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strlen(calls[i]) != event->name_len - back ||
		    memcmp(calls[i], event->name + back, event->name_len - back))
			continue;
		task = kp_tasks_get(&ctf->tasks, event->pid);
		if (!task)
			return no_memory(ctf);
		task->making = !back;
	}
	return 0;
}

/*
 * Updates the tasks that @event begins or ends. First writes the additional events that must
 * precede @event.
 */
static int take_lives(struct kp_ctf *ctf, const struct kp_event *event)
{
	const struct kp_task *waker;
	struct kp_task *task;
	char name[KP_TASK_NAME];
	bool made;

	if (event->event == KUTRACE_TASKEXIT) {
		task = kp_tasks_get(&ctf->tasks, event->arg0);
		if (!task)
			return no_memory(ctf);
		task->exiting = true;
		task->off = task->making = false;
		task->process = task->parent = 0;
		task->ended = true;
		task->last_cpu = event->cpu;
		return 0;
	}
	if (event->event == KUTRACE_PRIORITY_PI) {
		task = kp_tasks_get(&ctf->tasks, event->arg0 & KUTRACE_PRIORITY_PID);
		if (!task)
			return no_memory(ctf);
		task->inherited = (uint8_t)(event->arg0 >> KUTRACE_PRIORITY_SHIFT);
		return 0;
	}
	if (event->event != KUTRACE_RUNNABLE)
		return note_making(ctf, event);
	waker = kp_tasks_get(&ctf->tasks, event->pid);
	made = waker && (waker->making || event->pid == KTHREADD);
	task = kp_tasks_get(&ctf->tasks, event->arg0);
	if (!waker || !task)
		return no_memory(ctf);
	if (made && task->exiting && task->off) {
		memcpy(name, task->name, sizeof(name));
		if (!stream_of(ctf, event->cpu) ||
		    put_free(ctf, &ctf->cpus[event->cpu], event->ts, event->arg0, name))
			return -1;
		task = kp_tasks_get(&ctf->tasks, event->arg0);
	}
	if (!task->made)
		return 0;
	task->made = false;
	return put_fork(ctf, event);
}

/* Stores process and parent of task @pid. @text: name of base KUTRACE_NAME_TASK. */
static int take_identity(struct kp_ctf *ctf, uint32_t pid, const char *text, size_t len)
{
	struct kp_identity is;
	struct kp_task *task;
	size_t program;

	if (!kp_identity_parse(&is, pid, text, len, &program))
		return 0;
	task = kp_tasks_get(&ctf->tasks, pid);
	if (!task)
		return no_memory(ctf);
	task->process = is.process;
	task->parent = is.parent;
	return 0;
}

/*
 * Takes the identities up to the first event: they have its time, so the input has them after it.
 */
static int take_first_identities(struct kp_ctf *ctf, const struct kp_event *first)
{
	const struct kp_raw *raw = ctf->raw;

	for (size_t i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KU_NAME_BASE(name->event) == KUTRACE_NAME_TASK && kp_raw_time(raw, name->count) <= first->ts &&
		    take_identity(ctf, name->number, name->text, name->len))
			return -1;
	}
	return 0;
}

/*
 * Writes the known names, processes and parents of tasks at the time of the first event. Their
 * states are unknown.
 */
static int put_states(struct kp_ctf *ctf, const struct kp_event *first)
{
	struct kp_ctf_stream *stream = stream_of(ctf, first->cpu);
	const int64_t time_ns = first->ts * 10;
	uint8_t *p, *q;

	if (!stream || take_first_identities(ctf, first) ||
	    find_class(ctf, "lttng_statedump_process_state", KP_CTF_STATE, SLOT_STATE))
		return -1;
	ctf->first_ns = time_ns;
	for (size_t i = 0; i < ctf->tasks.list.count; i++) {
		const struct kp_task *task = &ctf->tasks.list.items[i];

		if (!task->pid || !task->named)
			continue;
		p = kp_ctf_stream_event(stream, ctf->folder, time_ns);
		if (!p)
			return -1;
		q = put_header(ctf, p, SLOT_STATE, time_ns, first->pid, 0);
		q = kp_put_le32(q, task->pid);
		q = kp_put_le32(q, task->process ? task->process : task->pid);
		q = kp_put_le32(q, task->parent);
		q = put_name16(q, task->name);
		memset(q, 0, 16);	/* type, mode, submode, status: unknown */
		q = kp_put_le32(q + 16, 0);
		stream->used += (uint32_t)(q - p);
		ctf->events++;
	}
	return 0;
}

static void keep_later(struct later *later, const struct kp_event *event)
{
	later->due = true;
	later->event = *event;
	later->event.ts += event->dur;
	later->event.dur = 0;
	later->event.event |= KUTRACE_RETURN_BIT;
	later->event.ipc = event->ipc >> 4;
	later->event.name_len = event->name_len < sizeof(later->name) ? event->name_len :
									sizeof(later->name);
	memcpy(later->name, event->name, later->event.name_len);
	later->event.name = later->name;
}

static int take_event(void *self, const struct kp_event *event)
{
	struct kp_ctf *ctf = self;
	struct cpu *cpu = &ctf->cpus[event->cpu];
	const bool merged = event->event >= KUTRACE_CALL_TRAP && event->dur;
	const bool replaced = cpu->replaced;
	const uint32_t running = cpu->pid;
	struct kp_event call;
	uint32_t pid = event->pid;
	int err;

	if (!ctf->begun && put_states(ctf, event))
		return -1;
	ctf->begun = true;
	if (put_later(ctf, cpu, event->ts) || take_lives(ctf, event))
		return -1;
	if (event->event == KUTRACE_USERPID && !event->dur)
		pid = running;		/* pid of the task that leaves the CPU */
	if (merged) {
		call = *event;
		call.ipc &= 15;
		err = put_event(ctf, &call, pid);
		keep_later(&cpu->later, event);
	} else {
		err = put_event(ctf, event, pid);
	}
	cpu->replaced &= event->pid == running;
	cpu->pid = event->pid;
	ctf->last_cpu = event->cpu;
	return err || !replaced || cpu->replaced ? err : free_replaced(ctf, cpu, event->ts, running);
}

/* Takes the own priority of a task. */
static int take_priority(struct kp_ctf *ctf, const struct kp_namedef *def)
{
	struct kp_task *task = kp_tasks_get(&ctf->tasks, def->number);

	if (!task)
		return no_memory(ctf);
	/* the name of pid 0 is valid for the threads without a name of their own: the usual priority */
	if (def->number && def->ts >= 0)
		kp_task_set_priority(task, def->name, def->name_len);
	return 0;
}

static int take_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_ctf *ctf = self;
	char before[KP_TASK_NAME];
	struct kp_task *task;
	struct cpu *cpu;

	if (KU_NAME_BASE(def->event) == KUTRACE_NAME_TASK)
		return take_identity(ctf, def->number, def->name, def->name_len);
	if (KU_NAME_BASE(def->event) == KUTRACE_NAME_PRIORITY)
		return take_priority(ctf, def);
	if (KU_NAME_BASE(def->event) != KUTRACE_NAME_PID)
		return 0;
	task = kp_tasks_get(&ctf->tasks, def->number);
	if (!task)
		return no_memory(ctf);
	memcpy(before, task->name, sizeof(before));
	if (kp_tasks_name(&ctf->tasks, def))
		return no_memory(ctf);
	if (!ctf->begun || def->ts < 0 || !def->number)
		return 0;
	/* the new task may have the name of the task that has ended */
	if (task->exiting) {
		cpu = &ctf->cpus[task->last_cpu];
		if (task->off || cpu->pid != task->pid)
			return put_free(ctf, &ctf->cpus[ctf->last_cpu], def->ts, def->number, before);
		replace(cpu, task, before);
		return 0;
	}
	return strcmp(before, task->name) ? put_rename(ctf, def->ts, task, before) : 0;
}

static int take_comment(void *self, const char *text, size_t len)
{
	(void)self;
	(void)text;
	(void)len;
	return 0;
}

struct kp_event_sink kp_ctf_sink(struct kp_ctf *ctf)
{
	return (struct kp_event_sink){ take_event, take_namedef, take_comment, ctf };
}

/*
 * Writes the number of lost events to a separate stream, because their times and CPUs are unknown.
 * The stream has two empty packets. The second packet lasts from the first event to the last, and
 * counts the lost events as discarded.
 */
static int put_lost(struct kp_ctf *ctf)
{
	const struct kp_raw_faults *faults = &ctf->raw->faults;
	struct kp_ctf_stream stream;
	int err;

	err = kp_ctf_stream_open(&stream, ctf->folder, "channel1_0", 0, CPUS,
				 ctf->about.trace_uuid);
	err = err ? err : kp_ctf_stream_empty(&stream, ctf->folder, ctf->first_ns, ctf->first_ns);
	stream.discarded = ctf->raw->lost + faults->bad_words + faults->cut_entries +
			   faults->bad_times;
	err = err ? err : kp_ctf_stream_empty(&stream, ctf->folder, ctf->first_ns, ctf->last_ns);
	free(stream.packet);
	return err;
}

static int put_metadata(struct kp_ctf *ctf)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int fd, err = -1;

	if (!out)
		return no_memory(ctf);
	kp_ctf_metadata(out, ctf->raw, &ctf->about, (const char *const *)ctf->names,
			ctf->classes.items, ctf->classes.count);
	/* without memory, fclose() sets text to NULL but returns no error */
	if (fclose(out) || !text) {
		no_memory(ctf);
	} else {
		fd = kp_folder_add(ctf->folder, "metadata");
		err = fd < 0 ? -1 : kp_folder_write(ctf->folder, fd, text, bytes);
	}
	free(text);
	return err;
}

int kp_ctf_end(struct kp_ctf *ctf)
{
	const struct kp_raw_faults *faults = &ctf->raw->faults;

	for (size_t i = 0; i < CPUS; i++)
		if (ctf->cpus[i].stream && put_later(ctf, &ctf->cpus[i], INT64_MAX))
			return -1;
	for (size_t i = 0; i < ctf->tasks.list.count; i++)
		if (forget_away(ctf, &ctf->tasks.list.items[i],
				ctf->tasks.list.items[i].exiting ? STATE_DEAD : STATE_SLEEPS))
			return -1;
	for (size_t i = 0; i < CPUS; i++)
		if (ctf->cpus[i].stream && kp_ctf_stream_flush(ctf->cpus[i].stream, ctf->folder))
			return -1;
	if ((ctf->raw->lost || faults->bad_words || faults->cut_entries || faults->bad_times) &&
	    put_lost(ctf))
		return -1;
	return put_metadata(ctf);
}

uint64_t kp_ctf_events(const struct kp_ctf *ctf)
{
	return ctf->events;
}

void kp_ctf_free(struct kp_ctf *ctf)
{
	if (!ctf)
		return;
	for (size_t i = 0; i < CPUS; i++) {
		if (ctf->cpus[i].stream)
			free(ctf->cpus[i].stream->packet);
		free(ctf->cpus[i].stream);
	}
	for (size_t i = 0; i < KP_CTF_CALLS; i++)
		free(ctf->names[i]);
	free(ctf->classes.items);
	kp_tasks_free(&ctf->tasks);
	free(ctf);
}
