// SPDX-License-Identifier: BSD-3-Clause
/* Adds up spans (report/prof.h). report/calls.h joins rows of execution to calls. */
#include "report/prof.h"

/* Returns the process of a row. The idle task of each CPU is a process, and so is each thread. */
static struct kp_prof_process *process_of(struct kp_prof *p, int64_t pid, uint32_t life, int32_t cpu)
{
	uint64_t key = pid ? kp_life_key(pid * 2, life) : (uint64_t)(cpu + 1) * 2 + 1;
	char name[32];
	struct kp_prof_process *process;
	uint32_t index;

	if (kp_map_get(&p->by_pid, key, &index))
		return &p->processes[index];
	if (KP_ROOM(p->processes, p->process_count, p->process_cap) ||
	    kp_map_set(&p->by_pid, key, (uint32_t)p->process_count))
		return NULL;
	process = &p->processes[p->process_count++];
	memset(process, 0, sizeof(*process));
	process->pid = pid;
	process->life = life;
	if (pid)
		snprintf(name, sizeof(name), "?.%" PRId64, pid);
	else
		snprintf(name, sizeof(name), "-idle- CPU %d", (int)cpu);
	process->name = kp_strings_add(&p->strings, name, strlen(name));
	process->cpu = cpu;
	return process->name ? process : NULL;
}

/* Returns the index of the line of @process, class and kind, or of a new one; -1 without memory. */
static int64_t line_of(struct kp_prof *p, struct kp_prof_process *process,
		       enum kp_prof_class class, const char *kind, size_t len)
{
	const struct kp_str *name = kp_strings_add(&p->strings, kind, len);
	uint64_t key;
	uint32_t index, number = (uint32_t)(process - p->processes);

	if (!name)
		return -1;
	/* strings never move and are aligned, so the low bits are free */
	key = ((uint64_t)(uintptr_t)name << 16 ^ (uint64_t)number << 2) | class;
	for (; kp_map_get(&p->by_line, key, &index); key += KP_NEXT_KEY) {
		const struct kp_prof_line *line = &p->lines[index];

		if (line->kind == name && line->process == number && line->class == class)
			return index;
	}
	if (KP_ROOM(p->lines, p->line_count, p->line_cap) || p->line_count >= UINT32_MAX ||
	    kp_map_set(&p->by_line, key, (uint32_t)p->line_count))
		return -1;
	p->lines[p->line_count] = (struct kp_prof_line){
		.class = class, .process = number, .kind = name, .sum = KP_CALL_SUM_NONE };
	return (int64_t)p->line_count++;
}

/*
 * Adds a call that has ended or is cut off. If rows_only is set, the rows of the call have already
 * added its time.
 */
static int add_call(struct kp_prof *p, struct kp_prof_process *process, const struct kp_joined_call *call)
{
	int64_t index = line_of(p, process, KP_PROF_CPU, call->name->text, call->name->len);

	if (index < 0)
		return -1;
	if (!p->rows_only)
		p->lines[index].sum.time += call->own;
	return kp_call_sum_call(&p->lines[index].sum, call);
}

int kp_prof_call(struct kp_prof *p, const struct kp_prof_process *of, int32_t cpu,
		 const struct kp_joined_call *call)
{
	struct kp_prof_process *process = process_of(p, of->pid, of->life, cpu);

	return process ? add_call(p, process, call) : -1;
}

struct whose {
	struct kp_prof *p;
	struct kp_prof_process *process;
	int32_t cpu;
};

static int on_ended(void *self, const struct kp_joined_call *call)
{
	const struct whose *whose = self;
	struct kp_prof *p = whose->p;

	if (p->on_call && p->on_call(p->on_call_self, whose->process, whose->cpu, call))
		return -1;
	return add_call(p, whose->process, call);
}

static int row_of_kernel(struct kp_prof *p, struct kp_prof_process *process,
			 const struct kp_span *s)
{
	int64_t line;

	if (!p->rows_only)
		return 0;
	line = line_of(p, process, KP_PROF_CPU, s->name, s->name_len);
	if (line < 0)
		return -1;
	p->lines[line].sum.time += s->dur;
	return 0;
}

