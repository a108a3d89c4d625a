/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CTF trace as events in the order of their times, from all its streams; as often as one likes,
 * from the beginning. Knows packets, not what events mean. Called by import/ctf_import.c.
 */
#ifndef KP_IMPORT_CTF_SOURCE_H
#define KP_IMPORT_CTF_SOURCE_H

#include <stdbool.h>

#include "import/ctf_files.h"
#include "import/ctf_read.h"
#include "import/ctf_type.h"

struct kp_ctf_stream_in;

/* How many events a stream's tracer says it has discarded, by now. */
struct kp_ctf_lost {
	uint64_t key, count;
};

struct kp_ctf_top {
	struct kp_ctf_stream_in *in;
};

struct kp_ctf_source {
	struct kp_ctf_files files;
	struct kp_ctf_meta meta;
	struct kp_ctf_stream_in *streams;
	size_t stream_count;
	struct kp_ctf_top *heap;		/* those that have an event, the earliest first */
	size_t heap_count;
	bool handed_out;			/* the earliest */
	KP_VECTOR(struct kp_ctf_lost) lost;
	uint64_t packets, packets_lost;
	uint64_t bytes, bytes_done;
	char message[600];
};

/* An event: valid until the next. */
struct kp_ctf_event {
	int64_t time_ns;	/* UTC */
	uint32_t cpu;
	struct kp_ctf_event_class *class;
	const struct kp_ctf_values *all;
};

/* files: open; the source closes them. 0, or -1 with source->message. To be closed in either case. */
int kp_ctf_source_open(struct kp_ctf_source *source, const struct kp_ctf_files *files);

/* From the first event on. As above. */
int kp_ctf_source_rewind(struct kp_ctf_source *source);

/* 1: the next event; 0: there is none; -1 with source->message. */
int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event);

/* Of all streams, as far as has been read. */
uint64_t kp_ctf_source_lost(const struct kp_ctf_source *source);

void kp_ctf_source_close(struct kp_ctf_source *source);

#endif
