/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device nodes for scripts: /dev/kutrace/ctl, tracepoints, aux and cpuNNN (uapi/kutrace_files.h).
 * Process context, may sleep.
 */
#ifndef KU_FILES_H
#define KU_FILES_H

#include <linux/types.h>
#include <linux/uidgid.h>

/* @mode, @gid: permission bits and group of the nodes. Returns 0 or -errno. */
int ku_files_init(umode_t mode, kgid_t gid);
void ku_files_exit(void);

#endif