static int row_of_user(struct kp_prof *p, struct kp_prof_process *process, const struct kp_span *s)
{
	const bool kernel = kp_span_is_kernel_thread(s);
	int64_t line = !s->pid ? line_of(p, process, KP_PROF_CPU, s->name, s->name_len) :
		       line_of(p, process, KP_PROF_CPU, kernel ? "kernel" : "user", kernel ? 6 : 4);

	if (line < 0)
		return -1;
	kp_call_sum_interval(&p->lines[line].sum, s->start, s->dur);
	return 0;
}

static int add_fold(struct kp_prof *p, uint32_t process, const char *text, size_t len,
		    uint64_t value)
{
	const struct kp_str *stack = kp_strings_add(&p->strings, text, len);
	uint64_t key;
	uint32_t index;

	if (!stack)
		return -1;
	key = (uint64_t)(uintptr_t)stack << 16 ^ process;
	for (; kp_map_get(&p->by_fold, key, &index); key += KP_NEXT_KEY) {
		if (p->folds[index].stack == stack && p->folds[index].process == process) {
			p->folds[index].value += value;
			return 0;
		}
	}
	if (KP_ROOM(p->folds, p->fold_count, p->fold_cap) ||
	    kp_map_set(&p->by_fold, key, (uint32_t)p->fold_count))
		return -1;
	p->folds[p->fold_count++] = (struct kp_prof_fold){ stack, process, value };
	return 0;
}

/*
 * Adds @time to the stack that lists the process's pending calls, outermost first. In user code,
 * this stack is empty.
 */
static int fold_stack(struct kp_prof *p, const struct kp_prof_process *process, int64_t time)
{
	char text[1024];
	size_t n = 0;

	for (int i = 0; i < process->calls.depth; i++) {
		const struct kp_str *kind = process->calls.in[i].name;
		size_t len = kind->len < 120 ? kind->len : 120;

		if (n + len + 2 > sizeof(text))
			continue;
		if (n)
			text[n++] = ';';
		for (size_t k = 0; k < len; k++)
			text[n++] = (char)(strchr("; \n", kind->text[k]) && kind->text[k] ?
					   '_' : kind->text[k]);
	}
	return add_fold(p, (uint32_t)(process - p->processes), text, n, (uint64_t)time);
}

#define CPUS_MAX	65536
#define MHZ_MAX		1000000

static bool has_clock(int32_t cpu)
{
	return cpu >= 0 && cpu < CPUS_MAX;
}

/* Returns the clock of @cpu, or NULL without memory. has_clock() must be true. */
static struct kp_prof_clock *clock_of(struct kp_prof *p, int32_t cpu)
{
	while ((size_t)cpu >= p->clock_count) {
		size_t more = p->clock_count ? 2 * p->clock_count : 64;
		struct kp_prof_clock *bigger = realloc(p->clocks, more * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + p->clock_count, 0, (more - p->clock_count) * sizeof(*bigger));
		p->clocks = bigger;
		p->clock_count = more;
	}
	return &p->clocks[cpu];
}

/* Adds @time of the process at @mhz. A negative time corrects an earlier one. */
static void ticked(struct kp_prof_process *process, int64_t time, int64_t mhz)
{
	if (!mhz)
		return;
	process->clocked += time;
	process->cycles += (__int128)time * mhz;
}

static int add_frequency(struct kp_prof *p, const struct kp_span *s)
{
	int64_t mhz = s->arg0 > 0 && s->arg0 < MHZ_MAX ? s->arg0 : 0;
	struct kp_prof_clock *clock;

	if (!has_clock(s->cpu))
		return 0;
	clock = clock_of(p, s->cpu);
	if (!clock)
		return -1;
	if (clock->end > s->start) {
		/* the rest of the last row runs at the new frequency */
		ticked(&p->processes[clock->process], s->start - clock->end, clock->mhz);
		ticked(&p->processes[clock->process], clock->end - s->start, mhz);
	}
	clock->mhz = mhz;
	if (mhz > p->mhz_most)
		p->mhz_most = mhz;
	return 0;
}

