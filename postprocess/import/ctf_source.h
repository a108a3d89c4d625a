/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the events of all streams of a CTF trace in the order of their times. The trace can be read
 * several times from the beginning. The meaning of events is in other files.
 */
#ifndef KP_IMPORT_CTF_SOURCE_H
#define KP_IMPORT_CTF_SOURCE_H

#include <stdbool.h>

#include "import/ctf_files.h"
#include "import/ctf_read.h"
#include "import/ctf_type.h"

struct kp_ctf_stream_in;

/* Number of events of a stream (@key) that the tracer has discarded, as its packets report. */
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
	struct kp_ctf_top *heap;		/* streams that have an event; the earliest at the top */
	size_t heap_count;
	bool handed_out;			/* the caller has the event at the top */
	KP_VECTOR(struct kp_ctf_lost) lost;
	uint64_t packets, packets_lost;
	uint64_t bytes, bytes_done;
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

/* Goes to the first event. Returns 0, or -1 with source->message. */
int kp_ctf_source_rewind(struct kp_ctf_source *source);

/* Gets the next event. Returns 1, 0 at the end, or -1 with source->message. */
int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event);

/* Returns the number of discarded events in all streams, as far as they have been read. */
uint64_t kp_ctf_source_lost(const struct kp_ctf_source *source);

void kp_ctf_source_close(struct kp_ctf_source *source);

#endif
