// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control run: runs a program as the user that called sudo, and records meanwhile.
 * kutrace_control record: records until a signal, or for some seconds. Both commands then write the trace.
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
#define COPY_MS		20	/* a second signal within this time is a copy of the first */
/* extra time to wait for a firing that is not complete when the program ends */
#define LAST_MS			1000
#define SNAPSHOTS_MAX		10

/* name of the command, for messages */
static const char *command = "run";

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

	cmd_end_forwarding(saved);
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
	cmd_forward_to(pid);
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
	cmd_forward_to(0);
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
		return cmd_error(command, ret);
	if (!r->file)
		r->file = kutrace_make_trace_file_name("kutrace", made);
	ret = cmd_write_trace(command, r->file, true, kutrace_dump);
	r->written = ret == CMD_OK;
	return ret;
}

/* Writes a snapshot for a firing to a numbered file. The recording goes on. */
static void write_firing(struct firing *f)
{
	const char *file = f->record->file ? f->record->file : "kutrace.trace";
	char name[4200];

	if (f->written == SNAPSHOTS_MAX) {
		cmd_note("%s: wrote %d snapshots, the maximum; later firings write no trace", command,
			SNAPSHOTS_MAX);
		f->written++;
	}
	if (f->written > SNAPSHOTS_MAX)
		return;
	snprintf(name, sizeof(name), "%.4000s.%04u", file, ++f->written);
	if (cmd_write_trace(command, name, true, kutrace_snapshot) != CMD_OK)
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
		cmd_note("%s: no trigger has fired", command);
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

/*
 * Prints how to get the trace of a recording that could not be written. @name: the session, if it was created for
 * this command: keeps it. NULL: another session.
 */
static void keep_session(const char *name)
{
	struct kutrace_handle *handle = cmd_handle();

	if (!name)
		cmd_note("%s: the recording is kept; write it with \"" CMD_TOOL "%s%s snapshot -o FILE\"",
			command, cmd_session() ? " --session " : "", cmd_session() ?: "");
	if (!name || !handle)
		return;
	if (kutrace_session_keep(handle))
		cmd_note("%s: session %s cannot be kept: the recording is "
			"lost", command, name);
	else
		cmd_note("%s: the recording is kept in session %s: \"" CMD_TOOL
			" --session %s dump FILE\" writes it, \"" CMD_TOOL " session destroy %s\" "
			"discards it", command, name, name, name);
}

/* Reports that the program did not run. Returns CMD_FAILED, or CMD_OK and the program's status. */
static int report_not_started(const char *program, const struct cmd_user *user, pid_t pid,
			      const struct start_error *why, int *program_status)
{
	if (pid > 0 && why->user)
		return cmd_fail("run: cannot become user %s: %s: the program was not run",
				user->name, strerror(why->user));
	cmd_note("run: %s: %s: no trace was written", program,
		strerror(pid < 0 ? -pid : why->exec));
	if (pid < 0)
		return CMD_FAILED;
	*program_status = why->exec == ENOENT ? CMD_RUN_NOT_FOUND : CMD_RUN_CANNOT;
	return CMD_OK;
}

/*
 * Writes the trace of the recording, unless a firing has written it. @temporary: as for record(). Returns
 * CMD_OK or CMD_FAILED.
 */
static int write_recording(struct firing *firing, const char *temporary)
{
	if (!firing->ended)
		firing->unwritten = write_end(firing->record) != CMD_OK;
	if (firing->unwritten)
		keep_session(temporary);
	return firing->unwritten || firing->failed ? CMD_FAILED : CMD_OK;
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
	struct sigaction saved[CMD_FORWARDED];
	bool started;
	int status = 0, ret;
	pid_t pid;

	cmd_begin_forwarding(saved);
	pid = start_program(argv, saved, user, &why);
	started = pid > 0 && !why.user && !why.exec;
	if (started)
		cmd_set_program((uint32_t)pid);
	if (pid > 0)
		status = r->triggers && started ? wait_with_triggers(pid, &firing)
						: wait_program(pid, 0);
	/*
	 * if a firing has ended this recording, another program may be recording now: do not turn
	 * it off
	 */
	ret = firing.ended ? 0 : kutrace_do_off();
	cmd_end_forwarding(saved);
	if (!started)
		return report_not_started(argv[0], user, pid, &why, program_status);
	if (status < 0)
		return cmd_fail("run: %s: %s: no trace was written", argv[0], strerror(-status));
	if (ret < 0)
		return cmd_error("run", ret);
	if (write_recording(&firing, temporary))
		return CMD_FAILED;
	*program_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return CMD_OK;
}

/* Shows how long the recording lasts and how full its buffer is, on a terminal. */
static void show_recording(const struct kutrace_info *info, int64_t ms, bool last)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (last)
		fprintf(stderr, "\r%*s\r", 76, "");
	else if (info->wrapped)
		fprintf(stderr, "\rrecording for %lld s; the buffer is full and keeps the last part; ^C ends it ",
			(long long)(ms / 1000));
	else
		fprintf(stderr, "\rrecording for %lld s; %llu %% of the buffer used; ^C ends it ", (long long)(ms / 1000),
			info->nblocks ? info->used_blocks * 100ULL / info->nblocks : 0ULL);
}

