// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control watch: a permanent recorder. Records, and writes a trace into a folder each
 * time a trigger fires, within limits, until a signal. Must not end the recording: if this
 * process is killed, the recording goes on, and the next watch continues it.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/traces.h"

#define POLL_MS		200	/* interval for checking for signals */
#define KEEP_MB		1024
#define KEEP_MB_MAX	16777216
#define PAUSE_S		10
#define PAUSE_S_MAX	86400
#define FREE_PART	20	/* divisor: 1/20 of the disk stays free */
#define FINDINGS_MB	64	/* size of the largest trace that is searched for known faults */
#define FINDINGS_MB_MAX	65536
#define SEARCH_DISK	8	/* size of the search's temporary files, in traces */

static const char name[] = "watch";

/*
 * A folder of traces with a size limit. Only traces of the same session are removed, and the disk
 * must not become full.
 */
struct folder {
	const char *path;
	/* name of the session; its traces are NAME-DATE-TIME.NUMBER.trace */
	const char *name;
	uint64_t keep_bytes;	/* size limit for all traces of the session together */
};

struct watch {
	struct cmd_record record;
	struct folder folder;
	uint32_t keep_mb, pause_s;
	uint32_t findings_mb;	/* size of the largest trace that is searched for known faults; 0: no search */
	struct cmd_search search;
	uint32_t seen;		/* number of firings that have been written or reported */
};

/* "-20261124-041500.0017.trace", with n for each digit */
static const char ending[] = "-nnnnnnnn-nnnnnn.nnnn.trace";

/* Returns the trace's number; -1: not such a trace. Numbers above 9999 have more digits. */
static long trace_number(const struct folder *f, const char *file)
{
	size_t length = strlen(f->name), i;
	const char *digits;
	char *rest;
	long number;

	if (strncmp(file, f->name, length))
		return -1;
	file += length;
	for (i = 0; ending[i] != '.'; i++)
		if (ending[i] == 'n' ? !isdigit((unsigned char)file[i]) : file[i] != ending[i])
			return -1;
	if (file[i++] != '.' || !isdigit((unsigned char)file[i]))
		return -1;
	digits = file + i;
	number = strtol(digits, &rest, 10);
	return rest - digits >= 4 && !strcmp(rest, ".trace") ? number : -1;
}

struct trace {
	char file[NAME_MAX + 1];
	int64_t ns;		/* modification time */
	long number;
};

struct traces {
	uint64_t bytes;		/* size of all traces of the session in the folder */
	/* oldest trace; with equal times, the lower number; number -1: no trace */
	struct trace oldest;
	/* highest number of the traces written since the given time; 0: none */
	long last;
};

/* Finds the session's traces in the folder. A folder that cannot be read has no traces. */
static struct traces find_traces(const struct folder *f, int64_t since_ns)
{
	struct traces all = {.oldest.number = -1};
	DIR *dir = opendir(f->path);
	struct dirent *entry;
	struct trace trace;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		trace.number = trace_number(f, entry->d_name);
		if (trace.number < 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		snprintf(trace.file, sizeof(trace.file), "%s", entry->d_name);
		trace.ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
		all.bytes += (uint64_t)st.st_size;
		if (trace.ns >= since_ns && trace.number > all.last)
			all.last = trace.number;
		if (all.oldest.number < 0 || trace.ns < all.oldest.ns ||
		    (trace.ns == all.oldest.ns && trace.number < all.oldest.number))
			all.oldest = trace;
	}
	if (dir)
		closedir(dir);
	return all;
}

static bool remove_one(const struct folder *f, const struct trace *trace,
		       const char *why)
{
	char path[4400], findings[4500];
	bool done;

	snprintf(path, sizeof(path), "%s/%s", f->path, trace->file);
	cmd_findings_name(path, findings, sizeof(findings));
	done = !unlink(path);
	if (done)
		unlink(findings);
	if (done)
		fprintf(stderr, CMD_TOOL ": %s: %s/%s removed: %s\n", name, f->path, trace->file,
			why);
	else
		cmd_fail("%s: %s/%s cannot be removed: %s", name, f->path, trace->file,
			 strerror(errno));
	return done;
}

