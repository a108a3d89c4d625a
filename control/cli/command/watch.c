// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control watch: a permanent recorder. Records, and writes a trace into a folder each
 * time a trigger fires, within limits, until a signal. Must not end the recording: if this
 * process is killed, the recording goes on, and the next watch continues it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/message.h"
#include "cli/base/number.h"
#include "cli/base/options.h"
#include "cli/base/signals.h"
#include "cli/command/commands.h"
#include "cli/shared/folder.h"
#include "cli/shared/page.h"
#include "cli/shared/record.h"
#include "cli/shared/session.h"
#include "cli/shared/write.h"
#include "libkutrace.h"

#define LOOK_MS		200	/* interval for checking for signals */
#define KEEP_MB		1024
#define KEEP_MB_MAX	16777216
#define PAUSE_S		10
#define PAUSE_S_MAX	86400

static const char name[] = "watch";

struct watch {
	struct cmd_record record;
	struct cmd_folder folder;
	uint32_t keep_mb, pause_s;
	uint32_t seen;		/* firings that have been written or reported */
};

/* --- the recording ----------------------------------------------------------------- */

/*
 * Returns the maximum size of a trace of this session: its blocks, their counter bytes, its
 * names.
 */
static uint64_t most_bytes(const struct kutrace_info *info)
{
	uint64_t blocks = (uint64_t)info->nblocks * KUTRACE_BLOCK_BYTES;

	return blocks + blocks / 4 + (2 << 20);
}

/* Continues the recording of an earlier watch, or starts one. */
static int begin(struct watch *w)
{
	struct kutrace_info info;
	const char *failed;
	bool created;
	int ret = cmd_use_or_create(name, &(struct kutrace_session_options){.mb = w->record.mb},
				    &created);

	if (ret)
		return ret;
	ret = kutrace_get_info(&info);
	if (ret)
		return cmd_error(name, ret);
	if (most_bytes(&info) > w->folder.keep_bytes) {
		if (created)
			kutrace_session_destroy(w->folder.name);
		return cmd_fail("%s: --keep %u: a trace of this session can have %llu MB: use a larger "
				"--keep or a smaller --size", name, w->keep_mb,
				(unsigned long long)(most_bytes(&info) >> 20) + 1);
	}
	ret = cmd_make_way();
	if (!ret)
		ret = kutrace_get_info(&info);
	if (ret)
		return cmd_error(name, ret);
	if (info.recording) {
		w->seen = cmd_folder_last(&w->folder, info.start.real_ns);
		fprintf(stderr, CMD_TOOL ": %s: session %s is already recording: continues with it\n",
			name, w->folder.name);
		return CMD_OK;
	}
	ret = cmd_record_begin(&w->record, kutrace_gowrap, &failed);
	if (ret)
		return cmd_record_error(name, failed, ret);
	/* the recording no longer depends on this process */
	cmd_record_leave(true);
	fprintf(stderr, CMD_TOOL ": %s: records in session %s; traces into %s, %u MB of them\n",
		name, w->folder.name, w->folder.path, w->keep_mb);
	return CMD_OK;
}

/* --- firings ---------------------------------------------------------------------- */

/* Writes a trace for a firing. An error is reported and does not end the watch. */
static void write_one(struct watch *w, const struct kutrace_fired *fired)
{
	struct kutrace_info info;
	char file[4200];

	if (fired->fired - w->seen > 1)
		fprintf(stderr, CMD_TOOL ": %s: fired %u times more meanwhile: the last one is "
			"written\n", name, fired->fired - w->seen - 1);
	w->seen = fired->fired;
	cmd_say_fired(fired);
	if (kutrace_get_info(&info))
		memset(&info, 0, sizeof(info));
	if (cmd_folder_make_room(name, &w->folder, most_bytes(&info))) {
		cmd_fail("%s: no room on the disk of %s: not written", name, w->folder.path);
		return;
	}
	cmd_folder_name(&w->folder, fired->fired, file, sizeof(file));
	if (cmd_write_snapshot(name, file, true) == CMD_OK)
		cmd_say_next(file);
}

