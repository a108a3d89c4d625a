// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control selftest: checks the module on this machine, and measures its costs. Must not
 * change or disturb other sessions: it records only in its own session, and only while no other
 * session records, because all sessions share the events of this machine.
 */
#include <sched.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/selftest/selftest.h"
#include "cli/shared/traces.h"
#include "common/file.h"

static const struct {
	const char *name;
	int (*run)(struct selftest *t);
	void (*print)(const struct selftest *t);
} parts[] = {
	{"counts", selftest_counts, selftest_print_counts},
	{"order", selftest_order, selftest_print_order},
	{"costs", selftest_cost, selftest_print_cost},
	{"rate", selftest_rate, selftest_print_rate},
};

/* Stores the CPUs that this process may use, and the kind of kernel. */
static int find_machine(struct selftest *t)
{
	struct utsname system;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (int cpu = 0; cpu < KUTRACE_CPUS; cpu++)
		if (CPU_ISSET(cpu, &set))
			t->cpus[t->ncpus++] = cpu;
	t->rt = !uname(&system) && strstr(system.version, "PREEMPT_RT");
	return t->ncpus ? 0 : -EINVAL;
}

/* Reports which other session is recording. Returns CMD_FAILED. */
static int refuse_other_recording(void)
{
	struct kutrace_session session = {0};

	for (uint32_t id = 0; !kutrace_session_next(id, &session); id = session.id + 1)
		if (session.recording)
			return cmd_fail("selftest: session %s is recording: the events of this test would "
					"fill its buffer; end that recording first", session.name);
	return cmd_fail("selftest: another session is recording: try again");
}

/* Uses the session of --session, or creates one for this command. */
static int use_session(struct selftest *t, const struct kutrace_session_options *options)
{
	char name[32];
	bool created;
	int ret;

	if (cmd_session())
		return cmd_use_or_create("selftest", options, &created);
	snprintf(name, sizeof(name), "selftest-%ld", (long)getpid());
	ret = cmd_create_session(name, options);
	t->own = !ret;
	return ret ? cmd_session_error("selftest", name, ret) : CMD_OK;
}

static int begin(struct selftest *t, uint32_t mb)
{
	struct kutrace_session_options options = {.mb = mb};
	int ret = find_machine(t);

	/* without a module, a message about the session would mislead */
	ret = ret ?: kutrace_get_info(&t->info);
	if (ret)
		return cmd_error("selftest", ret);
	/* room for four blocks of each CPU and for the events of the workload */
	if (!mb)
		options.mb = 16 + t->ncpus / 4;
	ret = use_session(t, &options);
	if (ret)
		return ret;
	if (!cmd_handle())
		return cmd_usage_error("selftest: --session main: the test would replace the recording of "
				       "this session; name another session, or none");
	ret = kutrace_get_info(&t->info);
	if (!ret && t->info.backend == KUTRACE_BACKEND_NONE)
		ret = -ENOSYS;
	if (ret)
		return cmd_error("selftest", ret);
	if (t->info.sessions)
		return refuse_other_recording();
	if ((t->info.kinds & KUTRACE_KINDS_ALL) != KUTRACE_KINDS_ALL || t->info.filtered)
		cmd_note("selftest: session %s has a mask or a filter: the numbers of "
			"events that it omits will differ", t->info.name);
	/* the module finds some caveats only when it records */
	ret = selftest_on(false);
	ret = ret ?: selftest_off();
	ret = ret ?: kutrace_get_info(&t->info);
	return ret ? cmd_error("selftest", ret) : CMD_OK;
}

/* Runs all parts. Stores in @t also the caveats that became known while recording. */
static int run(struct selftest *t)
{
	int ret;

	if (!t->only_json)
		selftest_print_machine(t);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct kutrace_info info;

		if (!(t->parts >> i & 1))
			continue;
		fflush(stdout);
		ret = parts[i].run(t);
		selftest_progress(t, NULL, 0, 0);
		if (cmd_interrupted())
			return cmd_signal_status(CMD_FAILED);
		if (ret == -EBUSY)
			return refuse_other_recording();
		if (ret == -ECHILD)
			return cmd_fail("selftest: %s: a process of the test has failed", parts[i].name);
		if (ret)
			return cmd_error("selftest", ret);
		if (!kutrace_get_info(&info))
			t->info.caveats = info.caveats;
		if (!t->only_json)
			parts[i].print(t);
	}
	return CMD_OK;
}

