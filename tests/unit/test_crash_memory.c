// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how kutrace_crash reads memory from ELF cores and kdump-compressed dumps, flattened or not.
 * Damaged dumps must give a message that names the damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "crash_build.h"

#include "crash/crash.h"

static void fill_memory(void)
{
	size_t i;

	build_machine();
	for (i = 0; i < MEMORY / 2; i += 8)
		put64(BASE + i, i * 0x9E3779B97F4A7C15ull);
	/* some pages are zero */
	memset(memory + 7 * PAGE, 0, 3 * PAGE);
	memset(memory + MEMORY / 2 - PAGE, 0, PAGE);
	for (i = MEMORY - 4 * PAGE; i < MEMORY; i++)
		memory[i] = (unsigned char)i;
}

static void has_all_of_it(const char *path)
{
	static unsigned char copy[MEMORY];
	struct kc_memory m;
	unsigned char byte;
	uint64_t at = 0, n = 0;

	assert_null(kc_memory_open(&m, path));
	assert_string_equal(m.note, "");
	assert_true(kc_memory_read(&m, BASE, copy, MEMORY));
	assert_memory_equal(copy, memory, MEMORY);
	/* reads from any address, across pages and across the two parts */
	assert_true(kc_memory_read(&m, BASE + MEMORY / 2 - 4099, copy, 9000));
	assert_memory_equal(copy, memory + MEMORY / 2 - 4099, 9000);
	assert_true(kc_memory_read(&m, BASE + MEMORY - 1, &byte, 1));
	assert_false(kc_memory_read(&m, BASE + MEMORY, &byte, 1));
	assert_false(kc_memory_read(&m, BASE + MEMORY - 4, copy, 5));
	assert_false(kc_memory_read(&m, BASE - 1, &byte, 1));
	assert_false(kc_memory_read(&m, UINT64_MAX, &byte, 1));
	for (; kc_memory_next(&m, &at, 65536); at += 65536, n++)
		assert_int_equal(at % 65536, 0);
	assert_true(n > 10);
	assert_true(n <= MEMORY / 65536);
	kc_memory_close(&m);
}

static void elf_cores_are_read(void **state)
{
	(void)state;
	fill_memory();
	has_all_of_it(write_elf());
	flatten();
	has_all_of_it(dump_path);
}

static void kdump_compressed_dumps_are_read(void **state)
{
	(void)state;
	fill_memory();
	has_all_of_it(write_kdump(1));
	flatten();
	has_all_of_it(dump_path);
}

/* Checks that opening fails with @words in the message, or succeeds if @words is NULL. */
static void says(const char *words)
{
	struct kc_memory m;
	const char *wrong = kc_memory_open(&m, dump_path);

	if (!words)
		assert_null(wrong);
	else if (!wrong || !strstr(wrong, words))
		fail_msg("it says '%s' and not '%s'", wrong ? wrong : "nothing", words);
	kc_memory_close(&m);
}

static void an_unreadable_dump_gives_a_reason(void **state)
{
	const uint32_t huge = 0xFFFFFFF0, one = 1;
	const char *big_endian = "\002";
	unsigned char byte = 9;
	FILE *f;

	(void)state;
	fill_memory();
	f = new_dump();
	fclose(f);
	says("it is empty");
	f = new_dump();
	fputs("short", f);
	fclose(f);
	says("too short");
	f = new_dump();
	fputs("This is a text and no dump of anything.", f);
	fclose(f);
	says("neither");

	write_elf();
	change_dump(EI_CLASS, "\001", 1);
	says("64-bit");
	write_elf();
	change_dump(EI_DATA, big_endian, 1);
	says("little-endian");
	write_elf();
	change_dump(offsetof(Elf64_Ehdr, e_type), "\002", 1);
	says("not a core");
	write_elf();
	change_dump(offsetof(Elf64_Ehdr, e_phentsize), &byte, 1);
	says("header is damaged");
	write_elf();
	change_dump(sizeof(Elf64_Ehdr), "\004", 1);
	change_dump(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), "\004", 1);
	says("without memory");
	write_elf();
	cut_dump(100);
	says("program headers are cut off");
	write_elf();
	cut_dump(30);
	says("header is cut off");

	write_kdump(1);
	change_dump(428, &huge, 4);
	says("header is damaged");
	write_kdump(1);
	change_dump(432, "\0\0\0\0", 4);
	says("header is damaged");
	write_kdump(1);
	change_dump(440, &huge, 4);
	says("bitmaps are damaged");
	write_kdump(1);
	change_dump(PAGE + 12, &one, 4);
	says("--reassemble");
	write_kdump(1);
	cut_dump(2 * PAGE + 100);
	says("bitmaps are cut off");
	write_kdump(1);
	cut_dump(PAGE);
	says("sub-header is cut off");
}

