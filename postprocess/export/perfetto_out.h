/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a Perfetto trace: tracks, slices, instants, counters, flows, the scheduler's events,
 * as protobuf on a stream. Knows Perfetto's messages, not where spans come from. Times are ns
 * since the start minute of the trace, which the clocks' packet ties to UTC. Errors stick: the
 * caller looks at out->failed. Called by export/perfetto.c.
 */
#ifndef KP_EXPORT_PERFETTO_OUT_H
#define KP_EXPORT_PERFETTO_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"

#define KP_PF_CPUS		256
#define KP_PF_TEXT_MAX		1024u	/* bytes of a name; longer ones are cut */
#define KP_PF_PACKET_MAX	8192u
#define KP_PF_BUNDLE_BYTES	4096u
#define KP_PF_IDLE_END		0xFFFFFFFFu	/* the state of a CPU that leaves idling */

struct kp_pf_bundle {
	uint32_t used;
	uint8_t bytes[KP_PF_BUNDLE_BYTES];
};

struct kp_pf_out {
	FILE *file;
	bool failed;		/* the stream has an error, or no memory */
	bool begun;		/* the first packet of our sequence is out */
	uint64_t packets;
	uint32_t names;		/* numbered so far */
	struct kp_map name_ids;	/* address and length of the text to its number */
	struct kp_pf_bundle *bundles[KP_PF_CPUS];	/* of events of the scheduler; NULL: none yet */
	uint32_t used;
	uint8_t buffer[1 << 16];
};

/* A text that stays where it is until the end: it is written once, and its number from then on. */
struct kp_pf_name {
	const char *text;
	size_t len;
};

/* What is said of a slice or instant besides its name. Zeroed: nothing. */
struct kp_pf_more {
	bool has_arg0, has_ret, inferred;
	uint64_t arg0;
	int64_t ret;
	uint64_t flow;		/* it is one end of that flow; 0: of none */
	bool flow_ends;		/* the far one */
};

void kp_pf_open(struct kp_pf_out *out, FILE *file);
/* Writes what is buffered. 0, or -1: the stream has an error, or no memory. */
int kp_pf_flush(struct kp_pf_out *out);
void kp_pf_close(struct kp_pf_out *out);

/* The machine: release, version and architecture, "" = not known; offset_s: local time ahead of UTC. */
void kp_pf_system(struct kp_pf_out *out, const char *release, const char *version,
		  const char *machine, int64_t offset_s);
/* At that time of the trace, it is utc_ns since 1970. */
void kp_pf_clocks(struct kp_pf_out *out, int64_t time_ns, int64_t utc_ns);

/* ---- tracks; each has a number of its own, above 0 ---- */

/* parent 0: none. */
void kp_pf_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name);
void kp_pf_counter_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name);
/* A process's; said again it has another name, but that of a kp_pf_rename() stays. */
void kp_pf_process_track(struct kp_pf_out *out, uint64_t track, uint32_t pid, const char *name);
/*
 * A thread's own. What process it belongs to is not known: it is its own. It has no name here: to
 * Perfetto that would weigh more than the names in context switches, of which the last one is right.
 */
void kp_pf_thread_track(struct kp_pf_out *out, uint64_t track, uint32_t pid);

/* On one track, slices end in the order opposite to that in which they began. */
void kp_pf_begin(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		 struct kp_pf_name name, const struct kp_pf_more *more);
void kp_pf_end(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
	       const struct kp_pf_more *more);
void kp_pf_instant(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		   struct kp_pf_name name, const struct kp_pf_more *more);
void kp_pf_counter(struct kp_pf_out *out, uint64_t track, int64_t time_ns, int64_t value);

/* An instant with texts: key and value of each, count of them. Cut to what a packet holds. */
void kp_pf_facts(struct kp_pf_out *out, uint64_t track, int64_t time_ns, const char *name,
		 const char *const (*facts)[2], size_t count);
/* The same of the whole trace, as its metadata ("trace_attribute.KEY"), and what it lacks, in numbers. */
void kp_pf_metadata(struct kp_pf_out *out, uint64_t lost, uint64_t damaged, const char *const (*facts)[2],
		    size_t count);

/* ---- what Linux's ftrace would say; of one CPU in order of time ---- */

struct kp_pf_switch {
	int64_t time_ns;
	uint32_t cpu, prev_pid, next_pid;
	const char *prev_name, *next_name;
	int64_t prev_state;	/* 0 runnable, 1 sleeping, 2 in a sleep that signals do not end, 16 dead */
};

void kp_pf_switch(struct kp_pf_out *out, const struct kp_pf_switch *s);
/* pid, on cpu, is called otherwise from now on. */
void kp_pf_rename(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  const char *before, const char *now);
/* Writes that parent, on cpu, makes thread pid with that name. */
void kp_pf_new_task(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t parent,
		    uint32_t pid, const char *name);
/*
 * kp_pf_exit() writes that pid, on cpu, exits; kp_pf_free() that it has left its CPU for
 * the last time.
 */
void kp_pf_exit(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid, const char *name);
void kp_pf_free(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid, const char *name);
/* pid, on cpu, wakes woken, which is to run on target. */
void kp_pf_waking(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  uint32_t woken, const char *name, int32_t target);
void kp_pf_frequency(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t khz);
void kp_pf_idle(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t state);

#endif
