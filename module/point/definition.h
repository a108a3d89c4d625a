/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions of typed tracepoints, and whether each is on. Called by device.c, kernel.c and
 * ctl/, and by recordings that begin and end (record/notify.h). Process context, may sleep.
 */
#ifndef KU_POINT_DEFINITION_H
#define KU_POINT_DEFINITION_H

#include "point/point.h"
#include "uapi/kutrace_abi.h"

int ku_point_init(void);
void ku_point_exit(void);

/*
 * The id of the definition of that text, which an open file or the object of a kernel module
 * has from now on; or -errno: -EINVAL, -ENOSPC, -ENOMEM, -EINTR.
 */
int ku_point_define(const char *text, struct ku_point_file *file,
		    struct kutrace_point *object);
/* Definition id (1 ...), NULL: there is none. Under rcu_read_lock(). */
struct ku_point *ku_point_get(u32 id);
/* The object of a kernel module has it no more. */
void ku_point_detach(struct kutrace_point *object);
/* The file is being closed: what it has it has no more. */
void ku_point_release(struct ku_point_file *file);

/* Switches those whose name matches; how many. */
u32 ku_point_switch(const char *pattern, bool on);
/* The definition with the lowest id from id on; false: there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

#endif
