// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control run: runs a program as the user that called sudo, and records meanwhile.
 *
 * Must return the program's exit status, and for its own errors a status that programs do not use.
 * Must not run the program if recording could not start. Must not give the program root's rights.
 * Must not leave the recording on.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"

#define POLL_MS		50	/* interval for checking whether the program has ended */
/* extra time to wait for a firing that is not complete when the program ends */
#define LAST_MS			1000
#define SNAPSHOTS_MAX		10

static volatile sig_atomic_t child_pid;

/* Passes a signal on to the program: a signal to this process alone is meant for the program. */
static void forward_signal(int signal_number)
{
	int saved = errno;

	if (child_pid > 0)
		kill(child_pid, signal_number);
	errno = saved;
}

/*
 * SIGINT and SIGQUIT are ignored: a terminal also sends them to the program, and this process must
 * still write the trace when the program ends.
 */
static const struct {
	int number;
	struct sigaction action;
} signals[] = {
	{SIGINT, {.sa_handler = SIG_IGN}},
	{SIGQUIT, {.sa_handler = SIG_IGN}},
	{SIGTERM, {.sa_handler = forward_signal, .sa_flags = SA_RESTART}},
	{SIGHUP, {.sa_handler = forward_signal, .sa_flags = SA_RESTART}},
};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static void set_signals(struct sigaction saved[SIGNALS])
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &signals[i].action, &saved[i]);
}

static void restore_signals(const struct sigaction saved[SIGNALS])
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &saved[i], NULL);
}

/* Errors of starting the program. All are 0 if the program has started. */
struct start_error {
	int user;	/* errno of changing to the user */
	int exec;	/* errno of execvp() */
};

/* Runs in the child: executes the program, or writes the error into the pipe. */
static _Noreturn void exec_program(char **argv, int report, const struct sigaction *saved,
				   const struct cmd_user *user)
{
	struct start_error error = {.user = -cmd_become_user(user)};
	ssize_t n;

	restore_signals(saved);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (!error.user) {
		execvp(argv[0], argv);
		error.exec = errno;
	}
	n = write(report, &error, sizeof(error));
	_exit(n == sizeof(error) ? CMD_RUN_CANNOT : CMD_RUN_FAILED);
}

/* Starts the program. *@why gets the errors if the program could not be executed. */
static pid_t start_program(char **argv, const struct sigaction *saved,
			   const struct cmd_user *user, struct start_error *why)
{
	int report[2], error;
	sigset_t passed, mask;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	/* block signals until their recipient is known */
	sigemptyset(&passed);
	sigaddset(&passed, SIGTERM);
	sigaddset(&passed, SIGHUP);
	sigprocmask(SIG_BLOCK, &passed, &mask);
	pid = fork();
	error = -errno;
	if (!pid) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		exec_program(argv, report[1], saved, user);
	}
	child_pid = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return error;
	}
	do
		n = read(report[0], why, sizeof(*why));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*why))
		memset(why, 0, sizeof(*why));
	close(report[0]);
	return pid;
}

/* Returns the status of waitpid(); -EAGAIN if the program runs (WNOHANG); or another error. */
static int wait_program(pid_t pid, int flags)
{
	int status = 0;
	pid_t ret;

	do
		ret = waitpid(pid, &status, flags);
	while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	if (!ret)
		return -EAGAIN;
	child_pid = 0;
	return status;
}

/* --- triggers ---------------------------------------------------------------------- */

struct firing {
	struct cmd_record *record;
	uint32_t seen;		/* number of firings handled */
	unsigned int written;	/* number of snapshots */
	bool failed;		/* a snapshot could not be written */
	bool unwritten;		/* the trace could not be written */
	/* a firing has ended the recording; its trace is written, unless unwritten is set */
	bool ended;
};

/* Writes the trace of a recording that has ended. Makes a file name if none was given. */
static int write_end(struct cmd_record *r)
{
	static char made[KUTRACE_FILE_NAME_BYTES];
	int ret = kutrace_do_flush();

	if (ret < 0)
		return cmd_error("run", ret);
	if (!r->file)
		r->file = kutrace_make_trace_file_name("kutrace", made);
	ret = cmd_write_trace("run", r->file, true, kutrace_dump);
	r->written = ret == CMD_OK;
	return ret;
}