static int add_clocked(struct kp_prof *p, struct kp_prof_process *process,
		       const struct kp_span *s)
{
	struct kp_prof_clock *clock;

	if (!has_clock(s->cpu))
		return 0;
	clock = clock_of(p, s->cpu);
	if (!clock)
		return -1;
	clock->ran = true;
	clock->end = s->start + s->dur;
	clock->process = (uint32_t)(process - p->processes);
	ticked(process, s->dur, clock->mhz);
	return 0;
}

int64_t kp_prof_mhz(const struct kp_prof_process *process)
{
	if (process->clocked <= 0)
		return 0;
	return (int64_t)((process->cycles + process->clocked / 2) / process->clocked);
}

/* Returns whether a row of the CPU ends where @s begins. */
static bool follows(const struct kp_prof *p, const struct kp_span *s)
{
	return has_clock(s->cpu) && (size_t)s->cpu < p->clock_count &&
	       p->clocks[s->cpu].ran && p->clocks[s->cpu].end == s->start;
}

static int add_execution(struct kp_prof *p, const struct kp_span *s, uint32_t life)
{
	struct kp_prof_process *process = process_of(p, s->pid, life, s->cpu);
	struct whose whose = { p, process, s->cpu };
	const struct kp_joiner_sink sink = { .ended = on_ended, .self = &whose, .paused = p->pause };
	bool user = s->event >= KP_EVENT_USER;

	if (!process)
		return -1;
	if (s->event == KP_EVENT_USER + s->pid && s->pid) {
		process->name = kp_strings_add(&p->strings, s->name, s->name_len);
		if (!process->name)
			return -1;
	}
	if (!p->rows_only &&
	    kp_joiner_row(&process->calls, s, follows(p, s), p->tag, &p->strings, &sink))
		return -1;
	if (user ? row_of_user(p, process, s) : row_of_kernel(p, process, s))
		return -1;
	process->cpu_time += s->dur;
	if (kp_span_is_idle(s))
		process->idle += s->dur;
	if (kp_span_leaves_idle(s))
		process->leaving_idle += s->dur;
	if (!p->any)
		p->off_before = p->off;
	if (!p->any || s->start < p->first)
		p->first = s->start;
	if (!p->any || s->start + s->dur > p->last)
		p->last = s->start + s->dur;
	p->any = true;
	p->paused = p->off - p->off_before;
	if (add_clocked(p, process, s))
		return -1;
	return p->fold && s->pid ? fold_stack(p, process, s->dur) : 0;
}

static int add_other(struct kp_prof *p, const struct kp_span *s, uint32_t life, enum kp_prof_class class)
{
	struct kp_prof_process *process = process_of(p, s->pid, life, class == KP_PROF_WAIT ? -1 : s->cpu);
	int64_t index;

	if (!process)
		return -1;
	index = line_of(p, process, class, s->name, s->name_len);
	if (index < 0)
		return -1;
	kp_call_sum_interval(&p->lines[index].sum, s->start, s->dur);
	if (class != KP_PROF_SAMPLE)
		return 0;
	process->samples++;
	if (p->fold_samples)
		return add_fold(p, (uint32_t)(process - p->processes), s->name, s->name_len, 1);
	return 0;
}

/* Adds a pause. Each CPU has a row of it, but only the first row counts. */
static void add_pause(struct kp_prof *p, const struct kp_span *s)
{
	p->pause = s->start;
	if (!s->arg0 || s->start < p->paused_until)
		return;
	p->paused_until = s->start + s->dur;
	p->off += s->dur;
}

