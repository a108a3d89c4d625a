// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes dumps and snapshots, prints their properties, makes the page of a trace and opens it in a
 * browser. Must not leave a part of a file: after an error, the module still has the recording.
 * Must not run a program with more rights than the trace's owner has, and must not wait until the
 * browser is closed.
 */
#include "cli/shared/traces.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/base.h"

/*
 * Larger traces are not searched for known faults: they have more than about five million spans, for which
 * spantowhy needs 270 MB of memory.
 */
#define SEARCHED_BYTES	(32 << 20)

/* Shows the progress of traces of 64 MB and more, on a terminal only. Cancels on a signal. */
static int show_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	bool *shown = arg;

	if (cmd_interrupted())
		return 1;
	if (total_bytes >= 64 << 20 && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r%3u%% of %llu MB",
			(unsigned int)(done_bytes * 100 / total_bytes),
			(unsigned long long)(total_bytes >> 20));
		*shown = true;
	}
	return 0;
}

static void print_properties(FILE *out, const char *fname, const struct kutrace_dump_result *r)
{
	fprintf(out, "%s: %llu.%03llu s in %llu blocks of 64 KB%s, %llu names, %llu KB\n",
		fname, (unsigned long long)(r->duration_ns / 1000000000),
		(unsigned long long)(r->duration_ns / 1000000 % 1000),
		(unsigned long long)r->data_blocks,
		r->wrapped ? " (the last part: older blocks were overwritten)" : "",
		(unsigned long long)r->names, (unsigned long long)(r->bytes / 1024));
	for (size_t i = 0; i < KUTRACE_LOST_CAUSES; i++)
		if (r->lost[i])
			fprintf(out, "lost: %llu (%s)\n", (unsigned long long)r->lost[i],
				cmd_lost_text[i]);
	if (r->bad_names)
		fprintf(out, "lost: %llu (names that could not be read)\n",
			(unsigned long long)r->bad_names);
	if (r->bad_blocks)
		fprintf(out, "lost: %llu blocks (header not valid)\n",
			(unsigned long long)r->bad_blocks);
	if (r->overwritten_blocks)
		fprintf(out, "overwritten while it was written, and left out: %llu blocks\n",
			(unsigned long long)r->overwritten_blocks);
	if (r->lost[KUTRACE_LOST_FULL])
		fprintf(out, "the end is missing: load the module with more memory, "
			"or use gowrap to keep the last part\n");
}

/* Returns 0, or -errno if no file can be created in the folder of @fname. */
static int check_folder(const char *fname)
{
	const char *slash = strrchr(fname, '/');
	char folder[PATH_MAX] = ".";

	if (strlen(fname) >= sizeof(folder) || strlen(slash ? slash + 1 : fname) > NAME_MAX)
		return -ENAMETOOLONG;
	if (slash && !slash[1])
		return -EISDIR;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - fname) + 1, fname);
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

int cmd_check_trace_file(const char *what, const char *fname)
{
	char target[PATH_MAX];
	struct stat st;
	int ret;

	if (fname && !strcmp(fname, "-"))
		return CMD_OK;
	if (!fname || stat(fname, &st))
		ret = check_folder(fname ? fname : "kutrace.trace");
	else if (S_ISREG(st.st_mode))
		ret = check_folder(realpath(fname, target) ? target : fname);
	else
		ret = S_ISDIR(st.st_mode) ? -EISDIR : 0;
	return ret ? cmd_dump_error(what, fname, ret) : CMD_OK;
}

static uint32_t program_pid;

void cmd_set_program(uint32_t pid)
{
	program_pid = pid;
}

int cmd_write_trace(const char *what, const char *fname, bool to_stderr,
		    int (*write)(const char *, const struct kutrace_dump_options *,
				 struct kutrace_dump_result *))
{
	char name[KUTRACE_FILE_NAME_BYTES];
	struct kutrace_dump_result result;
	bool shown = false;
	struct kutrace_dump_options options = {
		.tool = CMD_TOOL " " KUTRACE_VERSION,
		.progress = show_progress,
		.progress_arg = &shown,
		.program_pid = program_pid,
	};
	int ret;

	cmd_sudo_user(&options.owner_uid, &options.owner_gid);
	cmd_catch_signals();
	if (!fname)
		fname = kutrace_make_trace_file_name("kutrace", name);
	ret = write(fname, &options, &result);
	cmd_release_signals();
	if (shown)
		fputs("\r                        \r", stderr);
	if (ret)
		return cmd_signal_status(cmd_dump_error(what, fname, ret));
	print_properties(to_stderr ? stderr : stdout, fname, &result);
	return CMD_OK;
}

/* Returns the length of the first @length bytes of @name without the ending, if they have one of @endings. */
static size_t without_ending(const char *name, size_t length, const char *const *endings)
{
	size_t size;

	for (; *endings; endings++) {
		size = strlen(*endings);
		if (length > size && !strncmp(name + length - size, *endings, size) && name[length - size - 1] != '/')
			return length - size;
	}
	return length;
}

bool cmd_page_name(const char *trace, char *page, size_t size)
{
	static const char *const packed[] = {".xz", ".gz", ".zst", NULL}, *const formats[] = {".trace", ".json", NULL};
	size_t length = without_ending(trace, without_ending(trace, strlen(trace), packed), formats);
	int n;

	n = snprintf(page, size, "%.*s.html", (int)length, trace);
	return n > 0 && (size_t)n < size;
}

void cmd_print_word(const char *word)
{
	if (*word && *word != '-' && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-")]) {
		fputs(word, stderr);
		return;
	}
	fputs(*word == '-' ? "./'" : "'", stderr);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\'", stderr);
		fputc((unsigned char)*word < ' ' ? '?' : *word, stderr);
	}
	fputc('\'', stderr);
}

