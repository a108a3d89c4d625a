// SPDX-License-Identifier: BSD-3-Clause
/*
 * Collects facts about a Perfetto trace, see import/perfetto_facts.h. Field numbers are Perfetto's.
 */
#include "import/perfetto_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kutrace_events.h"

enum {
	PACKET_PROCESSES = 2, PACKET_CLOCKS = 6, PACKET_SEQUENCE = 10, PACKET_FTRACE_STATS = 34,
	PACKET_DROPPED = 42, PACKET_SYSTEM = 45, PACKET_CPU_INFO = 67, PACKET_UUID = 89, PACKET_MACHINE = 98,
	PACKET_GENERIC_PROCESSES = 122,
};
enum { REALTIME = 1, BOOTTIME = 6 };

static void keep_text(char *out, size_t room, struct kp_pb text)
{
	if (!out[0])
		snprintf(out, room, "%.*s", (int)(text.end - text.p < 200 ? text.end - text.p : 200),
			 (const char *)text.p);
}

static void take_system(struct kp_pf_facts *facts, struct kp_pb system)
{
	struct kp_pb_field field, name;

	while (kp_pb_next(&system, &field)) {
		if (field.number != 1 || !field.is_bytes)	/* utsname */
			continue;
		while (kp_pb_next(&field.bytes, &name)) {
			if (name.is_bytes && name.number == 2)
				keep_text(facts->version, sizeof(facts->version), name.bytes);
			else if (name.is_bytes && name.number == 3)
				keep_text(facts->release, sizeof(facts->release), name.bytes);
			else if (name.is_bytes && name.number == 4)
				keep_text(facts->machine, sizeof(facts->machine), name.bytes);
		}
	}
}

static void take_cpu_info(struct kp_pf_facts *facts, struct kp_pb info)
{
	struct kp_pb_field cpu, field;

	while (kp_pb_next(&info, &cpu))
		while (cpu.number == 1 && cpu.is_bytes && kp_pb_next(&cpu.bytes, &field))
			if (field.number == 1 && field.is_bytes)
				keep_text(facts->cpu_model, sizeof(facts->cpu_model), field.bytes);
}

static void take_uuid(struct kp_pf_facts *facts, struct kp_pb uuid)
{
	struct kp_pb_field field;
	uint64_t high = 0, low = 0;

	while (kp_pb_next(&uuid, &field)) {
		if (field.number == 1)
			high = field.value;
		else if (field.number == 2)
			low = field.value;
	}
	snprintf(facts->trace_id, sizeof(facts->trace_id), "%08x-%04x-%04x-%04x-%012" PRIx64,
		 (uint32_t)(high >> 32), (uint32_t)(high >> 16 & 0xFFFF), (uint32_t)(high & 0xFFFF),
		 (uint32_t)(low >> 48), low & UINT64_C(0xFFFFFFFFFFFF));
}

/* Takes the clocks from the first snapshot that has UTC. */
static void take_clocks(struct kp_pf_facts *facts, struct kp_pb snapshot)
{
	int64_t clocks[KP_PF_CLOCKS] = {0};
	struct kp_pb_field clock, field;

	if (facts->has_clocks)
		return;
	while (kp_pb_next(&snapshot, &clock)) {
		uint64_t id = 0, time = 0;

		while (clock.number == 1 && clock.is_bytes && kp_pb_next(&clock.bytes, &field)) {
			if (field.number == 1)
				id = field.value;
			else if (field.number == 2)
				time = field.value;
		}
		if (id < KP_PF_CLOCKS && time < INT64_MAX / 2)
			clocks[id] = (int64_t)time;
	}
	if (!clocks[REALTIME])
		return;
	facts->has_clocks = true;
	memcpy(facts->clock_ns, clocks, sizeof(clocks));
}

/* Takes the threads of a process tree: field 2 in both kinds of trees. @name_field: field of a thread's name. */
static int take_threads(struct kp_pf_facts *facts, struct kp_pb tree, uint32_t name_field)
{
	struct kp_pb_field thread, field;

	while (kp_pb_next(&tree, &thread)) {
		struct kp_pb name = {0};
		uint64_t tid = 0;

		if (thread.number != 2 || !thread.is_bytes)
			continue;
		while (kp_pb_next(&thread.bytes, &field)) {
			if (field.number == 1)
				tid = field.value;
			else if (field.number == name_field && field.is_bytes)
				name = field.bytes;
		}
		if (tid && tid <= INT32_MAX && name.p != name.end &&
		    kp_names_set(&facts->threads, KUTRACE_NAME_PID, (uint32_t)tid, (const char *)name.p,
				 (size_t)(name.end - name.p)))
			return -1;
	}
	return 0;
}

