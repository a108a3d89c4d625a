/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities of tasks: parent, process, cgroup and pid in the task's own namespace, as recorded at
 * its birth, at each exec, and when it moves to another cgroup.
 *
 * A row of the span JSON with event KUTRACE_NAME_TASK has one record: the text of the name in the
 * raw trace (kutrace_task.h), " =", and the task's program at that time. A row with event
 * KUTRACE_NAME_CGROUP has the name of the cgroup with id arg0.
 */
#ifndef KP_MODEL_IDENTITY_H
#define KP_MODEL_IDENTITY_H

#include "base/memory.h"
#include "model/span.h"

struct kp_identity {
	int64_t at;		/* time of the record, in units of 10 ns */
	uint64_t start;		/* start of the task in ns since boot; 0: unknown */
	uint32_t parent, process;	/* pids in the initial namespace; parent 0: unknown */
	uint32_t own, level;	/* pid in the task's own namespace, if level is not 0 */
	uint32_t cgroup;	/* low bits of its id; 0: unknown */
	uint32_t before;	/* pid before exec; 0: the same */
	char reason;		/* KUTRACE_TASK_* */
	const struct kp_str *program;	/* program at that time; NULL: unknown */
};

/*
 * Reads the name of a row of task @pid. Sets all members except at and program. *@program: offset of
 * the program in the name; @len if there is none. Returns false if the text is no identity.
 */
bool kp_identity_parse(struct kp_identity *identity, uint32_t pid, const char *name, size_t len,
		       size_t *program);

/* Returns the word for a record's reason: "present", "fork", "thread", "exec" or "moved". */
const char *kp_identity_word(char reason);

struct kp_identified {
	struct kp_identity is;
	uint32_t pid;
	uint32_t first;		/* index of the first record of this owner of the pid */
	uint32_t moved;		/* index + 1 of the owner's last move with all threads, up to here; 0: none */
};

/* Identities of all tasks. All zeros: none. */
struct kp_identities {
	struct kp_map last;		/* pid -> index of the pid's last record */
	struct kp_map by_cgroup;	/* low bits of a cgroup's id -> index in cgroups */
	KP_VECTOR(struct kp_identified) records;
	KP_VECTOR(const struct kp_str *) cgroups;
	/* indexes of the records by pid, then by time; made when it is first needed */
	KP_VECTOR(uint32_t) order;
};

/* The owner of a pid at a time. */
struct kp_owner {
	struct kp_identity is;	/* last record; its cgroup is right also after a move of the whole process */
	size_t first, last;	/* indexes into order of the owner's records up to that time */
	bool born;		/* its first record is its birth */
};

/* Takes the row of an identity, or of a cgroup. Ignores other rows. Rows must be ordered by time. Returns 0, or -1 without memory. */
int kp_identities_row(struct kp_identities *list, struct kp_strings *strings, const struct kp_span *row);
/* Finds the owner of @pid at time @at. Returns false if there is no record, or no memory. */
bool kp_identities_at(struct kp_identities *list, int64_t pid, int64_t at, struct kp_owner *owner);
/* Returns the name of a cgroup, or NULL. */
const struct kp_str *kp_identities_cgroup(const struct kp_identities *list, uint32_t id);
void kp_identities_free(struct kp_identities *list);

#endif