/* Waits, but ends early after a signal. */
static void pause_for(uint32_t seconds)
{
	int64_t end_ms = cmd_now_ms() + seconds * 1000LL;

	while (cmd_now_ms() < end_ms && !cmd_interrupted())
		kutrace_msleep(LOOK_MS);
}

static int watch(struct watch *w)
{
	struct kutrace_fired fired;
	int ret = 0;

	while (!cmd_interrupted()) {
		memset(&fired, 0, sizeof(fired));
		fired.fired = w->seen;
		ret = kutrace_wait(LOOK_MS, &fired);
		/* systemctl stop destroys the session first */
		if (ret == -ESRCH) {
			fprintf(stderr, CMD_TOOL ": %s: session %s is gone: ends\n", name,
				w->folder.name);
			return CMD_OK;
		}
		if (ret == -ESTALE)
			return cmd_fail("%s: the recording in session %s has ended", name,
					w->folder.name);
		if (ret < 0 && ret != -EINTR)
			return cmd_error(name, ret);
		if (ret != 1)
			continue;
		write_one(w, &fired);
		pause_for(w->pause_s);
	}
	fprintf(stderr, CMD_TOOL ": %s: ends; session %s goes on recording\n", name,
		w->folder.name);
	return CMD_OK;
}

/* --- options ----------------------------------------------------------------------- */

static int options(int argc, char **argv, struct watch *w)
{
	enum { INTO = 256, KEEP, PAUSE };
	static const struct cmd_option list[] = {
		{"into", INTO, "a folder"}, {"keep", KEEP, "megabytes"},
		{"pause", PAUSE, "seconds"}, CMD_RECORD_OPTIONS, {0},
	};
	struct cmd_options o = {.what = name, .list = list};
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0) {
		switch (option) {
		case INTO:
			w->folder.path = optarg;
			break;
		case KEEP:
			if (!cmd_number(optarg, 1, KEEP_MB_MAX, &w->keep_mb))
				return cmd_usage_error("%s: --keep: %s: needs megabytes, 1 to %d",
						       name, optarg, KEEP_MB_MAX);
			break;
		case PAUSE:
			if (!cmd_number(optarg, 0, PAUSE_S_MAX, &w->pause_s))
				return cmd_usage_error("%s: --pause: %s: needs seconds, 0 to %d",
						       name, optarg, PAUSE_S_MAX);
			break;
		default:
			if (cmd_record_option(name, option, optarg, &w->record) < 0)
				return CMD_USAGE;
		}
	}
	if (option == CMD_OPTION_STOP)
		return o.status ? o.status : CMD_QUIT;
	if (optind < argc)
		return cmd_usage_error("%s: %s: no such option", name, argv[optind]);
	return CMD_OK;
}

int cmd_watch(int argc, char **argv)
{
	struct watch w = {
		.record = {.after_ms = UINT32_MAX, .wrap = true},
		.folder = {.path = "."},
		.keep_mb = KEEP_MB,
		.pause_s = PAUSE_S,
	};
	int ret = options(argc, argv, &w);

	if (ret)
		return ret == CMD_QUIT ? CMD_OK : ret;
	/* a permanent recorder must go on after a firing */
	w.record.snapshot = w.record.triggers != 0;
	ret = cmd_record_check(name, &w.record);
	if (ret)
		return ret;
	if (!cmd_session())
		return cmd_usage_error("%s: needs a session of its own: --session NAME %s", name,
				       name);
	w.folder.name = cmd_session();
	w.folder.keep_bytes = (uint64_t)w.keep_mb << 20;
	ret = cmd_folder_check(name, &w.folder);
	if (ret)
		return ret;
	/* before the start is reported: a user who reads that may end this process */
	cmd_catch_signals();
	ret = begin(&w);
	if (!ret)
		ret = watch(&w);
	cmd_release_signals();
	return ret;
}
