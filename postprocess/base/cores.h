/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Number of threads that a filter should use.
 */
#ifndef KP_CORES_H
#define KP_CORES_H

#define KP_CORES_MAX	256u

/*
 * Returns the number of CPUs on which this process may run (taskset, a container's cpuset), from 1
 * to KP_CORES_MAX. A number from 1 on in $KUTRACE_THREADS replaces it; tests set more threads than
 * CPUs. All calls of a process return the same number. Any thread may call it.
 */
unsigned int kp_cores(void);

#endif
