// SPDX-License-Identifier: BSD-3-Clause
/* Writes imported traces as records of event text (import/feed.h). */
#include "import/feed.h"

#include <stdarg.h>

#include "rawtrace/name.h"
#include "rawtrace/raw.h"

#define NS_A_MINUTE	60000000000ll
#define NAME_MAX_BYTES	120	/* size of the name of an event, with its NUL */

struct cpu {
	bool known;		/* pid is valid */
	bool said;		/* say_first() was called */
	bool first_known;	/* first_pid is valid */
	uint32_t pid, first_pid;	/* running thread; the thread that ran when the trace began */
	int64_t last;		/* time of the CPU's last event in 10 ns units; -1: none yet */
};

struct kp_feed {
	struct kp_event_sink sink;
	struct kp_feed_about about;
	struct kp_feed_counts counts;
	struct cpu cpus[KP_FEED_CPUS];
	struct kp_names first;		/* names at the beginning of the trace */
	struct kp_names now;		/* current names of tasks that were named after the beginning */
	struct kp_map rpcs;		/* pid -> RPC of the thread */
	struct kp_map lives;		/* pid -> enum kp_feed_life of its last thread */
	/* pid -> enum kutrace_task_kind of its thread; in the first pass, of its first thread */
	struct kp_map kinds;
	KP_VECTOR(char *) metas;
	struct kp_pauses pauses;
	int64_t resumes;		/* end of the current pause in 10 ns units; 0: no pause */
	uint32_t categories;
	bool surveyed;
	bool any;
	bool no_memory;
	int64_t first_ns, last_ns, base_ns;
	int64_t time;			/* last time in the output, in 10 ns units */
};

struct kp_feed *kp_feed_new(const struct kp_event_sink *sink)
{
	struct kp_feed *feed = kp_allocated(calloc(1, sizeof(*feed)));

	if (feed)
		feed->sink = *sink;
	return feed;
}

struct kp_feed_about *kp_feed_about(struct kp_feed *feed)
{
	return &feed->about;
}

static int no_memory(struct kp_feed *feed)
{
	feed->no_memory = true;
	return -1;
}

int kp_feed_meta(struct kp_feed *feed, const char *fmt, ...)
{
	struct kp_pause pause;
	char *text, **item;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	item = len < 0 ? NULL : KP_PUSH(&feed->metas);
	if (!item) {
		if (len >= 0)
			free(text);
		return no_memory(feed);
	}
	*item = text;
	if (kp_pause_parse(KUTRACE_META_PAUSE, text, (size_t)len, &pause) && kp_pauses_add(&feed->pauses, &pause))
		return no_memory(feed);
	return 0;
}

static uint32_t category_of(uint32_t event)
{
	static const struct { uint32_t first, count, category; } spans[] = {
#define KU_SPAN(id, call, ret, count, cat, label, text) { call, count, 1u << KUTRACE_CAT_##cat },
#include "kutrace_events.def"
	};

	switch (event) {
#define KU_IPI_VECTOR(id) case KUTRACE_CALL_IRQ + KUTRACE_VECTOR_##id: return 1u << KUTRACE_CAT_IPI;
#include "kutrace_events.def"
#define KU_POINT(id, code, cat, label, text) case (code): return 1u << KUTRACE_CAT_##cat;
#include "kutrace_events.def"
	default:
		break;
	}
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		if (event - spans[i].first < spans[i].count)
			return spans[i].category;
	return 1u << (event == KUTRACE_NAME_TPOINT ? KUTRACE_CAT_MARK : KUTRACE_CAT_PROCESS);
}

void kp_feed_recorded(struct kp_feed *feed, uint32_t event)
{
	feed->categories |= category_of(event);
}

uint32_t kp_feed_categories(const struct kp_feed *feed)
{
	return feed->categories;
}

static void set_base(struct kp_feed *feed)
{
	feed->base_ns = feed->about.ours ? feed->about.base_s * 1000000000 :
					   feed->first_ns - feed->first_ns % NS_A_MINUTE;
}

