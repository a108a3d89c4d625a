/* SPDX-License-Identifier: GPL-2.0-only */
/* State of an open file of the nodes for scripts, shared by files.c and files_cpu.c. */
#ifndef KU_NODE_H
#define KU_NODE_H

#include <linux/mutex.h>
#include <linux/types.h>

struct ku_session;

struct ku_open {
	struct mutex lock;	/* protects the following fields, except owns_main, minor and cpu */
	struct ku_session *session;
	bool owns_main;		/* may control and read the main session; decided at open() */
	u32 minor;		/* KU_NODE_*; KU_NODE_CPU + N for CPU N */
	u32 cpu;
	char *data;		/* content to read; from vmalloc() */
	size_t len, used;	/* bytes in @data; bytes of a block that have been returned */

	/* The rest is for cpuNNN. */
	u64 recording;		/* start time of the recording that the next fields describe */
	u64 after;		/* sequence number of the last returned block */
	u64 expected;		/* sequence number of the next block; 0: unknown */
	u64 stored;		/* finished blocks up to this number have no pending stores */
	u64 since;		/* skip blocks whose latest entry is before this time (counts) */
	bool lost;		/* blocks were overwritten before they were read */
	bool polled;		/* the session cannot be changed any more */
};

enum { KU_NODE_CTL, KU_NODE_LIST, KU_NODE_AUX, KU_NODE_CPU };

#endif
