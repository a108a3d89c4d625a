/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command between two readings of the kernel's own counters, each between two marks, so that
 * a test can compare the counters with the trace. A counter grows at least by the number of events
 * between the marks /first and last, and at most by the number between first and /last. The program
 * must read nothing outside its marks.
 *
 *	counters CMD ARG...
 *
 * Prints lines WHEN WHAT NUMBER. WHEN is first or last. WHAT is ctxt, processes, softirq.N (by
 * softirq number), LOC, RES, CAL (names of /proc/interrupts; all CPUs). On arm64 and riscv64 the
 * last three are the lines that end with arch_timer or riscv-timer, "Rescheduling interrupts" and
 * "Function call interrupts".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libkutrace.h"

struct reading {
	char stat[65536];
	char interrupts[65536];
};

static int stat_fd, interrupts_fd;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "counters: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void slurp(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET))
		die("lseek");
	while ((n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	if (n < 0)
		die("read");
	text[length] = 0;
}

static void take(struct reading *reading)
{
	slurp(stat_fd, reading->stat, sizeof(reading->stat));
	slurp(interrupts_fd, reading->interrupts, sizeof(reading->interrupts));
}

static void print_stat(const char *when, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strncmp(line, "ctxt ", 5) == 0) {
			printf("%s ctxt %s\n", when, line + 5);
		} else if (strncmp(line, "processes ", 10) == 0) {
			printf("%s processes %s\n", when, line + 10);
		} else if (strncmp(line, "softirq ", 8) == 0) {
			char *p = line + 8;

			strtoul(p, &p, 10);	/* the total */
			for (int i = 0; i < 10; i++)
				printf("%s softirq.%d %lu\n", when, i, strtoul(p, &p, 10));
		}
	}
}

/* Returns the name of a line of /proc/interrupts; NULL if the line is not used. */
static const char *interrupt_name(const char *line)
{
	static const char *const names[][2] = {
		{ "LOC", "arch_timer" }, { "LOC", "riscv-timer" }, { "RES", "Rescheduling interrupts" },
		{ "CAL", "Function call interrupts" },
	};
	size_t length = strlen(line);

	if (!strchr(line, ':'))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t tail = strlen(names[i][1]);

		if ((!strncmp(line, names[i][0], 3) && line[3] == ':') ||
		    (length > tail && !strcmp(line + length - tail, names[i][1])))
			return names[i][0];
	}
	return NULL;
}

static void print_interrupts(const char *when, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *name;
		unsigned long sum = 0;
		char *p, *end;

		while (*line == ' ')
			line++;
		name = interrupt_name(line);
		if (!name)
			continue;
		for (p = strchr(line, ':') + 1;; p = end) {
			unsigned long n = strtoul(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
		printf("%s %s %lu\n", when, name, sum);
	}
}

int main(int argc, char **argv)
{
	static struct reading first, last;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: counters CMD ARG...\n");
		return 2;
	}
	stat_fd = open("/proc/stat", O_RDONLY);
	interrupts_fd = open("/proc/interrupts", O_RDONLY);
	if (stat_fd < 0 || interrupts_fd < 0)
		die("/proc");
	take(&first);	/* so that the next reading finds warm caches */

	kutrace_mark_b("first");
	take(&first);
	kutrace_mark_b("/first");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "counters: %s: status %#x\n", argv[1], status);
		return 1;
	}
	kutrace_mark_b("last");
	take(&last);
	kutrace_mark_b("/last");

	print_stat("first", first.stat);
	print_stat("last", last.stat);
	print_interrupts("first", first.interrupts);
	print_interrupts("last", last.interrupts);
	return 0;
}
