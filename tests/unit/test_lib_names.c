// SPDX-License-Identifier: BSD-3-Clause
/* Tests the names that libkutrace puts into a dump, and their entries. */
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#include "lib_fake.h"

static const struct ku_name *find(const struct ku_name_list *names, uint16_t base,
				  uint32_t number)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (names->list[i].base == base && names->list[i].number == number)
			return &names->list[i];
	return NULL;
}

static void expect(const struct ku_name_list *names, uint16_t base, uint32_t number,
		   const char *text)
{
	const struct ku_name *name = find(names, base, number);

	assert_non_null(name);
	assert_int_equal(name->length, strlen(text));
	assert_memory_equal(name->text, text, name->length);
}

static void fixed_names_are_the_kernels(void **state)
{
	struct ku_name_list names = {0};
	size_t i;

	(void)state;
	assert_int_equal(ku_names_fixed(&names, NULL), 0);
	expect(&names, KUTRACE_NAME_SYS64NAME, SYS_getpid, "getpid");
	expect(&names, KUTRACE_NAME_SYS64NAME, SYS_read, "read");
	expect(&names, KUTRACE_NAME_SYS64NAME, SYS_futex, "futex");
	expect(&names, KUTRACE_NAME_SYS64NAME, SYS_newfstatat, "newfstatat");
	expect(&names, KUTRACE_NAME_SYS64NAME, SYS_clone3, "clone3");
	expect(&names, KUTRACE_NAME_SYS64NAME, 1535, "-sched-");
	expect(&names, KUTRACE_NAME_TRAPNAME, KUTRACE_PAGEFAULT, "page_fault");
	expect(&names, KUTRACE_NAME_IRQNAME, KUTRACE_VECTOR_LOCAL_TIMER, "local_timer");
	expect(&names, KUTRACE_NAME_IRQNAME, KUTRACE_VECTOR_BH, "BH");
	expect(&names, KUTRACE_NAME_ERRNO, 1, "EPERM");
	expect(&names, KUTRACE_NAME_ERRNO, ENOSPC, "ENOSPC");
#if defined(__x86_64__)
	expect(&names, KUTRACE_NAME_SYS32NAME, 3, "read");
	expect(&names, KUTRACE_NAME_SYS32NAME, 20, "getpid");
	expect(&names, KUTRACE_NAME_SYS32NAME, 252, "exit_group");
	assert_null(find(&names, KUTRACE_NAME_SYS32NAME, 510));
	assert_null(find(&names, KUTRACE_NAME_SYS32NAME, 511));
#endif
	assert_null(find(&names, KUTRACE_NAME_ERRNO, 0));
	for (i = 0; i < names.count; i++)
		assert_true(names.list[i].length > 0);
	ku_names_free(&names);
}

static void entries_have_their_length_in_the_middle_digit(void **state)
{
	struct ku_name_list names = {0};
	uint64_t words[9];
	char text[80];
	int i;

	(void)state;
	memset(text, 'n', sizeof(text));
	for (i = 0; i <= 64; i++)
		assert_int_equal(ku_names_add(&names, KUTRACE_NAME_PID, (uint32_t)i, text,
					      (size_t)i), 0);
	for (i = 0; i <= 64; i++) {
		int length = i < 56 ? i : 56, n = 1 + (length + 7) / 8;

		memset(words, 0xEE, sizeof(words));
		assert_int_equal(ku_name_words(&names.list[i]), n);
		assert_int_equal(ku_name_put(words, &names.list[i], 0xABCDE12345), n);
		assert_int_equal(words[0], 0x12345ULL << 44 | (0x002ULL | n << 4) << 32 | i);
		assert_memory_equal(words + 1, text, length);
		while (length % 8)	/* the rest of a word is zeros */
			assert_int_equal(((char *)(words + 1))[length++], 0);
		assert_int_equal(words[n], 0xEEEEEEEEEEEEEEEE);
	}
	ku_names_free(&names);
}

