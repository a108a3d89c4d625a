// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognises containers, WSL and virtual machines by their usual signs. Must not need more privileges
 * than the user has: a sign that cannot be read counts as absent.
 */
#include "cli/doctor/doctor.h"

#include <string.h>

bool cmd_has_word(const char *line, const char *word)
{
	size_t length = strlen(word);
	const char *at = line;

	while ((at = strstr(at, word))) {
		if ((at == line || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

/* Returns whether a line of the file contains the text. */
static bool file_contains(const struct cmd_machine *m, const char *file, const char *text)
{
	FILE *f = cmd_machine_open(m, file);
	bool found = false;
	char line[4096];

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	if (f)
		fclose(f);
	return found;
}

bool cmd_machine_wsl(const struct cmd_machine *m)
{
	return strstr(m->release, "icrosoft") || strstr(m->release, "WSL");
}

bool cmd_machine_virtual(const struct cmd_machine *m)
{
	return file_contains(m, "/proc/cpuinfo", " hypervisor");
}

bool cmd_machine_booted_with(const struct cmd_machine *m, const char *word)
{
	char line[4096];

	return cmd_machine_line(m, "/proc/cmdline", line, sizeof(line)) && cmd_has_word(line, word);
}

/* Reads the variable container= in the environment of the first process, which root may read. */
static bool container_of_init(const struct cmd_machine *m, char *name, size_t size)
{
	char text[4096], *at;
	FILE *f = cmd_machine_open(m, "/proc/1/environ");
	size_t length = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[length] = '\0';
	for (at = text; at < text + length; at += strlen(at) + 1)
		if (!strncmp(at, "container=", 10) && at[10]) {
			snprintf(name, size, "%s", at + 10);
			return true;
		}
	return false;
}

bool cmd_machine_container(const struct cmd_machine *m, char *name, size_t size)
{
	static const struct {
		const char *file, *text, *name;		/* text NULL: the file exists */
	} signs[] = {
		{"/.dockerenv", NULL, "Docker"},
		{"/run/.containerenv", NULL, "Podman"},
		{"/proc/self/mountinfo", "/kubelet/pods/", "Kubernetes"},
		{"/proc/self/mountinfo", "/docker/containers/", "Docker"},
		{"/proc/1/cgroup", "/kubepods", "Kubernetes"},
		{"/proc/1/cgroup", "/docker/", "Docker"},
		{"/proc/1/cgroup", "/libpod", "Podman"},
		{"/proc/1/cgroup", "/lxc", "LXC"},
	};

	/* systemd writes "wsl" there in WSL */
	if (cmd_machine_wsl(m))
		return false;
	if (cmd_machine_line(m, "/run/systemd/container", name, size) && *name)
		return true;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].text ? file_contains(m, signs[i].file, signs[i].text) :
				    cmd_machine_has(m, signs[i].file)) {
			snprintf(name, size, "%s", signs[i].name);
			return true;
		}
	return container_of_init(m, name, size);
}
