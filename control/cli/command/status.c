// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control status: prints the properties of the module and the recording, as text or JSON.
 * Must not change anything.
 */
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"

/* Names of caveats, indexed by bit; NULL at the end. */
static const char *const caveat_names[32] = KUTRACE_CAVEAT_LABELS;
static const char *const tracepoint_names[32] = KUTRACE_TRACEPOINT_LABELS;

static const char *backend(const struct kutrace_info *info)
{
	return info->backend == KUTRACE_BACKEND_TRACEPOINTS ? "tracepoint"
	     : info->backend == KUTRACE_BACKEND_PATCHED ? "patched" : "none";
}

static uint64_t duration_us(const struct kutrace_info *info)
{
	if (!info->start.counts || info->stop.real_ns < info->start.real_ns)
		return 0;
	return (info->stop.real_ns - info->start.real_ns) / 1000;
}

/*
 * Returns the average rate of bytes over the whole recording; 0: unknown. Dividing it by 8 gives
 * the events per second, because most events take one word. Names, PC samples, typed tracepoints
 * and gaps take more.
 */
static uint64_t bytes_per_s(const struct kutrace_info *info)
{
	uint64_t us = duration_us(info);

	return us ? (uint64_t)((unsigned __int128)info->taken_blocks * KUTRACE_BLOCK_BYTES *
			       1000000 / us) : 0;
}

/*
 * Returns the milliseconds until the buffer is full; in wrap mode, the milliseconds that it
 * holds; 0: unknown.
 *
 * With shares: the milliseconds that the smallest share holds if one CPU records all events. A
 * CPU that records fewer events has a longer history.
 */
static uint64_t left_ms(const struct kutrace_info *info)
{
	uint64_t rate = bytes_per_s(info);
	uint64_t blocks = info->share_blocks ? info->share_blocks :
			  info->flags & KUTRACE_RESET_WRAP || info->taken_blocks > info->nblocks
			? info->nblocks : info->nblocks - info->taken_blocks;

	return rate ? blocks * KUTRACE_BLOCK_BYTES * 1000 / rate : 0;
}

/* Returns the cost of recording these events, in millionths of the time of all CPUs. */
static uint64_t overhead_ppm(const struct kutrace_info *info)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return (uint64_t)((unsigned __int128)bytes_per_s(info) / 8 * info->emit_ps /
			  1000000 / (cpus > 0 ? (unsigned int)cpus : 1));
}

static void print_rate(const struct kutrace_info *info)
{
	bool wrap = info->flags & KUTRACE_RESET_WRAP;
	uint64_t left = left_ms(info), ppm = overhead_ppm(info);

	printf("rate        %llu KB/s, about %llu events/s",
	       (unsigned long long)bytes_per_s(info) / 1000,
	       (unsigned long long)bytes_per_s(info) / 8);
	if (!wrap && info->used_blocks == info->nblocks)
		fputs(": full, nothing more is recorded", stdout);
	else if (info->recording && left)
		printf(info->share_blocks ? ": keeps about the last %llu.%llu s of each CPU, or more" :
		       wrap ? ": keeps about the last %llu.%llu s"
			    : ": full in about %llu.%llu s",
		       (unsigned long long)left / 1000, (unsigned long long)left / 100 % 10);
	if (info->emit_ps)
		printf("\noverhead    about %llu.%04llu %% of the CPUs' time",
		       (unsigned long long)ppm / 10000, (unsigned long long)ppm % 10000);
	putchar('\n');
}

/* Returns the name of bit @bit; NULL after the last bit. @names NULL: the bits are categories. */
static const char *bit_name(const char *const *names, unsigned int bit, char *str, size_t size)
{
	if (names)
		return names[bit];
	return kutrace_category(bit, str, size, NULL) ? str : NULL;
}

static void print_bits(uint32_t bits, const char *const *names)
{
	const char *separator = "", *name;
	char text[32];

	for (unsigned int i = 0; (name = bit_name(names, i, text, sizeof(text))); i++) {
		if (!(bits >> i & 1))
			continue;
		printf("%s%s", separator, name);
		separator = " ";
	}
}

static unsigned int fill_percent(const struct kutrace_info *info)
{
	return info->nblocks ? (unsigned int)(info->used_blocks * 100ULL / info->nblocks) : 0;
}

/* Returns the recorded kinds. An old module without kinds records all kinds. */
static uint64_t kinds(const struct kutrace_info *info)
{
	return info->kinds ? info->kinds & KUTRACE_KINDS_ALL : KUTRACE_KINDS_ALL;
}

