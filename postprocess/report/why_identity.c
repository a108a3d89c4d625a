// SPDX-License-Identifier: BSD-3-Clause
/* Prints which owner of its pid a thread is: its birth, parent, programs, cgroups and end. */

#include "base/terminal.h"
#include "common/report.h"
#include "kutrace_task.h"
#include "report/why_words.h"

/* Maximum number of records of a thread in JSON. */
#define HISTORY_MAX	32

/* Returns the records of the thread, as of its last run. Returns false if there are none. */
static bool owner_of(struct kp_why *why, size_t index, struct kp_owner *owner)
{
	const struct kp_why_pid *pid = &why->pids.items[index];

	return pid->pid > 0 && pid->runs.count &&
	       kp_identities_at(&why->identities, pid->pid, pid->runs.items[pid->runs.count - 1].end, owner);
}

static const struct kp_identity *record(const struct kp_why *why, size_t place)
{
	return &why->identities.records.items[why->identities.order.items[place]].is;
}

static void text_name(const struct kp_str *text, FILE *out)
{
	kp_print_name(out, text->text, text->len);
}

static void text_cgroup(const struct kp_why *why, uint32_t id, FILE *out)
{
	const struct kp_str *name = kp_identities_cgroup(&why->identities, id);

	fputs("cgroup ", out);
	if (name)
		text_name(name, out);
	else
		fprintf(out, "id %" PRIu32, id);
}

static void text_record(const struct kp_why *why, const struct kp_identity *is, FILE *out)
{
	ku_print_seconds(out, is->at);
	switch (is->reason) {
	case KUTRACE_TASK_PRESENT:
		fputs(" existed", out);
		break;
	case KUTRACE_TASK_PROCESS:
	case KUTRACE_TASK_THREAD:
		fprintf(out, " began, as a %s", is->reason == KUTRACE_TASK_PROCESS ? "process" : "thread");
		break;
	case KUTRACE_TASK_EXEC:
		fputs(" executed a program", out);
		break;
	default:
		fputs(" moved to ", out);
		text_cgroup(why, is->cgroup, out);
		putc('\n', out);
		return;
	}
	if (is->program) {
		fputs(is->reason == KUTRACE_TASK_EXEC ? ": " : ", program ", out);
		text_name(is->program, out);
	}
	if (is->before && is->reason == KUTRACE_TASK_EXEC)
		fprintf(out, ", until then as thread %" PRIu32, is->before);
	putc('\n', out);
}

void kp_why_identity_text(struct kp_why *why, size_t index, size_t top, FILE *out)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct kp_owner owner;
	size_t left;

	if (!owner_of(why, index, &owner))
		return;
	text_name(pid->name, out);
	if (owner.is.process != pid->pid)
		fprintf(out, ": thread of process %" PRIu32, owner.is.process);
	else
		fputs(": process", out);
	if (owner.is.parent)
		fprintf(out, ", parent %" PRIu32, owner.is.parent);
	if (owner.is.level)
		fprintf(out, ", pid %" PRIu32 " in its own namespace", owner.is.own);
	if (owner.is.cgroup) {
		fputs(", ", out);
		text_cgroup(why, owner.is.cgroup, out);
	}
	putc('\n', out);
	left = owner.last - owner.first + 1 > top ? owner.last - owner.first + 1 - top : 0;
	if (left)
		fprintf(out, "left out: %zu earlier records\n", left);
	for (size_t i = owner.first + left; i <= owner.last; i++)
		text_record(why, record(why, i), out);
	if (pid->ended) {
		ku_print_seconds(out, pid->ended);
		fputs(" ended\n", out);
	}
}

static void json_cgroup(struct ku_report *r, const struct kp_why *why, uint32_t id)
{
	const struct kp_str *name = id ? kp_identities_cgroup(&why->identities, id) : NULL;

	if (id)
		ku_report_unsigned(r, "cgroup_id", id);
	if (name)
		ku_report_text(r, "cgroup", name->text, name->len);
}

static void json_record(struct ku_report *r, const struct kp_why *why, const struct kp_identity *is)
{
	ku_report_object(r, NULL);
	ku_report_seconds(r, "at", is->at);
	ku_report_string(r, "what", kp_identity_word(is->reason));
	if (is->program)
		ku_report_text(r, "program", is->program->text, is->program->len);
	json_cgroup(r, why, is->cgroup);
	if (is->before)
		ku_report_unsigned(r, "before", is->before);
	ku_report_close(r);
}

void kp_why_identity_json(struct ku_report *r, struct kp_why *why, size_t index)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct kp_owner owner;
	size_t left;

	if (!owner_of(why, index, &owner))
		return;
	ku_report_object(r, "identity");
	ku_report_unsigned(r, "process", owner.is.process);
	if (owner.is.parent)
		ku_report_unsigned(r, "parent", owner.is.parent);
	if (owner.is.level) {
		ku_report_unsigned(r, "ns_pid", owner.is.own);
		ku_report_unsigned(r, "ns_level", owner.is.level);
	}
	json_cgroup(r, why, owner.is.cgroup);
	ku_report_unsigned(r, "boot_ns", owner.is.start);
	if (owner.born)
		ku_report_seconds(r, "born", record(why, owner.first)->at);
	if (pid->ended)
		ku_report_seconds(r, "ended", pid->ended);
	/* damaged traces may repeat a start, so that several threads have the same records */
	left = owner.last - owner.first + 1 > HISTORY_MAX ? owner.last - owner.first + 1 - HISTORY_MAX : 0;
	if (left)
		ku_report_unsigned(r, "left_out", left);
	ku_report_list(r, "history");
	for (size_t i = owner.first + left; i <= owner.last; i++)
		json_record(r, why, record(why, i));
	ku_report_close(r);
	ku_report_close(r);
}
