// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: names that a dump puts in front of the events, and how a name
 * looks as an entry. Must never invent: what cannot be found out is left out.
 * Called by the dump.
 *
 *	 63        44 43          32 31           0
 *	+-----------+--------------+--------------+
 *	| timestamp | base | n<<4  |    number    |	n = words, this one included
 *	+-----------+--------------+--------------+
 *	|     up to 56 bytes of text, 0 filled    |
 *	+-----------------------------------------+
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "ku_lib.h"

struct number_name {
	uint16_t number;
	const char *name;
};

static const struct number_name syscalls64[] = {
#include "kutrace_syscalls64.inc"
};

#ifdef KUTRACE_HAVE_SYSCALLS32
static const struct number_name syscalls32[] = {
#include "kutrace_syscalls32.inc"
};
#endif

/* Pseudo system calls: numbers of events counted from that of number 0. */
static const struct number_name pseudo_syscalls[] = {
#define KU_SPAN(id, call, ret, count, cat, label, text) PSEUDO_##id(call, label)
#define PSEUDO_TRAP(call, label)
#define PSEUDO_IRQ(call, label)
#define PSEUDO_BH(call, label)
#define PSEUDO_SYSCALL64(call, label)
#define PSEUDO_SYSCALL32(call, label)
#define PSEUDO_SYSOTHER(call, label) {(call) - KUTRACE_CALL_SYSCALL64, label},
#define PSEUDO_SCHED(call, label) {(call) - KUTRACE_CALL_SYSCALL64, label},
#include "kutrace_events.def"
};

static const struct number_name traps[] = {
#define KU_TRAP(number, label) {number, label},
#include "kutrace_events.def"
};

static const struct number_name vectors[] = {
#define KU_VECTOR(id, number, label) {number, label},
#include "kutrace_events.def"
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ERRNO_MAX 4095

static struct ku_name *add(struct ku_names *names)
{
	struct ku_name *name;

	if (names->count == names->room) {
		size_t room = names->room ? names->room * 2 : 1024;
		struct ku_name *list = realloc(names->list, room * sizeof(*list));

		if (!list)
			return NULL;
		names->list = list;
		names->room = room;
	}
	name = &names->list[names->count];
	memset(name, 0, sizeof(*name));
	name->order = (uint32_t)names->count++;
	return name;
}

int ku_names_add(struct ku_names *names, uint16_t base, uint32_t number,
		 const char *text, size_t length)
{
	struct ku_name *name = add(names);

	if (!name)
		return -ENOMEM;
	name->base = base;
	name->number = number;
	if (length > KUTRACE_NAME_MAX_BYTES)
		length = KUTRACE_NAME_MAX_BYTES;
	name->length = (uint16_t)length;
	memcpy(name->text, text, length);
	return 0;
}

void ku_names_free(struct ku_names *names)
{
	free(names->list);
	memset(names, 0, sizeof(*names));
}

#define COMPARE(x, y) do { if ((x) != (y)) return (x) < (y) ? -1 : 1; } while (0)

/* Entries that are told apart by their text, not by their number. */
static bool keeps_all(uint16_t base)
{
	return base == KUTRACE_NAME_META;
}

static int compare_number(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->base, b->base);
	if (!keeps_all(a->base))
		COMPARE(a->number, b->number);
	COMPARE(a->counts, b->counts);
	COMPARE(a->order, b->order);
	return 0;
}

/* Equal but for the order: the same name twice. */
static int compare_all(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;
	int text;

	COMPARE(a->base, b->base);
	COMPARE(a->number, b->number);
	COMPARE(a->counts, b->counts);
	COMPARE(a->length, b->length);
	text = memcmp(a->text, b->text, a->length);
	if (text)
		return text;
	COMPARE(a->order, b->order);
	return 0;
}

static int compare_order(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->order, b->order);
	return 0;
}

static int compare_time(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->counts, b->counts);
	COMPARE(a->order, b->order);
	return 0;
}