static int64_t units(const struct kp_feed *feed, int64_t time_ns)
{
	return time_ns > feed->base_ns ? (time_ns - feed->base_ns) / 10 : 0;
}

int kp_feed_pause(struct kp_feed *feed, const char *key, int64_t off_ns, int64_t on_ns)
{
	char text[KP_PAUSE_CHARS];
	struct kp_pause pause;

	set_base(feed);
	pause = (struct kp_pause){ units(feed, off_ns), units(feed, on_ns) };
	if (pause.off >= pause.on)
		return 0;
	kp_pause_text(key, &pause, text);
	return kp_feed_meta(feed, "%s", text);
}

/* Writes a name, valid from @ts on. @kind: enum kutrace_task_kind for a task, otherwise 0. */
static int put_name(struct kp_feed *feed, int64_t ts, uint32_t base, uint32_t number, uint32_t kind,
		    const char *text, size_t len)
{
	struct kp_namedef def = {
		.ts = ts, .event = base, .number = number, .kind = kind, .name = text,
		.name_len = len < KUTRACE_NAME_MAX_BYTES || base == KUTRACE_NAME_META ? len :
										KUTRACE_NAME_MAX_BYTES,
	};

	kp_fix_namedef(&def);
	/* the length digit of the event counts at most eight words, even if the name is longer */
	if ((def.event & ~0xF0Fu) >> KUTRACE_NAME_LEN_SHIFT > KUTRACE_NAME_MAX_WORDS)
		def.event = base | KUTRACE_NAME_MAX_WORDS << KUTRACE_NAME_LEN_SHIFT;
	return feed->sink.namedef(feed->sink.self, &def);
}

int kp_feed_name(struct kp_feed *feed, uint32_t base, uint32_t number, const char *text, size_t len)
{
	if (feed->surveyed || !len || kp_names_get(&feed->first, base, number))
		return 0;
	return kp_names_set(&feed->first, base, number, text, len) ? no_memory(feed) : 0;
}

/* Returns the current name of a thread, or NULL. */
static const struct kp_name *name_of_task(const struct kp_feed *feed, uint32_t pid)
{
	const struct kp_name *name = kp_names_get(&feed->now, KUTRACE_NAME_PID, pid);

	return name ? name : kp_names_get(&feed->first, KUTRACE_NAME_PID, pid);
}

enum kp_feed_life kp_feed_life(const struct kp_feed *feed, uint32_t pid)
{
	uint32_t life;

	return kp_map_get(&feed->lives, pid, &life) ? (enum kp_feed_life)life : KP_FEED_ALIVE;
}

static uint32_t kind_of(const struct kp_feed *feed, uint32_t pid)
{
	uint32_t kind;

	return kp_map_get(&feed->kinds, pid, &kind) ? kind : KUTRACE_TASK_UNKNOWN;
}

static int set_kind(struct kp_feed *feed, uint32_t pid, uint32_t kind)
{
	return kp_map_set(&feed->kinds, pid, kind) ? no_memory(feed) : 0;
}

/*
 * Stores the kind of the first thread with a number. Must be called only in the first pass. Ignores
 * later calls for the number, because the thread may have executed a program, or another thread may
 * have the number.
 */
static int survey_kind(struct kp_feed *feed, uint32_t pid, uint32_t kind)
{
	uint32_t known;

	return kp_map_get(&feed->kinds, pid, &known) ? 0 : set_kind(feed, pid, kind);
}

/*
 * Returns KUTRACE_TASK_WORKER for a user thread whose name shows a worker that never leaves the
 * kernel. Returns other kinds unchanged.
 */
static uint32_t user_or_worker(uint32_t kind, const char *text, size_t len)
{
	return kind == KUTRACE_TASK_USER && len && kp_is_worker_name(text, len) ? KUTRACE_TASK_WORKER : kind;
}

/*
 * Returns the kind of a thread that @parent created. Children of kthreadd are kernel threads.
 * Children of other kernel threads may execute a program later, so their kind is unknown, and
 * eventtospan decides by their names.
 */
