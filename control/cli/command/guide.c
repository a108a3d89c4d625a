// SPDX-License-Identifier: BSD-3-Clause
/*
 * The commands of the User Guide: go, stop and similar. Must not end a recording unless the
 * command requests it.
 */
#include "cli/command/guide.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/base/message.h"
#include "cli/base/print.h"
#include "cli/shared/record.h"
#include "cli/shared/session.h"
#include "cli/shared/write.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

static bool at_prompt;

void cmd_begin_prompt(void)
{
	at_prompt = true;
}

/* Start of the recording that was started, or turned on again, at this prompt; 0: none. */
static uint64_t begun_here;

void cmd_note_begun(void)
{
	struct kutrace_info info;

	if (!kutrace_get_info(&info))
		begun_here = info.start.counts;
}

/* Start of the recording that was turned off here. A later stop then needs no message about it. */
static uint64_t turned_off;

int cmd_run_simple(const struct cmd_command *self, const char *arg)
{
	struct kutrace_info info;
	int ret = self->simple == kutrace_do_on ? cmd_make_way() : 0;

	(void)arg;
	if (!ret)
		ret = self->simple();
	if (!ret && self->simple == kutrace_do_off && !kutrace_get_info(&info))
		turned_off = info.start.counts;
	if (!ret && self->simple == kutrace_do_on)
		cmd_note_begun();
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

int cmd_run_go(const struct cmd_command *self, const char *arg)
{
	struct cmd_record record = {.counted = self->counted, .wrap = self->wrap};
	const char *failed;
	bool created;
	int ret = cmd_use_or_create(self->name, NULL, &created);

	(void)arg;
	if (ret)
		return ret;
	ret = cmd_record_begin(&record, self->go, &failed);
	if (ret < 0)
		return cmd_error(self->name, ret);
	cmd_note_begun();
	cmd_record_leave(created);
	return CMD_OK;
}

/* Reports that the written recording had ended before the stop command. */
static void say_it_had_ended(const struct kutrace_info *info)
{
	time_t end = (time_t)(info->stop.real_ns / 1000000000);
	char text[40], starter[20];
	struct tm tm;

	if (!localtime_r(&end, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text, "?");
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": stop: no recording was on: this is the recording that "
		"ended at %s, started by %s (pid %u)\n", text,
		info->start_comm[0] ? cmd_shown(info->start_comm, starter, sizeof(starter)) : "?",
		info->start_pid);
}

int cmd_run_stop(const struct cmd_command *self, const char *arg)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	if (!ret)
		ret = kutrace_do_off();
	if (!ret)
		ret = kutrace_do_flush();
	if (ret == -ENODATA && info.start.counts)
		return cmd_fail("%s: nothing has been recorded: the last start was refused; "
				"\"dump FILE\" writes the previous recording", self->name);
	if (ret < 0)
		return cmd_error(self->name, ret);
	ret = cmd_write_trace(self->name, arg, false);
	if (!ret && !info.recording && info.start.counts != turned_off)
		say_it_had_ended(&info);
	return ret;
}

int cmd_run_dump(const struct cmd_command *self, const char *arg)
{
	return cmd_write_trace(self->name, arg, false);
}

int cmd_run_reset(const struct cmd_command *self, const char *arg)
{
	int ret;

	if (arg && strcmp(arg, "wrap") && strcmp(arg, "ipc"))
		return cmd_usage_error("reset: %s: takes wrap, ipc or nothing", arg);
	ret = kutrace_do_reset(!arg ? 0 : !strcmp(arg, "wrap") ? KUTRACE_GO_WRAP
							       : KUTRACE_GO_IPC);
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

int cmd_run_init(const struct cmd_command *self, const char *arg)
{
	int ret = kutrace_do_init(CMD_TOOL);

	(void)arg;
	return ret < 0 ? cmd_error(self->name, ret) : CMD_OK;
}

int cmd_run_stat(const struct cmd_command *self, const char *arg)
{
	struct kutrace_info info;
	uint64_t lost = 0;
	size_t i;
	int ret = kutrace_get_info(&info);

	(void)arg;
	if (ret < 0)
		return cmd_error(self->name, ret);
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		lost += info.lost[i];
	printf("%s, %u of %u blocks used (%llu of %llu KB)%s, %llu lost\n",
	       info.recording ? "recording" : "off", info.used_blocks, info.nblocks,
	       (unsigned long long)info.used_blocks * KUTRACE_BLOCK_BYTES / 1024,
	       (unsigned long long)info.nblocks * KUTRACE_BLOCK_BYTES / 1024,
	       info.wrapped ? ", wrapped" : "", (unsigned long long)lost);
	return CMD_OK;
}

int cmd_run_test(const struct cmd_command *self, const char *arg)
{
	int ret = kutrace_do_test();

	(void)arg;
	if (ret < 0)
		return cmd_error(self->name, ret);
	printf("module version %llu, %s\n", (unsigned long long)kutrace_version_module(),
	       ret ? "recording" : "not recording");
	return CMD_OK;
}

void cmd_say_still_recording(void)
{
	fprintf(stderr, CMD_TOOL ": still recording: \"" CMD_TOOL "%s%s stop\" ends and "
		"writes it\n", cmd_session() ? " --session " : "",
		cmd_session() ? cmd_session() : "");
}

/*
 * At a prompt, quit ends only the recording that was started there. As a command of its own it
 * ends any recording.
 */
int cmd_run_quit(const struct cmd_command *self, const char *arg)
{
	struct kutrace_info info;
	int ret;

	(void)self;
	(void)arg;
	if (at_prompt && !kutrace_get_info(&info) && info.recording &&
	    info.start.counts != begun_here) {
		cmd_say_still_recording();
		return CMD_QUIT;
	}
	ret = kutrace_do_quit();
	/* without a module, or without permission, there is nothing to end */
	if (ret < 0 && ret != -ENODEV && ret != -EPERM)
		cmd_error(self->name, ret);
	return CMD_QUIT;
}

int cmd_run_help(const struct cmd_command *self, const char *arg)
{
	(void)self;
	(void)arg;
	puts("go gowrap goipc goipcwrap stop [FILE] start [--wrap] snapshot [FILE] wait\n"
	     "reset [wrap|ipc] init on off flush dump [FILE] stat (or Enter) status test quit\n"
	     "mask filter tracepoints tracepoint show session\n"
	     "more: man kutrace_control, or kutrace_control --help");
	return CMD_OK;
}
