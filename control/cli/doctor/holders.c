// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names the processes that prevent unloading of the module. Must not need more privileges than
 * the user has: files that the user may not read are reported as such.
 */
#include <dirent.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/doctor/doctor.h"

#define DEVICE	"/dev/kutrace/"
#define OPEN	", has the device open"
#define MAPPED	", has the device mapped"

struct holders {
	const struct cmd_machine *m;
	char text[340];
	size_t length;
	/* number of processes; more: number of processes that did not fit into text */
	unsigned int count, more;
	/* number of folders of open files that this user may not read */
	unsigned int unread;
	unsigned int reads;		/* number of reads so far, at most m->reads_max */
	bool cut;			/* the search needed more reads than the limit */
};

static void add(struct holders *h, const char *pid, const char *how)
{
	char file[64], name[32] = "?", shown[32], item[160];
	int n;

	snprintf(file, sizeof(file), "/proc/%.20s/comm", pid);
	cmd_machine_line(h->m, file, name, sizeof(name));
	n = snprintf(item, sizeof(item), "%s%.20s (%.16s%s)", h->count ? ", " : "", pid,
		     cmd_printable(name, shown, sizeof(shown)), how);
	h->count++;
	if (n < 0 || (size_t)n >= sizeof(h->text) - h->length) {
		h->more++;
		return;
	}
	memcpy(h->text + h->length, item, (size_t)n + 1);
	h->length += (size_t)n;
}

/* Counts one read. Returns false if the limit is reached. */
static bool may_read(struct holders *h)
{
	if (h->reads == h->m->reads_max)
		h->cut = true;
	else
		h->reads++;
	return !h->cut;
}

/* Returns whether a link in the folder of open files leads to the device. */
static bool has_open(struct holders *h, const char *folder)
{
	char path[512], target[64];
	const struct dirent *entry;
	bool found = false;
	ssize_t n;
	DIR *dir;

	if (!may_read(h) || !cmd_machine_path(h->m, path, sizeof(path), "%s/fd", folder))
		return false;
	dir = opendir(path);
	if (!dir) {
		h->unread += errno != ENOENT;	/* the process or thread may have ended */
		return false;
	}
	while (!found && (entry = readdir(dir)) && may_read(h)) {
		n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = !strncmp(target, DEVICE, strlen(DEVICE));
	}
	closedir(dir);
	return found;
}

/*
 * Returns whether a path in the process's file of mappings is the device's. In a line, a path
 * follows a blank and begins with the line's first /.
 */
static bool has_mapped(struct holders *h, const char *folder)
{
	char file[80], line[600];
	const char *path;
	bool found = false;
	FILE *f;

	snprintf(file, sizeof(file), "%s/maps", folder);
	f = may_read(h) ? cmd_machine_open(h->m, file) : NULL;
	while (f && !found && fgets(line, sizeof(line), f) && may_read(h)) {
		path = strchr(line, '/');
		found = path && path > line && path[-1] == ' ' && !strncmp(path, DEVICE, strlen(DEVICE));
	}
	if (f)
		fclose(f);
	return found;
}

/* Returns whether the thread's kernel stack contains a function with a direct hook. */
static bool has_hook(struct holders *h, const char *folder)
{
	char file[80], line[600];
	bool found = false;
	FILE *f;

	snprintf(file, sizeof(file), "%s/stack", folder);
	f = may_read(h) ? cmd_machine_open(h->m, file) : NULL;
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "_call+0x") && strstr(line, "[kutrace]");
	if (f)
		fclose(f);
	return found;
}

static bool add_if(struct holders *h, bool found, const char *pid, const char *how)
{
	if (found)
		add(h, pid, how);
	return found;
}

/*
 * Returns whether @tid shares its files or memory with @first or @last, as the kernel reports.
 * Returns false also if the kernel refuses to compare.
 */
static bool is_shared(int type, long tid, long first, long last)
{
	return !syscall(SYS_kcmp, first, tid, type, 0, 0) ||
	       (last != first && !syscall(SYS_kcmp, last, tid, type, 0, 0));
}

/*
 * Adds the threads of a process that wait in a function with a direct hook. Unless @is_added, adds
 * the process if one of its threads has the device open or mapped. It checks all threads, because a
 * thread can have its own files, and a first thread that has ended has neither files nor memory.
 *
 * If a thread shares its files or memory with the first thread, or with the thread that was read
 * last, does not read them again.
 */
static void add_threads(struct holders *h, const char *pid, bool is_added)
{
	const struct dirent *entry;
	char path[512], folder[64];
	const long first = atol(pid);
	long files = first, memory = first;
	DIR *dir;

	if (!cmd_machine_path(h->m, path, sizeof(path), "/proc/%s/task", pid))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && !h->cut) {
		const long tid = atol(entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof(folder), "/proc/%.20s/task/%.20s", pid, entry->d_name);
		if (has_hook(h, folder))
			add(h, entry->d_name, ", in a call or page fault that began while recording was on");
		if (!is_added && !is_shared(KCMP_FILES, tid, first, files)) {
			files = tid;
			is_added = add_if(h, has_open(h, folder), pid, OPEN);
		}
		if (!is_added && !is_shared(KCMP_VM, tid, first, memory)) {
			memory = tid;
			is_added = add_if(h, has_mapped(h, folder), pid, MAPPED);
		}
	}
	if (dir)
		closedir(dir);
}

static void find(struct holders *h)
{
	const struct dirent *entry;
	char path[512], folder[64];
	DIR *dir;

	if (!cmd_machine_path(h->m, path, sizeof(path), "/proc"))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && !h->cut) {
		const char *pid = entry->d_name;

		if (strspn(pid, "0123456789") != strlen(pid) || atol(pid) == (long)getpid())
			continue;
		snprintf(folder, sizeof(folder), "/proc/%.20s", pid);
		add_threads(h, pid, add_if(h, has_open(h, folder), pid, OPEN) ||
				    add_if(h, has_mapped(h, folder), pid, MAPPED));
	}
	if (dir)
		closedir(dir);
}

void cmd_check_unload(const struct cmd_machine *m, struct cmd_check *c)
{
	struct holders h = {.m = m};
	char count[32], more[32] = "", cut[64] = "";

	if (!cmd_machine_line(m, "/sys/module/kutrace/refcnt", count, sizeof(count))) {
		cmd_judge(c, CMD_GOOD, NULL, "no module to unload");
		return;
	}
	find(&h);
	if (h.more)
		snprintf(more, sizeof(more), " and %u more", h.more);
	if (h.cut)
		snprintf(cut, sizeof(cut), "; the search ended after %u reads", h.reads);
	if (h.count)
		cmd_judge(c, CMD_LIMIT, "end these, then: sudo rmmod kutrace",
			  "the module cannot be unloaded, as it is held by %s%s%s", h.text, more, cut);
	else if (!strcmp(count, "0"))
		cmd_judge(c, CMD_GOOD, NULL, "nothing holds the module");
	else if (h.cut)
		cmd_judge(c, CMD_LIMIT, NULL, "the module cannot be unloaded; its holder is not known%s", cut);
	else if (h.unread)
		cmd_judge(c, CMD_LIMIT, "sudo kutrace_control doctor",
			  "the module cannot be unloaded, and this user may not see which process "
			  "holds it");
	else
		cmd_judge(c, CMD_LIMIT, NULL,
			  "the module cannot be unloaded: %s references, from other modules or from "
			  "hooked calls whose process was not found", count);
}
