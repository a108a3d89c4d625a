// SPDX-License-Identifier: BSD-3-Clause
/*
 * The overview of a page: how much of each kind of execution there is in each of
 * about a thousand equal stretches of time, by CPU. The page shows it until the
 * spans themselves are decoded. Called by kp_page.c for every span; the end of the
 * trace is not known until it comes, so when it lies behind the last stretch, each
 * two become one. Memory does not depend on the trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kp_page_int.h"
#include "kutrace_events.h"

#define BINS	2048u		/* at least half of them are used in the end */
#define CPUS	64		/* more rows do not fit a screen */
#define FEWEST	200000u		/* a page of fewer spans is there at once anyway */

/* As templates/js/kinds.js numbers them, which tells them apart by the same rules. */
enum kind { IDLE, IDLELP, CEXIT, USER, SYSCALL, TRAP, IRQ, SOFTIRQ, SCHED, KINDS };

struct kp_overview {
	bool open, useless;		/* useless: spans before the first one */
	int64_t first, last;		/* of all spans; of what ran, is a mark or a wakeup */
	unsigned int shift;		/* a stretch is 1 << shift units of 10 ns */
	uint64_t spans;
	uint8_t cpus[KP_OVERVIEW_CPUS / 8];	/* bitmap: those that anything ran on */
	uint64_t *rows[CPUS];		/* units by stretch and kind */
};

static enum kind kind_of(const struct kp_span *s)
{
	const int64_t e = s->event;

	if (e == KP_EVENT_USER)
		return s->name_len >= 7 && !memcmp(s->name, "-idlelp", 7) ? IDLELP : IDLE;
	if (e == KP_EVENT_CEXIT && s->name_len >= 7 && !memcmp(s->name, "-c-exit", 7))
		return CEXIT;
	if (e > KP_EVENT_USER)
		return USER;
	if (e == KUTRACE_CALL_SCHED || e == KUTRACE_RET_SCHED)
		return SCHED;
	if (e >= KUTRACE_CALL_SYSCALL64)
		return SYSCALL;
	if (e == KUTRACE_CALL_BH || e == KUTRACE_RET_BH)
		return SOFTIRQ;
	return e & (KUTRACE_CALL_IRQ ^ KUTRACE_CALL_TRAP) ? IRQ : TRAP;
}

struct kp_overview *kp_overview_open(void)
{
	return calloc(1, sizeof(struct kp_overview));
}

void kp_overview_close(struct kp_overview *o)
{
	for (int i = 0; o && i < CPUS; i++)
		free(o->rows[i]);
	free(o);
}

/* Two stretches to one, until end is in the last one or before it. */
static void reach(struct kp_overview *o, int64_t end)
{
	while ((end - o->first) >> o->shift >= BINS) {
		for (int c = 0; c < CPUS; c++) {
			uint64_t *row = o->rows[c];

			for (uint32_t i = 0; row && i < BINS; i++) {
				for (int k = 0; k < KINDS; k++) {
					uint64_t *to = &row[i * KINDS + (uint32_t)k];

					*to = i < BINS / 2 ? to[i * KINDS] + to[(i + 1) * KINDS] : 0;
				}
			}
		}
		o->shift++;
	}
}

int kp_overview_span(struct kp_overview *o, const struct kp_span *s)
{
	const int64_t end = s->start + s->dur;
	const bool execution = kp_span_is_execution(s);
	uint64_t *row;
	enum kind kind;

	if (!o->open) {
		o->open = true;
		o->first = o->last = s->start;
	}
	o->spans++;
	if (s->start < o->first)
		o->useless = true;
	if (o->useless)
		return 0;
	if (end > o->last && (execution || s->event == KP_EVENT_WAKEUP ||
			      (s->event >= KUTRACE_MARKA && s->event <= KUTRACE_MARKD)))
		o->last = end;
	if (!execution)
		return 0;
	o->cpus[s->cpu / 8] |= (uint8_t)(1 << s->cpu % 8);
	if (s->cpu >= CPUS)
		return 0;
	row = o->rows[s->cpu];
	if (!row) {
		row = calloc(BINS * KINDS, sizeof(*row));
		if (!row)
			return -ENOMEM;
		o->rows[s->cpu] = row;
	}
	reach(o, end);
	kind = kind_of(s);
	for (int64_t at = s->start; at < end; ) {
		const int64_t bin = (at - o->first) >> o->shift;
		const int64_t next = o->first + ((bin + 1) << o->shift);

		row[bin * KINDS + kind] += (uint64_t)((next < end ? next : end) - at);
		at = next;
	}
	return 0;
}

/* The shares of one row: a byte for each stretch and kind, 255 = all of the stretch. */
static int add_row(const struct kp_overview *o, const uint64_t *row, uint32_t bins,
		   struct kp_bytes *bytes)
{
	const uint64_t full = (uint64_t)1 << o->shift;
	int rc = kp_bytes_reserve(bytes, bins * KINDS);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < bins * KINDS; i++) {
		/* in floating point: no product can be too large */
		const double share = row ? (double)row[i] / (double)full * 255.0 : 0;

		/* what is there at all is at least a trace of colour */
		bytes->data[bytes->len++] = share >= 255 ? 255 : share > 0 && share < 1 ? 1 :
					    (uint8_t)(share + 0.5);
	}
	return 0;
}

int kp_overview_write(struct kp_overview *o, struct kp_packer *packer, FILE *out)
{
	struct kp_bytes bytes = {0};
	uint32_t bins, count = 0;
	int rc = 0;

	if (!o->open || o->useless || o->spans < FEWEST || o->last <= o->first)
		return 0;
	bins = (uint32_t)((o->last - o->first + (((int64_t)1 << o->shift) - 1)) >> o->shift);
	if (bins > BINS)
		bins = BINS;	/* only rows that are on no CPU are later */
	errno = 0;
	if (fprintf(out, "<script type=\"application/json\" id=\"kutrace-overview\">"
		    "{\"first\":%" PRId64 ",\"last\":%" PRId64 ",\"width\":%" PRId64
		    ",\"bins\":%" PRIu32 ",\"cpus\":[", o->first, o->last,
		    (int64_t)1 << o->shift, bins) < 0)
		return errno ? -errno : -EIO;
	for (int cpu = 0; cpu < KP_OVERVIEW_CPUS && !rc; cpu++) {
		if (!(o->cpus[cpu / 8] >> cpu % 8 & 1))
			continue;
		if (fprintf(out, "%s%d", count++ ? "," : "", cpu) < 0)
			rc = errno ? -errno : -EIO;
		if (!rc && cpu < CPUS)
			rc = add_row(o, o->rows[cpu], bins, &bytes);
	}
	if (!rc && fprintf(out, "],\"bytes\":%zu,\"shares\":\"", bytes.len) < 0)
		rc = errno ? -errno : -EIO;
	if (!rc)
		rc = kp_packer_write(packer, &bytes, out);
	if (!rc && fputs("\"}</script>\n", out) < 0)
		rc = errno ? -errno : -EIO;
	kp_bytes_free(&bytes);
	return rc;
}
