// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts when a trigger fires: adds a name to the recording, and after a delay ends the recording or
 * notifies. record/ registers the function that ends a recording.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "core/clock.h"
#include "session/triggers.h"

static void (*ku_trigger_end_recording)(struct ku_session *session);

void ku_trigger_on_end(void (*end)(struct ku_session *session))
{
	ku_trigger_end_recording = end;
}

void __kprobes ku_trigger_fire(struct ku_watch *watch, u32 trigger, u64 now, u64 counts,
			       u32 number, struct task_struct *task)
{
	struct kutrace_fired *fired = &watch->next;

	if (READ_ONCE(watch->firing) || cmpxchg(&watch->firing, 0, 1))
		return;
	fired->trigger = watch->triggers[trigger];
	fired->counts = now;
	fired->ns = ku_counts_to_ns(counts, watch->session->ring.shift);
	fired->number = number;
	fired->cpu = raw_smp_processor_id();
	fired->pid = (u32)task->pid;
	memcpy(fired->comm, task->comm, sizeof(fired->comm));
	fired->comm[sizeof(fired->comm) - 1] = 0;
	WRITE_ONCE(watch->fired_count, watch->fired_count + 1);
	/* The caller may be in an NMI, or hold the scheduler's locks. */
	irq_work_queue(&watch->work);
}

static void ku_trigger_work(struct irq_work *work)
{
	struct ku_watch *watch = container_of(work, struct ku_watch, work);
	const struct kutrace_fired *fired = &watch->next;
	char text[KUTRACE_NAME_MAX_BYTES];
	int len = scnprintf(text, sizeof(text), "fired=%u:%x %lluns pid %u",
			    fired->trigger.kind, fired->number, fired->ns, fired->pid);

	ku_aux_add(ku_session_aux(watch->session), KUTRACE_NAME_META, 0, text, (size_t)len,
		   fired->counts);
	watch->due = jiffies + msecs_to_jiffies(fired->trigger.after_ms);
	/* Publishes due. Pairs with the acquire in ku_trigger_is_due(). */
	smp_store_release(&watch->ending, READ_ONCE(watch->fired_count));
	schedule_delayed_work(&watch->end, msecs_to_jiffies(fired->trigger.after_ms));
}

/*
 * Returns whether the post-trigger interval is over. This work item may have waited for the lock
 * while its trigger was cancelled and another one fired. Then the interval of the new firing is not
 * over: it has its own work item.
 */
static bool ku_trigger_is_due(struct ku_watch *watch)
{
	/* Pairs with the release in ku_trigger_work(). */
	u32 ending = smp_load_acquire(&watch->ending);

	if (ending == watch->ended || time_before(jiffies, watch->due))
		return false;
	watch->ended = ending;
	return true;
}

static void ku_trigger_end(struct work_struct *work)
{
	struct ku_watch *watch = container_of(to_delayed_work(work), struct ku_watch, end);
	struct ku_session *session = watch->session;

	mutex_lock(&ku_session_lock);
	if (!ku_trigger_is_due(watch))
		goto out;
	watch->fired = watch->next;
	watch->fired.done = 1;
	WRITE_ONCE(watch->done_count, watch->done_count + 1);
	if (watch->fired.trigger.flags & KUTRACE_TRIGGER_NOTIFY)
		WRITE_ONCE(watch->firing, 0);
	else
		ku_trigger_end_recording(session);
	wake_up_interruptible(&session->wait);
out:
	mutex_unlock(&ku_session_lock);
}

void ku_fire_init(struct ku_watch *watch)
{
	init_irq_work(&watch->work, ku_trigger_work);
	INIT_DELAYED_WORK(&watch->end, ku_trigger_end);
}

void ku_fire_cancel(struct ku_watch *watch)
{
	irq_work_sync(&watch->work);
	cancel_delayed_work(&watch->end);
	watch->ended = watch->ending;
	WRITE_ONCE(watch->firing, 0);
	watch->fired_base = watch->fired_count;
	memset(&watch->fired, 0, sizeof(watch->fired));
}

void ku_fire_restart(struct ku_watch *watch)
{
	irq_work_sync(&watch->work);
	if (watch->ended == watch->ending)
		WRITE_ONCE(watch->firing, 0);
}

void ku_fire_exit(struct ku_watch *watch)
{
	irq_work_sync(&watch->work);
	cancel_delayed_work_sync(&watch->end);
}
