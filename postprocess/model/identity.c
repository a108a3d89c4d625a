// SPDX-License-Identifier: BSD-3-Clause
/* Reads identities of tasks, and finds the owner of a pid at a time. See model/identity.h. */
#include "model/identity.h"

#include "base/number.h"
#include "kutrace_quota.h"
#include "kutrace_task.h"

const char *kp_identity_word(char reason)
{
	switch (reason) {
	case KUTRACE_TASK_PRESENT:
		return "present";
	case KUTRACE_TASK_PROCESS:
		return "fork";
	case KUTRACE_TASK_THREAD:
		return "thread";
	case KUTRACE_TASK_EXEC:
		return "exec";
	case KUTRACE_TASK_MOVED:
	case KUTRACE_TASK_ALL_MOVED:
		return "moved";
	default:
		return NULL;
	}
}

/* Reads a number of up to @digits hex digits. Returns false if there is none. */
static bool read_hex(const char **p, const char *end, int digits, uint64_t *number)
{
	const char *begin = *p;

	for (*number = 0; *p < end && *p - begin < digits; ++*p) {
		const char c = **p;

		if (c >= '0' && c <= '9')
			*number = *number << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*number = *number << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return *p > begin;
}

static bool set_field(struct kp_identity *is, char letter, const char **p, const char *end)
{
	uint64_t number, level;

	if (!read_hex(p, end, letter == 's' ? 16 : 8, &number))
		return false;
	switch (letter) {
	case 'p':
		is->parent = (uint32_t)number;
		return true;
	case 'g':
		is->process = (uint32_t)number;
		return true;
	case 'n':
		if (*p == end || *(*p)++ != '.' || !read_hex(p, end, 8, &level) || !level)
			return false;
		is->own = (uint32_t)number;
		is->level = (uint32_t)level;
		return true;
	case 'c':
		is->cgroup = (uint32_t)number & KUTRACE_QUOTA_CGROUP;
		return true;
	case 's':
		is->start = number;
		return true;
	case 'o':
		is->before = (uint32_t)number;
		return true;
	default:
		return true;	/* a field of a later version */
	}
}

bool kp_identity_parse(struct kp_identity *identity, uint32_t pid, const char *name, size_t len,
		       size_t *program)
{
	const char *p = name, *end = name + len;

	*identity = (struct kp_identity){ .process = pid };
	*program = len;
	if (!len || !kp_identity_word(*p))
		return false;
	identity->reason = *p++;
	while (p < end) {
		if (end - p < 2 || *p++ != ' ')
			return false;
		if (*p == '=') {
			*program = (size_t)(p + 1 - name);
			return true;
		}
		p++;
		if (!set_field(identity, p[-1], &p, end))
			return false;
	}
	return true;
}

static int add_cgroup(struct kp_identities *list, struct kp_strings *strings, const struct kp_span *row)
{
	const struct kp_str *text = kp_strings_add(strings, row->name, row->name_len);

	return text && !KP_APPEND(&list->cgroups, text) &&
	       !kp_map_set(&list->by_cgroup, (uint64_t)row->arg0, (uint32_t)list->cgroups.count - 1) ? 0 : -1;
}

int kp_identities_row(struct kp_identities *list, struct kp_strings *strings, const struct kp_span *row)
{
	struct kp_identified new = { .pid = 0 };
	uint32_t last;
	size_t program;

	if (row->event == KUTRACE_NAME_CGROUP)
		return add_cgroup(list, strings, row);
	if (row->event != KUTRACE_NAME_TASK || row->pid <= 0 || row->pid > UINT32_MAX ||
	    !kp_identity_parse(&new.is, (uint32_t)row->pid, row->name, row->name_len, &program))
		return 0;
	new.is.at = row->start;
	if (program < row->name_len) {
		new.is.program = kp_strings_add(strings, row->name + program, row->name_len - program);
		if (!new.is.program)
			return -1;
	}
	new.pid = (uint32_t)row->pid;
	new.first = (uint32_t)list->records.count;
	if (kp_map_get(&list->last, new.pid, &last) && list->records.items[last].is.start == new.is.start) {
		new.first = list->records.items[last].first;
		new.moved = list->records.items[last].moved;
	}
	if (new.is.reason == KUTRACE_TASK_ALL_MOVED)
		new.moved = (uint32_t)list->records.count + 1;
	list->order.count = 0;
	return KP_APPEND(&list->records, new) ||
	       kp_map_set(&list->last, new.pid, (uint32_t)list->records.count - 1) ? -1 : 0;
}

static const struct kp_identified *sorting;

static int by_pid(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	KP_COMPARE(sorting[x].pid, sorting[y].pid);
	return x < y ? -1 : x > y;
}

static int sort_records(struct kp_identities *list)
{
	for (size_t i = list->order.count; i < list->records.count; i++)
		if (KP_APPEND(&list->order, (uint32_t)i))
			return -1;
	sorting = list->records.items;
	qsort(list->order.items, list->order.count, sizeof(*list->order.items), by_pid);
	return 0;
}

static bool is_after(const struct kp_identified *record, int64_t pid, int64_t at)
{
	return record->pid > pid || (record->pid == pid && record->is.at > at);
}

/* Returns the place in the order of the last record of @pid up to @at; -1: none. */
static int64_t record_at(const struct kp_identities *list, int64_t pid, int64_t at)
{
	const struct kp_identified *items = list->records.items;
	size_t low = 0, high = list->order.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (is_after(&items[list->order.items[middle]], pid, at))
			high = middle;
		else
			low = middle + 1;
	}
	return low && items[list->order.items[low - 1]].pid == pid ? (int64_t)low - 1 : -1;
}

bool kp_identities_at(struct kp_identities *list, int64_t pid, int64_t at, struct kp_owner *owner)
{
	const struct kp_identified *items = list->records.items, *last;
	int64_t place, process;
	uint32_t moved;

	if (!list->records.count || (!list->order.count && sort_records(list)))
		return false;
	place = record_at(list, pid, at);
	if (place < 0)
		return false;
	last = &items[list->order.items[place]];
	*owner = (struct kp_owner){ .is = last->is, .first = (size_t)place, .last = (size_t)place };
	KP_FIND(owner->first, list->order.count, items[list->order.items[owner->first]].pid < pid ||
		(items[list->order.items[owner->first]].pid == pid && list->order.items[owner->first] < last->first));
	owner->born = items[last->first].is.reason == KUTRACE_TASK_PROCESS ||
		      items[last->first].is.reason == KUTRACE_TASK_THREAD;
	/* a thread moves with its process */
	process = owner->is.process == pid ? -1 : record_at(list, owner->is.process, at);
	moved = process < 0 ? 0 : items[list->order.items[process]].moved;
	if (moved && items[moved - 1].is.at > owner->is.at)
		owner->is.cgroup = items[moved - 1].is.cgroup;
	return true;
}

const struct kp_str *kp_identities_cgroup(const struct kp_identities *list, uint32_t id)
{
	uint32_t index;

	return kp_map_get(&list->by_cgroup, id, &index) ? list->cgroups.items[index] : NULL;
}

void kp_identities_free(struct kp_identities *list)
{
	kp_map_free(&list->last);
	kp_map_free(&list->by_cgroup);
	free(list->records.items);
	free(list->cgroups.items);
	free(list->order.items);
	memset(list, 0, sizeof(*list));
}
