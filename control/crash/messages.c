// SPDX-License-Identifier: BSD-3-Clause
/*
 * Messages and progress of kutrace_crash on stderr, and reports on the sessions of a dump as text
 * and as JSON. Messages must not go to standard output, which may be the trace. Must not print a
 * text of the dump unchecked.
 */
#include "crash/messages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/utf8.h"

#define BEGINS_S	2

static const char *activity;
static time_t begun, shown;

static void print_line(const char *fmt, va_list args)
{
	kc_progress_end();
	fputs(KC_TOOL ": ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void kc_message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
}

void kc_usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
	fputs("try '" KC_TOOL " --help'\n", stderr);
	exit(KC_USAGE);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

void kc_progress_begin(const char *what)
{
	kc_progress_end();
	activity = what;
	if (!begun)
		begun = seconds();
}

void kc_progress(uint64_t done, uint64_t total)
{
	time_t now;

	if (!total || !isatty(STDERR_FILENO))
		return;
	now = seconds();
	if (now - begun <= BEGINS_S || now == shown)
		return;
	shown = now;
	fprintf(stderr, "\r" KC_TOOL ": %s: %3u%%\033[K", activity,
		(unsigned int)((unsigned __int128)done * 100 / total));
}

void kc_progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = 0;
}

/* --- sessions ---------------------------------------------------------------------- */

/* Copies a text of the dump in printable form, cut at @size. Returns @str. */
static const char *printable(const char *text, char *str, size_t size)
{
	snprintf(str, size, "%s", text);
	ku_utf8_clean(str);
	return str;
}

static const char *state_of(const struct kc_session *s)
{
	if (s->recording)
		return "recording";
	return s->info.start.counts ? "stopped" : "never-on";
}

void kc_print_columns(void)
{
	printf("%-20s %-10s %7s %5s %-18s %s\n", "SESSION", "STATE", "BLOCKS", "CPUS", "ANCHOR",
	       "KERNEL");
}

void kc_print_session(const struct kc_session *s)
{
	char name[40], release[KUTRACE_ANCHOR_UTS];

	printf("%-20s %-10s %7zu %5u 0x%-16" PRIx64 " %s\n",
	       printable(s->info.name, name, sizeof(name)), state_of(s), s->nblocks,
	       s->anchor.head.ncpus, s->anchor.at,
	       printable(s->anchor.state.release, release, sizeof(release)));
}

void kc_report_session(struct ku_report *r, const struct kc_session *s,
		       const struct kutrace_dump_result *written)
{
	const struct kutrace_anchor_state *state = &s->anchor.state;

	ku_report_object(r, NULL);
	ku_report_string(r, "session", s->info.name);
	ku_report_string(r, "state", state_of(s));
	ku_report_unsigned(r, "anchor", s->anchor.at);
	ku_report_unsigned(r, "created_ns", s->anchor.head.created_ns);
	ku_report_unsigned(r, "cpus", s->anchor.head.ncpus);
	ku_report_unsigned(r, "blocks", s->nblocks);
	ku_report_string(r, "release", state->release);
	ku_report_string(r, "machine", state->machine);
	ku_report_string(r, "nodename", state->nodename);
	if (written) {
		ku_report_unsigned(r, "trace_bytes", written->bytes);
		ku_report_unsigned(r, "names", written->names);
		ku_report_unsigned(r, "bad_names", written->bad_names);
		ku_report_unsigned(r, "duration_ns", written->duration_ns);
		ku_report_bool(r, "wrapped", written->wrapped);
		ku_report_object(r, "damage");
		ku_report_unsigned(r, "table_entries", s->damage.entries);
		ku_report_unsigned(r, "unreadable_blocks", s->damage.unreadable);
		ku_report_unsigned(r, "wrong_headers", s->damage.headers);
		ku_report_unsigned(r, "cut_blocks", s->damage.cut);
		ku_report_bool(r, "names_lost", s->damage.names);
		ku_report_close(r);
		ku_report_unsigned(r, "incomplete_entries", s->damage.incomplete);
	}
	ku_report_close(r);
}

static void print_count(uint64_t count, const char *what)
{
	if (count)
		kc_message("%" PRIu64 " %s", count, what);
}

void kc_print_damage(const struct kc_session *s)
{
	const struct kc_list *list = &s->anchor.list;

	if (s->anchor.older_state)
		kc_message("the newer copy of the session's state is damaged: using the older copy");
	if (list->cut)
		kc_message("part of the list of blocks is missing: the blocks after it are left out");
	if (list->changed)
		kc_message("the list of blocks is damaged (its sum is wrong): each block is checked by its header");
	if (s->anchor.bytes.cut || s->anchor.bytes.changed)
		kc_message("the list of counter bytes is damaged: some may be missing or wrong");
	print_count(s->damage.entries, "entries of the block table are damaged: left out");
	print_count(s->damage.unreadable, "blocks are not in the dump: left out");
	print_count(s->damage.headers, "blocks have a header that contradicts the block table: left out");
	print_count(s->damage.cut, "blocks are damaged: left out from the first damaged word on");
	if (s->damage.names)
		kc_message("the name buffer is damaged: names of tasks and interrupts are missing");
}

void kc_print_written(const struct kc_session *s, const struct kutrace_dump_result *written)
{
	char name[40];

	kc_message("%s: %" PRIu64 " blocks of %u CPUs, %" PRIu64 ".%03" PRIu64 " s%s, %" PRIu64
		   " bytes; unfinished entries: %" PRIu64,
		   printable(s->info.name, name, sizeof(name)), (uint64_t)written->data_blocks,
		   s->anchor.head.ncpus, (uint64_t)(written->duration_ns / 1000000000),
		   (uint64_t)(written->duration_ns / 1000000 % 1000),
		   written->wrapped ? " (wrapped)" : "", (uint64_t)written->bytes,
		   s->damage.incomplete);
}
