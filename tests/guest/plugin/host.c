// SPDX-License-Identifier: BSD-3-Clause
/*
 * Defines typed tracepoints that other programs switch, for test_points_bytes.sh. Executes commands
 * of standard input, one a line, and answers each with one line:
 *
 *	state		prints the bytes: main=0 other=1, and plug=1 while the plugin is loaded
 *	hit N		hits tp_main N times, if it is on
 *	spin 0|1	starts a thread that waits for this value of tp_main's byte, without a call
 *	spun		prints whether the thread has seen the value (waits up to 5 s)
 *	load		loads the plugin, /lib/plugin.so
 *	unload		unloads it, and maps other memory in place of its tracepoint
 *	untouched	prints whether that memory is unchanged
 *	closeall	closes all descriptors except the first three
 *	fork, clone	makes a child, by fork() or by the bare system call
 *	child COMMAND	sends the command to the child
 *	child exit	ends the child
 *
 *	host limits	prints how many bytes are accepted from users who may control and who may
 *			only mark
 *	host many N	N processes, one after another, register a byte by the same descriptor and end.
 *			Prints how many were refused, and the growth of the kernel's number of
 *			address spaces
 *	host odd	registers bytes, and makes their memory read-only or unmaps it
 *	host locked	registers two bytes of locked_up and makes their memory read-only. Each line
 *			that it reads makes the memory writable or read-only, alternately. Prints
 *			the state and the bytes each time
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_point.h"

KUTRACE_POINT(tp_main, "n=%u pid=%d", (uint32_t, n), (int, pid));
KUTRACE_POINT(tp_other, "");

#define PAGE 4096UL

static const unsigned char *plug_byte;
static void *plugin;
static char *over;		/* the mapping in place of the plugin */
static uint32_t hits;
static FILE *to_child, *from_child;
static pid_t child;

static unsigned char main_byte(void)
{
	return __atomic_load_n(&KUTRACE_POINT_OBJ_(tp_main).on, __ATOMIC_RELAXED);
}

static void state(void)
{
	printf("main=%d other=%d", main_byte(), KUTRACE_POINT_OBJ_(tp_other).on);
	if (plugin)
		printf(" plug=%d", *plug_byte);
	printf("\n");
}

/* ---- spin ---- */

static volatile int spin_for, spun;

static void *spinner(void *unused)
{
	(void)unused;
	while (main_byte() != spin_for)
		;
	spun = 1;
	return NULL;
}

static void spin(int value)
{
	pthread_t thread;

	spin_for = value;
	spun = 0;
	if (pthread_create(&thread, NULL, spinner, NULL) || pthread_detach(thread))
		printf("no thread\n");
	else
		printf("spinning\n");
}

static void was_spun(void)
{
	for (int i = 0; i < 500 && !spun; i++)
		usleep(10000);
	printf("%s\n", spun ? "seen" : "not seen");
}

/* ---- the plugin ---- */

static void load(void)
{
	void *(*byte)(void);

	plugin = dlopen("/lib/plugin.so", RTLD_NOW);
	if (!plugin) {
		printf("%s\n", dlerror());
		return;
	}
	*(void **)&byte = dlsym(plugin, "plugin_byte");
	plug_byte = byte();
	state();
}

