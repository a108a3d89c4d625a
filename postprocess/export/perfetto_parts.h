/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the export to Perfetto: packets, tracks, and spans that are not execution. */
#ifndef KP_EXPORT_PERFETTO_PARTS_H
#define KP_EXPORT_PERFETTO_PARTS_H

#include "export/source.h"
#include "model/identity.h"
#include "model/names.h"

/*
 * ---- perfetto_out.c: packets, as protobuf on a stream ----
 *
 * Writes tracks, slices, instants, counters, flows and scheduler events. Must not depend on spans.
 * Times are in ns since the start minute of the trace; kp_pf_clocks() writes the UTC time of the
 * start minute. After an error, out->failed is set and stays set; the caller checks it.
 */

#define KP_PF_CPUS		256
#define KP_PF_TEXT_MAX		1024u	/* maximum bytes of a name; longer names are cut off */
#define KP_PF_PACKET_MAX	8192u
#define KP_PF_BUNDLE_BYTES	4096u
#define KP_PF_IDLE_END		0xFFFFFFFFu	/* value of an idle event at which the CPU leaves idle */

struct kp_pf_bundle {
	uint32_t used;
	uint8_t bytes[KP_PF_BUNDLE_BYTES];
};

/* The output. Zeroed at first, except file. */
struct kp_pf_out {
	FILE *file;
	bool failed;		/* the stream has an error, or there was no memory */
	bool begun;		/* the first packet of this exporter's sequence is written */
	uint64_t packets;
	uint32_t names;		/* number of interned names */
	struct kp_map name_ids;	/* address and length of a text -> its id */
	/* scheduler events of each CPU; NULL: none yet */
	struct kp_pf_bundle *bundles[KP_PF_CPUS];
	uint32_t used;
	uint8_t buffer[1 << 16];
};

/*
 * A text, valid until the output is closed. The first packet with the text contains it, later
 * packets only its id.
 */
struct kp_pf_name {
	const char *text;
	size_t len;
};

/* Optional data of a slice or an instant. Zeroed means none. */
struct kp_pf_extra {
	bool has_arg0, has_ret, inferred;
	uint64_t arg0;
	int64_t ret;
	uint64_t flow;		/* number of a flow that begins or ends at the slice; 0: no flow */
	bool flow_ends;		/* the flow ends at the slice */
};

/* Writes the buffered packets. Returns 0, or -1 after an error of the stream or of memory. */
int kp_pf_flush(struct kp_pf_out *out);
void kp_pf_close(struct kp_pf_out *out);

/* Writes the machine. A text is "" if it is unknown. @offset_s: local time minus UTC. */
void kp_pf_system(struct kp_pf_out *out, const char *release, const char *version,
		  const char *machine, int64_t offset_s);
/* Writes the clocks: @time_ns of the trace is @utc_ns since 1970. */
void kp_pf_clocks(struct kp_pf_out *out, int64_t time_ns, int64_t utc_ns);

/* ---- tracks; each has its own number above 0 ---- */

/* Writes a track. @parent: 0 means no parent. @counter: the track shows values, not spans. */
void kp_pf_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name,
		 bool counter);
/*
 * Writes the track of a process. A further call changes the name of the process, but has no effect
 * after kp_pf_rename().
 */
void kp_pf_process_track(struct kp_pf_out *out, uint64_t track, uint32_t pid, const char *name);
/*
 * Writes the track of a thread of @process. The track gets no name, because Perfetto would show this
 * name instead of the last name in context switches.
 */
void kp_pf_thread_track(struct kp_pf_out *out, uint64_t track, uint32_t process, uint32_t pid);

/* Begin and end a slice. Slices nest: the slice of a track that begins last must end first. */
void kp_pf_begin(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		 struct kp_pf_name name, const struct kp_pf_extra *more);
void kp_pf_end(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
	       const struct kp_pf_extra *more);
void kp_pf_instant(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		   struct kp_pf_name name, const struct kp_pf_extra *more);
void kp_pf_counter(struct kp_pf_out *out, uint64_t track, int64_t time_ns, int64_t value);

/* Writes an instant with key and value of each fact, as far as they fit into a packet. */
void kp_pf_facts(struct kp_pf_out *out, uint64_t track, int64_t time_ns, const char *name,
		 const struct kp_header *facts);
