/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts spans to rows of tables (export/schema.def): a kp_span_sink that takes them in time
 * order, as the reconstruction of a raw trace makes them. report/calls.h decides which spans are
 * one call.
 *
 * Rows of a table come roughly in time order. Memory grows with the number of threads, and if the spans
 * are searched for known faults also with the number of spans, by about 60 bytes each.
 */
#ifndef KP_EXPORT_TAB_H
#define KP_EXPORT_TAB_H

#include "export/source.h"
#include "report/why.h"
#include "model/identity.h"
#include "model/names.h"

/* ---- tables and columns, from export/schema.def; rows and their sink ---- */

enum kt_table {
#define KT_TABLE(id, name, text) KT_##id,
#include "export/schema.def"
	KT_TABLES
};

/* Ids of the columns of all tables. */
enum kt_column_id {
#define KT_TABLE(id, name, text) KC_##id##_FIRST, KC_##id##_TRACE_ID = KC_##id##_FIRST,
#define KT_COLUMN(table, id, name, type, null, text) KC_##table##_##id,
#define KT_TABLE_END(id) KC_##id##_END, KC_##id##_LAST = KC_##id##_END - 1,
#include "export/schema.def"
	KC_COLUMNS
};

#define KT_COLUMNS_MAX	24	/* maximum number of columns of a table */

enum kt_type { KT_TEXT, KT_INT, KT_TIME };

struct kt_column {
	const char *name;
	enum kt_type type;
	bool null;
};

struct kt_table_info {
	const char *name;
	const struct kt_column *columns;	/* columns of the table; the first is trace_id */
	size_t count;
};

extern const struct kt_table_info kt_tables[KT_TABLES];

enum kt_cell_kind { KT_NO_VALUE, KT_NUMBER, KT_STRING };

struct kt_cell {
	enum kt_cell_kind kind;
	int64_t number;
	/* text in UTF-8, not NUL-terminated; must not change until the end */
	const char *text;
	size_t len;
};

/*
 * Receives the rows of all tables. A row has one cell for each column of its table. A column
 * without NULLs has a value in each row. The first column, trace_id, is the same in all rows. row()
 * returns 0 or -1.
 */
struct kt_sink {
	int (*row)(void *self, enum kt_table table, const struct kt_cell *cells);
	void *self;
	const char *message;	/* one line after a failure, otherwise "" */
};

/* The sink of rows, and data of the trace that the spans do not contain. */
struct kp_tabulate_options {
	struct kt_sink sink;
	const struct kp_raw_about *about;
	const struct kp_raw *raw;
	struct kp_tasks *tasks;		/* names of tasks at the start */
	bool search;			/* search for known faults */
};

struct kp_tabulate;

/* The members about, raw and tasks must stay valid until the end. Returns NULL without memory. */
struct kp_tabulate *kp_tabulate_new(const struct kp_tabulate_options *options);

/*
 * Returns the sink. Names of spans must stay valid until the end. Its functions return 0, or -1 if
 * the sink of rows failed or there is no memory.
 */
struct kp_span_sink kp_tabulate_sink(struct kp_tabulate *tab);

void kp_tabulate_free(struct kp_tabulate *tab);

/* ---- only for the files tab*.c: the current row, threads, CPUs ---- */

#define KP_TAB_CPUS	256

/* Kinds of CPU time. Times are in units of 10 ns. */
enum kp_tab_part { KP_TAB_USER, KP_TAB_SYSTEM, KP_TAB_INTERRUPT, KP_TAB_SCHEDULER, KP_TAB_PARTS };

/*
 * The last wait of a thread. While open is set, the row of the wait is not written yet. The wakeup
 * that ends the wait sets woken and waker. A runnable thread has no wakeup: it waits for a CPU, or is
 * throttled.
 */
struct kp_tab_wait {
	bool open, woken;
	bool for_cpu;
	bool throttled;
	/* the part of the wait's name after "wait_", such as "disk"; not NUL-terminated */
	const char *reason;
	size_t reason_len;
	int64_t start, dur;
	int64_t request;	/* number of the disk's request that ended the wait; 0: none */
	int64_t timer;		/* number of the timer that ended the wait; 0: none */
	struct kp_span waker;	/* row that the waker's CPU executed at the wakeup */
	int64_t waker_tid;
	uint32_t waker_life;
	int32_t waker_cpu;
};

struct kp_tab_thread {
	int64_t tid;
	uint32_t life;			/* number of earlier threads with this tid */
	/* NULL: the thread has not run, or is tid 0, whose calls struct kp_tab_cpu has */
	struct kp_joiner *calls;
	/* name from the thread's spans; NULL: no span has named it yet */
	const struct kp_str *name;
	bool ran;
	int64_t first, last;
	int64_t part[KP_TAB_PARTS];
	int64_t slices, runnable, waiting;
	struct kp_tab_wait wait;
};

struct kp_tab_slice {
	bool open, first, inferred;
	int64_t tid, start, end;
	uint32_t life;
	int64_t part[KP_TAB_PARTS];
};

struct kp_tab_cpu {
	bool ran;			/* the CPU has a row of execution or of a pause */
	bool paused;			/* recording was off after the last row of the CPU */
	struct kp_span row;		/* current row of execution */
	struct kp_tab_slice slice;
	struct kp_joiner idle;		/* pending calls of the CPU's idle task */
	int64_t first, last, busy, idling;
	int64_t leaving_idle;		/* time in which the CPU was leaving idle; part of the idle time */
	int32_t ipc;			/* last value of instructions per cycle; -1: none */
};