static uint32_t kind_of_child(const struct kp_feed *feed, uint32_t parent)
{
	const struct kp_name *name = name_of_task(feed, parent);
	const uint32_t kind = kind_of(feed, parent);

	if (parent == KP_KTHREADD)
		return KUTRACE_TASK_KTHREAD;
	if (kind == KUTRACE_TASK_UNKNOWN && name && name->len && !kp_is_kernel_name(name->text, name->len))
		return KUTRACE_TASK_USER;
	return kind == KUTRACE_TASK_USER ? KUTRACE_TASK_USER : KUTRACE_TASK_UNKNOWN;
}

int kp_feed_gone(struct kp_feed *feed, uint32_t pid)
{
	if (!feed->surveyed)
		return survey_kind(feed, pid, KUTRACE_TASK_UNKNOWN);
	return kp_map_set(&feed->lives, pid, KP_FEED_GONE) ? no_memory(feed) : 0;
}

/*
 * Names a thread. Without a name (@len 0), uses the name of the last thread with this number, or
 * "pid" if that thread has no name. @kind: new kind of the thread; KUTRACE_TASK_UNKNOWN: unchanged.
 */
static int set_task(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
		    const char *text, size_t len)
{
	const struct kp_name *name = len ? NULL : name_of_task(feed, pid);
	char copy[NAME_MAX_BYTES] = "pid";
	int64_t ts;

	if (!len) {
		len = name && name->len && name->len < sizeof(copy) ? name->len : 0;
		if (len)
			memcpy(copy, name->text, len);
		text = copy;
		len = len ? len : 3;
	}
	if (kp_names_set(&feed->now, KUTRACE_NAME_PID, pid, text, len))
		return no_memory(feed);
	if (kind != KUTRACE_TASK_UNKNOWN && set_kind(feed, pid, kind))
		return -1;
	ts = units(feed, at->time_ns);
	feed->time = ts > feed->time ? ts : feed->time;
	return put_name(feed, feed->time, KUTRACE_NAME_PID, pid, kind, text, len);
}

/* Begins another life of a pid. */
static int begin_life(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
		      const char *text, size_t len)
{
	if (kp_map_set(&feed->lives, pid, KP_FEED_ALIVE) || kp_map_set(&feed->kinds, pid, kind))
		return no_memory(feed);
	return set_task(feed, at, pid, kind, text, len);
}

/* Returns true if @text differs from the name of the thread. */
static bool is_renamed(const struct kp_feed *feed, uint32_t pid, const char *text, size_t len)
{
	const struct kp_name *name = name_of_task(feed, pid);

	return len && (!name || name->len != len || memcmp(name->text, text, len));
}

int kp_feed_task(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		 size_t len)
{
	uint32_t kind;

	if (pid && kp_feed_life(feed, pid) == KP_FEED_GONE)
		return begin_life(feed, at, pid, KUTRACE_TASK_UNKNOWN, text, len);
	if (!pid || !len)
		return 0;
	if (!feed->surveyed)
		return kp_feed_name(feed, KUTRACE_NAME_PID, pid, text, len);
	if (!is_renamed(feed, pid, text, len))
		return 0;
	kind = user_or_worker(kind_of(feed, pid), text, len);
	return set_task(feed, at, pid, kind == KUTRACE_TASK_WORKER ? kind : KUTRACE_TASK_UNKNOWN, text, len);
}

/* Names a thread. Also sets its kind, if @kind is not KUTRACE_TASK_UNKNOWN. */
static int name_with_kind(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
			  const char *text, size_t len)
{
	if (kind == KUTRACE_TASK_UNKNOWN || kind == kind_of(feed, pid))
		return kp_feed_task(feed, at, pid, text, len);
	return set_task(feed, at, pid, kind, text, len);
}

/* Names a thread that was just created. */
static int name_new(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
		    const char *text, size_t len)
{
	if (!pid)
		return 0;
	if (!feed->surveyed)
		return survey_kind(feed, pid, KUTRACE_TASK_UNKNOWN) ? -1 : kp_feed_task(feed, at, pid, text, len);
	if (kp_feed_life(feed, pid) == KP_FEED_ALIVE)
		return name_with_kind(feed, at, pid, kind, text, len);
	return begin_life(feed, at, pid, kind, text, len);
}

