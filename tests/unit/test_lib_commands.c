// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control's commands for sessions, switches and triggers on the fake module:
 * their calls to the module, their output, and the sessions and files that remain.
 */
#include <time.h>

#include "lib_tool.h"

static int64_t jump_s;	/* seconds added to the date at each reading of the clock */

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
	static int64_t jumped_s;
	int ret = __real_clock_gettime(id, now);

	if (id == CLOCK_REALTIME)
		now->tv_sec += jumped_s += jump_s;
	return ret;
}

static int fresh_with_sessions(void **state)
{
	fresh(state);
	fake_with_sessions();
	return 0;
}

/* Splits a command line without the program's name at blanks. */
static int words_of(char *line, char **argv)
{
	int argc = 0;

	for (line = strtok(line, " "); line; line = strtok(NULL, " "))
		argv[argc++] = line;
	argv[argc] = NULL;
	return argc;
}

static int do_words(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[0], "--session")) {
		if (cmd_set_session(argv[1]))
			return CMD_USAGE;
		argc -= 2;
		argv += 2;
	}
	if (argc > 2 || !cmd_is_command(argv[0]))
		return cmd_do_argv(argc, argv);
	return cmd_do(argv[0], argc > 1 ? argv[1] : NULL);
}

static int do_line(int argc, char **argv)
{
	int status = do_words(argc, argv);

	cmd_close_session();	/* the program does this at its end */
	return status;
}

static int tool(const char *line)
{
	char text[400], *argv[40];

	snprintf(text, sizeof(text), "%s", line);
	return call(do_line, words_of(text, argv), argv, "");
}

static struct fake_session *session(const char *name)
{
	int i;

	for (i = 1; i < FAKE_SESSIONS; i++)
		if (fake->session[i].used && !strcmp(fake->session[i].info.name, name))
			return &fake->session[i];
	return NULL;
}

static void contains(const char *text, const char *what)
{
	if (!strstr(text, what))
		print_error("'%s' is not in '%s'\n", what, text);
	assert_non_null(strstr(text, what));
}

static void sessions_are_made_listed_and_destroyed(void **state)
{
	(void)state;
	assert_int_equal(tool("session create one --size 2 --wrap"), 0);
	assert_string_equal(out, "");
	assert_string_equal(err, "");
	assert_non_null(session("one"));
	assert_true(session("one")->keep);
	assert_int_equal(session("one")->info.nblocks, 32);
	assert_int_equal(session("one")->info.flags, KUTRACE_RESET_WRAP);
	assert_int_equal(tool("session create one"), 1);
	assert_string_equal(err, "kutrace_control: session create: session one: a session "
				 "with that name exists: use another name, or destroy it\n");
	assert_int_equal(tool("session create big --size 2000"), 1);
	contains(err, "session big: no memory for its buffer, on this machine or in this memory "
		 "cgroup: take a smaller --size");
	assert_int_equal(tool("session create a/b"), 1);
	contains(err, "session a/b: bad name: use up to 31 letters (a-z, A-Z), digits");
	assert_int_equal(tool("session create two"), 0);
	assert_int_equal(tool("session create three"), 0);
	assert_int_equal(tool("session create four"), 1);
	contains(err, "session four: there are 16 sessions already: destroy one");
	assert_int_equal(tool("session list"), 0);
	contains(out, "main             off          18 MB   0 % used, of own\"er (uid 7, pid 42), "
		      "all\n");
	contains(out, "\none              off           2 MB   0 % used, wrap, of ");
	assert_int_equal(tool("session list --json"), 0);
	starts_with(out, "[\n{\"name\": \"main\", \"id\": 0, \"mb\": 18, \"recording\": false, ");
	contains(out, "},\n{\"name\": \"one\", \"id\": 1, \"mb\": 2, \"recording\": false, "
		      "\"wrap\": true, \"keep\": true, \"blocks\": 32, ");
	contains(out, "\"owner_comm\": \"own\\\"er\", \"kinds\": [\"context_switch\", ");
	contains(out, "]}\n]\n");
	assert_int_equal(tool("session destroy one"), 0);
	assert_null(session("one"));
	assert_int_equal(tool("session destroy one"), 1);
	contains(err, "session destroy: session one: no such session: ");
	assert_int_equal(tool("session destroy main"), 1);
	contains(err, "cannot destroy the main session: it exists as long as the module; try rmmod kutrace");
	assert_int_equal(tool("--session one status"), 1);
	assert_string_equal(err, "kutrace_control: status: session one: no such session: "
				 "\"kutrace_control session list\" lists the sessions\n");
	assert_int_equal(tool("--session one mask none"), 1);
	assert_int_equal(fake->info.kinds, KUTRACE_KINDS_ALL);
}

