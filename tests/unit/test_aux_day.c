// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the module's name table during a simulated day in wrap mode. For every readable event,
 * the table must have the name that the task had at that time, and no name is lost. The witness
 * records names by pid and time. The tests decode the events themselves (ring_decode.h). Also
 * tests which additions need space, and which names are lost if space is short.
 */
#define KU_ENV_CPUS	4
#include "aux_machine.h"
#include "sample.h"

#define SECOND		100000	/* number of counts in a second */
#define CPUS		KU_ENV_CPUS
#define PIDS		32768
#define FIRST_PID	300
#define DAEMONS		200	/* number of daemons, with pids 1 to DAEMONS */
#define RENAMER		250
#define STARTER		77

static struct ku_cpu cpus[CPUS];
static struct ku_shares shares;
static bool alive[PIDS];

/* ---- the witness ---- */

struct said {
	u64 counts;
	u32 text;
};

static struct {
	struct said *list;
	u32 count, room;
} said[PIDS];

static void text_of(u32 text, char to[32])
{
	snprintf(to, 32, "command%u", text);
}

static void say(u32 pid, u32 text)
{
	char name[32];

	text_of(text, name);
	ku_aux_add(&aux, KUTRACE_NAME_PID, pid, name, strlen(name), 0);
	if (said[pid].count == said[pid].room) {
		said[pid].room = said[pid].room ? said[pid].room * 2 : 8;
		said[pid].list = realloc(said[pid].list,
					 said[pid].room * sizeof(struct said));
	}
	said[pid].list[said[pid].count++] = (struct said){ clock_now, text };
}

/* Returns the number of the name that the pid had at time @counts; ~0: no name yet. */
static u32 text_at(u32 pid, u64 counts)
{
	u32 low = 0, high = said[pid].count;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (said[pid].list[middle].counts <= counts)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? said[pid].list[low - 1].text : ~0U;
}

/* ---- reading ---- */

struct name {
	u64 counts;
	u32 pid;
	char text[KUTRACE_NAME_MAX_BYTES + 1];
};

static int by_pid(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->counts < b->counts ? -1 : a->counts > b->counts;
}

static struct name *read_names(size_t *count)
{
	struct name *names = calloc(aux.bytes / KU_AUX_MIN + 1, sizeof(*names));
	struct ku_aux_full full;
	u64 at;
	size_t n = 0;
	u32 bytes;

	for (at = aux.first; at < aux.last; at += bytes) {
		ku_aux_copy_out(&aux, &full.entry, at, KUTRACE_AUX_HEADER);
		bytes = ku_aux_length(&full.entry);
		assert_true(bytes && bytes <= aux.last - at);
		ku_aux_copy_out(&aux, full.name, at + KUTRACE_AUX_HEADER,
				bytes - KUTRACE_AUX_HEADER);
		names[n].counts = full.entry.counts;
		names[n].pid = full.entry.number;
		memcpy(names[n++].text, full.name, bytes - KUTRACE_AUX_HEADER);
	}
	qsort(names, n, sizeof(*names), by_pid);
	*count = n;
	return names;
}

static const char *name_at(const struct name *names, size_t count, u32 pid, u64 counts)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (names[middle].pid < pid ||
		    (names[middle].pid == pid && names[middle].counts <= counts))
			low = middle + 1;
		else
			high = middle;
	}
	return low && names[low - 1].pid == pid ? names[low - 1].text : NULL;
}

/* Checks that every readable event has its name. Returns the number of events. */
static size_t check_names(const char *when)
{
	struct decode d = {};
	struct name *names;
	size_t count, i;
	char text[32];
	u32 block;

	for (block = 0; block < ku_ring.nblocks; block++)
		if (ku_ring.table[block].seq)
			decode_block(&d, ku_ring.words[block], block);
	assert_null(d.error);
	names = read_names(&count);
	for (i = 0; i < d.count; i++) {
		const struct decoded *e = &d.list[i];
		const char *name;

		if (e->event != KUTRACE_USERPID && e->event != KUTRACE_RUNNABLE)
			continue;
		text_of(text_at(e->arg, e->ts), text);
		name = name_at(names, count, e->arg, e->ts);
		if (!name || strcmp(name, text))
			fail_msg("%s: pid %u at %llu s is %s, not %s", when, e->arg,
				 (unsigned long long)e->ts / SECOND, name ? name : "nameless",
				 text);
	}
	i = d.count;
	free(names);
	free(d.list);
	return i;
}