int kp_feed_task_new(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		     size_t len)
{
	return name_new(feed, at, pid, KUTRACE_TASK_UNKNOWN, text, len);
}

int kp_feed_task_of(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t parent,
		    const char *text, size_t len)
{
	return name_new(feed, at, pid, user_or_worker(kind_of_child(feed, parent), text, len), text, len);
}

int kp_feed_task_listed(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
			const char *text, size_t len)
{
	if (!pid || kp_feed_life(feed, pid) != KP_FEED_ALIVE)
		return 0;
	kind = user_or_worker(kind, text, len);
	if (feed->surveyed)
		return name_with_kind(feed, at, pid, kind, text, len);
	return survey_kind(feed, pid, kind) ? -1 : kp_feed_task(feed, at, pid, text, len);
}

int kp_feed_exec(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text, size_t len)
{
	if (!pid)
		return 0;
	if (!feed->surveyed)
		return survey_kind(feed, pid, KUTRACE_TASK_UNKNOWN) ? -1 : kp_feed_task(feed, at, pid, text, len);
	/* begins another life if the number is free */
	if (kp_feed_task(feed, at, pid, NULL, 0))
		return -1;
	return set_task(feed, at, pid, KUTRACE_TASK_USER, text, len);
}

/*
 * Writes the name of an event that makes thread @pid run, such as "work.51". Returns the length of
 * the name.
 */
static size_t task_text(struct kp_feed *feed, uint32_t pid, char *text)
{
	const struct kp_name *name;

	if (!pid)
		return (size_t)sprintf(text, "-idle-.0");
	name = name_of_task(feed, pid);
	return (size_t)snprintf(text, NAME_MAX_BYTES, "%.96s.%u", name ? name->text : "pid", pid);
}

/*
 * Forgets the RPCs at the beginning of each pause before the current time, and again at its end,
 * because a program may insert marks while the recording is off.
 */
static void pass_pauses(struct kp_feed *feed)
{
	struct kp_pause pause;

	while (kp_pauses_next(&feed->pauses, feed->time, &pause)) {
		kp_map_free(&feed->rpcs);
		feed->resumes = pause.on;
	}
	if (!feed->resumes || feed->time < feed->resumes)
		return;
	kp_map_free(&feed->rpcs);
	feed->resumes = 0;
}

static void take_rpc(struct kp_feed *feed, uint32_t pid, const struct kp_event *event)
{
	if (event->event < KUTRACE_RPCIDREQ || event->event > KUTRACE_RPCIDMID)
		return;
	if (kp_map_set(&feed->rpcs, pid, event->arg0))
		no_memory(feed);
}

static int hand_on(struct kp_feed *feed, struct cpu *cpu, struct kp_event *event, int64_t ts)
{
	uint32_t rpc = 0;

	if (!feed->about.ours && ts <= cpu->last)
		ts = cpu->last + 1;
	feed->time = ts > feed->time ? ts : feed->time;
	event->ts = feed->time;
	cpu->last = feed->time;
	pass_pauses(feed);
	take_rpc(feed, event->pid, event);
	if (event->event == KUTRACE_TASKEXIT &&
	    (kp_map_set(&feed->lives, event->arg0, KP_FEED_EXITED) || kp_map_set(&feed->rpcs, event->arg0, 0)))
		no_memory(feed);
	event->rpc = kp_map_get(&feed->rpcs, event->pid, &rpc) ? rpc : 0;
	feed->counts.events++;
	return feed->no_memory ? -1 : feed->sink.event(feed->sink.self, event);
}

