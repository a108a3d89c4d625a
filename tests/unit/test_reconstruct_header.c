// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction on short event texts: names over time, and the header, which repeats
 * the facts of the trace.
 */
#include "rec_run.h"

/* ---- names ---- */

static void test_names_in_time(void **state)
{
	(void)state;
	ROWS("-1 1 34 51 init\n-1 1 34 51 work\n"
	     "90 1 34 51 init\n"
	     "100 0 512 0 51 0 51 0 0 init.51 (200)\n"
	     "110 0 2107 0 51 0 8 0 0 execve (83b)\n"
	     "120 1 34 51 work\n"
	     "130 0 2619 0 51 0 0 0 0 /execve (a3b)\n"
	     "140 1 525 0 51 0 1 0 0 mark_d (20d)\n",
	     "00100 1 c0 p51 r0 526 0=0 init+work.51\n"
	     "00100 10 c0 p51 r0 65587 0=0 init.51\n"
	     "00110 20 c0 p51 r0 2107 8=0 execve\n"
	     "00130 10 c0 p51 r0 65587 0=0 work.51\n"
	     "00140 1 c0 p51 r0 525 1=0 mark_d\n");
}

static void test_escapes_in_text(void **state)
{
	(void)state;
	EXECUTION("100 0 512 0 5 0 5 0 0 a \\x0ab\\x5c\\q (x).5 (200)\n"
		  "110 1 525 0 5 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p5 r0 65541 0=0 a \nb\\\\q (x).5\n");
}

/* ---- header ---- */

static void has(const char *item)
{
	if (!strstr(rows.header, item))
		fail_msg("\"%s\" is not in\n%s", item, rows.header);
}

static void test_header(void **state)
{
	static const char text[] =
		"# ## VERSION: 3\n# ## FLAGS: 67\n# ## TIMES: 11.00000100 11.00000400\n"
		"# ## DROPPED: 12 3\n# ## START: 1795164600\n"
		"# ## TRACE: 0123abcd-89ab-8def-8123-456789abcdef\n"
		"# [1] 2026-11-20_08:50:11.085246 cpu 01 flags 43 block 0\n"
		"# [1] 2027-11-20_08:51:11.085246 cpu 01 flags 00 block 10\n"
		"-1 1 287 0 backend=tracepoint\n-1 1 287 0 cats=0x2003\n"
		"-1 1 287 0 caveat=fault_end\n-1 1 287 0 caveat=sched_entry\n"
		"-1 1 287 0 caveat=fault_end\n"
		"-1 1 287 0 lost_full=3\n-1 1 287 0 lost_full=5\n-1 1 287 0 lost_nested=2\n"
		"-1 1 287 0 lost_nested=1\n-1 1 287 0 lost_x=12\"\n"
		"-1 1 287 0 clock_khz=2500000\n-1 1 287 0 clock=tsc\n"
		"-1 1 287 0 clock_step_us=-3600000000\n"
		"-1 1 287 0 emit_ps=9600\n-1 1 287 0 tool=kutrace_control 0.1\n"
		"-1 1 287 0 arch=riscv64\n-1 1 287 0 utc_offset_s=-12600\n"
		"-1 1 287 0 boot_id=b\"\n"
		"-1 1 339 0 a \"CPU\"\n-1 1 292 0 host\n-1 1 338 0 #1 SMP\n"
		"100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char fired[] =
		"-1 1 287 0 run=105\n-1 1 287 0 fired=syscall:flock>400ms\n"
		"-1 1 287 0 fired_by=flock took 1.1s, a on CPU 9.4715 on CPU 0\n"
		"-1 1 287 0 fired=1:849 11ns pid 4\n100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char runq[] =
		"-1 1 287 0 fired_by=x.77 waited 2ms for CPU 1\n100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char module[] =
		"-1 1 287 0 fired=1:849 11ns pid 4716\n-1 1 287 0 fired=1:849 12ns pid 4717\n"
		"100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char unknown[] =
		"-1 1 287 0 fired=x\n-1 1 287 0 fired_by=on CPU 3\n100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char old[] = "100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char odd[] =
		"# ## START: 99999999999\n# ## TRACE: 0123abcd-89ab-8def-8123-456789abcdeg\n"
		"-1 1 287 0 utc_offset_s=1e3\n"
		"100 1 525 0 5 0 1 0 0 mark_d (20d)\n";

	(void)state;
	run(text, sizeof(text) - 1, false);
	has("title \"a \\\"title\\\"\"\n");
	has("tracebase \"2026-11-20_08:50:00\"\n");
	has("flags 67\n");
	has("version 3\n");
	has("cpuModelName \"a \\\"CPU\\\"\"\n");
	has("hostName \"host\"\n");
	has("kernelVersion \"#1 SMP\"\n");
	has("dropped {\"first_block\": 12, \"words\": 3}\n");
	has("lost {\"full\": 5, \"nested\": 2, \"total\": 7}\n");
	has("overhead {\"emit_ps\": 9600}\n");
	has("start {\"utc_ns\": \"1795164600000000000\", "
	    "\"trace_id\": \"0123abcd-89ab-8def-8123-456789abcdef\"}\n");
	has("machine {\"arch\": \"riscv64\", \"boot_id\": \"b\\\"\", \"utc_offset_s\": -12600}\n");
	has("coverage {\"backend\": \"tracepoint\", \"categories\": [\"syscall\", \"trap\", \"mark\"], "
	    "\"caveats\": [\"fault_end\", \"sched_entry\"], \"clock\": \"tsc\", "
	    "\"clock_khz\": 2500000, \"tool\": \"kutrace_control 0.1\", "
	    "\"clock_step_us\": -3600000000}\n");
	free_rows(&rows);

	/* what run and triggers add; the fact of the library counts more than the module's */
	run(fired, sizeof(fired) - 1, false);
	has("\"run\": 105, \"fired\": \"syscall:flock>400ms\", "
	    "\"fired_by\": \"flock took 1.1s, a on CPU 9.4715 on CPU 0\", \"fired_pid\": 4715}\n");
	free_rows(&rows);
	run(runq, sizeof(runq) - 1, false);
	has("\"fired_by\": \"x.77 waited 2ms for CPU 1\", \"fired_pid\": 77}\n");
	free_rows(&rows);
	run(module, sizeof(module) - 1, false);
	has("\"fired\": \"1:849 11ns pid 4716\", \"fired_pid\": 4717}\n");
	free_rows(&rows);
	run(unknown, sizeof(unknown) - 1, false);
	assert_null(strstr(rows.header, "fired_pid"));
	free_rows(&rows);

	/* an old trace has no such facts */
	run(old, sizeof(old) - 1, false);
	assert_null(strstr(rows.header, "coverage"));
	assert_null(strstr(rows.header, "lost"));
	assert_null(strstr(rows.header, "start"));
	assert_null(strstr(rows.header, "machine"));
	has("tracebase \"\"\n");
	free_rows(&rows);

	/* invalid times, ids and numbers are omitted */
	run(odd, sizeof(odd) - 1, false);
	assert_null(strstr(rows.header, "start {"));
	has("machine {}\n");
	free_rows(&rows);
}

