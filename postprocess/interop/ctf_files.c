// SPDX-License-Identifier: BSD-3-Clause
/* Reads folders and archives (interop/ctf.h). Must only create files in its temporary folder. */
#include "interop/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"

#define FOLDERS_DEEP	8
#define FILES_MAX	100000
#define TAR_BLOCK	512u
#define TAR_NAME_MAX	4096u
#define COPY_BYTES	(64u << 10)

#define fail(files, ...)	kp_message((files)->message, sizeof((files)->message), __VA_ARGS__)

/* Adds a file, which takes over @name and @path. Frees both after an error. */
static int add(struct kp_ctf_files *files, char *name, char *path, uint64_t offset, uint64_t bytes)
{
	struct kp_ctf_file *file = NULL;

	if (!name || (!path && !files->archive))
		fail(files, "no memory");
	else if (files->list.count == FILES_MAX)
		fail(files, "more than %d files", FILES_MAX);
	else
		file = KP_PUSH(&files->list);
	if (!file) {
		free(name);
		free(path);
		return files->message[0] ? -1 : fail(files, "no memory");
	}
	*file = (struct kp_ctf_file){ name, path, offset, bytes };
	return 0;
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool is_metadata(const struct kp_ctf_file *file)
{
	return !strcmp(last_part(file->name), "metadata");
}

/*
 * Returns true for "a/b/kernel/metadata". In an LTTng session, the folder kernel has the trace of
 * the kernel, and other folders have traces of programs.
 */
static bool is_kernels(const struct kp_ctf_file *file)
{
	return !strcmp(file->name, "kernel/metadata") || !fnmatch("*/kernel/metadata", file->name, 0);
}

static int by_name(const void *a, const void *b)
{
	const struct kp_ctf_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void forget(struct kp_ctf_file *file)
{
	free(file->name);
	free(file->path);
}

/*
 * Removes all files from the list, except the metadata and the files in the same folder that are
 * neither empty nor hidden. The metadata becomes the first file.
 */
static void keep_beside(struct kp_ctf_files *files, size_t metadata)
{
	char *folder = kp_allocated(strdup(files->list.items[metadata].name));
	struct kp_ctf_file *items = files->list.items, first;
	const size_t len = folder ? (size_t)(last_part(folder) - folder) : 0;
	size_t i, kept = 1;

	first = items[metadata];
	items[metadata] = items[0];
	items[0] = first;
	for (i = 1; i < files->list.count; i++) {
		if (folder && !strncmp(items[i].name, folder, len) && !strchr(items[i].name + len, '/') &&
		    items[i].name[len] != '.' && items[i].bytes)
			items[kept++] = items[i];
		else
			forget(&items[i]);
	}
	files->list.count = kept;
	for (i = 0; i < kept; i++)
		memmove(items[i].name, items[i].name + len, strlen(items[i].name + len) + 1);
	free(folder);
	qsort(items + 1, kept - 1, sizeof(*items), by_name);
}

static int choose(struct kp_ctf_files *files, const char *shown)
{
	size_t i, found = 0, kernels = 0, one = 0, kernel = 0;

	if (files->list.count)
		qsort(files->list.items, files->list.count, sizeof(*files->list.items), by_name);
	for (i = 0; i < files->list.count; i++) {
		if (!is_metadata(&files->list.items[i]))
			continue;
		if (!found++)
			one = i;
		if (is_kernels(&files->list.items[i]) && !kernels++)
			kernel = i;
	}
	if (!found)
		return fail(files, "%s: not a CTF trace: no file metadata in it", shown);
	if (found > 1 && kernels != 1)
		return fail(files, "%s: %zu traces in it, such as %s; name the folder of one", shown, found,
			    files->list.items[one].name);
	keep_beside(files, found > 1 ? kernel : one);
	return kp_memory_failed() ? fail(files, "no memory") : 0;
}

static int list(struct kp_ctf_files *files, const char *path, const char *name, int deep)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return fail(files, "cannot read %s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir))) {
		char *inner_path = NULL, *inner_name = NULL;
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&inner_path, "%s/%s", path, entry->d_name) < 0)
			inner_path = NULL;
		if (asprintf(&inner_name, "%s%s%s", name, *name ? "/" : "", entry->d_name) < 0)
			inner_name = NULL;
		if (!inner_path || !inner_name) {
			err = fail(files, "no memory");
		} else if (stat(inner_path, &st)) {
			err = fail(files, "cannot read %s: %s", inner_path, strerror(errno));
		} else if (S_ISREG(st.st_mode)) {
			err = add(files, inner_name, inner_path, 0, (uint64_t)st.st_size);
			continue;
		} else if (S_ISDIR(st.st_mode) && deep < FOLDERS_DEEP) {
			err = list(files, inner_path, inner_name, deep + 1);
		}
		free(inner_path);
		free(inner_name);
	}
	closedir(dir);
	return err;
}

