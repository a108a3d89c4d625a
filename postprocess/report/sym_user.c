// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the names of offsets in files, with elfutils (report/sym_user.h). Without the headers of
 * elfutils, this file is empty, and samptoname is not built. Must not run out of file descriptors,
 * because then names would be missing without a message.
 */
#if __has_include(<elfutils/libdwfl.h>)

#include "report/sym_user.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

#define OPEN_MAX_FILES	256	/* maximum number of files that are open at the same time */
/* maximum number of descriptors for one file and its debug files */
#define FILE_FDS	4
/* number of descriptors for standard input and output, and for directories */
#define OTHER_FDS	16

/* Folders in which files are searched. */
struct place {
	char *root;		/* folder below which the paths are; "": none */
	char *debug_path;
	int root_fd;
	Dwfl_Callbacks callbacks;
};

struct file {
	const struct place *place;
	const struct kp_str *path;
	Dwfl *dwfl;		/* handle of elfutils; NULL: not open */
	Dwfl_Module *module;
	uint64_t used;		/* last use: value of kp_sym_files.now */
	bool unread;		/* the file cannot be read */
};

struct kp_sym_files {
	KP_VECTOR(struct place *) places;
	KP_VECTOR(struct file) list;
	KP_VECTOR(int64_t) open;	/* numbers of the open files */
	struct kp_strings paths;
	struct kp_map by_path;		/* path and place -> index in list */
	rlim_t fd_max;			/* limit of open file descriptors */
	uint64_t now, unread;
	char first[400];		/* first file that cannot be read, and the reason */
};

struct kp_sym_files *kp_sym_files_new(void)
{
	struct kp_sym_files *files = calloc(1, sizeof(*files));
	struct rlimit limit;

	if (!files)
		return NULL;
	files->fd_max = getrlimit(RLIMIT_NOFILE, &limit) ? RLIM_INFINITY : limit.rlim_cur;
	/* do not fetch debug files from the network */
	unsetenv("DEBUGINFOD_URLS");
	return files;
}

static void free_place(struct place *place)
{
	if (place->root_fd >= 0)
		close(place->root_fd);
	free(place->debug_path);
	free(place->root);
	free(place);
}

int kp_sym_files_under(struct kp_sym_files *files, const char *root, const char *debug,
		       char *message, size_t size)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place || KP_ROOM(files->places.items, files->places.count, files->places.cap))
		goto no_memory;
	place->root_fd = -1;
	place->root = strdup(root ? root : "");
	if (!place->root || asprintf(&place->debug_path, ":.debug:/usr/lib/debug%s%s%s%s%s",
				     root ? ":" : "", root ? root : "",
				     root ? "/usr/lib/debug" : "", debug ? ":" : "",
				     debug ? debug : "") < 0) {
		place->debug_path = NULL;
		free_place(place);
		place = NULL;
		goto no_memory;
	}
	/* reuse an equal place: its files are shared; the last place is the current one */
	for (size_t i = 0; i < files->places.count; i++) {
		struct place *other = files->places.items[i];

		if (strcmp(other->root, place->root) ||
		    strcmp(other->debug_path, place->debug_path))
			continue;
		files->places.items[i] = files->places.items[files->places.count - 1];
		files->places.items[files->places.count - 1] = other;
		free_place(place);
		return 0;
	}
	if (root) {
		place->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (place->root_fd < 0) {
			snprintf(message, size, "root %.100s: %s", root, strerror(errno));
			free_place(place);
			return -1;
		}
	}
	place->callbacks.find_elf = dwfl_build_id_find_elf;
	place->callbacks.section_address = dwfl_offline_section_address;
	place->callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	place->callbacks.debuginfo_path = &place->debug_path;
	files->places.items[files->places.count++] = place;
	return 0;
no_memory:
	free(place);
	snprintf(message, size, "no memory");
	return -1;
}

int64_t kp_sym_file(struct kp_sym_files *files, const char *path)
{
	const struct place *place = files->places.items[files->places.count - 1];
	const struct kp_str *text = kp_strings_add(&files->paths, path, strlen(path));
	uint64_t key = (uint64_t)(uintptr_t)text ^ (uint64_t)(uintptr_t)place << 17;
	uint32_t number;

	if (!text)
		return -1;
	while (kp_map_get(&files->by_path, key, &number)) {
		if (files->list.items[number].path == text &&
		    files->list.items[number].place == place)
			return number;
		key++;
	}
	number = (uint32_t)files->list.count;
	if (number == UINT32_MAX || kp_map_set(&files->by_path, key, number))
		return -1;
	return KP_APPEND(&files->list, (struct file){ .place = place, .path = text }) ? -1 : (int64_t)number;
}

/* Returns whether a file must be closed before another can be opened. */
static bool is_full(const struct kp_sym_files *files)
{
	size_t count = files->open.count;

	/* each place may have a descriptor of its root */
	return count == OPEN_MAX_FILES ||
	       (count && OTHER_FDS + files->places.count + (count + 1) * FILE_FDS > files->fd_max);
}

