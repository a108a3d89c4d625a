// SPDX-License-Identifier: BSD-3-Clause
/*
 * Explains in a few lines what one thread of a trace did: how long it ran, on what it spent its time, its longest waits,
 * and the worst findings of its program. Reads the JSON of rawtohtml, spantowhy and spantoprof, which have one object on
 * each line. Must not run them with more rights than the trace's owner has.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "front/front.h"

#define WAITS		3	/* number of the longest waits that are printed */
#define PARTS		3	/* number of the largest parts of a sum that are printed */
#define PARTS_MAX	64
#define TEXT_BYTES	80
#define OWN_CODE	"its own code"	/* the thread was in no call */

/* A part of a sum: a time and the call in which it was spent. */
struct part {
	char name[TEXT_BYTES];
	double s;
};

struct parts {
	struct part part[PARTS_MAX];
	size_t count;
};

struct wait {
	double start_s, s;
	char in[TEXT_BYTES], cause[TEXT_BYTES], waker[TEXT_BYTES], waker_in[TEXT_BYTES];
};

struct answer {
	long long pid;
	char name[TEXT_BYTES];
	double run_s, runnable_s, unknown_s, waited_s;
	struct parts waits, runs;
	struct wait longest[WAITS];	/* the longest first; s is 0 if there are fewer */
	char *findings;			/* lines about the worst findings; NULL: none were read */
};

/* Returns the text after the first @key in @line, or NULL. @key includes the quotes, the colon and the blank. */
static const char *value(const char *line, const char *key)
{
	const char *at = line ? strstr(line, key) : NULL;

	return at ? at + strlen(key) : NULL;
}

static double number(const char *line, const char *key)
{
	const char *at = value(line, key);

	return at ? strtod(at, NULL) : 0;
}

/* Copies the string value of @key, without escapes. The copy is empty if the value is no string. */
static void text(const char *line, const char *key, char to[TEXT_BYTES])
{
	const char *at = value(line, key);
	size_t used = 0;

	if (at && *at == '"')
		for (at++; *at && *at != '"' && used < TEXT_BYTES - 1; at++) {
			if (*at == '\\' && at[1])
				at++;
			to[used++] = *at;
		}
	to[used] = '\0';
}

static void add(struct parts *parts, const char *name, double s)
{
	size_t i = 0;

	while (i < parts->count && strcmp(parts->part[i].name, name))
		i++;
	if (i == PARTS_MAX || s <= 0)
		return;
	if (i == parts->count) {
		snprintf(parts->part[i].name, TEXT_BYTES, "%s", name);
		parts->part[i].s = 0;
		parts->count++;
	}
	parts->part[i].s += s;
}

/* --- the programs' output ------------------------------------------------------ */

static void read_gap(struct answer *a, const char *line)
{
	const char *waker = value(line, "\"waker\": ");
	struct wait wait = {.start_s = number(line, "\"start\": "), .s = number(line, "\"waited\": ")}, other;

	text(line, "\"in\": ", wait.in);
	text(line, "\"for\": ", wait.cause);
	if (waker && *waker == '{') {
		text(waker, "\"name\": ", wait.waker);
		text(waker, "\"in\": ", wait.waker_in);
	}
	if (!strcmp(wait.in, "user"))
		strcpy(wait.in, OWN_CODE);
	add(&a->waits, *wait.in ? wait.in : OWN_CODE, wait.s);
	for (size_t i = 0; i < WAITS; i++)
		if (wait.s > a->longest[i].s) {
			other = a->longest[i];
			a->longest[i] = wait;
			wait = other;
		}
}

/* Copies the string of a line, and ends it with a newline. Of the escapes, spantowhy uses only \" and \\ here. */
static void read_finding(FILE *to, const char *line)
{
	const char *at = strchr(line, '"');

	while (at && *++at && *at != '"') {
		if (*at == '\\' && at[1])
			at++;
		fputc(*at, to);
	}
	if (at)
		fputc('\n', to);
}

