// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names the processes that hold the module, so that it cannot be unloaded. Must never need more rights
 * than its user has: what may not be read is reported as such.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/print.h"
#include "cli/doctor/check.h"

#define DEVICE "/dev/kutrace/"

/* A list of holders as text, and how many of them did not fit. */
struct holders {
	const struct cmd_machine *m;
	char text[380];
	size_t length;
	unsigned int count, more, unread;
};

static void add(struct holders *h, const char *pid, const char *how)
{
	char file[64], name[32] = "?", shown[32], item[160];
	int n;

	snprintf(file, sizeof(file), "/proc/%.20s/comm", pid);
	cmd_machine_line(h->m, file, name, sizeof(name));
	n = snprintf(item, sizeof(item), "%s%.20s (%.16s%s)", h->count ? ", " : "", pid,
		     cmd_shown(name, shown, sizeof(shown)), how);
	h->count++;
	if (n < 0 || (size_t)n >= sizeof(h->text) - h->length) {
		h->more++;
		return;
	}
	memcpy(h->text + h->length, item, (size_t)n + 1);
	h->length += (size_t)n;
}

/* Returns true if a link in the folder of open files leads to the device. */
static bool has_open(struct holders *h, const char *pid)
{
	char path[512], target[64];
	const struct dirent *entry;
	bool found = false;
	ssize_t n;
	DIR *dir;

	if (!cmd_machine_path(h->m, path, sizeof(path), "/proc/%s/fd", pid))
		return false;
	dir = opendir(path);
	if (!dir) {
		h->unread++;
		return false;
	}
	while (!found && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = !strncmp(target, DEVICE, strlen(DEVICE));
	}
	closedir(dir);
	return found;
}

/* Returns true if a path in the file of mappings is the device's. A path stands after a blank and begins with the line's first /. */
static bool has_mapped(const struct holders *h, const char *file)
{
	FILE *f = cmd_machine_open(h->m, file);
	const char *path;
	char line[600];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		path = strchr(line, '/');
		found = path && path > line && path[-1] == ' ' && !strncmp(path, DEVICE, strlen(DEVICE));
	}
	if (f)
		fclose(f);
	return found;
}

/* Returns true if a line of the stack is a function with a direct hook. */
static bool has_hook(const struct holders *h, const char *file)
{
	FILE *f = cmd_machine_open(h->m, file);
	char line[600];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "_call+0x") && strstr(line, "[kutrace]");
	if (f)
		fclose(f);
	return found;
}

/* Adds the threads of a process that wait in a function with a direct hook. */
static void add_hooked(struct holders *h, const char *pid)
{
	const struct dirent *entry;
	char path[512], file[128];
	DIR *dir;

	if (!cmd_machine_path(h->m, path, sizeof(path), "/proc/%s/task", pid))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "/proc/%.20s/task/%.20s/stack", pid, entry->d_name);
		if (has_hook(h, file))
			add(h, entry->d_name, ", in a call or page fault that began while recording was on");
	}
	if (dir)
		closedir(dir);
}

static void find(struct holders *h)
{
	const struct dirent *entry;
	char path[512], file[64];
	DIR *dir;

	if (!cmd_machine_path(h->m, path, sizeof(path), "/proc"))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *pid = entry->d_name;

		if (strspn(pid, "0123456789") != strlen(pid) || atol(pid) == (long)getpid())
			continue;
		snprintf(file, sizeof(file), "/proc/%.20s/maps", pid);
		if (has_open(h, pid))
			add(h, pid, ", has the device open");
		else if (has_mapped(h, file))
			add(h, pid, ", has the device mapped");
		add_hooked(h, pid);
	}
	if (dir)
		closedir(dir);
}

void cmd_check_unload(const struct cmd_machine *m, struct cmd_check *c)
{
	struct holders h = {.m = m};
	char count[32], more[100] = "";

	if (!cmd_machine_line(m, "/sys/module/kutrace/refcnt", count, sizeof(count))) {
		cmd_judge(c, CMD_GOOD, NULL, "no module to unload");
		return;
	}
	find(&h);
	if (h.more)
		snprintf(more, sizeof(more), " and %u more", h.more);
	if (h.count)
		cmd_judge(c, CMD_LIMIT, "end these, then: sudo rmmod kutrace",
			  "the module cannot be unloaded, as it is held by %s%s", h.text, more);
	else if (!strcmp(count, "0"))
		cmd_judge(c, CMD_GOOD, NULL, "nothing holds the module");
	else if (h.unread)
		cmd_judge(c, CMD_LIMIT, "sudo kutrace_control doctor",
			  "the module cannot be unloaded, and this user may not see which process "
			  "holds it");
	else
		cmd_judge(c, CMD_LIMIT, NULL,
			  "the module cannot be unloaded: %s references, of other modules or of hooked "
			  "calls without a process", count);
}