int kp_ctf_files_folder(struct kp_ctf_files *files, const char *path)
{
	memset(files, 0, sizeof(*files));
	if (list(files, path, "", 0) || choose(files, path))
		return -1;
	if (!realpath(files->list.items[0].path, files->folder))
		return fail(files, "cannot read %s: %s", files->list.items[0].path, strerror(errno));
	*strrchr(files->folder, '/') = '\0';
	for (size_t i = 0; i < files->list.count; i++)
		kp_record_input(files->list.items[i].path);
	return 0;
}

static uint64_t tar_number(const uint8_t *p, size_t len)
{
	uint64_t number = 0;
	size_t i;

	/* a binary number, as tar writes numbers that are too large for octal digits */
	if (*p & 0x80) {
		for (i = len - 8; i < len; i++)
			number = number << 8 | p[i];
		return number;
	}
	for (i = 0; i < len && p[i] == ' '; i++)
		;
	for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
		number = number << 3 | (p[i] - '0');
	return number;
}

static bool is_header(const uint8_t *block)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : block[i];
	return block[0] && sum == tar_number(block + 148, 8);
}

static int read_archive(struct kp_ctf_files *files, uint64_t offset, void *bytes, size_t len)
{
	char *p = bytes;

	while (len) {
		ssize_t got = pread(fileno(files->archive), p, len, (off_t)offset);

		if (got < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (got <= 0)
			return fail(files, "cannot read the archive: %s",
				    got ? strerror(errno) : "it is cut off");
		p += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

/* Copies the name of the next file from a pax header, such as "17 path=a/channel\n". */
static void take_pax(const char *text, size_t len, char *name)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		char *rest;
		const unsigned long all = strtoul(p, &rest, 10);
		const size_t used = (size_t)(rest - p);

		if (all <= used + 1 || all > (size_t)(end - p))
			return;
		if (all > used + 7 && !strncmp(rest, " path=", 6))
			snprintf(name, TAR_NAME_MAX + 1, "%.*s", (int)(all - used - 7), rest + 6);
		p += all;
	}
}

/* Copies a long name to @name, from the member of kind L or x that precedes its file. */
static int take_name(struct kp_ctf_files *files, char kind, uint64_t offset, uint64_t bytes, char *name)
{
	char text[TAR_NAME_MAX + 1];

	if (bytes > TAR_NAME_MAX)
		return fail(files, "a name in the archive is too long");
	if (read_archive(files, offset, text, (size_t)bytes))
		return -1;
	text[bytes] = '\0';
	if (kind == 'x')
		take_pax(text, (size_t)bytes, name);
	else
		snprintf(name, TAR_NAME_MAX + 1, "%s", text);
	return 0;
}

static char *member_name(const uint8_t *block, const char *longer)
{
	char *name = NULL;

	if (*longer)
		return strdup(longer);
	if (!memcmp(block + 257, "ustar", 5) && block[345] && block[262] == '\0' &&
	    asprintf(&name, "%.155s/%.100s", (const char *)block + 345, (const char *)block) >= 0)
		return name;
	return strndup((const char *)block, 100);
}

/* Sets a message with the format of the file, if it is known. Returns -1. */
static int no_archive(struct kp_ctf_files *files, uint64_t size, const char *shown)
{
	char first[TAR_BLOCK];
	const size_t len = size < sizeof(first) ? (size_t)size : sizeof(first);
	const char *what;

	if (read_archive(files, 0, first, len))
		return -1;
	what = kp_other_format(first, len, KP_FORMAT_TAR);
	if (what)
		return fail(files, "%s: not an archive (tar) of a CTF trace, but %s", shown, what);
	return fail(files, "%s: not an archive (tar) of a CTF trace", shown);
}

/* Finds the files of the trace. Returns 0, or -1 with files->message. */
static int read_members(struct kp_ctf_files *files, const char *shown)
{
	char longer[TAR_NAME_MAX + 1] = "";
	uint8_t block[TAR_BLOCK];
	uint64_t at = 0, bytes, size;
	struct stat st;

	if (fstat(fileno(files->archive), &st))
		return fail(files, "cannot read %s: %s", shown, strerror(errno));
	size = (uint64_t)st.st_size;
	if (!size)
		return fail(files, "%s: empty, not an archive of a CTF trace", shown);
	for (;; at += TAR_BLOCK + ((bytes + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1))) {
		if (size < TAR_BLOCK || at > size - TAR_BLOCK)
			return at ? fail(files, "%s: the archive is cut off: its end is missing", shown) :
				    no_archive(files, size, shown);
		if (read_archive(files, at, block, sizeof(block)))
			return -1;
		if (!block[0] && at)
			return choose(files, shown);
		if (!is_header(block) && !at)
			return no_archive(files, size, shown);
		if (!is_header(block))
			return fail(files, "%s: the archive is damaged at byte %llu", shown,
				    (unsigned long long)at);
		bytes = tar_number(block + 124, 12);
		if (bytes > size - at - TAR_BLOCK)
			return fail(files, "%s: the archive is cut off in a file", shown);
		if (block[156] == 'L' || block[156] == 'x') {
			if (take_name(files, (char)block[156], at + TAR_BLOCK, bytes, longer))
				return -1;
			continue;
		}
		if ((block[156] == '0' || !block[156]) &&
		    add(files, member_name(block, longer), NULL, at + TAR_BLOCK, bytes))
			return -1;
		longer[0] = '\0';
	}
}

static char unpacked[PATH_MAX];		/* path of the temporary folder; "": none */

static void remove_unpacked(void)
{
	DIR *dir = *unpacked ? opendir(unpacked) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (*unpacked)
		rmdir(unpacked);
	*unpacked = '\0';
}

static int make_folder(struct kp_ctf_files *files)
{
	static bool at_exit;
	const char *in = getenv("TMPDIR");

	if (!at_exit && atexit(remove_unpacked))
		return fail(files, "no memory");
	at_exit = true;
	remove_unpacked();
	if (snprintf(files->folder, sizeof(files->folder), "%s/kutrace.XXXXXX", in && *in ? in : "/tmp") >=
	    (int)sizeof(files->folder))
		return fail(files, "cannot create a temporary file: %s", strerror(ENAMETOOLONG));
	if (!mkdtemp(files->folder) || !realpath(files->folder, unpacked))
		return fail(files, "cannot create a temporary file: %s%s", strerror(errno), kp_temp_remedy(errno));
	strcpy(files->folder, unpacked);
	return 0;
}

static int copy(struct kp_ctf_files *files, const struct kp_ctf_file *file, int to)
{
	char buffer[COPY_BYTES];
	uint64_t at, len;
	ssize_t written;

	for (at = 0; at < file->bytes; at += (uint64_t)written) {
		len = file->bytes - at < COPY_BYTES ? file->bytes - at : COPY_BYTES;
		if (kp_interrupted())
			return fail(files, "interrupted");
		if (read_archive(files, file->offset + at, buffer, (size_t)len))
			return -1;
		kp_progress(file->offset + at, 0);
		written = write(to, buffer, (size_t)len);
		if (written < 0)
			return fail(files, "cannot write a temporary copy of %s: %s%s", file->name, strerror(errno),
				    kp_temp_remedy(errno));
	}
	return 0;
}

/* Unpacks one file. keep_beside() ensures that its name has no / and does not begin with a dot. */
static int unpack(struct kp_ctf_files *files, const struct kp_ctf_file *file, int folder)
{
	const int to = openat(folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err;

	if (to < 0)
		return fail(files, "cannot write a temporary copy of %s: %s%s", file->name, strerror(errno),
			    kp_temp_remedy(errno));
	err = copy(files, file, to);
	close(to);
	return err;
}

static int unpack_all(struct kp_ctf_files *files)
{
	int folder, err = 0;

	if (make_folder(files))
		return -1;
	folder = open(files->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return fail(files, "cannot read %s: %s", files->folder, strerror(errno));
	kp_progress_phase("unpacking", NULL);
	for (size_t i = 0; i < files->list.count && !err; i++)
		err = unpack(files, &files->list.items[i], folder);
	close(folder);
	return err;
}

int kp_ctf_files_archive(struct kp_ctf_files *files, FILE *archive, const char *shown)
{
	memset(files, 0, sizeof(*files));
	files->archive = archive;
	return read_members(files, shown) || unpack_all(files) ? -1 : 0;
}

void kp_ctf_files_close(struct kp_ctf_files *files)
{
	for (size_t i = 0; i < files->list.count; i++)
		forget(&files->list.items[i]);
	free(files->list.items);
	if (files->archive) {
		remove_unpacked();
		fclose(files->archive);
	}
	memset(files, 0, sizeof(*files));
}
