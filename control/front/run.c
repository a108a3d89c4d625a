// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace run: records a program by kutrace_control run, makes the page, and prints how the program spent its
 * time. Must return the program's exit status. Must not replace a file that the user did not name, except with -f.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/front.h"

#define NUMBERS_MAX	9999	/* PROGRAM-9999.trace is the last name that is tried */
#define COMM_BYTES	16	/* the kernel cuts names of threads to this size */

/* Options with the ids PASSED and PASSED_FILTER are passed to kutrace_control run without change. */
enum { FORCE = 'f', NO_OPEN = 300, NO_FINDINGS, USER, PASSED, PASSED_FILTER };
#define VALUE(option)	{.name = option, .id = PASSED, .wants = "a value"}
#define FLAG(option)	{.name = option, .id = PASSED}
/* an option that can leave out the program's events */
#define FILTER(option)	{.name = option, .id = PASSED_FILTER, .wants = "a value"}

struct options {
	const char *file;	/* file of -o; NULL: none */
	const char *user;	/* value of --user */
	char filter[12];	/* the last option that can leave out the program's events; empty: none */
	bool force, no_open, no_findings;
	char **passed;		/* arguments for kutrace_control */
	int count;
	int program;		/* index of the program's name */
};

/* Adds the option that was parsed last, in the form --NAME or --NAME=VALUE. */
static void pass_on(struct options *o, const char *word, const char *name)
{
	char *argument = NULL;

	/* getopt_long() accepts "--NAME VALUE" and "--NAME=VALUE" */
	if (!optarg)
		argument = strdup(word);
	else if (asprintf(&argument, "%.*s=%s", (int)strcspn(name, "="), name, optarg) < 0)
		argument = NULL;
	if (!argument)
		abort();
	o->passed[o->count++] = argument;
}

/*
 * Refuses a long option that is not written in full, which getopt_long() would accept: --for would be --force.
 * Returns CMD_OK, or CMD_USAGE after a message.
 */
static int check_name(const char *word, const struct cmd_option *list)
{
	const size_t length = strcspn(word, "=");
	const char *longer = NULL;

	if (strncmp(word, "--", 2) || length == 2)
		return CMD_OK;
	for (; list->name; list++) {
		if (strncmp(list->name, word + 2, length - 2))
			continue;
		if (!list->name[length - 2])
			return CMD_OK;
		longer = longer ?: list->name;
	}
	if (!strncmp(word, "--for", length) && length == 5)
		return cmd_usage_error("run: --for: no such option; try \"kutrace record --for 1\"");
	/* without a longer name, this is --help, --version or no option: cmd_next_option() handles it */
	return longer ? cmd_usage_error("run: %.*s: no such option; did you mean --%s?", (int)length, word, longer) : CMD_OK;
}

/* Checks the value of -o. Returns CMD_OK, or CMD_USAGE after a message. */
static int check_file(const char *file)
{
	if (!strcmp(file, "-"))
		return cmd_usage_error("run: -o -: a trace and its page cannot both go to standard output; try \"" CMD_TOOL
				       " run -o - -- PROGRAM\", which writes the trace there");
	if (front_ends_with(file, ".html"))
		return cmd_usage_error("run: -o %s: needs the name of the trace, and the page gets the same name with .html; "
				       "try -o %.*s.trace", file, (int)strlen(file) - 5, file);
	return CMD_OK;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct cmd_option list[] = {
		{.name = "output", .id = 'o', .wants = "a file name"}, {.name = "force", .id = FORCE},
		{.name = "no-open", .id = NO_OPEN}, {.name = "no-findings", .id = NO_FINDINGS},
		{.name = "user", .id = USER, .wants = "the name of a user"},
		FLAG("wrap"), FLAG("per-cpu"), FLAG("ipc"), FLAG("llc"), FLAG("snapshot"), VALUE("session"), VALUE("size"),
		FILTER("mask"), FILTER("pid"), FILTER("group"), FILTER("cgroup"), FILTER("cpus"), VALUE("trigger"),
		VALUE("after"), {0},
	};
	struct cmd_options c = {.what = "run", .list = list, .in_order = true};
	int option, before = 1;

	for (;; before = optind) {
		if (before < argc && check_name(argv[before], list))
			return CMD_USAGE;
		option = cmd_next_option(&c, argc, argv);
		if (option < 0)
			break;
		if (option == 'o')
			o->file = optarg;
		else if (option == FORCE)
			o->force = true;
		else if (option == NO_OPEN)
			o->no_open = true;
		else if (option == NO_FINDINGS)
			o->no_findings = true;
		else {
			pass_on(o, argv[before], argv[before]);
			o->user = option == USER ? optarg : o->user;
			if (option == PASSED_FILTER)
				snprintf(o->filter, sizeof(o->filter), "%.*s", (int)strcspn(argv[before], "="), argv[before]);
		}
	}
	o->program = optind;
	if (option == CMD_OPTION_STOP)
		return c.status ? c.status : CMD_QUIT;
	if (o->file && check_file(o->file))
		return CMD_USAGE;
	return optind < argc ? CMD_OK : cmd_usage_error("run: needs a program to run: kutrace run -- PROGRAM");
}

/* --- names --------------------------------------------------------------------- */

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

