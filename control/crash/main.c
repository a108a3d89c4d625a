// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_crash: extracts the trace of a session from a memory dump of a crashed machine.
 *
 *	kutrace_crash vmcore >x.trace
 *	kutrace_crash: main: 32 blocks of 4 CPUs, 12.345 s (wrapped), 2162688 bytes; ...
 *
 * Must not exit with 0 if the trace was not written completely. Messages must not go to standard
 * output, which may be the trace. Must not print a text of the dump unchecked.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/die.h"
#include "common/report.h"
#include "common/std_fds.h"
#include "common/utf8.h"
#include "crash/crash.h"

#define KC_TOOL "kutrace_crash"

enum kc_exit {
	KC_OK = 0,
	KC_FAILED = 1,
	KC_USAGE = 2,
};

/* more than the 16 sessions of a boot: memory may still contain older boots' sessions */
#define SESSIONS_MAX	64

static const char help[] =
"usage: " KC_TOOL " [--list] [--session NAME] [--anchor ADDRESS] [--json]\n"
"                     [-o FILE] VMCORE\n"
"\n"
"Extracts the trace from a memory dump of a machine that crashed while the KUtrace\n"
"module was loaded, and writes it to standard output. VMCORE is an ELF core\n"
"(/proc/vmcore, makedumpfile -E, QEMU) or a dump of makedumpfile.\n"
"\n"
"  --list             list the sessions in the dump; write no trace\n"
"  --session NAME     select this session (default: the only one that has recorded\n"
"                     something, or main)\n"
"  --anchor ADDRESS   check only this physical address, as --list prints it,\n"
"                     instead of searching the whole dump\n"
"  --json             with --list or -o: print the report as JSON\n"
"  -o FILE            write to FILE instead of standard output; FILE appears when\n"
"                     it is complete\n"
"  -h, --help         print this text\n"
"  -V, --version      print the version\n"
"\n"
"Damaged data are left out and reported. Exit status: 0 done, 1 no trace or an I/O\n"
"error, 2 usage.\n";

struct arguments {
	const char *vmcore;
	const char *session;
	const char *output;
	uint64_t anchor;
	bool one_anchor;
	bool list;
	bool json;
};

static struct kc_session sessions[SESSIONS_MAX];
static size_t nsessions;
static size_t ndamaged;		/* number of unusable anchors */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/* --- messages ------------------------------------------------------------------------- */

#define BEGINS_S	2

static const char *activity;
static time_t begun, shown;

static void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = 0;
}

static void print_line(const char *fmt, va_list args)
{
	progress_end();
	fputs(KC_TOOL ": ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

/* Prints "kutrace_crash: message" as a line. Returns KC_FAILED. */
static int __attribute__((format(printf, 1, 2))) message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
	return KC_FAILED;
}

/* Prints a message and a hint at --help, and exits. */
static _Noreturn void __attribute__((format(printf, 1, 2))) usage_error(const char *fmt, ...)
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

static void progress_begin(const char *what)
{
	progress_end();
	activity = what;
	if (!begun)
		begun = seconds();
}

/* Prints the progress, only on a terminal and from the third second on. */
static void progress(uint64_t done, uint64_t total)
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

/* --- reports -------------------------------------------------------------------------- */

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

static void print_session(const struct kc_session *s)
{
	char name[40], release[KUTRACE_ANCHOR_UTS];

	printf("%-20s %-10s %7zu %5u 0x%-16" PRIx64 " %s\n",
	       printable(s->info.name, name, sizeof(name)), state_of(s), s->nblocks,
	       s->anchor.head.ncpus, s->anchor.at,
	       printable(s->anchor.state.release, release, sizeof(release)));
}

/* Adds a session as an object. @written: result of writing its trace, or NULL. */
static void report_session(struct ku_report *r, const struct kc_session *s,
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
		message("%" PRIu64 " %s", count, what);
}

static void print_damage(const struct kc_session *s)
{
	const struct kc_list *list = &s->anchor.list;

	if (s->anchor.older_state)
		message("the newer copy of the session's state is damaged: using the older copy");
	if (list->cut)
		message("part of the list of blocks is missing: the blocks after it are left out");
	if (list->changed)
		message("the list of blocks is damaged (its checksum is wrong): each block is checked by its header");
	if (s->anchor.bytes.cut || s->anchor.bytes.changed)
		message("the list of counter bytes is damaged: some may be missing or wrong");
	print_count(s->damage.entries, "entries of the block table are damaged: left out");
	print_count(s->damage.unreadable, "blocks are not in the dump: left out");
	print_count(s->damage.headers, "blocks have a header that contradicts the block table: left out");
	print_count(s->damage.cut, "blocks are damaged: left out from the first damaged word on");
	if (s->damage.names)
		message("the name buffer is damaged: names of tasks and interrupts are missing");
}

static void print_written(const struct kc_session *s, const struct kutrace_dump_result *written)
{
	char name[40];

	message("%s: %" PRIu64 " blocks of %u CPUs, %" PRIu64 ".%03" PRIu64 " s%s, %" PRIu64
		   " bytes; unfinished entries: %" PRIu64,
		   printable(s->info.name, name, sizeof(name)), (uint64_t)written->data_blocks,
		   s->anchor.head.ncpus, (uint64_t)(written->duration_ns / 1000000000),
		   (uint64_t)(written->duration_ns / 1000000 % 1000),
		   written->wrapped ? " (wrapped)" : "", (uint64_t)written->bytes,
		   s->damage.incomplete);
}

static int write_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	progress(done, total);
	return interrupted;
}

