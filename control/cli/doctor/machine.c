// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the properties of this machine that the checks need. Must not change the machine, and
 * must not judge the values. Unit tests replace / by a folder (struct cmd_machine, root).
 */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

char *cmd_machine_path(const struct cmd_machine *m, char *str, size_t size, const char *fmt, ...)
{
	size_t length = strlen(m->root);
	va_list args;
	int n;

	if (length >= size)
		return NULL;
	memcpy(str, m->root, length);
	va_start(args, fmt);
	n = vsnprintf(str + length, size - length, fmt, args);
	va_end(args);
	return n < 0 || (size_t)n >= size - length ? NULL : str;
}

FILE *cmd_machine_open(const struct cmd_machine *m, const char *file)
{
	char path[512];

	return cmd_machine_path(m, path, sizeof(path), "%s", file) ? fopen(path, "re") : NULL;
}

bool cmd_machine_line(const struct cmd_machine *m, const char *file, char *line, size_t size)
{
	char path[512];

	return cmd_machine_path(m, path, sizeof(path), "%s", file) &&
	       ku_read_line(path, line, size);
}

bool cmd_machine_has(const struct cmd_machine *m, const char *file)
{
	char path[512];

	return cmd_machine_path(m, path, sizeof(path), "%s", file) && !access(path, F_OK);
}

/*
 * Finds the file of kutrace.ko. Each line of modules.dep begins with the file of one module, as
 * an absolute path or relative to the modules' folder, and a colon.
 */
bool cmd_machine_module(const struct cmd_machine *m, char *file, size_t size)
{
	char name[160], line[4096];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/lib/modules/%s/modules.dep", m->release);
	f = cmd_machine_open(m, name);
	while (f && !found && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':'), *base;

		if (!colon)
			continue;
		*colon = '\0';
		base = strrchr(line, '/');
		base = base ? base + 1 : line;
		if (strncmp(base, "kutrace.ko", 10) || (base[10] && base[10] != '.'))
			continue;
		found = line[0] == '/' ? cmd_machine_path(m, file, size, "%s", line)
				       : cmd_machine_path(m, file, size, "/lib/modules/%s/%s",
							  m->release, line);
	}
	if (f)
		fclose(f);
	return found;
}

/*
 * Opens the two counters of --ipc for this process in user mode, which needs the least privilege.
 * Returns 0 or -errno.
 */
static int try_counters(void)
{
	static const uint64_t kinds[] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES};
	int fd[2] = {-1, -1}, error = 0;

	for (size_t i = 0; i < 2 && !error; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = kinds[i],
			.exclude_kernel = 1, .exclude_hv = 1,
		};

		fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0)
			error = -errno;
	}
	for (size_t i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return error;
}

/* Finds the last error (level 3 or worse) of kutrace: "<3>[   12.345678] kutrace: text". */
static void find_refusal(char *log, char *text, size_t size)
{
	char *line, *rest = NULL, *said;

	for (line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] != '<' || line[1] < '0' || line[1] > '3' || line[2] != '>')
			continue;
		said = strchr(line, ']');
		if (said && !strncmp(said, "] kutrace: ", 11))
			snprintf(text, size, "%s", said + 11);
	}
}

static void read_refusal(char *text, size_t size)
{
	enum { READ_ALL = 3, SIZE_BUFFER = 10 };
	int bytes = klogctl(SIZE_BUFFER, NULL, 0);
	char *log = bytes > 0 ? malloc((size_t)bytes + 1) : NULL;

	if (!log)
		return;
	bytes = klogctl(READ_ALL, log, bytes);
	if (bytes > 0) {
		log[bytes] = '\0';
		find_refusal(log, text, size);
	}
	free(log);
}

/*
 * Returns 1 if apt has a package of this kernel's headers, 0 if it has none, -1 if apt is missing or if
 * the headers are installed.
 */
static int find_apt_package(const struct cmd_machine *m)
{
	char package[90], makefile[120];
	char *argv[] = {"apt-cache", "show", package, NULL};
	posix_spawn_file_actions_t quiet;
	int status = -1;
	pid_t pid;

	snprintf(makefile, sizeof(makefile), "/lib/modules/%s/build/Makefile", m->release);
	if (!access(makefile, F_OK) || posix_spawn_file_actions_init(&quiet))
		return -1;
	snprintf(package, sizeof(package), "linux-headers-%s", m->release);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ))
		pid = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	posix_spawn_file_actions_destroy(&quiet);
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return -1;
	return !WEXITSTATUS(status);
}

void cmd_machine_here(struct cmd_machine *m)
{
	struct utsname uts;

	memset(m, 0, sizeof(*m));
	m->root = "";
	if (!uname(&uts)) {
		snprintf(m->release, sizeof(m->release), "%s", uts.release);
		snprintf(m->version, sizeof(m->version), "%s", uts.version);
		snprintf(m->architecture, sizeof(m->architecture), "%s", uts.machine);
	}
	m->uid = geteuid();
	m->reads_max = 500000;
	m->info_error = kutrace_get_info(&m->info);
	if (!m->info_error)
		m->module_version = kutrace_version_module();
	else if (m->info_error == -ENODEV)
		read_refusal(m->refusal, sizeof(m->refusal));
	m->counters_error = try_counters();
	m->apt_headers = find_apt_package(m);
}
