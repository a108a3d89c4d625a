/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of CTF traces.
 *
 * Classes of events: the name and the fields of each class, and the class of each event of a raw
 * trace. Names and fields that LTTng's kernel tracer also has are spelled as in LTTng, because
 * analyses search for them.
 */
#ifndef KP_EXPORT_CTF_FORMAT_H
#define KP_EXPORT_CTF_FORMAT_H

#include "export/folder.h"
#include "rawtrace/raw.h"

#define KP_CTF_FIELDS		9	/* maximum number of fields of an event */
#define KP_CTF_NAME_MAX		96	/* size of a class name */
#define KP_CTF_COMM		16	/* size of a process name */

enum kp_ctf_type {
	KP_CTF_END,		/* end of the list of fields */
	KP_CTF_U8, KP_CTF_U16, KP_CTF_U32, KP_CTF_I32, KP_CTF_I64,
	KP_CTF_NAME16,		/* KP_CTF_COMM bytes, padded with NULs */
	KP_CTF_STRING,		/* text and a NUL */
};

struct kp_ctf_field {
	enum kp_ctf_type type;
	const char *name;
};

enum kp_ctf_layout {
	KP_CTF_SWITCH,		/* sched_switch */
	KP_CTF_WAKING,		/* sched_waking */
	KP_CTF_EXIT,		/* sched_process_exit, sched_process_free */
	KP_CTF_FORK,		/* sched_process_fork */
	KP_CTF_STATE,		/* lttng_statedump_process_state */
	KP_CTF_RENAME,		/* task_rename */
	KP_CTF_RUNS,		/* the running task at the start of a block */
	KP_CTF_CALL,		/* arg0: system calls, the scheduler */
	KP_CTF_RETURN,		/* ret */
	KP_CTF_TRAP_CALL, KP_CTF_TRAP_RETURN,
	KP_CTF_VECTOR,		/* x86_irq_vectors_*, entry and exit */
	KP_CTF_IRQ_CALL, KP_CTF_IRQ_RETURN,
	KP_CTF_SOFTIRQ,		/* entry and exit */
	KP_CTF_CPU_IDLE,
	KP_CTF_FREQUENCY,
	KP_CTF_POINT,		/* all other events: argument, and name as in event text */
	KP_CTF_LAYOUTS,
};

/*
 * Returns the layout of an event, and writes the name of its class to @name[KP_CTF_NAME_MAX]. The
 * name has only letters, digits and _. Both depend on the number and the name of the event.
 */
enum kp_ctf_layout kp_ctf_class(const struct kp_event *event, char *name);

/*
 * ---- metadata, as text in TSDL ----
 *
 * Describes packets, events, the machine, the time of the recording and its losses. Must be called
 * after all events are written.
 */

#define KP_CTF_MAGIC	0xC1FC1FC1u

/* A class that occurs in the trace. Its id is its index in the list. */
struct kp_ctf_class {
	char name[KP_CTF_NAME_MAX];
	enum kp_ctf_layout layout;
};

/* Returns the name of the field with an event's counter bits; NULL: events have no counter bits. */
const char *kp_ctf_counter(const struct kp_raw *raw);

#define KP_CTF_CALLS	4096	/* number of event numbers */

/*
 * Writes the metadata to @out; the caller checks @out for errors. @names has the names of calls by
 * event number, or NULL for calls that do not occur.
 */
void kp_ctf_metadata(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
		     const char *const *names, const struct kp_ctf_class *classes, size_t count);

/* ---- streams: files with packets of up to 64 KiB ---- */

#define KP_CTF_PACKET_BYTES	65536u
#define KP_CTF_EVENT_MAX	4096u	/* maximum size of an event, in bytes */

struct kp_ctf_stream {
	int fd;				/* descriptor of the file, which the folder closes */
	uint32_t cpu;
	uint64_t instance;		/* number of the stream */
	const uint8_t *uuid;		/* UUID of the trace, 16 bytes */
	uint64_t written, packets;
	uint64_t discarded;		/* number of discarded events so far */
	int64_t begin_ns, end_ns;	/* time of the beginning and the end of the packet */
	uint32_t used;			/* number of bytes in the packet; 0: no packet was begun */
	uint8_t *packet;
};

/* Opens stream @instance. Returns 0, or -1 and sets folder->message. */
int kp_ctf_stream_open(struct kp_ctf_stream *stream, struct kp_folder *folder, const char *name,
		       uint32_t cpu, uint64_t instance, const uint8_t *uuid);

/*
 * Returns the address of KP_CTF_EVENT_MAX free bytes for an event. @time_ns must not be before the
 * previous event. The caller writes the event and adds its size to stream->used. Returns NULL and
 * sets folder->message on failure.
 */
uint8_t *kp_ctf_stream_event(struct kp_ctf_stream *stream, struct kp_folder *folder,
			     int64_t time_ns);

/* Overwrites the byte at offset @at. Returns 0, or -1 with errno. */
int kp_ctf_stream_patch(struct kp_ctf_stream *stream, uint64_t at, uint8_t byte);

/* Ends the packet if one is begun. Returns 0, or -1 and sets folder->message. */
int kp_ctf_stream_flush(struct kp_ctf_stream *stream, struct kp_folder *folder);

/*
 * Writes an empty packet that lasts from @begin_ns to @end_ns. Returns 0, or -1 and sets
 * folder->message.
 */
int kp_ctf_stream_empty(struct kp_ctf_stream *stream, struct kp_folder *folder, int64_t begin_ns,
			int64_t end_ns);

#endif