/* Reads the output of spantowhy --json up to the critical path. */
static void read_why(FILE *f, struct answer *a)
{
	bool gaps = false, findings = false;
	char *line = NULL;
	size_t size = 0, length;
	FILE *lines = open_memstream(&a->findings, &length);

	while (lines && getline(&line, &size, f) > 0 && !value(line, "\"path\": [")) {
		gaps |= value(line, "\"gaps\": [") != NULL;
		if (findings) {
			read_finding(lines, line);
			findings = !front_ends_with(line, "\"],\n");
		} else if (value(line, "\"worst\": [")) {
			findings = true;
		} else if (gaps) {
			read_gap(a, line);
		} else if (value(line, "{\"pid\": ")) {
			a->pid = (long long)number(line, "{\"pid\": ");
			text(line, "\"name\": ", a->name);
			a->run_s = number(line, "\"run\": ");
			a->runnable_s = number(line, "\"runnable\": ");
			a->unknown_s = number(line, "\"unknown\": ");
		}
	}
	free(line);
	if (lines)
		fclose(lines);
	for (size_t i = 0; i < a->waits.count; i++)
		a->waited_s += a->waits.part[i].s;
}

/* Reads the kinds of execution of the thread from the output of spantoprof --json. */
static void read_prof(FILE *f, struct answer *a)
{
	char *line = NULL, kind[TEXT_BYTES];
	bool own = false;
	size_t size = 0;

	while (getline(&line, &size, f) > 0) {
		if (value(line, "{\"pid\": "))
			own = (long long)number(line, "{\"pid\": ") == a->pid;
		else if (own && value(line, "\"class\": \"cpu\"")) {
			text(line, "\"kind\": ", kind);
			add(&a->runs, !strcmp(kind, "user") ? OWN_CODE : kind, number(line, "\"time\": "));
		}
	}
	free(line);
}

/* A program whose output is read. */
struct output {
	pid_t pid;
	FILE *f;
};

/* Starts the program, and does not wait for it. Returns false after an error. */
static bool start(struct output *o, const char *program, char **argv, const struct cmd_user *user)
{
	char path[4200];
	int ends[2];

	if (!front_find_program("run", program, path, sizeof(path)) || pipe2(ends, O_CLOEXEC))
		return false;
	argv[0] = path;
	o->pid = front_start(argv, ends[1], user);
	o->f = o->pid > 0 ? fdopen(ends[0], "r") : NULL;
	close(ends[1]);
	if (!o->f)
		close(ends[0]);
	return o->f;
}

/* Reads the rest of the output. Returns the exit status. */
static int finish(struct output *o)
{
	char rest[4096];

	while (fread(rest, 1, sizeof(rest), o->f))
		;
	fclose(o->f);
	return front_wait(o->pid);
}

/* --- the lines ----------------------------------------------------------------- */

static const char *duration(double s, char buffer[20])
{
	static const struct {
		double s;
		const char *unit;
	} units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
	size_t i = 0;

	while (i < 2 && s < units[i].s)
		i++;
	snprintf(buffer, 20, "%.3f %s", s / units[i].s, units[i].unit);
	return buffer;
}

static const char *printable(const char *name)
{
	static char buffers[2][TEXT_BYTES];
	static unsigned int next;

	return cmd_printable(name, buffers[++next % 2], TEXT_BYTES);
}

static int larger_first(const void *a, const void *b)
{
	const double x = ((const struct part *)a)->s, y = ((const struct part *)b)->s;

	return (x < y) - (x > y);
}

static void print_sum(double s, const char *what, struct parts *parts, const char *before)
{
	char buffer[20];

	if (s <= 0)
		return;
	fprintf(stderr, "  %11s  %s", duration(s, buffer), what);
	qsort(parts->part, parts->count, sizeof(parts->part[0]), larger_first);
	for (size_t i = 0; i < parts->count && i < PARTS; i++)
		fprintf(stderr, "%s%s %s%s", i ? ", " : ": ", duration(parts->part[i].s, buffer), before,
			printable(parts->part[i].name));
	fputs(parts->count > PARTS ? ", ...\n" : "\n", stderr);
}

static void print_wait(const struct wait *w)
{
	char buffer[20];

	fprintf(stderr, "  %11s  at %.6f s", duration(w->s, buffer), w->start_s);
	if (*w->in)
		fprintf(stderr, " in %s", printable(w->in));
	if (*w->cause && strcmp(w->cause, "unk"))
		fprintf(stderr, ", for %s", printable(w->cause));
	/* on an idle CPU, an interrupt is the waker */
	if (!strcmp(w->waker, "-idle-"))
		fprintf(stderr, ", until %s woke it", *w->waker_in ? printable(w->waker_in) : "an interrupt");
	else if (*w->waker)
		fprintf(stderr, ", until %s woke it", printable(w->waker));
	if (*w->waker_in && strcmp(w->waker, "-idle-") && strcmp(w->waker_in, "kernel") && strcmp(w->waker_in, "user"))
		fprintf(stderr, " in %s", printable(w->waker_in));
	fputc('\n', stderr);
}

