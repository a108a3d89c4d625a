/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions of typed tracepoints, and their switches. Process context, may sleep. */
#ifndef KU_POINT_DEFINITION_H
#define KU_POINT_DEFINITION_H

#include "point/point.h"
#include "uapi/kutrace_abi.h"

int ku_point_init(void);
void ku_point_exit(void);

/*
 * Returns the id of the definition with this text, which is made if necessary. @file or @object, of
 * which one is NULL, uses it from now on. Returns -EINVAL, -ENOSPC, -ENOMEM or -EINTR on error.
 */
int ku_point_define(const char *text, struct ku_point_file *file,
		    struct kutrace_point *object);
/* Returns definition @id (from 1 on), or NULL. Under rcu_read_lock(). */
struct ku_point *ku_point_get(u32 id);
/* The object of a kernel module no longer uses its definition. */
void ku_point_detach(struct kutrace_point *object);
/* Ends the use of all definitions by @file, which is being closed. */
void ku_point_release(struct ku_point_file *file);

/* Switches the definitions whose name matches @pattern. Returns their number. */
u32 ku_point_switch(const char *pattern, bool on);
/* Gets the definition with the lowest id that is @id or higher. Returns false if there is none. */
bool ku_point_next(u32 id, struct kutrace_point_def *def);

#endif
