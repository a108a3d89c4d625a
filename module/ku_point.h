/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed tracepoints: their definitions and switches. Process context, may sleep, but
 * for ku_point_match(). For kernel modules that have some: uapi/kutrace_point.h.
 */
#ifndef KU_POINT_H
#define KU_POINT_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_aux;

int ku_point_init(void);
void ku_point_exit(void);
/* KUTRACE_IOC_POINT_*; control: the caller may switch. */
long ku_point_ioctl(unsigned int cmd, unsigned long arg, bool control);
/* For mapping the switches: the page at that byte offset, NULL beyond the end. */
struct page *ku_point_page(u64 offset);
/* Some session records typed tracepoints, or none does. ku_session_lock is held. */
void ku_point_changed(bool wanted);
/* All definitions into a session's names. ku_session_lock is held. */
void ku_point_name_all(struct ku_aux *aux, u64 counts);

/* Whether len bytes of name are as pattern says, in which * and ? stand for others. */
bool ku_point_match(const char *pattern, const char *name, size_t len);
/* Switches those whose name matches; how many. */
u32 ku_point_switch(const char *pattern, bool on);
/* The definition with the lowest id from id on; false: there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

#endif
