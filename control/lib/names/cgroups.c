// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names of the cgroups that have tasks in the trace, or a quota of CPU time: "/web",
 * "/pod (20 ms of 100 ms)". Only cgroups of version 2 that exist now have names.
 */
#include "lib/names/sources.h"

#include <dirent.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "kutrace_quota.h"

#define ROOT		"/sys/fs/cgroup"
#define DEPTH_MAX	16	/* deeper cgroups have no name */
#define TIME_MAX	24

/* Writes a time as "20 ms" or "1500 us". */
static const char *time_text(unsigned long us, char text[TIME_MAX])
{
	snprintf(text, TIME_MAX, us % 1000 ? "%lu us" : "%lu ms", us % 1000 ? us : us / 1000);
	return text;
}

/* Returns whether the cgroup in the folder @path has a quota, and reads it, in us. */
static bool read_quota(const char *path, unsigned long *quota, unsigned long *period)
{
	char file[PATH_MAX];
	bool has;
	FILE *f;

	if (snprintf(file, sizeof(file), "%s/cpu.max", path) >= (int)sizeof(file))
		return false;
	f = fopen(file, "re");
	if (!f)
		return false;
	has = fscanf(f, "%19lu %19lu", quota, period) == 2;	/* not for "max" */
	fclose(f);
	return has;
}

/* Low bits of the ids of the cgroups to which tasks of the trace belong, in order. */
struct used {
	uint32_t *ids;
	size_t count, room;
};

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Adds the cgroups in the identities of @names. */
static int use(struct used *used, const struct ku_name_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct ku_name *name = &names->list[i];
		char text[KUTRACE_NAME_MAX_BYTES + 1];
		const char *field;
		uint32_t *bigger;

		if (name->base != KUTRACE_NAME_TASK)
			continue;
		memcpy(text, name->text, name->length);
		text[name->length] = '\0';
		field = strstr(text, " c");
		if (!field)
			continue;
		if (used->count == used->room) {
			used->room = used->room ? used->room * 2 : 64;
			bigger = realloc(used->ids, used->room * sizeof(*bigger));
			if (!bigger)
				return -ENOMEM;
			used->ids = bigger;
		}
		used->ids[used->count++] = (uint32_t)strtoul(field + 2, NULL, 16) & KUTRACE_QUOTA_CGROUP;
	}
	return 0;
}

static bool is_used(const struct used *used, uint32_t id)
{
	id &= KUTRACE_QUOTA_CGROUP;
	return used->count && bsearch(&id, used->ids, used->count, sizeof(id), compare);
}

/*
 * Adds the name of the cgroup. If the name is too long, the beginning of the path is left out, and
 * the whole name is added in parts (KUTRACE_QUOTA_PART).
 */
static int add_name(struct ku_name_list *names, const char *path, uint32_t id, const char *limit)
{
	char text[PATH_MAX + 2 * TIME_MAX + 8];
	size_t room = KUTRACE_NAME_MAX_BYTES - strlen(limit), all = strlen(path), len;
	int ret;

	id &= KUTRACE_QUOTA_CGROUP;
	if (all > room)
		snprintf(text, sizeof(text), "...%s%s", path + all - (room - 3), limit);
	else
		snprintf(text, sizeof(text), "%s%s", path, limit);
	ret = ku_names_add(names, KUTRACE_NAME_CGROUP, id, text, strlen(text));
	if (all <= room)
		return ret;
	snprintf(text, sizeof(text), "%s%s", path, limit);
	len = strlen(text);
	for (size_t at = 0; at < len && !ret; at += KUTRACE_NAME_MAX_BYTES)
		ret = ku_names_add(names, KUTRACE_NAME_CGROUP,
				   id | KUTRACE_QUOTA_PART((uint32_t)(at / KUTRACE_NAME_MAX_BYTES) + 1),
				   text + at, len - at);
	return ret;
}

/* Returns whether @path is in the hierarchy of version 2. Other hierarchies use the same ids. */
static bool is_version_2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Adds the name of the cgroup in the folder @path, if it has a quota or tasks of the trace. */
static int add_group(struct ku_name_list *names, const char *path, const struct used *used)
{
	char limit[2 * TIME_MAX + 8] = "", a[TIME_MAX], b[TIME_MAX];
	const char *below = path[sizeof(ROOT) - 1] ? path + sizeof(ROOT) - 1 : "/";
	unsigned long quota, period;
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (read_quota(path, &quota, &period))
		snprintf(limit, sizeof(limit), " (%s of %s)", time_text(quota, a), time_text(period, b));
	else if (!is_used(used, (uint32_t)st.st_ino) || !is_version_2(path))
		return 0;
	return add_name(names, below, (uint32_t)st.st_ino, limit);
}

static int add_below(struct ku_name_list *names, const char *path, const struct used *used, int depth)
{
	DIR *dir = depth < DEPTH_MAX ? opendir(path) : NULL;
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		char below[PATH_MAX];

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below))
			continue;
		ret = add_group(names, below, used);
		ret = ret ?: add_below(names, below, used, depth + 1);
	}
	closedir(dir);
	return ret;
}

int ku_names_cgroups(struct ku_name_list *names, const struct ku_name_list *late)
{
	struct used used = { .count = 0 };
	int ret = use(&used, names);

	ret = ret ?: use(&used, late);
	if (used.count)
		qsort(used.ids, used.count, sizeof(*used.ids), compare);
	ret = ret ?: add_group(names, ROOT, &used);
	ret = ret ?: add_below(names, ROOT, &used, 0);
	free(used.ids);
	return ret;
}