/* ---- the machine ---- */

static void machine_up(u32 nblocks, bool wrap, u32 bytes)
{
	u32 i;

	pool_alloc(nblocks);
	aux_up(bytes);
	ku_ring_reset(&ku_ring, wrap);
	for (i = 0; i < CPUS; i++)
		ku_ring_init_cpu(&cpus[i]);
	ku_ring.active = 1;
	memset(alive, 0, sizeof(alive));
	ku_env_pid = STARTER;
	alive[STARTER] = true;
	say(STARTER, STARTER);
}

static void machine_down(void)
{
	u32 i;

	for (i = 0; i < PIDS; i++)
		free(said[i].list);
	memset(said, 0, sizeof(said));
	aux_down();
	pool_free();
}

static void record(u32 cpu, u32 event, u32 pid)
{
	cpu_number = cpu;
	ku_env_cpu = &cpus[cpu];
	clock_now += 7;
	ku_emit(KU_EVENT(event) | pid);
}

static bool lives(u32 pid)
{
	return pid < PIDS && alive[pid];
}

static void look(void)
{
	u64 at = 0;
	u32 resets = aux.resets;

	while (ku_aux_lives(&aux, &at, lives))
		;
	ku_readable(&ku_ring, aux.spare);
	aux.spare = ku_aux_readable(&aux, resets, aux.spare);
}

static u32 next_pid;

/* Simulates a process: it forks, usually executes another program, and exits. */
static void process(u32 n, u32 cpu, u32 events)
{
	u32 i;

	do {
		if (++next_pid >= PIDS)
			next_pid = FIRST_PID;
	} while (alive[next_pid]);
	alive[next_pid] = true;
	say(next_pid, 1);
	record(cpu, KUTRACE_RUNNABLE, next_pid);
	record(cpu, KUTRACE_USERPID, next_pid);
	if (n % 3)
		say(next_pid, 1000 + n % 100000);
	for (i = 0; i < events; i++)
		record(cpu, i % 2 ? KUTRACE_USERPID : KUTRACE_RUNNABLE, next_pid);
	alive[next_pid] = false;
}

/* ---- a day ---- */

/*
 * Gives each CPU a share of the blocks. CPU 3 is quiet, so its events are older than the oldest
 * blocks of the other CPUs.
 */
static void share_out(void)
{
	u8 i;

	for (i = 0; i < CPUS; i++)
		shares.of[i] = i;
	ku_ring.shares = &shares;
	ku_ring_split(&ku_ring, CPUS);
}

static void day(bool shared)
{
	static const u32 per_second = 60;
	const u32 hours = sample_step() == 1 ? 24 : 3;
	u32 n, wait = 0, looks = 0, renamed = 0;
	u64 before;
	char when[40];

	machine_up(12, true, 1 << 19);
	if (shared)
		share_out();
	next_pid = FIRST_PID;
	for (n = 1; n <= DAEMONS; n++) {
		alive[n] = true;
		say(n, n);
	}
	alive[RENAMER] = true;
	say(RENAMER, 2);
	/* CPU 3 is busy in the morning only */
	for (n = 0; n < 200; n++)
		process(n, 3, 10);
	for (n = 0; n < per_second * 3600 * hours; n++) {
		clock_now = 1000000 + (u64)n * SECOND / per_second;
		process(n, n % 3, 20);
		if (shared && n % (per_second * 10) == 0)
			process(n, 3, 20);
		if (n % 37 == 0)
			record(n / 37 % 3, KUTRACE_USERPID, 1 + n / 37 % DAEMONS);
		if (n % 6 == 0) {
			say(RENAMER, 2 + renamed++ % 3);
			record(1, KUTRACE_USERPID, RENAMER);
		}
		if (aux.asked && wait++ == 40) {
			look();
			looks++;
			wait = 0;
		}
		if (n % (per_second * 3600) == per_second * 1800) {
			snprintf(when, sizeof(when), "hour %u", n / (per_second * 3600));
			assert_true(check_names(when) > 60000);
		}
	}
	assert_true(check_names("the end") > 60000);
	assert_int_equal(aux.lost, 0);
	/* the buffer has wrapped, with a plausible number of refreshes */
	assert_true(aux.last > 21ULL * hours * aux.bytes);
	assert_true(looks > 42 * hours && looks < aux.last / (aux.bytes / 16));
	before = aux.last;
	for (n = 1; n <= DAEMONS; n++)
		say(n, n);
	assert_int_equal(aux.last, before);
	machine_down();
}

