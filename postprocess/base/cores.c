// SPDX-License-Identifier: BSD-3-Clause
/*
 * Determines the number of usable CPUs, see base/cores.h. It must not use /proc/cpuinfo or the
 * number of online CPUs: they also count CPUs that this process may not use.
 */
#include "base/cores.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define MASK_MOST	(1 << 16)	/* more CPUs than any machine has */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned int cores;

/* Returns the number in $KUTRACE_THREADS, or 0 if it is not set or not a number. */
static unsigned int wanted(void)
{
	const char *text = getenv("KUTRACE_THREADS");
	char *end;
	unsigned long value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end)
		return 0;
	return errno || value > KP_CORES_MAX ? KP_CORES_MAX : (unsigned int)value;
}

/*
 * Returns the number of CPUs in the affinity mask, or 0 if it is unknown. The kernel refuses a mask
 * that is too small for the machine (EINVAL): then a larger one is tried.
 */
static unsigned int allowed(void)
{
	int room, count = 0;

	for (room = CPU_SETSIZE; room <= MASK_MOST && !count; room *= 2) {
		cpu_set_t *set = CPU_ALLOC(room);
		size_t size = CPU_ALLOC_SIZE(room);

		if (!set)
			return 0;
		if (!sched_getaffinity(0, size, set))
			count = CPU_COUNT_S(size, set);
		else if (errno != EINVAL)
			room = MASK_MOST;
		CPU_FREE(set);
	}
	return (unsigned int)count;
}

static void ask(void)
{
	cores = wanted();
	if (!cores)
		cores = allowed();
	if (!cores)
		cores = 1;
	if (cores > KP_CORES_MAX)
		cores = KP_CORES_MAX;
}

unsigned int kp_cores(void)
{
	pthread_once(&once, ask);
	return cores;
}
