// SPDX-License-Identifier: GPL-2.0-only
/* Measures the cost of an event on this machine, once when the module is loaded. */
#include <linux/irqflags.h>

#include "core/clock.h"
#include "core/emit.h"
#include "core/time.h"
#include "record/internal.h"

#define KU_MEASURE_EVENTS 4000

static u64 ku_emit_ps;

void ku_measure(struct ku_session *session)
{
	struct ku_ring *ring = &session->ring;
	unsigned long flags;
	u64 start, end;
	int i, cpu;

	local_irq_save(flags);
	ku_primary = ring;
	ring->active = 1;
	ku_cpu_write(slot.verdict, KU_SELECTED);
	ku_emit(KU_EVENT(KUTRACE_MARKD));
	start = ku_clock_by(0);
	for (i = 0; i < KU_MEASURE_EVENTS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | (u32)i);
	end = ku_clock_by(0);
	ring->active = 0;
	ku_ring_close_cpu(ring, this_cpu_ptr(&ku_cpu));
	ku_cpu_write(slot.verdict, KU_UNRESOLVED);
	ku_primary = NULL;
	local_irq_restore(flags);
	ku_emit_ps = ku_scale(end - start, 1000000000ULL, ku_clock_khz() * KU_MEASURE_EVENTS);
	ku_ring_reset(ring, false);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
}

u64 ku_measured_ps(void)
{
	return ku_emit_ps;
}
