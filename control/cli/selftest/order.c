// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks that no event is earlier than its cause on another CPU. Two processes, each on one CPU of
 * a pair, pass a token and mark each pass: first through memory, then through pipes, where the
 * receiver sleeps. Then these times must be in order: mark of the sender, wakeup, switch to the
 * receiver, mark of the receiver. Must not check a wakeup unless the receiver slept.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/selftest/selftest.h"

#define PASSES		200	/* through memory */
#define WAKEUPS		100	/* through pipes */
#define MARKS		(PASSES + WAKEUPS)
#define SLEEP_NS	30000	/* the sender waits for this time, so that the receiver sleeps */
#define PART_NS		250000000ULL	/* each of the two parts ends after this time */
#define PAIRS_MAX	60
#define PAIRS_QUICK	10
#define PHASE_MS	15000	/* no further pair begins after this time */

/* --- the two processes --------------------------------------------------------- */

struct token {
	uint32_t turn;		/* number of the next mark through memory; odd: the second process */
	uint32_t tag;		/* number of the first mark */
};

/* Waits until it is the turn of @number. Returns false if this is later than @end_ns. */
static bool wait_turn(const struct token *token, uint32_t number, uint64_t end_ns)
{
	for (uint32_t i = 1; __atomic_load_n(&token->turn, __ATOMIC_ACQUIRE) != number; i++) {
#ifdef __x86_64__
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#endif
		if (i % 1024 == 0 && selftest_now_ns() > end_ns)
			return false;
	}
	return true;
}

static void spin(uint64_t ns)
{
	const uint64_t end_ns = selftest_now_ns() + ns;

	while (selftest_now_ns() < end_ns)
		;
}

