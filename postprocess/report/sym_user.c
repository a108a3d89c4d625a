// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the names of addresses of programs, with elfutils (report/sym_user.h). If the headers of
 * elfutils are not installed, this file is empty and samptoname is not built.
 */
#if __has_include(<elfutils/libdwfl.h>)

#include "report/sym_user.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kp_sym_user {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	char *debug_path;
	char *root;		/* "": none */
	int root_fd;
};

/* The user of the present lookup. Callbacks do not get it, and there is one lookup at a time. */
static const struct kp_sym_user *current;

/* Opens the file of a map. Even its absolute symbolic links are resolved below the root. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[PATH_MAX];
	struct stat info;
	int fd;

	(void)module;
	(void)userdata;
	(void)base;
	*elf = NULL;
	if (name[0] != '/' ||
	    snprintf(path, sizeof(path), "%s%s", current->root, name) >= (int)sizeof(path))
		return -1;
	if (current->root_fd >= 0)
		fd = (int)syscall(SYS_openat2, current->root_fd, name, &how, sizeof(how));
	else
		fd = open(name, (int)how.flags);
	if (fd < 0)
		return -1;
	if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
		close(fd);
		return -1;
	}
	*file_name = strdup(path);
	return fd;
}

struct kp_sym_user *kp_sym_user_open(FILE *maps, const char *root, const char *debug,
				     char *message, size_t size)
{
	struct kp_sym_user *user = calloc(1, sizeof(*user));
	int status;

	if (!user) {
		snprintf(message, size, "no memory");
		return NULL;
	}
	user->root_fd = -1;
	user->root = strdup(root ? root : "");
	if (!user->root || asprintf(&user->debug_path, ":.debug:/usr/lib/debug%s%s%s%s%s",
				    root ? ":" : "", root ? root : "",
				    root ? "/usr/lib/debug" : "", debug ? ":" : "",
				    debug ? debug : "") < 0) {
		user->debug_path = NULL;
		snprintf(message, size, "no memory");
		goto bad;
	}
	if (root) {
		user->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (user->root_fd < 0) {
			snprintf(message, size, "root %.100s: %s", root, strerror(errno));
			goto bad;
		}
	}
	user->callbacks.find_elf = find_elf;
	user->callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	user->callbacks.debuginfo_path = &user->debug_path;
	/* find separate debug files only on the disk */
	unsetenv("DEBUGINFOD_URLS");
	current = user;
	user->dwfl = dwfl_begin(&user->callbacks);
	if (!user->dwfl) {
		snprintf(message, size, "%s", dwfl_errmsg(-1));
		goto bad;
	}
	status = dwfl_linux_proc_maps_report(user->dwfl, maps);
	if (status || dwfl_report_end(user->dwfl, NULL, NULL)) {
		snprintf(message, size, "no maps of a process: %s",
			 status > 0 ? strerror(status) : dwfl_errmsg(-1));
		goto bad;
	}
	return user;
bad:
	kp_sym_user_close(user);
	return NULL;
}

static void put(char *text, size_t size, const char *name)
{
	size_t len = strlen(text);

	if (name)
		snprintf(text + len, size - len, "%s%s", len ? ">" : "", name);
}

/* Appends the functions that are inlined at the address to @text, outermost first. */
static void put_inlined(Dwfl_Module *module, uint64_t address, char *text, size_t size)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	int count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
	int first = 0, n = 0;

	while (first < count && dwarf_tag(&scopes[first]) != DW_TAG_inlined_subroutine &&
	       dwarf_tag(&scopes[first]) != DW_TAG_subprogram)
		first++;
	/* the scopes around it in the machine code, not those around its definition */
	if (first < count && dwarf_tag(&scopes[first]) == DW_TAG_inlined_subroutine)
		n = dwarf_getscopes_die(&scopes[first], &chain);
	for (int i = n - 1; i >= 0; i--)
		if (dwarf_tag(&chain[i]) == DW_TAG_inlined_subroutine)
			put(text, size, dwarf_diename(&chain[i]));
	free(chain);
	free(scopes);
}

bool kp_sym_user_name(struct kp_sym_user *user, uint64_t address, char *text, size_t size)
{
	Dwfl_Module *module;
	const char *name;

	current = user;
	text[0] = '\0';
	module = dwfl_addrmodule(user->dwfl, address);
	if (!module)
		return false;
	name = dwfl_module_addrname(module, address);
	if (!name)
		return false;
	put(text, size, name);
	put_inlined(module, address, text, size);
	return true;
}

void kp_sym_user_close(struct kp_sym_user *user)
{
	if (user->dwfl)
		dwfl_end(user->dwfl);
	if (user->root_fd >= 0)
		close(user->root_fd);
	free(user->debug_path);
	free(user->root);
	free(user);
}

#else
/* ISO C does not allow an empty file. */
extern int kp_sym_user_is_not_built;
#endif
