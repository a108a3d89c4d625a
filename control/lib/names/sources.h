/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources of the names in a trace: tables that do not depend on a recording, the module's names
 * and definitions, and facts about the trace itself.
 */
#ifndef KU_LIB_NAMES_SOURCES_H
#define KU_LIB_NAMES_SOURCES_H

#include <stdbool.h>

#include "lib/base/name_list.h"

/*
 * Adds the names that do not depend on a recording. @machine: machine of the system calls, as
 * uname() returns it ("aarch64"); NULL: the machine for which the library was built. The system
 * calls of an unknown machine are left out. Returns 0 or -ENOMEM.
 */
int ku_names_fixed(struct ku_name_list *names, const char *machine);

/*
 * Reads the names in the name buffer, which has @aux_bytes. *@bad counts the names that could not
 * be read. @info was read before; this function reads the information again.
 */
int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_name_list *names, uint64_t *bad);
/* Reads the names that the module has now. */
int ku_names_device(int fd, struct ku_name_list *names);

/* Adds a definition of a typed tracepoint, in parts that fit into names. */
int ku_names_add_point(struct ku_name_list *names, uint32_t id, const char *text);
/* Adds all definitions of typed tracepoints in the module. */
int ku_names_points(int fd, struct ku_name_list *names);

/*
 * Adds the cgroups that have a quota of CPU time, or tasks whose identity is in @names or @late.
 * Returns 0 or -ENOMEM.
 */
int ku_names_cgroups(struct ku_name_list *names, const struct ku_name_list *late);

/* Adds the disks. Returns 0 or -ENOMEM. */
int ku_names_disks(struct ku_name_list *names);

/* Copies the name of the CPU's model, cut at @size. Returns false if the kernel does not show it. */
bool ku_cpu_model(char *str, size_t size);

/* Strings as uname() returns them. */
struct ku_system {
	const char *release;
	const char *version;
	const char *machine;
	const char *nodename;
};

/*
 * Describes a machine of which only @system is known: adds kernel version and host name, and the
 * architecture as META.
 */
int ku_names_system(struct ku_name_list *names, const struct ku_system *system);
/*
 * Describes this machine: adds kernel version, CPU model and host name; architecture, boot and
 * time zone as META.
 */
int ku_names_machine(struct ku_name_list *names);
/* Adds a fact about the trace, in the form key=value. */
int ku_names_add_meta(struct ku_name_list *names, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds META caveat=NAME for each of @caveats that *@recorded lacks, and adds it to *@recorded. */
int ku_names_more_caveats(struct ku_name_list *names, uint32_t caveats, uint32_t *recorded);
/* Adds the losses of each cause that exceed the losses in @reported, and updates @reported. */
int ku_names_more_lost(struct ku_name_list *names, const __u64 *lost, __u64 *reported);
/* Adds all facts about the trace. @tool may be NULL. If @system is NULL, describes this machine. */
int ku_names_meta(struct ku_name_list *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us, const struct ku_system *system);

#endif