/* Writes the first thread of the CPU, as rawtoevent does from the header of a block. */
static int say_first(struct kp_feed *feed, struct cpu *cpu, uint32_t number, int64_t ts)
{
	struct kp_event event = { .event = KUTRACE_USERPID, .dur = 1, .cpu = (int32_t)number };
	char name[NAME_MAX_BYTES];

	cpu->said = true;
	if (cpu->known || feed->about.ours || !cpu->first_known)
		return 0;
	cpu->pid = cpu->first_pid;
	cpu->known = true;
	event.pid = cpu->pid;
	event.name = name;
	event.name_len = task_text(feed, cpu->pid, name);
	if (hand_on(feed, cpu, &event, ts))
		return -1;
	cpu->last = -1;		/* the first event of the CPU may have the same time as this record */
	return 0;
}

/*
 * Begins an event. Returns its CPU. Returns NULL if the caller must not write the event and must
 * return *@err: in the first pass, for a CPU above 255, or after a failure.
 */
static struct cpu *begin(struct kp_feed *feed, const struct kp_feed_at *at,
			 const struct kp_event *given, int *err)
{
	const uint32_t event = given->event;
	struct cpu *cpu;

	*err = 0;
	if (at->cpu >= KP_FEED_CPUS) {
		feed->counts.far_cpus += !feed->surveyed;
		return NULL;
	}
	cpu = &feed->cpus[at->cpu];
	if (feed->surveyed) {
		*err = cpu->said ? 0 : say_first(feed, cpu, at->cpu, units(feed, at->time_ns));
		return *err ? NULL : cpu;
	}
	if (event == KUTRACE_USERPID && given->dur)
		return NULL;	/* a record of the running thread is not an event */
	if (!feed->any || at->time_ns < feed->first_ns)
		feed->first_ns = at->time_ns;
	if (!feed->any || at->time_ns > feed->last_ns)
		feed->last_ns = at->time_ns;
	feed->any = true;
	feed->categories |= category_of(event >= KUTRACE_CALL_TRAP ?
						event & ~(uint32_t)KUTRACE_RETURN_BIT : event);
	if (event == KUTRACE_TASKEXIT)
		*err = survey_kind(feed, given->arg0, KUTRACE_TASK_UNKNOWN);
	return NULL;
}

int kp_feed_event(struct kp_feed *feed, const struct kp_feed_at *at, const struct kp_event *event)
{
	struct kp_event copy = *event;
	int err;
	struct cpu *cpu = begin(feed, at, event, &err);

	if (!cpu)
		return err;
	copy.cpu = (int32_t)at->cpu;
	if (!feed->about.ours)
		copy.pid = cpu->pid;
	return hand_on(feed, cpu, &copy, units(feed, at->time_ns));
}

static int put_runs(struct kp_feed *feed, const struct kp_feed_at *at, struct kp_event *event)
{
	char name[NAME_MAX_BYTES];
	int64_t before;
	int err;
	struct cpu *cpu = begin(feed, at, event, &err);

	if (!cpu)
		return err;
	event->cpu = (int32_t)at->cpu;
	event->name = name;
	event->name_len = task_text(feed, event->pid, name);
	cpu->pid = event->pid;
	cpu->known = true;
	before = cpu->last;
	err = hand_on(feed, cpu, event, units(feed, at->time_ns));
	if (event->dur)
		/* the next event may have the same time as this record */
		cpu->last = before;
	return err;
}

int kp_feed_switch(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter)
{
	struct kp_event event = { .event = KUTRACE_USERPID, .pid = pid, .arg0 = pid, .ipc = counter };

	return put_runs(feed, at, &event);
}

int kp_feed_was(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter)
{
	struct kp_event event = { .event = KUTRACE_USERPID, .dur = 1, .pid = pid, .ipc = counter };

	return put_runs(feed, at, &event);
}

int kp_feed_runs(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid)
{
	struct cpu *cpu;

	if (at->cpu >= KP_FEED_CPUS || pid > INT32_MAX)
		return 0;
	cpu = &feed->cpus[at->cpu];
	if (feed->surveyed) {
		/* another thread may have run at events that the caller has omitted */
		cpu->first_pid = cpu->known ? cpu->first_pid : pid;
		if (!cpu->known || cpu->pid == pid)
			return 0;
		if (kp_feed_life(feed, pid) == KP_FEED_GONE && begin_life(feed, at, pid, KUTRACE_TASK_UNKNOWN, NULL, 0))
			return -1;
		return kp_feed_was(feed, at, pid, 0);
	}
	if (!cpu->first_known) {
		cpu->first_known = true;
		cpu->first_pid = pid;
	}
	return 0;
}

