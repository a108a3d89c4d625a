// SPDX-License-Identifier: BSD-3-Clause
/* Tables of system calls (import/syscalls.h), which the build makes from the compiler's headers. */
#include "import/syscalls.h"

#include <string.h>

struct call {
	uint16_t number;
	const char *name;
};

static const struct call native[] = {
#include "kutrace_syscalls64.inc"
};

static const struct call compat[] = {
#ifdef KUTRACE_HAVE_SYSCALLS32
#include "kutrace_syscalls32.inc"
#endif
	{ UINT16_MAX, "" },
};

static const struct call generic[] = {
#include "kutrace_syscalls_generic.inc"
};

static const struct call *table_of(enum kp_calls_of of, size_t *count)
{
	switch (of) {
	case KP_CALLS_32:
		*count = sizeof(compat) / sizeof(compat[0]);
		return compat;
	case KP_CALLS_GENERIC:
		*count = sizeof(generic) / sizeof(generic[0]);
		return generic;
	default:
		*count = sizeof(native) / sizeof(native[0]);
		return native;
	}
}

const char *kp_syscall_name(enum kp_calls_of of, uint64_t number)
{
	size_t count, i;
	const struct call *table = table_of(of, &count);

	for (i = 0; i < count; i++)
		if (table[i].number == number && table[i].name[0])
			return table[i].name;
	return NULL;
}

int kp_syscall_number(enum kp_calls_of of, const char *name, size_t len)
{
	size_t count, i;
	const struct call *table = table_of(of, &count);

	for (i = 0; i < count; i++)
		if (len && strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
			return table[i].number;
	return -1;
}

enum kp_calls_of kp_syscalls_of(const char *machine, int bits)
{
	static const char *const generics[] = { "aarch64", "arm64", "riscv64", "loongarch64" };

	for (size_t i = 0; i < sizeof(generics) / sizeof(generics[0]); i++)
		if (bits == 64 && !strcmp(machine, generics[i]))
			return KP_CALLS_GENERIC;
	return bits == 32 ? KP_CALLS_32 : KP_CALLS_64;
}
