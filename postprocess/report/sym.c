// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the names of addresses (report/sym.h): reads kallsyms, and replaces addresses in rows.
 */
#include "report/sym.h"
#include "report/sym_user.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "kutrace_events.h"

#define NAME_MAX_BYTES 1024
#define KERNEL_HALF ((uint64_t)1 << 47)
#define PROCESSES_MAX 65000	/* look_up() has 16 bits for them */

/* Where maps come from. */
struct from {
	const char *shown, *root, *debug;
	bool collected;
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

/*
 * Adds a line such as "ffffffff8d000000 T _stext  [module]". Returns 0, -1 (bad line) or -2 (no
 * memory).
 */
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
	if (sym->kernel_count == sym->kernel_cap &&
	    kp_vector_grow((void **)&sym->kernel, &sym->kernel_cap, sizeof(*sym->kernel)))
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
		if (process->pid_count == cap &&
		    kp_vector_grow((void **)&process->pids, &cap, sizeof(*process->pids)))
			return fail(sym, "--maps", "no memory");
		process->pids[process->pid_count++] = pid;
		if (!*end)
			return 0;
		text = end + 1;
	}
}

/* Adds a process with the maps that a text has. */
static int add_process(struct kp_sym *sym, const char *pids, char *text, size_t size,
		       const struct from *from)
{
	struct kp_sym_process *processes = realloc(sym->processes,
						   (sym->process_count + 1) * sizeof(*processes));
	struct kp_sym_process *process;
	char why[200] = "no memory";
	FILE *maps;

	if (!processes)
		return fail(sym, from->shown, "no memory");
	sym->processes = processes;
	if (sym->process_count == PROCESSES_MAX)
		return fail(sym, from->shown, "too many processes");
	process = &processes[sym->process_count++];
	memset(process, 0, sizeof(*process));
	process->collected = from->collected;
	if (parse_pids(sym, process, pids))
		return -1;
	/* a kernel thread has no maps */
	maps = size ? fmemopen(text, size, "r") : fopen("/dev/null", "r");
	if (maps) {
		process->user = kp_sym_user_open(maps, from->root, from->debug, why, sizeof(why));
		fclose(maps);
	}
	return process->user ? 0 : fail(sym, from->shown, why);
}

/*
 * Returns the pid of a line as "==== /proc/105/maps", which old scripts write before the maps of
 * each process, or -1. In some shells their echo writes "\n" before it.
 */
static int64_t heading(const char *line)
{
	const char *end, *at = line + (strncmp(line, "\\n", 2) ? 0 : 2);
	int64_t pid = 0;

	while (*at == '=')
		at++;
	if (at - line < 3 || strncmp(at, " /proc/", 7))
		return -1;
	at += 7;
	for (end = at; *end >= '0' && *end <= '9' && end - at < 18; end++)
		pid = pid * 10 + (*end - '0');
	return end > at && !strncmp(end, "/maps", 5) ? pid : -1;
}

/* Returns the next heading in the text, or the end of the text. */
static char *next_heading(char *text)
{
	while (*text && heading(text) < 0) {
		char *end = strchr(text, '\n');

		text = end ? end + 1 : text + strlen(text);
	}
	return text;
}

/* Adds each process of a collection; text is its first heading. */
static int add_collection(struct kp_sym *sym, char *text, const struct from *from)
{
	int status = 0;

	while (*text && !status) {
		char *begin = strchr(text, '\n'), *next, *end, pid[24];

		begin = begin ? begin + 1 : text + strlen(text);
		end = next = next_heading(begin);
		while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
			end--;
		snprintf(pid, sizeof(pid), "%" PRId64, heading(text));
		status = add_process(sym, pid, begin, (size_t)(end - begin), from);
		text = next;
	}
	return status;
}

int kp_sym_maps(struct kp_sym *sym, const char *pids, FILE *maps, const char *shown,
		const char *root, const char *debug)
{
	struct from from = { shown, root, debug, false };
	size_t cap = 0;
	char *text = NULL, *first;
	ssize_t size = getdelim(&text, &cap, '\0', maps);
	int status;

	if (size < 0 && ferror(maps)) {
		free(text);
		return fail(sym, shown, strerror(errno));
	}
	if (size > 0 && !text[size - 1]) {
		free(text);
		return fail(sym, shown, "no maps of a process: it has a byte 0");
	}
	first = size > 0 ? text + strspn(text, "\r\n") : NULL;
	from.collected = first && heading(first) >= 0;
	if (!from.collected)
		status = add_process(sym, pids, text, size > 0 ? (size_t)size : 0, &from);
	else if (strcmp(pids, "all"))
		status = fail(sym, shown, "maps of several processes: --maps all is for these");
	else
		status = add_collection(sym, first, &from);
	free(text);
	return status;
}

/*
 * Returns the index of the process whose thread pid is, or -1. A collection has numbers of processes
 * only: a thread's own number follows soon.
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
		if (process->collected && process->pids[0] < pid &&
		    pid - process->pids[0] <= KP_SYM_NEAR &&
		    (near < 0 || process->pids[0] > sym->processes[near].pids[0]))
			near = (int64_t)i;
	}
	return near >= 0 ? near : all;
}

static const struct kp_str *kernel_name(const struct kp_sym *sym, uint64_t address)
{
	size_t low = 0, high = sym->kernel_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (sym->kernel[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* the end of the last function is unknown */
	return low && low < sym->kernel_count ? sym->kernel[low - 1].name : NULL;
}

/*
 * Finds the name of an address in a process (-1: the kernel) and stores it. Returns 0, or -1
 * without memory.
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
	else if (kp_sym_user_name(sym->processes[process].user, address, text, sizeof(text)))
		*name = kp_strings_add(&sym->strings, text, strlen(text));
	if (sym->found_count == sym->found_cap &&
	    kp_vector_grow((void **)&sym->found, &sym->found_cap, sizeof(*sym->found)))
		return -1;
	sym->found[sym->found_count] = *name;
	return kp_map_set(&sym->known, key, (uint32_t)sym->found_count++);
}

/* Reads the address from the name of a row, such as "PC=0123456789ab". */
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
	/* a name has only the lower twelve digits; the upper bits of kernel addresses are ones */
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

static int on_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_sym *sym = self;

	return sym->next->behind ? sym->next->behind(sym->next->self, items, count) : 0;
}

static int on_end(void *self)
{
	struct kp_sym *sym = self;

	return sym->next->end(sym->next->self);
}

struct kp_span_sink kp_sym_sink(struct kp_sym *sym)
{
	return (struct kp_span_sink){ on_header, on_span, on_end, sym, on_behind };
}

void kp_sym_free(struct kp_sym *sym)
{
	for (size_t i = 0; i < sym->process_count; i++) {
		if (sym->processes[i].user)
			kp_sym_user_close(sym->processes[i].user);
		free(sym->processes[i].pids);
	}
	free(sym->processes);
	free(sym->kernel);
	free(sym->found);
	kp_strings_free(&sym->strings);
	kp_map_free(&sym->known);
}