struct kp_tabulate {
	struct kp_tabulate_options options;
	int64_t zero_ns;			/* the trace's time 0, in ns since 1970 */
	struct kt_cell cells[KT_COLUMNS_MAX];	/* cells of the row that is being filled */
	uint64_t rows;				/* number of rows of all tables */
	bool failed;
	struct kp_tab_cpu cpus[KP_TAB_CPUS];
	struct kp_identities cgroups;	/* names of cgroups */
	struct kp_lives lives;			/* lives of pids up to the current group */
	struct kp_map thread_index;		/* kp_life_key() -> index in threads */
	KP_VECTOR(struct kp_tab_thread) threads;
	struct kp_strings strings;
	/* times in the queue of all requests of disks so far, by number of the request */
	struct kp_map queued_index;
	KP_VECTOR(int64_t) queued;
	KP_VECTOR(struct kp_span) group;	/* spans with the same start */
	bool any;
	int64_t first, last;
	int64_t paused;				/* start of the last pause row; 0: none */
	uint64_t spans, inferred;
	struct kp_why *why;			/* spans to be searched for known faults; NULL: no search */
	int64_t findings;			/* number of rows of table finding; -1: no search */
};

/* Largest number of spans that are searched for known faults: they need 300 MB of memory. */
#define KP_TAB_SEARCHED	5000000

/* Set a cell of the row: KT_PUT(tab, CALL, CPU, 3), KT_PUTS(tab, CALL, NAME, "read", 4). */
#define KT_CELL(tab, table, column) (&(tab)->cells[KC_##table##_##column - KC_##table##_FIRST])
#define KT_PUT(tab, table, column, value) kp_tab_number(KT_CELL(tab, table, column), value)
#define KT_PUTS(tab, table, column, text, len) kp_tab_text(KT_CELL(tab, table, column), text, len)
#define KT_WORD(tab, table, column, word) kp_tab_text(KT_CELL(tab, table, column), word, strlen(word))

static inline void kp_tab_number(struct kt_cell *cell, int64_t number)
{
	cell->kind = KT_NUMBER;
	cell->number = number;
}

static inline void kp_tab_text(struct kt_cell *cell, const char *text, size_t len)
{
	cell->kind = KT_STRING;
	cell->text = text;
	cell->len = len;
}

/* Passes on the row and begins the next one. Cells that were not set are NULL. */
void kp_tab_emit(struct kp_tabulate *tab, enum kt_table table);

/* Convert a time to ns since 1970, and a duration to ns, limited to 64 bits. */
int64_t kp_tab_time(const struct kp_tabulate *tab, int64_t units);
int64_t kp_tab_ns(int64_t units);

#define KT_THREAD(tab, table, tid, life) \
	(KT_PUT(tab, table, TID, tid), KT_PUT(tab, table, LIFE, life))

/* Sets the cells for CPU and tid of the span, and for the life of the thread with this tid. */
#define KT_OWNER(tab, table, span) (KT_PUT(tab, table, CPU, (span)->cpu), \
	KT_THREAD(tab, table, (span)->pid, kp_lives_of(&(tab)->lives, (span)->pid)))

/*
 * Return the thread, and add it if it is new; NULL without memory. Valid until the next call.
 * kp_tab_thread() returns the thread that has the tid now.
 */
struct kp_tab_thread *kp_tab_thread_of(struct kp_tabulate *tab, int64_t tid, uint32_t life);
struct kp_tab_thread *kp_tab_thread(struct kp_tabulate *tab, int64_t tid);

/* Returns the CPU, or NULL for a number below 0 or from KP_TAB_CPUS on. */
struct kp_tab_cpu *kp_tab_cpu(struct kp_tabulate *tab, int64_t cpu);

/* Returns the length of the span's name without the ? of inferred spans. */
size_t kp_tab_plain(const struct kp_span *span);

/*
 * Returns the kind of a row of the table execution: a kind as in the table call, or "user",
 * "kernel" or "idle".
 */
const char *kp_tab_kind(const struct kp_span *row);
enum kp_tab_part kp_tab_part(const struct kp_span *row);

void kp_tab_execution(struct kp_tabulate *tab, const struct kp_span *span);
/* Begins a row of thread_state for a wait. */
void kp_tab_waits(struct kp_tabulate *tab, const struct kp_span *span);
/* Stores the waker of the current wait of @tid. */
void kp_tab_woken(struct kp_tabulate *tab, int64_t tid, const struct kp_span *wakeup);
/* Ends the CPU's slice at a pause, and writes a row of table pause. */
void kp_tab_pause(struct kp_tabulate *tab, const struct kp_span *span);
/* Ends the CPU's slice where the CPU stops, and writes rows of stopped and thread_state. */
void kp_tab_stopped(struct kp_tabulate *tab, const struct kp_span *span);
/* Stores a span for the search for known faults, if there is a search. */
void kp_tab_searched(struct kp_tabulate *tab, const struct kp_span *span);
/* Searches for known faults after the last span, and writes the rows of finding and finding_span. */
void kp_tab_findings(struct kp_tabulate *tab);
/* Ends all slices, waits and calls after the last span. */
void kp_tab_run_end(struct kp_tabulate *tab);

#endif
