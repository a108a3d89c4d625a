// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ends the state of every CPU and task where recording went off, as at the end of a
 * trace, and makes it again from the events after the pause; see reconstruct/pause.h.
 * A pause must not take longer than the events since the pause before it, and two rows for
 * each CPU.
 */
#include "reconstruct/pause.h"

#include "reconstruct/execution.h"
#include "reconstruct/packet.h"
#include "reconstruct/point.h"
#include "reconstruct/stack.h"
#include "reconstruct/task.h"

/* number: of the pause; 0: it is over, but nothing is known of this CPU yet. */
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
		/* A merged call that returned after the recording went off is cut off. */
		if (cpu->due && cpu->due_ts <= pause->off)
			kp_rec_due(rec, cpu, pause->off);
		/* A task that the scheduler has chosen does not run yet. */
		cpu->arriving = false;
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
	int i;

	rec->stats.pauses++;
	rec->stats.paused_units += pause->on - pause->off;
	for (i = 0; i < 256; i++)
		if (rec->cpus[i])
			kp_pause_cpu(rec, rec->cpus[i], pause);
	kp_rec_packet_end(rec);
	while ((task = rec->touched)) {
		rec->touched = task->next_touched;
		kp_pause_task(rec, task, pause->off);
	}
	kp_pause_task(rec, &rec->idle, pause->off);
	kp_rec_point_forget(rec);
	if (rec->stats.last < pause->off)
		rec->stats.last = pause->off;
	rec->resumes = pause->on;
}

void kp_rec_pauses(struct kp_reconstruct *rec, int64_t ts)
{
	struct kp_pause pause;

	/* A wrapped trace may have lost all events before a pause. */
	while (kp_pauses_next(&rec->pauses, ts, &pause))
		if (rec->any || pause.on > ts)
			kp_pause(rec, &pause);
	rec->any = true;
}

void kp_rec_resume(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	kp_pause_row(rec, cpu, cpu->paused, ts, 0);
	cpu->paused = -1;
}
