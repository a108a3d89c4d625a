// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests typed tracepoints of a program with libkutrace and a fake module: how they are
 * registered, which bytes switch them, and which events they record. Also tests a missing module,
 * a module that is loaded later, forks, threads, and a closed descriptor.
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

#define LOADED	4	/* number of tracepoints defined above */
#define MANY	40

/*
 * The simulated module. It writes to bytes of the calling process, because only one process runs at
 * a time.
 */
static struct module {
	char text[MANY][KUTRACE_POINT_DEF_BYTES];
	unsigned int count, defines, records, bytes, forgets;
	struct kutrace_point_entry last;
	struct {
		unsigned char *at;
		uint32_t id;
		pid_t pid;
		int fd;
	} byte[MANY];
	bool on;		/* true: the tracepoints are switched on */
	int define_error, byte_error, map_error;
	bool old;		/* true: an old module, which writes no bytes */
	bool fd_gone;		/* true: the next event fails with ENOTTY */
	bool fd_closed;		/* true: all calls through the first descriptor fail with EBADF */
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

static int find_byte(const void *at)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (module->byte[i].id && module->byte[i].at == at &&
		    module->byte[i].pid == getpid())
			return i;
	return -ENOENT;
}

static int point_byte(int fd, const struct kutrace_point_byte *byte)
{
	int i = find_byte((void *)(uintptr_t)byte->address);

	assert_int_equal(byte->length, sizeof(*byte));
	assert_int_equal(byte->reserved, 0);
	assert_in_range(byte->id, 100, 99 + module->count);
	module->bytes++;
	if (module->byte_error)
		return -module->byte_error;
	if (i < 0)
		for (i = 0; module->byte[i].id; i++)
			assert_true(i + 1 < MANY);
	module->byte[i].at = (void *)(uintptr_t)byte->address;
	module->byte[i].id = byte->id;
	module->byte[i].pid = getpid();
	module->byte[i].fd = fd;
	__atomic_store_n(module->byte[i].at, module->on, __ATOMIC_RELAXED);
	return 0;
}

static int point_forget(void *at)
{
	int i = find_byte(at);

	if (i < 0)
		return i;
	module->forgets++;
	module->byte[i].id = 0;
	return 0;
}

/* Switches one tracepoint as the module does; with @id 0, every tracepoint. */
static void turn(uint32_t id, bool on)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (module->byte[i].id && (!id || module->byte[i].id == id) &&
		    module->byte[i].pid == getpid())
			__atomic_store_n(module->byte[i].at, on, __ATOMIC_RELAXED);
	if (!id)
		module->on = on;
}

/* Counts the switch bytes of this process that were registered through other descriptors. */
static unsigned int followed_but_by(int fd)
{
	unsigned int i, count = 0;

	for (i = 0; i < MANY; i++)
		count += module->byte[i].id && module->byte[i].pid == getpid() &&
			 module->byte[i].fd != fd;
	return count;
}

static unsigned int followed(void)
{
	return followed_but_by(-1);
}