/* Waits until a signal, the end of the time, a firing that ends the recording, or its end by another command. */
static void wait_for_end(struct firing *f, uint32_t seconds)
{
	const int64_t begin_ms = cmd_now_ms();
	struct kutrace_info info = {0};
	int64_t ms = 0;

	while (!cmd_interrupted() && !f->ended && (!seconds || ms < seconds * 1000LL)) {
		if (f->record->triggers)
			handle_firing(f, POLL_MS);
		else
			usleep(POLL_MS * 1000);
		ms = cmd_now_ms() - begin_ms;
		if (kutrace_get_info(&info) || !info.recording)
			break;
		show_recording(&info, ms, false);
	}
	show_recording(&info, ms, true);
	if (f->record->triggers && !f->seen)
		handle_last_firing(f);
}

/*
 * Waits for the end of the recording and writes the trace. The caller catches signals; this function releases
 * them, so that the next signal can cancel the writing. @temporary: as for record().
 */
static int record_until_signal(struct cmd_record *r, const char *temporary, uint32_t seconds)
{
	struct firing firing = {.record = r};
	int ret;

	cmd_note("record: recording; ^C or \"kill %ld\" ends it and writes the trace",
		(long)getpid());
	wait_for_end(&firing, seconds);
	ret = firing.ended ? 0 : kutrace_do_off();
	/* timeout(1) sends its signal to the process and to the group: the copy must not cancel the writing */
	if (cmd_interrupted())
		usleep(COPY_MS * 1000);
	cmd_release_signals();
	return ret < 0 ? cmd_error(command, ret) : write_recording(&firing, temporary);
}

/* Parameters and result of a recording of run or record. */
struct job {
	char **argv;			/* run: program and arguments; NULL: record */
	const struct cmd_user *user;	/* run: user of the program */
	int program_status;		/* run: its exit status */
	uint32_t seconds;		/* record: duration; 0: until a signal */
};

/*
 * Selects the session: the named one; a temporary one if an option would change the main session;
 * otherwise the main session if it is free, or a temporary one.
 */
static int run(struct job *job, struct cmd_record *r)
{
	const struct kutrace_session_options options = {.mb = r->mb};
	const char *failed = NULL, *temporary = NULL;
	bool created, own = r->mb || r->kinds || r->filtered;
	int (*go)(const char *) = r->wrap ? kutrace_gowrap : kutrace_go;
	char name[32];
	int ret = 0;

	fflush(NULL);
	snprintf(name, sizeof(name), "%s-%ld", command, (long)getpid());
	if (cmd_session()) {
		ret = cmd_use_or_create(command, &options, &created);
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
			return cmd_error(command, -EBUSY);
		cmd_note("%s: the main session is recording already: "
			"recording in session %s", command, name);
		temporary = name;
		ret = cmd_record_begin(r, go, &failed);
	}
	if (ret)
		return cmd_record_error(command, failed, ret);
	ret = job->argv ? record(job->argv, r, job->user, temporary, &job->program_status)
			: record_until_signal(r, temporary, job->seconds);
	cmd_record_unbind(false);
	return ret;
}

struct run_options {
	const char *user;	/* NULL: the caller of sudo */
	bool open;		/* make and open the page when the trace is written */
	bool no_next;		/* do not print the command for the page */
	bool no_findings;	/* do not search the trace for known faults */
};

/* Makes and opens the page, or prints the command for it. Also prints the worst findings. */
static int present(const char *trace, const char *program, const struct run_options *o,
			      const struct cmd_user *user)
{
	const char *title = strrchr(program, '/');
	const int ret = o->open ? cmd_open_page("run: --open", trace, title ? title + 1 : program, user) : CMD_OK;

	if (!o->no_findings)
		cmd_print_findings("run", trace, user);
	if (!o->open && !o->no_next)
		cmd_print_next(trace);
	return ret;
}

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
		{.name = "open", .flag = &run->open}, {.name = "no-next", .flag = &run->no_next},
		{.name = "no-findings", .flag = &run->no_findings}, CMD_RECORD_OPTIONS(r), {0},
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
	struct run_options o = {0};
	struct cmd_user user;
	struct job job = {.user = &user};
	int ret, program = 0;

	ret = options(argc, argv, &r, &o, &program);
	if (ret)
		return ret == CMD_QUIT ? CMD_OK : CMD_RUN_FAILED;
	job.argv = argv + program;
	if (cmd_check_trace_file(command, r.file))
		return CMD_RUN_FAILED;
	ret = cmd_find_user("run", o.user, &user);
	ret = ret ?: run(&job, &r);
	cmd_set_program(0);
	if (!ret && r.written)
		ret = present(r.file, argv[program], &o, &user);
	cmd_free_user(&user);
	return ret ? CMD_RUN_FAILED : job.program_status;
}

#define SECONDS_MAX 1000000000

int cmd_record(int argc, char **argv)
{
	/* a person ends the recording after the event of interest: the last part is needed */
	struct cmd_record r = {.after_ms = UINT32_MAX, .wrap = true};
	struct job job = {0};
	const struct cmd_option list[] = {
		{.name = "output", .id = 'o', .wants = "a file name", .text = &r.file},
		{.name = "for", .wants = "seconds", .number = &job.seconds, .min = 1, .max = SECONDS_MAX},
		CMD_RECORD_OPTIONS(&r), {0},
	};
	struct cmd_options o = {.what = "record", .list = list};
	int option, ret;

	command = "record";
	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_record_option(command, option, optarg, &r))
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	if (optind < argc)
		return cmd_usage_error("record: %s: takes no program; try \"%s run -- %s\"", argv[optind],
				       cmd_typed_tool(), argv[optind]);
	ret = cmd_record_check(command, &r) ?: cmd_check_trace_file(command, r.file);
	if (ret)
		return ret;
	/* before the message that recording has started, because a user can press ^C after reading it */
	cmd_catch_signals();
	ret = run(&job, &r);
	if (!ret && r.written)
		cmd_print_next(r.file);
	return ret;
}
