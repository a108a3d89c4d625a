// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the CTF of small traces byte by byte: packets, merged returns, the state of a task that
 * left its CPU, losses and arbitrary text. tests/cli/rawtoctf.sh tests that readers accept it.
 */
#include <fcntl.h>
#include <unistd.h>

#include "raw_build.h"

#include "export/ctf_format.h"
#include "export/exporters.h"
#include "export/source.h"
#include "rawtrace/blocks.h"

static struct kp_folder folder;
static uint8_t bytes[1 << 20];

static void convert(const struct trace *t)
{
	struct kp_event_sink sink;
	struct kp_raw raw;
	struct kp_ctf *ctf;

	assert_int_equal(kp_raw_open(&raw, as_file(t), "test"), 0);
	assert_int_equal(kp_folder_open(&folder, NULL), 0);
	ctf = kp_ctf_new(&raw, &folder);
	assert_non_null(ctf);
	sink = kp_ctf_sink(ctf);
	assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
	if (kp_ctf_end(ctf))
		fail_msg("%s", folder.message);
	kp_ctf_free(ctf);
	kp_raw_close(&raw);
}

/*
 * Reads the file into bytes, with a NUL after the content. Returns its length, or -1 without a
 * file.
 */
static ssize_t file(const char *name)
{
	size_t i;

	for (i = 0; i < folder.count; i++) {
		if (!strcmp(folder.files[i].name, name)) {
			ssize_t got = pread(folder.files[i].fd, bytes, sizeof(bytes) - 1, 0);

			assert_true(got > 0);
			bytes[got] = 0;
			return got;
		}
	}
	return -1;
}

static uint64_t number(size_t at, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[at + size];
	return value;
}

/* Returns the id of a class from the metadata. */
static unsigned int id_of(const char *name)
{
	char text[200], *p;
	unsigned int id = 0;

	assert_true(file("metadata") > 0);
	snprintf(text, sizeof(text), "name = \"%s\";\n\tid = ", name);
	p = strstr((char *)bytes, text);
	if (!p)
		fail_msg("no class %s", name);
	else
		id = (unsigned int)atoi(p + strlen(text));
	return id;
}

/*
 * Returns the position in channel0_0 of the nth event (from 0) of that class. Uses a table of the
 * events' lengths.
 */
static size_t find(const char *name, size_t nth)
{
	static const struct {
		const char *name;
		size_t length;
	} known[] = {
		{ "sched_switch", 56 }, { "sched_waking", 28 }, { "syscall_entry_getpid", 2 },
		{ "syscall_exit_getpid", 8 }, { "kutrace_runs", 20 },
		{ "kutrace_mark_d", 4 + sizeof("mark_d") },
		{ "lttng_statedump_process_state", 48 },
		{ "sched_process_exit", 24 }, { "sched_process_free", 24 },
	};
	unsigned int ids[sizeof(known) / sizeof(known[0])], want = id_of(name);
	size_t at = 84, i;
	ssize_t end;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char text[100];

		assert_true(file("metadata") > 0);
		snprintf(text, sizeof(text), "name = \"%s\";", known[i].name);
		ids[i] = strstr((char *)bytes, text) ? id_of(known[i].name) : 9999;
	}
	end = file("channel0_0");
	while (at < (size_t)end) {
		unsigned int id = (unsigned int)number(at, 2);

		if (id == want && !nth--)
			return at;
		for (i = 0; i < sizeof(known) / sizeof(known[0]) && ids[i] != id;)
			i++;
		assert_true(i < sizeof(known) / sizeof(known[0]));
		at += 14 + known[i].length;
	}
	fail_msg("no such event: %s", name);
	return 0;
}