static void the_newest_name_of_each_number_stays(void **state)
{
	struct ku_name_list names = {0};

	(void)state;
	ku_names_add(&names, KUTRACE_NAME_PID, 5, "old", 3);
	names.list[0].counts = 10;
	ku_names_add(&names, KUTRACE_NAME_PID, 5, "newest", 6);
	names.list[1].counts = 30;
	ku_names_add(&names, KUTRACE_NAME_PID, 5, "newer", 5);
	names.list[2].counts = 20;
	ku_names_add(&names, KUTRACE_NAME_IRQNAME, 5, "irq", 3);
	ku_names_add(&names, KUTRACE_NAME_PID, 6, "a", 1);
	/* of two names with the same time, the name that was added later is valid */
	ku_names_add(&names, KUTRACE_NAME_PID, 6, "b", 1);
	ku_names_add(&names, KUTRACE_NAME_META, 0, "k=1", 3);
	ku_names_add(&names, KUTRACE_NAME_META, 0, "k=2", 3);
	ku_names_newest(&names);
	assert_int_equal(names.count, 5);
	expect(&names, KUTRACE_NAME_PID, 5, "newest");
	expect(&names, KUTRACE_NAME_PID, 6, "b");
	expect(&names, KUTRACE_NAME_IRQNAME, 5, "irq");
	expect(&names, KUTRACE_NAME_META, 0, "k=1");
	assert_memory_equal(names.list[4].text, "k=2", 3);
	ku_names_free(&names);
	ku_names_newest(&names);
	ku_names_by_time(&names);
	assert_int_equal(names.count, 0);
}

/* Returns the number of facts that begin with the text. */
static int count_meta(const struct ku_name_list *names, const char *text, size_t length)
{
	int count = 0;
	size_t i;

	for (i = 0; i < names->count; i++)
		count += names->list[i].base == KUTRACE_NAME_META &&
			 names->list[i].length >= length &&
			 !memcmp(names->list[i].text, text, length);
	return count;
}

static void the_machine_is_named(void **state)
{
	char text[100];
	struct ku_name_list names = {0};
	const struct ku_name *name;
	struct utsname uts;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	assert_int_equal(ku_names_machine(&names), 0);
	expect(&names, KUTRACE_NAME_HOSTNAME, 0, uts.nodename);
	name = find(&names, KUTRACE_NAME_KERNELVER, 0);
	assert_non_null(name);
	assert_memory_equal(name->text, uts.release, strlen(uts.release));
#if defined(__x86_64__)
	name = find(&names, KUTRACE_NAME_CPUMODEL, 0);
	assert_non_null(name);
	assert_true(name->length > 3);
#endif
	snprintf(text, sizeof(text), "arch=%s", uts.machine);
	assert_int_equal(count_meta(&names, text, strlen(text)), 1);
	assert_int_equal(count_meta(&names, "boot_id=", 8), !access("/proc/sys/kernel/random/boot_id", R_OK));
	assert_int_equal(count_meta(&names, "preempt_rt=1", 12), !!strstr(uts.version, "PREEMPT_RT"));
	/* the time zone of the recording user: 5:45 h east of Greenwich */
	ku_names_free(&names);
	setenv("TZ", "NPT-5:45", 1);
	tzset();
	assert_int_equal(ku_names_machine(&names), 0);
	assert_int_equal(count_meta(&names, "utc_offset_s=20700", 18), 1);
	unsetenv("TZ");
	tzset();
	ku_names_free(&names);
}

static void has_meta(const struct ku_name_list *names, const char *text, int times)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		assert_int_equal(names->list[i].base, KUTRACE_NAME_META);
		assert_int_equal(names->list[i].number, 0);
		if (names->list[i].length == strlen(text) &&
		    !memcmp(names->list[i].text, text, strlen(text)))
			times--;
	}
	if (times)
		print_error("%s\n", text);
	assert_int_equal(times, 0);
}

static void the_trace_has_its_facts(void **state)
{
	struct kutrace_info info = {
		.backend = KUTRACE_BACKEND_TRACEPOINTS, .categories = 0x2fbf, .wrapped = 1,
		.caveats = KUTRACE_CAVEAT_SCHED_ENTRY | KUTRACE_CAVEAT_FAULT_NO_END,
		.clock_khz = 2100000, .clock_shift = 6, .emit_ps = 12345,
		.lost = {1, 2, 3, 4, 5},
	};
	struct ku_name_list names = {0};

	(void)state;
	assert_int_equal(ku_names_meta(&names, &info, "kutrace_control 1.2", 10, 0, 0, NULL), 0);
	has_meta(&names, "tool=kutrace_control 1.2", 1);
	has_meta(&names, "backend=tracepoint", 1);
	has_meta(&names, "cats=0x2fbf", 1);
	has_meta(&names, "caveat=sched_entry", 1);
	has_meta(&names, "caveat=fault_no_end", 1);
	has_meta(&names, "caveat=fault_end", 0);
	has_meta(&names, "lost_full=1", 1);
	has_meta(&names, "lost_nested=2", 1);
	has_meta(&names, "lost_noblock=3", 1);
	has_meta(&names, "lost_names=14", 1);
	has_meta(&names, "lost_probe=5", 1);
	has_meta(&names, "lost_rate=0", 1);
	has_meta(&names, "clock_khz=2100000", 1);
	has_meta(&names, "clock_shift=6", 1);
	has_meta(&names, "emit_ps=12345", 1);
	has_meta(&names, "wrapped=1", 1);
#if defined(__x86_64__)
	has_meta(&names, "clock=tsc", 1);
#endif
	assert_int_equal(names.count, 16);
	ku_names_free(&names);
	info.backend = KUTRACE_BACKEND_PATCHED;
	info.wrapped = 0;
	info.kinds = 0x11;
	info.filtered = 1;
	strcpy(info.name, "mine");
	info.caveats = 0xFF;
	assert_int_equal(ku_names_meta(&names, &info, NULL, 0, 2, -1500, NULL), 0);
	has_meta(&names, "tool=libkutrace " KUTRACE_VERSION, 1);
	has_meta(&names, "backend=patched", 1);
	has_meta(&names, "session=mine", 1);
	has_meta(&names, "kinds=0x11", 1);
	has_meta(&names, "filtered=1", 1);
	has_meta(&names, "lost_blocks=2", 1);
	has_meta(&names, "clock_step_us=-1500", 1);
	has_meta(&names, "wrapped=0", 1);
	assert_int_equal(names.count, 14 + 8 + 2 + 3);
	ku_names_free(&names);
}

