// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names that do not depend on a recording: system calls, traps, vectors, errors.
 *
 * Must not contain numbers: they come from the compiler's headers and the event table. Only the
 * numbers of 32-bit Arm have a file (syscalls_arm.inc), because no other compiler's headers have
 * them.
 */
#include "lib/names/sources.h"

#include "common/event_name.h"
#include "common/c_locale.h"

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

/* System calls that several architectures share. On arm64 this is also the native table. */
static const struct number_name syscalls_generic[] = {
#include "kutrace_syscalls_generic.inc"
};

/* System calls of 32-bit programs on arm64. */
static const struct number_name syscalls_arm[] = {
#include "lib/names/syscalls_arm.inc"
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ERRNO_MAX 4095

/* Adds the names of runs of consecutive numbers. The names of a run are separated by a blank. */
static int add_table(struct ku_name_list *names, uint16_t base, const struct number_name *runs,
		     size_t count)
{
	size_t i, length;
	int ret = 0;

	for (i = 0; i < count; i++) {
		const char *name = runs[i].name;
		uint32_t number = runs[i].number;

		for (; *name && !ret; name += length + (name[length] == ' ')) {
			length = strcspn(name, " ");
			ret = ku_names_add(names, base, number++, name, length);
		}
	}
	return ret;
}

static int add_errors(struct ku_name_list *names)
{
	int number, ret = 0;

	for (number = 1; number <= ERRNO_MAX && !ret; number++) {
		const char *text = ku_error_name(number);

		if (text)
			ret = ku_names_add(names, KUTRACE_NAME_ERRNO, (uint32_t)number,
					   text, strlen(text));
	}
	return ret;
}

/* Adds the system calls of the machine for which this code was built. */
static int add_native(struct ku_name_list *names)
{
	int ret = add_table(names, KUTRACE_NAME_SYS64NAME, syscalls64, COUNT_OF(syscalls64));

#ifdef KUTRACE_HAVE_SYSCALLS32
	ret = ret ?: add_table(names, KUTRACE_NAME_SYS32NAME, syscalls32,
			       COUNT_OF(syscalls32));
#endif
	return ret;
}

/* The machine for which this code was built, as uname() returns its name. */
#if defined(__x86_64__)
#define NATIVE "x86_64"
#elif defined(__aarch64__)
#define NATIVE "aarch64"
#elif defined(__riscv)
#define NATIVE "riscv64"
#else
#define NATIVE ""
#endif

static int add_syscalls(struct ku_name_list *names, const char *machine)
{
	int ret = 0;

	if (!strcmp(machine, NATIVE))
		ret = add_native(names);
	else if (!strcmp(machine, "aarch64") || !strcmp(machine, "riscv64") ||
		 !strcmp(machine, "loongarch64"))
		ret = add_table(names, KUTRACE_NAME_SYS64NAME, syscalls_generic,
				COUNT_OF(syscalls_generic));
	if (!ret && !strcmp(machine, "aarch64"))
		ret = add_table(names, KUTRACE_NAME_SYS32NAME, syscalls_arm,
				COUNT_OF(syscalls_arm));
	return ret;
}

static int add_label(struct ku_name_list *names, uint16_t base, uint32_t number,
		     const char *label)
{
	return label ? ku_names_add(names, base, number, label, strlen(label)) : 0;
}

/*
 * Adds the labels of the event table. Outside x86, the number of x86's platform IPI stands for all
 * other IPIs (module/probes/arm64/ipi.c, module/arch/riscv/entry.h).
 */
static int add_labels(struct ku_name_list *names, const char *machine)
{
	/* events that readers name as system calls, by their distance from system call 0 */
	static const uint32_t pseudo[] = {KUTRACE_CALL_SYSOTHER, KUTRACE_CALL_SCHED};
	int ret = 0;

	for (uint32_t i = 0; i < 256 && !ret; i++)
		ret = add_label(names, KUTRACE_NAME_TRAPNAME, i, ku_trap_label(i));
	for (uint32_t i = 0; i < 256 && !ret; i++)
		ret = add_label(names, KUTRACE_NAME_IRQNAME, i,
				i == KUTRACE_VECTOR_PLATFORM_IPI && strcmp(machine, "x86_64")
				? "other_ipi" : ku_vector_label(i));
	for (uint32_t i = 0; i < COUNT_OF(pseudo) && !ret; i++)
		ret = add_label(names, KUTRACE_NAME_SYS64NAME, pseudo[i] - KUTRACE_CALL_SYSCALL64,
				ku_call_name(pseudo[i]).label);
	return ret;
}

int ku_names_fixed(struct ku_name_list *names, const char *machine)
{
	int ret;

	if (!machine)
		machine = NATIVE;
	ret = add_syscalls(names, machine);
	ret = ret ?: add_labels(names, machine);
	return ret ?: add_errors(names);
}