static int module_ioctl(int fd, unsigned long request, unsigned long arg)
{
	if (module->fd_closed && fd == FAKE_FIRST_FD)
		return -EBADF;
	if (module->old && (request == KUTRACE_IOC_POINT_BYTE ||
			    request == KUTRACE_IOC_POINT_FORGET))
		return -ENOTTY;
	switch (request) {
	case KUTRACE_IOC_POINT_DEFINE:
		return point_define((void *)arg);
	case KUTRACE_IOC_POINT_BYTE:
		return point_byte(fd, (void *)arg);
	case KUTRACE_IOC_POINT_FORGET:
		return point_forget((void *)arg);
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
	if (offset == KUTRACE_MMAP_META && module->map_error) {
		*error = -module->map_error;
		return NULL;
	}
	return memory_ops->map(fd, offset, bytes, error);
}

/*
 * Unregisters the bytes of this process that belong to the file. Each file has one mapping
 * here.
 */
static void module_unmap(void *address, size_t bytes)
{
	int i;

	if (address == &fake->meta)
		for (i = 0; i < MANY; i++)
			if (module->byte[i].pid == getpid() &&
			    module->byte[i].fd == FAKE_FIRST_FD)
				module->byte[i].id = 0;
	memory_ops->unmap(address, bytes);
}

/*
 * Resets the state. Each test runs in a separate process, because the library retains the module
 * that it found. The constructors ran before there was a module, so all tests begin without one.
 */
static void begin(void)
{
	static struct ku_dev_ops ops;

	fake_reset();
	memory_ops = ku_dev;
	ops = *ku_dev;
	ops.ioctl = module_ioctl;
	ops.map = module_map;
	ops.unmap = module_unmap;
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
	module->map_error = ENOMEM;
	assert_int_equal(kutrace_points_look(), -ENOMEM);
	module->map_error = 0;
	module->old = true;
	assert_int_equal(kutrace_points_look(), -EPROTO);
	hit();
	assert_int_equal(module->defines + module->records, 0);
	assert_int_equal(errno, 5);
	assert_int_equal(fake->opens, fake->closes);
	assert_int_equal(fake->maps, fake->unmaps);
}

static void later(void)
{
	come();
	errno = 5;
	assert_int_equal(kutrace_points_look(), LOADED);
	assert_int_equal(module->defines, LOADED);
	assert_int_equal(module->bytes, LOADED);
	assert_string_equal(module->text[id_of("disk_io") - 100],
			    "disk_io u32 dev, u64 sector, str file|dev=%u sector=%lu file=%s");
	assert_string_equal(module->text[id_of("tick") - 100], "tick|");
	assert_string_equal(module->text[id_of("all") - 100],
			    "all s32 a, u8 b, s8 c, ptr d, double e, s16 f|%d %u %c %p %f %hd");
	assert_string_equal(module->text[id_of("declared") - 100], "declared u64 n|n=%llu ");
	hit();
	assert_int_equal(module->records, 0);
	turn(id_of("disk_io"), true);
	hit();
	hit();
	assert_int_equal(module->records, 2);
	turn(id_of("disk_io"), false);
	hit();
	assert_int_equal(module->records, 2);
	assert_int_equal(kutrace_points_look(), LOADED);
	assert_int_equal(module->defines, LOADED);
	assert_int_equal(module->bytes, LOADED);
	assert_int_equal(fake->opens, 1);
	assert_int_equal(errno, 5);
}

/* Makes the module switch the tracepoint on during the call that registers its byte. */
static void on_at_once(void)
{
	come();
	module->on = true;
	assert_int_equal(kutrace_points_look(), LOADED);
	hit();
	assert_int_equal(module->records, 3);
	assert_int_equal(module->last.id, id_of("declared"));
}

static void payload(void)
{
	const struct kutrace_point_entry *last = &module->last;
	double half = 0.5;

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	turn(0, true);
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

static void wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void forked(void)
{
	pid_t child;

	come();
	/* the module was loaded in the meantime, and a child process finds it */
	module->on = true;
	child = fork();
	if (!child) {
		hit();
		assert_int_equal(module->records, 3);
		_exit(0);
	}
	wait_for(child);
	assert_int_equal(module->defines, LOADED);
	/* hits do not make the parent search again, but kutrace_test() does; then a child records */
	hit();
	assert_int_equal(module->records, 3);
	kutrace_test();
	hit();
	assert_int_equal(module->records, 6);
	assert_int_equal(module->defines, 2 * LOADED);
	assert_int_equal(module->bytes, 2 * LOADED);
	child = fork();
	if (!child) {
		/* the child's bytes are registered through the inherited descriptor */
		assert_int_equal(followed(), LOADED);
		hit();
		turn(0, false);
		hit();
		_exit(0);
	}
	wait_for(child);
	assert_int_equal(module->records, 9);
	assert_int_equal(module->defines, 2 * LOADED);
	assert_int_equal(module->bytes, 3 * LOADED);
	/* the bytes of the parent have not changed */
	hit();
	assert_int_equal(module->records, 12);
	/* a child's tracepoint is off if its byte cannot be registered */
	module->byte_error = ENOSPC;
	child = fork();
	if (!child) {
		hit();
		_exit(0);
	}
	wait_for(child);
	assert_int_equal(module->records, 12);
}

static void descriptor_gone(void)
{
	pid_t child;

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	turn(0, true);
	module->fd_gone = true;
	errno = 5;
	hit();
	assert_int_equal(module->records, 3);
	assert_int_equal(fake->opens, 2);
	/* the bytes of a child are registered through a descriptor that is open */
	module->fd_closed = true;
	child = fork();
	if (!child) {
		assert_int_equal(followed(), LOADED);
		hit();
		_exit(0);
	}
	wait_for(child);
	assert_int_equal(module->records, 6);
	/* registered tracepoints move to a descriptor that works, and stay on */
	assert_int_equal(followed(), LOADED);
	assert_int_equal(kutrace_points_look(), LOADED);
	assert_int_equal(followed_but_by(FAKE_FIRST_FD), LOADED);
	assert_int_equal(module->defines, LOADED);
	assert_int_equal(fake->maps, fake->unmaps + 1);
	hit();
	assert_int_equal(module->records, 9);
	/* if the device cannot be opened any more, events do not retry */
	module->fd_gone = true;
	fake->open_error = EACCES;
	child = fake->opens;
	hit();
	hit();
	assert_int_equal(module->records, 9);
	assert_int_equal(fake->opens, child);
	assert_int_equal(errno, 5);
}

static void refused(void)
{
	come();
	module->on = true;
	module->define_error = ENOSPC;
	assert_int_equal(kutrace_points_look(), 0);
	hit();
	assert_int_equal(module->records, 0);
	module->define_error = 0;
	module->byte_error = ENOSPC;
	assert_int_equal(kutrace_points_look(), 0);
	hit();
	assert_int_equal(module->records, 0);
	module->byte_error = 0;
	assert_int_equal(kutrace_points_look(), LOADED);
	hit();
	assert_int_equal(module->records, 3);
}

static void unloaded(void)
{
	static const struct kutrace_point_desc desc = {"plugin", "", 0, 0, {0}, {0}};
	struct kutrace_point plugin = {.desc = &desc};

	come();
	module->on = true;
	assert_int_equal(kutrace_points_look(), LOADED);
	kutrace_point_attach(&plugin);
	assert_int_equal(module->defines, LOADED + 1);
	assert_int_equal(followed(), LOADED + 1);
	assert_int_equal(plugin.on, 1);
	kutrace_point_detach(&plugin);
	assert_int_equal(plugin.on, 0);
	assert_int_equal(module->forgets, 1);
	assert_int_equal(find_byte(&plugin.on), -ENOENT);
	assert_int_equal(kutrace_points_look(), LOADED);
	kutrace_point_detach(&plugin);
	assert_int_equal(kutrace_points_look(), LOADED);
	/* the program has closed the descriptor: the byte is still unregistered */
	kutrace_point_attach(&plugin);
	assert_int_equal(followed(), LOADED + 1);
	module->fd_closed = true;
	kutrace_point_detach(&plugin);
	assert_int_equal(find_byte(&plugin.on), -ENOENT);
	assert_int_equal(followed(), LOADED);
	hit();
	assert_int_equal(module->records, 3);
}

/* Like the previous test, but the device cannot be opened again: no byte stays registered. */
static void unloaded_for_good(void)
{
	static const struct kutrace_point_desc desc = {"plugin", "", 0, 0, {0}, {0}};
	struct kutrace_point plugin = {.desc = &desc};

	come();
	module->on = true;
	assert_int_equal(kutrace_points_look(), LOADED);
	kutrace_point_attach(&plugin);
	module->fd_closed = true;
	fake->open_error = EACCES;
	kutrace_point_detach(&plugin);
	assert_int_equal(followed(), 0);
	assert_int_equal(fake->maps, fake->unmaps);
	assert_int_equal(KUTRACE_POINT_OBJ_(tick).on, 0);
	hit();
	assert_int_equal(module->records, 0);
	assert_int_equal(kutrace_points_look(), -EPERM);
	fake->open_error = 0;
	assert_int_equal(kutrace_points_look(), LOADED);
	hit();
	assert_int_equal(module->records, 3);
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
	module->on = true;
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
	struct ku_name_list names = {0};
	const char *text;
	size_t i;
	int fd;

	come();
	assert_int_equal(kutrace_points_look(), LOADED);
	fd = ku_dev->open(O_RDONLY);
	assert_int_equal(ku_names_points(fd, &names), 0);
	ku_names_newest(&names);
	/* a name entry has 56 bytes, so the longest of these needs two */
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
	TEST(without) TEST(later) TEST(on_at_once) TEST(payload) TEST(forked) \
	TEST(descriptor_gone) TEST(refused) TEST(unloaded) TEST(unloaded_for_good) \
	TEST(threads) TEST(dumped)

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
