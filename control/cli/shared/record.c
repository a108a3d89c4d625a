// SPDX-License-Identifier: BSD-3-Clause
/*
 * Parses the options of a recording, and starts it. Must not accept a part of a value. If this
 * process is killed, no unwanted recording may remain: a recording is bound to this process until
 * its start has been reported.
 */
#include "cli/shared/traces.h"

#include <sys/stat.h>

#include "cli/base/base.h"

static int add_ids(const char *what, const char *option, const char *text, uint32_t *ids,
		   uint32_t *count, uint32_t room)
{
	const char *at = text;

	do {
		if (*count == room)
			return cmd_usage_error("%s: %s: %s: no more than %u", what, option, text, room);
		if (!cmd_next_number(&at, INT32_MAX, &ids[*count]) || !ids[*count])
			break;
		++*count;
		if (!*at)
			return CMD_OK;
	} while (*at++ == ',');
	return cmd_usage_error("%s: %s: %s: needs numbers from 1 to %d (example: 51,52)", what, option,
			       text, INT32_MAX);
}

#define CPU_WORDS	(KUTRACE_FILTER_CPUS / 64)

/* Adds the CPUs of a list such as "0-3,7" to @cpus. Returns false if the list is invalid. */
static bool parse_cpus(const char *text, __u64 *cpus)
{
	const char *at = text;
	uint32_t first, last;

	do {
		if (!cmd_next_number(&at, KUTRACE_FILTER_CPUS - 1, &first))
			return false;
		last = first;
		if (*at == '-' && (at++, !cmd_next_number(&at, KUTRACE_FILTER_CPUS - 1, &last)))
			return false;
		if (last < first)
			return false;
		for (; first <= last; first++)
			cpus[first / 64] |= 1ULL << first % 64;
		if (!*at)
			return true;
	} while (*at++ == ',');
	return false;
}

const char *cmd_possible_cpus = "/sys/devices/system/cpu/possible";

/* Reads the list of possible CPUs, which include CPUs that are offline. Returns false if it is unknown. */
static bool read_possible(char *list, int size, __u64 *cpus)
{
	FILE *file = fopen(cmd_possible_cpus, "re");
	bool known = file && fgets(list, size, file);

	if (file)
		fclose(file);
	if (known)
		list[strcspn(list, "\n")] = '\0';
	return known && parse_cpus(list, cpus);
}

static int add_cpus(const char *what, const char *text, __u64 *cpus)
{
	__u64 possible[CPU_WORDS] = {0};
	char list[4096];

	if (!parse_cpus(text, cpus))
		return cmd_usage_error("%s: --cpus: %s: needs CPUs from 0 to %d (example: 0-3,7)", what,
				       text, KUTRACE_FILTER_CPUS - 1);
	if (!read_possible(list, sizeof(list), possible))
		return CMD_OK;
	for (uint32_t cpu = 0; cpu < KUTRACE_FILTER_CPUS; cpu++)
		if (cpus[cpu / 64] & ~possible[cpu / 64] & 1ULL << cpu % 64)
			return cmd_fail("%s: --cpus: %s: no CPU %u; this machine has CPUs %s", what,
					text, cpu, list);
	return CMD_OK;
}

/* Returns the number of cgroup @path (absolute, or relative to a cgroup mount). 0: not found. */
static uint64_t cgroup_number(const char *path)
{
	static const char *const below[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	char whole[4200];
	struct stat st;

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s/cgroup.controllers", below[i], path);
		if (stat(whole, &st))
			/* no cgroup: every cgroup of version 2 has this file */
			continue;
		*strrchr(whole, '/') = '\0';
		if (!stat(whole, &st) && S_ISDIR(st.st_mode))
			return st.st_ino;
	}
	return 0;
}

