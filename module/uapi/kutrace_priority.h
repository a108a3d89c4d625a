/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/* Names of kind KUTRACE_NAME_PRIORITY, and the argument of the event KUTRACE_PRIORITY_PI. */
#ifndef KUTRACE_PRIORITY_H
#define KUTRACE_PRIORITY_H

/*
 * A name has the policy and the priority of a thread, by its pid: "nice -5", "batch 0", "idle",
 * "FIFO 50", "RR 1", "deadline" or "ext 0". The name of pid 0 is valid for all threads without a
 * name of their own. In RT policies, 99 is the highest priority; in the others, nice -20 is.
 */
#define KUTRACE_PRIORITY_USUAL	"nice 0"

/*
 * A thread holds a lock with priority inheritance, and runs with the priority of a waiter.
 *
 *    31 30 29       22 21                  0
 *   +-----+-----------+---------------------+
 *   |  0  | inherited |         pid         |
 *   +-----+-----------+---------------------+
 *
 * inherited:
 *	0			deadline
 *	1 to 99			RT: 100 minus the priority
 *	101 to 140		fair: nice plus 121
 *	KUTRACE_PRIORITY_OWN	the thread has its own priority again
 */
#define KUTRACE_PRIORITY_PID	0x3FFFFFU
#define KUTRACE_PRIORITY_SHIFT	22
#define KUTRACE_PRIORITY_OWN	255U

#endif
