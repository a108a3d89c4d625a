// SPDX-License-Identifier: BSD-3-Clause
/* Collects facts about a Perfetto trace (interop/perfetto.h). */
#include "interop/perfetto.h"

enum { REALTIME = 1, BOOTTIME = 6 };		/* clock ids of Perfetto */
enum { START_OF_TRACE = 1, END_OF_TRACE = 2 };	/* phases of FtraceStats */

static void keep_text(char *out, size_t room, ProtobufCBinaryData text)
{
	if (!out[0] && text.len)
		snprintf(out, room, "%.*s", (int)(text.len < 200 ? text.len : 200), (const char *)text.data);
}

static void take_utsname(struct kp_pf_facts *facts, const Pf__Utsname *utsname)
{
	if (!utsname)
		return;
	keep_text(facts->version, sizeof(facts->version), utsname->version);
	keep_text(facts->release, sizeof(facts->release), utsname->release);
	keep_text(facts->machine, sizeof(facts->machine), utsname->machine);
}

static void take_uuid(struct kp_pf_facts *facts, const Pf__TraceUuid *uuid)
{
	const uint64_t high = (uint64_t)uuid->msb, low = (uint64_t)uuid->lsb;

	snprintf(facts->trace_id, sizeof(facts->trace_id), "%08x-%04x-%04x-%04x-%012" PRIx64,
		 (uint32_t)(high >> 32), (uint32_t)(high >> 16 & 0xFFFF), (uint32_t)(high & 0xFFFF),
		 (uint32_t)(low >> 48), low & UINT64_C(0xFFFFFFFFFFFF));
}

static int by_clock(const void *a, const void *b)
{
	const struct kp_pf_clock_pair *x = a, *y = b;

	KP_COMPARE(x->clock, y->clock);
	KP_COMPARE(x->clock_ns, y->clock_ns);
	KP_COMPARE(x->boot_ns, y->boot_ns);
	return 0;
}

int kp_pf_facts_pair(struct kp_pf_facts *facts, const struct kp_pf_clock_pair *pair)
{
	const size_t count = facts->pairs.count;

	/* all bundles of one read have the same pair */
	if (count && !by_clock(&facts->pairs.items[count - 1], pair))
		return 0;
	return KP_APPEND(&facts->pairs, *pair);
}

/*
 * Stores the clocks of a snapshot. If the first snapshot with UTC has no boot time, time 0 is its
 * time, and other snapshots are ignored. Returns 0, or -1 without memory.
 */
static int take_clocks(struct kp_pf_facts *facts, const Pf__ClockSnapshot *snapshot)
{
	int64_t clocks[KP_PF_CLOCKS] = {0};
	bool first;

	for (size_t i = 0; i < snapshot->n_clocks; i++) {
		const Pf__ClockSnapshot__Clock *clock = snapshot->clocks[i];

		if (clock->clock_id < KP_PF_CLOCKS && clock->timestamp < INT64_MAX / 2)
			clocks[clock->clock_id] = (int64_t)clock->timestamp;
	}
	first = !facts->has_clocks && clocks[REALTIME];
	if (first) {
		facts->has_clocks = true;
		facts->utc_ns = clocks[REALTIME];
		facts->boot_ns = clocks[BOOTTIME];
	}
	if (!first && (!clocks[BOOTTIME] || (facts->has_clocks && !facts->boot_ns)))
		return 0;
	for (size_t i = 1; i < KP_PF_CLOCKS; i++) {
		const struct kp_pf_clock_pair pair = { i, clocks[i], clocks[BOOTTIME] };

		if (clocks[i] && i != BOOTTIME && kp_pf_facts_pair(facts, &pair))
			return -1;
	}
	return 0;
}

static int take_thread(struct kp_pf_facts *facts, int64_t tid, ProtobufCBinaryData name)
{
	if (tid <= 0 || tid > INT32_MAX || !name.len)
		return 0;
	return kp_names_set(&facts->threads, KUTRACE_NAME_PID, (uint32_t)tid, (const char *)name.data, name.len);
}

static void take_stats(struct kp_pf_facts *facts, const Pf__FtraceStats *stats)
{
	for (size_t i = 0; i < stats->n_cpu_stats; i++) {
		const Pf__FtraceCpuStats *cpu = stats->cpu_stats[i];
		const uint64_t lost = cpu->overrun + cpu->commit_overrun + cpu->dropped_events;
		struct kp_pf_cpu_lost *of;

		if (cpu->cpu >= KP_FEED_CPUS)
			continue;
		of = &facts->lost[cpu->cpu];
		if (stats->phase == START_OF_TRACE && !of->has_start) {
			of->start = lost;
			of->has_start = true;
		} else if (stats->phase == END_OF_TRACE && lost > of->end) {
			of->end = lost;
		}
	}
}

/*
 * Finds out whether rawtoperfetto wrote the trace, by the name of one of its attributes. Stores the
 * interval in which events of some CPUs are missing.
 */
