// SPDX-License-Identifier: BSD-3-Clause
/**
 * For each caveat: the events that are recorded only partly, and what differs.
 * Generated from docs/caveats.def by `make docs`.
 */
export const CAVEATS: Record<string, [string, string]> = {
	fault_end: ['ends of page faults', 'page faults end with handle_mm_fault'],
	fault_late: ['beginnings of page faults', 'page faults begin with handle_mm_fault'],
	irq_action: ['interrupts', 'interrupts of devices begin and end with their handler'],
	lock_holder: ['kernel locks', 'no releases of kernel locks'],
	locks: ['kernel locks', 'no first waiters of spinlocks, and no futexes as locks'],
	nmi_time: ['NMIs', 'NMI handlers instead of whole NMIs'],
	sched_entry: ['scheduler', 'no entry to and exit from the scheduler'],
	traps: ['traps other than page faults', 'traps other than page faults only by their signals'],
	calls_direct: ['system calls', 'no returns of calls that began before the recording, and no calls by unknown numbers'],
	clock: ['times', 'the time counter jumped or became unstable: times may be wrong'],
	fault_no_end: ['ends of page faults', 'no ends of page faults'],
	fault_none: ['page faults', 'no page faults'],
	ipi_send: ['sending of IPIs', 'no sending of IPIs'],
	pc: ['PC samples', 'no PC samples'],
	priorities: ['priorities', 'no policies and priorities of threads'],
	throttled: ['throttled threads', 'throttling by the quota of a cgroup only inferred'],
	traps_some: ['traps other than page faults', 'no breakpoints in the kernel, and no machine checks'],
	events_late: ['times of some events', 'some events are drawn too late'],
	fault_begin: ['page faults', 'only the beginnings of page faults'],
	idle_no_exit: ['idle states', 'only the beginnings of idle states'],
	no_date: ['time of day', 'no time of day'],
	other_events: ['other kinds of events', 'events of unknown kinds are left out'],
	other_machines: ['other machines', 'events of other machines are left out'],
	packets_lost: ['blocks of events', 'whole blocks of events are missing'],
	traps_none: ['traps other than page faults', 'no traps other than page faults'],
	wakeup_target: ['wakeups', 'wakeups where they took effect'],
};