/* Returns whether the disk has room for @bytes and the part that stays free; true if unknown. */
static bool disk_has(const struct folder *f, uint64_t bytes)
{
	struct statvfs disk;

	if (statvfs(f->path, &disk))
		return true;
	return (uint64_t)disk.f_bavail * disk.f_frsize >=
	       bytes + (uint64_t)disk.f_blocks / FREE_PART * disk.f_frsize;
}

/*
 * Makes room for a trace of up to @bytes: removes the oldest traces, with a message for each, until
 * the limit has room for these bytes. Returns 0, or -ENOSPC if the disk has no room.
 */
static int folder_make_room(const struct folder *f, uint64_t bytes)
{
	char limit[80];

	snprintf(limit, sizeof(limit), "more than %llu MB (--keep)",
		 (unsigned long long)(f->keep_bytes >> 20));
	for (;;) {
		struct traces all = find_traces(f, INT64_MAX);
		bool room = disk_has(f, bytes);

		if (all.bytes + bytes <= f->keep_bytes && room)
			return 0;
		if (all.oldest.number < 0)
			return room ? 0 : -ENOSPC;
		if (!remove_one(f, &all.oldest, all.bytes + bytes > f->keep_bytes ?
				limit : "the disk is nearly full"))
			return -ENOSPC;
	}
}

/* Makes the name of the next trace, including the folder. */
static void folder_name(const struct folder *f, uint32_t number, char *file, size_t size)
{
	char when[40] = "00000000-000000";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(file, size, "%s/%s-%s.%04u.trace", f->path, f->name, when, number);
}

/* Checks that the folder can be written to. Returns CMD_OK, or CMD_FAILED after a message. */
static int folder_check(const struct folder *f)
{
	struct stat st;

	if (stat(f->path, &st) || !S_ISDIR(st.st_mode))
		return cmd_fail("%s: %s: no such directory: make it, or name another with --into",
				name, f->path);
	if (access(f->path, W_OK | X_OK))
		return cmd_fail("%s: %s: %s: name another one with --into", name, f->path,
				strerror(errno));
	return CMD_OK;
}

/* Returns the maximum size of a trace of this session: blocks, counter bytes, names. */
static uint64_t max_trace_bytes(const struct kutrace_info *info)
{
	uint64_t blocks = (uint64_t)info->nblocks * KUTRACE_BLOCK_BYTES;

	return blocks + blocks / 4 + (2 << 20);
}

/* Continues the recording of an earlier watch, or starts one. */
static int start_or_continue(struct watch *w)
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
	if (max_trace_bytes(&info) > w->folder.keep_bytes) {
		if (created)
			kutrace_session_destroy(w->folder.name);
		return cmd_fail("%s: --keep %u: a trace of this session can have %llu MB: use a larger "
				"--keep or a smaller --size", name, w->keep_mb,
				(unsigned long long)(max_trace_bytes(&info) >> 20) + 1);
	}
	ret = cmd_apply_force();
	ret = ret ?: kutrace_get_info(&info);
	if (ret)
		return cmd_error(name, ret);
	if (info.recording) {
		w->seen = (uint32_t)find_traces(&w->folder, (int64_t)info.start.real_ns).last;
		fprintf(stderr, CMD_TOOL ": %s: session %s is already recording: watching that recording\n",
			name, w->folder.name);
		return CMD_OK;
	}
	ret = cmd_record_begin(&w->record, kutrace_gowrap, &failed);
	if (ret)
		return cmd_record_error(name, failed, ret);
	/* the recording no longer depends on this process */
	cmd_record_unbind(true);
	fprintf(stderr, CMD_TOOL ": %s: records in session %s; traces into %s, %u MB of them\n",
		name, w->folder.name, w->folder.path, w->keep_mb);
	return CMD_OK;
}

