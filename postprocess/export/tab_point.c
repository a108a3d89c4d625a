// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes rows for spans that are not execution (export/tab.h): wakeups, locks, packets, marks ...
 */
#include "export/tab.h"

#include <string.h>

#include "common/entry.h"
#include "common/event_name.h"
#include "kutrace_events.h"

#define FIRST_WAIT	KUTRACE_MADE_WAITA
#define LAST_WAIT	KUTRACE_MADE_WAITZ

/*
 * Returns the arc of a wakeup or IPI, which is in the same group and shows its target; NULL: none.
 */
static const struct kp_span *arc_of(const struct kp_tabulate *tab, const struct kp_span *from)
{
	const bool wakeup = from->event == KUTRACE_RUNNABLE;
	size_t i;

	for (i = 0; i < tab->group.count; i++) {
		const struct kp_span *arc = &tab->group.items[i];

		if (wakeup ? arc->event == KP_EVENT_WAKEUP && arc->cpu == from->cpu && arc->retval == from->arg0 :
			     arc->event == KP_EVENT_IPI && arc->cpu == from->cpu && arc->arg0 == from->arg0)
			return arc;
	}
	return NULL;
}

static void put_wakeup(struct kp_tabulate *tab, const struct kp_span *span)
{
	const struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);
	const struct kp_span *arc = arc_of(tab, span);

	kp_tab_woken(tab, span->arg0, span);
	KT_PUT(tab, WAKEUP, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, WAKEUP, CPU, span->cpu);
	KT_OWNER(tab, WAKEUP, span->pid);
	if (cpu && cpu->row.name) {
		KT_WORD(tab, WAKEUP, KIND, kp_tab_kind(&cpu->row));
		if (cpu->row.event < KP_EVENT_USER)
			KT_SAY(tab, WAKEUP, CALL, cpu->row.name, kp_tab_plain(&cpu->row));
	}
	KT_PUT(tab, WAKEUP, WOKEN, span->arg0);
	KT_PUT(tab, WAKEUP, WOKEN_LIFE, kp_lives_of(&tab->lives, span->arg0));
	if (arc) {
		KT_PUT(tab, WAKEUP, TARGET, arc->arg0);
		KT_PUT(tab, WAKEUP, LATENCY, kp_tab_ns(arc->dur));
	}
	kp_tab_emit(tab, KT_WAKEUP);
}

static void put_ipi(struct kp_tabulate *tab, const struct kp_span *span)
{
	const struct kp_span *arc = arc_of(tab, span);

	KT_PUT(tab, IPI, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, IPI, CPU, span->cpu);
	KT_OWNER(tab, IPI, span->pid);
	KT_PUT(tab, IPI, TARGET, span->arg0);
	if (arc)
		KT_PUT(tab, IPI, LATENCY, kp_tab_ns(arc->dur));
	kp_tab_emit(tab, KT_IPI);
}

static void put_lock(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, LOCK, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, LOCK, DUR, kp_tab_ns(span->dur));
	KT_WORD(tab, LOCK, STATE, span->event == KUTRACE_MADE_LOCKHELD ? "held" : "tried");
	KT_PUT(tab, LOCK, LOCK, span->arg0);
	KT_SAY(tab, LOCK, NAME, span->name, span->name_len);
	KT_OWNER(tab, LOCK, span->pid);
	KT_PUT(tab, LOCK, CPU, span->cpu);
	kp_tab_emit(tab, KT_LOCK);
}

static const char *label_of(int64_t event)
{
	const char *label = event > 0 && event < 0x1000 ? ku_point_label((uint32_t)event) : NULL;

	if (!label && event > 0 && event < 0x1000)
		label = ku_name_label(KU_NAME_BASE((uint32_t)event));
	return label ? label : "other";
}

static void put_packet(struct kp_tabulate *tab, const struct kp_span *span)
{
	const bool message = span->event == KUTRACE_RPCIDRXMSG || span->event == KUTRACE_RPCIDTXMSG;

	KT_PUT(tab, PACKET, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, PACKET, DUR, message ? kp_tab_ns(span->dur) : 0);
	KT_WORD(tab, PACKET, KIND, label_of(span->event));
	KT_PUT(tab, PACKET, CPU, span->cpu);
	KT_OWNER(tab, PACKET, span->pid);
	KT_PUT(tab, PACKET, HASH, span->arg0);
	KT_PUT(tab, PACKET, RPC, span->rpc);
	KT_SAY(tab, PACKET, NAME, span->name, span->name_len);
	kp_tab_emit(tab, KT_PACKET);
}