static void unload(void)
{
	dlclose(plugin);
	plugin = NULL;
	over = mmap((void *)((uintptr_t)plug_byte & ~(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (over == MAP_FAILED) {
		printf("%s\n", strerror(errno));
		return;
	}
	memset(over, 0x55, PAGE);
	printf("unloaded\n");
}

static void untouched(void)
{
	size_t i;

	for (i = 0; i < PAGE && over[i] == 0x55; i++)
		;
	printf(i < PAGE ? "touched at %zu\n" : "untouched\n", i);
}

/* ---- children ---- */

static void serve(void);

static void beget(bool bare)
{
	int down[2], up[2];

	if (pipe(down) || pipe(up)) {
		printf("%s\n", strerror(errno));
		return;
	}
	child = bare ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	if (!child) {
		dup2(down[0], 0);
		dup2(up[1], 1);
		stdin = fdopen(0, "r");
		stdout = fdopen(1, "w");
		setvbuf(stdout, NULL, _IOLBF, 0);
		close(down[1]);
		serve();
		_exit(0);
	}
	to_child = fdopen(down[1], "w");
	from_child = fdopen(up[0], "r");
	close(down[0]);
	close(up[1]);
	setvbuf(to_child, NULL, _IOLBF, 0);
	printf("child %d\n", child);
}

static void ask_child(const char *command)
{
	char line[200];

	if (!strncmp(command, "exit", 4)) {
		fclose(to_child);
		fclose(from_child);
		waitpid(child, NULL, 0);
		printf("gone\n");
		return;
	}
	fputs(command, to_child);
	printf("%s", fgets(line, sizeof(line), from_child) ? line : "no answer\n");
}

static void serve(void)
{
	char line[200];
	unsigned int n;

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "state", 5)) {
			state();
		} else if (sscanf(line, "hit %u", &n) == 1) {
			while (n--)
				kutrace_point_tp_main(hits++, getpid());
			printf("done %u\n", hits);
		} else if (sscanf(line, "spin %u", &n) == 1) {
			spin((int)n);
		} else if (!strncmp(line, "spun", 4)) {
			was_spun();
		} else if (!strncmp(line, "load", 4)) {
			load();
		} else if (!strncmp(line, "unload", 6)) {
			unload();
		} else if (!strncmp(line, "untouched", 9)) {
			untouched();
		} else if (!strncmp(line, "closeall", 8)) {
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
			printf("closed\n");
		} else if (!strncmp(line, "fork", 4) || !strncmp(line, "clone", 5)) {
			beget(line[0] == 'c');
		} else if (!strncmp(line, "child ", 6)) {
			ask_child(line + 6);
		} else {
			printf("what?\n");
		}
	}
}

/* ---- bytes without the library ---- */

static int device(void)
{
	int fd = open(KUTRACE_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		perror(KUTRACE_DEVICE);
	return fd;
}

static uint32_t define(int fd, const char *text)
{
	struct kutrace_point_def def = {.length = sizeof(def)};

	strcpy(def.text, text);
	return ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def) ? 0 : def.id;
}

static int give(int fd, uint32_t id, const void *at)
{
	struct kutrace_point_byte byte = {.length = sizeof(byte), .id = id,
					  .address = (uintptr_t)at};

	return ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte) ? errno : 0;
}

static unsigned char bytes[5000];

/* Registers bytes until one is refused. Returns the number of accepted bytes. */
static unsigned int fill(int fd, uint32_t id, int *error)
{
	unsigned int count = 0;

	while (count < sizeof(bytes) && !(*error = give(fd, id, bytes + count)))
		count++;
	return count;
}

static void be_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		perror("nobody");
}

/* Tries the limit again, after the other processes have ended. */
static void marker(void)
{
	int error;

	if (!fork()) {
		int fd;

		be_nobody();
		fd = device();
		printf("later %u", fill(fd, define(fd, "limit|"), &error));
		printf(" %s\n", strerrorname_np(error));
		exit(0);
	}
	wait(NULL);
}

/* Tries the limits in 20 processes, which stay until all of them have tried. */
static int limits(void)
{
	int hold[2], up[2], fd = device(), error, i, taken;
	uint32_t id = define(fd, "limit|");
	FILE *answers;

	if (pipe(hold) || pipe(up))
		return 1;
	answers = fdopen(up[0], "r");
	for (i = 0; i < 20; i++) {
		bool marks = i < 18;

		if (!fork()) {
			char text[100];

			close(hold[1]);
			if (marks)
				be_nobody();
			fd = device();
			taken = (int)fill(fd, id, &error);
			snprintf(text, sizeof(text), "%s %d %s\n", marks ? "marker" : "control",
				 taken, error ? strerrorname_np(error) : "ok");
			if (write(up[1], text, strlen(text)) < 0 || read(hold[0], text, 1))
				_exit(1);
			_exit(0);
		}
		char line[100];

		if (fgets(line, sizeof(line), answers))
			fputs(line, stdout);
	}
	printf("meanwhile main=%d\n", main_byte());
	close(hold[1]);
	while (wait(NULL) > 0)
		;
	marker();
	return 0;
}

