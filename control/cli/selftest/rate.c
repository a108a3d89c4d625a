// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the rate of events at which a stream to another process loses nothing. A process on each
 * CPU makes system calls at a rate that is doubled at each step, until the stream falls behind, or
 * the processes cannot make more calls. Must not store the stream on a disk.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/selftest/selftest.h"

#define FIRST_RATE	25000	/* system calls per second of each CPU */
#define STEPS		10	/* at the last step, no process pauses */
#define BURST		64	/* calls between two readings of the clock */
#define WARM_NS		50000000
#define STEP_NS		700000000ULL
#define STEP_QUICK_NS	300000000ULL
#define TRIES		2	/* attempts: a stream that is late once may have waited for a CPU */
#define PHASE_MS	15000	/* no further step begins after this time */

struct step {
	uint64_t rate;		/* calls per second of each process; 0: as many as possible */
	unsigned int stop;	/* set when the processes must end */
	/* at the end of the warm-up, and at the end of the step */
	uint64_t from_ns, from_blocks, to_ns, to_blocks;
	uint64_t start_ns, length_ns;
	int fd;			/* output of the stream */
	bool begun;
};

static _Noreturn void make_calls(const struct step *s)
{
	const struct timespec nap = {.tv_nsec = 200000};
	const uint64_t start_ns = selftest_now_ns();
	uint64_t calls = 0;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		if (s->rate && calls > (selftest_now_ns() - start_ns) * s->rate / 1000000000) {
			clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
			continue;
		}
		for (int i = 0; i < BURST; i++)
			syscall(SYS_getpid);
		calls += BURST;
	}
	_exit(0);
}

static _Noreturn void discard(int fd)
{
	static char block[KUTRACE_BLOCK_BYTES];

	while (read(fd, block, sizeof(block)) > 0)
		;
	_exit(0);
}

/* Counts blocks, and ends the step. The stream calls it before each write and several times a second. */
static int next_output(void *arg, uint64_t bytes, int *fd)
{
	struct step *s = arg;
	const uint64_t now_ns = selftest_now_ns();
	struct kutrace_info info;

	(void)bytes;
	if (cmd_interrupted())
		return -ECANCELED;
	if (!s->from_ns && now_ns >= s->start_ns + WARM_NS && !kutrace_get_info(&info)) {
		s->from_blocks = info.taken_blocks;
		s->from_ns = now_ns;
	}
	if (s->from_ns && now_ns >= s->from_ns + s->length_ns && !kutrace_get_info(&info)) {
		s->to_blocks = info.taken_blocks;
		s->to_ns = now_ns;
		return -ECANCELED;
	}
	if (s->begun)
		return 0;
	*fd = s->fd;
	s->begun = true;
	return 1;
}

/*
 * Streams while the processes make calls. Sets *@kept if nothing was lost, and at most a quarter of
 * the buffer is unsent at the end.
 */
static int stream(struct selftest *t, struct step *s, bool *kept)
{
	const struct kutrace_stream_options options = {.tool = CMD_TOOL, .output = next_output, .arg = s};
	struct kutrace_stream_result result = {0};
	int ret = selftest_on(true);

	s->start_ns = selftest_now_ns();
	ret = ret ?: kutrace_stream(&options, NULL, &result);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
	*kept = !result.lost_blocks &&
		s->to_blocks <= result.data_blocks + t->info.nblocks / 4 + t->ncpus;
	ret = selftest_off() ?: ret;
	if (cmd_interrupted() || (ret && ret != -ECANCELED))
		return ret;
	/* there is no end time if another program ended the recording */
	return s->to_ns ? 0 : -ESTALE;
}

static int run_step(struct selftest *t, struct step *s, bool *kept)
{
	pid_t pids[KUTRACE_CPUS + 1];
	unsigned int count = 0;
	int ends[2], ret = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	(void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	pids[count] = selftest_fork(-1);
	if (!pids[count]) {
		close(ends[1]);
		discard(ends[0]);
	}
	close(ends[0]);
	for (unsigned int i = 0; i < t->ncpus; i++) {
		pids[++count] = selftest_fork(t->cpus[i]);
		if (!pids[count]) {
			close(ends[1]);
			make_calls(s);
		}
	}
	s->fd = ends[1];
	ret = stream(t, s, kept);
	s->stop = 1;
	close(ends[1]);
	return selftest_wait(pids, count + 1) == -ECANCELED ? -ECANCELED : ret;
}

int selftest_rate(struct selftest *t)
{
	struct step *s = selftest_share(sizeof(*s));
	const int64_t end_ms = cmd_now_ms() + PHASE_MS;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	t->rate.producers = t->ncpus;
	for (unsigned int i = 0; i < STEPS && !t->rate.late_at && !t->rate.saturated; i++) {
		uint64_t events;
		bool kept = false;

		if (cmd_now_ms() > end_ms)
			break;

		selftest_progress(t, "rates", i + 1, STEPS);
		for (int try = 0; try < TRIES && !kept && !ret; try++) {
			memset(s, 0, sizeof(*s));
			s->rate = i + 1 < STEPS ? (uint64_t)FIRST_RATE << i : 0;
			s->length_ns = t->quick ? STEP_QUICK_NS : STEP_NS;
			ret = run_step(t, s, &kept);
		}
		if (ret)
			break;
		events = (uint64_t)((unsigned __int128)(s->to_blocks - s->from_blocks) *
				    (KUTRACE_BLOCK_WORDS - KUTRACE_FIRST_WORD) * 1000000000 /
				    (s->to_ns - s->from_ns));
		if (!kept)
			t->rate.late_at = events;
		else
			t->rate.saturated = i + 1 == STEPS || events < t->rate.events_per_s * 11 / 10;
		if (kept && events > t->rate.events_per_s)
			t->rate.events_per_s = events;
	}
	munmap(s, sizeof(*s));
	return ret;
}