static void report_bits(struct ku_report *r, const char *key, uint32_t bits,
			const char *const *names)
{
	const char *name;
	char text[32];

	ku_report_list(r, key);
	for (unsigned int i = 0; (name = bit_name(names, i, text, sizeof(text))); i++)
		if (bits >> i & 1)
			ku_report_string(r, NULL, name);
	ku_report_close(r);
}

static void report_fired(struct ku_report *r)
{
	struct kutrace_fired fired;
	char text[400];

	if (kutrace_fired(&fired) || !fired.fired)
		return;
	ku_report_object(r, "last_fired");
	cmd_report_string(r, "trigger", kutrace_trigger_text(&fired.trigger, text, sizeof(text)));
	cmd_report_string(r, "what", kutrace_fired_text(&fired, text, sizeof(text)));
	ku_report_unsigned(r, "pid", fired.pid);
	ku_report_unsigned(r, "cpu", fired.cpu);
	ku_report_unsigned(r, "ns", fired.ns);
	ku_report_bool(r, "done", fired.done);
	ku_report_unsigned(r, "missed", fired.missed);
	ku_report_close(r);
}

static void report_module(struct ku_report *r, const struct kutrace_info *info)
{
	cmd_report_string(r, "session", info->name[0] ? info->name : KUTRACE_SESSION_MAIN);
	ku_report_unsigned(r, "module_version", kutrace_version_module());
	ku_report_unsigned(r, "abi_version", info->abi_version);
	ku_report_string(r, "backend", backend(info));
	ku_report_bool(r, "recording", info->recording);
	ku_report_bool(r, "wrap", info->flags & KUTRACE_RESET_WRAP);
	ku_report_unsigned(r, "share_blocks", info->share_blocks);
	ku_report_bool(r, "wrapped", info->wrapped);
	ku_report_unsigned(r, "blocks", info->nblocks);
	ku_report_unsigned(r, "used_blocks", info->used_blocks);
	ku_report_unsigned(r, "taken_blocks", info->taken_blocks);
	ku_report_unsigned(r, "block_bytes", KUTRACE_BLOCK_BYTES);
	report_bits(r, "categories", info->categories, NULL);
	report_bits(r, "caveats", info->caveats, caveat_names);
	report_bits(r, "added_tracepoints", (uint32_t)info->added_tracepoints, tracepoint_names);
	cmd_report_lost(r, "lost", info);
	ku_report_unsigned(r, "cpus", info->ncpus);
	ku_report_unsigned(r, "clock_khz", info->clock_khz);
	ku_report_unsigned(r, "clock_shift", info->clock_shift);
	ku_report_unsigned(r, "emit_ps", info->emit_ps);
	ku_report_unsigned(r, "aux_used_bytes", info->aux_last - info->aux_first);
}

static void report_recording(struct ku_report *r, const struct kutrace_info *info)
{
	ku_report_unsigned(r, "fill_percent", fill_percent(info));
	ku_report_unsigned(r, "bytes_per_s", bytes_per_s(info));
	ku_report_unsigned(r, "events_per_s", bytes_per_s(info) / 8);
	ku_report_unsigned(r, info->flags & KUTRACE_RESET_WRAP ? "keeps_ms" : "full_in_ms",
			   left_ms(info));
	ku_report_unsigned(r, "overhead_ppm", overhead_ppm(info));
	ku_report_bool(r, "ipc", info->flags & KUTRACE_RESET_IPC);
	ku_report_bool(r, "llc", info->flags & KUTRACE_RESET_LLC);
	ku_report_unsigned(r, "start_us", info->start.real_ns / 1000);
	ku_report_unsigned(r, "duration_us", duration_us(info));
	ku_report_unsigned(r, "start_cpu", info->start_cpu);
	ku_report_unsigned(r, "start_pid", info->start_pid);
	cmd_report_string(r, "start_comm", info->start_comm);
	cmd_report_kinds(r, "kinds", kinds(info));
	ku_report_bool(r, "filtered", info->filtered);
	ku_report_bool(r, "attended", info->attended);	/* old name of the next key */
	ku_report_bool(r, "bound", info->attended);
	ku_report_unsigned(r, "sessions_recording", info->sessions);
	ku_report_unsigned(r, "triggers", info->triggers);
	ku_report_unsigned(r, "fired", info->fired);
	if (info->fired)
		report_fired(r);
}

