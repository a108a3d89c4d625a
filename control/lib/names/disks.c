// SPDX-License-Identifier: BSD-3-Clause
/* Names of the disks that exist now, such as "vda", by their device numbers. */
#include "lib/names/sources.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>

#include "kutrace_disk.h"

#define ROOT		"/sys/block"
#define DISKS_MAX	4096	/* more disks have no name */

/* Reads the device number of a disk. Returns false if there is none. */
static bool read_device(const char *disk, uint32_t *device)
{
	unsigned int major, minor;
	char file[PATH_MAX];
	bool has;
	FILE *f;

	if (snprintf(file, sizeof(file), ROOT "/%s/dev", disk) >= (int)sizeof(file))
		return false;
	f = fopen(file, "re");
	if (!f)
		return false;
	has = fscanf(f, "%9u:%9u", &major, &minor) == 2;
	fclose(f);
	*device = major << KUTRACE_DISK_MAJOR_SHIFT | minor;
	return has;
}

int ku_names_disks(struct ku_name_list *names)
{
	DIR *dir = opendir(ROOT);
	struct dirent *entry;
	int count = 0, ret = 0;
	uint32_t device;

	if (!dir)
		return 0;
	while (!ret && count < DISKS_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !read_device(entry->d_name, &device))
			continue;
		count++;
		ret = ku_names_add(names, KUTRACE_NAME_DISKNAME, device, entry->d_name, strlen(entry->d_name));
	}
	closedir(dir);
	return ret;
}
