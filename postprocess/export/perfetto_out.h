/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the packets of a Perfetto trace, as protobuf on a stream: tracks, slices, instants,
 * counters, flows and scheduler events. Must not depend on where spans come from. Times are in ns
 * since the start minute of the trace, which the packet of clocks ties to UTC. After an error
 * out->failed stays set; the caller checks it.
 */
#ifndef KP_EXPORT_PERFETTO_OUT_H
#define KP_EXPORT_PERFETTO_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

#define KP_PF_CPUS		256
#define KP_PF_TEXT_MAX		1024u	/* longest name in bytes; longer ones are cut off */
#define KP_PF_PACKET_MAX	8192u
#define KP_PF_BUNDLE_BYTES	4096u
#define KP_PF_IDLE_END		0xFFFFFFFFu	/* state of a CPU that leaves idle */

struct kp_pf_bundle {
	uint32_t used;
	uint8_t bytes[KP_PF_BUNDLE_BYTES];
};

struct kp_pf_out {
	FILE *file;
	bool failed;		/* the stream has an error, or no memory */
	bool begun;		/* the first packet of our sequence is written */
	uint64_t packets;
	uint32_t names;		/* number of interned names */
	struct kp_map name_ids;	/* address and length of a text -> its id */
	struct kp_pf_bundle *bundles[KP_PF_CPUS];	/* scheduler events; NULL: none yet */
	uint32_t used;
	uint8_t buffer[1 << 16];
};

/*
 * A text that must stay valid until the output is closed. Its first use writes the text and an id.
 * Later uses write only the id.
 */
struct kp_pf_name {
	const char *text;
	size_t len;
};

/* Further data of a slice or instant. Zeroed: none. */
struct kp_pf_extra {
	bool has_arg0, has_ret, inferred;
	uint64_t arg0;
	int64_t ret;
	uint64_t flow;		/* the slice is one end of this flow; 0: of none */
	bool flow_ends;		/* it is the second end */
};

void kp_pf_open(struct kp_pf_out *out, FILE *file);
/*
 * Writes the buffered packets. Returns 0, or -1 if the stream has an error or there was no memory.
 */
int kp_pf_flush(struct kp_pf_out *out);
void kp_pf_close(struct kp_pf_out *out);

/*
 * Writes the machine: release, version, architecture; "": unknown. @offset_s: local time minus UTC.
 */
void kp_pf_system(struct kp_pf_out *out, const char *release, const char *version,
		  const char *machine, int64_t offset_s);
/* Writes that @time_ns of the trace is @utc_ns since 1970. */
void kp_pf_clocks(struct kp_pf_out *out, int64_t time_ns, int64_t utc_ns);

/* ---- tracks; each has its own number above 0 ---- */

/* @parent 0: none. */
void kp_pf_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name);
void kp_pf_counter_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name);
/* Writes the track of a process. Again, gives it another name, except after kp_pf_rename(). */
void kp_pf_process_track(struct kp_pf_out *out, uint64_t track, uint32_t pid, const char *name);
/*
 * Writes the track of a thread. Its process is unknown, so each thread is a process of its own. It
 * has no name here: Perfetto would prefer this name to those in context switches, of which the last
 * one is right.
 */
void kp_pf_thread_track(struct kp_pf_out *out, uint64_t track, uint32_t pid);

/* On one track, slices must end in the opposite order of their beginnings. */
void kp_pf_begin(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		 struct kp_pf_name name, const struct kp_pf_extra *more);
void kp_pf_end(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
	       const struct kp_pf_extra *more);
void kp_pf_instant(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		   struct kp_pf_name name, const struct kp_pf_extra *more);
void kp_pf_counter(struct kp_pf_out *out, uint64_t track, int64_t time_ns, int64_t value);

/*
 * Writes an instant with @count texts: key and value of each. Omits what does not fit into a
 * packet.
 */
void kp_pf_facts(struct kp_pf_out *out, uint64_t track, int64_t time_ns, const char *name,
		 const char *const (*facts)[2], size_t count);
/*
 * Writes the same texts as metadata of the trace ("trace_attribute.KEY"), and the losses as
 * numbers.
 */
void kp_pf_metadata(struct kp_pf_out *out, uint64_t lost, uint64_t damaged, const char *const (*facts)[2],
		    size_t count);

/* ---- events of Linux's ftrace; on one CPU in time order ---- */

struct kp_pf_switch {
	int64_t time_ns;
	uint32_t cpu, prev_pid, next_pid;
	const char *prev_name, *next_name;
	int64_t prev_state;	/* 0 runnable, 1 sleeping, 2 sleeping without signals, 16 dead */
};

void kp_pf_switch(struct kp_pf_out *out, const struct kp_pf_switch *s);
/* Writes that @pid, on @cpu, has a new name. */
void kp_pf_rename(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  const char *before, const char *now);
/* Writes that @parent, on @cpu, makes thread @pid with this name. */
void kp_pf_new_task(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t parent,
		    uint32_t pid, const char *name);
/*
 * kp_pf_exit() writes that @pid, on @cpu, exits; kp_pf_free() that it has left its CPU for the last
 * time.
 */
void kp_pf_exit(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid, const char *name);
void kp_pf_free(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid, const char *name);
/* Writes that @pid, on @cpu, wakes @woken, which will run on @target. */
void kp_pf_waking(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  uint32_t woken, const char *name, int32_t target);
void kp_pf_frequency(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t khz);
void kp_pf_idle(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t state);

#endif
