/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that describe the trace itself. */
#ifndef KU_LIB_NAMES_ABOUT_H
#define KU_LIB_NAMES_ABOUT_H

#include "kutrace_abi.h"
#include "lib/base/names.h"

/* Strings as uname() returns them. */
struct ku_system {
	const char *release;
	const char *version;
	const char *machine;
	const char *nodename;
};

/*
 * Describes a machine of which only this is known: adds kernel version and host name, and the
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
/* Adds the losses of each cause that exceed the reported losses @said, and updates @said. */
int ku_names_more_lost(struct ku_name_list *names, const __u64 *lost, __u64 *said);
/* Adds all facts about the trace. @tool may be NULL. @system NULL: this machine. */
int ku_names_meta(struct ku_name_list *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us, const struct ku_system *system);

#endif
