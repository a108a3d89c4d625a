/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/kutrace/ctl, tracepoints, aux and cpuNNN (uapi/kutrace_files.h). Process
 * context, may sleep.
 */
#ifndef KU_FILES_H
#define KU_FILES_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct ku_session;

/* Permission bits and group of the nodes. 0 or -errno. */
int ku_files_init(umode_t mode, kgid_t gid);
void ku_files_exit(void);

/* ---- between ku_files.c and its parts ---- */

/* One open file. */
struct ku_open {
	struct mutex lock;	/* of what follows, but minor and cpu */
	struct ku_session *session;
	u32 minor;		/* KU_NODE_CTL ... */
	u32 cpu;
	char *data;		/* what is being read; vmalloc */
	size_t len, used;	/* of it; bytes of a block that have been given */

	/* cpuNNN: */
	u64 recording;		/* start of the one that these are about */
	u64 after;		/* the last block given */
	u64 expected;		/* the one that comes next, 0: not known */
	u64 settled;		/* up to that one all is stored */
	u64 since;		/* only blocks that have something as late as that */
	bool lost;		/* blocks were overwritten before they were read */
	bool polled;		/* it stays with its session */
};

enum { KU_NODE_CTL, KU_NODE_LIST, KU_NODE_AUX, KU_NODE_CPU };

/* The text of tracepoints; the caller frees it with vfree(). NULL: no memory. */
char *ku_files_list(struct ku_session *session, size_t *len);
/* Switches kinds and typed tracepoints whose name matches; 0, -ENOENT or as set_kinds. */
int ku_files_switch(struct ku_session *session, const char *pattern, bool on);

/* cpuNNN; the lock is held. */
ssize_t ku_files_cpu_read(struct ku_open *mine, char __user *to, size_t count);
__poll_t ku_files_cpu_poll(struct ku_open *mine);

#endif
