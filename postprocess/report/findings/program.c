// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the threads of a program by the identities of tasks, and keeps the findings that concern it
 * (report/findings/findings.h). Must not count a later process that has the pid of a process of the
 * program.
 */
#include "report/findings/findings.h"

#include "kutrace_task.h"

/* Maximum depth of descendants that existed when recording began, whose records have no order. */
#define DEPTH	64

struct program {
	const struct kp_identities *list;
	size_t root;		/* index of the first record of the program's first thread */
	bool *records;		/* of each record: it belongs to the program */
	struct kp_map process;	/* pid of a process -> 1 if the process that has the pid now belongs to the program */
	bool no_memory;
};

/* Returns whether the process that has the pid now belongs to the program. */
static bool has(const struct program *program, uint32_t pid)
{
	uint32_t belongs;

	return kp_map_get(&program->process, pid, &belongs) && belongs;
}

static bool is_thread(const struct kp_identified *record)
{
	return record->is.process != record->pid;
}

/* Decides whether the record belongs to the program. All earlier records are decided. */
static void decide(struct program *program, size_t index)
{
	const struct kp_identified *record = &program->list->records.items[index];
	bool *belongs = &program->records[index];

	if (index == program->root)
		*belongs = true;
	else if (record->first != index)
		*belongs = program->records[record->first];
	else
		*belongs = has(program, is_thread(record) ? record->is.process : record->is.parent);
	if (!is_thread(record) && kp_map_set(&program->process, record->pid, *belongs))
		program->no_memory = true;
}

/*
 * Decides the records from @index on of tasks that existed when recording was turned on: the record of a child can
 * be before that of its parent. Returns the index after them.
 */
static size_t decide_present(struct program *program, size_t index)
{
	const struct kp_identified *items = program->list->records.items;
	size_t end = index;
	bool changed = true;

	while (end < program->list->records.count && items[end].is.reason == KUTRACE_TASK_PRESENT)
		end++;
	/* a new owner of a pid does not inherit from the previous one */
	for (size_t i = index; i < end; i++)
		if (items[i].first == i && !is_thread(&items[i]) && kp_map_set(&program->process, items[i].pid, 0))
			program->no_memory = true;
	for (int depth = 0; depth < DEPTH && changed; depth++) {
		changed = false;
		for (size_t i = index; i < end; i++) {
			if (program->records[i])
				continue;
			decide(program, i);
			changed |= program->records[i];
		}
	}
	return end;
}

/* Returns the index of the first record of the thread as of its last run; -1: it has none. */
static int64_t first_record(struct kp_why *why, size_t index)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct kp_owner owner;

	return pid->pid > 0 && pid->runs.count &&
	       kp_identities_at(&why->identities, pid->pid, pid->runs.items[pid->runs.count - 1].end, &owner) ?
		       (int64_t)why->identities.order.items[owner.first] : -1;
}

static bool belongs(struct kp_why *why, const struct program *program, int64_t index)
{
	const int64_t record = index >= 0 ? first_record(why, (size_t)index) : -1;

	return record >= 0 && program->records[record];
}

static bool concerns(struct kp_why *why, const struct program *program, const struct kp_finding *finding)
{
	if (finding->everyone || belongs(why, program, (int64_t)finding->victim) || belongs(why, program, finding->culprit))
		return true;
	for (size_t k = 0; k < KP_FINDING_SPANS && finding->spans[k].start; k++)
		if (belongs(why, program, (int64_t)finding->spans[k].thread))
			return true;
	return false;
}

/* Returns the first record of the first thread of the process whose thread has the record @index. */
static size_t root_of(const struct kp_identities *list, size_t index)
{
	const struct kp_identified *record = &list->records.items[index];

	if (!is_thread(record))
		return index;
	for (size_t i = index; i-- > 0;)
		if (list->records.items[i].pid == record->is.process)
			return list->records.items[i].first;
	return index;
}

void kp_findings_of_program(struct kp_findings *findings, size_t index)
{
	struct kp_why *why = findings->why;
	struct program program = { .list = &why->identities };
	const int64_t record = first_record(why, index);
	size_t count = 0;

	if (record < 0)
		return;
	program.root = root_of(program.list, (size_t)record);
	program.records = calloc(program.list->records.count, sizeof(*program.records));
	if (!program.records) {
		findings->no_memory = true;
		return;
	}
	for (size_t i = 0; i < program.list->records.count;) {
		if (program.list->records.items[i].is.reason == KUTRACE_TASK_PRESENT)
			i = decide_present(&program, i);
		else
			decide(&program, i++);
	}
	for (size_t i = 0; i < findings->list.count; i++)
		if (concerns(why, &program, &findings->list.items[i]))
			findings->list.items[count++] = findings->list.items[i];
	findings->list.count = count;
	findings->program = (int64_t)index;
	findings->no_memory |= program.no_memory;
	kp_map_free(&program.process);
	free(program.records);
}
