/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may do what: control and read recordings, or only mark. Must decide by the caller's
 * credentials and the module's parameters alone. Called by everything in ctl/.
 */
#ifndef KU_ACCESS_H
#define KU_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct file;
struct ku_session;

/* @marks_all: everyone may mark; @gid: who may control then. */
void ku_access_init(bool marks_all, kgid_t gid);
bool ku_access_all_mark(void);
/* Device files may be opened from now on: nothing that can fail comes any more. */
void ku_access_allow(void);
bool ku_access_allowed(void);
/* May control and read all sessions, whatever files say. */
bool ku_access_capable(void);
/*
 * May control and read that session: it is the caller's, or the caller may all. The main session
 * is of who loaded the module, so not of everyone in a group that may control.
 */
bool ku_access_owns(const struct ku_session *session);
/*
 * May make a session of that name, of up to @size bytes. Names that begin with "uid-" are those under
 * which each user's commands look for the session of that user, so nobody else may take them; a user
 * is meant by the number outside of all name spaces.
 */
bool ku_access_may_name(const char *name, size_t size);
/* Who has the control device open by that file may control. */
bool ku_access_may_control(struct file *file);
/* The kernel is locked down so far that nobody may trace it, root neither. */
bool ku_access_locked_down(void);

#endif
