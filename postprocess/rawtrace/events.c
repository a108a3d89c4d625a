// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts the entries of a raw trace to events and names. Tracks the task and the RPC that each
 * CPU runs.
 *
 * Invariants of the output: times never decrease, and no two entries of a CPU have the same time,
 * except for PC samples and block headers. So sorting the text by its first number cannot change
 * the order of a CPU's events.
 */

#include "base/progress.h"
#include "common/entry.h"
#include "rawtrace/blocks.h"
#include "rawtrace/name.h"

#define KP_SWITCH_UNITS	10000	/* units of 10 ns: longest context switch that is assumed */

struct kp_cpu_now {
	uint32_t pid;
	uint32_t rpc;
	int64_t time;		/* time of the CPU's last entry that was output; -1: none */
	bool known;		/* pid is valid */
	bool said;		/* the running task was output */
	uint64_t switch_block;	/* index + 1 of the block of the last context switch */
	uint32_t switch_from;	/* pid of the task that was switched out by that context switch */
	uint64_t switch_count;	/* count of that context switch */
};

struct kp_raw_out {
	struct kp_raw *raw;
	const struct kp_event_sink *sink;
	struct kp_raw_summary *summary;
	struct kp_raw_summary unused;
	bool verbose;
	struct kp_raw_heap heap;
	struct kp_cpu_now cpus[256];
	struct kp_map rpcs;		/* map from a pid to its current RPC; 0: none */
	struct kp_event_names names;
	int64_t time;			/* time of the last output */
	/* the trace uses the present number of the scheduler, see model/span.h */
	bool new_sched;
	int64_t resumes;		/* count at the end of the current pause; 0 = no pause */
};

/* Records that @pid works on @rpc from now on; 0: on no RPC. Returns 0, or -1 without memory. */
static int kp_set_rpc(struct kp_raw_out *out, uint32_t pid, uint32_t rpc)
{
	uint32_t before;

	if (!rpc && !kp_map_get(&out->rpcs, pid, &before))
		return 0;
	return kp_map_set(&out->rpcs, pid, rpc) ? kp_raw_fail(out->raw, "no memory") : 0;
}

static void kp_switch(struct kp_raw_out *out, struct kp_cpu_now *cpu, uint32_t pid)
{
	cpu->pid = pid;
	cpu->rpc = 0;
	kp_map_get(&out->rpcs, pid, &cpu->rpc);
	cpu->known = true;
}

/*
 * Ends the RPC of a thread that exits, so that a later thread with the same pid does not get the
 * RPC.
 */
static int kp_exit(struct kp_raw_out *out, struct kp_cpu_now *cpu, uint32_t pid)
{
	if (cpu->pid == pid)
		cpu->rpc = 0;
	return kp_set_rpc(out, pid, 0);
}

/* Forgets the running thread of each CPU and the RPCs. */
static void kp_forget(struct kp_raw_out *out)
{
	kp_map_free(&out->rpcs);
	for (size_t i = 0; i < 256; i++)
		out->cpus[i] = (struct kp_cpu_now){ .time = out->cpus[i].time };
}

/*
 * Forgets the state at the beginning of each pause before the entry at @count. Forgets it again at
 * the end of the pause, because a program may insert marks while the recording is off.
 */
static void kp_pass_pauses(struct kp_raw_out *out, int64_t count)
{
	struct kp_pause pause;

	while (kp_pauses_next(&out->raw->pauses, count, &pause)) {
		kp_forget(out);
		out->resumes = pause.on;
	}
	if (!out->resumes || count < out->resumes)
		return;
	kp_forget(out);
	out->resumes = 0;
}

/* ---- output ---- */

static int64_t kp_not_back(struct kp_raw_out *out, int64_t time)
{
	if (time < out->time)
		time = out->time;
	out->time = time;
	return time;
}

static int kp_out_name(struct kp_raw_out *out, const struct kp_namedef *wanted)
{
	struct kp_namedef def = *wanted;

	kp_fix_namedef(&def);
	out->summary->names++;
	return out->sink->namedef(out->sink->self, &def);
}

/* Outputs a definition with the time of @count. Sets def->ts. */
static int kp_define(struct kp_raw_out *out, uint64_t count, struct kp_namedef *def)
{
	if (kp_event_names_set(&out->names, def->event, def->number, def->name, def->name_len))
		return kp_raw_fail(out->raw, "no memory");
	def->ts = kp_not_back(out, kp_raw_time(out->raw, count));
	return kp_out_name(out, def);
}

