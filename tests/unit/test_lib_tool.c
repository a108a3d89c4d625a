// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kutrace_control's commands on the fake module: their output, their exit status, and their
 * effect on the recording. Each command runs in a child process with its standard streams in files.
 */
#include "lib_tool.h"

static void a_session_at_the_prompt(void **state)
{
	char expected[400];
	struct trace t;

	(void)state;
	assert_int_equal(typed("go\n\nstat\ntest\nstop my.trace\nstat\nquit\n"), 0);
	assert_string_equal(err, "");
	assert_true(trace_read(&t, "my.trace", 1));
	assert_true(trace_has_meta(&t, "tool=kutrace_control " KUTRACE_VERSION));
	snprintf(expected, sizeof(expected),
		 "recording, 0 of 300 blocks used (0 of 19200 KB), 0 lost\n"
		 "recording, 0 of 300 blocks used (0 of 19200 KB), 0 lost\n"
		 "module version 4, recording\n"
		 "my.trace: 0.032 s in 0 blocks of 64 KB, %zu names, 64 KB\n"
		 "off, 0 of 300 blocks used (0 of 19200 KB), 0 lost\n", t.nnames);
	assert_string_equal(out, expected);
	trace_free(&t);
}

static void stop_prints_the_losses(void **state)
{
	char expected[400];
	const char *full;

	(void)state;
	assert_int_equal(command("gowrap", NULL), 0);
	fill(0, 1, 0x123456);
	fill(1, 0, 0x123457);
	fake->info.wrapped = 1;
	fake->info.lost[KUTRACE_LOST_FULL] = 17;
	fake->info.lost[KUTRACE_LOST_NESTED] = 3;
	assert_int_equal(command("stop", "x.trace"), 0);
	starts_with(out, "x.trace: 0.032 s in 2 blocks of 64 KB (the last part: "
			 "older blocks were overwritten), ");
	assert_non_null(strstr(out, "\nlost: 17 (the buffer was full)\n"));
	assert_non_null(strstr(out, "\nlost: 3 (an NMI came while its CPU took a new block)\n"));
	assert_null(strstr(out, "no return probe"));
	assert_non_null(strstr(out, "\nthe end is missing: "));
	full = fake_full_device("full");
	if (full) {
		assert_int_equal(command("dump", full), 1);
		snprintf(expected, sizeof(expected), "kutrace_control: dump: %s: no space left "
			 "on the disk, no file written: the recording is kept; free some space or use "
			 "another file\n", full);
		assert_string_equal(err, expected);
	} else {
		print_message("no device nodes can be made here: no full disk\n");
	}
	assert_int_equal(command("dump", NULL), 0);
	starts_with(out, "kutrace_2");
}

static void recordings_of_other_users_are_not_disturbed(void **state)
{
	(void)state;
	assert_int_equal(command("go", NULL), 0);
	assert_int_equal(command("go", NULL), 1);
	starts_with(err, "kutrace_control: go: already recording, started by fake (pid ");
	assert_non_null(strstr(err, "\"kutrace_control stop\" writes it"));
	assert_int_equal(command("reset", "wrap"), 1);
	starts_with(err, "kutrace_control: reset: already recording, started by fake");
	assert_int_equal(command("flush", NULL), 1);
	assert_string_equal(err, "kutrace_control: flush: a recording is running: "
				 "stop it first\n");
	assert_int_equal(command("dump", "x.trace"), 1);
	assert_string_equal(err, "kutrace_control: dump: a recording is running: "
				 "stop it first\n");
	assert_int_equal(fake->info.recording, 1);
	/* at the end of the input, and at quit and exit, the prompt reports a running recording */
	assert_int_equal(typed("stat\n"), 0);
	assert_int_equal(fake->info.recording, 1);
	starts_with(err, "kutrace_control: still recording: ");
	assert_int_equal(typed("quit\n"), 0);
	assert_int_equal(fake->info.recording, 1);
	starts_with(err, "kutrace_control: still recording: \"kutrace_control stop\" ends and "
			 "writes it\n");
	assert_int_equal(typed("exit\n"), 0);
	assert_int_equal(fake->info.recording, 1);
	/* quit on the command line ends any recording */
	assert_int_equal(command("quit", NULL), 0);
	assert_int_equal(fake->info.recording, 0);
}

