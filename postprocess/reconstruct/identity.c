// SPDX-License-Identifier: BSD-3-Clause
/* Writes a row for each identity of a task, and for each cgroup of these tasks: model/identity.h. */
#include "model/identity.h"

#include <limits.h>

#include "kutrace_quota.h"
#include "kutrace_task.h"
#include "reconstruct/state.h"

#define PARTS	511	/* more than any path has */

/* Joins the parts of a long name of a cgroup. Returns the length; 0: there are none. */
static size_t joined(const struct kp_reconstruct *rec, uint32_t id, char *text, size_t room)
{
	const struct kp_name *name;
	size_t len = 0;

	for (uint32_t part = 1; part <= PARTS; part++) {
		name = kp_names_get(&rec->names, KUTRACE_NAME_CGROUP, id | KUTRACE_QUOTA_PART(part));
		if (!name || name->len > room - len)
			break;
		memcpy(text + len, name->text, name->len);
		len += name->len;
	}
	return len;
}

/* Writes the name of a cgroup once. */
static void cgroup_row(struct kp_reconstruct *rec, int64_t ts, uint32_t id)
{
	const struct kp_name *name = kp_names_get(&rec->names, KUTRACE_NAME_CGROUP, id);
	const struct kp_span row = {
		.start = ts, .dur = 1, .cpu = -1, .event = KUTRACE_NAME_CGROUP, .arg0 = id,
	};
	char text[PATH_MAX + 64];
	uint32_t unused;
	size_t len;

	if (!id || !name || !name->len || kp_map_get(&rec->cgroups, id, &unused))
		return;
	if (kp_map_set(&rec->cgroups, id, 0)) {
		kp_rec_no_memory(rec);
		return;
	}
	rec->stats.others++;
	len = joined(rec, id, text, sizeof(text));
	kp_rec_row(rec, &row, len ? kp_rec_str(rec, text, len) : kp_rec_str(rec, name->text, name->len));
}

/* Writes the row of an identity. @present: the task exists at @ts; when it began, or what changed, was earlier. */
static void identity_row(struct kp_reconstruct *rec, const struct kp_identity_def *def, int64_t ts, bool present)
{
	const struct kp_name *program = kp_names_get(&rec->names, KUTRACE_NAME_PID, def->pid);
	const struct kp_span row = {
		.start = ts, .dur = 1, .cpu = -1, .pid = def->pid, .event = KUTRACE_NAME_TASK,
	};
	struct kp_identity is;
	size_t at;
	int len;

	if (!kp_identity_parse(&is, def->pid, def->text->text, def->text->len, &at))
		return;
	cgroup_row(rec, ts, is.cgroup);
	len = snprintf(rec->scratch, sizeof(rec->scratch), "%.100s%s%.100s", def->text->text,
		       program ? " =" : "", program ? program->text : "");
	if (present)
		rec->scratch[0] = KUTRACE_TASK_PRESENT;
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_rec_str(rec, rec->scratch, (size_t)len));
}

/*
 * Writes the identities that are older than the first event, at @ts, the time of this event: the last one of each
 * pid. Earlier events can be overwritten, so a row at the time of its identity could be long before all others.
 */
static void first_rows(struct kp_reconstruct *rec, int64_t ts)
{
	const struct kp_identity_def *defs = rec->identities.list.items;
	struct kp_map last = {0};
	uint32_t index;

	for (size_t i = 0; i < rec->identities.list.count; i++)
		if (kp_map_set(&last, defs[i].pid, (uint32_t)i))
			kp_rec_no_memory(rec);
	for (size_t i = 0; i < rec->identities.list.count; i++)
		if (kp_map_get(&last, defs[i].pid, &index) && index == i)
			identity_row(rec, &defs[i], ts, true);
	kp_map_free(&last);
}

void kp_rec_identities(struct kp_reconstruct *rec, int64_t ts)
{
	if (!rec->identities.list.count || rec->identities.ts >= ts || !rec->begun)
		return;
	if (!rec->any && ts < INT64_MAX)
		first_rows(rec, ts);
	for (size_t i = 0; rec->any && i < rec->identities.list.count; i++)
		identity_row(rec, &rec->identities.list.items[i], rec->identities.ts, false);
	rec->identities.list.count = 0;
}

void kp_rec_identity(struct kp_reconstruct *rec, const struct kp_namedef *def)
{
	const struct kp_identity_def new = { def->number, kp_rec_str(rec, def->name, def->name_len) };

	kp_rec_identities(rec, def->ts);
	if (KP_APPEND(&rec->identities.list, new))
		kp_rec_no_memory(rec);
	rec->identities.ts = def->ts;
}

void kp_rec_identities_free(struct kp_reconstruct *rec)
{
	free(rec->identities.list.items);
	kp_map_free(&rec->cgroups);
}
