// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the order of the time counter between two CPUs. One thread reads its clock and publishes
 * the time. The other thread, on another CPU, loads that time and then reads its own clock. An
 * ordered reading must never be earlier than the time that was loaded before it.
 *
 * Skipped where the process may run on one CPU only.
 */
#include "lib_fake.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef __x86_64__
typedef uint64_t u64;
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#include "arch/x86/tsc.h"
#endif

#define SIGHTS	20000

typedef uint64_t reading(void);

static struct {
	_Alignas(128) _Atomic uint64_t time;
	_Alignas(128) _Atomic bool stop;
	reading *write;
	int cpu;
} baton;

struct seen {
	uint64_t earlier, worst;
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof(set), &set), 0);
}

/* Publishes times. A pause lets the reader see most of them. */
static void *writer(void *arg)
{
	(void)arg;
	pin(baton.cpu);
	while (!atomic_load_explicit(&baton.stop, memory_order_relaxed)) {
		atomic_store_explicit(&baton.time, baton.write(), memory_order_release);
		for (int i = 0; i < 30; i++)
			__asm__ volatile("");
	}
	return NULL;
}

/*
 * Reads a published time and then the clock. Inlined for each @read, so that the clock is read
 * directly after the load.
 */
static inline __attribute__((always_inline)) struct seen watch(reading *read)
{
	struct seen seen = {0};
	uint64_t last = atomic_load(&baton.time);

	for (uint32_t sights = 0; sights < SIGHTS;) {
		uint64_t then = atomic_load_explicit(&baton.time, memory_order_acquire);
		uint64_t now = read();

		if (then == last)
			continue;
		last = then;
		sights++;
		if (now >= then)
			continue;
		seen.earlier++;
		if (then - now > seen.worst)
			seen.worst = then - now;
	}
	return seen;
}

/* Finds the first two CPUs of the process. Returns false if it has only one. */
static bool two_cpus(int cpus[2])
{
	cpu_set_t set;
	int found = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	return found == 2;
}

static struct seen run(reading *write, struct seen (*watcher)(void))
{
	pthread_t thread;
	struct seen seen;
	cpu_set_t before;
	int cpus[2];

	if (!two_cpus(cpus))
		skip();
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	atomic_store(&baton.stop, false);
	baton.write = write;
	baton.cpu = cpus[0];
	assert_int_equal(pthread_create(&thread, NULL, writer, NULL), 0);
	pin(cpus[1]);
	seen = watcher();
	atomic_store(&baton.stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	print_message("%llu of %d readings are earlier than their cause, the worst by %llu counts\n",
		      (unsigned long long)seen.earlier, SIGHTS, (unsigned long long)seen.worst);
	return seen;
}

#ifdef __x86_64__
static __always_inline uint64_t unordered(void)
{
	return ku_rdtsc();
}

static __always_inline uint64_t ordered(void)
{
	ku_clock_order();
	return ku_rdtsc();
}

static struct seen watch_unordered(void)
{
	return watch(unordered);
}

static struct seen watch_ordered(void)
{
	return watch(ordered);
}

/*
 * Prints the number of unordered readings, and checks nothing, because the number depends on the
 * processor.
 */
static void unordered_readings_are_counted(void **state)
{
	(void)state;
	run(unordered, watch_unordered);
}

static void module_orders_its_readings(void **state)
{
	(void)state;
	assert_int_equal(run(unordered, watch_ordered).earlier, 0);
}
#endif

static uint64_t library(void)
{
	return (uint64_t)kutrace_readtime();
}

static struct seen watch_library(void)
{
	return watch(library);
}

static void library_orders_its_readings(void **state)
{
	(void)state;
	fake_reset();
	fake->info.clock_shift = 0;
	assert_int_equal(kutrace_do_on(), 0);
	assert_int_equal(run(library, watch_library).earlier, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(unordered_readings_are_counted),
		cmocka_unit_test(module_orders_its_readings),
#endif
		cmocka_unit_test(library_orders_its_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