/* --- arguments ------------------------------------------------------------------------ */

static uint64_t address(const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value % KUTRACE_ANCHOR_BYTES)
		usage_error("--anchor %s: not an address of an anchor: needs a multiple of 64 KiB", text);
	return value;
}

static void parse(struct arguments *a, int argc, char **argv)
{
	static const struct option options[] = {
		{"list", no_argument, NULL, 'l'}, {"session", required_argument, NULL, 's'},
		{"anchor", required_argument, NULL, 'a'}, {"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:hV", options, NULL)) != -1) {
		switch (option) {
		case 'l': a->list = true; break;
		case 's': a->session = optarg; break;
		case 'a': a->anchor = address(optarg); a->one_anchor = true; break;
		case 'j': a->json = true; break;
		case 'o': a->output = optarg; break;
		case 'h': fputs(help, stdout); exit(fflush(stdout) ? KC_FAILED : KC_OK);
		case 'V':
			printf(KC_TOOL " %s\n", KUTRACE_VERSION);
			exit(fflush(stdout) ? KC_FAILED : KC_OK);
		case ':': usage_error("%s: needs a value", argv[optind - 1]);
		default: usage_error("%s: no such option", argv[optind - 1]);
		}
	}
	if (argc - optind != 1)
		usage_error("%s", optind < argc ? "takes one dump" : "needs a dump");
	a->vmcore = argv[optind];
	if (a->json && !a->list && !a->output)
		usage_error("--json: needs --list or -o, because standard output is the trace");
	if (a->list && a->output)
		usage_error("--list: writes no trace, so -o %s is not allowed", a->output);
	if (!a->list && !a->output && isatty(STDOUT_FILENO))
		usage_error("cannot write a trace to a terminal: name a file (example: '>x.trace')");
}

/* --- sessions ------------------------------------------------------------------------- */

static void add_session(struct kc_memory *memory, uint64_t at)
{
	struct kc_session *s = &sessions[nsessions];
	struct kc_anchor anchor;
	const char *wrong = NULL;

	if (nsessions == SESSIONS_MAX) {
		message("more than %d sessions: ignoring the session at 0x%" PRIx64, SESSIONS_MAX, at);
		return;
	}
	switch (kc_anchor_read(memory, at, &anchor, &wrong)) {
	case KC_NO_ANCHOR:
		break;
	case KC_DAMAGED:
		message("cannot use the anchor at 0x%" PRIx64 ": %s", at, wrong);
		ndamaged++;
		break;
	case KC_ANCHOR:
		wrong = kc_session_open(s, memory, &anchor);
		if (!wrong) {
			nsessions++;
			return;
		}
		message("cannot use the session at 0x%" PRIx64 ": %s", at, wrong);
		ndamaged++;
		kc_session_free(s);
		break;
	}
	kc_anchor_free(&anchor);
}

/* Returns whether a later session has the same name. Session @s is then from an earlier boot. */
static bool is_old(const struct kc_session *s)
{
	size_t i;

	for (i = 0; i < nsessions; i++)
		if (!strcmp(sessions[i].info.name, s->info.name) &&
		    sessions[i].anchor.head.created_ns > s->anchor.head.created_ns)
			return true;
	return false;
}

static void find_sessions(struct kc_memory *memory, const struct arguments *a)
{
	uint64_t at = 0;

	if (a->one_anchor) {
		add_session(memory, a->anchor);
		return;
	}
	progress_begin("searching");
	for (; kc_anchor_next(memory, &at, progress); at += KUTRACE_ANCHOR_BYTES)
		add_session(memory, at);
	progress_end();
}

static struct kc_session *select_session(const struct arguments *a)
{
	struct kc_session *only = NULL, *main_one = NULL;
	size_t i, recorded = 0;

	for (i = 0; i < nsessions; i++) {
		struct kc_session *s = &sessions[i];

		if (is_old(s) && !a->one_anchor)
			continue;
		if (a->session && !strcmp(s->info.name, a->session))
			return s;
		if (!s->info.start.counts)
			continue;
		recorded++;
		only = s;
		if (!strcmp(s->info.name, KUTRACE_SESSION_MAIN))
			main_one = s;
	}
	if (a->session) {
		message("%s: it has no session %s; try --list", a->vmcore, a->session);
		return NULL;
	}
	if (!recorded)
		message("%s: no session has recorded anything", a->vmcore);
	else if (recorded > 1 && !main_one)
		message("%s: %zu sessions have recorded something: select one by --session NAME; try --list",
			   a->vmcore, recorded);
	else if (recorded > 1)
		message("this is session main; other sessions that have recorded something: "
			   "%zu (--list)", recorded - 1);
	return recorded > 1 ? main_one : only;
}

