// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks every 10 s that the time counter keeps pace, for each session that records. So a temporary
 * fault of the counter is noticed even if no program queries the session. After the last recording
 * has ended, the work item runs at most one more time.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "record/internal.h"
#include "record/record.h"

#define KU_PACE		(10 * HZ)

static void ku_pace_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(ku_pace_work, ku_pace_check);

static void ku_pace_check_one(struct ku_session *session)
{
	bool bad = session->clock_bad;

	/* While ku_session_on() names all tasks, nothing is recorded yet. */
	if (!ku_session_is_on(session))
		return;
	ku_session_check_clock(session);
	if (session->clock_bad && !bad)
		ku_session_anchor(session);
}

static void ku_pace_check(struct work_struct *work)
{
	struct ku_session *session;
	int i;

	mutex_lock(&ku_session_lock);
	ku_each_recording(session, i)
		ku_pace_check_one(session);
	if (ku_sessions_recording())
		ku_pace_begin();
	mutex_unlock(&ku_session_lock);
}

void ku_pace_begin(void)
{
	lockdep_assert_held(&ku_session_lock);
	queue_delayed_work(system_power_efficient_wq, &ku_pace_work, KU_PACE);
}

void ku_pace_exit(void)
{
	cancel_delayed_work_sync(&ku_pace_work);
}
