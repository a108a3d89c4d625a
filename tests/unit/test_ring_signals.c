// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core as it is built for the module, with the real time counter. Real signals stand
 * for interrupts, and several threads stand for CPUs that share the pool. Every thread numbers its
 * entries. No entry may be missing, doubled or out of order, and read + lost = written.
 */
#define KU_ENV_CPUS 3
#include "core/emit.h"
#include "core/block.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/emit.c"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "ring_decode.h"
#include "ring_pool.h"
#include "sample.h"

#define THREADS KU_ENV_CPUS
#define EVENTS (sample_step() == 1 ? 300007 : 100003)	/* more than the 29 blocks hold, so the pool
							 * wraps */
#define MIN_SIGNALS 97	/* minimum number of signals per thread, also on a busy machine */

__thread struct ku_cpu *ku_env_cpu;
__thread struct ku_cpu *ku_env_cpu2;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 1;
unsigned int ku_clock_shift = 4;

static __thread u32 me;
static struct ku_cpu cpus[THREADS];
static volatile u32 written_main[THREADS], written_irq[THREADS], calls[THREADS];
static volatile bool ready[THREADS], done[THREADS];
static pthread_t threads[THREADS];

void ku_env_irq_save(unsigned long *flags)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	*flags = (unsigned long)sigismember(&old, SIGUSR1);
}

void ku_env_irq_restore(unsigned long flags)
{
	sigset_t set;

	if (flags)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

u32 ku_this_cpu_number(void)
{
	return me;
}

/* Records mark_b. mark_a counts in the thread, and mark_b in the signal handler. */
static void handler(int sig)
{
	(void)sig;
	ku_emit(KU_EVENT(0x5EC));
	ku_emit(KU_EVENT(KUTRACE_MARKB) | written_irq[me]++);
	ku_emit_return(0x5EC, 0);
}

static void *run(void *arg)
{
	u32 i;

	me = (u32)(uintptr_t)arg;
	ku_env_cpu = &cpus[me];
	ready[me] = true;
	for (i = 0; i < EVENTS; i++) {
		ku_emit(KU_EVENT(KUTRACE_MARKA) | written_main[me]++);
		ku_emit(KU_EVENT(0x827) | (u16)i);
		ku_emit_return(0x827, (int)(i % 200) - 60);
		calls[me]++;
	}
	while (written_irq[me] < MIN_SIGNALS) {
		ku_emit(KU_EVENT(KUTRACE_MARKA) | written_main[me]++);
		usleep(100);
	}
	done[me] = true;
	/* Late signals must still find a live thread. */
	while (!done[THREADS - 1] || !done[0] || !done[1])
		usleep(1000);
	return NULL;
}

static void pool_up(u32 nblocks, bool wrap)
{
	u32 i;

	pool_alloc(nblocks);
	ku_ring_reset(&ku_ring, wrap);
	for (i = 0; i < THREADS; i++) {
		ku_ring_init_cpu(&cpus[i]);
		written_main[i] = 0;
		written_irq[i] = 0;
		calls[i] = 0;
		ready[i] = false;
		done[i] = false;
	}
	ku_ring.active = 1;
}

static void hammer(void)
{
	struct timespec pause = { .tv_nsec = 50000 };
	bool all_done;
	u32 i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run,
						(void *)(uintptr_t)i), 0);
	do {
		all_done = true;
		for (i = 0; i < THREADS; i++) {
			all_done &= done[i];
			if (ready[i] && !done[i])
				pthread_kill(threads[i], SIGUSR1);
			nanosleep(&pause, NULL);
		}
	} while (!all_done);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static u64 lost(u32 cpu)
{
	return cpus[cpu].lost.causes[KUTRACE_LOST_FULL] + cpus[cpu].lost.causes[KUTRACE_LOST_NESTED] +
	       cpus[cpu].lost.causes[KUTRACE_LOST_NOBLOCK];
}

struct seen {
	u64 marks_main, marks_irq, calls, returns, irq_calls, irq_returns, merged;
	u64 next_main, next_irq;
};

