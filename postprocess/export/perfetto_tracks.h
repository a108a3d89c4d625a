/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which tracks a Perfetto trace has: of each CPU, each thread, each lock or RPC that lasts, begun when
 * something is first put on it; and what threads are called by now. Knows nothing of what is put there, but
 * that slices must nest: who puts some looks at `end`. Called by export/perfetto.c and perfetto_point.c.
 */
#ifndef KP_EXPORT_PERFETTO_TRACKS_H
#define KP_EXPORT_PERFETTO_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "export/calls.h"
#include "export/perfetto_out.h"
#include "export/tasks.h"
#include "model/lives.h"
#include "model/span.h"

#define KP_PF_NOBODY	(-1)
#define KP_PF_PAUSED	0x400001	/* + CPU: no task has this pid; its task is unknown */
#define KP_PF_PAUSED_LAST	(KP_PF_PAUSED + 0xFFFF)

/* Numbers of tracks: of CPU n KP_PF_CPU + n, and so on; KP_PF_OTHER + n as they come. */
enum {
	KP_PF_FACTS = 1, KP_PF_WAITING = 2, KP_PF_KERNEL = 3, KP_PF_CPU = 0x100, KP_PF_IPC = 0x200,
	KP_PF_OTHER = 0x300,
};

struct kp_pf_thread {
	uint32_t pid;
	uint64_t track, process_track;
	struct kp_calls calls;
};

struct kp_pf_cpu {
	bool seen, idling;
	int64_t pid;		/* who runs, or ran last; KP_PF_NOBODY */
	int64_t end;		/* of the last span on its track */
	int32_t ipc;
	bool has_ipc_track;
};

/* Something that lasts: a lock that is held, an RPC. */
struct kp_pf_other {
	uint64_t track;
	int64_t end;
};

struct kp_pf_tracks {
	struct kp_pf_out *out;
	struct kp_tasks *tasks;
	struct kp_pf_cpu cpus[KP_PF_CPUS];
	struct kp_lives lives;			/* as of the rows of the group */
	struct kp_map thread_places;		/* kp_life_key() to the place in threads */
	KP_VECTOR(struct kp_pf_thread) threads;
	struct kp_map other_places;
	KP_VECTOR(struct kp_pf_other) others;
	uint64_t given;				/* from KP_PF_OTHER on */
	struct kp_map stated;			/* pid to 1: Perfetto has a state of it, 0: it has none */
	KP_VECTOR(uint32_t) seen;		/* the pids of stated */
	bool no_memory;				/* sticks: the caller looks at it */
};

/* out and tasks stay until the end. */
void kp_pf_tracks_init(struct kp_pf_tracks *tracks, struct kp_pf_out *out, struct kp_tasks *tasks);
void kp_pf_tracks_free(struct kp_pf_tracks *tracks);

/* NULL for a number that no CPU can have. */
struct kp_pf_cpu *kp_pf_cpu(struct kp_pf_tracks *tracks, int64_t number);
/* Returns the thread that has pid now, valid until the next call. NULL without memory. */
struct kp_pf_thread *kp_pf_thread(struct kp_pf_tracks *tracks, int64_t pid);
/* That of the span's kind, thread and number. NULL without memory. Valid until the next call. */
struct kp_pf_other *kp_pf_other(struct kp_pf_tracks *tracks, const struct kp_span *span);
/* Where an instant of the span's thread goes: the idle task has a track a CPU. */
uint64_t kp_pf_track_of(struct kp_pf_tracks *tracks, const struct kp_span *span);

const char *kp_pf_task_name(struct kp_pf_tracks *tracks, int64_t pid);
/* A span of user code, "work.51" or "work.51?", names pid 51 from now on; another name is written, too. */
void kp_pf_take_name(struct kp_pf_tracks *tracks, const struct kp_span *span);

/* Gives pid, which another thread has now, the name of the thread that made it. */
void kp_pf_name_child(struct kp_pf_tracks *tracks, int64_t pid, const char *parent);

/* Notes whether Perfetto shows a state of pid from now on. Ignores the idle task and -pause-. */
void kp_pf_state(struct kp_pf_tracks *tracks, int64_t pid, bool has);
/* Returns a pid of which Perfetto has a state, and forgets its state; 0: none is left. */
uint32_t kp_pf_take_state(struct kp_pf_tracks *tracks);

static inline bool kp_pf_is_pause(int64_t pid)
{
	return pid >= KP_PF_PAUSED && pid <= KP_PF_PAUSED_LAST;
}

static inline struct kp_pf_name kp_pf_span_name(const struct kp_span *span)
{
	return (struct kp_pf_name){ span->name, span->name_len };
}

#endif
