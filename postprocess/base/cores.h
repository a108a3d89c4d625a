/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many threads are worth having. Called by whatever makes some.
 */
#ifndef KP_CORES_H
#define KP_CORES_H

#define KP_CORES_MAX	256u

/*
 * CPUs on which this process may run (taskset, a container's cpuset), KP_CORES_MAX at the most; or what
 * $KUTRACE_THREADS says, when that is a number from 1 on: fewer, or, for tests, more. It is asked
 * once: the same for as long as the process lives. At least 1. From any thread.
 */
unsigned int kp_cores(void);

#endif