static void a_day(void **state)
{
	(void)state;
	day(false);
}

static void a_day_with_shares(void **state)
{
	(void)state;
	day(true);
}

/* ---- which additions need space ---- */

static void a_known_name_needs_no_space(void **state)
{
	u64 before;
	u32 n;

	(void)state;
	machine_up(4, true, 1 << 16);
	aux.begun = true;
	say(400, 5);
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "one=1", 5, 0);
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "two=2", 5, 0);
	ku_aux_add(&aux, KUTRACE_NAME_IRQNAME, 400, "disk", 4, 0);
	before = aux.last;
	for (n = 0; n < 100000; n++) {
		say(400, 5);
		ku_aux_add(&aux, KUTRACE_NAME_META, 0, "one=1", 5, 0);
		ku_aux_add(&aux, KUTRACE_NAME_META, 0, "two=2", 5, 0);
		ku_aux_add(&aux, KUTRACE_NAME_IRQNAME, 400, "disk", 4, 0);
	}
	assert_int_equal(aux.last, before);
	say(400, 6);
	assert_true(aux.last > before);
	before = aux.last;
	/* the table also accepts a name with an older time, and the newer name stays the newest */
	ku_aux_add(&aux, KUTRACE_NAME_PID, 400, "earlier", 7, 2);
	assert_true(aux.last > before);
	before = aux.last;
	say(400, 6);
	assert_int_equal(aux.last, before);
	machine_down();
}

/* Names of the same length, and names that begin with another name, are different names. */
static void different_texts_are_different_names(void **state)
{
	static const char *const texts[] = {
		"", "a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefg", "abcdefgh",
	};
	u64 before;
	size_t i;

	(void)state;
	machine_up(4, true, 1 << 16);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		before = aux.last;
		ku_aux_add(&aux, KUTRACE_NAME_PID, 500, texts[i], strlen(texts[i]), 0);
		assert_true(aux.last > before);
		before = aux.last;
		/* a text ends at its length or at its terminating NUL */
		ku_aux_add(&aux, KUTRACE_NAME_PID, 500, texts[i], strlen(texts[i]) + 1, 0);
		assert_int_equal(aux.last, before);
	}
	machine_down();
}

/* No event follows full blocks in stop mode, so names that come later are no loss. */
static void in_a_full_buffer_no_name_is_lost(void **state)
{
	u32 n;

	(void)state;
	machine_up(4, false, 1 << 16);
	next_pid = FIRST_PID;
	for (n = 0; !cpus[0].lost.causes[KUTRACE_LOST_FULL]; n++)
		process(n, 0, 100);
	assert_int_equal(aux.lost, 0);
	for (n = 0; n < 20000; n++) {
		process(n, 0, 1);
		if (aux.asked)
			look();
	}
	check_names("full");
	assert_int_equal(aux.lost, 0);
	machine_down();
}

/*
 * A task that renames itself all the time loses its own old names, but no names of other tasks.
 */