static bool is_file(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISREG(st.st_mode);
}

void cmd_print_next(const char *trace)
{
	char page[4200], path[4200];
	/* rawtohtml can be in a folder that the user's shell does not search */
	bool front = !cmd_find_in_path("rawtohtml", path, sizeof(path)) &&
		     cmd_find_in_path("kutrace", path, sizeof(path));

	if (!is_file(trace) || !cmd_page_name(trace, page, sizeof(page)))
		return;
	fflush(stdout);
	fputs(front ? "next: kutrace page " : "next: rawtohtml ", stderr);
	cmd_print_word(trace);
	fputs(" -o ", stderr);
	cmd_print_word(page);
	fputc('\n', stderr);
}

static bool is_own_folder(const char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISDIR(st.st_mode) && st.st_uid == getuid();
}

/*
 * Sets the folder in which a browser finds its user's session. Under sudo the variable names root's
 * folder, or is not set.
 */
static void set_runtime_folder(void)
{
	static const char variable[] = "XDG_RUNTIME_DIR";
	char folder[60];

	if (cmd_is_set(variable) && is_own_folder(getenv(variable)))
		return;
	snprintf(folder, sizeof(folder), "/run/user/%lu", (unsigned long)getuid());
	if (is_own_folder(folder))
		setenv(variable, folder, 1);
	else
		unsetenv(variable);
}

/* Executes the program as @user. Returns only after an error. */
static void exec_as_user(char **argv, const struct cmd_user *user)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	if (cmd_become_user(user))
		return;
	set_runtime_folder();
	execvp(argv[0], argv);
}

/* Makes this process print its results on standard error, and no messages. */
static void print_to_stderr(void)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
}

/*
 * @results: print the program's results on standard error, and discard its messages. Returns the program's exit status
 * as in a shell, or -errno.
 */
static int run_program(char **argv, const struct cmd_user *user, bool results)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		if (results)
			print_to_stderr();
		exec_as_user(argv, user);
		_exit(CMD_RUN_CANNOT);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void cmd_print_findings(const char *what, const char *trace, const struct cmd_user *user)
{
	char tool[4200];
	char *argv[] = {tool, (char[]){"--worst"}, (char[]){CMD_WORST}, (char[]){"--no-pager"}, (char[]){"--"},
			(char *)(uintptr_t)trace, NULL};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
	struct stat st;
	int status;

	if (stat(trace, &st) || !S_ISREG(st.st_mode) || !cmd_find_program("spantowhy", tool, sizeof(tool)))
		return;
	if (st.st_size > SEARCHED_BYTES) {
		cmd_note("%s: the trace was not searched for known faults, because it has more than %d MB; try \"spantowhy --findings\"",
			 what, SEARCHED_BYTES >> 20);
		return;
	}
	/* ^C ends the search, and must not change the exit status of this program */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	status = run_program(argv, user, true);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (status)
		cmd_note("%s: the search for known faults is incomplete: spantowhy has failed (%d)", what, status);
}

/*
 * Starts the browser in the background, without this terminal. If the start fails, the error
 * arrives through a pipe. A started program closes the pipe.
 */
static int start_browser(char **argv, const struct cmd_user *user)
{
	int report[2], error = 0, null;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (fork())
			_exit(0);
		setsid();
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (null >= 0) {
			dup2(null, STDIN_FILENO);
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
		}
		exec_as_user(argv, user);
		error = errno;
		_exit(write(report[1], &error, sizeof(error)) != sizeof(error));
	}
	close(report[1]);
	if (pid > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		if (read(report[0], &error, sizeof(error)) != sizeof(error))
			error = 0;
	} else {
		error = errno;
	}
	close(report[0]);
	return -error;
}

int cmd_make_page(const char *what, const char *trace, const char *title, const struct cmd_user *user,
		  char *page, size_t size)
{
	char tool[4200];
	char *argv[] = {tool, "--title", (char *)(uintptr_t)title, "-o", page, "--",
			(char *)(uintptr_t)trace, NULL};
	int status;

	if (!is_file(trace) || !cmd_page_name(trace, page, size))
		return cmd_fail("%s: cannot make a page: %s is not a regular file", what, trace);
	if (!cmd_find_program("rawtohtml", tool, sizeof(tool)))
		return cmd_fail("%s: rawtohtml is not in the PATH: the trace is written, and "
				"there is no page", what);
	status = run_program(argv, user, false);
	if (status)
		return cmd_fail("%s: rawtohtml has failed (%d): the trace is written, and "
				"there is no page", what, status);
	return CMD_OK;
}

int cmd_show_page(const char *what, const char *page, const struct cmd_user *user)
{
	char browser[4200], whole[PATH_MAX];
	char *argv[] = {browser, whole, NULL};
	int ret;

	if (!cmd_find_browser(browser, sizeof(browser))) {
		fprintf(stderr, "%s: open it in a browser; there is no browser or display here\n", page);
		return CMD_OK;
	}
	if (!realpath(page, whole))
		return cmd_fail("%s: %s: %s", what, page, strerror(errno));
	ret = start_browser(argv, user);
	if (ret)
		return cmd_fail("%s: %s: %s: the page is %s", what, browser, strerror(-ret), page);
	fprintf(stderr, "%s: opened by %s\n", page, browser);
	return CMD_OK;
}

int cmd_open_page(const char *what, const char *trace, const char *title,
		  const struct cmd_user *user)
{
	char page[4200];

	return cmd_make_page(what, trace, title, user, page, sizeof(page)) ?:
	       cmd_show_page(what, page, user);
}