static void test_packet(void **state)
{
	struct trace t;
	ssize_t end;

	(void)state;
	begin(&t, 3);
	name(&t, 5, 0x008, 39, "getpid");
	merged(&t, 10, 0x827, 20, 0xFF, 7);
	entry(&t, 20, 0x20D, 1);	/* a mark: here the call getpid ends */
	merged(&t, 100, 0x827, 20, 42, 8);
	convert(&t);
	end = file("channel0_0");
	assert_int_equal(number(0, 4), 0xC1FC1FC1);
	assert_int_equal(number(20, 4), 0);	/* class of the stream */
	assert_int_equal(number(24, 8), 0);	/* number of the stream */
	assert_int_equal(number(32, 8), AT(0) * 10);
	assert_int_equal(number(40, 8), AT(120) * 10);
	assert_int_equal(number(48, 8), end * 8);
	assert_int_equal(number(56, 8), end * 8);
	assert_int_equal(number(64, 8), 0);
	assert_int_equal(number(72, 8), 0);
	assert_int_equal(number(80, 4), 0);

	assert_int_equal(number(find("syscall_entry_getpid", 0) + 2, 8), AT(10) * 10);
	assert_int_equal(number(find("syscall_entry_getpid", 0) + 10, 4), 1);	/* tid */
	assert_int_equal(number(find("syscall_entry_getpid", 0) + 14, 2), 7);
	assert_int_equal(number(find("syscall_exit_getpid", 0) + 2, 8), AT(20) * 10);
	assert_int_equal((int64_t)number(find("syscall_exit_getpid", 0) + 14, 8), -1);
	assert_int_equal(number(find("syscall_exit_getpid", 1) + 2, 8), AT(120) * 10);
	assert_int_equal(number(find("syscall_exit_getpid", 1) + 14, 8), 42);
	assert_true(find("syscall_exit_getpid", 0) < find("kutrace_mark_d", 0));
	assert_int_equal(file("channel1_0"), -1);
	kp_folder_close(&folder);
	done(&t);
}

/* Checks the states in which tasks left a CPU. */
static void test_state(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 5, 0x002, 51, "one");
	entry(&t, 10, 0x200, 51);	/* init leaves, state 1: it is woken later */
	entry(&t, 20, 0x206, 1);
	entry(&t, 30, 0x200, 1);	/* "one" leaves, state 1: it is woken later */
	entry(&t, 40, 0x206, 51);
	entry(&t, 50, 0x200, 0);	/* init leaves, state 1: it does not run again */
	entry(&t, 60, 0x200, 51);	/* idle leaves, state 0 */
	entry(&t, 70, 0x200, 0);	/* "one" leaves, state 1: it does not run again */
	convert(&t);
	assert_int_equal(number(find("sched_switch", 0) + 14 + 16, 4), 1);
	assert_string_equal((char *)bytes + find("sched_switch", 0) + 14, "init");
	/* prev_tid */
	assert_int_equal(number(find("sched_switch", 0) + 10, 4), 1);
	assert_int_equal(number(find("sched_switch", 0) + 14 + 24, 8), 1);
	assert_int_equal(number(find("sched_switch", 1) + 14 + 24, 8), 1);
	assert_int_equal(number(find("sched_switch", 2) + 14 + 24, 8), 1);
	assert_string_equal((char *)bytes + find("sched_switch", 3) + 14, "swapper/0");
	assert_int_equal(number(find("sched_switch", 3) + 14 + 24, 8), 0);
	assert_int_equal(number(find("sched_switch", 4) + 14 + 24, 8), 1);
	kp_folder_close(&folder);
	done(&t);

	begin(&t, 3);
	entry(&t, 10, 0x200, 51);
	entry(&t, 20, 0x206, 51);	/* a wakeup while it runs: it did not sleep */
	entry(&t, 30, 0x200, 1);	/* init was not woken before it ran: state 0 */
	entry(&t, 40, 0x200, 51);	/* "one" was not woken since it left: state 0 */
	convert(&t);
	assert_int_equal(number(find("sched_switch", 0) + 14 + 24, 8), 0);
	assert_int_equal(number(find("sched_switch", 1) + 14 + 24, 8), 0);
	assert_int_equal(number(find("sched_switch", 2) + 14 + 24, 8), 1);
	kp_folder_close(&folder);
	done(&t);
}

/* Checks that an exiting task keeps its priority, and that a later owner of its pid does not get it. */
static void test_priority(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 5, 0x002, 51, "one");
	name(&t, 6, KUTRACE_NAME_PRIORITY, 51, "FIFO 50");
	entry(&t, 10, 0x200, 51);
	entry(&t, 20, KUTRACE_TASKEXIT, 51);
	entry(&t, 30, 0x200, 1);
	name(&t, 40, 0x002, 51, "two");	/* a new task */
	entry(&t, 50, 0x200, 51);
	name(&t, 60, KUTRACE_NAME_PRIORITY, 51, "RR 1");
	entry(&t, 70, 0x200, 1);
	convert(&t);
	assert_int_equal((int32_t)number(find("sched_switch", 0) + 14 + 52, 4), -51);	/* next_prio */
	assert_int_equal((int32_t)number(find("sched_switch", 1) + 14 + 20, 4), -51);	/* prev_prio */
	assert_int_equal((int32_t)number(find("sched_switch", 2) + 14 + 52, 4), 20);
	assert_int_equal((int32_t)number(find("sched_switch", 3) + 14 + 20, 4), -2);
	kp_folder_close(&folder);
	done(&t);
}

