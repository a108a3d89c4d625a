/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file of the nodes for scripts: what files.c and files_cpu.c share. */
#ifndef KU_NODE_H
#define KU_NODE_H

#include <linux/mutex.h>
#include <linux/types.h>

struct ku_session;

/* One open file. */
struct ku_open {
	struct mutex lock;	/* of what follows, but owns_main, minor and cpu */
	struct ku_session *session;
	bool owns_main;		/* may control and read the main session; as of open() */
	u32 minor;		/* KU_NODE_CTL ... */
	u32 cpu;
	char *data;		/* what is being read; vmalloc */
	size_t len, used;	/* of it; bytes of a block that have been given */

	/* cpuNNN: */
	u64 recording;		/* start of the one that these are about */
	u64 after;		/* the last block given */
	u64 expected;		/* the one that comes next, 0: not known */
	u64 stored;		/* up to that one no store is under way */
	u64 since;		/* only blocks that have something as late as that */
	bool lost;		/* blocks were overwritten before they were read */
	bool polled;		/* it stays with its session */
};

enum { KU_NODE_CTL, KU_NODE_LIST, KU_NODE_AUX, KU_NODE_CPU };

#endif
