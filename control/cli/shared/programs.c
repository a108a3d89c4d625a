// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds other programs of KUtrace. A package can install the filters in ../lib/kutrace/bin, where their names do
 * not collide with the names of other packages. Must not search the current folder.
 */
#include "cli/shared/traces.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/base.h"

bool cmd_own_folder(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size);
	char *end;

	if (n <= 0 || (size_t)n >= size)
		return false;
	path[n] = '\0';
	end = strrchr(path, '/');
	if (end)
		*end = '\0';
	return end;
}

bool cmd_find_in_path(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH"), *folder;

	for (folder = folders; folder && *folder;) {
		size_t length = strcspn(folder, ":");
		int n = snprintf(path, size, "%.*s/%s", (int)length, folder, name);

		if (length && n > 0 && (size_t)n < size && !access(path, X_OK))
			return true;
		folder += length + (folder[length] == ':');
	}
	return false;
}

bool cmd_find_program(const char *name, char *path, size_t size)
{
	static const char *const folders[] = {"", "/../lib/kutrace/bin"};
	char own[PATH_MAX];
	int n;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && cmd_own_folder(own, sizeof(own)); i++) {
		n = snprintf(path, size, "%s%s/%s", own, folders[i], name);
		if (n > 0 && (size_t)n < size && !access(path, X_OK))
			return true;
	}
	return cmd_find_in_path(name, path, size);
}

bool cmd_is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

bool cmd_find_browser(char *path, size_t size)
{
	if (cmd_is_set("BROWSER"))
		return snprintf(path, size, "%s", getenv("BROWSER")) < (int)size;
	if (!cmd_is_set("DISPLAY") && !cmd_is_set("WAYLAND_DISPLAY"))
		return false;
	return cmd_find_in_path("xdg-open", path, size) || cmd_find_in_path("x-www-browser", path, size);
}