/* Adds a time in which CPUs did not run. If it is the whole machine, only the row of the first CPU counts. */
static int add_stopped(struct kp_prof *p, const struct kp_span *s, uint32_t life)
{
	struct kp_prof_process *process = process_of(p, s->pid, life, s->cpu);

	if (!process)
		return -1;
	if (!p->rows_only)
		kp_joiner_stopped(&process->calls, s);
	if (has_clock(s->cpu) && (size_t)s->cpu < p->clock_count && p->clocks[s->cpu].end == s->start)
		p->clocks[s->cpu].end = s->start + s->dur;
	if (s->event == KUTRACE_MADE_STOLEN)
		p->stolen += s->dur;
	else if (s->start >= p->stopped_until)
		p->stopped += s->dur;
	if (s->event == KUTRACE_MADE_STOPPED) {
		p->stopped_until = s->start + s->dur;
		p->stopped_inferred |= kp_is_inferred(s->name, s->name_len);
	}
	return 0;
}

static int on_span(void *self, const struct kp_span *s)
{
	struct kp_prof *p = self;
	const int64_t life = p->lives ? kp_lives_of(p->lives, s->pid) : kp_lives_row(&p->own_lives, s);
	int status = 0;

	if (life < 0)
		status = -1;
	else if (s->event == KUTRACE_MADE_PAUSE)
		add_pause(p, s);
	else if (kp_span_is_stopped(s))
		status = add_stopped(p, s, (uint32_t)life);
	else if (kp_span_is_execution(s))
		status = add_execution(p, s, (uint32_t)life);
	else if (s->cpu < 0 && s->event >= KUTRACE_MADE_WAITA && s->event <= KUTRACE_MADE_WAITZ)
		status = add_other(p, s, (uint32_t)life, KP_PROF_WAIT);
	else if (s->event == KUTRACE_PSTATE)
		status = add_frequency(p, s);
	else if (s->event == KUTRACE_PC_U || s->event == KUTRACE_PC_K)
		status = add_other(p, s, (uint32_t)life, KP_PROF_SAMPLE);
	p->no_memory |= status != 0;
	return status;
}

/* Ends all pending calls as cut off. */
static int on_end(void *self)
{
	struct kp_prof *p = self;
	int status = 0;

	for (size_t i = 0; i < p->process_count; i++) {
		struct whose whose = { p, &p->processes[i], p->processes[i].cpu };
		const struct kp_joiner_sink sink = { .ended = on_ended, .self = &whose };

		status |= kp_joiner_end(&p->processes[i].calls, &sink);
	}
	p->no_memory |= status != 0;
	return status;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_prof *p = self;

	kp_lives_header(&p->own_lives, items, count);
	return 0;
}

struct kp_span_sink kp_prof_sink(struct kp_prof *p)
{
	return (struct kp_span_sink){
		.header = on_header, .span = on_span, .end = on_end, .self = p,
	};
}

/* Returns the length of the name without the pid: the length of "work" for "work.51" of pid 51. */
static size_t program_len(const struct kp_prof_process *process)
{
	const struct kp_str *name = process->name;
	char number[24];
	size_t len = (size_t)snprintf(number, sizeof(number), ".%" PRId64, process->pid);

	return name->len > len && !memcmp(name->text + name->len - len, number, len) ?
	       name->len - len : name->len;
}

/*
 * Adds the threads of each program to its first thread, whose entry becomes the program's entry.
 * Sets into[i] to the index of the program of process i.
 */
static int add_programs(struct kp_prof *p, uint32_t *into)
{
	struct kp_map programs = {0};
	int status = 0;

	for (size_t i = 0; i < p->process_count && !status; i++) {
		struct kp_prof_process *process = &p->processes[i], *program;
		const struct kp_str *name;

		into[i] = (uint32_t)i;
		if (!process->pid)
			continue;
		name = kp_strings_add(&p->strings, process->name->text, program_len(process));
		if (!name)
			status = -1;
		else if (!kp_map_get(&programs, (uint64_t)(uintptr_t)name, &into[i]))
			status = kp_map_set(&programs, (uint64_t)(uintptr_t)name, (uint32_t)i);
		if (status)
			break;
		program = &p->processes[into[i]];
		program->threads++;
		if (program == process) {
			process->name = name;
			continue;
		}
		program->cpu_time += process->cpu_time;
		program->idle += process->idle;
		program->leaving_idle += process->leaving_idle;
		program->clocked += process->clocked;
		program->cycles += process->cycles;
		program->samples += process->samples;
	}
	kp_map_free(&programs);
	return status;
}