static void take_stats(struct kp_pf_facts *facts, struct kp_pb stats)
{
	struct kp_pb again = stats;
	struct kp_pb_field field, item;
	uint64_t phase = 0;

	while (kp_pb_next(&stats, &field))
		if (field.number == 1 && !field.is_bytes)
			phase = field.value;
	while (kp_pb_next(&again, &field)) {
		uint64_t cpu = 0, lost = 0;
		struct kp_pf_cpu_lost *of;

		if (field.number != 2 || !field.is_bytes)
			continue;
		while (kp_pb_next(&field.bytes, &item)) {
			if (item.number == 1)
				cpu = item.value;
			else if (item.number == 3 || item.number == 4 || item.number == 8)
				lost += item.value;	/* overrun, commit_overrun, dropped_events */
		}
		if (cpu >= KP_FEED_CPUS)
			continue;
		of = &facts->lost[cpu];
		if (phase == 1 && !of->has_start) {
			of->start = lost;
			of->has_start = true;
		} else if (phase == 2 && lost > of->end) {
			of->end = lost;
		}
	}
}

struct kp_pf_source kp_pf_source_of(struct kp_pb packet)
{
	struct kp_pf_source source = {0};
	struct kp_pb_field field;

	while (kp_pb_next(&packet, &field)) {
		if (field.number == PACKET_SEQUENCE)
			source.sequence = (uint32_t)field.value;
		else if (field.number == PACKET_MACHINE)
			source.machine = (uint32_t)field.value;
		else if (field.number == PACKET_DROPPED)
			source.dropped = field.value != 0;
	}
	return source;
}

/* Notes dropped packets, except before a sequence's first packet. Returns 0, or -1 without memory. */
static int take_dropped(struct kp_pf_facts *facts, const struct kp_pf_source *source)
{
	uint32_t seen;

	if (!kp_map_get(&facts->sequences, source->sequence, &seen))
		return kp_map_set(&facts->sequences, source->sequence, 1);
	facts->packets_lost |= source->dropped;
	return 0;
}

int kp_pf_facts_packet(struct kp_pf_facts *facts, const struct kp_pf_source *source, struct kp_pb packet)
{
	struct kp_pb_field field;
	int err = take_dropped(facts, source);

	while (!err && kp_pb_next(&packet, &field)) {
		if (!field.is_bytes)
			continue;
		switch (field.number) {
		case PACKET_SYSTEM:
			take_system(facts, field.bytes);
			break;
		case PACKET_CPU_INFO:
			take_cpu_info(facts, field.bytes);
			break;
		case PACKET_UUID:
			take_uuid(facts, field.bytes);
			break;
		case PACKET_CLOCKS:
			take_clocks(facts, field.bytes);
			break;
		case PACKET_PROCESSES:
			err = take_threads(facts, field.bytes, 2);
			break;
		case PACKET_GENERIC_PROCESSES:
			err = take_threads(facts, field.bytes, 3);
			break;
		case PACKET_FTRACE_STATS:
			take_stats(facts, field.bytes);
			break;
		default:
			break;
		}
	}
	return err;
}

int64_t kp_pf_facts_utc(const struct kp_pf_facts *facts)
{
	return facts->has_clocks ? facts->clock_ns[REALTIME] - facts->clock_ns[BOOTTIME] : 0;
}

int64_t kp_pf_facts_boot(const struct kp_pf_facts *facts, uint64_t clock, uint64_t time)
{
	const int64_t ns = time > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)time;

	if (!clock || clock >= KP_PF_CLOCKS || !facts->has_clocks || !facts->clock_ns[clock])
		return ns;
	return ns - facts->clock_ns[clock] + facts->clock_ns[BOOTTIME];
}

uint64_t kp_pf_facts_lost(const struct kp_pf_facts *facts)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < KP_FEED_CPUS; i++)
		if (facts->lost[i].end > facts->lost[i].start)
			lost += facts->lost[i].end - facts->lost[i].start;
	return lost;
}

void kp_pf_facts_free(struct kp_pf_facts *facts)
{
	kp_names_free(&facts->threads);
	kp_map_free(&facts->sequences);
}