static int add_cgroups(const char *what, const char *text, struct kutrace_filter *filter)
{
	char path[4000];
	uint64_t number;
	size_t length;

	for (;; text += length + 1) {
		length = strcspn(text, ",");
		snprintf(path, sizeof(path), "%.*s", (int)length, text);
		number = length ? cgroup_number(path) : 0;
		if (!number)
			return cmd_fail("%s: --cgroup: %s: no such cgroup (of version 2): "
					"see /sys/fs/cgroup", what, path);
		if (filter->ncgroups == KUTRACE_FILTER_CGROUPS)
			return cmd_usage_error("%s: --cgroup: no more than %d", what,
					       KUTRACE_FILTER_CGROUPS);
		filter->cgroups[filter->ncgroups++] = number;
		if (!text[length])
			return CMD_OK;
	}
}

int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter)
{
	switch (option) {
	case CMD_FILTER_PID:
		return add_ids(what, "--pid", value, filter->pids, &filter->npids,
			       KUTRACE_FILTER_PIDS);
	case CMD_FILTER_GROUP:
		return add_ids(what, "--group", value, filter->groups, &filter->ngroups,
			       KUTRACE_FILTER_GROUPS);
	case CMD_FILTER_CGROUP:
		return add_cgroups(what, value, filter);
	case CMD_FILTER_CPUS:
		return add_cpus(what, value, filter->cpus);
	default:
		return CMD_USAGE;
	}
}

#define AFTER_MS	100

/* Handle that binds the main session's recording. Other sessions are bound to their own handles. */
static struct kutrace_handle *bound_handle;

static int add_trigger(const char *what, const char *spec, struct cmd_record *r)
{
	char message[400];

	if (r->triggers == KUTRACE_TRIGGERS)
		return cmd_usage_error("%s: --trigger: %s: no more than eight triggers", what,
				       spec);
	if (kutrace_trigger_parse(spec, &r->trigger[r->triggers], message, sizeof(message)))
		return cmd_usage_error("%s: --trigger: %s", what, message);
	r->triggers++;
	return CMD_OK;
}

static int set_kinds(const char *what, const char *list, struct cmd_record *r)
{
	uint64_t value, mask;
	const char *bad;
	size_t length;

	if (kutrace_kinds_parse(list, &value, &mask, &bad, &length))
		return cmd_usage_error("%s: --mask: %.*s: no such category or kind; try \"" CMD_TOOL
				       " mask\"", what, (int)length, bad);
	/* with a sign, LIST changes the set of all kinds */
	r->kinds = *list == '-' ? KUTRACE_KINDS_ALL & ~mask
		 : *list == '+' ? KUTRACE_KINDS_ALL : value;
	r->kinds |= KUTRACE_KINDS_FIXED;	/* an empty set would mean all kinds */
	return CMD_OK;
}

int cmd_record_option(const char *what, int option, const char *value, struct cmd_record *r)
{
	switch (option) {
	case CMD_RECORD_SESSION:
		return cmd_set_session(value);
	case CMD_RECORD_MASK:
		return set_kinds(what, value, r);
	case CMD_RECORD_TRIGGER:
		return add_trigger(what, value, r);
	default:
		r->filtered = true;
		return cmd_filter_option(what, option, value, &r->filter);
	}
}

int cmd_record_check(const char *what, struct cmd_record *r)
{
	if (!r->triggers && (r->snapshot || r->after_ms != UINT32_MAX))
		return cmd_usage_error("%s: %s: needs --trigger", what,
				       r->snapshot ? "--snapshot" : "--after");
	for (unsigned int i = 0; i < r->triggers; i++) {
		r->trigger[i].after_ms = r->after_ms == UINT32_MAX ? AFTER_MS : r->after_ms;
		r->trigger[i].flags = r->snapshot ? KUTRACE_TRIGGER_NOTIFY : 0;
	}
	/* in stop mode, a full buffer would have no room for the events before a firing */
	r->wrap |= r->triggers != 0;
	if (r->percpu && !r->wrap)
		return cmd_usage_error("%s: --per-cpu: needs --wrap or --trigger", what);
	return CMD_OK;
}