/* Checks that header lines have fewer than 256 bytes: the original's filters split longer lines. */
static void test_header_lines_are_short(void **state)
{
	char *text = NULL, *line, *rest;
	bool later = false;
	size_t size = 0;
	FILE *f;
	int i;

	(void)state;
	f = open_memstream(&text, &size);
	fprintf(f, "-1 1 287 0 backend=tracepoint\n-1 1 287 0 cats=ffff\n");
	/* many items with characters of several bytes, and characters that JSON escapes */
	for (i = 0; i < 60; i++)
		fprintf(f, "-1 1 287 0 caveat=%s_%d\n",
			i % 2 ? "kern\xC3\xA4\xE6\xBC\xA2" : "\"\"\"\"\"\"\"", i);
	for (i = 0; i < 60; i++)
		fprintf(f, "-1 1 287 0 lost_cause_number_%d=12345678901234567\n", i);
	fprintf(f, "-1 1 287 0 tool=%0300d\n", 7);
	fprintf(f, "-1 1 339 0 %0300d\n", 7);
	fprintf(f, "100 1 525 0 5 0 1 0 0 mark_d (20d)\n");
	fclose(f);
	run(text, size, false);
	line = rows.header;
	for (i = 0; (rest = strchr(line, '\n')); line = rest + 1, i++) {
		/* in the file, "KEY VALUE" is  "KEY" : VALUE, */
		assert_true(rest - line + 6 <= 250);
		later |= !strncmp(line, "coverage3 ", 10);
	}
	assert_true(later);
	assert_true(i > 15);
	has("lost10 ");
	has("cpuModelName \"000");
	/* the last caveat and the last cause are present as well */
	has("_59\"], \"tool\": \"000");
	has("\"cause_number_59\": 12345678901234567}\n");
	has("lost11 {\"total\": 740740734074074020}\n");
	free_rows(&rows);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_lines_are_short),
		cmocka_unit_test(test_names_in_time),
		cmocka_unit_test(test_escapes_in_text),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests_name("reconstruct_header", tests, NULL, NULL);
}
