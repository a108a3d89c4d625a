/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the import of a Perfetto trace (interop/perfetto_import.h). protobuf-c unpacks the
 * packets, which interop/perfetto.proto defines.
 */
#ifndef KP_INTEROP_PERFETTO_H
#define KP_INTEROP_PERFETTO_H

#include <stdio.h>

#include "import/linux.h"
#include "model/names.h"
#include "perfetto.pb-c.h"

/*
 * ---- perfetto_file.c: the packets of a trace, in file order or one at a time ----
 *
 * A packet can contain other packets, compressed with zlib. The memory for a packet depends on its
 * size in the file, not on the lengths that its fields claim.
 */

/* Position of a packet in the trace, or in the temporary file of decompressed packets. */
struct kp_pf_place {
	uint64_t offset;
	uint32_t bytes;
	bool unpacked;
};

/* Memory of an unpacked packet and its messages. The next packet reuses it. Zeroed at first. */
struct kp_pf_memory {
	uint8_t *bytes;
	size_t size, used;
};

struct kp_pf_file {
	FILE *file, *unpacked;	/* unpacked is NULL if no packet was compressed */
	uint64_t bytes;		/* size of the trace */
	uint64_t unpacked_bytes;
	/* number of packets read so far, except packets that contain compressed ones */
	uint64_t packets;
	KP_VECTOR(uint8_t) room;	/* read-ahead buffer */
	size_t room_len;
	uint64_t room_from;
	struct kp_pf_memory memory;	/* memory of the packet that take() gets */
	char message[300];
};

/* Opens a trace. @trace must be seekable; kp_pf_file_close() closes it. Returns 0, or -1 with file->message. */
int kp_pf_file_open(struct kp_pf_file *file, FILE *trace);

/*
 * Calls @take for each packet. If @take returns nonzero, ends and returns that value. Otherwise
 * returns 0, or -1 with file->message.
 */
int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, const Pf__TracePacket *packet),
		       void *self);

/* Reads a packet again, into @memory. On failure, returns NULL with file->message. */
const Pf__TracePacket *kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place,
				       struct kp_pf_memory *memory);

/* Unpacks @bytes, a message in a packet. On failure, returns NULL with file->message. */
void *kp_pf_unpack(struct kp_pf_file *file, const struct kp_pf_place *place, struct kp_pf_memory *memory,
		   const ProtobufCMessageDescriptor *what, const ProtobufCBinaryData *bytes);

/* Writes the message "the packet at @place has @what" to file->message. Returns -1. */
int kp_pf_damaged(struct kp_pf_file *file, const struct kp_pf_place *place, const char *what);

void kp_pf_file_close(struct kp_pf_file *file);

/* ---- perfetto_facts.c: machine, clocks, names of threads, losses ---- */

#define KP_PF_CLOCKS	8	/* number of Perfetto's ids of Linux's clocks, including 0 */
#define KP_PF_FTRACE	(UINT64_C(1) << 32)	/* + ftrace_clock: number of a clock of ftrace */

/* A clock pair: a time of a clock and the boot time at the same time. */
struct kp_pf_clock_pair {
	uint64_t clock;		/* id in snapshots of clocks, or KP_PF_FTRACE + ftrace_clock */
	int64_t clock_ns, boot_ns;
};

/* Lost events that ftrace counted for a CPU at the start and at the end of the trace. */
struct kp_pf_cpu_lost {
	bool has_start;
	uint64_t start, end;
};

struct kp_pf_facts {
	char release[96], version[96], machine[32], cpu_model[96], trace_id[40];
	bool has_clocks;
	/* times of UTC and boot time in the first snapshot with UTC; boot_ns 0: it has no boot time */
	int64_t utc_ns, boot_ns;
	KP_VECTOR(struct kp_pf_clock_pair) pairs;
	struct kp_names threads;
	struct kp_pf_cpu_lost lost[KP_FEED_CPUS];
	bool packets_lost;
	bool ours;			/* rawtoperfetto wrote the trace */
	struct kp_pause partial;	/* fact "partial" of our trace, in 10 ns units; on 0: none */
	struct kp_map sequences;	/* ids of sequences of which a packet was read */
};

/* Stores the facts that @packet contains. Returns 0, or -1 without memory. */
int kp_pf_facts_packet(struct kp_pf_facts *facts, const Pf__TracePacket *packet);

/* Stores a clock pair. Returns 0, or -1 without memory. */
int kp_pf_facts_pair(struct kp_pf_facts *facts, const struct kp_pf_clock_pair *pair);
/* Sorts the clock pairs, after the last packet and before kp_pf_facts_boot(). */
void kp_pf_facts_sort(struct kp_pf_facts *facts);

/* Returns UTC minus boot time in ns, or 0 if the difference is not known. */
int64_t kp_pf_facts_utc(const struct kp_pf_facts *facts);
/*
 * Converts @ns of clock @clock to boot time, by the last pair of the clock before @ns, otherwise
 * by its first one. Returns @ns if the trace has no pair of this clock.
 */