static void a_recording_in_a_session(void **state)
{
	(void)state;
	assert_int_equal(tool("--session mine start --size 3 --wrap"), 0);
	assert_string_equal(err, "");
	assert_non_null(session("mine"));
	assert_true(session("mine")->keep);
	assert_int_equal(session("mine")->info.recording, 1);
	assert_int_equal(session("mine")->info.attended, 0);
	assert_int_equal(session("mine")->info.nblocks, 48);
	assert_int_equal(fake->info.recording, 0);
	/* neither recording disturbs the other */
	assert_int_equal(tool("go"), 0);
	assert_int_equal(fake->info.recording, 1);
	assert_int_equal(fake->info.attended, 0);
	assert_int_equal(tool("--session mine start"), 1);
	contains(err, "start: already recording, started by fake (pid ");
	contains(err, "\"kutrace_control --session mine stop\" writes it");
	assert_int_equal(tool("--session mine stat"), 0);
	contains(out, "recording, 0 of 48 blocks used");
	assert_int_equal(tool("off"), 0);
	assert_int_equal(session("mine")->info.recording, 1);
	assert_int_equal(tool("--session mine off"), 0);
	assert_int_equal(session("mine")->info.recording, 0);
	assert_int_equal(tool("--session mine start --size 4"), 1);
	contains(err, "--size 4: session mine has 3 MB: \"kutrace_control session destroy mine\"");
	assert_int_equal(tool("start --size 4"), 1);
	contains(err, "--size 4: the main session has 18 MB since the module was loaded: use "
		      "another one, with --session NAME");
	/* a recording that could not begin leaves no session */
	fake->refuse = 1 << KUTRACE_CMD_ON;
	assert_int_equal(tool("--session failed start"), 1);
	assert_null(session("failed"));
	fake->refuse = 0;
}

/* Makes these the CPUs of the machine. */
static void possible_cpus(const char *list)
{
	FILE *f = fopen("possible", "w");

	assert_non_null(f);
	fputs(list, f);
	fclose(f);
	cmd_possible_cpus = "possible";
}

static void masks_and_filters(void **state)
{
	const uint64_t softirq = 1ULL << KUTRACE_KIND_CALL_BH;

	(void)state;
	assert_int_equal(tool("mask -softirq"), 0);
	assert_int_equal(fake->info.kinds, KUTRACE_KINDS_ALL & ~softirq);
	assert_int_equal(tool("mask"), 0);
	contains(out, "softirq   off softirq\n");
	contains(out, "irq       on  interrupt\n");
	assert_int_equal(tool("mask mark_a,softirq"), 0);
	assert_int_equal(fake->info.kinds, softirq | 1ULL << KUTRACE_KIND_MARKA);
	assert_int_equal(tool("mask"), 0);
	contains(out, "mark          mark_a; off: rpc_request ");
	assert_int_equal(tool("mask --json"), 0);
	contains(out, "\"on\": [\"mark_a\", \"softirq\"],\n\"off\": [\"context_switch\", ");
	assert_int_equal(tool("tracepoint mark_? on"), 0);
	assert_int_equal(fake->info.kinds >> KUTRACE_KIND_MARKA & 0xF, 0xF);
	assert_int_equal(tool("tracepoint irq on"), 0);
	assert_int_equal(fake->info.kinds >> KUTRACE_KIND_CALL_IRQ & 1, 1);
	assert_int_equal(tool("tracepoint softirq off"), 0);
	assert_int_equal(fake->info.kinds & softirq, 0);
	assert_int_equal(tool("tracepoint nosuch* on"), 1);
	contains(err, "tracepoint: nosuch*: no such category, kind or tracepoint");
	assert_int_equal(tool("go"), 0);
	assert_string_equal(err, "kutrace_control: records only some kinds of events, because "
				 "of mask: see status\n");
	possible_cpus("0-2,64-66\n");
	assert_int_equal(tool("filter --cpus 0,3"), 2);
	assert_string_equal(err, "kutrace_control: filter: --cpus: 0,3: no CPU 3; this machine has CPUs 0-2,64-66\n");
	assert_int_equal(tool("start --cpus 60-65"), 2);
	contains(err, "start: --cpus: 60-65: no CPU 60; this machine has CPUs 0-2,64-66\n");
	assert_int_equal(tool("filter --pid 5,6 --group 7 --cpus 0-2,65 --pid 9"), 0);
	assert_int_equal(fake->session[0].filter.npids, 3);
	assert_int_equal(fake->session[0].filter.pids[2], 9);
	assert_int_equal(fake->session[0].filter.groups[0], 7);
	assert_int_equal(fake->session[0].filter.cpus[0], 7);
	assert_int_equal(fake->session[0].filter.cpus[1], 2);
	assert_int_equal(tool("status"), 0);
	contains(out, "\nmask        irq mark_a mark_b mark_c mark_d\n");
	contains(out, "\nfilter      some tasks or CPUs only\n");
	assert_int_equal(tool("filter none"), 0);
	assert_int_equal(fake->session[0].filter.npids, 0);
	assert_int_equal(tool("filter --cgroup /no/such/group"), 2);
	contains(err, "filter: --cgroup: /no/such/group: no such cgroup (of version 2)");
	/* without /sys, any CPU may exist */
	cmd_possible_cpus = "absent";
	assert_int_equal(tool("filter --cpus 4095"), 0);
}