/* @me: 0 or 1. The process makes the marks with numbers of this parity. */
static _Noreturn void pass(struct token *token, uint32_t me, int from, int to)
{
	uint64_t end_ns = selftest_now_ns() + PART_NS;
	char byte = 0;
	uint32_t i;

	for (i = me; i < PASSES && wait_turn(token, i, end_ns); i += 2) {
		kutrace_mark_d(token->tag + i);
		__atomic_store_n(&token->turn, i + 1, __ATOMIC_RELEASE);
	}
	end_ns = selftest_now_ns() + PART_NS;
	for (i = PASSES + me; i < MARKS && selftest_now_ns() < end_ns; i += 2) {
		if (i > PASSES && read(from, &byte, 1) != 1)
			break;
		spin(SLEEP_NS);
		kutrace_mark_d(token->tag + i);
		if (write(to, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static int run_pair(struct token *token, const int cpus[2])
{
	pid_t pids[2] = {0};
	int pipes[2][2];

	if (pipe2(pipes[0], O_CLOEXEC))
		return -errno;
	if (pipe2(pipes[1], O_CLOEXEC)) {
		close(pipes[0][0]);
		close(pipes[0][1]);
		return -EMFILE;
	}
	for (uint32_t me = 0; me < 2; me++) {
		pids[me] = selftest_fork(cpus[me]);
		if (pids[me])
			continue;
		/* close the ends of the other process, so that a read returns when that process has ended */
		close(pipes[!me][1]);
		close(pipes[me][0]);
		pass(token, me, pipes[!me][0], pipes[me][1]);
	}
	for (int i = 0; i < 2; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	return selftest_wait(pids, 2);
}

/* --- the recording ------------------------------------------------------------- */

struct receiver {
	uint32_t pid, cpu;	/* known after the first mark */
	bool asleep;		/* slept when the sender made its mark: a wakeup must follow */
	/* counts of the first wakeup and the first switch since the sender's mark; 0: none */
	uint64_t wakeup, switched;
	uint64_t woken;		/* counts of a wakeup without a switch after it; 0: none */
	/* counts of the first effect, if it came before the wakeup in the trace; 0: none */
	uint64_t effect;
};

struct order_reader {
	struct selftest_order *order;
	struct selftest *t;
	uint32_t tag;
	struct receiver process[2];
	uint32_t running[KUTRACE_CPUS];	/* pid by CPU */
	uint64_t mark[MARKS];	/* counts of each mark; 0: none */
};

/* Checks that @effect is not more than one count earlier than @cause. */
static void check(struct order_reader *r, uint64_t cause, uint64_t effect)
{
	uint64_t ns;

	if (effect + 1 >= cause)
		return;
	ns = selftest_ns(r->t, cause - effect);
	r->order->violations++;
	if (ns > r->order->worst_ns)
		r->order->worst_ns = ns;
}

static void add_mark(struct order_reader *r, const struct kutrace_seen *seen, uint32_t number)
{
	struct receiver *sender = &r->process[number % 2], *other = &r->process[!(number % 2)];

	r->mark[number] = seen->counts;
	sender->pid = seen->pid;
	sender->cpu = seen->cpu;
	if (sender->asleep) {
		/* this process has been woken, and its mark is the last effect of the wakeup */
		if (sender->wakeup)
			r->order->wakeups++;
		else
			sender->effect = sender->switched ?: seen->counts;
	}
	sender->asleep = false;
	/* an idle CPU shows that the other process sleeps, and does not wait for its CPU */
	other->asleep = number >= PASSES && other->pid && !r->running[other->cpu];
	/* the write after this mark wakes the other process, so it has not been woken yet */
	if (other->asleep && other->woken)
		check(r, seen->counts, other->woken);
	other->wakeup = other->switched = other->effect = 0;
}

static void add_wakeup(struct order_reader *r, struct receiver *p, uint64_t counts)
{
	/* later wakeups have other causes, such as a lock of the pipe */
	if (!p->wakeup && p->asleep && p->switched)
		check(r, counts, p->switched);
	if (p->effect)
		check(r, counts, p->effect);
	p->effect = 0;
	p->woken = counts;
	if (!p->wakeup)
		p->wakeup = counts;
}

static void add_switch(struct receiver *p, uint64_t counts)
{
	p->woken = 0;
	if (!p->switched)
		p->switched = counts;
}

static int add_event(void *arg, const struct kutrace_seen *seen)
{
	struct order_reader *r = arg;
	const uint32_t number = seen->arg - r->tag;

	if (seen->event == KUTRACE_MARKD && number < MARKS)
		add_mark(r, seen, number);
	if (seen->event == KUTRACE_USERPID)
		r->running[seen->cpu] = seen->arg;
	for (int i = 0; i < 2; i++) {
		struct receiver *p = &r->process[i];

		if (!p->pid || seen->arg != p->pid)
			continue;
		if (seen->event == KUTRACE_RUNNABLE)
			add_wakeup(r, p, seen->counts);
		else if (seen->event == KUTRACE_USERPID)
			add_switch(p, seen->counts);
	}
	return cmd_interrupted() ? -ECANCELED : 0;
}

static int check_pair(struct selftest *t, const int cpus[2], struct token *token,
		      struct order_reader *r)
{
	const struct kutrace_read_options options = {.event = add_event, .arg = r};
	int ret;

	memset(r, 0, sizeof(*r));
	r->order = &t->order;
	r->t = t;
	r->tag = token->tag = (uint32_t)getpid() << 10;
	token->turn = 0;
	ret = selftest_on(false);
	if (ret)
		return ret;
	ret = run_pair(token, cpus);
	ret = selftest_off() ?: ret;
	/* a CPU can go offline: then the pair is not checked */
	if (ret)
		return ret == -ECHILD ? 0 : ret;
	ret = kutrace_read(&options, NULL);
	if (ret)
		return ret;
	t->order.lost += selftest_lost();
	for (uint32_t i = 1; i < MARKS; i++)
		/* the first mark through pipes has no cause on the other CPU */
		if (i != PASSES && r->mark[i - 1] && r->mark[i]) {
			check(r, r->mark[i - 1], r->mark[i]);
			t->order.passes += i < PASSES;
		}
	t->order.pairs++;
	return 0;
}

int selftest_order(struct selftest *t)
{
	const unsigned int all = t->ncpus * (t->ncpus - 1) / 2;
	const unsigned int most = t->quick ? PAIRS_QUICK : PAIRS_MAX, some = all < most ? all : most;
	struct order_reader *r = malloc(sizeof(*r));
	struct token *token = selftest_share(sizeof(*token));
	const int64_t end_ms = cmd_now_ms() + PHASE_MS;
	const uint64_t kinds = kutrace_kind_bits(KUTRACE_KIND_USERPID) |
			       kutrace_kind_bits(KUTRACE_KIND_RUNNABLE) |
			       kutrace_kind_bits(KUTRACE_KIND_MARKD);
	unsigned int number = 0, chosen = 0;
	int ret = r && token ? 0 : -ENOMEM;

	t->order.all_pairs = all;
	t->order.chosen_pairs = some;
	/* other events, of which a busy machine has many, need not be read */
	if (t->own)
		ret = ret ?: kutrace_mask(kinds, KUTRACE_KINDS_ALL, NULL);
	for (unsigned int i = 0; i < t->ncpus; i++)
		for (unsigned int j = i + 1; j < t->ncpus && !ret; j++, number++) {
			const int cpus[] = {t->cpus[i], t->cpus[j]};

			/* take every pair, or pairs at equal distances in the list of all pairs */
			if ((uint64_t)chosen * all / some > number || cmd_now_ms() > end_ms)
				continue;
			selftest_progress(t, "pair of CPUs", ++chosen, some);
			ret = check_pair(t, cpus, token, r);
		}
	if (t->own)
		ret = ret ?: kutrace_mask(KUTRACE_KINDS_ALL, KUTRACE_KINDS_ALL, NULL);
	free(r);
	if (token)
		munmap(token, sizeof(*token));
	return ret;
}