/* Adds the lines of threads to the lines of their program, and removes them. */
static int group_lines(struct kp_prof *p, const uint32_t *into)
{
	size_t remaining = 0;

	for (size_t i = 0; i < p->line_count; i++) {
		struct kp_prof_line *line = &p->lines[i];
		int64_t to;

		if (into[line->process] == line->process)
			continue;
		to = line_of(p, &p->processes[into[line->process]], line->class, line->kind->text,
			     line->kind->len);
		line = &p->lines[i];	/* line_of() may have moved the lines */
		if (to < 0 || kp_call_sum_add(&p->lines[to].sum, &line->sum))
			return -1;
	}
	for (size_t i = 0; i < p->line_count; i++) {
		if (into[p->lines[i].process] == p->lines[i].process)
			p->lines[remaining++] = p->lines[i];
		else
			kp_call_sum_free(&p->lines[i].sum);
	}
	p->line_count = remaining;
	return 0;
}

/* Adds the stacks of threads to the stacks of their program. */
static int group_folds(struct kp_prof *p, const uint32_t *into)
{
	struct kp_prof_fold *folds = p->folds;
	size_t count = p->fold_count;
	int status = 0;

	p->folds = NULL;
	p->fold_count = p->fold_cap = 0;
	kp_map_free(&p->by_fold);
	memset(&p->by_fold, 0, sizeof(p->by_fold));
	for (size_t i = 0; i < count && !status; i++)
		status = add_fold(p, into[folds[i].process], folds[i].stack->text,
				  folds[i].stack->len, folds[i].value);
	free(folds);
	return status;
}

int kp_prof_group(struct kp_prof *p)
{
	uint32_t *into = calloc(p->process_count + 1, sizeof(*into));
	int status = into ? add_programs(p, into) : -1;

	if (!status)
		status = group_lines(p, into);
	if (!status)
		status = group_folds(p, into);
	free(into);
	p->no_memory |= status != 0;
	return status;
}

static const struct kp_prof_process *sorting;

static int by_process(const void *a, const void *b)
{
	const struct kp_prof_line *x = a, *y = b;
	const struct kp_prof_process *px = &sorting[x->process], *py = &sorting[y->process];
	int order;

	if (x->process != y->process) {
		KP_COMPARE(!px->pid, !py->pid);
		KP_COMPARE(py->cpu_time, px->cpu_time);
		return x->process < y->process ? -1 : 1;
	}
	KP_COMPARE(x->class, y->class);
	if (x->class == KP_PROF_SAMPLE)
		KP_COMPARE(y->sum.count, x->sum.count);
	KP_COMPARE(y->sum.time, x->sum.time);
	order = memcmp(x->kind->text, y->kind->text,
		       x->kind->len < y->kind->len ? x->kind->len : y->kind->len);
	return order ? order : (x->kind->len > y->kind->len) - (x->kind->len < y->kind->len);
}

void kp_prof_sort(struct kp_prof *p)
{
	sorting = p->processes;
	for (size_t i = 0; i < p->line_count; i++)
		kp_call_sum_end(&p->lines[i].sum);
	if (p->line_count)
		qsort(p->lines, p->line_count, sizeof(*p->lines), by_process);
}

void kp_prof_free(struct kp_prof *p)
{
	for (size_t i = 0; i < p->line_count; i++)
		kp_call_sum_free(&p->lines[i].sum);
	free(p->lines);
	free(p->processes);
	free(p->folds);
	free(p->clocks);
	kp_lives_free(&p->own_lives);
	kp_strings_free(&p->strings);
	kp_map_free(&p->by_pid);
	kp_map_free(&p->by_line);
	kp_map_free(&p->by_fold);
}
