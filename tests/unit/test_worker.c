// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kp_worker and the pipes made of it. Data of any size arrive in order. A failure stops the
 * work and is returned. Signals reach the right thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "transform/trace.h"

static struct {
	int batches[KP_BATCHES];
	int next, fail_at;
	pthread_t caller;
	bool other_thread, sigint_blocked;
	useconds_t delay;
} it;

static int work(void *self, void *batch)
{
	sigset_t mask;

	assert_ptr_equal(self, &it);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	it.sigint_blocked = sigismember(&mask, SIGINT);
	it.other_thread = !pthread_equal(it.caller, pthread_self());
	if (it.delay)
		usleep(it.delay);
	if (*(int *)batch != it.next)
		return -77;
	return it.next++ == it.fail_at ? -5 : 0;
}

static struct kp_worker *begin(enum kp_worker_signals signals, int fail_at, useconds_t delay)
{
	struct kp_worker *worker;

	memset(&it, 0, sizeof(it));
	it.caller = pthread_self();
	it.fail_at = fail_at;
	it.delay = delay;
	worker = kp_worker_open(work, &it, it.batches, sizeof(*it.batches), signals);
	assert_non_null(worker);
	return worker;
}

static bool blocked(int signal)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	return sigismember(&mask, signal);
}

static void test_all_in_order(void **state)
{
	useconds_t delay;
	int i;

	(void)state;
	for (delay = 0; delay < 200; delay += 100) {
		struct kp_worker *worker = begin(KP_WORKER_NO_SIGNALS, -1, delay);

		assert_false(blocked(SIGINT));
		for (i = 0; i < 1000; i++) {
			*(int *)kp_worker_batch(worker) = i;
			assert_int_equal(kp_worker_hand_over(worker), 0);
		}
		assert_int_equal(kp_worker_wait(worker), 0);
		assert_int_equal(it.next, 1000);
		assert_true(it.other_thread);
		assert_true(it.sigint_blocked);
		*(int *)kp_worker_batch(worker) = i;
		kp_worker_hand_over(worker);
		assert_int_equal(kp_worker_close(worker), 0);
		assert_int_equal(it.next, 1001);
	}
}

static void test_failure_stops_the_work(void **state)
{
	struct kp_worker *worker = begin(KP_WORKER_NO_SIGNALS, 10, 0);
	int i, err = 0;

	(void)state;
	for (i = 0; i < 100; i++) {
		*(int *)kp_worker_batch(worker) = i;
		err = kp_worker_hand_over(worker);
		assert_true(!err || err == -5);
		assert_false(err && i < 10);
	}
	assert_int_equal(err, -5);
	assert_int_equal(kp_worker_close(worker), -5);
	assert_int_equal(it.next, 11);
}

static void test_signals_go_to_the_worker(void **state)
{
	struct kp_worker *worker = begin(KP_WORKER_TAKES_SIGNALS, -1, 0);

	(void)state;
	assert_true(blocked(SIGINT) && blocked(SIGTERM) && blocked(SIGHUP) && blocked(SIGQUIT) &&
		    blocked(SIGALRM));
	*(int *)kp_worker_batch(worker) = 0;
	assert_int_equal(kp_worker_hand_over(worker), 0);
	assert_int_equal(kp_worker_close(worker), 0);
	assert_false(it.sigint_blocked);
	assert_false(blocked(SIGINT) || blocked(SIGTERM) || blocked(SIGHUP) || blocked(SIGQUIT) ||
		     blocked(SIGALRM));
}

/* ---- events ---- */

static struct {
	uint64_t count, fail_at;
	size_t bytes;
} got;

/*
 * Makes the text of item n. Items are of all three kinds and all lengths, and a few are huge.
 */
static size_t text_of(uint64_t n, char *text)
{
	size_t len = n % 5000 == 4999 ? 70000 : n % 97;

	memset(text, 'a' + (int)(n % 26), len);
	return len;
}

static int arrived(const char *text, size_t len)
{
	static char want[70000];
	size_t want_len = text_of(got.count, want);

	if (len != want_len || (len && memcmp(text, want, len)))
		return -77;
	got.bytes += len;
	return got.count++ == got.fail_at ? -5 : 0;
}

static int on_event(void *self, const struct kp_event *event)
{
	(void)self;
	if (got.count % 3 || event->ts != (int64_t)got.count || event->cpu != 4 ||
	    event->retval != -7)
		return -78;
	return arrived(event->name, event->name_len);
}

static int on_namedef(void *self, const struct kp_namedef *def)
{
	(void)self;
	if (got.count % 3 != 1 || def->ts != -1 || def->event != 0x42 ||
	    def->number != (uint32_t)got.count)
		return -79;
	return arrived(def->name, def->name_len);
}

static int on_comment(void *self, const char *text, size_t len)
{
	(void)self;
	return got.count % 3 != 2 ? -80 : arrived(text, len);
}

static int feed(const struct kp_event_sink *sink, uint64_t n)
{
	static char text[70000];
	size_t len = text_of(n, text);
	const struct kp_event event = {
		.ts = (int64_t)n, .cpu = 4, .retval = -7, .name = text, .name_len = len,
	};
	const struct kp_namedef def = {
		.ts = -1, .event = 0x42, .number = (uint32_t)n, .name = text, .name_len = len,
	};

	switch (n % 3) {
	case 0:
		return sink->event(sink->self, &event);
	case 1:
		return sink->namedef(sink->self, &def);
	default:
		return sink->comment(sink->self, text, len);
	}
}

static void test_events(void **state)
{
	const struct kp_event_sink to = {
		.event = on_event, .namedef = on_namedef, .comment = on_comment,
	};
	struct kp_event_pipe *pipe;
	struct kp_event_sink sink;
	uint64_t n;
	int err = 0;

	(void)state;
	memset(&got, 0, sizeof(got));
	got.fail_at = UINT64_MAX;
	pipe = kp_event_pipe_open(&to);
	assert_non_null(pipe);
	sink = kp_event_pipe_sink(pipe);
	for (n = 0; n < 30000; n++)
		assert_int_equal(feed(&sink, n), 0);
	assert_int_equal(kp_event_pipe_close(pipe), 0);
	assert_int_equal(got.count, 30000);
	assert_true(got.bytes > 6 * 70000);

	memset(&got, 0, sizeof(got));
	got.fail_at = 12345;
	pipe = kp_event_pipe_open(&to);
	assert_non_null(pipe);
	sink = kp_event_pipe_sink(pipe);
	for (n = 0; n < 30000 && !err; n++)
		err = feed(&sink, n);
	assert_int_equal(err, -5);
	assert_int_equal(kp_event_pipe_close(pipe), -5);
	assert_int_equal(got.count, 12346);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order),
		cmocka_unit_test(test_failure_stops_the_work),
		cmocka_unit_test(test_signals_go_to_the_worker),
		cmocka_unit_test(test_events),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