static void leaving_the_prompt_ends_its_recording(void **state)
{
	static const char *const begun[] = {"go", "gowrap", "start", "start --wrap", "on",
					    "go\noff\non"};
	char text[100];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(begun) / sizeof(begun[0]); i++) {
		fresh(NULL);
		snprintf(text, sizeof(text), "%s\nexit\n", begun[i]);
		assert_int_equal(typed(text), 0);
		assert_string_equal(err, "");
		assert_true(fake->info.start.counts);
		assert_int_equal(fake->info.recording, 0);
	}
}

static void a_second_go_in_a_session_starts_over(void **state)
{
	(void)state;
	assert_int_equal(typed("go\ngowrap\noff\n"), 0);
	assert_string_equal(err, "");
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
}

static void single_steps(void **state)
{
	(void)state;
	assert_int_equal(typed("reset wrap\ninit\non\noff\nflush\ndump a.trace\n"), 0);
	assert_string_equal(err, "");
	assert_int_equal(access("a.trace", F_OK), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
	fake->refuse = 1 << KUTRACE_CMD_RESET;
	assert_int_equal(command("goipc", NULL), 1);
	assert_string_equal(err, "kutrace_control: goipc: no hardware counters are available "
		"(most virtual machines have none): see dmesg, or record without them\n");
	fake->refuse = 0;
	assert_int_equal(typed("goipc\noff\n"), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_IPC);
	assert_int_equal(typed("reset ipc\n"), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_IPC);
	fresh(NULL);
	assert_int_equal(command("stop", NULL), 1);
	assert_string_equal(err, "kutrace_control: stop: nothing has been recorded: "
			    "start a recording first\n");
}

static void permission_and_version(void **state)
{
	(void)state;
	fake->open_error = EACCES;
	assert_int_equal(command("go", NULL), 1);
	assert_string_equal(err, "kutrace_control: go: no permission: run as root, or have "
				 "root put you into group tracing (usermod -aG), and log in again\n");
	fake->open_error = 0;
	fake->info.abi_version = 99;
	assert_int_equal(command("stat", NULL), 1);
	starts_with(err, "kutrace_control: stat: the loaded module has another version: ");
	fake->info.abi_version = KUTRACE_ABI_VERSION;
	fake->info.backend = KUTRACE_BACKEND_NONE;
	assert_int_equal(command("go", NULL), 1);
	starts_with(err, "kutrace_control: go: this kernel is not supported: ");
}

/*
 * Checks a refused go. The previous recording stays in the buffer, and must not be presented as the
 * new one.
 */
static void after_a_refused_go_the_old_recording_is_not_written(void **state)
{
	static const char *const refused[] = {"goipc", "goipcwrap", "start --ipc"};
	char typed_text[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		fresh(NULL);
		assert_int_equal(typed("go\nstop old.trace\n"), 0);
		assert_string_equal(err, "");
		fake->refuse = 1 << KUTRACE_CMD_RESET;
		snprintf(typed_text, sizeof(typed_text), "%s\nstop new.trace\n", refused[i]);
		assert_int_equal(typed(typed_text), 1);
		assert_non_null(strstr(err, "no hardware counters"));
		assert_non_null(strstr(err, "\nkutrace_control: stop: nothing has been recorded: "
			"the last start was refused; \"dump FILE\" writes the previous recording\n"));
		assert_int_equal(access("new.trace", F_OK), -1);
		/* an explicit dump still writes the old recording */
		snprintf(typed_text, sizeof(typed_text), "%s\ndump again.trace\n", refused[i]);
		assert_int_equal(typed(typed_text), 1);
		assert_int_equal(access("again.trace", F_OK), 0);
		/* a recording that begins afterwards is written as usual */
		snprintf(typed_text, sizeof(typed_text), "%s\non\nstop on.trace\n", refused[i]);
		assert_int_equal(typed(typed_text), 1);
		assert_int_equal(access("on.trace", F_OK), 0);
	}
	/* a running recording of another user is stopped, also after a refused command */
	fake->info.recording = 1;
	fake->refuse = 0;
	assert_int_equal(typed("goipc\nstop theirs.trace\n"), 1);
	assert_int_equal(access("theirs.trace", F_OK), 0);
}

static void stop_describes_the_ended_recording_that_it_writes(void **state)
{
	(void)state;
	assert_int_equal(typed("go\noff\nstop off.trace\n"), 0);
	assert_string_equal(err, "");
	assert_int_equal(command("stop", "ended.trace"), 0);
	starts_with(err, "kutrace_control: stop: no recording was on: this is the "
			 "recording that ended at 2023-11-");
	assert_non_null(strstr(err, ", started by fake (pid "));
	assert_int_equal(access("ended.trace", F_OK), 0);
}

/* --- run ------------------------------------------------------------------------- */

static int run_shell(const char *script, bool wrap)
{
	char *argv[] = {"run", "-o", "r.trace", "--", "sh", "-c",
			(char *)(uintptr_t)script, NULL};
	char *wrap_argv[] = {"run", "--wrap", "-o", "r.trace", "--", "sh", "-c",
			     (char *)(uintptr_t)script, NULL};

	unlink("r.trace");
	return wrap ? call(cmd_run, 8, wrap_argv, "") : call(cmd_run, 7, argv, "");
}

static void run_passes_the_status_on(void **state)
{
	(void)state;
	assert_int_equal(run_shell("echo said; cat; exit 0", false), 0);
	assert_string_equal(out, "said\n");
	starts_with(err, "r.trace: 0.032 s in 0 blocks of 64 KB, ");
	assert_int_equal(access("r.trace", F_OK), 0);
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(fake->info.flags, 0);
	assert_int_equal(run_shell("exit 41", true), 41);
	assert_int_equal(access("r.trace", F_OK), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
	assert_int_equal(run_shell("kill -KILL $$", false), 128 + SIGKILL);
	assert_int_equal(access("r.trace", F_OK), 0);
	/* a terminal sends the signal to both processes: the trace is still written */
	assert_int_equal(run_shell("kill -INT $PPID; exit 3", false), 3);
	assert_int_equal(access("r.trace", F_OK), 0);
	/* a signal to kutrace_control alone is passed to the program */
	assert_int_equal(run_shell("trap 'exit 7' TERM; kill -TERM $PPID; "
				   "i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done",
				   false), 7);
	assert_int_equal(access("r.trace", F_OK), 0);
}

/*
 * Checks that SIGXFSZ ends a program whose file grows too large, as without kutrace_control.
 */
static void run_gives_the_program_its_signals(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);	/* as main() of the program does */
	assert_int_equal(run_shell("ulimit -f 1; exec head -c 9999 /dev/zero >large", false),
			 128 + SIGXFSZ);
	signal(SIGXFSZ, SIG_DFL);
}

static void run_of_a_program_that_cannot_start(void **state)
{
	char *argv[] = {"run", "-o", "r.trace", "./no-such-program", NULL};
	FILE *f;

	(void)state;
	assert_int_equal(call(cmd_run, 4, argv, ""), 127);
	assert_string_equal(err, "kutrace_control: run: ./no-such-program: "
				 "No such file or directory: no trace was written\n");
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(access("r.trace", F_OK), -1);
	f = fopen("no-such-program", "w");
	fclose(f);
	assert_int_equal(call(cmd_run, 4, argv, ""), 126);
	assert_int_equal(fake->info.recording, 0);
}

static void run_does_not_run_without_a_recording(void **state)
{
	(void)state;
	fake->info.recording = 1;
	fake->info.start.counts = 5;
	strcpy(fake->info.start_comm, "other");
	assert_int_equal(run_shell("touch ran", false), 125);
	starts_with(err, "kutrace_control: run: already recording, started by other");
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(fake->info.recording, 1);
	fake->info.recording = 0;
	fake->refuse = 1 << KUTRACE_CMD_ON;
	assert_int_equal(run_shell("touch ran", false), 125);
	assert_int_equal(access("ran", F_OK), -1);
}

static void run_fails_when_the_trace_cannot_be_written(void **state)
{
	char *argv[] = {"run", "-o", "gone/r.trace", "rmdir", "gone", NULL};

	(void)state;
	assert_int_equal(mkdir("gone", 0700), 0);
	assert_int_equal(call(cmd_run, 5, argv, ""), 125);
	assert_string_equal(err, "kutrace_control: run: gone/r.trace: no such folder; "
				 "make it, or use another -o\n"
				 "kutrace_control: run: the recording is kept; write it with "
				 "\"kutrace_control snapshot -o FILE\"\n");
	assert_int_equal(fake->info.recording, 0);
}

static void run_and_record_check_the_file_first(void **state)
{
	char *run[] = {"run", "-o", "no/such/r.trace", "touch", "ran", NULL};
	char *record[] = {"record", "-o", "no/such/r.trace", "--for", "1", NULL};
	char *folder[] = {"run", "-o", ".", "touch", "ran", NULL};

	(void)state;
	assert_int_equal(call(cmd_run, 5, run, ""), 125);
	assert_string_equal(err, "kutrace_control: run: no/such/r.trace: no such folder; make it, or use another -o\n");
	assert_int_equal(call(cmd_run, 5, folder, ""), 125);
	assert_string_equal(err, "kutrace_control: run: .: is a directory: give a file name\n");
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(call(cmd_record, 5, record, ""), 1);
	assert_string_equal(err, "kutrace_control: record: no/such/r.trace: no such folder; make it, or use another -o\n");
	assert_int_equal(fake->info.start.counts, 0);
}

/* --- status ------------------------------------------------------------------------ */

static void status_prints_every_field(void **state)
{
	char *argv[] = {"status", "--json", NULL};

	(void)state;
	fake->info.start.counts = 100;
	fake->info.start.real_ns = 1700000000123456789ULL;
	fake->info.stop.real_ns = 1700000001623456789ULL;
	fake->info.start_pid = 42;
	memcpy(fake->info.start_comm, "a\"b\\\n\xffi", 8);
	fake->info.categories = KUTRACE_MASK_SYSCALL | KUTRACE_MASK_MARK;
	fake->info.caveats = KUTRACE_CAVEAT_TRAPS;
	fake->info.lost[KUTRACE_LOST_PROBE] = 9;
	fake->info.emit_ps = 12345;
	assert_int_equal(call(cmd_status, 2, argv, ""), 0);
	assert_non_null(strstr(out, "\"start_comm\": \"a\\\"b\\\\??i\",\n"));
	assert_non_null(strstr(out, "\"categories\": [\"syscall\", \"mark\"],\n"));
	assert_non_null(strstr(out, "\"caveats\": [\"traps\"],\n"));
	assert_non_null(strstr(out, "\"lost\": {\"full\": 0, \"nested\": 0, \"noblock\": 0, "
				    "\"names\": 0, \"probe\": 9, \"rate\": 0},\n"));
	assert_non_null(strstr(out, "\"start_us\": 1700000000123456,\n"
				    "\"duration_us\": 1500000,\n"));
	assert_int_equal(call(cmd_status, 1, argv, ""), 0);
	assert_non_null(strstr(out, "recording   off, started by \"a\\\"b\\\\??i\" (pid 42), "
				    "1.500000 s\n"));
	assert_non_null(strstr(out, "events      syscall mark\n"));
	assert_non_null(strstr(out, "cost        12.345 ns an event\n"));
}

/* Checks that UTF-8 text is unchanged, and that control sequences are made harmless. */
static void names_are_shown_as_they_are(void **state)
{
	static const struct {
		const char *comm, *shown;
	} names[] = {
		{"se\u00f1or", "se\u00f1or"}, {"\u6f22\u5b57", "\u6f22\u5b57"},
		{"\U0001F600", "\U0001F600"}, {"a\u00a0b", "a\u00a0b"},
		{"\xc2\x9b" "1m", "?1m"},		/* CSI */
		{"\x9b" "1m\x1b[m", "?1m?[m"},
		{"\xc0\xaf", "??"}, {"\xed\xa0\x80", "???"}, {"\xf4\x90\x80\x80", "????"},
		{"\xe0\x80\xaf", "???"}, {"12345678901234\xc3", "12345678901234?"},
		{"\xff\xc3\xb1", "?\xc3\xb1"}, {"\xe6\xbcx", "??x"},
	};
	char *json[] = {"status", "--json", NULL}, expected[100];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fake->info.start.counts = 5;
		strcpy(fake->info.start_comm, names[i].comm);
		snprintf(expected, sizeof(expected), "\"start_comm\": \"%s\",\n",
			 names[i].shown);
		assert_int_equal(call(cmd_status, 2, json, ""), 0);
		assert_non_null(strstr(out, expected));
		snprintf(expected, sizeof(expected), "started by \"%s\" (pid", names[i].shown);
		assert_int_equal(call(cmd_status, 1, json, ""), 0);
		assert_non_null(strstr(out, expected));
		/* the text is also changed in a message */
		fake->info.recording = 1;
		assert_int_equal(command("go", NULL), 1);
		snprintf(expected, sizeof(expected), "started by %s (pid", names[i].shown);
		assert_non_null(strstr(err, expected));
		fake->info.recording = 0;
	}
	fresh(NULL);
	assert_int_equal(command("go", NULL), 0);
	assert_int_equal(command("stop", "no/d\u00e4/x"), 1);
	assert_non_null(strstr(err, "stop: no/d\u00e4/x: no such folder; make it, or use another file\n"));
}