static void print_answer(struct answer *a)
{
	struct parts none = {0};
	char buffer[20];

	fprintf(stderr, "%s lasted %s:\n", printable(a->name),
		duration(a->run_s + a->runnable_s + a->unknown_s + a->waited_s, buffer));
	print_sum(a->run_s, "on a CPU", &a->runs, "");
	print_sum(a->waited_s, "waiting", &a->waits, "in ");
	print_sum(a->runnable_s, "ready, but no CPU was free", &none, "");
	print_sum(a->unknown_s, "not running, for an unknown reason", &none, "");
	if (a->longest[0].s > 0)
		fputs("longest waits:\n", stderr);
	for (size_t i = 0; i < WAITS && a->longest[i].s > 0; i++)
		print_wait(&a->longest[i]);
	if (a->findings)
		fputs(a->findings, stderr);
}

/* Returns the pid of the recorded program from the header of the span JSON; 0: the trace has none. */
static long long read_run_pid(FILE *f)
{
	long long pid = 0;
	char *line = NULL;
	size_t size = 0;

	while (!pid && getline(&line, &size, f) > 0 && !value(line, "\"events\" : ["))
		if (value(line, "\"coverage"))
			pid = (long long)number(line, "\"run\": ");
	free(line);
	return pid;
}

static long long find_run_pid(const char *trace, const struct cmd_user *user)
{
	char *spans[] = {NULL, "--json", "--", (char *)(uintptr_t)trace, NULL};
	struct output o;
	long long pid;

	if (!start(&o, "rawtohtml", spans, user))
		return 0;
	pid = read_run_pid(o.f);
	/* the spans are not needed */
	kill(o.pid, SIGTERM);
	finish(&o);
	return pid;
}

/*
 * Reads what both programs print about the thread @thread (a pid or a name). Returns false, after a message, if
 * spantowhy is missing.
 */
static bool read_answer(const char *trace, const char *thread, bool findings, const struct cmd_user *user, struct answer *a)
{
	char *why[] = {NULL, "--json", "--pid", (char *)(uintptr_t)thread, "--", (char *)(uintptr_t)trace, NULL};
	char *worst[] = {NULL, "--json", "--worst", CMD_WORST, "--pid", (char *)(uintptr_t)thread, "--", (char *)(uintptr_t)trace, NULL};
	char *prof[] = {NULL, "--json", "--", (char *)(uintptr_t)trace, NULL};
	struct output first, second;
	bool both;

	if (!start(&first, "spantowhy", findings ? worst : why, user))
		return false;
	both = start(&second, "spantoprof", prof, user);
	read_why(first.f, a);
	if (finish(&first))
		a->pid = 0;
	if (both && a->pid)
		read_prof(second.f, a);
	else if (both)
		kill(second.pid, SIGTERM);
	if (both)
		finish(&second);
	return true;
}

static void print_no_thread(const char *trace, const char *name, long long pid, const char *filter)
{
	fputs("the trace has no thread ", stderr);
	if (pid)
		fprintf(stderr, "with the pid %lld, which %s had", pid, printable(name));
	else
		fprintf(stderr, "with the name %s", printable(name));
	if (filter)
		fprintf(stderr, "; %s can be the cause: it leaves out events", filter);
	fputs("; \"kutrace top ", stderr);
	cmd_print_word(trace);
	fputs("\" lists all\n", stderr);
}

void front_answer(const char *trace, const char *name, const char *filter, bool findings, const struct cmd_user *user)
{
	static const char busy[] = "reading the trace ...";
	const bool terminal = isatty(STDERR_FILENO);
	static struct answer a;
	char thread[TEXT_BYTES];
	long long pid;
	bool done;

	if (terminal)
		fputs(busy, stderr);
	/* the program can replace itself by another one, as env does: its pid does not change then */
	pid = find_run_pid(trace, user);
	if (pid)
		snprintf(thread, sizeof(thread), "%lld", pid);
	else
		snprintf(thread, sizeof(thread), "%s", name);
	done = read_answer(trace, thread, findings, user, &a);
	if (terminal)
		fprintf(stderr, "\r%*s\r", (int)sizeof(busy), "");
	if (!done)
		return;
	if (a.pid)
		print_answer(&a);
	else
		print_no_thread(trace, name, pid, filter);
}