/* Returns the kind under which the summary counts the event. */
static enum kp_raw_summary_kind kp_summary_kind(uint32_t event)
{
	if (event == KUTRACE_CALL_SCHED || event == KUTRACE_RET_SCHED || event == KUTRACE_USERPID)
		return KP_SUM_SCHED;
	if (event >= KUTRACE_CALL_SYSCALL64)
		return KP_SUM_SYSCALL;
	if (event >= KUTRACE_CALL_TRAP)
		return event & 0x100 ? KP_SUM_IRQ : KP_SUM_TRAP;
	switch (event) {
	case KUTRACE_RUNNABLE:
	case KUTRACE_IPI:
		return KP_SUM_WAKEUP;
	case KUTRACE_MARKA:
	case KUTRACE_MARKB:
	case KUTRACE_MARKC:
	case KUTRACE_MARKD:
		return KP_SUM_MARK;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
		return KP_SUM_PC;
	default:
		return KP_SUM_OTHER;
	}
}

static int kp_out_event(struct kp_raw_out *out, struct kp_event *event)
{
	enum kp_raw_summary_kind kind = kp_summary_kind(event->event);

	kp_event_names_fill(&out->names, event);
	out->new_sched |= kp_is_sched(event);
	if (!out->new_sched && !out->raw->has_meta && kp_is_old_sched(event))
		kind = KP_SUM_SCHED;
	out->summary->by_kind[kind]++;
	out->summary->points += event->event == KUTRACE_NAME_TPOINT;
	out->summary->unknown_points = out->names.points.unknown;
	return out->sink->event(out->sink->self, event);
}

static uint32_t kp_header_name_event(const struct kp_raw_block *block)
{
	return KUTRACE_NAME_PID | (strlen(block->name) <= 8 ? 2u : 3u) << 4;
}

/* Returns the definition of the name in a block's header, at time -1, without the task's kind. */
static struct kp_namedef kp_header_def(const struct kp_raw_block *block)
{
	return (struct kp_namedef){
		.ts = -1, .event = kp_header_name_event(block), .number = block->pid,
		.name = block->name, .name_len = strlen(block->name),
	};
}

/* Returns whether the pid in a block's header is older than the last recorded context switch. */
static bool kp_header_is_stale(const struct kp_raw_out *out, const struct kp_cpu_now *cpu,
			       const struct kp_raw_source *source)
{
	const struct kp_raw_block *block = &source->block;

	if (cpu->switch_block == block->number + 1)
		return true;
	return cpu->switch_block && cpu->switch_from == block->pid &&
	       kp_raw_time(out->raw, block->count) -
			       kp_raw_time(out->raw, cpu->switch_count) < KP_SWITCH_UNITS;
}

/*
 * Outputs a block's header at the time of its claim: the task's name, the CPU's frequency, and the
 * running task if it is new (first block of the CPU, or a context switch was not recorded).
 */
static int kp_out_header(struct kp_raw_out *out, const struct kp_raw_source *source)
{
	const struct kp_raw_block *block = &source->block;
	struct kp_cpu_now *cpu = &out->cpus[block->cpu];
	struct kp_event event = { .event = KUTRACE_USERPID, .dur = 1 };
	struct kp_namedef def = kp_header_def(block);
	bool news = !cpu->said;
	int err = 0;

	if (!cpu->known || (cpu->pid != block->pid && !kp_header_is_stale(out, cpu, source))) {
		kp_switch(out, cpu, block->pid);
		news = true;
	}
	if (block->name[0])
		err = kp_define(out, block->count, &def);
	event.ts = kp_not_back(out, kp_raw_time(out->raw, block->count));
	event.cpu = block->cpu;
	event.pid = cpu->pid;
	event.rpc = cpu->rpc;
	cpu->said = true;
	if (!err && news)
		err = kp_out_event(out, &event);
	if (err || !block->mhz || block->names_only)
		return err;
	event.event = KUTRACE_PSTATE;
	event.arg0 = block->mhz;
	event.name = NULL;
	return kp_out_event(out, &event);
}