/* Writes a snapshot for a firing to a numbered file. The recording goes on. */
static void write_firing(struct firing *f)
{
	const char *file = f->record->file ? f->record->file : "kutrace.trace";
	char name[4200];

	if (f->written == SNAPSHOTS_MAX) {
		fprintf(stderr, CMD_TOOL ": run: wrote %d snapshots, the maximum; later firings write no trace\n", SNAPSHOTS_MAX);
		f->written++;
	}
	if (f->written > SNAPSHOTS_MAX)
		return;
	snprintf(name, sizeof(name), "%.4000s.%04u", file, ++f->written);
	if (cmd_write_trace("run", name, true, kutrace_snapshot) != CMD_OK)
		f->failed = true;
}

/* Waits up to @ms milliseconds for a firing, and handles it. */
static void handle_firing(struct firing *f, int ms)
{
	struct kutrace_fired fired = {.fired = f->seen};

	if (f->ended || kutrace_wait(ms, &fired) != 1)
		return;
	f->seen = fired.fired;
	cmd_print_fired(&fired);
	if (fired.trigger.flags & KUTRACE_TRIGGER_NOTIFY) {
		write_firing(f);
		return;
	}
	/* write the trace immediately: the next recording in this session would empty the buffer */
	f->ended = true;
	f->unwritten = write_end(f->record) != CMD_OK;
}

static void handle_last_firing(struct firing *f)
{
	struct kutrace_fired fired;

	if (!kutrace_fired(&fired) && fired.fired > f->seen)
		handle_firing(f, (int)fired.trigger.after_ms + LAST_MS);
	if (!f->seen)
		fputs(CMD_TOOL ": run: no trigger has fired\n", stderr);
}

/* Waits for the program and handles firings. If a firing ended the recording, only waits. */
static int wait_with_triggers(pid_t pid, struct firing *f)
{
	int status;

	while ((status = wait_program(pid, WNOHANG)) == -EAGAIN) {
		if (f->ended)
			return wait_program(pid, 0);
		handle_firing(f, POLL_MS);
	}
	handle_last_firing(f);
	return status;
}

/* --- the recording ----------------------------------------------------------------- */

/* Keeps the session, because its trace could not be written, and prints how to get the trace. */
static void keep_session(const char *name)
{
	struct kutrace_handle *handle = cmd_handle();

	if (!name || !handle)
		return;
	if (kutrace_session_keep(handle))
		fprintf(stderr, CMD_TOOL ": run: session %s cannot be kept: the recording is "
			"lost\n", name);
	else
		fprintf(stderr, CMD_TOOL ": run: the recording is kept in session %s: \"" CMD_TOOL
			" --session %s dump FILE\" writes it, \"" CMD_TOOL " session destroy %s\" "
			"discards it\n", name, name, name);
}

/* Reports that the program did not run. Returns CMD_FAILED, or CMD_OK and the program's status. */
static int report_not_started(const char *program, const struct cmd_user *user, pid_t pid,
			      const struct start_error *why, int *program_status)
{
	if (pid > 0 && why->user)
		return cmd_fail("run: cannot become user %s: %s: the program was not run",
				user->name, strerror(why->user));
	fprintf(stderr, CMD_TOOL ": run: %s: %s: no trace was written\n", program,
		strerror(pid < 0 ? -pid : why->exec));
	if (pid < 0)
		return CMD_FAILED;
	*program_status = why->exec == ENOENT ? CMD_RUN_NOT_FOUND : CMD_RUN_CANNOT;
	return CMD_OK;
}

/*
 * Runs the program and writes the trace. @temporary: name of the session if it was created for
 * this command, otherwise NULL. Returns CMD_OK and the program's exit status as in a shell, or
 * CMD_FAILED.
 */
static int record(char **argv, struct cmd_record *r, const struct cmd_user *user,
		  const char *temporary, int *program_status)
{
	struct firing firing = {.record = r};
	struct start_error why = {0};
	struct sigaction saved[SIGNALS];
	bool started;
	int status = 0, ret;
	pid_t pid;

	set_signals(saved);
	pid = start_program(argv, saved, user, &why);
	started = pid > 0 && !why.user && !why.exec;
	if (pid > 0)
		status = r->triggers && started ? wait_with_triggers(pid, &firing)
						: wait_program(pid, 0);
	/*
	 * if a firing has ended this recording, another program may be recording now: do not turn
	 * it off
	 */
	ret = firing.ended ? 0 : kutrace_do_off();
	restore_signals(saved);
	if (!started)
		return report_not_started(argv[0], user, pid, &why, program_status);
	if (status < 0)
		return cmd_fail("run: %s: %s: no trace was written", argv[0], strerror(-status));
	if (ret < 0)
		return cmd_error("run", ret);
	if (!firing.ended)
		firing.unwritten = write_end(r) != CMD_OK;
	if (firing.unwritten)
		keep_session(temporary);
	if (firing.unwritten || firing.failed)
		return CMD_FAILED;
	*program_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return CMD_OK;
}

