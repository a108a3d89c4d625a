/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a trace says about itself, see about.c.
 */
#ifndef KU_LIB_NAMES_ABOUT_H
#define KU_LIB_NAMES_ABOUT_H

#include "kutrace_abi.h"
#include "lib/base/names.h"

/* As uname() has them. */
struct ku_system {
	const char *release;
	const char *version;
	const char *machine;
	const char *nodename;
};

/* Of a machine that is known by this only: kernel version, host name, architecture as META. */
int ku_names_system(struct ku_name_list *names, const struct ku_system *system);
/* This machine's: kernel version, CPU model, host name; architecture, boot and zone as META. */
int ku_names_machine(struct ku_name_list *names);
/* Something that the trace says about itself: key=value. */
int ku_names_add_meta(struct ku_name_list *names, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds META caveat=NAME for each of @caveats that *@recorded lacks, and adds it there. */
int ku_names_more_caveats(struct ku_name_list *names, uint32_t caveats, uint32_t *recorded);
/* Losses by cause that are greater than what has been said, which they then are. */
int ku_names_more_lost(struct ku_name_list *names, const __u64 *lost, __u64 *said);
/* What the trace says about itself. tool may be NULL, and system is, of this machine. */
int ku_names_meta(struct ku_name_list *names, const struct kutrace_info *info,
		  const char *tool, uint64_t unread_names, uint64_t bad_blocks,
		  int64_t clock_step_us, const struct ku_system *system);

#endif