static int kp_out_sample(struct kp_raw_out *out, const struct kp_raw_source *source,
			 const struct kp_raw_entry *entry)
{
	const struct kp_raw_block *block = &source->block;
	struct kp_cpu_now *cpu = &out->cpus[block->cpu];
	uint64_t word = source->words.word[entry->index];
	uint64_t address = source->words.word[entry->index + 1];
	int64_t time = kp_raw_time(out->raw, entry->count) - entry->timer;
	struct kp_event event = {
		.event = address >> 63 ? KUTRACE_PC_K : KUTRACE_PC_U,
		.cpu = block->cpu, .arg0 = (uint32_t)(address >> 6) & 0xFFFF,
	};
	char name[32];
	int err;

	if (!cpu->known)
		kp_switch(out, cpu, block->pid);
	event.ts = kp_not_back(out, time);
	event.pid = cpu->pid;
	event.rpc = cpu->rpc;
	event.name = name;
	event.name_len = (size_t)snprintf(name, sizeof(name), "PC=%012" PRIx64, address);
	err = kp_out_event(out, &event);
	if (err || !(uint32_t)word)
		return err;
	event.event = KUTRACE_PSTATE;
	event.dur = 1;
	event.arg0 = (uint32_t)word;
	event.ipc = 0;
	event.name = NULL;
	return kp_out_event(out, &event);
}

/* Returns the words after the first word of an entry. */
static const uint64_t *kp_words_after(const struct kp_raw_item *item)
{
	return &item->source->words.word[kp_raw_entry_of(item)->index + 1];
}

/*
 * Outputs an entry. Reads the block only if needed, because the block may be in the cache of
 * another CPU.
 */
static int kp_out_entry(struct kp_raw_out *out, const struct kp_raw_merged *merged)
{
	const struct kp_raw_item *item = &merged->item;
	struct kp_cpu_now *cpu = &out->cpus[item->cpu];
	uint64_t word = merged->word;
	uint32_t delta = ku_entry_delta(word);
	int64_t time = kp_raw_time(out->raw, item->count);
	struct kp_event event = {
		.event = ku_entry_event(word), .cpu = item->cpu, .ipc = merged->ipc,
	};

	if (!cpu->known)
		kp_switch(out, cpu, item->source->block.pid);
	if (ku_event_is_tpoint(event.event)) {
		const size_t count = ku_event_words(event.event) - 1;

		event.event = KUTRACE_NAME_TPOINT;
		event.arg0 = (uint16_t)word;
		event.dur = 1;
		kp_event_names_point(&out->names, &event, kp_words_after(item), count);
	} else if (ku_event_is_disk(event.event)) {
		event.arg0 = (uint32_t)word;
		event.dur = 1;
		kp_event_names_disk(&out->names, &event, kp_words_after(item));
	} else if (ku_event_is_timer(event.event)) {
		event.arg0 = (uint32_t)word;
		event.dur = 1;
		kp_event_names_timer(&out->names, &event, kp_words_after(item));
	} else if (event.event < KUTRACE_CALL_TRAP) {
		event.arg0 = (uint32_t)word;
		event.dur = event.event != KUTRACE_USERPID;
	} else if (event.event & KUTRACE_RETURN_BIT) {
		event.retval = (int32_t)(word & 0xFFFF);
	} else {
		event.arg0 = ku_entry_arg0(word);
		if (ku_entry_returned(word)) {
			event.dur = kp_raw_time(out->raw, item->count + delta) - time;
			event.dur += !event.dur;
			event.retval = (uint16_t)ku_entry_retval(word);
		}
	}
	if (event.event == KUTRACE_USERPID) {
		cpu->switch_from = cpu->pid;
		cpu->switch_count = item->count;
		cpu->switch_block = (uint64_t)item->number + 1;
		kp_switch(out, cpu, event.arg0);
	} else if (event.event >= KUTRACE_RPCIDREQ && event.event <= KUTRACE_RPCIDMID) {
		cpu->rpc = event.arg0;
		if (kp_set_rpc(out, cpu->pid, event.arg0))
			return -1;
	} else if (event.event == KUTRACE_TASKEXIT && kp_exit(out, cpu, event.arg0)) {
		return -1;
	}
	if (time <= cpu->time)
		time = cpu->time + 1;
	event.ts = kp_not_back(out, time);
	cpu->time = event.ts;
	event.pid = cpu->pid;
	event.rpc = cpu->rpc;
	return kp_out_event(out, &event);
}

static int kp_out_definition(struct kp_raw_out *out, const struct kp_raw_merged *merged)
{
	const uint32_t event = ku_entry_event(merged->word);
	const size_t room = (ku_event_words(event) - 1) * 8;
	char text[KUTRACE_NAME_MAX_BYTES + 8];
	struct kp_namedef def = { .event = event, .number = (uint32_t)merged->word, .name = text };

	memcpy(text, kp_words_after(&merged->item), room);
	text[room] = 0;
	if (KU_NAME_BASE(event) == KUTRACE_NAME_PID)
		def.kind = ku_entry_task_kind(text, room);
	if (KU_NAME_BASE(event) == KUTRACE_NAME_META)
		kp_raw_fact_times(out->raw, text);
	def.name_len = strlen(text);
	return kp_define(out, merged->item.count, &def);
}