/*
 * Selects the session: the named one; a temporary one if an option would change the main session;
 * otherwise the main session if it is free, or a temporary one.
 */
static int run(char **argv, struct cmd_record *r, const struct cmd_user *user,
	       int *program_status)
{
	const struct kutrace_session_options options = {.mb = r->mb};
	const char *failed = NULL, *temporary = NULL;
	bool created, own = r->mb || r->kinds || r->filtered;
	int (*go)(const char *) = r->wrap ? kutrace_gowrap : kutrace_go;
	char name[32];
	int ret = 0;

	fflush(NULL);
	snprintf(name, sizeof(name), "run-%ld", (long)getpid());
	if (cmd_session()) {
		ret = cmd_use_or_create("run", &options, &created);
		if (ret)
			return ret;
		temporary = created ? cmd_session() : NULL;
	} else if (own) {
		ret = cmd_create_session(name, &options);
		temporary = name;
	}
	ret = ret ?: cmd_record_begin(r, go, &failed);
	if (ret == -EBUSY && !cmd_session() && !own) {
		/* a module without sessions: report that the main session is busy */
		if (cmd_create_session(name, &options))
			return cmd_error("run", -EBUSY);
		fprintf(stderr, CMD_TOOL ": run: the main session is recording already: "
			"recording in session %s\n", name);
		temporary = name;
		ret = cmd_record_begin(r, go, &failed);
	}
	if (ret)
		return cmd_record_error("run", failed, ret);
	ret = record(argv, r, user, temporary, program_status);
	cmd_record_unbind(false);
	return ret;
}

/* Prints the command for the page, or makes and opens the page. */
static int print_or_open_page(const char *trace, const char *program, bool open,
			      const struct cmd_user *user)
{
	const char *title = strrchr(program, '/');

	if (open)
		return cmd_open_page("run", trace, title ? title + 1 : program, user);
	cmd_print_next(trace);
	return CMD_OK;
}

struct run_options {
	const char *user;	/* NULL: the caller of sudo */
	bool open;		/* make and open the page when the trace is written */
};

/*
 * Parses all options. Returns CMD_OK and the index of the program's name in *@program; CMD_QUIT
 * after --help; or a status.
 */
static int options(int argc, char **argv, struct cmd_record *r, struct run_options *run,
		   int *program)
{
	const struct cmd_option list[] = {
		{.name = "output", .id = 'o', .wants = "a file name", .text = &r->file},
		{.name = "user", .wants = "the name of a user", .text = &run->user},
		{.name = "open", .flag = &run->open}, CMD_RECORD_OPTIONS(r), {0},
	};
	struct cmd_options o = {.what = "run", .list = list, .in_order = true};
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_record_option("run", option, optarg, r))
			return CMD_USAGE;
	*program = optind;
	if (option == CMD_OPTION_STOP)
		return o.status ? o.status : CMD_QUIT;
	if (optind >= argc)
		return cmd_usage_error("run: needs a program to run: run -- PROGRAM");
	return cmd_record_check("run", r);
}

int cmd_run(int argc, char **argv)
{
	struct cmd_record r = {.after_ms = UINT32_MAX};
	int ret, program = 0, program_status = 0;
	struct run_options o = {0};
	struct cmd_user user;

	ret = options(argc, argv, &r, &o, &program);
	if (ret)
		return ret == CMD_QUIT ? CMD_OK : CMD_RUN_FAILED;
	ret = cmd_find_user("run", o.user, &user);
	ret = ret ?: run(argv + program, &r, &user, &program_status);
	if (!ret && r.written)
		ret = print_or_open_page(r.file, argv[program], o.open, &user);
	cmd_free_user(&user);
	return ret ? CMD_RUN_FAILED : program_status;
}
