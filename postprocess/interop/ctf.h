/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts a CTF trace to records of event text. libbabeltrace2 reads the trace in time order, and
 * the importer reads it twice.
 */
#ifndef KP_INTEROP_CTF_H
#define KP_INTEROP_CTF_H

#include <babeltrace2/babeltrace.h>
#include <limits.h>
#include <stdio.h>

#include "base/memory.h"
#include "import/linux.h"

/*
 * ---- ctf_class.c: the classes of a trace, with the fields that the import uses ----
 *
 * The reader ignores the _ that LTTng puts before field names. It stores only the values of fields
 * that the import uses.
 */

enum kp_want {
	KP_WANT_NOTHING,
	KP_WANT_RUNNING,	/* thread id of the running thread */
	KP_WANT_COUNTER,	/* counter bits in traces of rawtoctf: ipc, llc, ipc_llc */
	KP_WANT_PREV_COMM, KP_WANT_PREV_TID, KP_WANT_PREV_STATE, KP_WANT_NEXT_COMM, KP_WANT_NEXT_TID,
	KP_WANT_COMM, KP_WANT_NEW_COMM, KP_WANT_TID, KP_WANT_CHILD_COMM, KP_WANT_CHILD_TID,
	KP_WANT_PARENT_TID, KP_WANT_TYPE, KP_WANT_STATUS,
	KP_WANT_FILENAME, KP_WANT_NAME, KP_WANT_IRQ, KP_WANT_VEC, KP_WANT_VECTOR, KP_WANT_NUMBER,
	KP_WANT_TRAP, KP_WANT_RET, KP_WANT_STATE, KP_WANT_ON_CPU, KP_WANT_SAMPLED, KP_WANT_ERROR,
	KP_WANT_ARG, KP_WANT_ARG0, KP_WANT_SKB, KP_WANT_SYSCALL,
	KP_WANT_EVENT_CPU,	/* CPU of the event; for packets with events of several CPUs */
	KP_WANT_FIRST,		/* first field of the event that is a number, with any name */
	KP_WANTS,
};

struct kp_ctf_value {
	uint64_t number;	/* signed values are sign-extended to 64 bits */
	const char *text;	/* NULL: the value is a number */
	size_t len;
};

/*
 * Values of the fields that the import uses. values[n] is valid if bit n of `there` is set.
 */
struct kp_ctf_values {
	uint64_t there;
	struct kp_ctf_value values[KP_WANTS];
};

struct kp_ctf_field {
	const char *name;	/* text owned by the library */
	bt_field_class_type type;
	enum kp_want want;
};

struct kp_ctf_fields {
	struct kp_ctf_field *items;
	size_t count, cap;
};

struct kp_ctf_stream_class {
	bool has_packets, has_cpu, has_clock;
	uint64_t cpu;		/* index of cpu_id in the context of a packet */
	uint64_t freq, offset;	/* clock: cycles per second; offset in cycles */
	int64_t offset_s;
	struct kp_ctf_fields context;
};

struct kp_ctf_event_class {
	char *name;
	size_t stream;		/* index of the event class's stream class */
	struct kp_ctf_fields context, fields;
	int meaning;		/* enum meaning of interop/ctf_linux.c or interop/ctf_ours.c */
	uint32_t number;	/* KUtrace event number, if the class alone determines the number */
};

struct kp_ctf_env {
	const char *key;
	char *text;		/* value as text; numbers are also stored as text */
};

struct kp_ctf_meta {
	char trace_id[40];	/* UUID of the trace; "": none */
	KP_VECTOR(struct kp_ctf_env) env;
	KP_VECTOR(struct kp_ctf_stream_class) streams;
	KP_VECTOR(struct kp_ctf_event_class) events;
	struct kp_map by_class;	/* address of the library's event class -> index in events */
	/* name of a class of Linux's events without a necessary field, or NULL; it is the CPU */
	const char *lacking;
	bool lacks_cpu;
};

/*
 * Reads the classes of @trace, which must outlive @meta. @mip: version of the graph (MIP). Returns
 * 0, or -1 without memory.
 */
int kp_ctf_meta_read(struct kp_ctf_meta *meta, const bt_trace *trace, uint64_t mip);
void kp_ctf_meta_free(struct kp_ctf_meta *meta);

/* Returns the value of @key in the environment, or NULL. */
const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key);

/*
 * Stores the values of the used fields of @from, a struct or NULL. Texts are valid as long as
 * @from.
 */
void kp_ctf_read_fields(struct kp_ctf_values *all, const struct kp_ctf_fields *fields, const bt_field *from);

bool kp_ctf_is_number(const struct kp_ctf_field *field);

static inline bool kp_ctf_has(const struct kp_ctf_values *all, enum kp_want want)
{
	return all->there >> want & 1;
}

/* Returns the number of a field, or @otherwise if the field is missing or a text. */
static inline uint64_t kp_ctf_number(const struct kp_ctf_values *all, enum kp_want want,
				     uint64_t otherwise)
{
	return kp_ctf_has(all, want) && !all->values[want].text ? all->values[want].number : otherwise;
}

/* ---- ctf_files.c: finds a trace in a folder or in an archive (tar), which it unpacks ---- */

struct kp_ctf_file {
	char *name;		/* file name in the folder of the trace */
	char *path;		/* path of the file; NULL: the file is in the archive */
	uint64_t offset;	/* offset of the content in the archive */
	uint64_t bytes;		/* size of the content */
};

