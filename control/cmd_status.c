// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control status: everything that the module says about itself and the
 * recording, for people or as JSON. Must never change anything.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "kutrace_events.h"

/* Names by bit or number, in the order of the numbers; NULL ends. */
static const char *const category_names[] = {
#define KU_CAT(id, bit, text) [bit] = #id,
#include "kutrace_events.def"
	NULL
};

static const char *const caveat_names[32] = KUTRACE_CAVEAT_LABELS;

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
 * How fast the buffer fills, over the whole recording; 0: not to be told. Events
 * are taken to be one word each, which all but names, samples and gaps are.
 */
static uint64_t bytes_per_s(const struct kutrace_info *info)
{
	uint64_t us = duration_us(info);

	return us ? (uint64_t)((unsigned __int128)info->taken_blocks * KUTRACE_BLOCK_BYTES *
			       1000000 / us) : 0;
}

/* Milliseconds until it is full, or in wrap mode those that it holds; 0: unknown. */
static uint64_t left_ms(const struct kutrace_info *info)
{
	uint64_t rate = bytes_per_s(info);
	uint64_t blocks = info->flags & KUTRACE_RESET_WRAP || info->taken_blocks > info->nblocks
			? info->nblocks : info->nblocks - info->taken_blocks;

	return rate ? blocks * KUTRACE_BLOCK_BYTES * 1000 / rate : 0;
}

/* Of the time of all CPUs, in millionths, for recording those events. */
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
		printf(wrap ? ": keeps about the last %llu.%llu s"
			    : ": full in about %llu.%llu s",
		       (unsigned long long)left / 1000, (unsigned long long)left / 100 % 10);
	if (info->emit_ps)
		printf("\noverhead    about %llu.%04llu %% of the CPUs' time",
		       (unsigned long long)ppm / 10000, (unsigned long long)ppm % 10000);
	putchar('\n');
}

/* Category names are kept in upper case in the table. */
static void print_lower(const char *text)
{
	for (; *text; text++)
		putchar(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text);
}

static void print_bits(uint32_t bits, const char *const *names, const char *quote,
		       const char *between)
{
	const char *separator = "";
	int i;

	for (i = 0; names[i]; i++) {
		if (!(bits >> i & 1))
			continue;
		printf("%s%s", separator, quote);
		print_lower(names[i]);
		fputs(quote, stdout);
		separator = between;
	}
}

static unsigned int fill_percent(const struct kutrace_info *info)
{
	return info->nblocks ? (unsigned int)(info->used_blocks * 100ULL / info->nblocks) : 0;
}

/* A module that knows no kinds records all of them. */
static uint64_t kinds(const struct kutrace_info *info)
{
	return info->kinds ? info->kinds & KUTRACE_KINDS_ALL : KUTRACE_KINDS_ALL;
}

static void print_fired_json(void)
{
	struct kutrace_fired fired;
	char text[400];

	if (kutrace_fired(&fired) || !fired.fired)
		return;
	fputs(",\n\"last_fired\": {\"trigger\": ", stdout);
	cmd_print_json_string(kutrace_trigger_text(&fired.trigger, text, sizeof(text)));
	fputs(", \"what\": ", stdout);
	cmd_print_json_string(kutrace_fired_text(&fired, text, sizeof(text)));
	printf(", \"pid\": %u, \"cpu\": %u, \"ns\": %llu, \"done\": %s, \"missed\": %llu}",
	       fired.pid, fired.cpu, (unsigned long long)fired.ns,
	       fired.done ? "true" : "false", (unsigned long long)fired.missed);
}

