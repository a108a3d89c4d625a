/* SPDX-License-Identifier: BSD-3-Clause */
/* Exporters: sinks that write the formats of other tools. */
#ifndef KP_EXPORT_EXPORTERS_H
#define KP_EXPORT_EXPORTERS_H

#include "export/folder.h"
#include "export/tab.h"

/*
 * Writes the events of a raw trace as a CTF 1.8 trace, for babeltrace2 and Trace Compass: a
 * kp_event_sink that writes one stream for each CPU into a folder. A call with its return merged
 * into it becomes two events.
 */
struct kp_ctf;

/* Returns an exporter; NULL without memory. @raw must be open, with no event read yet. */
struct kp_ctf *kp_ctf_new(const struct kp_raw *raw, struct kp_folder *folder);

/* Returns the sink. Its functions return 0, or -1 and set the folder's message. */
struct kp_event_sink kp_ctf_sink(struct kp_ctf *ctf);

/*
 * Writes the remaining events, losses and metadata. Returns 0, or -1 and sets the folder's message.
 */
int kp_ctf_end(struct kp_ctf *ctf);

/* Returns the number of written events. The return of a merged call is a separate event. */
uint64_t kp_ctf_events(const struct kp_ctf *ctf);

void kp_ctf_free(struct kp_ctf *ctf);

/*
 * Writes rows of tables as Parquet files, one for each table, into a folder or archive
 * (export/folder.h). Built only if the header of zstd is installed (libzstd-dev).
 */
struct kp_parquet;

/*
 * Opens the files. @folder must stay valid until the end. The exporter holds up to KP_PARQUET_ROWS
 * rows of each table in memory. Returns NULL without memory; otherwise the caller must check the
 * sink's message.
 */
#define KP_PARQUET_ROWS	(1u << 17)	/* rows in a row group */

struct kp_parquet *kp_parquet_new(struct kp_folder *folder);

/*
 * Returns the sink. Texts of cells must stay valid and unchanged until the end: the same address
 * and length mean the same text. The sink returns 0, or -1 with a message or after an interrupt.
 */
struct kt_sink kp_parquet_sink(struct kp_parquet *parquet);

/* Writes the end of all files. Returns 0, or -1 with a message or after an interrupt. */
int kp_parquet_finish(struct kp_parquet *parquet);

void kp_parquet_free(struct kp_parquet *parquet);

/*
 * Writes spans as a Perfetto trace: a kp_span_sink that takes them in time order, as the
 * reconstruction of a raw trace makes them.
 *
 * Scheduling becomes ftrace events (sched_switch, sched_waking), from which Perfetto derives thread
 * states and critical paths. Perfetto's other kind of scheduler events,
 * generic_kernel_task_state_event, has no waker. All other rows become slices and instants on
 * tracks.
 */
struct kp_perfetto;

struct kp_perfetto_options {
	FILE *out;
	const struct kp_raw_about *about;
	const struct kp_raw *raw;	/* the raw trace, for its flags (IPC) and losses */
	struct kp_tasks *tasks;		/* names of tasks at the start; the exporter updates them */
};

/* Returns an exporter; NULL without memory. The members of @options must stay valid. */
struct kp_perfetto *kp_perfetto_new(const struct kp_perfetto_options *options);

/*
 * Returns the sink. Names of spans must stay valid until the end. Its functions return 0, or -1 if
 * out has an error or there is no memory.
 */
struct kp_span_sink kp_perfetto_sink(struct kp_perfetto *perfetto);

uint64_t kp_perfetto_packets(const struct kp_perfetto *perfetto);
void kp_perfetto_free(struct kp_perfetto *perfetto);

/*
 * Writes spans as a file of speedscope (https://www.speedscope.app): a kp_span_sink that takes them
 * in time order. Each CPU becomes a profile. In a profile, threads are the outer frames, and kernel
 * code is the inner frames. Idle time is omitted.
 */
struct kp_speedscope;

/* Returns an exporter, or NULL without memory. Uses a temporary file for each CPU. */
struct kp_speedscope *kp_speedscope_new(FILE *out);

/* Returns the sink. Its functions return 0, or -1 with a message or if out has an error. */
struct kp_span_sink kp_speedscope_sink(struct kp_speedscope *speedscope);

/* Returns the message after a failure of this exporter, otherwise "". */
const char *kp_speedscope_message(const struct kp_speedscope *speedscope);
/* Returns the number of spans omitted because they overlap an earlier span of their CPU. */
uint64_t kp_speedscope_overlaps(const struct kp_speedscope *speedscope);
void kp_speedscope_free(struct kp_speedscope *speedscope);

/*
 * Writes rows of tables as a SQLite database. Builds the database in a temporary file without a
 * name. Built only if the header of SQLite is installed (libsqlite3-dev).
 */
struct kp_sqlite;

/*
 * Opens the database. @trace_id: value of the column trace_id in all rows. Returns NULL without
 * memory; otherwise the caller must check the sink's message.
 */
struct kp_sqlite *kp_sqlite_new(const char *trace_id);

struct kt_sink kp_sqlite_sink(struct kp_sqlite *db);

/*
 * Makes indexes and views after the last row, and writes the database to @out. Returns 0; -1 with a
 * message; or -1 without a message if @out has an error or there was an interrupt.
 */
int kp_sqlite_finish(struct kp_sqlite *db, FILE *out);

void kp_sqlite_free(struct kp_sqlite *db);

#endif