/*
 * Returns the kernel's number of address spaces, or 0 if the kernel does not count them. KASAN
 * keeps freed memory for a while, which would be counted; shrinking the cache releases it.
 */
static int memories(void)
{
	FILE *shrink = fopen("/sys/kernel/slab/mm_struct/shrink", "w");
	char line[300];
	int count = 0;
	FILE *in;

	if (shrink) {
		fputs("1\n", shrink);
		fclose(shrink);
	}
	in = fopen("/proc/slabinfo", "r");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "mm_struct %d", &count) == 1)
			break;
	if (in)
		fclose(in);
	return count;
}

static int many(int count)
{
	int fd = device(), i, error = 0, status, bad = 0, before = memories();
	uint32_t id = define(fd, "many|");

	for (i = 0; i < count; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (!pid) {
			error = give(fd, id, bytes + i % 100);
			_exit(error);
		}
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	printf("refused %d of %d, more memories %d\n", bad, count, memories() - before);
	return 0;
}

static int switch_all(int on)
{
	struct kutrace_point_switch wanted = {.length = sizeof(wanted), .value = on, .name = "odd"};
	int fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC), ret;

	ret = ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted);
	close(fd);
	return ret ? -errno : (int)wanted.behind;
}

/*
 * Registers bytes, then makes one read-only and unmaps another. Prints how many bytes the module
 * cannot write at each switch of the tracepoint. Then removes a byte that another file registered.
 */
static int odd(void)
{
	int fd = device(), unread = device();
	uint32_t id = define(fd, "odd|");
	unsigned char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 3; i++)
		if (give(fd, id, at + i * PAGE))
			printf("not taken\n");
	printf("on %d %d %d\n", at[0], at[PAGE], at[2 * PAGE]);
	mprotect(at + PAGE, PAGE, PROT_READ);
	munmap(at + 2 * PAGE, PAGE);
	printf("behind %d\n", switch_all(0));
	printf("off %d %d\n", at[0], at[PAGE]);
	mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE);
	printf("behind %d\n", switch_all(1));
	printf("behind %d\n", switch_all(0));
	printf("off %d %d\n", at[0], at[PAGE]);
	/* After the close, the module writes only the byte that another file registered. */
	if (give(unread, id, at + 3 * PAGE))
		printf("not taken\n");
	close(fd);
	printf("behind %d\n", switch_all(1));
	printf("on %d %d %d\n", at[0], at[PAGE], at[3 * PAGE]);
	/* The byte belongs to this process, so the process can remove it by any file. */
	fd = device();
	printf("forget %d\n", ioctl(fd, KUTRACE_IOC_POINT_FORGET, at + 3 * PAGE));
	printf("behind %d\n", switch_all(0));
	printf("on %d\n", at[3 * PAGE]);
	return 0;
}

static int locked(void)
{
	int fd = device();
	uint32_t id = define(fd, "locked_up|");
	unsigned char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int protection = PROT_READ;
	char line[20];

	if (give(fd, id, at) || give(fd, id, at + PAGE))
		printf("not taken\n");
	do {
		mprotect(at, 2 * PAGE, protection);
		printf("%s %d %d\n", protection == PROT_READ ? "locked" : "open", at[0],
		       at[PAGE]);
		protection ^= PROT_WRITE;
	} while (fgets(line, sizeof(line), stdin));
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "limits"))
		return limits();
	if (argc == 3 && !strcmp(argv[1], "many"))
		return many(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "odd"))
		return odd();
	if (argc == 2 && !strcmp(argv[1], "locked"))
		return locked();
	printf("ready %d\n", getpid());
	serve();
	return 0;
}
