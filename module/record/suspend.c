// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspends and resumes recordings. Suspend to idle needs no code: all CPUs are idle, and are
 * recorded as idle.
 *
 * On the CPU that is suspended last, the time until the resume appears as an interrupt,
 * "suspended". If the time counter continued, recordings continue. If it has restarted, they end at
 * the beginning of that interrupt, because the offset between old and new times is not known.
 *
 * Between suspend and resume the other CPUs are offline and interrupts are off. So ku_recording
 * does not change, because its changes need a sleeping lock.
 */
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat/syscore.h"
#include "core/block.h"
#include "core/clock.h"
#include "core/emit.h"
#include "record/internal.h"
#include "record/record.h"

#define KU_SUSPENDED (KUTRACE_CALL_IRQ + KUTRACE_VECTOR_SUSPENDED)

/* Saved state of each recording session, by id, while the machine is suspended. */
static struct {
	void (*filled)(struct ku_ring *ring);
	u32 block;
} ku_muted[KUTRACE_SESSIONS];

static struct ku_cpu *ku_suspend_cpu(struct ku_session *session)
{
	return ku_session_cpu(session, raw_smp_processor_id());
}

/*
 * Disables the notification of readers. A full block sends an interrupt to this CPU. That interrupt
 * would be lost with the state of the interrupt controller. The kernel would wait for the lost
 * interrupt, and would not send another one.
 */
static void ku_suspend_mute(void)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i) {
		ku_muted[session->id].filled = session->ring.filled;
		WRITE_ONCE(session->ring.filled, NULL);
	}
}

static void ku_suspend_unmute(void)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i) {
		WRITE_ONCE(session->ring.filled, ku_muted[session->id].filled);
		/* A block may have become full meanwhile. */
		session->ring.filled(&session->ring);
	}
}

static int ku_suspend(KU_SYSCORE_ARGS)
{
	struct ku_session *session;
	int i;

	ku_suspend_mute();
	if (ku_sessions_recording())
		ku_emit(KU_EVENT(KU_SUSPENDED));
	ku_each_recording(session, i)
		ku_muted[session->id].block = ku_suspend_cpu(session)->at.block;
	ku_clock_suspend();
	return 0;
}

/* Ends recordings in a work item, because this may sleep. */
static void ku_suspend_end(struct work_struct *work)
{
	struct ku_session *session;
	bool any = false;
	int i;

	mutex_lock(&ku_session_lock);
	ku_each_recording(session, i) {
		if (!ku_session_is_stale(session))
			continue;
		any = true;
		ku_session_off_locked(session);
	}
	mutex_unlock(&ku_session_lock);
	if (any)
		pr_warn("kutrace: the time counter was reset while the machine was suspended: recordings end before that\n");
}

static DECLARE_WORK(ku_suspend_work, ku_suspend_end);

/*
 * Ends recording at the suspend. The last entry of each CPU has an old time, and no gap can lead
 * from an old time to a new one. CPUs that start again record nothing, because no session is
 * active. If this CPU has recorded entries since the resume, they are in a new block, which is
 * invalidated.
 */
static void ku_suspend_close(void)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i) {
		struct ku_cpu *cpu = ku_suspend_cpu(session);

		WRITE_ONCE(session->ring.active, 0);
		if (cpu->at.block != ku_muted[session->id].block)
			ku_ring_forget_cpu(&session->ring, cpu);
		ku_ring_close_cpu(&session->ring, cpu);
	}
}

static void ku_resume(KU_SYSCORE_ARGS)
{
	ku_suspend_unmute();
	if (!ku_clock_went_on()) {
		ku_clock_restart();
		ku_suspend_close();
		schedule_work(&ku_suspend_work);
	} else if (ku_sessions_recording()) {
		ku_emit(ku_return_entry(KU_SUSPENDED, 0));
	}
}

KU_SYSCORE(ku_syscore, ku_suspend, ku_resume);

void ku_suspend_init(void)
{
	register_syscore(&ku_syscore);
}

void ku_suspend_exit(void)
{
	unregister_syscore(&ku_syscore);
	cancel_work_sync(&ku_suspend_work);
}