int64_t kp_pf_facts_boot(const struct kp_pf_facts *facts, uint64_t clock, int64_t ns);

/* Returns the number of events that ftrace lost between the start and the end of the trace. */
uint64_t kp_pf_facts_lost(const struct kp_pf_facts *facts);
void kp_pf_facts_free(struct kp_pf_facts *facts);

/*
 * ---- perfetto_ftrace.c: passes Perfetto's messages of Linux's tracepoints to import/linux.h ----
 *
 * A bundle has ftrace events of one CPU: events as messages, and possibly context switches and
 * wakeups as arrays (compact_sched).
 */

enum {
	KP_PF_SWITCH = PF__FTRACE_EVENT__EVENT_SCHED_SWITCH,
	KP_PF_WAKING = PF__FTRACE_EVENT__EVENT_SCHED_WAKING,
};

struct kp_pf_event {
	uint64_t time;		/* time by the bundle's clock */
	uint32_t order;		/* position in the bundle, which orders events with the same time */
	uint32_t what;		/* kind of the event: event_case of its message */
	/* message of the event; NULL: the event is from compact_sched */
	const Pf__FtraceEvent *message;
	/* members of a switch or waking: */
	int64_t task;		/* task that runs next or is woken */
	int64_t state;		/* switch: state of the task that leaves the CPU */
	ProtobufCBinaryData comm;	/* name of task */
};

struct kp_pf_events {
	struct kp_pf_event *items;
	size_t count, cap;
};

/*
 * The pauses of a trace of rawtoperfetto. On each CPU, the thread -pause- runs from OFF to ON. At
 * OFF, some switches between -pause- and other threads end the states of these threads.
 */
struct kp_pf_pauses {
	bool ours;		/* rawtoperfetto wrote the trace; otherwise a thread -pause- is a thread */
	bool surveyed;		/* the list is complete, because the first pass has ended */
	int64_t off_ns[KP_FEED_CPUS];	/* start of the CPU's current pause; 0: none */
	KP_VECTOR(struct kp_pause) list;	/* times in ns, in order of time, without overlaps */
	size_t next;		/* index of the current or the next pause */
};

/* Lists the events of @bundle in time order. Returns 0, -1 (damaged) or -2 (no memory). */
int kp_pf_events_of(struct kp_pf_events *events, const Pf__FtraceEventBundle *bundle);

struct kp_pf_ftrace {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	enum kp_calls_of calls;		/* table of the numbers of system calls */
	struct kp_pf_pauses pauses;
};

/* Passes @event on. Returns 0, -1 without memory, or the result of the sink. */
int kp_pf_ftrace_event(struct kp_pf_ftrace *to, const struct kp_feed_at *at, const struct kp_pf_event *event);

/*
 * ---- perfetto_generic.c: the scheduling of any kernel (generic_kernel_task_state_event and similar) ----
 *
 * Each packet has one event. The packets are not in time order, so all events are collected and
 * sorted first.
 */

/* The event of one packet: the new state or name of a task, or the frequency of a CPU. */
struct kp_pf_state {
	int64_t time_ns;	/* time of @clock until kp_pf_generic_sort(), then UTC */
	uint32_t clock;
	uint32_t order, cpu;	/* order: position in the trace */
	uint64_t number;	/* task number in the trace, up to 63 bits */
	uint32_t tid;		/* task number in the output, set by kp_pf_generic_sort() */
	uint32_t what;		/* kind of the event: data_case of its packet */
	uint64_t value;		/* state or frequency */
	const struct kp_str *name;	/* name of the task; NULL: none */
};

struct kp_pf_generic {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	const struct kp_pf_facts *facts;
	KP_VECTOR(struct kp_pf_state) states;
	struct kp_strings texts;
	struct kp_map substitutes;		/* task number above 31 bits -> its tid */
	size_t next;				/* index of the next state to pass on */
	uint32_t runs[KP_FEED_CPUS];		/* running thread of each CPU; 0: none */
	uint32_t left[KP_FEED_CPUS];		/* CPUs that became free at left_ns */
	size_t left_count;
	int64_t left_ns;
};

/* Stores the event of @packet, if the packet has one. Returns 0, or -1 without memory. */
int kp_pf_generic_note(struct kp_pf_generic *generic, const Pf__TracePacket *packet);
/* Sorts all events by time, and sets the tids. Returns 0, or -1 without memory. */
int kp_pf_generic_sort(struct kp_pf_generic *generic);
/* Begins at the first event again. */
void kp_pf_generic_begin(struct kp_pf_generic *generic);
/*
 * Passes on events up to @time_ns; INT64_MAX: all. Returns 0, -1 without memory, or the result of
 * the sink.
 */
int kp_pf_generic_until(struct kp_pf_generic *generic, int64_t time_ns);
void kp_pf_generic_free(struct kp_pf_generic *generic);

#endif