/* Adds the named part. */
static int choose(struct selftest *t, const char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].name, name)) {
			t->parts |= 1U << i;
			return CMD_OK;
		}
	return cmd_usage_error("selftest: %s: takes the parts counts, order, costs and rate", name);
}

/* --- the file of --json --------------------------------------------------------- */

/* Returns whether the name is "-", or leads to standard output, such as /dev/stdout. */
static bool is_stdout(const char *name)
{
	struct stat named, out;

	return !strcmp(name, "-") ||
	       (!stat(name, &named) && !fstat(STDOUT_FILENO, &out) &&
		named.st_dev == out.st_dev && named.st_ino == out.st_ino);
}

static int json_error(const char *name, int error)
{
	return cmd_fail("selftest: --json: %s: %s", name, strerror(-error));
}

/* Opens the file, so that an error is known before anything is measured. */
static int open_json(struct ku_part *json, const char *name)
{
	const bool existed = !access(name, F_OK);
	int ret = ku_output_open(json, name);
	uint32_t uid, gid;

	if (ret)
		return cmd_signal_status(0) ?: json_error(name, ret);
	if (json->name && !existed && cmd_sudo_user(&uid, &gid))
		(void)!fchown(json->fd, uid, gid);
	return CMD_OK;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR && !cmd_interrupted())
			continue;
		if (n < 0)
			return -errno;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Writes the results, and gives the file its name. Returns 0 or the first error. */
static int write_json(const struct selftest *t, struct ku_part *json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int ret;

	if (!memory)
		return -ENOMEM;
	selftest_report(t, memory);
	ret = fclose(memory) ? -ENOMEM : write_all(json->fd, text, size);
	free(text);
	if (!ret && json->name)
		ret = ku_sync_file(json->fd);
	if (close(json->fd) && !ret)
		ret = -errno;
	json->fd = -1;
	return ret ?: ku_output_commit(json);
}

/* @json: the opened file, or NULL. */
static int finish(const struct selftest *t, const char *name, struct ku_part *json)
{
	char text[1000];
	unsigned int failures = selftest_failures(t, text, sizeof(text));
	int ret = json ? write_json(t, json) : 0;

	if (t->only_json)
		selftest_report(t, stdout);
	else if (failures)
		printf("\nselftest: failed: %s\n", text);
	else
		puts("\nselftest: passed");
	if (ret)
		return cmd_signal_status(0) ?: json_error(name, ret);
	return failures ? CMD_FAILED : CMD_OK;
}

int cmd_selftest(int argc, char **argv)
{
	struct selftest *t = calloc(1, sizeof(*t));
	struct ku_part json = {.fd = -1};
	const char *file = NULL;
	uint32_t mb = 0;
	int status;

	if (!t)
		return cmd_error("selftest", -ENOMEM);
	const struct cmd_option list[] = {
		{.name = "json", .wants = "a file name", .text = &file},
		{.name = "quick", .flag = &t->quick},
		{.name = "size", .wants = "megabytes", .number = &mb, .min = 1, .max = 65536}, {0},
	};
	struct cmd_options o = {.what = "selftest", .list = list};

	status = cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP ? o.status : -1;
	for (int i = optind; i < argc && status == -1; i++)
		status = choose(t, argv[i]) ?: -1;
	if (status == -1) {
		if (!t->parts)
			t->parts = SELFTEST_ALL;
		t->progress = isatty(STDERR_FILENO);
		cmd_catch_signals();
		t->only_json = file && is_stdout(file);
		status = file && !t->only_json ? open_json(&json, file) : CMD_OK;
		status = status ?: begin(t, mb);
		status = status ?: run(t);
		status = status ?: finish(t, file, file && !t->only_json ? &json : NULL);
		ku_part_abandon(&json);
		cmd_release_signals();
	}
	free(t);
	return status;
}