/*
 * Creates an empty trace with the first free name of PROGRAM.trace, PROGRAM-2.trace ..., so that another run at
 * the same time takes another name. Returns CMD_OK, or CMD_FAILED after a message.
 */
static int reserve(const char *program, char *trace, size_t size)
{
	char page[4200];
	uint32_t uid, gid;
	int fd = -1;

	for (int number = 1; fd < 0 && number <= NUMBERS_MAX; number++) {
		if (number == 1)
			snprintf(trace, size, "%.200s.trace", program);
		else
			snprintf(trace, size, "%.200s-%d.trace", program, number);
		if (!cmd_page_name(trace, page, sizeof(page)) || exists(page))
			continue;
		fd = open(trace, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return cmd_fail("run: cannot write %s: %s; try \"kutrace run -o /tmp/%s -- ...\"", trace,
					strerror(errno), trace);
	}
	if (fd < 0)
		return cmd_fail("run: %s.trace and %d more names exist; try -f, which replaces the first", program,
				NUMBERS_MAX - 1);
	if (cmd_sudo_user(&uid, &gid) && fchown(fd, uid, gid))
		cmd_fail("run: cannot give %s to user %u: %s", trace, uid, strerror(errno));
	close(fd);
	return CMD_OK;
}

/* Returns whether a trace has been written, in place of the file with the state @before. */
static bool is_new(const char *trace, const struct stat *before)
{
	struct stat st;

	return !stat(trace, &st) && S_ISREG(st.st_mode) && st.st_size &&
	       (st.st_ino != before->st_ino || st.st_dev != before->st_dev ||
		memcmp(&st.st_mtim, &before->st_mtim, sizeof(st.st_mtim)));
}

/* --- the recording ------------------------------------------------------------- */

/* Runs kutrace_control, which ends when the program ends. Returns its exit status. */
static int record(char **call)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction saved[CMD_FORWARDED];
	sigset_t blocked, mask;
	int status;
	pid_t pid;

	/* block signals until their recipient is known */
	sigemptyset(&blocked);
	for (size_t i = 0; i < 4; i++)
		sigaddset(&blocked, numbers[i]);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		/* kutrace_control uses this name in its messages */
		setenv("KUTRACE_COMMAND", "kutrace run", 1);
		execv(call[0], call);
		_exit(CMD_RUN_FAILED);
	}
	cmd_forward_to(pid);
	cmd_begin_forwarding(saved);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	status = pid < 0 ? cmd_fail("run: %s", strerror(errno)), CMD_RUN_FAILED : front_wait(pid);
	cmd_forward_to(0);
	cmd_end_forwarding(saved);
	return status;
}

/* Makes the page, prints the answer, and shows the page. Returns CMD_OK or CMD_FAILED. */
static int present(const char *trace, const char *program, const struct options *o)
{
	char page[4200], browser[4200], comm[COMM_BYTES];
	struct cmd_user user;
	int ret = cmd_find_user("run", NULL, &user);

	/* if the user is unknown, stop here: root must not read the trace */
	if (ret) {
		cmd_free_user(&user);
		return ret;
	}
	ret = cmd_make_page("run", trace, program, &user, page, sizeof(page));
	snprintf(comm, sizeof(comm), "%s", program);
	if (!ret)
		fprintf(stderr, "wrote %s and its page %s\n", trace, page);
	front_answer(trace, comm, *o->filter ? o->filter : NULL, !o->no_findings, &user);
	if (!ret && !o->no_open && cmd_find_browser(browser, sizeof(browser)))
		ret = cmd_show_page("run", page, &user);
	else if (!ret)
		front_print_how_to_open(page);
	cmd_free_user(&user);
	return ret;
}

int front_run(int argc, char **argv)
{
	char control[4200], trace[4200], **call = front_words(2 * argc + 8), **to = call;
	struct options o = {.passed = front_words(argc)};
	struct stat before = {0};
	const char *program;
	int status;

	status = parse(argc, argv, &o);
	if (status)
		return status == CMD_QUIT ? CMD_OK : CMD_RUN_FAILED;
	if (!front_find_program("run", CMD_TOOL, control, sizeof(control)))
		return CMD_RUN_FAILED;
	program = strrchr(argv[o.program], '/');
	program = program ? program + 1 : argv[o.program];
	program = *program ? program : "kutrace";
	snprintf(trace, sizeof(trace), o.file ? "%s" : "%.200s.trace", o.file ? o.file : program);
	if (!o.file && !o.force && reserve(program, trace, sizeof(trace)))
		return CMD_RUN_FAILED;
	stat(trace, &before);
	*to++ = control;
	*to++ = (char[]){"run"};
	*to++ = (char[]){"--no-next"};
	*to++ = (char[]){"--no-findings"};
	*to++ = (char[]){"-o"};
	*to++ = trace;
	for (int i = 0; i < o.count; i++)
		*to++ = o.passed[i];
	*to++ = (char[]){"--"};
	memcpy(to, argv + o.program, (size_t)(argc - o.program + 1) * sizeof(*argv));
	status = record(call);
	if (is_new(trace, &before))
		return present(trace, program, &o) ? CMD_RUN_FAILED : status;
	if (!o.file && !o.force)
		unlink(trace);
	return status;
}