/* Binds the recording to this process. Returns 0, or -EBUSY: another program has just bound it. */
static int bind_recording(void)
{
	struct kutrace_handle *handle = cmd_handle();

	/* a module without sessions cannot bind a recording */
	if (!handle && kutrace_session_open(NULL, &bound_handle))
		return 0;
	return kutrace_session_bind(handle ? handle : bound_handle, 1) == -EBUSY ? -EBUSY : 0;
}

void cmd_record_unbind(bool keep)
{
	struct kutrace_handle *handle = cmd_handle();

	if (keep && handle)
		kutrace_session_keep(handle);
	if (handle)
		kutrace_session_bind(handle, 0);
	if (bound_handle)
		kutrace_session_bind(bound_handle, 0);
	kutrace_session_close(bound_handle);
	bound_handle = NULL;
}

static int configure_and_start(struct cmd_record *r, const char **failed)
{
	int ret = kutrace_do_reset((r->ipc ? KUTRACE_GO_IPC : 0) |
				   (r->llc ? KUTRACE_GO_LLC : 0) | (r->wrap ? KUTRACE_GO_WRAP : 0) |
				   (r->percpu ? KUTRACE_GO_PERCPU : 0));

	if (!ret && r->kinds) {
		*failed = "--mask";
		ret = kutrace_mask(r->kinds, KUTRACE_KINDS_ALL, NULL);
	}
	if (!ret && r->filtered) {
		*failed = "filter";
		ret = kutrace_filter(&r->filter);
	}
	for (unsigned int i = 0; i < r->triggers && !ret; i++) {
		*failed = "--trigger";
		ret = kutrace_trigger(&r->trigger[i]);
	}
	if (ret)
		return ret;
	*failed = NULL;
	ret = kutrace_do_init(CMD_TOOL);
	return ret ?: kutrace_do_on();
}

/* Reports kinds, tasks or CPUs that are not recorded: an old mask or filter may omit them. */
static void print_omissions(const struct cmd_record *r)
{
	struct kutrace_info info;

	if (kutrace_get_info(&info) || !info.kinds)
		return;
	if (!r->kinds && (info.kinds & KUTRACE_KINDS_ALL) != KUTRACE_KINDS_ALL)
		cmd_note("records only some kinds of events, because of mask: see "
		      "status");
	if (!r->filtered && info.filtered)
		cmd_note("records only some tasks or CPUs, because of filter: see "
		      "status");
}

int cmd_record_begin(struct cmd_record *r, int (*go)(const char *), const char **failed)
{
	bool plain = !r->kinds && !r->filtered && !r->triggers && !r->ipc && !r->llc && !r->percpu;
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	*failed = NULL;
	if (ret)
		return ret;
	if (!plain && info.backend == KUTRACE_BACKEND_NONE)
		return -ENOSYS;
	ret = cmd_apply_force();
	ret = ret ?: kutrace_get_info(&info);
	if (ret)
		return ret;
	if (!plain && info.recording)
		return -EBUSY;
	/* a running recording belongs to another program: do not bind it */
	ret = info.recording ? 0 : bind_recording();
	ret = ret ?: (plain ? go(CMD_TOOL) : configure_and_start(r, failed));
	if (ret)
		cmd_record_unbind(false);
	else
		print_omissions(r);
	return ret;
}

int cmd_record_error(const char *what, const char *failed, int error)
{
	char text[60];

	snprintf(text, sizeof(text), failed ? "%s: %s" : "%s", what, failed);
	if (failed && error == -EOPNOTSUPP)
		return cmd_fail("%s: this kernel does not report such events: see \"not "
				"exact\" in status", text);
	if (failed && error == -ENOSPC)
		return cmd_fail("%s: there are %d already, the maximum", text, KUTRACE_TRIGGERS);
	return cmd_error(text, error);
}

void cmd_print_fired(const struct kutrace_fired *fired)
{
	char text[400];

	cmd_note("fired: %s", kutrace_fired_text(fired, text, sizeof(text)));
	if (fired->missed)
		cmd_note("%llu spans were not measured: one of them may "
			"have exceeded the limit before this firing", (unsigned long long)fired->missed);
}