static int __attribute__((format(printf, 2, 3))) say(struct kp_feed *feed, const char *fmt, ...)
{
	char text[250];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return feed->sink.comment(feed->sink.self, text, strlen(text));
}

static int say_all(struct kp_feed *feed)
{
	const struct kp_feed_about *about = &feed->about;
	const int64_t first = units(feed, feed->first_ns), last = units(feed, feed->last_ns);
	const int64_t base_s = feed->base_ns / 1000000000;
	char date[32];

	kp_raw_date((uint64_t)base_s * 1000000, date);
	return say(feed, "# ## VERSION: 3") || say(feed, "# ## FLAGS: %u", about->flags) ||
	       say(feed, "# ## TIMES: %" PRId64 ".%08" PRId64 " %" PRId64 ".%08" PRId64,
		   first / 100000000, first % 100000000, last / 100000000, last % 100000000) ||
	       say(feed, "# ## DROPPED: %" PRIu64 " %" PRIu64, about->stale, about->damaged) ||
	       say(feed, "# ## START: %" PRId64, base_s) ||
	       (about->trace_id[0] && say(feed, "# ## TRACE: %s", about->trace_id)) ||
	       say(feed, "# TS      DUR EVENT CPU PID RPC ARG0 RETVAL IPC NAME (t and dur multiples of 10ns)") ||
	       say(feed, "# [1] %s cpu 00 flags %02x block 0", date, about->flags) ? -1 : 0;
}

static int name_machine(struct kp_feed *feed)
{
	const struct kp_feed_about *about = &feed->about;
	const struct { uint32_t base; const char *text; } names[] = {
		{ KUTRACE_NAME_KERNELVER, about->kernel }, { KUTRACE_NAME_CPUMODEL, about->cpu_model },
		{ KUTRACE_NAME_HOSTNAME, about->host },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].text[0] &&
		    put_name(feed, -1, names[i].base, 0, 0, names[i].text, strlen(names[i].text)))
			return -1;
	return 0;
}

int kp_feed_header(struct kp_feed *feed)
{
	feed->surveyed = true;
	set_base(feed);
	for (size_t i = 0; i < KP_FEED_CPUS; i++)
		feed->cpus[i].last = -1;
	if (say_all(feed) || name_machine(feed))
		return -1;
	for (size_t i = 0; i < feed->metas.count; i++)
		if (put_name(feed, -1, KUTRACE_NAME_META, 0, 0, feed->metas.items[i],
			     strlen(feed->metas.items[i])))
			return -1;
	for (size_t i = 0; i < feed->first.list.count; i++) {
		const struct kp_name *name = &feed->first.list.items[i];

		if (put_name(feed, -1, name->base, name->number,
			     name->base == KUTRACE_NAME_PID ? kind_of(feed, name->number) : 0, name->text, name->len))
			return -1;
	}
	return 0;
}

const struct kp_feed_counts *kp_feed_counts(const struct kp_feed *feed)
{
	return &feed->counts;
}

bool kp_feed_any(const struct kp_feed *feed)
{
	return feed->any;
}

bool kp_feed_no_memory(const struct kp_feed *feed)
{
	return feed->no_memory;
}

void kp_feed_free(struct kp_feed *feed)
{
	if (!feed)
		return;
	for (size_t i = 0; i < feed->metas.count; i++)
		free(feed->metas.items[i]);
	free(feed->metas.items);
	kp_names_free(&feed->first);
	kp_names_free(&feed->now);
	kp_pauses_free(&feed->pauses);
	kp_map_free(&feed->rpcs);
	kp_map_free(&feed->lives);
	kp_map_free(&feed->kinds);
	free(feed);
}