/* Checks a state that is written into a packet already on disk. */
static void test_state_late(void **state)
{
	struct trace t;
	uint64_t at = 100;
	int i;

	(void)state;
	begin(&t, 3);
	entry(&t, 10, 0x200, 51);
	for (i = 0; i < 6; i++) {
		while (t.used < WORDS - 8)
			entry(&t, at += 10, 0x20D, 1);
		block(&t, 0, at += 10, 51, "x");
	}
	entry(&t, at += 10, 0x206, 1);
	convert(&t);
	assert_true(file("channel0_0") > 3 * 65536);
	assert_int_equal(number(find("sched_switch", 0) + 14 + 24, 8), 1);
	assert_int_equal(number(number(48, 8) / 8 + 64, 8), 1);	/* number of the second packet */
	kp_folder_close(&folder);
	done(&t);
}

static void test_lost(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 5, 0x10F, 0, "lost_full=5");
	name(&t, 5, 0x10F, 0, "lost_rate=2");
	name(&t, 6, 0x104, 0, "a\"};\\\n");
	entry(&t, 10, 0x20D, 1);
	entry(&t, 90, 0x20D, 1);
	entry(&t, 95, 0x0F3, 1);	/* no such event */
	convert(&t);
	assert_int_equal(file("channel1_0"), 2 * 84);
	assert_int_equal(number(40, 8), AT(0) * 10);
	assert_int_equal(number(72, 8), 0);
	assert_int_equal(number(84 + 32, 8), AT(0) * 10);
	assert_int_equal(number(84 + 40, 8), AT(90) * 10);
	assert_int_equal(number(84 + 72, 8), 8);
	assert_int_equal(number(84 + 24, 8), 256);
	assert_true(file("metadata") > 0);
	assert_non_null(strstr((char *)bytes, "hostname = \"a?};??\";"));
	assert_non_null(strstr((char *)bytes, "kutrace_lost = 7;"));
	assert_non_null(strstr((char *)bytes, "kutrace_damaged = 1;"));
	kp_folder_close(&folder);
	done(&t);
}

static void class_is(uint32_t event, const char *text, const char *want)
{
	const struct kp_event e = { .event = event, .name = text, .name_len = strlen(text) };
	char got[KP_CTF_NAME_MAX];

	kp_ctf_class(&e, got);
	assert_string_equal(got, want);
}

static void test_classes(void **state)
{
	char long_name[300], got[16];

	(void)state;
	class_is(0x827, "getpid", "syscall_entry_getpid");
	class_is(0xA27, "/getpid", "syscall_exit_getpid");
	class_is(0xC27, "a\"b\\c/d", "compat_syscall_entry_a_b_c_d");
	class_is(0x5EC, "local_timer", "x86_irq_vectors_local_timer_entry");
	class_is(0x7EC, "/local_timer", "x86_irq_vectors_local_timer_exit");
	class_is(0x5EC, "eth0", "irq_handler_entry");	/* an interrupt of another architecture */
	class_is(0x5FF, "BH:rx", "irq_softirq_entry");
	class_is(0x40E, "page_fault", "kutrace_trap_entry_page_fault");
	class_is(0xFFF, "/-sched-", "kutrace_sched_exit");
	class_is(0x24B, "?", "kutrace_event_24b");
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	{
		const struct kp_event e = { .event = 0x827, .name = long_name, .name_len = 299 };
		char name[KP_CTF_NAME_MAX];

		kp_ctf_class(&e, name);
		assert_int_equal(strlen(name), KP_CTF_NAME_MAX - 1);
	}

	/* a name of 16 bytes has only complete and valid characters */
	assert_int_equal(kp_plain_text(got, 16, "a\nb\xFF\x7F", 5), 5);
	assert_string_equal(got, "a?b??");
	assert_int_equal(kp_plain_text(got, 16, "fourteen bytes\xC3\xA4", 16), 14);
	assert_string_equal(got, "fourteen bytes");
	assert_int_equal(kp_plain_text(got, 16, "thirteen byte\xC3\xA4", 15), 15);
	assert_int_equal(got[15], 0);
	assert_int_equal(kp_plain_text(got, 16, "\xC3", 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packet),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_state_late),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