static int kp_out_top(void *self, const struct kp_raw_merged *merged)
{
	struct kp_raw_out *out = self;
	const struct kp_raw_item *item = &merged->item;
	bool stale = out->raw->wrapped && !item->number;
	int err = 0;

	if (out->verbose && item->kind != KP_RAW_HEADER)
		err = kp_raw_write_words(out->sink, item->source, kp_raw_entry_of(item));
	if (err || (stale && item->kind != KP_RAW_NAME))
		return err;
	kp_pass_pauses(out, (int64_t)item->count);
	switch (item->kind) {
	case KP_RAW_HEADER:
		return kp_out_header(out, item->source);
	case KP_RAW_PC:
		return kp_out_sample(out, item->source, kp_raw_entry_of(item));
	case KP_RAW_NAME:
		return kp_out_definition(out, merged);
	default:
		return kp_out_entry(out, merged);
	}
}

/* ---- names before the events ---- */

/* Returns whether the name in a block's header is used: only if the block has events. */
static bool kp_header_counts(const struct kp_raw *raw, const struct kp_raw_block *block)
{
	return block->name[0] && (block->number ? !block->names_only : !raw->wrapped);
}

static int kp_name_order(const void *a, const void *b)
{
	const struct kp_raw_name *x = a, *y = b;

	KP_COMPARE(x->count, y->count);
	KP_COMPARE(x->event, y->event);
	KP_COMPARE(x->number, y->number);
	return strcmp(x->text, y->text);
}

/* Sets the name that an object has in events before its first definition. */
static int kp_foresee(struct kp_raw_out *out, uint32_t event, uint32_t number,
		      const char *text, size_t len)
{
	return kp_event_names_set(&out->names, event, number, text, len) ?
		       kp_raw_fail(out->raw, "no memory") : 0;
}

static int kp_foresee_header(struct kp_raw_out *out, const struct kp_raw_block *block)
{
	return kp_foresee(out, kp_header_name_event(block), block->pid, block->name,
			  strlen(block->name));
}

static int kp_out_name_first(struct kp_raw_out *out, const struct kp_raw_name *name)
{
	const struct kp_namedef def = {
		.ts = -1, .event = name->event, .number = name->number, .kind = name->kind,
		.name = name->text, .name_len = name->len,
	};

	return kp_out_name(out, &def);
}

static int kp_out_header_first(struct kp_raw_out *out, const struct kp_raw_block *block)
{
	const struct kp_namedef def = kp_header_def(block);

	return kp_out_name(out, &def);
}

/*
 * Removes the name that kp_foresee() set for a pid if a thread with that pid exited before the name
 * was defined: the name belongs to a later thread.
 */
static int kp_forget_later_owners(struct kp_raw_out *out)
{
	const struct kp_raw *raw = out->raw;
	struct kp_map first = { .count = 0 };	/* pid to its first name */
	uint32_t at;
	int err = 0;

	for (size_t i = raw->name_count; !err && i--;)
		if (KU_NAME_BASE(raw->names[i].event) == KUTRACE_NAME_PID)
			err = kp_map_set(&first, raw->names[i].number, (uint32_t)i);
	for (size_t i = 0; !err && i < raw->exit_count; i++)
		if (kp_map_get(&first, raw->exits[i].pid, &at) &&
		    raw->names[at].count > raw->exits[i].count)
			err = kp_event_names_set(&out->names, KUTRACE_NAME_PID, raw->exits[i].pid, "", 0);
	kp_map_free(&first);
	return err ? kp_raw_fail(out->raw, "no memory") : 0;
}

/*
 * Outputs all definitions at time -1. Sets the names from the last definition to the first, so that
 * events before an object's first definition get the object's first name.
 */