static void print_json(const struct kutrace_info *info)
{
	struct ku_report r = ku_report_begin(stdout);

	ku_report_lines(&r, NULL, '{', 0);
	report_module(&r, info);
	report_recording(&r, info);
	ku_report_break(&r, 0);
	ku_report_end(&r);
}

/* Prints settings that differ from their defaults. */
static void print_switches(const struct kutrace_info *info)
{
	struct kutrace_fired fired;
	char text[400];

	if (kinds(info) != KUTRACE_KINDS_ALL) {
		fputs("\nmask        ", stdout);
		cmd_print_kinds_short(kinds(info));
	}
	if (info->flags & (KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))
		printf("\ncounters    %s%s%s",
		       info->flags & KUTRACE_RESET_IPC ? "instructions per cycle" : "",
		       (info->flags & KUTRACE_RESET_IPC) && (info->flags & KUTRACE_RESET_LLC) ?
		       ", " : "", info->flags & KUTRACE_RESET_LLC ? "cache misses" : "");
	if (info->filtered)
		fputs("\nfilter      some tasks or CPUs only", stdout);
	if (info->triggers)
		printf("\ntriggers    %u waiting", info->triggers);
	if (info->fired && !kutrace_fired(&fired) && fired.fired)
		printf("\nfired       %u times, last %s%s", info->fired,
		       kutrace_fired_text(&fired, text, sizeof(text)),
		       fired.done ? "" : ", still recording later events");
	if (info->attended)
		fputs("\nbound       ends with the program that began it", stdout);
}

static void print_text(const struct kutrace_info *info)
{
	printf("module      version %llu, %s\n",
	       (unsigned long long)kutrace_version_module(),
	       info->backend == KUTRACE_BACKEND_PATCHED ? "hooks of a patched kernel" :
	       info->backend == KUTRACE_BACKEND_TRACEPOINTS ? "tracepoints of a stock kernel"
							    : "attached to nothing");
	if (info->added_tracepoints) {
		fputs("tracepoints ", stdout);
		print_bits((uint32_t)info->added_tracepoints, tracepoint_names);
		putchar('\n');
	}
	if (info->name[0])
		printf("session     %s, %u recording\n", info->name, info->sessions);
	printf("recording   %s", info->recording ? "on" : "off");
	if (info->start.counts) {
		printf(", started by ");
		cmd_print_quoted(info->start_comm);
		printf(" (pid %u), %llu.%06llu s", info->start_pid,
		       (unsigned long long)duration_us(info) / 1000000,
		       (unsigned long long)duration_us(info) % 1000000);
	}
	printf("\nbuffer      %u of %u blocks of 64 KB used (%u %%), %s%s\n", info->used_blocks,
	       info->nblocks, fill_percent(info),
	       info->share_blocks ? "wrap, each CPU in its share" :
	       info->flags & KUTRACE_RESET_WRAP ? "wrap" : "stop when full",
	       info->wrapped ? " (has wrapped)" : "");
	if (bytes_per_s(info))
		print_rate(info);
	fputs("events      ", stdout);
	print_bits(info->categories, NULL);
	print_switches(info);
	fputs("\nnot exact   ", stdout);
	print_bits(info->caveats, caveat_names);
	fputs("\nlost       ", stdout);
	for (int i = 0; i < KUTRACE_LOST_CAUSES; i++)
		printf(" %s %llu%s", cmd_lost_key[i], (unsigned long long)info->lost[i],
		       i + 1 < KUTRACE_LOST_CAUSES ? "," : "\n");
	printf("clock       %llu.%03llu MHz, one count per %u period%s\n",
	       (unsigned long long)info->clock_khz / 1000,
	       (unsigned long long)info->clock_khz % 1000, 1U << (info->clock_shift & 31),
	       info->clock_shift & 31 ? "s" : "");
	if (info->emit_ps)
		printf("cost        %llu.%03llu ns an event\n",
		       (unsigned long long)info->emit_ps / 1000,
		       (unsigned long long)info->emit_ps % 1000);
	else
		printf("cost        not measured\n");
}

int cmd_status(int argc, char **argv)
{
	struct cmd_options o = {.what = "status", .takes = "--json or nothing"};
	struct kutrace_info info;
	bool json;
	int ret;

	if (!cmd_json_only(&o, 0, argc, argv, &json))
		return o.status;
	ret = kutrace_get_info(&info);
	if (ret < 0)
		return cmd_error("status", ret);
	if (json)
		print_json(&info);
	else
		print_text(&info);
	return CMD_OK;
}
