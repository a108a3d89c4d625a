// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the findings of the rows that go into a page (report/findings/paged.h). Must not change a
 * row, or keep findings that an earlier page had: trimmed rows have others.
 */
#include "report/findings/paged.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tool.h"
#include "common/report.h"
#include "report/findings/findings.h"

#define ROW_BYTES	64	/* memory for a row, rounded up */
#define MEMORY_SHARE	4	/* the rows may have this part of the memory */

struct kp_paged {
	struct kp_span_sink page;	/* sink of the page */
	struct kp_page *to;
	struct kp_why *why;		/* the rows; NULL: the page has no findings */
	struct kp_span_sink rows;	/* sink of why */
	/* why the page has no findings, as the page's data name it: see give_up(); NULL: it has */
	const char *missing;
	uint64_t count, most;
	int64_t last;			/* start of the previous row */
	char *json;			/* the findings, for the page */
};

/* Frees the rows, and records the reason: "option", "spans", "memory", "order" or "foreign". */
static void give_up(struct kp_paged *paged, const char *missing)
{
	if (paged->why)
		kp_why_free(paged->why);
	free(paged->why);
	paged->why = NULL;
	paged->missing = missing;
}

/* Returns the bytes of memory that this process can have. */
static uint64_t memory_bytes(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
	struct rlimit limit;

	/* Without this limit, the page itself would not get the memory that it needs. */
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
		bytes = limit.rlim_cur;
	return bytes;
}

static void check_count(struct kp_paged *paged, uint64_t rows)
{
	if (rows > KP_PAGED_MOST)
		give_up(paged, "spans");
	else if (rows > paged->most)
		give_up(paged, "memory");
}

void kp_paged_expect(struct kp_paged *paged, uint64_t rows)
{
	if (paged->why)
		check_count(paged, rows);
}

static int paged_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_paged *paged = self;

	/* rows of RPCs or disk blocks are no threads */
	if (paged->why && kp_header_get(items, count, "foreign"))
		give_up(paged, "foreign");
	if (paged->why && paged->rows.header(paged->rows.self, items, count))
		give_up(paged, "memory");
	return paged->page.header(paged->page.self, items, count);
}

static int paged_span(void *self, const struct kp_span *span)
{
	struct kp_paged *paged = self;
	/* the page checks the numbers of the row first */
	const int err = paged->page.span(paged->page.self, span);

	if (err || !paged->why)
		return err;
	check_count(paged, ++paged->count);
	/* waits cannot be explained if rows are out of order */
	if (paged->why && span->start < paged->last)
		give_up(paged, "order");
	paged->last = span->start;
	if (paged->why && paged->rows.span(paged->rows.self, span))
		give_up(paged, "memory");
	return 0;
}

static int paged_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_paged *paged = self;

	return paged->page.trailing ? paged->page.trailing(paged->page.self, items, count) : 0;
}

/* Finds the findings, and writes them to @out like spantowhy --findings --json. */
static void write_findings(struct kp_paged *paged, FILE *out)
{
	struct kp_findings findings;

	if (paged->rows.end(paged->rows.self)) {
		give_up(paged, "memory");
		return;
	}
	if (kp_findings_find(&findings, paged->why))
		paged->missing = "memory";
	else
		kp_findings_json(&findings, out);
	kp_findings_free(&findings);
	give_up(paged, paged->missing);
}

/* Writes why the page has no findings. */
static void write_missing(const struct kp_paged *paged, FILE *out)
{
	struct ku_report r = ku_report_begin(out);

	ku_report_object(&r, NULL);
	ku_report_unsigned(&r, "version", KP_FINDINGS_VERSION);
	ku_report_string(&r, "missing", paged->missing);
	ku_report_unsigned(&r, "most", paged->most < KP_PAGED_MOST ? paged->most : KP_PAGED_MOST);
	ku_report_end(&r);
}

static int paged_end(void *self)
{
	struct kp_paged *paged = self;
	size_t len;
	FILE *out = open_memstream(&paged->json, &len);

	if (out) {
		if (paged->why)
			write_findings(paged, out);
		if (paged->missing)
			write_missing(paged, out);
		if (!fclose(out))
			kp_page_set_findings(paged->to, paged->json);
	}
	/* the page must not look complete after an interrupt */
	return kp_interrupted() ? -EINTR : paged->page.end(paged->page.self);
}

struct kp_paged *kp_paged_open(struct kp_page *page, bool wanted)
{
	struct kp_paged *paged = calloc(1, sizeof(*paged));

	if (!paged)
		return NULL;
	paged->page = kp_page_sink(page);
	paged->to = page;
	paged->most = memory_bytes() / MEMORY_SHARE / ROW_BYTES;
	if (!wanted) {
		paged->missing = "option";
		return paged;
	}
	paged->why = malloc(sizeof(*paged->why));
	if (!paged->why) {
		free(paged);
		return NULL;
	}
	kp_why_init(paged->why, 0, 0);
	paged->rows = kp_why_sink(paged->why);
	return paged;
}

struct kp_span_sink kp_paged_sink(struct kp_paged *paged)
{
	if (kp_page_is_original(paged->to))
		return paged->page;
	return (struct kp_span_sink){
		.header = paged_header, .span = paged_span, .end = paged_end, .self = paged,
		.trailing = paged_trailing,
	};
}

void kp_paged_close(struct kp_paged *paged)
{
	if (!paged)
		return;
	give_up(paged, NULL);
	free(paged->json);
	free(paged);
}
