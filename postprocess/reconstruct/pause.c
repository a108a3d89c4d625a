// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ends the state of all CPUs and tasks where a pause begins, as at the end of a trace. The events
 * after the pause create it again.
 *
 * The work for a pause must be limited by the number of events since the previous pause and two
 * rows per CPU.
 */
#include "reconstruct/pause.h"

#include "reconstruct/execution.h"
#include "reconstruct/packet.h"
#include "reconstruct/point.h"
#include "reconstruct/stack.h"
#include "reconstruct/task.h"

/* Writes a row of pause @number. 0: the pause has ended, but the CPU's state is still unknown. */
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
		/* A merged call that returns in the pause is cut off where the pause begins. */
		if (cpu->due && cpu->due_ts <= pause->off)
			kp_rec_due(rec, cpu, pause->off);
		/* The scheduler has chosen the next task, which does not run yet. */
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
