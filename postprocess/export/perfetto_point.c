// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes spans that are not execution (export/perfetto_point.h).
 */
#include "export/perfetto_point.h"

#include "kutrace_events.h"

static void put_arc(struct kp_pf_points *p, const struct kp_span *span)
{
	struct kp_pf_more more = { .flow = p->flows + 1 };
	struct kp_pf_out *out = p->tracks->out;

	if (!kp_pf_cpu(p->tracks, span->cpu) || !kp_pf_cpu(p->tracks, span->arg0))
		return;
	p->flows++;
	kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->cpu, span->start * 10, kp_pf_span_name(span), &more);
	more.flow_ends = true;
	kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->arg0, (span->start + span->dur) * 10,
		      kp_pf_span_name(span), &more);
}

static void put_waking(struct kp_pf_points *p, const struct kp_span *span, const struct kp_span *group,
		       size_t count)
{
	int32_t target = span->cpu;
	size_t i;

	if (!kp_pf_cpu(p->tracks, span->cpu) || span->arg0 <= 0 || span->arg0 > INT32_MAX || span->pid < 0)
		return;
	for (i = 0; i < count; i++) {
		const struct kp_span *arc = &group[i];

		if (arc->event == KP_EVENT_WAKEUP && arc->cpu == span->cpu &&
		    arc->retval == span->arg0)
			target = (int32_t)arc->arg0;
	}
	kp_pf_waking(p->tracks->out, span->start * 10, (uint32_t)span->cpu, (uint32_t)span->pid,
		     (uint32_t)span->arg0, kp_pf_task_name(p->tracks, span->arg0), target);
	kp_pf_state(p->tracks, span->arg0, true);
}

/* Writes another interval on its own track. @flow: that of its RPC; 0: none. */
static void put_lasting(struct kp_pf_points *p, const struct kp_span *span, uint64_t flow)
{
	const struct kp_pf_more more = {
		.has_arg0 = true, .arg0 = (uint64_t)span->arg0, .flow = flow,
	};
	struct kp_pf_out *out = p->tracks->out;
	struct kp_pf_other *other = kp_pf_other(p->tracks, span);

	if (!other)
		return;
	if (span->start < other->end) {
		kp_pf_instant(out, other->track, span->start * 10, kp_pf_span_name(span), &more);
		return;
	}
	kp_pf_begin(out, other->track, span->start * 10, kp_pf_span_name(span), &more);
	kp_pf_end(out, other->track, (span->start + span->dur) * 10, NULL);
	other->end = span->start + span->dur;
}

void kp_pf_point(struct kp_pf_points *p, const struct kp_span *span, const struct kp_span *group, size_t count)
{
	struct kp_pf_more more = { .has_arg0 = true, .arg0 = (uint64_t)span->arg0 };
	struct kp_pf_out *out = p->tracks->out;
	int64_t at = span->start;

	if (kp_rpc_flow(&p->rpcs, span, &p->flows, &more.flow))
		p->tracks->no_memory = true;
	switch (span->event) {
	case KP_EVENT_WAKEUP:
	case KP_EVENT_IPI:
		put_arc(p, span);
		return;
	case KUTRACE_RUNNABLE:
		put_waking(p, span, group, count);
		return;
	case KUTRACE_TASKEXIT:
		if (kp_pf_cpu(p->tracks, span->cpu) && span->arg0 > 0 && span->arg0 <= INT32_MAX)
			kp_pf_exit(out, at * 10, (uint32_t)span->cpu, (uint32_t)span->arg0,
				   kp_pf_task_name(p->tracks, span->arg0));
		break;
	case KUTRACE_IPI:		/* its arc shows it */
	case KUTRACE_MADE_LEFTMARK:		/* names of a thread */
	case KUTRACE_MADE_RIGHTMARK:
		return;
	case KUTRACE_MWAIT:
		if (kp_pf_cpu(p->tracks, span->cpu)) {
			kp_pf_idle(out, at * 10, (uint32_t)span->cpu, (uint32_t)span->arg0);
			p->tracks->cpus[span->cpu].idling = true;
		}
		return;
	case KUTRACE_PSTATE:
	case KUTRACE_PSTATE2:
		if (kp_pf_cpu(p->tracks, span->cpu) && span->arg0 >= 0 && span->arg0 < 4000000)
			kp_pf_frequency(out, at * 10, (uint32_t)span->cpu,
					(uint32_t)span->arg0 * 1000);
		return;
	case KUTRACE_PC_U:		/* from the previous sample to this one */
	case KUTRACE_PC_K:
		more.has_arg0 = false;
		if (kp_pf_cpu(p->tracks, span->cpu))
			kp_pf_instant(out, KP_PF_CPU + (uint64_t)span->cpu,
				      (at + span->dur) * 10, kp_pf_span_name(span), &more);
		return;
	case KUTRACE_RPCIDRXMSG:	/* received completely at its end */
		at += span->dur;
		break;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
	case KUTRACE_MADE_LOCKHELD:
	case KUTRACE_MADE_LOCKTRY:
		if (span->dur > 1) {
			put_lasting(p, span, more.flow);
			return;
		}
		break;
	default:
		if (span->event >= KUTRACE_MADE_WAITA && span->event <= KUTRACE_MADE_WAITZ)
			return;		/* thread states show it */
		break;
	}
	kp_pf_instant(out, kp_pf_track_of(p->tracks, span), at * 10, kp_pf_span_name(span), &more);
}