static void take_attributes(struct kp_pf_facts *facts, const Pf__TraceAttributes *attributes)
{
	char key[32], value[1100];
	const struct kp_header_item item = { key, value };

	for (size_t i = 0; i < attributes->n_attribute; i++) {
		const Pf__TraceAttributes__Attribute *attribute = attributes->attribute[i];

		key[0] = value[0] = 0;
		keep_text(key, sizeof(key), attribute->key);
		facts->ours |= !strcmp(key, "damaged_entries");
		snprintf(value, sizeof(value), "%.*s", (int)(attribute->string_value.len < 1024 ?
			 attribute->string_value.len : 1024), (const char *)attribute->string_value.data);
		if (kp_header_partial(&item, 1, &facts->partial))
			return;
	}
}

/*
 * Records whether packets were dropped. Ignores drops before the first packet of a sequence.
 * Returns 0, or -1 without memory.
 */
static int take_dropped(struct kp_pf_facts *facts, const Pf__TracePacket *packet)
{
	uint32_t seen;

	if (!kp_map_get(&facts->sequences, packet->trusted_packet_sequence_id, &seen))
		return kp_map_set(&facts->sequences, packet->trusted_packet_sequence_id, 1);
	facts->packets_lost |= packet->previous_packet_dropped != 0;
	return 0;
}

int kp_pf_facts_packet(struct kp_pf_facts *facts, const Pf__TracePacket *packet)
{
	int err = take_dropped(facts, packet);

	switch (packet->data_case) {
	case PF__TRACE_PACKET__DATA_SYSTEM_INFO:
		take_utsname(facts, packet->system_info->utsname);
		break;
	case PF__TRACE_PACKET__DATA_CPU_INFO:
		for (size_t i = 0; i < packet->cpu_info->n_cpus; i++)
			keep_text(facts->cpu_model, sizeof(facts->cpu_model), packet->cpu_info->cpus[i]->processor);
		break;
	case PF__TRACE_PACKET__DATA_TRACE_UUID:
		take_uuid(facts, packet->trace_uuid);
		break;
	case PF__TRACE_PACKET__DATA_CLOCK_SNAPSHOT:
		err = err ? err : take_clocks(facts, packet->clock_snapshot);
		break;
	case PF__TRACE_PACKET__DATA_PROCESS_TREE:
		for (size_t i = 0; !err && i < packet->process_tree->n_threads; i++)
			err = take_thread(facts, packet->process_tree->threads[i]->tid,
					  packet->process_tree->threads[i]->name);
		break;
	case PF__TRACE_PACKET__DATA_GENERIC_KERNEL_PROCESS_TREE:
		for (size_t i = 0; !err && i < packet->generic_kernel_process_tree->n_threads; i++)
			err = take_thread(facts, packet->generic_kernel_process_tree->threads[i]->tid,
					  packet->generic_kernel_process_tree->threads[i]->comm);
		break;
	case PF__TRACE_PACKET__DATA_TRACE_ATTRIBUTES:
		take_attributes(facts, packet->trace_attributes);
		break;
	case PF__TRACE_PACKET__DATA_FTRACE_STATS:
		take_stats(facts, packet->ftrace_stats);
		break;
	default:
		break;
	}
	return err;
}

void kp_pf_facts_sort(struct kp_pf_facts *facts)
{
	if (facts->pairs.count)
		qsort(facts->pairs.items, facts->pairs.count, sizeof(*facts->pairs.items), by_clock);
}

int64_t kp_pf_facts_utc(const struct kp_pf_facts *facts)
{
	return facts->utc_ns - facts->boot_ns;
}

/* Returns whether the pair has an earlier clock than @clock, or has @clock and is not after @ns. */
static bool is_before(const struct kp_pf_clock_pair *pair, uint64_t clock, int64_t ns)
{
	return pair->clock < clock || (pair->clock == clock && pair->clock_ns <= ns);
}

int64_t kp_pf_facts_boot(const struct kp_pf_facts *facts, uint64_t clock, int64_t ns)
{
	const struct kp_pf_clock_pair *items = facts->pairs.items;
	const size_t count = facts->pairs.count;
	bool known, followed;
	int64_t boot;
	size_t at;

	KP_FIND(at, count, is_before(&items[at], clock, ns));
	known = at && items[at - 1].clock == clock;
	followed = at < count && items[at].clock == clock;
	if (!known && !followed)
		return ns;
	at -= known;
	boot = (int64_t)((uint64_t)ns - (uint64_t)items[at].clock_ns + (uint64_t)items[at].boot_ns);
	/* the pairs are not exact: a time never exceeds the boot time of the next pair */
	return known && followed && boot > items[at + 1].boot_ns ? items[at + 1].boot_ns : boot;
}

uint64_t kp_pf_facts_lost(const struct kp_pf_facts *facts)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < KP_FEED_CPUS; i++)
		if (facts->lost[i].end > facts->lost[i].start)
			lost += facts->lost[i].end - facts->lost[i].start;
	return lost;
}

void kp_pf_facts_free(struct kp_pf_facts *facts)
{
	free(facts->pairs.items);
	kp_names_free(&facts->threads);
	kp_map_free(&facts->sequences);
}
