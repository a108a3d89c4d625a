// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control start: starts a recording that lasts until it is stopped. The command has the
 * recording options of run. After an error, no recording may remain.
 *
 * kutrace_control snapshot: writes a trace of the present content of the buffer. kutrace_control
 * wait: waits until a trigger fires, then writes the trace. Both must not end the recording.
 */

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"

int cmd_start(int argc, char **argv)
{
	struct cmd_record r = {.after_ms = UINT32_MAX};
	const struct cmd_option list[] = {CMD_RECORD_OPTIONS(&r), {0}};
	struct cmd_options o = {.what = "start", .list = list};
	const char *failed;
	bool created;
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_record_option("start", option, optarg, &r))
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	/* the argument "wrap", as for reset */
	for (; optind < argc && !strcmp(argv[optind], "wrap"); optind++)
		r.wrap = true;
	if (optind < argc)
		return cmd_usage_error("start: %s: no such option", argv[optind]);
	ret = cmd_record_check("start", &r);
	if (!ret)
		ret = cmd_use_or_create("start", &(struct kutrace_session_options){.mb = r.mb},
					&created);
	if (ret)
		return ret;
	ret = cmd_record_begin(&r, r.wrap ? kutrace_gowrap : kutrace_go, &failed);
	if (ret)
		return cmd_record_error("start", failed, ret);
	cmd_record_unbind(created);
	return CMD_OK;
}

int cmd_snapshot(int argc, char **argv)
{
	const char *fname = NULL;
	const struct cmd_option list[] = {
		{.name = "output", .id = 'o', .wants = "a file name", .text = &fname},
		{.name = "session", .id = CMD_RECORD_SESSION, .wants = "a name"}, {0},
	};
	struct cmd_options o = {.what = "snapshot", .list = list};
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_set_session(optarg))
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	if (!fname && optind < argc)
		fname = argv[optind++];
	if (optind < argc)
		return cmd_usage_error("snapshot: %s: takes one file name", argv[optind]);
	ret = cmd_use_session("snapshot");
	/* messages must not mix with a trace on standard output */
	return ret ?: cmd_write_trace("snapshot", fname, fname && !strcmp(fname, "/dev/stdout"),
			       kutrace_snapshot);
}

#define POLL_MS	200	/* interval for checking for signals */
#define TIMEOUT_MAX_S 1000000000

/* Returns 1 if more than @seen triggers have fired, 0 after the time limit, or a negative errno. */
static int wait_for_firing(uint32_t seen, int64_t timeout_ms, struct kutrace_fired *fired)
{
	int64_t end_ms = cmd_now_ms() + timeout_ms, left_ms = POLL_MS;
	int ret;

	for (;;) {
		if (timeout_ms >= 0)
			left_ms = end_ms - cmd_now_ms();
		fired->fired = seen;
		ret = kutrace_wait(left_ms <= 0 ? 0 : left_ms < POLL_MS ? (int)left_ms : POLL_MS,
				   fired);
		if (ret)
			return ret;
		if (cmd_interrupted())
			return -EINTR;
		if (left_ms <= 0)
			return 0;
	}
}

static int wait_and_write(const char *fname, int64_t timeout_ms, bool next)
{
	struct kutrace_fired fired = {0};
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	if (!ret && !info.triggers && !info.fired)
		return cmd_fail("wait: no trigger is set; try start --trigger");
	cmd_catch_signals();
	ret = ret ?: wait_for_firing(next ? info.fired : 0, timeout_ms, &fired);
	cmd_release_signals();
	if (!ret)
		return cmd_fail("wait: no trigger has fired in that time: wait again, or stop");
	if (ret == -EINTR)
		return cmd_signal_status(cmd_fail("wait: interrupted: the recording continues; "
						  "wait again, or stop"));
	if (ret == -ESTALE)
		return cmd_fail("wait: the recording has ended, and no trigger has fired: \"" CMD_TOOL
				" dump\" writes the trace");
	if (ret < 0)
		return cmd_error("wait", ret);
	cmd_print_fired(&fired);
	/* kutrace_snapshot() makes a dump if the recording has ended */
	return cmd_write_trace("wait", fname, false, kutrace_snapshot);
}

/* Sleeps, for the command "wait N" of KUtrace 3 (Sites). */
static int pause_for(uint32_t seconds)
{
	bool done;

	cmd_catch_signals();
	done = cmd_pause(seconds);
	cmd_release_signals();
	return done ? CMD_OK : cmd_signal_status(cmd_fail("wait: interrupted"));
}

/* Returns whether the argument is meant as a number, even if it is not a valid one. */
static bool is_number(const char *text)
{
	text += strspn(text, "+-");
	text += *text == '.';
	return *text >= '0' && *text <= '9';
}

static int bad_seconds(const char *text)
{
	return cmd_usage_error("wait: %s: needs whole seconds, 0 to %d", text, TIMEOUT_MAX_S);
}

int cmd_wait(int argc, char **argv)
{
	const char *fname = NULL;
	uint32_t timeout_s = UINT32_MAX, seconds;
	bool next = false;
	const struct cmd_option list[] = {
		{.name = "next", .flag = &next},
		{.name = "output", .id = 'o', .wants = "a file name", .text = &fname},
		{.name = "timeout", .wants = "seconds", .number = &timeout_s, .max = TIMEOUT_MAX_S}, {0},
	};
	struct cmd_options o = {.what = "wait", .list = list};
	int ret;

	if (argc > 1 && argv[1][0] == '-' && is_number(argv[1]))
		return bad_seconds(argv[1]);
	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (optind < argc && !is_number(argv[optind]))
		return cmd_usage_error("wait: %s: no such option", argv[optind]);
	if (optind + 1 < argc)
		return cmd_usage_error("wait: %s: too many arguments", argv[optind + 1]);
	if (optind < argc) {
		if (!cmd_number(argv[optind], 0, TIMEOUT_MAX_S, &seconds))
			return bad_seconds(argv[optind]);
		if (next || fname || timeout_s != UINT32_MAX)
			return cmd_usage_error("wait: %s: takes no option beside the seconds; try "
					       "--timeout %s", argv[optind], argv[optind]);
		return pause_for(seconds);
	}
	ret = cmd_use_session("wait");
	if (ret)
		return ret;
	return wait_and_write(fname, timeout_s == UINT32_MAX ? -1 : timeout_s * 1000LL, next);
}