struct kp_ctf_files {
	FILE *archive;
	char folder[PATH_MAX];			/* folder with the files of the trace */
	KP_VECTOR(struct kp_ctf_file) list;	/* metadata, then the streams sorted by name */
	char message[400];
};

/*
 * Finds the trace in the folder @path or below: a file "metadata" and the files in the same folder.
 * If there are several traces, selects the kernel trace; there must be only one. Returns 0, or -1
 * with files->message. The caller closes @files in both cases.
 */
int kp_ctf_files_folder(struct kp_ctf_files *files, const char *path);

/*
 * Finds the trace in an archive, as kp_ctf_files_folder() does, and unpacks it to a temporary
 * folder. kp_ctf_files_close() or exit() removes the folder. @archive must be seekable;
 * kp_ctf_files_close() closes it. @shown: name of the archive in messages.
 */
int kp_ctf_files_archive(struct kp_ctf_files *files, FILE *archive, const char *shown);

void kp_ctf_files_close(struct kp_ctf_files *files);

/* ---- ctf_source.c: the events of all streams, without their meaning ---- */

struct kp_ctf_source {
	struct kp_ctf_files files;
	struct kp_ctf_meta meta;
	const bt_plugin *ctf, *utils;
	bt_value *params;		/* parameters of source.ctf.fs */
	uint64_t mip;			/* version of the graph (MIP) that the trace needs */
	int log, real_stderr;		/* file of the library's messages; copy of standard error */
	bt_graph *graph;
	/* signal that ended a call of the library, which must not be called again; 0: none */
	int broken;
	bt_message_array_const messages;	/* the library's current batch */
	uint64_t next, count;		/* index of the next message; number of messages in the batch */
	bool rewind, ended;
	struct kp_ctf_values all;	/* values of the current event */
	/* state of reading the trace: */
	KP_VECTOR(const bt_stream *) streams;
	uint64_t events, packets, packets_lost;
	uint64_t lost;			/* number of events that the tracer reports as discarded */
	uint64_t lost_unknown;		/* number of reports without a number of events */
	uint64_t total;			/* number of events in the trace; 0: not known yet */
	char message[600];
};

/* An event, valid until the next call of kp_ctf_source_next(). */
struct kp_ctf_event {
	int64_t time_ns;	/* nanoseconds since 1970, UTC */
	uint32_t cpu;
	struct kp_ctf_event_class *class;
	const struct kp_ctf_values *all;
};

/*
 * Opens a trace and reads its metadata. The source closes @files. Returns 0, or -1 with source->message. The
 * caller closes @source in both cases.
 */
int kp_ctf_source_open(struct kp_ctf_source *source, const struct kp_ctf_files *files);

/* Makes kp_ctf_source_next() begin at the first event again. */
void kp_ctf_source_rewind(struct kp_ctf_source *source);

/* Reads the next event. Returns 1; 0 at the end; or -1 with source->message. */
int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event);

void kp_ctf_source_close(struct kp_ctf_source *source);

/*
 * ---- ctf_linux.c, ctf_ours.c: the meaning of each class of events, by its name ----
 *
 * ctf_linux.c reads the names of LTTng and of the kernel (perf, trace-cmd). ctf_ours.c reads traces
 * that rawtoctf wrote.
 */

/* Sets the meaning of each event class, before the first event. Returns -1 without memory. */
int kp_ctf_linux_classes(struct kp_ctf_meta *meta, struct kp_linux *linux_, struct kp_feed *feed);
/* Passes @event to @linux_. Returns 0, -1 without memory, or the result of the sink. */
int kp_ctf_linux_event(struct kp_linux *linux_, struct kp_feed *feed, const struct kp_ctf_event *event);

/*
 * Restores the events of the raw trace. kp_ctf_ours_new() sets the meanings of all classes; it
 * returns NULL without memory. kp_ctf_ours_event() returns 0, -1 without memory, or the result of
 * the sink.
 */
struct kp_ctf_ours;
bool kp_ctf_is_ours(const struct kp_ctf_meta *meta);
struct kp_ctf_ours *kp_ctf_ours_new(struct kp_ctf_meta *meta, struct kp_feed *feed);
int kp_ctf_ours_event(struct kp_ctf_ours *ours, const struct kp_ctf_event *event);
void kp_ctf_ours_free(struct kp_ctf_ours *ours);

/* ---- ctf_import.c ---- */

struct kp_import_counts {
	uint64_t read;		/* number of events in the trace */
	uint64_t events;	/* number of events passed to the sink */
	/* number of returns without a name, because the call began before the trace */
	uint64_t nameless;
	/* number of events omitted because the number of the task is below 0 or above 2^31-1 */
	uint64_t numberless;
	/* number of events of kinds that the page does not show, or without a necessary field */
	uint64_t others;
	uint64_t far_cpus;	/* number of events omitted because their CPU is above 255 */
	uint64_t lost;		/* number of lost events that the trace reports */
	bool ours;		/* rawtoctf wrote the trace */
};

/*
 * Reads the trace to its end. If that succeeds, reads it again and passes it to @sink. Returns 0,
 * or -1 with source->message, which is "" if the sink failed.
 */
int kp_ctf_import(struct kp_ctf_source *source, const struct kp_event_sink *sink,
		  struct kp_import_counts *counts);

#endif
