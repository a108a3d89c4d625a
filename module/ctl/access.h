/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides who may control and read recordings, and who may only mark. Must decide by the module's
 * parameters and by the credentials of the open file (file->f_cred), never by the caller's: a
 * set-user-ID program may write to a file that somebody else opened and passed on.
 */
#ifndef KU_ACCESS_H
#define KU_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct file;
struct ku_session;

/* @marks_all: everyone may mark. @gid: the group that may control in this case. */
void ku_access_init(bool marks_all, kgid_t gid);
bool ku_access_all_mark(void);
/* Allows device files to be opened. The initialization must not fail afterwards. */
void ku_access_allow(void);
bool ku_access_allowed(void);
/* Returns true if the opener of @file may control and read all sessions. */
bool ku_access_capable(struct file *file);
/*
 * Returns true if the opener of @file may control and read @session: the opener owns it or is
 * capable. The user who loaded the module owns the main session.
 */
bool ku_access_owns(struct file *file, const struct ku_session *session);
/*
 * Returns true if the opener of @file may make a session of that name, of up to @size bytes. Each
 * user's commands look for that user's session under the name "uid-NUMBER", so nobody else may take
 * such a name. NUMBER is the user id outside of all user namespaces.
 */
bool ku_access_may_name(struct file *file, const char *name, size_t size);
/* Returns true if the opener of @file may control. Call it from open() only. */
bool ku_access_may_control(struct file *file);
/* Returns true if kernel lockdown forbids tracing, which includes root. */
bool ku_access_locked_down(void);

#endif