/* Checks that a caveat that arises during a stream is added to the stream once. */
static void later_caveats_are_added(void **state)
{
	uint32_t recorded = KUTRACE_CAVEAT_PC;
	struct ku_name_list names = {0};

	(void)state;
	assert_int_equal(ku_names_more_caveats(&names, KUTRACE_CAVEAT_PC, &recorded), 0);
	assert_int_equal(names.count, 0);
	assert_int_equal(ku_names_more_caveats(&names, KUTRACE_CAVEAT_PC | KUTRACE_CAVEAT_CLOCK,
					       &recorded), 0);
	assert_int_equal(ku_names_more_caveats(&names, KUTRACE_CAVEAT_CLOCK, &recorded), 0);
	assert_int_equal(names.count, 1);
	has_meta(&names, "caveat=clock", 1);
	ku_names_free(&names);
}

/* Checks the names of another machine, as for a crash dump, chosen by its uname. */
static void names_of_another_machine(void **state)
{
	struct ku_name_list names = {0};

	(void)state;
	assert_int_equal(ku_names_fixed(&names, "aarch64"), 0);
	expect(&names, KUTRACE_NAME_SYS64NAME, 172, "getpid");
	expect(&names, KUTRACE_NAME_SYS64NAME, 139, "rt_sigreturn");
	expect(&names, KUTRACE_NAME_SYS32NAME, 20, "getpid");
	expect(&names, KUTRACE_NAME_SYS32NAME, 119, "sigreturn");
	expect(&names, KUTRACE_NAME_SYS32NAME, 173, "rt_sigreturn");
	expect(&names, KUTRACE_NAME_TRAPNAME, KUTRACE_TRAP_ARM64 + 0x3C, "Breakpoint_Instruction");
	ku_names_free(&names);
	assert_int_equal(ku_names_fixed(&names, "riscv64"), 0);
	expect(&names, KUTRACE_NAME_SYS64NAME, 172, "getpid");
	expect(&names, KUTRACE_NAME_SYS64NAME, 139, "rt_sigreturn");
	expect(&names, KUTRACE_NAME_TRAPNAME, KUTRACE_TRAP_RISCV + 2, "Illegal_Instruction");
	expect(&names, KUTRACE_NAME_IRQNAME, KUTRACE_VECTOR_PLATFORM_IPI, "other_ipi");
	expect(&names, KUTRACE_NAME_IRQNAME, KUTRACE_VECTOR_LOCAL_TIMER, "local_timer");
	expect(&names, KUTRACE_NAME_ERRNO, 38, "ENOSYS");
	assert_null(find(&names, KUTRACE_NAME_SYS32NAME, 20));
	ku_names_free(&names);
	/* an unknown machine gets no names */
	assert_int_equal(ku_names_fixed(&names, "pdp11"), 0);
	assert_null(find(&names, KUTRACE_NAME_SYS64NAME, 172));
	assert_null(find(&names, KUTRACE_NAME_SYS32NAME, 20));
	expect(&names, KUTRACE_NAME_TRAPNAME, KUTRACE_PAGEFAULT, "page_fault");
	ku_names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_names_are_the_kernels),
		cmocka_unit_test(names_of_another_machine),
		cmocka_unit_test(entries_have_their_length_in_the_middle_digit),
		cmocka_unit_test(the_newest_name_of_each_number_stays),
		cmocka_unit_test(the_machine_is_named),
		cmocka_unit_test(the_trace_has_its_facts),
		cmocka_unit_test(later_caveats_are_added),
	};

	(void)fake_reset;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