static int kp_out_names(struct kp_raw_out *out)
{
	struct kp_raw *raw = out->raw;
	struct kp_raw_block block;
	int err = 0;

	if (raw->name_count)
		qsort(raw->names, raw->name_count, sizeof(*raw->names), kp_name_order);
	for (size_t i = raw->block_count; !err && i--;) {
		err = kp_raw_read_header(raw, &raw->locations[i], &block);
		if (!err && kp_header_counts(raw, &block))
			err = kp_foresee_header(out, &block);
	}
	for (size_t i = raw->name_count; !err && i--;)
		err = kp_foresee(out, raw->names[i].event, raw->names[i].number,
				 raw->names[i].text, raw->names[i].len);
	err = err ? err : kp_forget_later_owners(out);
	/* An identity is valid only at its time. */
	for (size_t i = 0; !err && i < raw->name_count; i++)
		if (KU_NAME_BASE(raw->names[i].event) != KUTRACE_NAME_TASK)
			err = kp_out_name_first(out, &raw->names[i]);
	for (size_t i = 0; !err && i < raw->block_count; i++) {
		err = kp_raw_read_header(raw, &raw->locations[i], &block);
		if (!err && kp_header_counts(raw, &block))
			err = kp_out_header_first(out, &block);
	}
	out->summary->names = 0;
	return err;
}

struct kp_raw_out *kp_raw_out_new(struct kp_raw *raw, const struct kp_event_sink *sink,
				  bool verbose, struct kp_raw_summary *summary)
{
	struct kp_raw_out *out = calloc(1, sizeof(*out));

	if (!out) {
		kp_raw_fail(raw, "no memory");
		return NULL;
	}
	out->raw = raw;
	out->heap.raw = raw;
	out->sink = sink;
	out->verbose = verbose;
	out->summary = summary ? summary : &out->unused;
	memset(out->summary, 0, sizeof(*out->summary));
	for (size_t i = 0; i < 256; i++)
		out->cpus[i].time = -1;
	return out;
}

void kp_raw_out_free(struct kp_raw_out *out)
{
	if (!out)
		return;
	kp_raw_heap_free(&out->heap);
	kp_map_free(&out->rpcs);
	kp_event_names_free(&out->names);
	free(out);
}

int kp_raw_events(struct kp_raw *raw, const struct kp_event_sink *sink,
		  bool verbose, struct kp_raw_summary *summary)
{
	return kp_raw_events_by(NULL, raw, sink, verbose, summary);
}

int kp_raw_events_by(kp_raw_reading *reading, struct kp_raw *raw, const struct kp_event_sink *sink,
		     bool verbose, struct kp_raw_summary *summary)
{
	struct kp_raw_out *out = kp_raw_out_new(raw, sink, verbose, summary);
	int err;

	if (!out)
		return -1;
	kp_progress_phase("reading", NULL);
	err = kp_raw_write_front(raw, sink);
	err = err ? err : kp_out_names(out);
	if (!err && reading) {
		err = reading(raw, kp_out_top, out);
	} else if (!err) {
		kp_raw_heap_add_all(&out->heap);
		err = kp_raw_heap_run(&out->heap, UINT64_MAX, kp_out_top, out);
	}
	kp_raw_out_free(out);
	return err;
}

/* ---- a followed trace ---- */

int kp_raw_out_begin(struct kp_raw_out *out, void (*done)(void *self, uint64_t offset),
		     void *self)
{
	int err = kp_raw_write_format(out->raw, out->sink);

	out->heap.done = done;
	out->heap.done_self = self;
	return err ? err : kp_raw_write_title(out->sink);
}

int kp_raw_out_add(struct kp_raw_out *out, const struct kp_raw_block *block,
		   const struct kp_raw_location *location)
{
	struct kp_raw *raw = out->raw;
	const uint64_t names = out->summary->names;
	int err = kp_raw_write_block(out->sink, block);

	for (size_t i = 0; !err && i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (!kp_names_get(&out->names.names, KU_NAME_BASE(name->event), name->number))
			err = kp_foresee(out, name->event, name->number, name->text, name->len);
		err = err ? err : kp_out_name_first(out, name);
	}
	raw->name_count = 0;
	for (size_t i = 0; i < raw->loss_count; i++)
		raw->losses[i].at = KP_LOSS_OUT;
	if (!err && kp_header_counts(raw, block)) {
		if (!kp_names_get(&out->names.names, KUTRACE_NAME_PID, block->pid))
			err = kp_foresee_header(out, block);
		err = err ? err : kp_out_header_first(out, block);
	}
	out->summary->names = names;
	return err ? err : kp_raw_heap_add(&out->heap, location);
}

int kp_raw_out_until(struct kp_raw_out *out, uint64_t until)
{
	return kp_raw_heap_run(&out->heap, until, kp_out_top, out);
}

void kp_raw_out_step_back(struct kp_raw_out *out)
{
	out->time = 0;
}

int kp_raw_out_end(struct kp_raw_out *out)
{
	int err = kp_raw_out_until(out, UINT64_MAX);

	return err ? err : kp_raw_write_dropped(out->raw, out->sink);
}