/* 30 of 300 blocks in 1.5 s: 1.31 MB/s, 163840 events/s; 270 blocks last 13.5 s. */
static void status_prints_how_long_the_buffer_lasts(void **state)
{
	char *argv[] = {"status", "--json", NULL}, expected[100];

	(void)state;
	fake->info.recording = 1;
	fake->info.start.counts = 100;
	fake->info.start.real_ns = 1700000000000000000ULL;
	fake->info.stop.real_ns = 1700000001500000000ULL;
	fake->info.used_blocks = 30;
	fake->info.taken_blocks = 30;
	fake->info.emit_ps = 20000;
	assert_int_equal(call(cmd_status, 2, argv, ""), 0);
	assert_non_null(strstr(out, "\"fill_percent\": 10,\n\"bytes_per_s\": 1310720,\n"
				    "\"events_per_s\": 163840,\n\"full_in_ms\": 13500,\n"));
	/* 163840 events of 20 ns each per second: 3276 ppm of one CPU */
	snprintf(expected, sizeof(expected), "\"overhead_ppm\": %ld,\n",
		 3276800 / sysconf(_SC_NPROCESSORS_ONLN) / 1000);
	assert_non_null(strstr(out, expected));
	assert_int_equal(call(cmd_status, 1, argv, ""), 0);
	assert_non_null(strstr(out, "rate        1310 KB/s, about 163840 events/s: "
				    "full in about 13.5 s\noverhead    about 0."));
	fake->info.flags = KUTRACE_RESET_WRAP;
	assert_int_equal(call(cmd_status, 1, argv, ""), 0);
	assert_non_null(strstr(out, ": keeps about the last 15.0 s\n"));
	/* with shares, one busy CPU would fill only a quarter of the buffer */
	fake->info.flags |= KUTRACE_RESET_PERCPU;
	fake->info.share_blocks = fake->info.nblocks / 4;
	assert_int_equal(call(cmd_status, 1, argv, ""), 0);
	assert_non_null(strstr(out, ": keeps about the last 3.7 s of each CPU, or more\n"));
	assert_non_null(strstr(out, ", wrap, each CPU in its share"));
	fake->info.share_blocks = 0;
	fake->info.flags = 0;
	fake->info.used_blocks = 300;
	fake->info.taken_blocks = 300;
	assert_int_equal(call(cmd_status, 1, argv, ""), 0);
	assert_non_null(strstr(out, ": full, nothing more is recorded\n"));
}

