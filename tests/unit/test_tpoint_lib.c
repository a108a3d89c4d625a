// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: typed tracepoints of a program, against a module made of memory: how
 * they become known, when they record and what, without a module, with one that comes
 * later, over forks, in threads, and without their descriptor.
 */
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "lib_fake.h"
#include "kutrace_point.h"

KUTRACE_POINT(disk_io, "dev=%u sector=%lu file=%s",
	      (uint32_t, dev), (uint64_t, sector), (const char *, file));
KUTRACE_POINT(tick, "");
KUTRACE_POINT(all, "%d %u %c %p %f %hd", (int, a), (bool, b), (char, c), (void *, d),
	      (double, e), (short, f));
KUTRACE_POINT_DECLARE(declared, "n=%llu\n", (unsigned long long, n));
KUTRACE_POINT_DEFINE(declared);

#define LOADED	4	/* of the above */
#define MANY	40

/* The module's part. */
static struct module {
	unsigned char flags[KUTRACE_POINT_IDS];
	char text[MANY][KUTRACE_POINT_DEF_BYTES];
	unsigned int count, defines, records;
	struct kutrace_point_entry last;
	int define_error, map_error;
	bool fd_gone;
} *module;

static const struct ku_dev_ops *memory_ops;

static int point_define(struct kutrace_point_def *def)
{
	unsigned int i;

	assert_int_equal(def->length, sizeof(*def));
	module->defines++;
	if (module->define_error)
		return -module->define_error;
	for (i = 0; i < module->count; i++)
		if (!strcmp(module->text[i], def->text))
			break;
	assert_true(i < MANY);
	strcpy(module->text[i], def->text);
	module->count += i == module->count;
	def->id = 100 + i;
	return 0;
}

static int point_list(struct kutrace_point_def *def)
{
	unsigned int i = def->id > 100 ? def->id - 100 : 0;

	if (i >= module->count)
		return -ENOENT;
	def->id = 100 + i;
	strcpy(def->text, module->text[i]);
	return 0;
}

static int module_ioctl(int fd, unsigned long request, unsigned long arg)
{
	switch (request) {
	case KUTRACE_IOC_POINT_DEFINE:
		return point_define((void *)arg);
	case KUTRACE_IOC_POINT_LIST:
		return point_list((void *)arg);
	case KUTRACE_IOC_POINT:
		errno = EXDEV;
		if (module->fd_gone) {
			module->fd_gone = false;
			return -ENOTTY;
		}
		if (!fake_fd_open(fd))
			return -EBADF;
		module->last = *(struct kutrace_point_entry *)arg;
		__atomic_add_fetch(&module->records, 1, __ATOMIC_SEQ_CST);
		return 0;
	default:
		return memory_ops->ioctl(fd, request, arg);
	}
}

static void *module_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	if (offset != KUTRACE_MMAP_POINTS)
		return memory_ops->map(fd, offset, bytes, error);
	assert_int_equal(bytes, KUTRACE_POINT_IDS);
	if (module->map_error) {
		*error = -module->map_error;
		return NULL;
	}
	return module->flags;
}

/*
 * Each test in a process of its own: the library finds a module once and for all. The
 * constructors have run before there was any, so all begin without one.
 */