/* Writes each fact as metadata of the trace ("trace_attribute.KEY"), and the losses as numbers. */
void kp_pf_metadata(struct kp_pf_out *out, uint64_t lost, uint64_t damaged,
		    const struct kp_header *facts);

/* ---- ftrace events; the events of a CPU must come in time order ---- */

/* A task in an event. @priority: in the kernel's numbers, see kp_kernel_priority(). */
struct kp_pf_task {
	uint32_t pid;
	int32_t priority;
	const char *name;
};

struct kp_pf_switch {
	int64_t time_ns;
	uint32_t cpu;
	struct kp_pf_task prev, next;
	int64_t prev_state;	/* 0 runnable, 1 sleeping, 2 sleeping without signals, 16 dead */
};

void kp_pf_switch(struct kp_pf_out *out, const struct kp_pf_switch *s);
/*
 * Place and running thread of an event. A reader takes @runs for the thread that ran on the CPU at
 * the event, so it must agree with the last context switch.
 */
struct kp_pf_at {
	int64_t time_ns;
	uint32_t cpu, runs;
};

/* Writes that @pid has a new name. */
void kp_pf_rename(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t pid, const char *before,
		  const char *now);
/*
 * Writes that @parent, on @cpu, creates task @pid with this name. @thread: the task is a thread of
 * the parent's process; otherwise it is a process.
 */
void kp_pf_new_task(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t parent,
		    uint32_t pid, const char *name, bool thread);
/* Write that a task of @process exits, and that it has left its CPU for the last time. */
void kp_pf_exit(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t process,
		const struct kp_pf_task *task);
void kp_pf_free(struct kp_pf_out *out, const struct kp_pf_at *at, const struct kp_pf_task *task);
/* Writes that @pid, on @cpu, wakes @woken, which will run on @target. */
void kp_pf_waking(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  const struct kp_pf_task *woken, int32_t target);
void kp_pf_frequency(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t khz);
void kp_pf_idle(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t state);

/*
 * ---- perfetto_tracks.c: tracks for each CPU, each thread, and each lock or RPC that lasts ----
 *
 * A track is written before its first event. This file also stores the current names of threads.
 * Slices on a track must nest, so writers of slices must compare the start with end.
 *
 * kp_pf_point() writes all spans that are not execution: wakeups, IPIs and RPCs as flows; marks,
 * samples and packets as instants; held locks and other intervals as slices; frequencies and idle
 * states. It omits waits, because thread states show them.
 */

#define KP_PF_NO_PID	(-1)
#define KP_PF_PAUSED_LAST	(KP_PAUSE_PID + 0xFFFF)

/*
 * Numbers of tracks: KP_PF_CPU + n and KP_PF_IPC + n for CPU n, and KP_PF_OTHER + n for other
 * tracks in the order of first use.
 */
enum {
	KP_PF_FACTS = 1, KP_PF_WAITING = 2, KP_PF_KERNEL = 3, KP_PF_CPU = 0x100, KP_PF_IPC = 0x200,
	KP_PF_OTHER = 0x300,
};

struct kp_pf_thread {
	uint64_t track;
	struct kp_calls calls;
};

struct kp_pf_cpu {
	bool seen, idling;
	int64_t pid;		/* pid of the last thread on the CPU, or KP_PF_NO_PID */
	int64_t end;		/* end of the last span on the CPU's track */
	int64_t resumes;	/* end of the last pause */
	int32_t ipc;
	bool has_ipc_track;
};

/* A lasting object with its own track, such as a held lock or an RPC. */
struct kp_pf_other {
	uint64_t track;
	int64_t end;
};

struct kp_pf_tracks {
	struct kp_pf_out *out;
	struct kp_tasks *tasks;
	struct kp_pf_cpu cpus[KP_PF_CPUS];
	struct kp_lives lives;			/* lives of pids up to the current group */
	struct kp_map thread_index;		/* kp_life_key() -> index in threads */
	KP_VECTOR(struct kp_pf_thread) threads;
	struct kp_map process_index;		/* kp_life_key() of a process -> its track - KP_PF_OTHER */
	struct kp_map identity_index;		/* pid -> index in identities */
	KP_VECTOR(struct kp_identity) identities;	/* of the present owner of each pid; reason 0: unknown */
	struct kp_identities cgroups;		/* only the names of cgroups */
	struct kp_strings strings;		/* texts of identities */
	struct kp_map other_index;
	KP_VECTOR(struct kp_pf_other) others;
	uint64_t track_count;			/* number of tracks from KP_PF_OTHER on */
	/* pid -> whether Perfetto has a state of that pid */
	struct kp_map stated;
	KP_VECTOR(uint32_t) seen;		/* the pids in stated */
};