static void a_task_that_renames_itself_loses_old_names(void **state)
{
	char text[32];
	size_t count;
	struct name *names;
	u32 n;

	(void)state;
	machine_up(64, true, 1 << 16);
	for (n = 300; n < 700; n++) {
		alive[n] = true;
		say(n, n);
	}
	alive[RENAMER] = true;
	for (n = 0; n < 100000; n++) {
		say(RENAMER, n);
		record(n % CPUS, KUTRACE_USERPID, RENAMER);
		if (aux.asked)
			look();
	}
	assert_true(aux.lost > 0);
	names = read_names(&count);
	for (n = 300; n < 700; n++) {
		const char *name = name_at(names, count, n, clock_now);

		text_of(n, text);
		assert_non_null(name);
		assert_string_equal(name, text);
	}
	free(names);
	machine_down();
}

/* Checks that a fact stays in the table if only a quiet CPU still has events of its time. */
static void facts_that_only_a_quiet_cpu_needs_stay(void **state)
{
	static const char fact[] = "fact=1";
	struct name *names;
	size_t count, found = 0, i;
	u64 then;
	u32 n;

	(void)state;
	machine_up(12, true, 1 << 19);
	share_out();
	aux.begun = true;
	record(3, KUTRACE_USERPID, STARTER);
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, fact, sizeof(fact) - 1, 0);
	then = clock_now;
	record(3, KUTRACE_USERPID, STARTER);
	for (n = 0; n < 60000; n++) {
		process(n, n % 3, 8);
		if (aux.asked)
			look();
	}
	assert_true(aux.readable->oldest && aux.readable->oldest < then);
	assert_true(aux.readable->begin > then);
	names = read_names(&count);
	for (i = 0; i < count; i++)
		found += names[i].counts == then && !strcmp(names[i].text, fact);
	free(names);
	assert_int_equal(found, 1);
	machine_down();
}

/*
 * Begins a new recording while a refresh determines the readable events of the previous recording.
 * The table ignores the late result.
 */
static void a_late_refresh_has_no_effect(void **state)
{
	struct ku_readable *spare;
	u32 resets;

	(void)state;
	machine_up(4, true, 1 << 16);
	resets = aux.resets;
	aux.spare->begin = 1000000;
	ku_aux_empty(&aux, 0);
	spare = aux.spare;
	aux.spare = ku_aux_readable(&aux, resets, aux.spare);
	assert_ptr_equal(aux.spare, spare);
	assert_int_equal(aux.readable->begin, 0);
	machine_down();
}

/* Records more pids in an old block than the pins can distinguish. */
static void many_pids_in_an_old_block(void **state)
{
	struct ku_pins *pins = calloc(1, sizeof(*pins));
	u32 n;

	(void)state;
	for (n = 0; n < 8000; n++)
		ku_pin(pins, n * 77, 1000 + n);
	for (n = 0; n < 8000; n++) {
		assert_true(ku_pinned(pins, n * 77, 1000 + n, 1000 + n));
		assert_true(ku_pinned(pins, n * 77, 0, ~0ULL));
		assert_false(ku_pinned(pins, n * 77, 0, 999));
		assert_false(ku_pinned(pins, n * 77, 9000, ~0ULL));
	}
	/* the first pids are pinned individually, with exact times */
	assert_false(ku_pinned(pins, 77, 0, 1000));
	assert_false(ku_pinned(pins, 77, 1002, 1100));
	assert_false(ku_pinned(pins, 78, 1001, 1001));
	free(pins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_name_needs_no_space),
		cmocka_unit_test(different_texts_are_different_names),
		cmocka_unit_test(in_a_full_buffer_no_name_is_lost),
		cmocka_unit_test(a_task_that_renames_itself_loses_old_names),
		cmocka_unit_test(facts_that_only_a_quiet_cpu_needs_stay),
		cmocka_unit_test(a_late_refresh_has_no_effect),
		cmocka_unit_test(many_pids_in_an_old_block),
		cmocka_unit_test(a_day),
		cmocka_unit_test(a_day_with_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