/* Reads the blocks of a CPU in the order of claiming. If @wrapped, any number may be the first. */
static void read_cpu(u32 cpu, struct seen *s, bool wrapped)
{
	u64 last_seq = 0, last_ts = 0;

	memset(s, 0, sizeof(*s));
	s->next_main = s->next_irq = ~0ULL;
	for (;;) {
		u64 best = ~0ULL;
		u32 i, which = 0;
		struct decode d = {};
		size_t n;

		for (i = 0; i < ku_ring.nblocks; i++) {
			struct kutrace_block *b = &ku_ring.table[i];

			if (b->seq && b->cpu == cpu && b->seq > last_seq &&
			    b->seq < best) {
				best = b->seq;
				which = i;
			}
		}
		if (best == ~0ULL)
			return;
		last_seq = best;
		assert_int_equal(ku_ring.words[which][0] >> 56, cpu);
		decode_block(&d, ku_ring.words[which], which);
		if (d.error)
			fail_msg("%s", d.error);
		for (n = 0; n < d.count; n++) {
			struct decoded *e = &d.list[n];

			assert_true(e->ts >= last_ts);
			last_ts = e->ts;
			if (e->event == KUTRACE_MARKA) {
				if (s->next_main == ~0ULL)
					s->next_main = wrapped ? e->arg : 0;
				assert_int_equal(e->arg, s->next_main);
				s->next_main++;
				s->marks_main++;
			} else if (e->event == KUTRACE_MARKB) {
				if (s->next_irq == ~0ULL)
					s->next_irq = wrapped ? e->arg : 0;
				assert_int_equal(e->arg, s->next_irq);
				s->next_irq++;
				s->marks_irq++;
			} else if (e->event == 0x827) {
				s->calls++;
				if (e->merged) {
					int want = (int)((s->next_main - 1) % 200) - 60;

					s->merged++;
					s->returns++;
					if (s->next_main != ~0ULL)
						assert_int_equal(e->retval, want);
				}
			} else if (e->event == 0xA27) {
				s->returns++;
			} else if (e->event == 0x5EC) {
				s->irq_calls++;
				s->irq_returns += e->merged;
			} else if (e->event == 0x7EC) {
				s->irq_returns++;
			} else {
				fail_msg("event %x from nowhere", e->event);
			}
		}
		free(d.list);
	}
}

static void test_all_recorded(void **state)
{
	u64 merged = 0, in_irq = 0;
	u32 i;

	(void)state;
	pool_up(THREADS * (EVENTS * 3 / 8000 + 60), false);
	hammer();
	for (i = 0; i < THREADS; i++) {
		struct seen s;

		read_cpu(i, &s, false);
		assert_int_equal(lost(i), 0);
		assert_int_equal(s.marks_main, written_main[i]);
		assert_int_equal(s.calls, EVENTS);
		assert_int_equal(s.returns, EVENTS);
		assert_int_equal(s.marks_irq, written_irq[i]);
		assert_int_equal(s.irq_calls, written_irq[i]);
		assert_int_equal(s.irq_returns, written_irq[i]);
		merged += s.merged;
		in_irq += written_irq[i];
	}
	/* nearly all returns that take some time have 1 to 255 counts (8 bits), and are merged */
	assert_true(merged > 0);
	assert_true(in_irq >= THREADS * MIN_SIGNALS);
	pool_free();
}

static void test_lost_counted(void **state)
{
	u32 i;

	(void)state;
	pool_up(EVENTS / 5000 + 1, false);
	hammer();
	for (i = 0; i < THREADS; i++) {
		struct seen s;
		u64 asked = written_main[i] + 2ULL * EVENTS + 3ULL * written_irq[i];

		read_cpu(i, &s, false);
		assert_int_equal(s.marks_main + s.marks_irq + s.calls + s.returns +
				 s.irq_calls + s.irq_returns + lost(i), asked);
		assert_true(lost(i) > 0);
	}
	pool_free();
}

static void test_wrapped(void **state)
{
	u32 i;

	(void)state;
	pool_up(29, true);
	hammer();
	for (i = 0; i < THREADS; i++) {
		struct seen s;

		read_cpu(i, &s, true);
		assert_int_equal(lost(i), 0);
		/* read_cpu() has checked that no number is missing; the last one is there too */
		if (s.marks_main)
			assert_int_equal(s.next_main, written_main[i]);
	}
	assert_true(ku_ring.taken > 29);
	pool_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_recorded),
		cmocka_unit_test(test_lost_counted),
		cmocka_unit_test(test_wrapped),
	};
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
