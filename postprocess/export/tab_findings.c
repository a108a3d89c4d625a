// SPDX-License-Identifier: BSD-3-Clause
/*
 * Searches the spans for known faults, and writes them as rows of the tables finding and finding_span
 * (export/tab.h). Must not leave out a finding: without memory, the export fails.
 */
#include "export/tab.h"
#include "report/findings/findings.h"

void kp_tab_searched(struct kp_tabulate *tab, const struct kp_span *span)
{
	if (tab->why && kp_why_sink(tab->why).span(tab->why, span))
		tab->failed = true;
}

/* Sets a cell to the sentence, which can be cut within a character. */
static void put_sentence(struct kp_tabulate *tab, const struct kp_str *sentence)
{
	char text[KP_FINDING_SENTENCE];
	const struct kp_str *stored = kp_strings_add(&tab->strings, text,
						     kp_plain_text(text, sizeof(text), sentence->text, sentence->len));

	if (!stored)
		tab->failed = true;
	else
		KT_PUTS(tab, FINDING, SENTENCE, stored->text, stored->len);
}

static void put_finding(struct kp_tabulate *tab, const struct kp_finding *finding, int64_t number)
{
	const struct kp_why_pid *pids = tab->why->pids.items, *victim = &pids[finding->victim];

	KT_PUT(tab, FINDING, NUMBER, number);
	KT_WORD(tab, FINDING, KIND, finding->detector->key);
	KT_PUT(tab, FINDING, COST, kp_tab_ns(finding->cost));
	KT_PUT(tab, FINDING, PARTS, (int64_t)finding->count);
	KT_PUT(tab, FINDING, START_NS, kp_tab_time(tab, finding->start));
	KT_PUT(tab, FINDING, END_NS, kp_tab_time(tab, finding->end));
	KT_THREAD(tab, FINDING, victim->pid, victim->life);
	if (finding->culprit >= 0) {
		KT_PUT(tab, FINDING, CULPRIT_TID, pids[finding->culprit].pid);
		KT_PUT(tab, FINDING, CULPRIT_LIFE, pids[finding->culprit].life);
	}
	put_sentence(tab, finding->sentence);
	KT_WORD(tab, FINDING, ADVICE, finding->detector->advice);
	if (tab->failed)
		return;
	kp_tab_emit(tab, KT_FINDING);
	for (size_t k = 0; k < KP_FINDING_SPANS && finding->spans[k].start; k++) {
		const struct kp_why_pid *thread = &pids[finding->spans[k].thread];

		KT_PUT(tab, FINDING_SPAN, NUMBER, number);
		KT_PUT(tab, FINDING_SPAN, START_NS, kp_tab_time(tab, finding->spans[k].start));
		KT_THREAD(tab, FINDING_SPAN, thread->pid, thread->life);
		kp_tab_emit(tab, KT_FINDING_SPAN);
	}
}

void kp_tab_findings(struct kp_tabulate *tab)
{
	struct kp_findings findings;

	if (!tab->why)
		return;
	if (kp_why_sink(tab->why).end(tab->why)) {
		tab->failed = true;
		return;
	}
	if (kp_findings_find(&findings, tab->why))
		tab->failed = true;
	for (size_t i = 0; i < findings.list.count && !tab->failed; i++)
		put_finding(tab, &findings.list.items[i], (int64_t)i + 1);
	tab->findings = (int64_t)findings.list.count;
	kp_findings_free(&findings);
}
