// SPDX-License-Identifier: GPL-2.0-only
/* Hooks of contended locks in a patched kernel: see patched.h. */
#include <linux/kprobes.h>
#include <linux/kutrace.h>

#include "core/emit.h"
#include "probes/lock_number.h"
#include "probes/patched.h"

/* The number does not reveal the lock's address. */
void __kprobes ku_static_lock(const void *lock, unsigned int step)
{
	static const u32 events[] = {
		[KUTRACE_LOCK_CONTENDED] = KUTRACE_LOCKNOACQ,
		[KUTRACE_LOCK_ACQUIRED] = KUTRACE_LOCKACQ,
		[KUTRACE_LOCK_FREED] = KUTRACE_LOCKWAKEUP,
	};

	if (step != KUTRACE_LOCK_GIVEN_UP)
		ku_emit_ordered(KU_EVENT(events[step]) | ku_lock_number(lock));
}
