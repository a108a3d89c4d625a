/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the events of all streams of a CTF trace in the order of their times, by libbabeltrace2. The trace can
 * be read several times from the beginning. The meaning of events is in other files.
 */
#ifndef KP_INTEROP_CTF_SOURCE_H
#define KP_INTEROP_CTF_SOURCE_H

#include "interop/ctf_class.h"
#include "interop/ctf_files.h"

struct kp_ctf_source {
	struct kp_ctf_files files;
	struct kp_ctf_meta meta;
	const bt_plugin *ctf, *utils;
	bt_value *params;		/* of source.ctf.fs */
	uint64_t mip;			/* version of the graph that the trace needs */
	int log, real_stderr;		/* the library's messages; the program's messages */
	bt_graph *graph;
	int broken;			/* signal that ended a call of the library: no other call may follow */
	bt_message_array_const messages;	/* the library's current batch */
	uint64_t next, count;		/* index of the next message of the batch; number of them */
	bool rewind, ended;
	struct kp_ctf_values all;	/* of the current event */
	/* as far as the trace has been read: */
	KP_VECTOR(const bt_stream *) streams;
	uint64_t events, packets, packets_lost;
	uint64_t lost;			/* events that the tracer reports as discarded */
	uint64_t lost_unknown;		/* reports that give no number of events */
	uint64_t total;			/* events of the whole trace; 0: not known yet */
	char message[600];
};

/* An event. Valid until the next call of kp_ctf_source_next(). */
struct kp_ctf_event {
	int64_t time_ns;	/* UTC */
	uint32_t cpu;
	struct kp_ctf_event_class *class;
	const struct kp_ctf_values *all;
};

/*
 * Opens a trace and reads its metadata. The source closes @files. Returns 0, or -1 with source->message. The
 * caller closes @source in both cases.
 */
int kp_ctf_source_open(struct kp_ctf_source *source, const struct kp_ctf_files *files);

/* Goes to the first event. */
void kp_ctf_source_rewind(struct kp_ctf_source *source);

/* Gets the next event. Returns 1, 0 at the end, or -1 with source->message. */
int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event);

void kp_ctf_source_close(struct kp_ctf_source *source);

#endif