/* --- commands -------------------------------------------------------------------------- */

static int list_all(const struct arguments *a)
{
	struct ku_report r = ku_report_begin(stdout);
	size_t i;

	if (a->json)
		ku_report_lines(&r, NULL, '[', 1);
	else
		printf("%-20s %-10s %7s %5s %-18s %s\n", "SESSION", "STATE", "BLOCKS", "CPUS",
		       "ANCHOR", "KERNEL");
	for (i = 0; i < nsessions; i++) {
		if (is_old(&sessions[i]))
			message("the session at 0x%" PRIx64 " is from an earlier boot", sessions[i].anchor.at);
		if (a->json)
			report_session(&r, &sessions[i], NULL);
		else
			print_session(&sessions[i]);
	}
	if (a->json)
		ku_report_end(&r);
	return KC_OK;
}

/* Reports missing memory. Data that were not read for this reason are not damaged. */
static bool out_of_memory(const struct kc_memory *memory, const struct arguments *a)
{
	if (memory->file.error != ENOMEM)
		return false;
	message("cannot read %s: no memory", a->vmcore);
	return true;
}

/* Catches the signals, unless they are ignored, so that no part of a file remains. */
static void catch_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	size_t i;

	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (signal(caught[i], on_signal) == SIG_IGN)
			signal(caught[i], SIG_IGN);
}

static int write_trace(const struct arguments *a)
{
	struct kc_session *s = select_session(a);
	struct kutrace_dump_result written;
	const char *wrong;
	size_t found;
	int ret;

	if (!s)
		return KC_FAILED;
	if (!s->info.start.counts)
		return message("%s: session %s was never on", a->vmcore, s->info.name);
	found = s->nblocks;
	progress_begin("reading blocks");
	wrong = kc_session_load(s, progress);
	if (wrong)
		return message("%s: %s", a->vmcore, wrong);
	if (out_of_memory(s->memory, a))
		return KC_FAILED;
	print_damage(s);
	if (!s->nblocks && found)
		return message("%s: all blocks of session %s are damaged", a->vmcore, s->info.name);
	progress_begin("writing");
	if (a->output)
		catch_signals();
	ret = kc_trace_write(s, a->output, write_progress, &written);
	if (ret && interrupted) {
		progress_end();
		ku_die_of(interrupted);
	}
	if (ret)
		return message("cannot write %s: %s", a->output ? a->output : "standard output",
			   ret == -EBADMSG ? "the session's clock is damaged: no trace can be made"
				       : strerror(-ret));
	print_written(s, &written);
	if (a->json) {
		struct ku_report r = ku_report_begin(stdout);

		report_session(&r, s, &written);
		ku_report_end(&r);
	}
	return KC_OK;
}

static int run(const struct arguments *a, struct kc_memory *memory)
{
	const char *wrong = kc_memory_open(memory, a->vmcore);
	int status;

	if (wrong)
		return message("cannot read %s: %s", a->vmcore,
			   memory->file.error ? strerror(memory->file.error) : wrong);
	if (memory->note[0])
		message("%s: %s", a->vmcore, memory->note);
	memory->note[0] = '\0';
	find_sessions(memory, a);
	if (out_of_memory(memory, a))
		return KC_FAILED;
	if (nsessions)
		status = a->list ? list_all(a) : write_trace(a);
	else if (memory->note[0])
		status = KC_FAILED;
	else {
		message("%s: %s", a->vmcore, ndamaged ? "it has no other data of KUtrace" :
			   a->one_anchor ? "there is no anchor at that address" :
			   "it has no data of KUtrace: was the module loaded, "
			   "and does the dump contain the kernel's pages?");
		status = KC_FAILED;
	}
	if (memory->note[0])
		message("%s: %s", a->vmcore, memory->note);
	/* use the readable parts, but report the error: a disk may be damaged */
	if (memory->file.error && memory->file.error != ENOMEM) {
		message("cannot read parts of %s, so their content is missing: %s", a->vmcore,
			   strerror(memory->file.error));
		status = KC_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct arguments a = {0};
	struct kc_memory memory;
	int status;
	size_t i;

	ku_take_std_fds();
	signal(SIGXFSZ, SIG_IGN);	/* write() returns EFBIG instead */
	parse(&a, argc, argv);
	status = run(&a, &memory);
	for (i = 0; i < nsessions; i++)
		kc_session_free(&sessions[i]);
	kc_memory_close(&memory);
	if ((a.list || a.json) && (fflush(stdout) || ferror(stdout) || fclose(stdout))) {
		message("cannot write standard output: %s", strerror(errno));
		status = KC_FAILED;
	}
	return status;
}