/* Prepares @tracks. @out and @tasks must stay valid. Sets out->failed without memory. */
void kp_pf_tracks_init(struct kp_pf_tracks *tracks, struct kp_pf_out *out, struct kp_tasks *tasks);
void kp_pf_tracks_free(struct kp_pf_tracks *tracks);

/* Returns the CPU; NULL for a number below 0 or from KP_PF_CPUS on. */
struct kp_pf_cpu *kp_pf_cpu(struct kp_pf_tracks *tracks, int64_t number);
/* Returns the place of an event of CPU @number at @time, in units of 10 ns. */
struct kp_pf_at kp_pf_at(const struct kp_pf_tracks *tracks, int64_t number, int64_t time);
/* Returns the thread that has @pid now, valid until the next call; NULL without memory. */
struct kp_pf_thread *kp_pf_thread(struct kp_pf_tracks *tracks, int64_t pid);

/*
 * Takes the identity or the priority of a task, or the name of a cgroup, from its row. Ignores other
 * rows. A thread with a track gets an instant on it with the identity; another thread gets the last
 * one with its track. A row must be taken before the first other row with the same start.
 */
void kp_pf_take_about(struct kp_pf_tracks *tracks, const struct kp_span *row);
/* Forgets the identity of @pid, which exits. A later owner of the pid does not get its priority. */
void kp_pf_forget_identity(struct kp_pf_tracks *tracks, int64_t pid);
/* Returns the process of thread @pid; @pid if it is unknown. */
uint32_t kp_pf_process(const struct kp_pf_tracks *tracks, int64_t pid);

const char *kp_pf_task_name(struct kp_pf_tracks *tracks, int64_t pid);
/* Returns the task that has @pid now. Its name is valid until the list of tasks changes. */
struct kp_pf_task kp_pf_task(struct kp_pf_tracks *tracks, int64_t pid);
/*
 * Takes the name of the span's thread from the span's name, such as "work.51" or "work.51?", if the
 * name has changed.
 */
void kp_pf_take_name(struct kp_pf_tracks *tracks, const struct kp_span *span);

/*
 * Gives @pid, which a new thread has now, the name of the thread that created it. Without a recorded
 * priority, the thread gets the usual one.
 */
void kp_pf_name_child(struct kp_pf_tracks *tracks, int64_t pid, const char *parent);

/* Stores whether Perfetto shows a state of @pid. Ignores the idle task and -pause-. */
void kp_pf_state(struct kp_pf_tracks *tracks, int64_t pid, bool has);
/*
 * Returns the next pid whose state Perfetto shows. After the last pid, returns 0 and forgets all
 * pids.
 */
uint32_t kp_pf_take_state(struct kp_pf_tracks *tracks);

static inline bool kp_pf_is_pause(int64_t pid)
{
	return pid >= KP_PAUSE_PID && pid <= KP_PF_PAUSED_LAST;
}

static inline struct kp_pf_name kp_pf_span_name(const struct kp_span *span)
{
	return (struct kp_pf_name){ span->name, span->name_len };
}

struct kp_rpc_flow {
	uint64_t flow;		/* number of the flow; 0: none yet */
	/* the response was seen: the next request with this number begins another RPC */
	bool answered;
};

/* Flows of RPCs. All zero before the first span. */
struct kp_rpc_flows {
	struct kp_map index;	/* RPC number -> index in list */
	KP_VECTOR(struct kp_rpc_flow) list;
};

void kp_rpc_flows_free(struct kp_rpc_flows *rpcs);

/* Writes spans that are not execution. Zeroed at first, except tracks. */
struct kp_pf_points {
	struct kp_pf_tracks *tracks;
	uint64_t flows;		/* last flow number in use */
	struct kp_rpc_flows rpcs;
};

/* Writes @span; spans must come in time order. @group: all @count spans with the same start. */
void kp_pf_point(struct kp_pf_points *points, const struct kp_span *span,
		 const struct kp_span *group, size_t count);

#endif
