/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects facts about a Perfetto trace from its packets: machine, clocks, names of threads, losses.
 */
#ifndef KP_IMPORT_PERFETTO_FACTS_H
#define KP_IMPORT_PERFETTO_FACTS_H

#include "base/memory.h"
#include "import/feed.h"
#include "model/names.h"
#include "perfetto.pb-c.h"

#define KP_PF_CLOCKS	8	/* number of Perfetto's clock ids for Linux's clocks, with 0 */

/* Lost events that ftrace counted for a CPU at the start and at the end of the trace. */
struct kp_pf_cpu_lost {
	bool has_start;
	uint64_t start, end;
};

struct kp_pf_facts {
	char release[96], version[96], machine[32], cpu_model[96], trace_id[40];
	bool has_clocks;
	int64_t clock_ns[KP_PF_CLOCKS];		/* all clocks at the same moment; 0: not given */
	int64_t ftrace_to_boot_ns;		/* boot time minus ftrace's clock, if that is another clock */
	bool has_ftrace_clock;
	struct kp_names threads;
	struct kp_pf_cpu_lost lost[KP_FEED_CPUS];
	bool packets_lost;
	struct kp_map sequences;	/* sequences that have had a packet */
};

/* Takes the packet's facts. Returns 0, or -1 without memory. */
int kp_pf_facts_packet(struct kp_pf_facts *facts, const Pf__TracePacket *packet);

/* Returns UTC minus boot time in ns, or 0 if it is not known. */
int64_t kp_pf_facts_utc(const struct kp_pf_facts *facts);
/* Converts @time of that clock to boot time. Without a snapshot of the clock, @time stays as it is. */
int64_t kp_pf_facts_boot(const struct kp_pf_facts *facts, uint64_t clock, uint64_t time);

/* Returns the number of events that ftrace lost between the start and the end of the trace. */
uint64_t kp_pf_facts_lost(const struct kp_pf_facts *facts);
void kp_pf_facts_free(struct kp_pf_facts *facts);

#endif