/* Closes the least recently used file. */
static void close_oldest(struct kp_sym_files *files)
{
	size_t oldest = 0;
	struct file *file;

	for (size_t i = 1; i < files->open.count; i++)
		if (files->list.items[files->open.items[i]].used <
		    files->list.items[files->open.items[oldest]].used)
			oldest = i;
	file = &files->list.items[files->open.items[oldest]];
	dwfl_end(file->dwfl);
	file->dwfl = NULL;
	files->open.items[oldest] = files->open.items[--files->open.count];
}

/*
 * Opens the file. If the place has a root, resolves symbolic links below this folder. Returns -1
 * and sets *@why on failure.
 */
static int open_path(const struct file *file, const char **why)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	struct stat info;
	int fd;

	if (file->place->root_fd >= 0)
		fd = (int)syscall(SYS_openat2, file->place->root_fd, file->path->text, &how,
				  sizeof(how));
	else
		fd = open(file->path->text, (int)how.flags);
	if (fd < 0 || fstat(fd, &info)) {
		*why = strerror(errno);
	} else if (!S_ISREG(info.st_mode)) {
		*why = "not a regular file";
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Makes elfutils read the file. Returns NULL, or the reason of the failure. */
static const char *read_file(struct file *file)
{
	const char *why = NULL;
	char *path;
	int fd = open_path(file, &why);

	if (fd < 0)
		return why;
	if (asprintf(&path, "%s%s", file->place->root, file->path->text) < 0) {
		close(fd);
		return "no memory";
	}
	file->dwfl = dwfl_begin(&file->place->callbacks);
	if (file->dwfl)
		file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
	if (!file->dwfl || !file->module) {
		why = dwfl_errmsg(-1);
		close(fd);	/* on success, elfutils owns the descriptor */
	} else if (dwfl_report_end(file->dwfl, NULL, NULL)) {
		why = dwfl_errmsg(-1);
	}
	if (why && file->dwfl) {
		dwfl_end(file->dwfl);
		file->dwfl = NULL;
	}
	free(path);
	return why;
}

/* Opens the file if it is not open. Returns false on failure. */
static bool use_file(struct kp_sym_files *files, int64_t number)
{
	struct file *file = &files->list.items[number];
	const char *why = NULL;

	file->used = ++files->now;
	if (file->dwfl || file->unread)
		return !file->unread;
	while (is_full(files))
		close_oldest(files);
	if (KP_ROOM(files->open.items, files->open.count, files->open.cap))
		why = "no memory";
	else
		why = read_file(file);
	if (!why) {
		files->open.items[files->open.count++] = number;
		return true;
	}
	if (!files->unread++)
		snprintf(files->first, sizeof(files->first), "%.250s%.50s: %.80s",
			 file->place->root, file->path->text, why);
	file->unread = true;
	return false;
}

/*
 * Converts an offset of code in the file to an address of the module. Returns false if no segment
 * contains the offset. Prefers executable segments, because a segment of data may contain the same
 * part of the file.
 */
static bool address_of(Dwfl_Module *module, uint64_t offset, uint64_t *address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	bool found = false;
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz ||
		    (found && !(segment.p_flags & PF_X)))
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr + bias;
		found = true;
	}
	return found;
}

static void put(char *text, size_t size, const char *name)
{
	size_t len = strlen(text);

	if (name)
		snprintf(text + len, size - len, "%s%s", len ? ">" : "", name);
}

/* Appends the functions inlined at the address to @text, outermost first. */
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
	/*
	 * chain has the scopes around the inlined code; scopes has the scopes around the function's
	 * definition
	 */
	if (first < count && dwarf_tag(&scopes[first]) == DW_TAG_inlined_subroutine)
		n = dwarf_getscopes_die(&scopes[first], &chain);
	for (int i = n - 1; i >= 0; i--)
		if (dwarf_tag(&chain[i]) == DW_TAG_inlined_subroutine)
			put(text, size, dwarf_diename(&chain[i]));
	free(chain);
	free(scopes);
}

bool kp_sym_file_name(struct kp_sym_files *files, int64_t number, uint64_t offset, char *text,
		      size_t size)
{
	Dwfl_Module *module;
	uint64_t address = 0;
	const char *name;

	text[0] = '\0';
	if (!use_file(files, number))
		return false;
	module = files->list.items[number].module;
	if (!address_of(module, offset, &address))
		return false;
	name = dwfl_module_addrname(module, address);
	if (!name)
		return false;
	put(text, size, name);
	put_inlined(module, address, text, size);
	return true;
}

uint64_t kp_sym_files_unread(const struct kp_sym_files *files, const char **first)
{
	*first = files->first;
	return files->unread;
}

void kp_sym_files_free(struct kp_sym_files *files)
{
	while (files->open.count)
		close_oldest(files);
	for (size_t i = 0; i < files->places.count; i++)
		free_place(files->places.items[i]);
	free(files->places.items);
	free(files->list.items);
	free(files->open.items);
	kp_strings_free(&files->paths);
	kp_map_free(&files->by_path);
	free(files);
}

#else
/* ISO C does not allow an empty file. */
extern int kp_sym_user_is_not_built;
#endif