/* Begins to search the trace for known faults, if the disk has room for the temporary files. */
static void search(struct watch *w, const char *file)
{
	struct stat st;

	if (!w->findings_mb || stat(file, &st))
		return;
	if (!disk_has(&w->folder, SEARCH_DISK * (uint64_t)st.st_size))
		fprintf(stderr, CMD_TOOL ": %s: %s is not searched for known faults: the disk is nearly full\n", name, file);
	else
		cmd_search_begin(name, &w->search, file, w->folder.path, w->findings_mb);
}

/* Writes a trace for a firing. An error is reported and does not end the watch. */
static void write_firing(struct watch *w, const struct kutrace_fired *fired)
{
	struct kutrace_info info;
	char file[4200];

	if (fired->fired - w->seen > 1)
		fprintf(stderr, CMD_TOOL ": %s: %u more firings since the last trace: only the "
			"last firing gets a trace\n", name, fired->fired - w->seen - 1);
	w->seen = fired->fired;
	cmd_print_fired(fired);
	if (kutrace_get_info(&info))
		memset(&info, 0, sizeof(info));
	if (folder_make_room(&w->folder, max_trace_bytes(&info))) {
		cmd_fail("%s: no room on the disk of %s: not written", name, w->folder.path);
		return;
	}
	folder_name(&w->folder, fired->fired, file, sizeof(file));
	if (cmd_write_trace(name, file, true, kutrace_snapshot) != CMD_OK)
		return;
	cmd_print_next(file);
	search(w, file);
}

/* Pauses after a trace, until a signal. Meanwhile reports the findings of the search. */
static void pause_after_trace(struct watch *w)
{
	for (uint32_t s = 0; s < w->pause_s && cmd_pause(1); s++)
		cmd_search_poll(name, &w->search);
}

static int watch(struct watch *w)
{
	struct kutrace_fired fired;
	int ret = 0;

	while (!cmd_interrupted()) {
		cmd_search_poll(name, &w->search);
		memset(&fired, 0, sizeof(fired));
		fired.fired = w->seen;
		ret = kutrace_wait(POLL_MS, &fired);
		/* systemctl stop destroys the session first */
		if (ret == -ESRCH) {
			fprintf(stderr, CMD_TOOL ": %s: session %s was destroyed: nothing to watch\n", name,
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
		write_firing(w, &fired);
		pause_after_trace(w);
	}
	fprintf(stderr, CMD_TOOL ": %s: interrupted; session %s continues to record\n", name,
		w->folder.name);
	return CMD_OK;
}

static int options(int argc, char **argv, struct watch *w)
{
	const struct cmd_option list[] = {
		{.name = "into", .wants = "a folder", .text = &w->folder.path},
		{.name = "keep", .wants = "megabytes", .number = &w->keep_mb, .min = 1, .max = KEEP_MB_MAX},
		{.name = "findings", .wants = "megabytes", .number = &w->findings_mb, .max = FINDINGS_MB_MAX},
		{.name = "pause", .wants = "seconds", .number = &w->pause_s, .max = PAUSE_S_MAX},
		CMD_RECORD_OPTIONS(&w->record), {0},
	};
	struct cmd_options o = {.what = name, .list = list};
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_record_option(name, option, optarg, &w->record))
			return CMD_USAGE;
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
		.findings_mb = FINDINGS_MB,
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
		return cmd_usage_error("%s: needs its own session: --session NAME %s", name, name);
	w.folder.name = cmd_session();
	w.folder.keep_bytes = (uint64_t)w.keep_mb << 20;
	ret = folder_check(&w.folder);
	if (ret)
		return ret;
	/* Catch signals before the start is reported: a user who reads the report may send one. */
	cmd_catch_signals();
	ret = start_or_continue(&w);
	ret = ret ?: watch(&w);
	cmd_search_end(&w.search);
	cmd_release_signals();
	return ret;
}
