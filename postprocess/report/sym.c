// SPDX-License-Identifier: BSD-3-Clause
/* Finds names of addresses (report/sym.h): reads kallsyms, replaces addresses in rows. */
#include "report/sym.h"
#include "report/sym_user.h"

#include <errno.h>

#define NAME_MAX_BYTES 1024
#define KERNEL_HALF ((uint64_t)1 << 47)
/* maximum number of processes: look_up() has 16 bits for them */
#define PROCESSES_MAX 65000

struct reading {
	const char *shown;
	bool collected, skipping;	/* skipping: the maps have a heading without a pid */
	uint64_t line, lines_of_maps, left_out, first_left_out;
	struct kp_sym_process *process;	/* process of the maps; NULL: none yet */
};

static int fail(struct kp_sym *sym, const char *shown, const char *why)
{
	snprintf(sym->message, sizeof(sym->message), "%.150s: %s", shown, why);
	return -1;
}

static int by_address(const void *a, const void *b)
{
	const struct kp_sym_entry *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Adds a line "ffffffff8d000000 T _stext [module]". Returns 0, -1 (bad line), -2 (no memory). */
static int add_line(struct kp_sym *sym, char *line, bool *is_text)
{
	char *end, *name;
	uint64_t address = strtoull(line, &end, 16);
	size_t len;

	if (end == line || *end != ' ' || !end[1] || end[2] != ' ')
		return -1;
	*is_text = strchr("tTwW", end[1]) != NULL;
	name = end + 3;
	len = strcspn(name, "\t \n");
	if (!len || len > 512)
		return -1;
	if (!*is_text || !address)
		return 0;
	if (KP_ROOM(sym->kernel, sym->kernel_count, sym->kernel_cap))
		return -2;
	sym->kernel[sym->kernel_count].address = address;
	sym->kernel[sym->kernel_count].name = kp_strings_add(&sym->strings, name, len);
	return sym->kernel[sym->kernel_count++].name ? 0 : -2;
}

int kp_sym_kallsyms(struct kp_sym *sym, FILE *in, const char *shown)
{
	char line[1024], why[80];
	uint64_t number = 0, texts = 0;
	bool is_text = false;

	while (fgets(line, sizeof(line), in)) {
		int status = add_line(sym, line, &is_text);

		number++;
		if (status == -2)
			return fail(sym, shown, "no memory");
		if (status) {
			snprintf(why, sizeof(why), "line %" PRIu64 " is not a line of kallsyms", number);
			return fail(sym, shown, why);
		}
		texts += is_text;
	}
	if (ferror(in))
		return fail(sym, shown, strerror(errno));
	if (!sym->kernel_count)
		return fail(sym, shown, texts ? "all its addresses are 0; copy /proc/kallsyms as root" :
			    "it has no functions");
	qsort(sym->kernel, sym->kernel_count, sizeof(*sym->kernel), by_address);
	return 0;
}

static int parse_pids(struct kp_sym *sym, struct kp_sym_process *process, const char *text)
{
	size_t cap = 0;

	if (!strcmp(text, "all"))
		return 0;
	for (;;) {
		char *end;
		int64_t pid = strtoll(text, &end, 10);

		if (end == text || (*end && *end != ',') || pid < 0)
			return fail(sym, "--maps", "needs pids separated by commas, or all");
		if (KP_ROOM(process->pids, process->pid_count, cap))
			return fail(sym, "--maps", "no memory");
		process->pids[process->pid_count++] = pid;
		if (!*end)
			return 0;
		text = end + 1;
	}
}

/* Adds a process without maps. */
static int add_process(struct kp_sym *sym, const char *pids, struct reading *reading)
{
	struct kp_sym_process *processes = realloc(sym->processes,
						   (sym->process_count + 1) * sizeof(*processes));

	if (!processes)
		return fail(sym, reading->shown, "no memory");
	sym->processes = processes;
	if (sym->process_count == PROCESSES_MAX)
		return fail(sym, reading->shown, "too many processes");
	reading->process = &processes[sym->process_count++];
	memset(reading->process, 0, sizeof(*reading->process));
	reading->process->collected = reading->collected;
	return parse_pids(sym, reading->process, pids);
}

/*
 * Returns whether the line has the form "==== /proc/105/maps", which old scripts write before the
 * maps of each process. Sets *@pid to the pid, or to -1 for /proc/self/maps and similar. In some
 * shells, echo in these scripts writes "\n" before the line.
 */
static bool heading(const char *line, int64_t *pid)
{
	const char *end, *at = line + (strncmp(line, "\\n", 2) ? 0 : 2);
	const char *signs = at;

	while (*at == '=')
		at++;
	if (at - signs < 3 || *at != ' ')
		return false;
	at += strspn(at, " ");
	if (strncmp(at, "/proc/", 6))
		return false;
	at += 6;
	*pid = 0;
	for (end = at; *end >= '0' && *end <= '9' && end - at < 18; end++)
		*pid = *pid * 10 + (*end - '0');
	if (end > at && !strncmp(end, "/maps", 5))
		return true;
	*pid = -1;
	end = at + strcspn(at, "/\n");
	return end > at && !strncmp(end, "/maps", 5);
}

static bool has_heading(const char *text)
{
	int64_t pid;

	while (*text) {
		if (heading(text, &pid))
			return true;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

/*
 * Parses a line such as "5562a0000000-5562a0001000 r-xp 00001000 08:01 1234   /bin/cat". Returns
 * false if the line has another form.
 */
static bool parse_mapping(const char *line, struct kp_sym_mapping *mapping, const char **path)
{
	char permissions[5];
	unsigned int major, minor;
	uint64_t inode;
	int end = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &mapping->start, &mapping->end, permissions, &mapping->offset, &major, &minor,
		   &inode, &end) < 7 || !end || mapping->start >= mapping->end)
		return false;
	if (line[end] && line[end] != ' ' && line[end] != '\t')
		return false;
	*path = line + end + strspn(line + end, " \t");
	return true;
}

/* Adds a mapping to the process that is being read. Ignores memory without a file. */
static int add_mapping(struct kp_sym *sym, struct reading *reading,
		       struct kp_sym_mapping *mapping, const char *path)
{
	struct kp_sym_process *process = reading->process;

	process->has_maps = true;
	if (path[0] != '/')
		return 0;
	mapping->file = kp_sym_file(sym->files, path);
	return mapping->file < 0 || KP_APPEND(&process->mappings, *mapping) ?
		       fail(sym, reading->shown, "no memory") : 0;
}

/* Reads a line: a heading, a mapping, or another line, which is left out. */
static int on_line(struct kp_sym *sym, struct reading *reading, const char *line)
{
	struct kp_sym_mapping mapping;
	const char *path;
	char pids[24];
	int64_t pid;

	reading->line++;
	if (reading->collected && heading(line, &pid)) {
		reading->skipping = pid < 0;
		snprintf(pids, sizeof(pids), "%" PRId64, pid);
		return reading->skipping ? 0 : add_process(sym, pids, reading);
	}
	if (!line[strspn(line, " \t")])
		return 0;
	if (parse_mapping(line, &mapping, &path)) {
		reading->lines_of_maps++;
		if (reading->skipping)
			return 0;
		if (reading->process)
			return add_mapping(sym, reading, &mapping, path);
	}
	if (!reading->left_out++)
		reading->first_left_out = reading->line;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct kp_sym_mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sets the note if lines were left out. Fails if the text has no line of maps. */
static int check_lines(struct kp_sym *sym, const struct reading *reading)
{
	char why[100];

	sym->note[0] = '\0';
	if (reading->left_out && !reading->lines_of_maps && !reading->collected) {
		snprintf(why, sizeof(why), "no maps of a process: line %" PRIu64
			 " is not a line of maps", reading->first_left_out);
		return fail(sym, reading->shown, why);
	}
	if (reading->left_out == 1)
		snprintf(sym->note, sizeof(sym->note), "%.150s: left out 1 line that is no part of "
			 "a process's maps: line %" PRIu64, reading->shown,
			 reading->first_left_out);
	else if (reading->left_out)
		snprintf(sym->note, sizeof(sym->note), "%.150s: left out %" PRIu64 " lines that are "
			 "no part of a process's maps: the first is line %" PRIu64, reading->shown,
			 reading->left_out, reading->first_left_out);
	return 0;
}

static int read_lines(struct kp_sym *sym, struct reading *reading, char *text)
{
	const size_t first = sym->process_count - (reading->process != NULL);
	int status = 0;

	while (*text && !status) {
		char *end = text + strcspn(text, "\n");
		char *next = end + (*end == '\n');

		if (end > text && end[-1] == '\r')
			end--;
		*end = '\0';
		status = on_line(sym, reading, text);
		text = next;
	}
	for (size_t i = first; i < sym->process_count; i++)
		if (sym->processes[i].mappings.count)
			qsort(sym->processes[i].mappings.items, sym->processes[i].mappings.count,
			      sizeof(struct kp_sym_mapping), by_start);
	return status ? status : check_lines(sym, reading);
}

static int read_maps(struct kp_sym *sym, const char *pids, char *text, const char *shown)
{
	struct reading reading = {.shown = shown};

	if (!strncmp(text, "\xEF\xBB\xBF", 3))	/* skip a byte order mark */
		text += 3;
	reading.collected = has_heading(text);
	if (reading.collected && strcmp(pids, "all"))
		return fail(sym, shown, "maps of several processes: --maps all is for these");
	if (!reading.collected && add_process(sym, pids, &reading))
		return -1;
	return read_lines(sym, &reading, text);
}

int kp_sym_maps(struct kp_sym *sym, const char *pids, FILE *maps, const char *shown,
		const char *root, const char *debug)
{
	char *text = NULL, none[] = "", why[200] = "no memory";
	size_t cap = 0;
	ssize_t size = getdelim(&text, &cap, '\0', maps);
	int status;

	if (!sym->files)
		sym->files = kp_sym_files_new();
	if (size < 0 && ferror(maps))
		status = fail(sym, shown, strerror(errno));
	else if (size > 0 && !text[size - 1])
		status = fail(sym, shown, "no maps of a process: it has a byte 0");
	else if (!sym->files || kp_sym_files_under(sym->files, root, debug, why, sizeof(why)))
		status = fail(sym, shown, why);
	else
		status = read_maps(sym, pids, size > 0 ? text : none, shown);
	free(text);
	return status;
}

/*
 * Returns the index of the process of thread @pid, or -1. A collection (report/sym.h) has only pids
 * of processes. The pid of another thread is usually a little greater, so the thread gets the
 * process with the nearest lower pid that has maps. Kernel threads and ended processes have no
 * maps.
 */
static int64_t process_of(const struct kp_sym *sym, int64_t pid)
{
	int64_t all = -1, near = -1;

	for (size_t i = 0; i < sym->process_count; i++) {
		const struct kp_sym_process *process = &sym->processes[i];

		if (!process->pids)
			all = (int64_t)i;
		for (size_t k = 0; k < process->pid_count; k++)
			if (process->pids[k] == pid)
				return (int64_t)i;
		if (process->collected && process->has_maps && process->pids[0] < pid &&
		    pid - process->pids[0] <= KP_SYM_NEAR &&
		    (near < 0 || process->pids[0] > sym->processes[near].pids[0]))
			near = (int64_t)i;
	}
	return near >= 0 ? near : all;
}

static const struct kp_str *kernel_name(const struct kp_sym *sym, uint64_t address)
{
	size_t low;

	KP_FIND(low, sym->kernel_count, sym->kernel[low].address <= address);
	/* the end of the last function is unknown, so no address gets its name */
	return low && low < sym->kernel_count ? sym->kernel[low - 1].name : NULL;
}

/* Writes the name of an address of the process to @text. Returns false if it has no name. */
static bool user_name(struct kp_sym *sym, const struct kp_sym_process *process, uint64_t address,
		      char *text, size_t size)
{
	const struct kp_sym_mapping *mapping;
	size_t low;

	KP_FIND(low, process->mappings.count, process->mappings.items[low].start <= address);
	if (!low)
		return false;
	mapping = &process->mappings.items[low - 1];
	return address < mapping->end &&
	       kp_sym_file_name(sym->files, mapping->file,
				address - mapping->start + mapping->offset, text, size);
}

/*
 * Sets *@name to the name of an address in a process (-1: the kernel), or to NULL. Stores the name
 * for further calls. Returns 0, or -1 without memory.
 */
static int look_up(struct kp_sym *sym, uint64_t address, int64_t process,
		   const struct kp_str **name)
{
	uint64_t key = (address & (2 * KERNEL_HALF - 1)) | (uint64_t)(process + 1) << 48;
	char text[NAME_MAX_BYTES];
	uint32_t number;

	if (kp_map_get(&sym->known, key, &number)) {
		*name = sym->found[number];
		return 0;
	}
	*name = NULL;
	if (process < 0)
		*name = kernel_name(sym, address);
	else if (user_name(sym, &sym->processes[process], address, text, sizeof(text)))
		*name = kp_strings_add(&sym->strings, text, strlen(text));
	if (KP_ROOM(sym->found, sym->found_count, sym->found_cap))
		return -1;
	sym->found[sym->found_count] = *name;
	return kp_map_set(&sym->known, key, (uint32_t)sym->found_count++);
}

/* Reads the address of a PC sample, such as "PC=0123456789ab"; returns false for other rows. */
static bool sampled(const struct kp_span *span, uint64_t *address)
{
	if ((span->event != KUTRACE_PC_U && span->event != KUTRACE_PC_K) ||
	    span->name_len < 4 || span->name_len > 19 || memcmp(span->name, "PC=", 3))
		return false;
	*address = 0;
	for (size_t i = 3; i < span->name_len; i++) {
		char c = span->name[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			return false;
		*address = *address << 4 | (uint64_t)digit;
	}
	/* the name may lack the upper four digits, whose bits are ones in a kernel address */
	if (span->event == KUTRACE_PC_K && *address & KERNEL_HALF)
		*address |= ~(2 * KERNEL_HALF - 1);
	return true;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_sym *sym = self;

	return sym->next->header(sym->next->self, items, count);
}

static int on_span(void *self, const struct kp_span *span)
{
	struct kp_sym *sym = self;
	const struct kp_str *name = NULL;
	struct kp_span named = *span;
	char text[NAME_MAX_BYTES + 4];
	uint64_t address;
	int64_t process;

	if (!sampled(span, &address))
		return sym->next->span(sym->next->self, span);
	sym->samples++;
	process = span->event == KUTRACE_PC_K ? -1 : process_of(sym, span->pid);
	if ((process >= 0 || span->event == KUTRACE_PC_K) &&
	    look_up(sym, address, process, &name)) {
		snprintf(sym->message, sizeof(sym->message), "no memory");
		return -1;
	}
	if (name) {
		sym->named++;
		named.name = text;
		named.name_len = (size_t)snprintf(text, sizeof(text), "PC=%s", name->text);
	}
	return sym->next->span(sym->next->self, &named);
}

static int on_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_sym *sym = self;

	return sym->next->trailing ? sym->next->trailing(sym->next->self, items, count) : 0;
}

static int on_end(void *self)
{
	struct kp_sym *sym = self;

	return sym->next->end(sym->next->self);
}

struct kp_span_sink kp_sym_sink(struct kp_sym *sym)
{
	return (struct kp_span_sink){ on_header, on_span, on_end, sym, on_trailing };
}

void kp_sym_free(struct kp_sym *sym)
{
	for (size_t i = 0; i < sym->process_count; i++) {
		free(sym->processes[i].mappings.items);
		free(sym->processes[i].pids);
	}
	if (sym->files)
		kp_sym_files_free(sym->files);
	free(sym->processes);
	free(sym->kernel);
	free(sym->found);
	kp_strings_free(&sym->strings);
	kp_map_free(&sym->known);
}