static void print_json(const struct kutrace_info *info)
{
	int i;

	printf("{\n\"session\": ");
	cmd_print_json_string(info->name[0] ? info->name : KUTRACE_SESSION_MAIN);
	printf(",\n\"module_version\": %llu,\n\"abi_version\": %u,\n\"backend\": \"%s\",\n",
	       (unsigned long long)kutrace_version_module(), info->abi_version,
	       backend(info));
	printf("\"recording\": %s,\n\"wrap\": %s,\n\"wrapped\": %s,\n",
	       info->recording ? "true" : "false",
	       info->flags & KUTRACE_RESET_WRAP ? "true" : "false",
	       info->wrapped ? "true" : "false");
	printf("\"blocks\": %u,\n\"used_blocks\": %u,\n\"taken_blocks\": %llu,\n"
	       "\"block_bytes\": %u,\n", info->nblocks, info->used_blocks,
	       (unsigned long long)info->taken_blocks, KUTRACE_BLOCK_BYTES);
	fputs("\"categories\": [", stdout);
	print_bits(info->categories, category_names, "\"", ", ");
	fputs("],\n\"caveats\": [", stdout);
	print_bits(info->caveats, caveat_names, "\"", ", ");
	fputs("],\n\"lost\": {", stdout);
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		printf("%s\"%s\": %llu", i ? ", " : "", cmd_lost_key[i],
		       (unsigned long long)info->lost[i]);
	printf("},\n\"cpus\": %u,\n\"clock_khz\": %llu,\n\"clock_shift\": %u,\n"
	       "\"emit_ps\": %llu,\n\"aux_used_bytes\": %llu,\n", info->ncpus,
	       (unsigned long long)info->clock_khz, info->clock_shift,
	       (unsigned long long)info->emit_ps,
	       (unsigned long long)(info->aux_last - info->aux_first));
	printf("\"fill_percent\": %u,\n\"bytes_per_s\": %llu,\n\"events_per_s\": %llu,\n"
	       "\"%s\": %llu,\n\"overhead_ppm\": %llu,\n",
	       fill_percent(info), (unsigned long long)bytes_per_s(info),
	       (unsigned long long)bytes_per_s(info) / 8,
	       info->flags & KUTRACE_RESET_WRAP ? "keeps_ms" : "full_in_ms",
	       (unsigned long long)left_ms(info), (unsigned long long)overhead_ppm(info));
	printf("\"ipc\": %s,\n\"llc\": %s,\n",
	       info->flags & KUTRACE_RESET_IPC ? "true" : "false",
	       info->flags & KUTRACE_RESET_LLC ? "true" : "false");
	printf("\"start_us\": %llu,\n\"duration_us\": %llu,\n\"start_cpu\": %u,\n"
	       "\"start_pid\": %u,\n\"start_comm\": ",
	       (unsigned long long)info->start.real_ns / 1000,
	       (unsigned long long)duration_us(info), info->start_cpu, info->start_pid);
	cmd_print_json_string(info->start_comm);
	fputs(",\n\"kinds\": [", stdout);
	cmd_print_kinds(kinds(info), "\"", ", ");
	printf("],\n\"filtered\": %s,\n\"attended\": %s,\n\"sessions_recording\": %u,\n"
	       "\"triggers\": %u,\n\"fired\": %u", info->filtered ? "true" : "false",
	       info->attended ? "true" : "false", info->sessions, info->triggers, info->fired);
	if (info->fired)
		print_fired_json();
	fputs("\n}\n", stdout);
}

/* What it was told: only where it is not the usual. */
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
		       fired.done ? "" : ", still recording what follows");
	if (info->attended)
		fputs("\nattended    ends with the program that began it", stdout);
}

static void print_text(const struct kutrace_info *info)
{
	int i;

	printf("module      version %llu, %s\n",
	       (unsigned long long)kutrace_version_module(),
	       info->backend == KUTRACE_BACKEND_PATCHED ? "hooks of a patched kernel" :
	       info->backend == KUTRACE_BACKEND_TRACEPOINTS ? "tracepoints of a stock kernel"
							    : "attached to nothing");
	if (info->name[0])
		printf("session     %s, %u recording\n", info->name, info->sessions);
	printf("recording   %s", info->recording ? "on" : "off");
	if (info->start.counts) {
		printf(", started by ");
		cmd_print_json_string(info->start_comm);
		printf(" (pid %u), %llu.%06llu s", info->start_pid,
		       (unsigned long long)duration_us(info) / 1000000,
		       (unsigned long long)duration_us(info) % 1000000);
	}
	printf("\nbuffer      %u of %u blocks of 64 KB used (%u %%), %s%s\n", info->used_blocks,
	       info->nblocks, fill_percent(info),
	       info->flags & KUTRACE_RESET_WRAP ? "wrap" : "stop when full",
	       info->wrapped ? " (has wrapped)" : "");
	if (bytes_per_s(info))
		print_rate(info);
	fputs("events      ", stdout);
	print_bits(info->categories, category_names, "", " ");
	print_switches(info);
	fputs("\nnot exact   ", stdout);
	print_bits(info->caveats, caveat_names, "", " ");
	fputs("\nlost       ", stdout);
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		printf(" %s %llu%s", cmd_lost_key[i], (unsigned long long)info->lost[i],
		       i + 1 < KUTRACE_LOST_CAUSES ? "," : "\n");
	printf("clock       %llu.%03llu MHz / %u\n",
	       (unsigned long long)info->clock_khz / 1000,
	       (unsigned long long)info->clock_khz % 1000, 1U << (info->clock_shift & 31));
	if (info->emit_ps)
		printf("cost        %llu.%03llu ns an event\n",
		       (unsigned long long)info->emit_ps / 1000,
		       (unsigned long long)info->emit_ps % 1000);
	else
		printf("cost        not measured\n");
}

int cmd_status(int argc, char **argv)
{
	struct kutrace_info info;
	bool json = argc == 2 && !strcmp(argv[1], "--json");
	int ret;

	if (argc > 1 && !json)
		return cmd_usage_error("status: %s: takes --json or nothing", argv[1]);
	ret = kutrace_get_info(&info);
	if (ret < 0)
		return cmd_error("status", ret);
	if (json)
		print_json(&info);
	else
		print_text(&info);
	return CMD_OK;
}
