// SPDX-License-Identifier: BSD-3-Clause
/*
 * Chooses the thread to explain, and finds the beginning of a thread (report/why.h). Must not choose
 * the recorder itself.
 */
#include "report/why.h"

static bool runs(const struct kp_why *why, int64_t index)
{
	return index >= 0 && why->pids.items[index].runs.count;
}

static bool is_recorder(const struct kp_why_pid *pid)
{
	return kp_is_name_of(pid->name->text, pid->name->len, KP_WHY_RECORDER);
}

/* Returns the index of the thread that ran last, except idle and the recorder; -1: none ran. */
static int64_t last_thread(const struct kp_why *why)
{
	int64_t best = -1, end = -1;

	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];

		if (!pid->pid || !pid->runs.count || is_recorder(pid) ||
		    pid->runs.items[pid->runs.count - 1].end <= end)
			continue;
		end = pid->runs.items[pid->runs.count - 1].end;
		best = (int64_t)i;
	}
	return best;
}

struct kp_why_choice kp_why_program(const struct kp_why *why)
{
	int64_t index;

	/* of several threads with this pid, the program was the first, because the recording began with it */
	index = why->run_pid ? kp_why_at(why, why->run_pid, why->from) : -1;
	if (runs(why, index))
		return (struct kp_why_choice){ index, KP_WHY_RUN_BY };
	index = why->started_pid ? kp_why_at(why, why->started_pid, why->from) : -1;
	return (struct kp_why_choice){ runs(why, index) ? index : -1, KP_WHY_STARTED_BY };
}

struct kp_why_choice kp_why_choose(const struct kp_why *why)
{
	const int64_t fired = why->fired_pid ? kp_why_find(why, why->fired_pid) : -1;
	const struct kp_why_choice program = kp_why_program(why);

	if (runs(why, fired))
		return (struct kp_why_choice){ fired, KP_WHY_FIRED };
	return program.index >= 0 ? program : (struct kp_why_choice){ last_thread(why), KP_WHY_LAST };
}

bool kp_why_makes_threads(const struct kp_why_exec *exec)
{
	static const char *const calls[] = { "clone", "clone3", "fork", "vfork" };

	if (kp_why_is_user(exec))
		return exec->pid == KP_KTHREADD;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(exec->name->text, calls[i]))
			return true;
	return false;
}

int64_t kp_why_beginning(const struct kp_why *why, size_t index)
{
	struct kp_why_gap gap;

	if (!why->pids.items[index].runs.count)
		return why->from;
	kp_why_explain(why, index, 0, &gap);
	return gap.wake && gap.waker_in && gap.wake->at > why->from && kp_why_makes_threads(gap.waker_in) ?
	       gap.wake->at : why->from;
}