void ku_names_newest(struct ku_names *names)
{
	size_t from, to = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_number);
	for (from = 0; from < names->count; from++) {
		const struct ku_name *this = &names->list[from], *next = this + 1;

		if (from + 1 < names->count && !keeps_all(this->base) &&
		    next->base == this->base && next->number == this->number)
			continue;	/* the next one is newer */
		names->list[to++] = *this;
	}
	names->count = to;
}

void ku_names_once(struct ku_names *names)
{
	size_t from, to = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_all);
	for (from = 0; from < names->count; from++) {
		struct ku_name key = names->list[from];

		if (to) {
			key.order = names->list[to - 1].order;
			if (!compare_all(&key, &names->list[to - 1]))
				continue;
		}
		names->list[to++] = names->list[from];
	}
	names->count = to;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_order);
}

void ku_names_by_time(struct ku_names *names)
{
	if (names->count)
		qsort(names->list, names->count, sizeof(names->list[0]), compare_time);
}

unsigned int ku_name_words(const struct ku_name *name)
{
	return 1 + (name->length + 7U) / 8;
}

unsigned int ku_name_put(uint64_t *words, const struct ku_name *name, uint64_t ts)
{
	unsigned int n = ku_name_words(name);

	memset(words, 0, n * sizeof(*words));
	words[0] = (ts & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
		   (uint64_t)(name->base | n << KUTRACE_NAME_LEN_SHIFT)
			   << KUTRACE_EVENT_SHIFT |
		   name->number;
	memcpy(words + 1, name->text, name->length);
	return n;
}

static int add_table(struct ku_names *names, uint16_t base,
		     const struct number_name *table, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = ku_names_add(names, base, table[i].number, table[i].name,
				   strlen(table[i].name));
	return ret;
}

static int add_errors(struct ku_names *names)
{
	int number, ret = 0;

	for (number = 1; number <= ERRNO_MAX && !ret; number++) {
		const char *text = strerrorname_np(number);

		if (text)
			ret = ku_names_add(names, KUTRACE_NAME_ERRNO, (uint32_t)number,
					   text, strlen(text));
	}
	return ret;
}

int ku_names_fixed(struct ku_names *names)
{
	int ret;

	ret = add_table(names, KUTRACE_NAME_TRAPNAME, traps, COUNT_OF(traps));
	if (!ret)
		ret = add_table(names, KUTRACE_NAME_IRQNAME, vectors, COUNT_OF(vectors));
	if (!ret)
		ret = add_table(names, KUTRACE_NAME_SYS64NAME, syscalls64,
				COUNT_OF(syscalls64));
	if (!ret)
		ret = add_table(names, KUTRACE_NAME_SYS64NAME, pseudo_syscalls,
				COUNT_OF(pseudo_syscalls));
#ifdef KUTRACE_HAVE_SYSCALLS32
	if (!ret)
		ret = add_table(names, KUTRACE_NAME_SYS32NAME, syscalls32,
				COUNT_OF(syscalls32));
#endif
	if (!ret)
		ret = add_errors(names);
	return ret;
}

/* The value of the first "key : value" line of /proc/cpuinfo; NULL: none. */
static char *cpuinfo_value(const char *key, char *line, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *value = NULL;

	if (!f)
		return NULL;
	while (!value && fgets(line, (int)size, f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !colon)
			continue;
		value = colon + 1 + strspn(colon + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
	}
	fclose(f);
	return value && *value ? value : NULL;
}

int ku_names_machine(struct ku_names *names)
{
	char line[512], *model;
	struct utsname uts;
	int ret = 0;

	if (uname(&uts) == 0) {
		snprintf(line, sizeof(line), "%s %s", uts.release, uts.version);
		ret = ku_names_add(names, KUTRACE_NAME_KERNELVER, 0, line, strlen(line));
		if (!ret)
			ret = ku_names_add(names, KUTRACE_NAME_HOSTNAME, 0, uts.nodename,
					   strlen(uts.nodename));
	}
	model = cpuinfo_value("model name", line, sizeof(line));
	if (!model)	/* arm64 and riscv */
		model = cpuinfo_value("Hardware", line, sizeof(line));
	if (!model)
		model = cpuinfo_value("uarch", line, sizeof(line));
	if (!ret && model)
		ret = ku_names_add(names, KUTRACE_NAME_CPUMODEL, 0, model, strlen(model));
	return ret;
}

int ku_names_add_meta(struct ku_names *names, const char *fmt, ...)
{
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return ku_names_add(names, KUTRACE_NAME_META, 0, text, strlen(text));
}

static const char *backend_name(uint32_t backend)
{
	switch (backend) {
	case KUTRACE_BACKEND_TRACEPOINTS:
		return "tracepoint";
	case KUTRACE_BACKEND_PATCHED:
		return "patched";
	default:
		return "none";
	}
}

static const char *const caveat_names[] = KUTRACE_CAVEAT_LABELS;
static const char *const lost_names[KUTRACE_LOST_CAUSES] = KUTRACE_LOST_LABELS;

int ku_names_meta(struct ku_names *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us)
{
	uint64_t lost;
	size_t i;
	int ret;

	if (tool)
		ret = ku_names_add_meta(names, "tool=%s", tool);
	else
		ret = ku_names_add_meta(names, "tool=libkutrace %s", KUTRACE_VERSION);
	ret = ret ? ret : ku_names_add_meta(names, "backend=%s", backend_name(info->backend));
	ret = ret ? ret : ku_names_add_meta(names, "cats=0x%x", info->categories);
	for (i = 0; i < COUNT_OF(caveat_names); i++)
		if (!ret && info->caveats >> i & 1)
			ret = ku_names_add_meta(names, "caveat=%s", caveat_names[i]);
	/* what it was told to leave out is not missing by chance */
	if (!ret && info->name[0] && strcmp(info->name, KUTRACE_SESSION_MAIN))
		ret = ku_names_add_meta(names, "session=%s", info->name);
	if (!ret && info->kinds && (info->kinds & KUTRACE_KINDS_ALL) != KUTRACE_KINDS_ALL)
		ret = ku_names_add_meta(names, "kinds=0x%llx", (unsigned long long)info->kinds);
	if (!ret && info->filtered)
		ret = ku_names_add_meta(names, "filtered=1");
	for (i = 0; i < COUNT_OF(lost_names); i++) {
		lost = info->lost[i] + (i == KUTRACE_LOST_NAMES ? unread_names : 0);
		ret = ret ? ret : ku_names_add_meta(names, "lost_%s=%llu", lost_names[i],
					   (unsigned long long)lost);
	}
	if (bad_blocks)
		ret = ret ? ret : ku_names_add_meta(names, "lost_blocks=%llu",
					   (unsigned long long)bad_blocks);
#if defined(__x86_64__)
	ret = ret ? ret : ku_names_add_meta(names, "clock=tsc");
#elif defined(__aarch64__)
	ret = ret ? ret : ku_names_add_meta(names, "clock=cntvct");
#else
	ret = ret ? ret : ku_names_add_meta(names, "clock=time");
#endif
	ret = ret ? ret : ku_names_add_meta(names, "clock_khz=%llu",
				   (unsigned long long)info->clock_khz);
	ret = ret ? ret : ku_names_add_meta(names, "clock_shift=%u", info->clock_shift);
	if (clock_step_us)
		ret = ret ? ret : ku_names_add_meta(names, "clock_step_us=%lld",
					   (long long)clock_step_us);
	ret = ret ? ret : ku_names_add_meta(names, "emit_ps=%llu",
				   (unsigned long long)info->emit_ps);
	ret = ret ? ret : ku_names_add_meta(names, "wrapped=%u", info->wrapped != 0);
	return ret;
}
