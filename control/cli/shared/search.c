// SPDX-License-Identifier: BSD-3-Clause
/*
 * Searches a trace for known faults, by spantowhy in another process of the lowest priority, for the recorder. Must
 * not delay the recorder, and must not take memory that its limits do not have.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/shared/traces.h"

/* Memory that the search needs: for the programs, and for each byte of the trace. */
#define PROGRAMS_BYTES	(48u << 20)
#define TIMES		9

const char *cmd_meminfo = "/proc/meminfo";

#define IOPRIO_IDLE	(3 << 13)	/* class IOPRIO_CLASS_IDLE of ioprio_set(2) */
#define LINES_MAX	40		/* lines of the findings that are read */

/* Reads the number after @key, or without a key the first one. Returns false if there is none, as for "max". */
static bool read_number(const char *file, const char *key, uint64_t *number)
{
	const size_t length = key ? strlen(key) : 0;
	char line[256];
	bool found = false;
	FILE *f = fopen(file, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = (!key || !strncmp(line, key, length)) && sscanf(line + length, "%" SCNu64, number) == 1;
	if (f)
		fclose(f);
	return found;
}

/* Reads a number of this process's cgroup, in version 2. */
static bool read_cgroup(const char *name, const char *key, uint64_t *number)
{
	char line[4200] = "", file[4400];
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f) && strncmp(line, "0::", 3))
		;
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "0::", 3))
		return false;
	snprintf(file, sizeof(file), "/sys/fs/cgroup%s/%s", line + 3, name);
	return read_number(file, key, number);
}

/* Returns the memory that the machine and this process's cgroup have left. The cgroup's file cache is free. */
static uint64_t free_bytes(void)
{
	uint64_t left = UINT64_MAX, limit, used, cache, kib;

	if (read_number(cmd_meminfo, "MemAvailable:", &kib))
		left = kib << 10;
	if (!read_cgroup("memory.max", NULL, &limit) || !read_cgroup("memory.current", NULL, &used) ||
	    !read_cgroup("memory.stat", "file ", &cache))
		return left;
	used -= cache < used ? cache : used;
	limit = used < limit ? limit - used : 0;
	return limit < left ? limit : left;
}

void cmd_findings_name(const char *trace, char *name, size_t size)
{
	size_t length = strlen(trace);

	if (length > 6 && !strcmp(trace + length - 6, ".trace"))
		length -= 6;
	snprintf(name, size, "%.*s.findings.txt", (int)length, trace);
}

/* Runs in the child: executes the program as @user, with the lowest priority, and discards its messages. */
static _Noreturn void execute(char **argv, const struct cmd_user *user, const char *folder)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC), score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* the end of the search also ends the programs that it starts */
	setpgid(0, 0);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	/* if memory runs out, the kernel kills the search, and not the recorder */
	if (score < 0 || write(score, "1000", 4) != 4 || cmd_become_user(user))
		_exit(CMD_RUN_FAILED);
	setpriority(PRIO_PROCESS, 0, 19);
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
	syscall(SYS_ioprio_set, 1, 0, IOPRIO_IDLE);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* the findings show what all users did, as the trace does */
	umask(077);
	/* the temporary files of the filters go to the disk whose free space was checked */
	setenv("TMPDIR", folder, 1);
	setenv("KUTRACE_THREADS", "1", 1);
	execv(argv[0], argv);
	_exit(CMD_RUN_CANNOT);
}

void cmd_search_begin(const char *what, struct cmd_search *search, const char *trace, const char *folder, uint32_t most_mb)
{
	char tool[4200];
	char *argv[] = {tool, (char[]){"--worst"}, (char[]){CMD_WORST}, (char[]){"-o"}, search->findings, (char[]){"--"},
			search->trace, NULL};
	struct cmd_user user;
	struct stat st;
	uint64_t need, left;

	if (stat(trace, &st) || !S_ISREG(st.st_mode) || !cmd_find_program("spantowhy", tool, sizeof(tool)))
		return;
	if ((uint64_t)st.st_size > (uint64_t)most_mb << 20) {
		cmd_note("%s: %s is not searched for known faults: it has more than %" PRIu32 " MB (--findings)", what, trace, most_mb);
		return;
	}
	if (search->pid) {
		cmd_note("%s: %s is not searched for known faults: the previous search has not ended", what, trace);
		return;
	}
	need = PROGRAMS_BYTES + TIMES * (uint64_t)st.st_size;
	left = free_bytes();
	if (left < need) {
		cmd_note("%s: %s is not searched for known faults: this needs %" PRIu64 " MB of memory, and %" PRIu64
			 " MB are free, on this machine or in this memory cgroup", what, trace, need >> 20, left >> 20);
		return;
	}
	snprintf(search->trace, sizeof(search->trace), "%s", trace);
	cmd_findings_name(trace, search->findings, sizeof(search->findings));
	if (!cmd_find_user(what, NULL, &user)) {
		fflush(NULL);
		search->pid = fork();
		if (!search->pid)
			execute(argv, &user, folder);
		/* the search may be ended before it has run */
		if (search->pid > 0)
			setpgid(search->pid, search->pid);
	}
	cmd_free_user(&user);
	if (search->pid < 0) {
		cmd_note("%s: %s is not searched for known faults: %s", what, trace, strerror(errno));
		search->pid = 0;
	}
}

/* Prints a line for each finding: its cost and time, and its sentence. Without findings, prints all lines. */
static void print_findings(const char *what, const struct cmd_search *search)
{
	char line[1200], text[1200], first[1200] = "";
	const char *begin;
	FILE *f = fopen(search->findings, "re");

	for (int i = 0; f && i < LINES_MAX && fgets(line, sizeof(line), f); i++) {
		line[strcspn(line, "\n")] = '\0';
		begin = line + strspn(line, " ");
		if (*line >= '0' && *line <= '9')
			strcpy(first, line);
		else if (*first && begin > line)
			cmd_note("%s: %s: known fault %s %s", what, search->trace, first, cmd_printable(begin, text, sizeof(text)));
		else if (begin == line && line[strlen(line) - (*line != '\0')] != ':')
			cmd_note("%s: %s: %s", what, search->trace, cmd_printable(line, text, sizeof(text)));
		if (begin > line)
			*first = '\0';
	}
	if (f)
		fclose(f);
}

void cmd_search_poll(const char *what, struct cmd_search *search)
{
	int status;
	pid_t pid;

	if (!search->pid)
		return;
	pid = waitpid(search->pid, &status, WNOHANG);
	if (!pid || (pid < 0 && errno == EINTR))
		return;
	search->pid = 0;
	if (pid < 0 || status) {
		cmd_note("%s: %s was not searched for known faults: spantowhy has failed (%d)", what, search->trace,
			 pid < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		return;
	}
	/* the trace was removed meanwhile */
	if (access(search->trace, F_OK))
		unlink(search->findings);
	else
		print_findings(what, search);
}

void cmd_search_end(struct cmd_search *search)
{
	if (search->pid && !kill(-search->pid, SIGTERM))
		while (waitpid(search->pid, NULL, 0) < 0 && errno == EINTR)
			;
	search->pid = 0;
}