static void pages_after_a_cut_are_missing(void **state)
{
	struct kc_memory m;
	unsigned char byte;

	(void)state;
	fill_memory();
	write_elf();
	/* one page remains of the part that is last in the file */
	cut_dump((long)(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + MEMORY / 2 + PAGE));
	assert_null(kc_memory_open(&m, dump_path));
	assert_non_null(strstr(m.note, "cut off"));
	assert_true(kc_memory_read(&m, BASE + PAGE - 1, &byte, 1));
	assert_false(kc_memory_read(&m, BASE + PAGE, &byte, 1));
	assert_true(kc_memory_read(&m, BASE + MEMORY / 2, &byte, 1));
	kc_memory_close(&m);

	write_elf();
	flatten();
	cut_dump(1000000);
	assert_null(kc_memory_open(&m, dump_path) ? NULL : "");
	kc_memory_close(&m);
}

/*
 * A page with a damaged offset or length is missing; other pages are complete. A page of full
 * length is complete even if its compression is unknown, because compressed pages are shorter.
 */
static void damaged_pages_are_missing(void **state)
{
	static unsigned char copy[PAGE];
	const uint64_t far = 1ULL << 60;
	const uint32_t odd = 0x80, long_one = PAGE + 1, short_odd[] = {PAGE - 1, 0x80};
	struct kc_memory m;

	(void)state;
	fill_memory();
	write_kdump(1);
	change_dump(4 * PAGE + 24, &far, 8);		/* offset of page 2 */
	change_dump(4 * PAGE + 48 + 8, &long_one, 4);	/* length of page 3 */
	change_dump(4 * PAGE + 72 + 12, &odd, 4);	/* compression of page 4, uncompressed */
	change_dump(4 * PAGE + 144 + 8, short_odd, 8);	/* length and compression of page 7 */
	assert_null(kc_memory_open(&m, dump_path));
	assert_true(kc_memory_read(&m, BASE, copy, PAGE));
	assert_memory_equal(copy, memory, PAGE);
	assert_false(kc_memory_read(&m, BASE + PAGE, copy, PAGE));
	assert_false(kc_memory_read(&m, BASE + 2 * PAGE, copy, PAGE));
	assert_true(kc_memory_read(&m, BASE + 3 * PAGE, copy, PAGE));
	assert_memory_equal(copy, memory + 3 * PAGE, PAGE);
	assert_false(kc_memory_read(&m, BASE + 6 * PAGE, copy, PAGE));
	assert_true(kc_memory_read(&m, BASE + 4 * PAGE, copy, PAGE));
	assert_memory_equal(copy, memory + 4 * PAGE, PAGE);
	kc_memory_close(&m);
}

static void an_unknown_compression_is_named(void **state)
{
	static const struct { uint32_t flag; const char *name; } kinds[] = {{2, "lzo"}, {4, "snappy"}};
	unsigned char copy[PAGE];
	struct kc_memory m;
	size_t i;

	(void)state;
	fill_memory();
	for (i = 0; i < 2; i++) {
		write_kdump(kinds[i].flag);
		assert_null(kc_memory_open(&m, dump_path));
		assert_false(kc_memory_read(&m, BASE + PAGE, copy, PAGE));
		assert_non_null(strstr(m.note, kinds[i].name));
		kc_memory_close(&m);
	}
}

static unsigned char byte_of_dump(long at)
{
	FILE *f = fopen(dump_path, "rb");
	unsigned char byte;

	assert_non_null(f);
	fseek(f, at, SEEK_SET);
	assert_int_equal(fread(&byte, 1, 1, f), 1);
	fclose(f);
	return byte;
}

/*
 * Checks that any byte of the headers may have any value: the result is an error or a dump, and no
 * crash.
 */
static void any_header_gives_an_error_or_a_dump(void **state)
{
	static unsigned char copy[3 * PAGE];
	struct kc_memory m;
	unsigned int kind, i, value;

	(void)state;
	fill_memory();
	for (kind = 0; kind < 2; kind++) {
		if (kind)
			write_kdump(1);
		else
			write_elf();
		for (i = 0; i < 160; i++) {
			static const unsigned char values[] = {0, 1, 0x7F, 0xFF};
			long at = kind ? (i < 60 ? 410 + (long)i : (long)PAGE + i - 60) : (long)i;
			unsigned char was = byte_of_dump(at);

			for (value = 0; value < sizeof(values); value++) {
				uint64_t next = 0;

				change_dump(at, &values[value], 1);
				if (!kc_memory_open(&m, dump_path)) {
					kc_memory_read(&m, BASE + PAGE, copy, sizeof(copy));
					kc_memory_next(&m, &next, 65536);
				}
				kc_memory_close(&m);
			}
			change_dump(at, &was, 1);
		}
	}
	/* all bytes are restored */
	has_all_of_it(dump_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_cores_are_read),
		cmocka_unit_test(kdump_compressed_dumps_are_read),
		cmocka_unit_test(an_unreadable_dump_gives_a_reason),
		cmocka_unit_test(pages_after_a_cut_are_missing),
		cmocka_unit_test(damaged_pages_are_missing),
		cmocka_unit_test(an_unknown_compression_is_named),
		cmocka_unit_test(any_header_gives_an_error_or_a_dump),
	};

	return cmocka_run_group_tests(tests, NULL, no_dump);
}