static void start_accepts_all_options(void **state)
{
	struct fake_session *s;

	(void)state;
	assert_int_equal(tool("--session t start --mask syscall --pid 77 --trigger syscall>5ms "
			      "--trigger mark:abc@9 --after 250"), 0);
	s = session("t");
	assert_non_null(s);
	assert_int_equal(s->info.kinds & ~KUTRACE_KINDS_FIXED,
			 kutrace_category(KUTRACE_CAT_SYSCALL, NULL, 0, NULL));
	assert_int_equal(s->filter.pids[0], 77);
	assert_int_equal(s->info.triggers, 2);
	assert_int_equal(s->trigger[0].over_ns, 5000000);
	assert_int_equal(s->trigger[1].pid, 9);
	assert_int_equal(s->trigger[1].after_ms, 250);
	assert_int_equal(s->trigger[1].flags, 0);
	assert_int_equal(s->info.flags, KUTRACE_RESET_WRAP);
	assert_int_equal(tool("--session t status --json"), 0);
	contains(out, "{\n\"session\": \"t\",\n");
	contains(out, "\"filtered\": true,\n\"attended\": false,\n");
	contains(out, "\"triggers\": 2,\n\"fired\": 0\n}\n");
	/* the kernel does not report the trigger's event: no session remains */
	assert_int_equal(tool("--session u start --trigger runq>5ms"), 1);
	assert_string_equal(err, "kutrace_control: start: --trigger: this kernel does not report "
				 "such events: see \"not exact\" in status\n");
	assert_null(session("u"));
	assert_int_equal(tool("start --trigger runq>5ms"), 1);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(fake->info.attended, 0);
}

static void run_makes_a_session_if_necessary(void **state)
{
	(void)state;
	/* run uses the main session if it is free */
	assert_int_equal(tool("run -o r.trace -- true"), 0);
	assert_int_equal(fake->next_id, 0);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(fake->info.attended, 0);
	/* run does not change a setting that would remain in the main session */
	assert_int_equal(tool("run --mask syscall -o r.trace -- true"), 0);
	assert_int_equal(fake->next_id, 1);
	assert_int_equal(fake->info.kinds, KUTRACE_KINDS_ALL);
	assert_int_equal(fake->session[1].used, false);
	assert_int_equal(tool("run --size 1 -o r.trace -- true"), 0);
	assert_int_equal(fake->session[1].info.nblocks, 16);
	/* the main session is busy: run makes another one */
	fake->info.recording = 1;
	fake->info.start.counts = 5;
	assert_int_equal(tool("run -o r.trace -- true"), 0);
	starts_with(err, "kutrace_control: run: the main session is recording already: recording "
			 "in session run-");
	assert_int_equal(fake->info.recording, 1);
	assert_int_equal(fake->session[1].used, false);
	assert_int_equal(access("r.trace", F_OK), 0);
	/* if the user named a session, run uses no other session */
	assert_int_equal(tool("--session main run -o r.trace -- true"), 0);
	assert_int_equal(tool("--session x start"), 0);
	assert_int_equal(tool("--session x run -- true"), 125);
	contains(err, "run: already recording, started by fake");
}