/* --- signals ------------------------------------------------------------------------ */

static struct ku_dev_ops raising;	/* operations of the fake module that raise a signal */
static const struct ku_dev_ops *real_ops;
static int signal_to_raise;

static void *raising_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	raise(signal_to_raise);
	return real_ops->map(fd, offset, bytes, error);
}

static int interrupted_dump(int argc, char **argv)
{
	signal(signal_to_raise, SIG_DFL);
	real_ops = ku_dev;
	raising = *ku_dev;
	raising.map = raising_map;
	ku_dev = &raising;
	return one(argc, argv);
}

static void signals_end_a_dump_and_leave_no_part(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	char *argv[] = {"stop", "x.trace", NULL};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		DIR *d;
		struct dirent *entry;

		fresh(NULL);
		assert_int_equal(command("go", NULL), 0);
		fill(0, 1, 0x123456);
		signal_to_raise = signals[i];
		assert_int_equal(call(interrupted_dump, 2, argv, ""),
				 (CMD_SIGNAL + signals[i]) & 0xFF);	/* an exit status has 8 bits */
		starts_with(err, "kutrace_control: stop: x.trace: ");
		assert_non_null(strstr(err, "canceled"));
		d = opendir(".");
		while ((entry = readdir(d)))
			assert_null(strstr(entry->d_name, "trace"));
		closedir(d);
	}
}

