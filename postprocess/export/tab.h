/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of export/tabulate share: a row that is being filled, threads and CPUs, and
 * what they run. Only for these files.
 */
#ifndef KP_EXPORT_TAB_H
#define KP_EXPORT_TAB_H

#include "base/map.h"
#include "base/vector.h"
#include "export/tab_options.h"
#include "model/lives.h"
#include "model/span.h"
#include "report/calls.h"

#define KP_TAB_CPUS	256

/* Time by what it was spent in, 10 ns units. */
enum kp_tab_part { KP_TAB_USER, KP_TAB_SYSTEM, KP_TAB_INTERRUPT, KP_TAB_SCHEDULER, KP_TAB_PARTS };

/* A wait that has begun; who ends it comes later. */
struct kp_tab_wait {
	bool open, woken;
	char reason;		/* the letter of its event; c: waits for a CPU */
	int64_t start, dur;
	struct kp_span waker;	/* where the waker is: its row then */
	int64_t waker_tid;
	uint32_t waker_life;
	int32_t waker_cpu;
};

struct kp_tab_thread {
	int64_t tid;
	uint32_t life;			/* threads that had the tid before */
	struct kp_joiner *calls;	/* NULL: it has not run; of tid 0, the CPUs' */
	const struct kp_str *name;	/* as its rows have it, NULL: they have not named it */
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
	bool ran;
	bool paused;			/* recording was off since its last row */
	struct kp_span row;		/* what runs */
	struct kp_tab_slice slice;
	struct kp_joiner idle;		/* calls of its idle task */
	int64_t first, last, busy, idling;
	int64_t leaving_idle;		/* of idling */
	int32_t ipc;			/* the last one said, -1: none */
};

struct kp_tabulate {
	struct kp_tabulate_options options;
	int64_t zero_ns;			/* the trace's time 0, since 1970 */
	struct kt_cell cells[KT_COLUMNS_MAX];	/* of the row that is being filled */
	uint64_t rows;
	bool failed;
	struct kp_tab_cpu cpus[KP_TAB_CPUS];
	struct kp_lives lives;			/* as of the rows of group */
	struct kp_map thread_places;		/* kp_life_key() to the place in threads */
	KP_VECTOR(struct kp_tab_thread) threads;
	struct kp_strings strings;
	KP_VECTOR(struct kp_span) group;	/* of the same start */
	bool any;
	int64_t first, last;
	int64_t paused;				/* start of the last row of a pause; 0: none */
	uint64_t spans, inferred;
};

/* ---- rows: export/tab_row.c ---- */

/* Cell of the row: KT_PUT(tab, CALL, CPU, 3), KT_SAY(tab, CALL, NAME, "read", 4). */
#define KT_CELL(tab, table, column) (&(tab)->cells[KC_##table##_##column - KC_##table##_FIRST])
#define KT_PUT(tab, table, column, value) kp_tab_number(KT_CELL(tab, table, column), value)
#define KT_SAY(tab, table, column, text, len) kp_tab_text(KT_CELL(tab, table, column), text, len)
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

/* Hands over the row, of which what was not filled is NULL, and begins another. */
void kp_tab_emit(struct kp_tabulate *tab, enum kt_table table);

/* A time of the trace in ns since 1970, and a length in ns; as far as they fit. */
int64_t kp_tab_time(const struct kp_tabulate *tab, int64_t units);
int64_t kp_tab_ns(int64_t units);

/* Puts a tid, and the life of the thread that has it now, into a row of the table. */
#define KT_OWNER(tab, table, tid) \
	(KT_PUT(tab, table, TID, tid), KT_PUT(tab, table, LIFE, kp_lives_of(&(tab)->lives, tid)))

/*
 * Returns the thread, made if it is new, or NULL without memory. Valid until the next call.
 * kp_tab_thread(): the one that has the tid now.
 */
struct kp_tab_thread *kp_tab_thread_of(struct kp_tabulate *tab, int64_t tid, uint32_t life);
struct kp_tab_thread *kp_tab_thread(struct kp_tabulate *tab, int64_t tid);

/* NULL: it has no place here. */
struct kp_tab_cpu *kp_tab_cpu(struct kp_tabulate *tab, int64_t cpu);

/* Is it marked? The length of its name without that. */
bool kp_tab_inferred(const struct kp_span *span);
size_t kp_tab_plain(const struct kp_span *span);

/* Returns what a row of execution is in: a kind of table call, user, kernel or idle. */
const char *kp_tab_kind(const struct kp_span *row);
enum kp_tab_part kp_tab_part(const struct kp_span *row);

/* ---- what runs: export/tab_run.c ---- */

void kp_tab_execution(struct kp_tabulate *tab, const struct kp_span *span);
/* A row of thread_state that waits has begun. */
void kp_tab_waits(struct kp_tabulate *tab, const struct kp_span *span);
/* tid is made runnable by who runs on that CPU. */
void kp_tab_woken(struct kp_tabulate *tab, int64_t tid, const struct kp_span *wakeup);
/* No more comes. */
/* Ends the CPU's slice and all calls: recording was off. */
void kp_tab_pause(struct kp_tabulate *tab, const struct kp_span *span);
void kp_tab_run_end(struct kp_tabulate *tab);

/* ---- what happens: export/tab_point.c ---- */

void kp_tab_point(struct kp_tabulate *tab, const struct kp_span *span);

/* ---- what all comes to: export/tab_end.c ---- */

void kp_tab_end(struct kp_tabulate *tab);

#endif
