/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracks of a Perfetto trace, for each CPU, each thread, and each lock or RPC that lasts; each
 * track begins when something is first put on it. Also the present names of threads. The writers of
 * slices must check end, because slices on a track must nest.
 *
 * Spans that are not execution are written here: wakeups, IPIs and RPCs as flows; marks, samples
 * and packets as instants; held locks and other intervals as slices; frequencies and idle states.
 * They must not repeat what thread states show.
 */
#ifndef KP_EXPORT_PERFETTO_TRACKS_H
#define KP_EXPORT_PERFETTO_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "export/perfetto_out.h"
#include "export/source.h"
#include "model/names.h"
#include "model/span.h"

#define KP_PF_NO_PID	(-1)
#define KP_PF_PAUSED	0x400001	/* + CPU: pid of no task; the running one is unknown */
#define KP_PF_PAUSED_LAST	(KP_PF_PAUSED + 0xFFFF)

/*
 * Numbers of tracks: KP_PF_CPU + n for CPU n, and so on. KP_PF_OTHER + n: in the order of first
 * use.
 */
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
	int64_t pid;		/* thread that runs or ran last; or KP_PF_NO_PID */
	int64_t end;		/* end of the last span on its track */
	int32_t ipc;
	bool has_ipc_track;
};

/* Something that lasts, such as a held lock or an RPC. */
struct kp_pf_other {
	uint64_t track;
	int64_t end;
};

struct kp_pf_tracks {
	struct kp_pf_out *out;
	struct kp_tasks *tasks;
	struct kp_pf_cpu cpus[KP_PF_CPUS];
	struct kp_lives lives;			/* as of the rows of the group */
	struct kp_map thread_index;		/* kp_life_key() -> index in threads */
	KP_VECTOR(struct kp_pf_thread) threads;
	struct kp_map other_index;
	KP_VECTOR(struct kp_pf_other) others;
	uint64_t track_count;			/* number of tracks from KP_PF_OTHER on */
	struct kp_map stated;			/* pid -> whether Perfetto has a state of it */
	KP_VECTOR(uint32_t) seen;		/* the pids in stated */
	bool no_memory;				/* stays set; the caller checks it */
};

/* @out and @tasks must stay valid until the end. */
void kp_pf_tracks_init(struct kp_pf_tracks *tracks, struct kp_pf_out *out, struct kp_tasks *tasks);
void kp_pf_tracks_free(struct kp_pf_tracks *tracks);

/* Returns NULL for a number that no CPU can have. */
struct kp_pf_cpu *kp_pf_cpu(struct kp_pf_tracks *tracks, int64_t number);
/* Returns the thread that has @pid now, valid until the next call; NULL without memory. */
struct kp_pf_thread *kp_pf_thread(struct kp_pf_tracks *tracks, int64_t pid);

const char *kp_pf_task_name(struct kp_pf_tracks *tracks, int64_t pid);
/*
 * Names the span's pid by a span of user code, "work.51" or "work.51?". Writes a new name also to
 * the trace.
 */
void kp_pf_take_name(struct kp_pf_tracks *tracks, const struct kp_span *span);

/* Gives @pid, which belongs to another thread now, the name of the thread that made it. */
void kp_pf_name_child(struct kp_pf_tracks *tracks, int64_t pid, const char *parent);

/* Stores whether Perfetto shows a state of @pid. Ignores the idle task and -pause-. */
void kp_pf_state(struct kp_pf_tracks *tracks, int64_t pid, bool has);
/* Returns a pid of which Perfetto shows a state, and removes its state; 0: none is left. */
uint32_t kp_pf_take_state(struct kp_pf_tracks *tracks);

static inline bool kp_pf_is_pause(int64_t pid)
{
	return pid >= KP_PF_PAUSED && pid <= KP_PF_PAUSED_LAST;
}

static inline struct kp_pf_name kp_pf_span_name(const struct kp_span *span)
{
	return (struct kp_pf_name){ span->name, span->name_len };
}

struct kp_rpc_flow {
	uint64_t flow;		/* 0: none yet */
	bool answered;		/* a request with this number is another RPC */
};

/* All zero before the first span. */
struct kp_rpc_flows {
	struct kp_map index;	/* RPC number -> index in list */
	KP_VECTOR(struct kp_rpc_flow) list;
};

void kp_rpc_flows_free(struct kp_rpc_flows *rpcs);

/* Zeroed, except tracks. */
struct kp_pf_points {
	struct kp_pf_tracks *tracks;
	uint64_t flows;		/* last flow number in use */
	struct kp_rpc_flows rpcs;
};

/*
 * Writes the next span in time order. @group: the @count spans with the same start, including it.
 */
void kp_pf_point(struct kp_pf_points *points, const struct kp_span *span, const struct kp_span *group, size_t count);

#endif