static void put_rpc(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, RPC, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, RPC, DUR, kp_tab_ns(span->dur));
	KT_WORD(tab, RPC, STATE, span->event == KUTRACE_ENQUEUE ? "queued" : "working");
	KT_PUT(tab, RPC, RPC, span->rpc);
	KT_SAY(tab, RPC, NAME, span->name, span->name_len);
	KT_OWNER(tab, RPC, span->pid);
	KT_PUT(tab, RPC, CPU, span->cpu);
	kp_tab_emit(tab, KT_RPC);
}

static void put_counter(struct kp_tabulate *tab, const struct kp_span *span, const char *name)
{
	KT_PUT(tab, COUNTER, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, COUNTER, CPU, span->cpu);
	KT_WORD(tab, COUNTER, NAME, name);
	KT_PUT(tab, COUNTER, VALUE, span->arg0);
	kp_tab_emit(tab, KT_COUNTER);
}

static void put_sample(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, SAMPLE, TIME_NS, kp_tab_time(tab, span->start + span->dur));
	KT_PUT(tab, SAMPLE, DUR, kp_tab_ns(span->dur));
	KT_PUT(tab, SAMPLE, CPU, span->cpu);
	KT_OWNER(tab, SAMPLE, span->pid);
	KT_WORD(tab, SAMPLE, WHERE, span->event == KUTRACE_PC_K ? "kernel" : "user");
	KT_SAY(tab, SAMPLE, NAME, span->name, span->name_len);
	kp_tab_emit(tab, KT_SAMPLE);
}

static void put_mark(struct kp_tabulate *tab, const struct kp_span *span)
{
	const char *label = label_of(span->event);
	const size_t len = strlen(label);
	/* mark_a=text */
	const bool named = span->name_len > len && !memcmp(span->name, label, len) && span->name[len] == '=';
	const size_t skip = named ? len + 1 : 0;

	KT_PUT(tab, MARK, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, MARK, CPU, span->cpu);
	KT_OWNER(tab, MARK, span->pid);
	KT_WORD(tab, MARK, KIND, label);
	KT_SAY(tab, MARK, TEXT, span->name + skip, span->name_len - skip);
	KT_PUT(tab, MARK, VALUE, span->arg0);
	kp_tab_emit(tab, KT_MARK);
}

void kp_tab_point(struct kp_tabulate *tab, const struct kp_span *span)
{
	switch (span->event) {
	case KP_EVENT_WAKEUP:		/* shown with their wakeups and IPIs */
	case KP_EVENT_IPI:
	case KUTRACE_MADE_LEFTMARK:	/* names of a thread */
	case KUTRACE_MADE_RIGHTMARK:
		return;
	case KUTRACE_MADE_PAUSE:
		kp_tab_pause(tab, span);
		return;
	case KUTRACE_RUNNABLE:
		put_wakeup(tab, span);
		return;
	case KUTRACE_IPI:
		put_ipi(tab, span);
		return;
	case KUTRACE_MADE_LOCKHELD:
	case KUTRACE_MADE_LOCKTRY:
		put_lock(tab, span);
		return;
	case KUTRACE_RX_PKT:
	case KUTRACE_TX_PKT:
	case KUTRACE_RX_USER:
	case KUTRACE_TX_USER:
	case KUTRACE_RPCIDRXMSG:
	case KUTRACE_RPCIDTXMSG:
		put_packet(tab, span);
		return;
	case KUTRACE_MWAIT:
		put_counter(tab, span, "idle_state");
		return;
	case KUTRACE_PSTATE:
	case KUTRACE_PSTATE2:
		put_counter(tab, span, "frequency_mhz");
		return;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
		put_sample(tab, span);
		return;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
		if (span->dur > 1) {
			put_rpc(tab, span);
			return;
		}
		break;
	default:
		break;
	}
	if (span->event >= FIRST_WAIT && span->event <= LAST_WAIT) {
		if (span->cpu < 0)
			kp_tab_waits(tab, span);
		return;
	}
	put_mark(tab, span);
}