static void a_recording_that_cannot_be_written_stays_in_its_session(void **state)
{
	char name[40] = "";
	const char *at;

	(void)state;
	assert_int_equal(mkdir("gone", 0700), 0);
	assert_int_equal(tool("run --size 1 -o gone/r.trace -- rmdir gone"), 125);
	contains(err, "run: gone/r.trace: no such folder; make it, or use another -o\n");
	at = strstr(err, "the recording is kept in session ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "the recording is kept in session %31[^:]", name), 1);
	assert_non_null(session(name));
	assert_true(session(name)->keep);
	assert_int_equal(session(name)->info.recording, 0);
	contains(err, "dump FILE\" writes it, ");
	/* if the recording is in the main session, there is no message about the session */
	assert_int_equal(tool("run -o no/such/r.trace -- true"), 125);
	assert_null(strstr(err, "is kept in session"));
}

/* Writes a program that ends when a given file exists, or after a minute. */
static void make_until(void)
{
	FILE *f = fopen("until", "w");

	assert_non_null(f);
	fputs("#!/bin/sh\ni=0\nuntil [ -e $1 ] || [ $i = 600 ]; do sleep 0.1; i=$((i + 1)); done\n", f);
	fclose(f);
	assert_int_equal(chmod("until", 0700), 0);
}

/* The trace has the pid of the program, if the pids in the trace are those of this process. */
static void run_records_the_pid_of_the_program(void **state)
{
	char pid[32] = "", fact[64];
	struct trace t;
	FILE *f;

	(void)state;
	f = fopen("write_pid", "w");
	assert_non_null(f);
	fputs("#!/bin/sh\necho $$ >pid\n", f);
	fclose(f);
	assert_int_equal(chmod("write_pid", 0700), 0);
	assert_int_equal(tool("run -o r.trace -- ./write_pid"), 0);
	f = fopen("pid", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%31s", pid), 1);
	fclose(f);
	snprintf(fact, sizeof(fact), "run=%s", pid);
	assert_true(trace_read(&t, "r.trace", 1));
	assert_true(trace_has_meta(&t, fact));
	trace_free(&t);
	/* the traces of other commands have no such fact */
	assert_int_equal(tool("start"), 0);
	assert_int_equal(tool("stop s.trace"), 0);
	assert_true(trace_read(&t, "s.trace", 1));
	for (size_t i = 0; i < t.nnames; i++)
		assert_int_not_equal(strncmp(t.names[i].text, "run=", 4), 0);
	trace_free(&t);
}

static void run_with_a_trigger(void **state)
{
	(void)state;
	make_until();
	/* no trigger fires */
	assert_int_equal(tool("run --trigger syscall>5ms -o r.trace -- sleep 0.2"), 0);
	starts_with(err, "kutrace_control: run: no trigger has fired\nr.trace: ");
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
	/* a trigger fires: the recording ends and the trace is written */
	unlink("r.trace");
	fake->fire_after = 2;
	assert_int_equal(tool("run --trigger syscall>5ms -o r.trace -- ./until r.trace"), 0);
	contains(err, "fired: syscall>5ms: futex took 7ms, culprit.1234 on CPU 2\n");
	assert_null(strstr(err, "no trigger"));
	/* with --snapshot, the recording continues */
	unlink("r.trace");
	fake->fire_after = 2;
	assert_int_equal(tool("run --trigger syscall>5ms --snapshot -o r.trace -- "
			      "./until r.trace.0001"), 0);
	contains(err, "r.trace.0001: ");
	assert_int_equal(access("r.trace", F_OK), 0);
	assert_int_equal(access("r.trace.0001", F_OK), 0);
	assert_int_equal(access("r.trace.0002", F_OK), -1);
	fake->fire_after = 0;
}

static void waiting(void **state)
{
	struct trace t;

	(void)state;
	assert_int_equal(tool("wait 0"), 0);	/* KUtrace 3 (Sites): sleep 0 s */
	assert_string_equal(err, "");
	assert_int_equal(tool("wait 0 1"), 2);
	assert_int_equal(tool("wait -- 0.5"), 2);
	assert_int_equal(tool("wait"), 1);
	assert_string_equal(err, "kutrace_control: wait: no trigger is set; try start "
				 "--trigger\n");
	assert_int_equal(tool("start --trigger syscall>5ms"), 0);
	assert_int_equal(tool("wait --timeout 0"), 1);
	contains(err, "wait: no trigger has fired in that time: wait again, or stop");
	assert_int_equal(fake->info.recording, 1);
	fake->fire_after = 3;
	assert_int_equal(tool("wait -o w.trace"), 0);
	assert_string_equal(err, "kutrace_control: fired: syscall>5ms: futex took 7ms, "
				 "culprit.1234 on CPU 2\n");
	starts_with(out, "w.trace: ");
	assert_true(trace_read(&t, "w.trace", 1));
	assert_true(trace_has_meta(&t, "fired=syscall>5ms"));
	assert_true(trace_has_meta(&t, "fired_by=futex took 7ms, culprit.1234 on CPU 2"));
	trace_free(&t);
	assert_int_equal(tool("wait --next --timeout 5"), 1);
	contains(err, "wait: the recording has ended, and no trigger has fired");
	assert_int_equal(tool("status"), 0);
	contains(out, "\nfired       1 times, last syscall>5ms: futex took 7ms, culprit.1234");
}

static void show_prints_the_events_of_the_buffer(void **state)
{
	(void)state;
	assert_int_equal(tool("show"), 1);
	contains(err, "show: nothing has been recorded: start a recording first");
	assert_int_equal(tool("go"), 0);
	assert_int_equal(tool("off"), 0);
	fill(0, 1, 0x123456);
	fake->block[0][2] = 42;
	fake->block[0][6] = (0x123460ULL & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
		(uint64_t)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | 7;
	fake->block[0][7] = (0x123470ULL & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
		(uint64_t)(KUTRACE_CALL_SYSCALL64 + 39) << KUTRACE_EVENT_SHIFT;
	fake->block[0][8] = (0x123480ULL & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
		(uint64_t)(KUTRACE_RET_SYSCALL64 + 39) << KUTRACE_EVENT_SHIFT | 42;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	assert_int_equal(tool("show"), 0);
	assert_string_equal(out,
		"22:13:20.000000320  1     42 42               mark_d=7\n"
		"22:13:20.000000832  1     42 42               getpid(0)\n"
		"22:13:20.000001344  1     42 42               /getpid = 42\n");
	assert_int_equal(tool("show -n 1"), 0);
	assert_string_equal(out, "22:13:20.000001344  1     42 42               /getpid = 42\n");
	/* a call and its return are one kind */
	assert_int_equal(tool("tracepoints syscall64"), 0);
	contains(out, "syscall64                syscall   on               1        0\n");
	assert_int_equal(tool("tracepoints mark_*"), 0);
	contains(out, "mark_d                   mark      on               1        0\n");
	fake->info.lost[KUTRACE_LOST_NAMES] = 5;
	fake->info.lost[KUTRACE_LOST_FULL] = 6;
	fake->lost_kinds[KUTRACE_KIND_NAME] = 5;
	fake->lost_kinds[KUTRACE_KIND_CALL_SYSCALL64] = 4;
	fake->lost_kinds[KUTRACE_KIND_CALL_SYSCALL32] = 2;
	assert_int_equal(tool("tracepoints --json task_name"), 0);
	contains(out, "{\"name\": \"task_name\", \"category\": \"process\", \"state\": \"on\", "
		      "\"hits\": 0, \"lost\": 5}");
	contains(out, "\"lost_by_cause\": {\"full\": 6, \"nested\": 0, \"noblock\": 0, "
		      "\"names\": 5, \"probe\": 0, \"rate\": 0},\n");
	assert_int_equal(tool("tracepoints syscall"), 0);
	contains(out, "syscall                            on               1        6\n");
	contains(out, "syscall64                syscall   on               1        4\n");
	contains(out, "\nlost: 6 (");
	assert_int_equal(tool("tracepoints nosuch"), 1);
	contains(err, "tracepoints: nosuch: no such category, kind or tracepoint");
	fake->info.categories = KUTRACE_MASK_SYSCALL;
	assert_int_equal(tool("tracepoints context_switch"), 0);
	contains(out, "context_switch           sched     none             0        0\n");
}

static void programs_that_cannot_be_switched_are_counted(void **state)
{
	uint32_t count = 7, behind = 7;

	(void)state;
	fake->points = 3;
	assert_int_equal(tool("tracepoint disk_* on"), 0);
	assert_string_equal(err, "");
	assert_string_equal(fake->switched.name, "disk_*");
	assert_int_equal(fake->switched.value, 1);
	fake->behind = 2;
	assert_int_equal(tool("tracepoint disk_* off"), 0);
	assert_int_equal(fake->switched.value, 0);
	assert_string_equal(out, "");
	starts_with(err, "kutrace_control: tracepoint: cannot switch 2 tracepoints of running "
			 "programs yet: ");
	contains(err, "switch off and on again later, or restart the programs");
	fake->behind = 1;
	assert_int_equal(tool("tracepoint disk_* on"), 0);
	starts_with(err, "kutrace_control: tracepoint: cannot switch 1 tracepoint of running programs ");
	assert_int_equal(kutrace_points_switch("disk_*", 1, &count, &behind), 0);
	assert_int_equal(count, 3);
	assert_int_equal(behind, 1);
	assert_int_equal(kutrace_points_switch("disk_*", 1, &count, NULL), 0);
	fake->points = 0;
	assert_int_equal(kutrace_points_switch("disk_*", 1, &count, &behind), -ESRCH);
	assert_int_equal(count, 0);
	assert_int_equal(behind, 0);
	assert_int_equal(tool("tracepoint irq on"), 0);
	assert_string_equal(err, "");
}

static void a_module_without_sessions(void **state)
{
	(void)state;
	fake->sessions = false;
	assert_int_equal(tool("start"), 0);
	assert_int_equal(tool("off"), 0);
	assert_int_equal(tool("run -o r.trace -- true"), 0);
	assert_int_equal(tool("mask"), 1);
	contains(err, "mask: the loaded module has another version: ");
	assert_int_equal(tool("session list"), 1);
	assert_int_equal(tool("start --trigger exit!=0"), 1);
	assert_int_equal(fake->info.recording, 0);
	fake->info.recording = 1;
	fake->info.start.counts = 5;
	assert_int_equal(tool("run -- true"), 125);
	contains(err, "run: already recording, started by ");
}

static void at_the_prompt(void **state)
{
	(void)state;
	assert_int_equal(typed("go\noff\nsnapshot -o o.trace\nsnapshot a b.trace\n"), 0);
	assert_int_equal(access("o.trace", F_OK), 0);
	assert_int_equal(access("a b.trace", F_OK), 0);
	assert_int_equal(typed("session create p --size 1\nmask -irq\ntracepoint irq on\n"
			       "filter --pid 3\nsession list\nrun true\n"), 2);
	contains(out, "\np                off           1 MB");
	contains(err, "run: not available at the prompt; run \"kutrace_control run ...\" in a shell");
	assert_int_equal(fake->info.kinds, KUTRACE_KINDS_ALL);
	assert_int_equal(fake->session[0].filter.pids[0], 3);
}

static void a_timeout_does_not_go_by_the_date(void **state)
{
	(void)state;
	assert_int_equal(tool("start --trigger mark:abc"), 0);
	fake->fire_after = 5;
	jump_s = 3600;
	assert_int_equal(tool("wait --timeout 60 -o w.trace"), 0);
	assert_int_equal(access("w.trace", F_OK), 0);
	/* a date that is set back does not make the wait longer */
	assert_int_equal(tool("start --trigger mark:abc"), 0);
	jump_s = -3600;
	assert_int_equal(tool("wait --timeout 1"), 1);
	contains(err, "no trigger has fired in that time");
	jump_s = 0;
	assert_int_equal(tool("off"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_timeout_does_not_go_by_the_date, fresh_with_sessions),
		cmocka_unit_test_setup(sessions_are_made_listed_and_destroyed,
				       fresh_with_sessions),
		cmocka_unit_test_setup(a_recording_in_a_session, fresh_with_sessions),
		cmocka_unit_test_setup(masks_and_filters, fresh_with_sessions),
		cmocka_unit_test_setup(start_accepts_all_options, fresh_with_sessions),
		cmocka_unit_test_setup(run_makes_a_session_if_necessary,
				       fresh_with_sessions),
		cmocka_unit_test_setup(a_recording_that_cannot_be_written_stays_in_its_session,
				       fresh_with_sessions),
		cmocka_unit_test_setup(run_records_the_pid_of_the_program, fresh_with_sessions),
		cmocka_unit_test_setup(run_with_a_trigger, fresh_with_sessions),
		cmocka_unit_test_setup(waiting, fresh_with_sessions),
		cmocka_unit_test_setup(show_prints_the_events_of_the_buffer, fresh_with_sessions),
		cmocka_unit_test_setup(programs_that_cannot_be_switched_are_counted,
				       fresh_with_sessions),
		cmocka_unit_test_setup(a_module_without_sessions, fresh_with_sessions),
		cmocka_unit_test_setup(at_the_prompt, fresh_with_sessions),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