static void start_does_the_same_as_go(void **state)
{
	(void)state;
	assert_int_equal(command("start", NULL), 0);
	assert_int_equal(fake->info.recording, 1);
	assert_int_equal(fake->info.flags, 0);
	assert_int_equal(command("off", NULL), 0);
	assert_int_equal(command("start", "--wrap"), 0);
	assert_int_equal(fake->info.flags, KUTRACE_RESET_WRAP);
	assert_int_equal(command("off", NULL), 0);
	assert_int_equal(command("start", "--per-cpu"), 2);
	starts_with(err, "kutrace_control: start: --per-cpu: needs --wrap or --trigger\n");
	assert_int_equal(fake->info.recording, 0);
	assert_int_equal(command("start", "--rap"), 2);
	starts_with(err, "kutrace_control: start: --rap: no such option\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_session_at_the_prompt, fresh),
		cmocka_unit_test_setup(stop_prints_the_losses, fresh),
		cmocka_unit_test_setup(recordings_of_other_users_are_not_disturbed, fresh),
		cmocka_unit_test_setup(leaving_the_prompt_ends_its_recording, fresh),
		cmocka_unit_test_setup(a_second_go_in_a_session_starts_over, fresh),
		cmocka_unit_test_setup(single_steps, fresh),
		cmocka_unit_test_setup(permission_and_version, fresh),
		cmocka_unit_test_setup(after_a_refused_go_the_old_recording_is_not_written, fresh),
		cmocka_unit_test_setup(stop_describes_the_ended_recording_that_it_writes, fresh),
		cmocka_unit_test_setup(run_passes_the_status_on, fresh),
		cmocka_unit_test_setup(run_of_a_program_that_cannot_start, fresh),
		cmocka_unit_test_setup(run_does_not_run_without_a_recording, fresh),
		cmocka_unit_test_setup(run_fails_when_the_trace_cannot_be_written, fresh),
		cmocka_unit_test_setup(run_and_record_check_the_file_first, fresh),
		cmocka_unit_test_setup(status_prints_every_field, fresh),
		cmocka_unit_test_setup(names_are_shown_as_they_are, fresh),
		cmocka_unit_test_setup(status_prints_how_long_the_buffer_lasts, fresh),
		cmocka_unit_test_setup(signals_end_a_dump_and_leave_no_part, fresh),
		cmocka_unit_test_setup(run_gives_the_program_its_signals, fresh),
		cmocka_unit_test_setup(start_does_the_same_as_go, fresh),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