static void begin(void)
{
	static struct ku_dev_ops ops;

	fake_reset();
	memory_ops = ku_dev;
	ops = *ku_dev;
	ops.ioctl = module_ioctl;
	ops.map = module_map;
	module = mmap(NULL, sizeof(*module), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(module != MAP_FAILED);
	fake->open_error = ENOENT;
	ku_dev = &ops;
}

static void in_process(const char *name)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/proc/self/exe", "test", name, (char *)NULL);
		_exit(126);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void come(void)
{
	fake->open_error = 0;
}

static unsigned int id_of(const char *start)
{
	unsigned int i;

	for (i = 0; i < module->count; i++)
		if (!strncmp(module->text[i], start, strlen(start)))
			return 100 + i;
	fail_msg("%s is not defined", start);
	return 0;
}

static void hit(void)
{
	kutrace_point_disk_io(8, 77, "a.c");
	kutrace_point_tick();
	kutrace_point_declared(5);
}

static void without(void)
{
	int opens = fake->opens;

	errno = 5;
	hit();
	assert_int_equal(module->defines + module->records, 0);
	assert_int_equal(fake->opens, opens);
	assert_int_equal(kutrace_points_look(), -ENODEV);
	fake->open_error = EACCES;
	assert_int_equal(kutrace_points_look(), -EPERM);
	fake->open_error = 0;
	module->map_error = EINVAL;
	assert_int_equal(kutrace_points_look(), -EPROTO);
	hit();
	assert_int_equal(module->defines + module->records, 0);
	assert_int_equal(errno, 5);
	assert_int_equal(fake->opens, fake->closes);
}

static void later(void)
{
	come();
	errno = 5;
	assert_int_equal(kutrace_points_look(), LOADED);
	assert_int_equal(module->defines, LOADED);
	assert_string_equal(module->text[id_of("disk_io") - 100],
			    "disk_io u32 dev, u64 sector, str file|dev=%u sector=%lu file=%s");
	assert_string_equal(module->text[id_of("tick") - 100], "tick|");
	assert_string_equal(module->text[id_of("all") - 100],
			    "all s32 a, u8 b, s8 c, ptr d, double e, s16 f|%d %u %c %p %f %hd");
	assert_string_equal(module->text[id_of("declared") - 100], "declared u64 n|n=%llu ");
	hit();
	assert_int_equal(module->records, 0);
	module->flags[id_of("disk_io")] = 1;
	hit();
	hit();
	assert_int_equal(module->records, 2);
	module->flags[id_of("disk_io")] = 0;
	hit();
	assert_int_equal(module->records, 2);
	assert_int_equal(kutrace_points_look(), LOADED);
	assert_int_equal(module->defines, LOADED);
	assert_int_equal(fake->opens, 1);
	assert_int_equal(errno, 5);
}

static void payload(void)
{
	const struct kutrace_point_entry *last = &module->last;
	double half = 0.5;

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	memset(module->flags, 1, sizeof(module->flags));
	kutrace_point_disk_io(~0U, 77, "some_name.c");
	assert_int_equal(last->id, id_of("disk_io"));
	assert_int_equal(last->nwords, 4);
	assert_int_equal(last->words[0], 0xFFFFFFFF);
	assert_int_equal(last->words[1], 77);
	assert_memory_equal(&last->words[2], "some_name.c\0\0\0\0\0", 16);
	kutrace_point_tick();
	assert_int_equal(last->id, id_of("tick"));
	assert_int_equal(last->nwords, 0);
	kutrace_point_all(-1, true, 'x', &half, half, -2);
	assert_int_equal(last->nwords, 6);
	assert_int_equal(last->words[0], ~0ULL);
	assert_int_equal(last->words[1], 1);
	assert_int_equal(last->words[2], 'x');
	assert_int_equal(last->words[3], (uintptr_t)&half);
	assert_memory_equal(&last->words[4], &half, 8);
	assert_int_equal(last->words[5], (uint64_t)-2);
}

static void forked(void)
{
	int status;
	pid_t child;

	come();
	/* the module came meanwhile: a child finds it, */
	child = fork();
	if (!child) {
		memset(module->flags, 1, sizeof(module->flags));
		hit();
		assert_int_equal(module->records, 3);
		_exit(0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(module->defines, LOADED);
	/* not so the parent, which is not asked to; once it is, children have it */
	hit();
	assert_int_equal(module->records, 3);
	kutrace_test();
	hit();
	assert_int_equal(module->records, 6);
	assert_int_equal(module->defines, 2 * LOADED);
	child = fork();
	if (!child) {
		hit();
		_exit(0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(module->records, 9);
	assert_int_equal(module->defines, 2 * LOADED);
}

static void descriptor_gone(void)
{
	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	memset(module->flags, 1, sizeof(module->flags));
	module->fd_gone = true;
	errno = 5;
	hit();
	assert_int_equal(module->records, 3);
	assert_int_equal(fake->opens, 2);
	/* and it cannot be opened any more: no more tries for every event */
	module->fd_gone = true;
	fake->open_error = EACCES;
	hit();
	hit();
	assert_int_equal(module->records, 3);
	assert_int_equal(fake->opens, 2);
	assert_int_equal(errno, 5);
}

static void refused(void)
{
	come();
	module->define_error = ENOSPC;
	assert_int_equal(kutrace_points_look(), 0);
	memset(module->flags, 1, sizeof(module->flags));
	hit();
	assert_int_equal(module->records, 0);
	module->define_error = 0;
	assert_int_equal(kutrace_points_look(), LOADED);
	hit();
	assert_int_equal(module->records, 3);
}

static void unloaded(void)
{
	static const struct kutrace_point_desc desc = {"plugin", "", 0, 0, {0}, {0}};
	struct kutrace_point plugin = {&plugin.unset, &desc, 0, 0, 0, {0}};

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	kutrace_point_register(&plugin);
	assert_int_equal(module->defines, LOADED + 1);
	assert_ptr_equal(plugin.flag, module->flags + id_of("plugin"));
	kutrace_point_unregister(&plugin);
	assert_int_equal(*plugin.flag, 0);
	assert_int_equal(kutrace_points_look(), LOADED);
	kutrace_point_unregister(&plugin);
	assert_int_equal(kutrace_points_look(), LOADED);
}

#define THREADS 5
#define HITS 1009

static void *hitter(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < HITS; i++) {
		kutrace_points_look();
		hit();
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int i;

	come();
	memset(module->flags, 1, sizeof(module->flags));
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, hitter, NULL), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(module->defines, LOADED);
	assert_int_equal(module->records, 3 * THREADS * HITS);
	assert_int_equal(fake->opens, 1);
}

static void dumped(void)
{
	struct ku_names names = {0};
	const char *text;
	size_t i;
	int fd;

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	fd = ku_dev->open(O_RDONLY);
	assert_int_equal(ku_names_points(fd, &names), 0);
	ku_names_newest(&names);
	/* a name has 56 bytes; the longest of these takes two */
	text = module->text[id_of("disk_io") - 100];
	assert_int_equal(strlen(text), 63);
	for (i = 0; i < names.count; i++) {
		assert_int_equal(names.list[i].base, KUTRACE_NAME_EVENTDEF);
		if (names.list[i].number == 0x10000 + id_of("disk_io"))
			assert_memory_equal(names.list[i].text, text, 56);
		if (names.list[i].number == 0x20000 + id_of("disk_io"))
			assert_memory_equal(names.list[i].text, text + 56, 8);
	}
	assert_int_equal(names.count, 4 + 1 + (strlen(module->text[id_of("all") - 100]) > 56));
	ku_names_free(&names);
	module->count = 0;
	assert_int_equal(ku_names_points(fd, &names), 0);
	assert_int_equal(names.count, 0);
}

#define TESTS \
	TEST(without) TEST(later) TEST(payload) TEST(forked) TEST(descriptor_gone) \
	TEST(refused) TEST(unloaded) TEST(threads) TEST(dumped)

#define TEST(name) static void test_##name(void **state) { (void)state; in_process(#name); }
TESTS
#undef TEST

#define TEST(name) static void run_##name(void **state) { (void)state; begin(); name(); }
TESTS
#undef TEST

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test(test_##name),
	const struct CMUnitTest tests[] = { TESTS };
#undef TEST

#define TEST(name) \
	if (argc > 1 && !strcmp(argv[1], #name)) { \
		const struct CMUnitTest one[] = { cmocka_unit_test(run_##name) }; \
		return cmocka_run_group_tests(one, NULL, NULL); \
	}
	TESTS
	return cmocka_run_group_tests(tests, NULL, NULL);
}
