// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names that describe the trace itself: the machine, the module, losses and omissions. Unknown
 * properties are left out.
 */
#include "lib/names/sources.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/file.h"
#include "libkutrace.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Returns the value of the first "key : value" line of /proc/cpuinfo, or NULL. */
static char *cpuinfo_value(const char *key, char *line, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *value = NULL;

	if (!f)
		return NULL;
	while (!value && fgets(line, (int)size, f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !colon)
			continue;
		value = colon + 1 + strspn(colon + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
	}
	fclose(f);
	return value && *value ? value : NULL;
}

bool ku_cpu_model(char *str, size_t size)
{
	/* arm64 and riscv have no line "model name" */
	static const char *const keys[] = {"model name", "Hardware", "uarch"};
	char line[512], *model = NULL;

	for (size_t i = 0; i < COUNT_OF(keys) && !model; i++)
		model = cpuinfo_value(keys[i], line, sizeof(line));
	snprintf(str, size, "%s", model ? model : "");
	return model;
}

int ku_names_system(struct ku_name_list *names, const struct ku_system *system)
{
	char line[512];
	int ret;

	snprintf(line, sizeof(line), "%s %s", system->release, system->version);
	ret = ku_names_add(names, KUTRACE_NAME_KERNELVER, 0, line, strlen(line));
	ret = ret ?: ku_names_add(names, KUTRACE_NAME_HOSTNAME, 0, system->nodename,
				  strlen(system->nodename));
	ret = ret ?: ku_names_add_meta(names, "arch=%s", system->machine);
	/* on some releases, no other file shows PREEMPT_RT */
	if (!ret && strstr(system->version, "PREEMPT_RT"))
		ret = ku_names_add_meta(names, "preempt_rt=1");
	return ret;
}

/* Adds the boot's identifier and the local time zone. */
static int machine_meta(struct ku_name_list *names)
{
	time_t now = time(NULL);
	char id[64];
	struct tm tm;
	int ret = 0;

	if (ku_read_line("/proc/sys/kernel/random/boot_id", id, sizeof(id)) && *id)
		ret = ku_names_add_meta(names, "boot_id=%s", id);
	if (!ret && localtime_r(&now, &tm))
		ret = ku_names_add_meta(names, "utc_offset_s=%ld", tm.tm_gmtoff);
	return ret;
}

int ku_names_machine(struct ku_name_list *names)
{
	char model[512];
	struct utsname uts;
	int ret = 0;

	if (uname(&uts) == 0) {
		const struct ku_system system = {.release = uts.release, .version = uts.version,
						 .machine = uts.machine, .nodename = uts.nodename};

		ret = ku_names_system(names, &system);
		ret = ret ?: machine_meta(names);
	}
	if (!ret && ku_cpu_model(model, sizeof(model)))
		ret = ku_names_add(names, KUTRACE_NAME_CPUMODEL, 0, model, strlen(model));
	return ret;
}

int ku_names_add_meta(struct ku_name_list *names, const char *fmt, ...)
{
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return ku_names_add(names, KUTRACE_NAME_META, 0, text, strlen(text));
}

static const char *const caveat_names[] = KUTRACE_CAVEAT_LABELS;
static const char *const lost_names[KUTRACE_LOST_CAUSES] = KUTRACE_LOST_LABELS;

int ku_names_more_caveats(struct ku_name_list *names, uint32_t caveats, uint32_t *recorded)
{
	uint32_t more = caveats & ~*recorded;
	int ret = 0;

	for (size_t i = 0; i < COUNT_OF(caveat_names) && !ret; i++)
		if (more >> i & 1)
			ret = ku_names_add_meta(names, "caveat=%s", caveat_names[i]);
	*recorded |= caveats;
	return ret;
}

int ku_names_more_lost(struct ku_name_list *names, const __u64 *lost, __u64 *reported)
{
	int ret = 0;

	for (size_t i = 0; i < KUTRACE_LOST_CAUSES && !ret; i++)
		if (lost[i] > reported[i]) {
			ret = ku_names_add_meta(names, "lost_%s=%llu", lost_names[i],
						(unsigned long long)lost[i]);
			reported[i] = lost[i];
		}
	return ret;
}

/* Returns the name of the time counter. If @system is NULL, uses this machine's architecture. */
static const char *clock_name(const struct ku_system *system)
{
	struct utsname uts;
	const char *machine = system ? system->machine : uname(&uts) ? "" : uts.machine;

	if (!strcmp(machine, "x86_64"))
		return "tsc";
	return strcmp(machine, "aarch64") ? "time" : "cntvct";
}

int ku_names_meta(struct ku_name_list *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us, const struct ku_system *system)
{
	uint32_t recorded = 0;
	uint64_t lost;
	int ret;

	if (tool)
		ret = ku_names_add_meta(names, "tool=%s", tool);
	else
		ret = ku_names_add_meta(names, "tool=libkutrace %s", KUTRACE_VERSION);
	ret = ret ?: ku_names_add_meta(names, "backend=%s",
				       info->backend == KUTRACE_BACKEND_TRACEPOINTS ? "tracepoint" :
				       info->backend == KUTRACE_BACKEND_PATCHED ? "patched" : "none");
	ret = ret ?: ku_names_add_meta(names, "cats=0x%x", info->categories);
	ret = ret ?: ku_names_more_caveats(names, info->caveats, &recorded);
	/* a mask, a filter or another session explains why events are missing */
	if (!ret && info->name[0] && strcmp(info->name, KUTRACE_SESSION_MAIN))
		ret = ku_names_add_meta(names, "session=%s", info->name);
	if (!ret && info->kinds && (info->kinds & KUTRACE_KINDS_ALL) != KUTRACE_KINDS_ALL)
		ret = ku_names_add_meta(names, "kinds=0x%llx", (unsigned long long)info->kinds);
	if (!ret && info->filtered)
		ret = ku_names_add_meta(names, "filtered=1");
	for (size_t i = 0; i < COUNT_OF(lost_names); i++) {
		lost = info->lost[i] + (i == KUTRACE_LOST_NAMES ? unread_names : 0);
		ret = ret ?: ku_names_add_meta(names, "lost_%s=%llu", lost_names[i],
					       (unsigned long long)lost);
	}
	if (bad_blocks)
		ret = ret ?: ku_names_add_meta(names, "lost_blocks=%llu",
					       (unsigned long long)bad_blocks);
	ret = ret ?: ku_names_add_meta(names, "clock=%s", clock_name(system));
	ret = ret ?: ku_names_add_meta(names, "clock_khz=%llu",
				       (unsigned long long)info->clock_khz);
	ret = ret ?: ku_names_add_meta(names, "clock_shift=%u", info->clock_shift);
	if (clock_step_us)
		ret = ret ?: ku_names_add_meta(names, "clock_step_us=%lld",
					       (long long)clock_step_us);
	ret = ret ?: ku_names_add_meta(names, "emit_ps=%llu", (unsigned long long)info->emit_ps);
	ret = ret ?: ku_names_add_meta(names, "wrapped=%u", info->wrapped != 0);
	return ret;
}
