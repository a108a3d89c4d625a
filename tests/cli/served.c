/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs main() of a sanitized filter in a child process for each line on standard input, for
 * run_served of filter.inc. This saves time, because in a short run the sanitizers need most of the
 * time to start. The variable KUTRACE_SERVED must have the number of seconds after which a child is
 * killed. Must never be linked into an installed program.
 *
 * A line is IN OUT ERR [ARG...], separated by tabs: the files for the child's standard input,
 * output and error, and the arguments of main(). For each line, the exit status is written to
 * standard output as in a shell: 137 for a child that was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The linker's --wrap=main renames main() to __real_main(). The C library calls __wrap_main(). */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

enum { MOST_ARGS = 32, LINE_BYTES = 4096, CANNOT = 126 };

/*
 * Reads one line without its newline. Reads byte by byte, because there is no buffer for input after
 * the line. Returns -1 if there is no line.
 */
static int read_line(char *line)
{
	size_t len = 0;

	while (len < LINE_BYTES - 1 && read(STDIN_FILENO, line + len, 1) == 1) {
		if (line[len] == '\n') {
			line[len] = '\0';
			return 0;
		}
		len++;
	}
	return -1;
}

static void redirect(int fd, const char *path, int flags)
{
	const int opened = open(path, flags, 0666);

	if (opened < 0 || dup2(opened, fd) != fd)
		_exit(CANNOT);
	close(opened);
}

static int run(char *name, char *line)
{
	char *word[MOST_ARGS], *argv[MOST_ARGS];
	int words = 0, argc = 1;

	while (line && words < MOST_ARGS)
		word[words++] = strsep(&line, "\t");
	if (line || words < 3)
		_exit(CANNOT);
	redirect(STDIN_FILENO, word[0], O_RDONLY);
	redirect(STDOUT_FILENO, word[1], O_WRONLY | O_CREAT | O_TRUNC);
	redirect(STDERR_FILENO, word[2], O_WRONLY | O_CREAT | O_TRUNC);
	argv[0] = name;
	for (; argc + 2 < words; argc++)
		argv[argc] = word[argc + 2];
	argv[argc] = NULL;
	return __real_main(argc, argv);
}

/* Returns the child's exit status as in a shell. SIGCHLD must be blocked. */
static int wait_for(pid_t child, time_t seconds)
{
	const struct timespec limit = { .tv_sec = seconds };
	sigset_t ends;
	int status;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	while (sigtimedwait(&ends, NULL, &limit) < 0) {
		if (errno == EAGAIN)
			kill(child, SIGKILL);
	}
	if (waitpid(child, &status, 0) != child)
		return CANNOT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * Registers the data of the program or of a library with LSan: memory to which these data point is
 * no leak. LSan runs with use_globals=0, because it would otherwise also scan many MB of the
 * sanitizers' own data each time.
 */
static int register_data(struct dl_phdr_info *object, size_t size, void *self)
{
	int i;

	(void)size;
	(void)self;
	if (strstr(object->dlpi_name, "/libasan.") || strstr(object->dlpi_name, "/libubsan."))
		return 0;
	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_W)
			__lsan_register_root_region((const void *)(object->dlpi_addr + part->p_vaddr), part->p_memsz);
	}
	return 0;
}

int __wrap_main(int argc, char **argv)
{
	const char *seconds = getenv("KUTRACE_SERVED");
	char line[LINE_BYTES], answer[16];
	sigset_t ends, before;
	pid_t child;

	dl_iterate_phdr(register_data, NULL);
	if (!seconds)
		return __real_main(argc, argv);
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, &before);
	while (read_line(line) == 0) {
		child = fork();
		if (child == 0) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			/* filters that the program runs are not served */
			unsetenv("KUTRACE_SERVED");
			return run(argv[0], line);
		}
		if (child < 0)
			return CANNOT;
		snprintf(answer, sizeof(answer), "%d\n", wait_for(child, atoi(seconds)));
		if (write(STDOUT_FILENO, answer, strlen(answer)) < 0)
			return CANNOT;
	}
	return 0;
}
