// SPDX-License-Identifier: BSD-3-Clause
/* Shows progress on stderr, see base/progress.h. Must not wait for another filter. */
#include "base/progress.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS	2000000000ull
#define EVERY_NS	250000000ull
#define ESTIMATE_NS	1000000000ull	/* the time left is shown when a phase is this old */
#define NS_PER_S	1000000000u
#define FEW		100000		/* amount below which things are shown as an exact number */

static const char *tool = "kutrace";
static const char *what = "reading", *things;
static uint64_t phase_ns;		/* time of the first update of this phase */
static uint64_t phase_done;		/* amount done at the time phase_ns */
static bool phase_counts;
static uint64_t next_ns;		/* earliest time of the next update; 0: never */
/* true: each update is a new line; false: all updates use the same line */
static bool lines;
static bool shown;
/* own descriptor of the terminal, for the lock; -1: none */
static int terminal = -1;
static bool locked, others;		/* this process holds the lock; another process holds it */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void kp_progress_begin(const char *name)
{
	const char *wanted = getenv("KUTRACE_PROGRESS");

	tool = name;
	lines = wanted && !strcmp(wanted, "always");
	if (lines)
		next_ns = 1;
	else if (!(wanted && !strcmp(wanted, "never")) && isatty(STDERR_FILENO))
		next_ns = now() + FIRST_NS;
}

void kp_progress_phase(const char *phase, const char *of)
{
	what = phase;
	things = of;
	phase_counts = false;
	if (next_ns && (shown || lines))
		next_ns = 1;
}

/*
 * Returns whether this process may show its line: it holds the terminal's lock, or takes it.
 * flock() locks a file description, and all filters of a pipeline share the description of stderr,
 * so this process opens the terminal again. The kernel releases the lock when the process ends.
 */
static bool take_line(void)
{
	char path[256];

	if (lines || locked)
		return true;
	if (terminal < 0 && !ttyname_r(STDERR_FILENO, path, sizeof(path)))
		terminal = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	locked = terminal < 0 || !flock(terminal, LOCK_EX | LOCK_NB);
	others = !locked;
	return locked;
}

static void print_amount(uint64_t done, uint64_t total)
{
	bool few = things && (total ? total : done) < FEW;
	double scale = few ? 1 : 1e6;
	const char *unit = few ? "" : things ? " M" : " MB";

	fprintf(stderr, "%.*f", !few, (double)done / scale);
	if (total)
		fprintf(stderr, " of %.*f", !few, (double)total / scale);
	fprintf(stderr, "%s%s%s", unit, things ? " " : "", things ? things : "");
}

/* Prints the time left: in seconds below 100 s, otherwise in minutes. */
static void print_left(double seconds)
{
	bool few = seconds < 100;

	fprintf(stderr, ", %.0f %s left", few ? seconds : seconds / 60, few ? "s" : "min");
}

void kp_progress(uint64_t done, uint64_t total)
{
	uint64_t at;

	if (!next_ns)
		return;
	at = now();
	if (!phase_counts) {
		phase_ns = at;
		phase_done = done;
		phase_counts = true;
	}
	if (at < next_ns)
		return;
	next_ns = at + EVERY_NS;
	if (!take_line())
		return;
	if (done > total)
		total = 0;
	fprintf(stderr, "%s%s: %s ", lines ? "" : "\r\033[K", tool, what);
	if (total)
		fprintf(stderr, "%.0f %%, ", 100.0 * (double)done / (double)total);
	print_amount(done, total);
	if (total && done > phase_done && at - phase_ns >= ESTIMATE_NS)
		print_left((double)(at - phase_ns) / NS_PER_S * (double)(total - done) /
			   (double)(done - phase_done));
	if (lines)
		putc('\n', stderr);
	fflush(stderr);
	shown = !lines;
}

/* Returns whether another filter may show a line now. Tests the lock if this is unknown so far. */
static bool others_show(void)
{
	if (others || !next_ns || lines || locked)
		return others;
	if (take_line() && terminal >= 0) {
		flock(terminal, LOCK_UN);
		locked = false;
	}
	return others;
}

void kp_progress_clear(void)
{
	if (shown || others_show())
		fputs("\r\033[K", stderr);
	shown = false;
}

void kp_progress_end(void)
{
	kp_progress_clear();
	next_ns = 0;
	if (locked && terminal >= 0)
		flock(terminal, LOCK_UN);
	locked = false;
}
